"""Make the plugin importable from a checkout in which it is not installed."""

import sys
from pathlib import Path

PLUGINS = str(Path(__file__).resolve().parents[2] / "plugins")
if PLUGINS not in sys.path:
    sys.path.insert(0, PLUGINS)
