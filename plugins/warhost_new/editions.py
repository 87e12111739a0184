"""An edition to begin with: a layer over a ruleset that alters a scenario, with an example; comments say what else."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from warhost.errors import UsageError, mistakes
from warhost.lang import tree
from warhost.packs import Ruleset, installed, read
from warhost.packs.find import places, user_folder
from warhost_new.layered import Ground, flow
from warhost_new.names import GivenName, quoted
from warhost_new.starts import Start, typed
from warhost_new.writing import lay_down


def next_number(edition: str) -> str:
    """What the edition behind one is usually called: 1.6 behind 1.5."""
    found = re.fullmatch(r"(.*?)(\d+)", edition)
    return f"{found[1]}{int(found[2]) + 1}" if found else f"{edition}-2"


def edition(ground: Ground, name: GivenName, number: str | None) -> Start:
    """A ruleset of the same id that extends another. number: what the edition is called."""
    rules = ground.rules
    if ground.house:
        raise UsageError("an edition stands on a ruleset: put house rules on top of it, or their blocks into its files")
    called = number or next_number(rules.edition)
    if called == rules.edition or any(str(one) == f"{rules.id}@{called}" for one in installed()):
        raise UsageError(f"there is {rules.id}@{called} already; say another --edition")
    place = _place(ground, name)
    changed = _setting(rules)
    files = {
        "ruleset.yaml": _manifest(rules, name, called),
        "rules/changes.rules": _rules_text(rules),
        "data/changes.yaml": _data_text(rules),
    }
    if changed is not None:
        scenario, setting, value = changed
        files[f"scenarios/{scenario}.yaml"] = (
            "# What is not said here stays as it was.\n"
            f"id: {scenario}\namend: true\nsettings: {{{setting}: {value}}}\n"
        )
        files[f"examples/{name.id}.yaml"] = _example_text(name, scenario, setting, value)
    _refuse_wrong(place, name, files)
    on, before = typed(place), typed(ground.ruleset)
    following = [
        (f"warhost check {on}", "after each change: mistakes, and which ready armies became illegal"),
        (f"warhost diff {before} {on}", "what it changes, for people who read no rules"),
        (f"warhost test {on} -k {name.id}.yaml", "its own examples; without -k those of the edition below, too"),
        (f"warhost demo {on}", "a battle"),
    ]
    if place.resolve().parent not in [folder.resolve() for _, folder in places()]:
        by_name = f"by its name, {rules.id}@{called}, once its folder lies in {user_folder()}"
        following.append(("warhost rulesets", by_name))
    return Start(place, files, tuple(f for f in following if changed is not None or " -k " not in f[0]))


def _place(ground: Ground, name: GivenName) -> Path:
    """Beside the ruleset that it extends, when that is found by its folder alone."""
    own = Path(ground.ruleset)
    is_installed = any(one.folder.resolve() == ground.rules.folder.resolve() for one in installed())
    beside = own.resolve().parent if own.is_dir() and not is_installed else ground.folder
    return beside / name.id


def _refuse_wrong(place: Path, name: GivenName, files: Mapping[str, str]) -> None:
    """Read it and play its own examples, in a folder beside its place that is gone afterwards."""
    from warhost_proof.examples import run_examples

    place.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".warhost-new-", dir=place.parent))
    try:
        lay_down(made, files)
        found, problems = read(made)
        wrong = [p.message for p in mistakes(problems)]
        if found is not None and not wrong:
            wrong = [f for one in run_examples(found, f"{name.id}.yaml") if not one.passed for f in one.failures]
        if found is None or wrong:
            raise UsageError(f"no edition could be made: {'; '.join(wrong[:3])}. Nothing was written")
    finally:
        shutil.rmtree(made)


def _setting(rules: Ruleset) -> tuple[str, str, int] | None:
    """A scenario, a number of its settings, and one more of it: that scenario of which the fewest examples speak."""
    texts = [str(one.data.get("given")) for one in rules.examples]
    fields = rules.program.nouns["scenario"].fields
    found: list[tuple[int, str, str, int]] = []
    for i, (id_, element) in enumerate(rules.scenarios.items()):
        spoken_of = sum(id_ in text for text in texts) + (len(texts) if i == 0 else 0)
        for name, value in (element.data.get("settings") or {}).items():
            info = fields.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and (
                info is None or info.at_most is None or value < info.at_most
            ):
                found.append((spoken_of, id_, str(name), value + 1))
    if not found:
        return None
    return min(found, key=lambda one: (one[2] != "turns", one[0]))[1:]


def _manifest(rules: Ruleset, name: GivenName, called: str) -> str:
    return f"""\
