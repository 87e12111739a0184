"""When a wheel is built: each shipped ruleset (but opt-in editions) is checked once, and what that has worked out comes
with the package, as Python's bytecode comes with others. So the first check of a ruleset, and its first battle, begin
there.

Without it (in a working copy, or where the libraries are missing that Warhost needs) the first of each takes longer.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The folder that holds the package while it is checked. Its name stands nowhere else, so an entry that still has it
#: has a path that would be wrong elsewhere, and is not taken (`warhost.packs.cache.put`).
HOME = "the-home-of-warhost"

#: Runs a command of Warhost and makes such entries.
MAKE = "from warhost.packs import prepared; prepared.begin_making(); from warhost.cli import main; main()"

#: An edition that few will ask for is checked when somebody does: every build waits for this.
OPT_IN = re.compile(r"^opt_in: *true\b", re.MULTILINE)

#: The variable by which hatchling builds without hooks.
NO_HOOKS = "HATCH_BUILD_NO_HOOKS"


class PreparedRulesets(BuildHookInterface[Any]):
    """Puts what is known of the shipped rulesets into `warhost/_data/prepared`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        self._work = tempfile.TemporaryDirectory(prefix="warhost-wheel-")
        work = Path(self._work.name).resolve()
        self._unpack(work)
        manifests = sorted((work / HOME / "warhost/_data/rulesets").glob("*/ruleset.yaml"))
        rulesets = [path.parent for path in manifests if not OPT_IN.search(path.read_text("utf-8"))]
        with ThreadPoolExecutor(os.cpu_count() or 1) as several:
            found = list(several.map(lambda one: self._checked(work, one), rulesets))
        (work / "packed").mkdir()
        for name, entry in {path.name: path for paths in found for path in paths}.items():
            packed = work / "packed" / f"{name}.z"
            packed.write_bytes(zlib.compress(entry.read_bytes()))
            build_data["force_include"][str(packed)] = f"warhost/_data/prepared/{packed.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version == "standard":
            self._work.cleanup()

    def _unpack(self, work: Path) -> None:
        """The package as it will lie beside others when it is installed."""
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(work)],
            cwd=self.root, env={**os.environ, NO_HOOKS: "true"}, stdin=subprocess.DEVNULL, capture_output=True,
            check=True,
        )  # fmt: skip
        (wheel,) = work.glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(work / HOME)

    def _checked(self, work: Path, ruleset: Path) -> list[Path]:
        """What a check of a ruleset has worked out: entries of the cache."""
        cache = work / f"cache of {ruleset.name}"
        cache.mkdir(mode=0o700)
        path = os.pathsep.join(one for one in (str(work / HOME), os.environ.get("PYTHONPATH", "")) if one)
        environment = {**os.environ, "PYTHONPATH": path, "WARHOST_CACHE": str(cache), "WARHOST_PATH": ""}
        run = subprocess.run(
            [sys.executable, "-c", MAKE, "check", str(ruleset)],
            cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if run.returncode:
            said = (run.stderr or run.stdout).strip().splitlines()[-1:]
            self.app.display_warning(f"{ruleset.name} is not prepared: {' '.join(said)}")
            return []
        return sorted(cache.glob("*.bin"))
