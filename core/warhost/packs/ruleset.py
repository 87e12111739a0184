"""A ruleset as it can be played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warhost import tools
from warhost.errors import RulesInvalid
from warhost.lang.place import Pos
from warhost.packs.contents import BattleFile, BookRule, HouseRuleOffer, RulesData
from warhost.packs.find import called
from warhost.packs.layers import Layer, Placed, Removed
from warhost.packs.lazy import made
from warhost.packs.superseding import LeftOut, Superseding
from warhost.packs.yaml_source import Map
from warhost.plugins import Active
from warhost.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Ruleset(RulesData):
    """A ruleset with its chosen house rules, ready to be played.

    layers are lowest first. house is what was chosen, by the ids of the layers. digest depends on the content of all
    layers' files alone, rules_digest on all but the examples and the index of the book. make_program gives what
    `program` is, the same each time. equivalent: why some changes to a line of the rules make no difference, by the
    file's name, the line and the change. manifests are those of the rulesets that it extends, and its own; manifest is
    its own with what it takes over from them. superseded: what of those rulesets it has no more, by section (examples,
    armies, battles, house_rules) and name, with the reason; superseding: the same with what each line of it means.
    files: the layers by the names of their files; example_files: those that hold examples and nothing else;
    example_rules: the files `examples/*.rules`, which hold in examples alone, those of the lowest layer first.
    """

    id: str
    edition: str
    title: str
    folder: Path
    manifest: Map
    layers: tuple[Layer, ...]
    placed: Sequence[Placed]
    removed: Sequence[Removed]
    battles: Mapping[str, BattleFile]
    rulebook: Mapping[str, BookRule]
    house_rules: Mapping[str, HouseRuleOffer]
    house: tuple[str, ...]
    plugins: Active
    vocabulary: Vocabulary
    digest: str
    rules_digest: str
    make_program: Callable[[], Any] = field(repr=False, compare=False)
    files: Mapping[str, Layer] = field(repr=False)
    example_files: frozenset[str] = field(default=frozenset(), repr=False)
    example_rules: tuple[Path, ...] = ()
    equivalent: Mapping[tuple[str, str, str], str] = field(default_factory=dict, repr=False)
    manifests: tuple[Map, ...] = field(default=(), repr=False)
    superseded: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    superseding: Superseding = field(default_factory=Superseding, repr=False, compare=False)
    _meant: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def called(self) -> str:
        """What to type to mean just this ruleset: `my_game`, `my_game@2` if there are other editions, or its folder."""
        return called(self.id, self.edition, self.folder)

    def left_out(self) -> tuple[LeftOut, ...]:
        """What each line of `superseded` leaves out of the rulesets that it extends."""
        made(self.examples)  # which of them a line means is known when they have been gathered
        return self.superseding.left_out()

    @property
    def program(self) -> Any:
        """The checked rules, made when somebody first asks; None if the checker was not run."""
        return self.make_program()

    def section(self, key: str) -> Any:
        """What a section of the manifest means to the tool that reads it; for `odds` the questions by their ids.

        Raises KeyError when no tool reads such a section, RulesInvalid for what is wrong with it.
        """
        if key not in self._meant:
            reader = {one.key: one.at for one in tools.sections()}[key]
            meant, problems = tools.use(reader, self.manifests, self.program)
            if problems:
                raise RulesInvalid(problems, self.id)
            self._meant[key] = meant
        return self._meant[key]

    def block(self, kind: str, name: str) -> Placed | None:
        """The block of this kind and name, if it is in force."""
        return next((p for p in self.placed if p.kind == kind and p.name == name), None)

    def layer_of(self, pos: Pos) -> Layer | None:
        """The layer whose file a place lies in."""
        return self.files.get(pos.file)
