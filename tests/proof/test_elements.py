"""What carries a rule of the book is taken out whole: the figures of parts, and dice that only give a score."""

from __future__ import annotations

from pathlib import Path

from warhost.packs import Ruleset, load
from warhost_proof.elements import carriers, taken_out
from warhost_proof.grades import proofs

FILES = {
    "ruleset.yaml": 'id: limbs\ntitle: Limbs\nedition: "1"\nlength_unit: in\n',
    "rulebook.yaml": "".join(
        f"- {{id: L-{n}, chapter: One, title: {title}}}\n"
        for n, title in enumerate(("A hydra", "A leap", "A band", "Noise"), 1)
    ),
    "rules.rules": """
noun limb, plural limbs

profile of unit
    limbs: list of limb
    courage: number = 1

profile of limb
    reach: number = 0
    hooked: yes_no = no

number grasp(unit) = total it.reach over limbs in unit.limbs

roll leap(unit) by unit: d6  ref L-2

roll noise(unit) by unit: d3  ref L-4

turn
    phase one
""",
    "data/profiles.yaml": """
profiles:
  hydra: {name: Hydra, ref: [L-1], limbs: [{name: Neck, reach: 3}, {name: Tail, reach: 2, hooked: yes}]}
  band: {name: Band, ref: [L-3], limbs: [{name: Arm, hooked: yes}]}
""",
    "examples/limbs.yaml": """
- title: A hydra grasps with five
  given: &pair
    sides:
      - name: One
        units: [{id: hydra, profile: hydra, size: 1}]
      - name: Other
        units: [{id: band, profile: band, size: 1}]
  ref: [L-1]
  when: grasp(hydra)
  then: {result: 5}
- title: It leaps as far as the die says
  ref: [L-2]
  given: *pair
  when: roll leap(hydra)
  dice: [4]
  then: {result: 4}
- title: A band is there
  ref: [L-3, L-4]
  given: *pair
  when: grasp(hydra)
  then: {result: 5}
""",
}


def limbs(folder: Path) -> Ruleset:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load(folder)


def test_figures_of_parts_and_scores_of_dice_are_proved_by_the_examples_that_tell_them(tmp_path: Path) -> None:
    assert proofs(limbs(tmp_path)) == {"L-1": "A hydra grasps with five", "L-2": "It leaps as far as the die says"}


def test_what_is_taken_out_is_put_back(tmp_path: Path) -> None:
    rules = limbs(tmp_path)
    neck, tail = rules.profiles["hydra"].fields["limbs"]
    change = taken_out(rules, carriers(rules)["L-1"])
    assert change is not None
    undo = change()
    assert (neck["reach"], tail["reach"], tail["hooked"]) == (4, 3, "yes")
    undo()
    assert (neck["reach"], tail["reach"], tail["hooked"]) == (3, 2, "yes")
