"""Make the bundled plugins importable from a checkout in which they are not installed."""

import sys
from pathlib import Path

PLUGINS = str(Path(__file__).resolve().parents[2] / "plugins")
if PLUGINS not in sys.path:
    sys.path.insert(0, PLUGINS)
