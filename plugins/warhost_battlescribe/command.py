"""`warhost import`: catalogues into a ruleset."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from warhost.cli.arguments import common, json_option
from warhost.cli.help_examples import WithExamples


class WithSample(WithExamples):
    """Examples whose SAMPLE is a small catalogue that comes with Warhost."""

    def examples_here(self) -> list[str]:
        """The examples with names that exist here."""
        sample = shlex.quote(str(Path(__file__).with_name("sample") / "Otters.cat"))
        return [example.replace("SAMPLE", sample) for example in super().examples_here()]


@click.command("import", cls=WithSample, examples=("warhost import SAMPLE --dry-run",))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--in", "--out", "folder", type=click.Path(path_type=Path, file_okay=False),
              metavar="FOLDER", help="The ruleset or house rule that it joins.")  # fmt: skip
@click.option("--for", "ruleset", metavar="RULESET", help="What the house rule in --in is for; makes it if need be.")
@click.option("--field", "chosen", multiple=True, metavar="NAME=FIELD",
              help="Put a characteristic into that field of the ruleset (usual: the one of its name).")  # fmt: skip
@click.option("--unit-profile", metavar="TYPE", help="The profile type of units (usual: the one that most units have).")
@click.option("--cost", metavar="NAME", help="The cost that stands for points (usual: pts, points).")
@click.option("--text", is_flag=True, help="Take the sentences of rules over, too: if they are yours, or you may.")
@click.option("--dry-run", is_flag=True, help="Write nothing: only tell what there is, and what has no counterpart.")
@click.option("--force", is_flag=True, help="Replace files of these names, even if they are something else.")
@json_option
@common
def import_(
    files: tuple[Path, ...], folder: Path | None, ruleset: str | None, chosen: tuple[str, ...],
    unit_profile: str | None, cost: str | None, text: bool, dry_run: bool, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Turn BattleScribe data into profiles and army lists.

    FILE is a catalogue (.cat), a game system (.gst), or an archive of them (.catz, .gstz, .bsr, .zip); give all that
    belong together at once. Figures, names, prices, sizes and limits are taken over. What rules, weapons and upgrades
    do is not said in such data: each becomes a trait by its name, and you write what it does. IMPORTED_NAME.md in the
    folder reports everything that has no counterpart. The ruleset is checked with all of it before a file is written.
    With --for RULESET the folder is a house rule (`--house FOLDER`) for a ruleset that stays as it is.
    """
    from warhost.cli import output
    from warhost.errors import UsageError
    from warhost.output_safety import refuse_foreign, write_whole
    from warhost.packs.user_paths import shown
    from warhost_battlescribe import laying
    from warhost_battlescribe.converting import ImportOptions, convert, units_of
    from warhost_battlescribe.links import Catalogues
    from warhost_battlescribe.reading import read_all

    if folder is None and not dry_run:
        raise UsageError("say --in FOLDER, the ruleset or house rule that it joins, or --dry-run")
    below = _below(folder, ruleset) if folder is not None else ""
    wanted = dict(_pair(one) for one in chosen)
    found = convert(Catalogues(read_all(files)), ImportOptions(unit_profile, cost, text))
    written: list[str] = []
    if folder is not None:
        names = laying.names_of(found)
        for name in names:
            if (folder / name).parent.is_dir():
                refuse_foreign(folder / name, "what is imported", laying.is_ours, force)
        made = laying.files_of(found, laying.ground_of(folder, names, below), wanted)
        laying.check(folder, made, below)
        for name, content in made.items() if not dry_run else ():
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            write_whole(folder / name, content, "what is imported", laying.is_ours, force)
            written.append(shown(folder / name))
    if as_json:
        output.show_json({
            "files": written, "lists": list(found.lists),
            "units": units_of(found.lists), "profiles": list(found.profiles), "traits": list(found.traits),
            "no_counterpart": {heading: list(said) for heading, said in found.report.omitted.items()},
        })  # fmt: skip
        return
    for name in written:
        output.say(f"wrote {name}")
    lists = ", ".join(str(one["name"]) for one in found.lists.values())
    units, traits = units_of(found.lists), len(found.traits)
    output.say(f"{lists}: {output.counted(units, 'unit')}, {output.counted(traits, 'trait')}.")
    if found.report.omitted:
        output.say()
        where = "" if dry_run else " (the report has all of it)"
        output.say(f"Without a counterpart, or not the same{where}:", style="bold")
        for heading, sentences in found.report.omitted.items():
            output.say(f"  {heading}: {sum(sentences.values())}")
            for sentence in sentences if dry_run or heading in laying.TO_FILL_IN else ():
                output.say(f"    {sentence}")


def _below(folder: Path, ruleset: str | None) -> str:
    """The ruleset that a house rule in the folder is for; "" when the folder is a ruleset. Raises UsageError."""
    from warhost.errors import UsageError
    from warhost.packs.find import MANIFEST, ruleset_named_in

    if (folder / MANIFEST).is_file():
        if ruleset is not None:
            raise UsageError(f"{folder} is a ruleset itself: leave --for {ruleset} out")
        return ""
    below = ruleset or (ruleset_named_in(folder) if folder.is_dir() else "")
    if not below:
        raise UsageError(
            f"{folder} is no ruleset: it has no {MANIFEST}. For a ruleset that is there say --for RULESET: the "
            "folder is then a house rule for it. `warhost new ruleset NAME` makes a ruleset, "
            "`warhost new edition NAME --for RULESET` an edition of one"
        )
    return below


def _pair(said: str) -> tuple[str, str]:
    """NAME=FIELD. Raises UsageError."""
    from warhost.errors import UsageError

    name, is_, field = said.rpartition("=")
    if not (is_ and name.strip() and field.strip()):
        raise UsageError(f'--field {said}: write NAME=FIELD, as in --field "Speed=move"')
    return name.strip(), field.strip()