# An edition is a ruleset of the same id that extends the one before: it says only what is otherwise. It takes over the
# unit of length, the demo, the price formula and the roster, unless it says its own. All of it: docs/editions.md
id: {rules.id}
title: {quoted(f"{rules.title}, {name.title.lower()}")}
edition: {quoted(called)}
extends: {rules.id}@{rules.edition}
{_adopting(rules)}
# What of the edition below no longer holds is named here, each with its reason if you like; `warhost check` and
# `warhost test` print the lines for what they find.
# superseded:
#   examples:
#     The title of an example: why it is otherwise now
#   armies: [the_id_of_a_ready_army]
#   house_rules: [the_id_of_one]
"""


def _adopting(rules: Ruleset) -> str:
    """How house rules become part of it, with one that is on offer, and who means it by the plain name."""
    offered = next(iter(rules.house_rules), None)
    lines = ["# Only who names or pins this edition gets it; without this line the plain name means the highest one:"]
    lines += ["# opt_in: true"]
    if offered is not None:
        lines += ["# House rules of the edition below that are part of this one, and need not be asked for:"]
        lines += [f"# adopts: [{offered}]"]
    return "\n".join(lines) + "\n"


def _rules_text(rules: Ruleset) -> str:
    known = _known_blocks(rules)
    lines = [
        "# What the edition changes of the rules. Each of these lines is a start: take the # away and change it. What",
        f"# there is to change: warhost explain {rules.called} --search WORD; docs/house-rules.md shows every verb.",
        "#",
    ]
    for kind, title in known["rule"]:
        lines += ["# A rule is taken out, or gets another sentence, one line more, or one less:",
                  f"# remove {kind} {title}", f"# amend {kind} {title}",
                  '#     reads "What it says now."', "#"]  # fmt: skip
    for kind, title in known["trait"]:
        lines += ["# A definition is called otherwise, in rules and data, examples of the edition below among them:",
                  f'# rename {kind} {title} to "Another Name"', "#"]  # fmt: skip
    for kind, title in known["number"]:
        lines += ["# A number has one change more:", f"# amend {kind} {title}",
                  '#     +1 because "the new edition"', "#"]  # fmt: skip
    phases = _phases(rules)
    if len(phases) > 1:
        lines += ["# The order of the turn: a phase that is there already is moved.",
                  f"# phase {phases[0]} after {phases[-1]}", "#"]  # fmt: skip
    return "\n".join(lines).removesuffix("\n#") + "\n"


def _known_blocks(rules: Ruleset) -> dict[str, list[tuple[str, str]]]:
    """The first rule, the first trait and the first number of the ruleset, as one writes them."""
    found: dict[str, list[tuple[str, str]]] = {"rule": [], "trait": [], "number": []}
    for placed in rules.placed:
        block = placed.block
        if placed.layer.kind != "ruleset":
            continue
        if isinstance(block, tree.KindBlock):
            sort = block.kind
            title = block.title.text if block.title.text.isidentifier() else quoted(block.title.text)
            if not found.get(sort, [0]) and not tree.variant_of(block):
                found[sort].append((block.kind, title))
        elif isinstance(block, tree.NumberBlock) and not found["number"]:
            found["number"].append(("number", block.name))
    return found


def _phases(rules: Ruleset) -> Sequence[str]:
    return [phase.name for p in rules.placed if isinstance(p.block, tree.TurnBlock) and p.block.kind == "turn"
            for phase in p.block.phases]  # fmt: skip


def _data_text(rules: Ruleset) -> str:
    lines = [
        "# What the edition changes of the data: field by field with `amend: true`, whole with `replace: true`, and",
        "# `remove: true` takes an element out. Rows of a table go where they belong.",
        "# Take the {} away with the first # below it.",
        "profiles: {}", *_profile_lines(rules), "tables: {}", *_table_lines(rules),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _profile_lines(rules: Ruleset) -> Iterator[str]:
    for id_, profile in list(rules.profiles.items())[:2]:
        figures = {k: v for k, v in profile.fields.items() if isinstance(v, int) and not isinstance(v, bool)}
        if figures:
            key, value = next(iter(figures.items()))
            yield f"#   {id_}: {{amend: true, {key}: {value}}}  # {profile.name}"


def _table_lines(rules: Ruleset) -> Iterator[str]:
    for id_, table in list(rules.tables.items())[:1]:
        key = next(iter(table.rows), None)
        if key is not None:
            yield f"#   {id_}: {{amend: true, rows: {flow({key: table.rows[key]})}}}"


def _example_text(name: GivenName, scenario: str, setting: str, value: int) -> str:
    return "\n".join([
        "# Tests of what is otherwise. An example of the same title as one of the edition below takes its place.",
        f"- title: {quoted(f'{name.title}: the {setting} of {scenario}')}",
        f"  given: {{scenario: {scenario}, sides: [{{name: First, units: []}}, {{name: Second, units: []}}]}}",
        f"  when: scenario.{setting}",
        f"  then: {{result: {value}}}",
        "",
    ])  # fmt: skip
