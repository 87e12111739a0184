"""A staged battle: log and pictures written by hand, in the shape of docs/design/log.md."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

HOSTILE = "<script>alert('x')</script>\"&\u2028"


def square(x: float, y: float, wide: float, deep: float) -> list[list[float]]:
    """A rectangle that looks up the table; (x, y) is the middle of its front edge."""
    return [[x - wide / 2, y], [x + wide / 2, y], [x + wide / 2, y - deep], [x - wide / 2, y - deep]]


def drawn(
    id: str, name: str, side: str, x: float, y: float, strength: int, start: int, marks: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A unit of the picture, five files wide."""
    bases = [square(x - 2 + i % 5, y - i // 5, 1, 1) for i in range(strength)]
    outline = square(x, y, 5, max(1, (strength + 4) // 5))
    return {
        "id": id, "name": name, "side": side, "outline": outline, "bases": bases, "front": outline[:2],
        "facing": 0.0, "strength": strength, "start": start, "marks": list(marks),
    }  # fmt: skip


class StagedBattle:
    """What report and story see of a battle. `stage` plays one phase; the log grows as in a real one."""

    def __init__(self, names: tuple[str, str] = ("North", "South"), unit: str = "Grey Coats") -> None:
        self.sides = [SimpleNamespace(id=f"side_{i + 1}", name=n, units=[]) for i, n in enumerate(names)]
        self.picture: dict[str, Any] = {"width": 60, "depth": 40, "unit": "cm", "terrain": [], "units": []}
        self.rules = SimpleNamespace(
            id="staged", title="Staged rules", edition="1", digest="d1" * 32, house=["short_game"], manifest={},
            plugins=SimpleNamespace(call=lambda hook, battle: [battle.picture]),
        )  # fmt: skip
        self.scenario_data = {"id": "field", "name": "A field"}
        self.log: list[dict[str, Any]] = []
        self.battle = SimpleNamespace(turn=0, phase="")
        self.on_phase: Callable[[Any], None] | None = None
        self.seed, self.over, self.reason, self.winner = 7, False, "", None
        self.program: Any = None
        self.by_id: dict[str, Any] = {}
        for id, name, side in (("grey", unit, 0), ("red", "Red Caps", 1)):
            row = SimpleNamespace(id=id, name=name, side=self.sides[side], _noun="unit", size=10)
            self.by_id[id] = row
            self.sides[side].units.append(row)
        self.unit = unit

    def note(self, kind: str, **values: Any) -> None:
        self.log.append(
            {"n": len(self.log), "turn": self.battle.turn, "phase": self.battle.phase, "kind": kind, **values}
        )

    def begin(self, phase: str, title: str) -> None:
        self.battle.phase = phase
        self.note("phase", title=title)

    def finish(self) -> None:
        if self.on_phase is not None:
            self.on_phase(self)

    def show(self, *units: dict[str, Any]) -> None:
        self.picture = {**self.picture, "units": list(units)}
        shown = {unit["id"] for unit in units}
        for row in self.by_id.values():
            row._gone = row.id not in shown

    def result(self) -> Any:
        rows = [SimpleNamespace(name=s.name, points=100, points_lost=30, victory_points=0) for s in self.sides]
        return SimpleNamespace(turns=self.battle.turn, sides=rows)

    def play(self) -> None:
        """Deployment and two turns: a march, a fight with losses, the end."""
        self._deploy()
        self._march()
        self._fight()
        self._quiet_turn()
        self.over, self.winner, self.reason = True, self.sides[0], "The other side has nobody left."
        self.note("end", winner=self.sides[0].name, reason=self.reason)

    def _deploy(self) -> None:
        wood = [[10, 15], [16, 15], [18, 22], [9, 24]]
        self.picture["terrain"] = [
            {"id": "wood", "name": "Old wood", "type": "wood", "points": wood, "height": 1, "marks": []},
            {"id": "pond", "name": "Pond", "type": "pond", "points": [[40, 20], [46, 20], [44, 25]], "height": 0,
             "marks": ["frozen"], "look": "waves #7fa8c9"},
        ]  # fmt: skip
        self.begin("deployment", "Deployment")
        self.show(
            drawn("grey", self.unit, "side_1", 20, 10, 10, 10),
            drawn("red", "Red Caps", "side_2", 30, 35, 10, 10),
        )
        self.note("decision", decision="next_in deployment", side="North", answer=self.unit, options=3)
        self.finish()

    def _march(self) -> None:
        self.battle.turn = 1
        self.battle.phase = ""
        self.note("turn", side=None)
        self.begin("marching", "Marching")
        self.note(
            "move", unit="grey", path=[[20, 10], [24, 18]], distance=8.94,
            **{"from": {"x": 20, "y": 10, "facing": 0}, "to": {"x": 24, "y": 18, "facing": 0}},
        )  # fmt: skip
        self.note("event", event="marched", args={"unit": "grey"}, text=f"{self.unit} marched.", ref=["ST-1"])
        self.show(
            drawn("grey", self.unit, "side_1", 24, 18, 10, 10),
            drawn("red", "Red Caps", "side_2", 30, 35, 10, 10, ("shaken",)),
        )
        self.finish()

    def _fight(self) -> None:
        self.begin("fighting", "Fighting")
        why = {
            "number": "skill_of", "of": ["grey", "red"], "base": 3, "value": 4, "ref": ["ST-2"], "from": [],
            "changes": [{"op": "add", "value": 1, "because": "uphill", "rule": 'trait "Hill Folk"'}],
        }  # fmt: skip
        for faces, hits in (([1, 2, 5], 2), ([6, 4], 1)):
            self.note(
                "roll", roll="blow_at", by="grey", against="red", dice=faces, need=4, op="<=", of=len(faces),
                result=hits, why=[why],
            )  # fmt: skip
        self.note("say", text=f"{self.unit} broke them.")
        self.show(drawn("grey", self.unit, "side_1", 24, 18, 8, 10))
        self.finish()

    def _quiet_turn(self) -> None:
        self.battle.turn = 2
        self.battle.phase = ""
        self.note("turn", side=None)
        self.begin("marching", "Marching")
        self.finish()
