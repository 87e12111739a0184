"""Help with examples that run: their names are those of the rulesets that are installed."""

from __future__ import annotations

from typing import Any

import click


class WithExamples(click.Command):
    """A command with examples below its help.

    In an example {ruleset}, {army}, {other_army}, {scenario}, {list}, {unit}, {other_unit}, {rule}, {house} and
    {folder} stand for things that are installed.
    """

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        lines = self.examples_here()
        with formatter.section("Examples" if len(lines) > 1 else "Example"):
            for line in lines:
                formatter.write(f"{' ' * formatter.current_indent}{line}\n")

    def examples_here(self) -> list[str]:
        """The examples with names that exist here."""
        names = names_for_examples()
        return [example.format_map(names) for example in self.examples]


def names_for_examples() -> dict[str, str]:
    """Something to put into examples: things of the first installed ruleset, or plain placeholders."""
    from warhost.cli import installed_names
    from warhost.packs.user_paths import shown

    names = {
        "ruleset": "RULESET", "army": "ARMY", "other_army": "OTHER_ARMY", "scenario": "SCENARIO", "list": "LIST",
        "unit": "NAME", "other_unit": "OTHER_NAME", "rule": "RULE",
        "folder": "FOLDER", "house": "HOUSE_RULE",
    }  # fmt: skip
    ruleset = installed_names.first_with_demo()
    folder = installed_names.folder_of(ruleset)
    if ruleset is None or folder is None:
        return names
    demo = installed_names.manifest_of(ruleset).get("demo") or {}
    armies = list(demo.get("armies") or ())
    names |= {"ruleset": ruleset, "folder": shown(folder)}
    names["army"] = str(armies[0]) if armies else names["army"]
    names["other_army"] = str(armies[-1]) if armies else names["other_army"]
    names["house"] = next(iter(installed_names.house_rules_of(ruleset)), names["house"])
    names["scenario"] = str(demo.get("scenario") or names["scenario"])
    names["list"] = next(iter(installed_names.ids_in(ruleset, "armies", "list")), names["list"])
    units = installed_names.units_in(ruleset)
    if units:
        names["unit"], names["other_unit"] = units[0], units[-1]
    book = installed_names.yaml_of(folder / "rulebook.yaml")
    if isinstance(book, list) and book and isinstance(book[0], dict):
        names["rule"] = str(book[0].get("id", names["rule"]))
    return names
