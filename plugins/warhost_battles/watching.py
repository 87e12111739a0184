"""Those who watch a battle and leave a file: one who goes wrong is told, and the battle and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost import tools
from warhost.plugins import PluginError
from warhost.vocabulary import Observer

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side

#: Where those who watch hook in; each is called with the battle, or with what happened.
HOOKS = ("on_phase", "on_turn", "on_decision")


class Watching:
    """Everybody who was asked to watch, from the first phase on, each with the file that he is to write.

    side: the one that may read the files; None: everybody. Raises UsageError for a file that may not be written.
    """

    def __init__(self, battle: Battle, watched: Mapping[Observer, Path], side: Side | None, force: bool) -> None:
        from warhost.output_safety import refuse_foreign

        self.failed: list[str] = []
        self.force = force
        self._watchers: dict[Observer, Any] = {}
        self._files = dict(watched)
        for observer, path in watched.items():
            before = {hook: getattr(battle, hook) for hook in HOOKS}
            try:
                watcher = tools.imported(observer.at)
                refuse_foreign(path, observer.what, watcher.is_ours, force)
                self._watchers[observer] = tools.use(observer.at, battle, side)
            except PluginError as error:
                self._lose(observer, error)
                for hook, was in before.items():
                    setattr(battle, hook, was)
                continue
            for hook, was in before.items():
                now = getattr(battle, hook)
                if now is not was:
                    setattr(battle, hook, self._guarded(observer, now, was))

    def _guarded(self, observer: Observer, now: Callable[..., None], was: Callable[..., None] | None) -> Any:
        """What an observer hooked in, for as long as it goes well; then what was there before him."""

        def called(*given: Any) -> None:
            if observer in self._watchers:
                try:
                    with tools.naming(observer.at):
                        now(*given)
                    return
                except PluginError as error:
                    self._lose(observer, error)
            if was is not None:
                was(*given)

        return called

    def _lose(self, observer: Observer, error: PluginError) -> None:
        self._watchers.pop(observer, None)
        self.failed.append(f"{error}; {observer.what} is not written")

    def write(self) -> dict[str, Path]:
        """Have the files written; each by the name of its option."""
        for observer, watcher in list(self._watchers.items()):
            try:
                with tools.naming(observer.at):
                    watcher.write(self._files[observer], self.force)
            except PluginError as error:
                self._lose(observer, error)
        return {observer.parameter: self._files[observer] for observer in self._watchers}
