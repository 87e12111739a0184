"""What was read of a ruleset, for tools that look for mistakes in it (the hook `warhost_checks`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.lang.place import Pos
from warhost.packs.contents import BattleFile, Example, RulesData
from warhost.packs.layers import Layer, Merged
from warhost.packs.parsed import File, ParsedData, ParsedRules
from warhost.packs.remembering import Remembered
from warhost.packs.yaml_source import Map
from warhost.plugins import Active

if TYPE_CHECKING:
    from warhost.lang.program import Program
    from warhost.packs.references import References


@dataclass(slots=True)
class LayerRead:
    """One layer with its files as they were read, in the order in which they are merged."""

    layer: Layer
    files: list[tuple[File, ParsedRules | ParsedData, str]] = field(default_factory=list)

    def rules(self) -> Iterator[ParsedRules]:
        """Its files of rules."""
        return (parsed for _, parsed, _ in self.files if isinstance(parsed, ParsedRules))

    def data(self, *kinds: str) -> Iterator[tuple[File, ParsedData]]:
        """Its files of YAML, those of some kinds (names of schemas) or all."""
        for file, parsed, _ in self.files:
            if isinstance(parsed, ParsedData) and (not kinds or file.kind in kinds):
                yield file, parsed

    def example_rules(self) -> list[Path]:
        """Its files `examples/*.rules`, which hold in examples and nowhere else; of a house rule if it has examples."""
        if self.layer.of_house and not any(file.kind == "examples" for file, _, _ in self.files):
            return []  # the folder may be one for several house rules
        return [path for path in sorted((self.layer.folder / "examples").glob("*.rules")) if path.is_file()]


@dataclass(frozen=True, slots=True)
class Contents:
    """What its files say together. manifest: with what it takes over from those that it extends, which stand in
    manifests, its own last. references: what names lead to; program: the checked rules, None where they could not be
    read or something is wrong with them. offered: the files of the house rules on offer, by their ids.
    data_in_order: nothing was wrong anywhere when the very same data were looked at with the same declarations.
    examples: those to be looked at: all of them, or, if the other data are in order or mean nothing else to examples,
    those that are new.
    """

    manifest: Map
    manifests: Sequence[Map]
    plugins: Active
    data: RulesData
    battles: Mapping[str, BattleFile]
    references: References
    program: Program | None
    offered: Mapping[str, LayerRead] = field(default_factory=dict)
    data_in_order: bool = False
    examples: Sequence[Example] = ()


@dataclass(frozen=True, slots=True)
class RulesetToCheck:
    """A ruleset as it was read, layer by layer and as a whole.

    sources: the layers with their files, lowest first. merged: their blocks, laid over each other. texts: what the
    files say, by the names that messages give them. refs: the ids of the book's rules that its files name, each with
    the place of the element that does; exact: the place of such an id itself. contents: None where no manifest could
    be read, or nobody looked because these very files were in order. remembered: what was worked out of blocks, files
    and examples, also when other house rules were read.
    """

    sources: Sequence[LayerRead]
    merged: Merged
    texts: Mapping[str, str]
    refs: Callable[[], Iterable[tuple[str, Pos]]]
    exact: Callable[[str, Pos], Pos]
    contents: Contents | None
    remembered: Remembered = field(default_factory=Remembered)
