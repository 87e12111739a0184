"""What all nodes of the intermediate form have in common."""

from __future__ import annotations

import pickle

import pytest

from warhost.lang import ir
from warhost.lang.place import Pos
from warhost.lang.types import NUMBER, list_of, noun_type

HERE, THERE = Pos("a.rules", 1, 2, 1, 9), Pos("a.rules", 7, 2, 7, 9)


def test_nodes_are_equal_by_class_and_fields_wherever_they_stand() -> None:
    one = ir.Compare("<", ir.Local("x", pos=HERE), ir.Const(3), pos=HERE)
    assert one == ir.Compare("<", ir.Local("x"), ir.Const(3), pos=THERE)
    assert one != ir.Compare("<", ir.Local("y", pos=HERE), ir.Const(3), pos=HERE)
    assert ir.Local("x") != ir.Singleton("x")
    assert ir.Const(1) != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_a_node_shows_its_fields_but_not_its_place() -> None:
    shown = repr(ir.Not(ir.Local("x", type=NUMBER, pos=HERE), pos=HERE))
    assert shown.startswith("Not(")
    assert "operand=Local(" in shown
    assert "name='x'" in shown
    assert "a.rules" not in shown


def test_places_and_types_come_back_from_a_pickle() -> None:
    node = ir.Local("x", type=list_of(noun_type("unit")), pos=HERE)
    back = pickle.loads(pickle.dumps(node))
    assert (back, back.pos, type(back.pos), str(back.pos)) == (node, HERE, Pos, "a.rules:1:2")


def test_equal_types_are_one() -> None:
    assert noun_type("unit") is noun_type("unit")
    assert noun_type("unit").or_none is noun_type("unit").or_none
    assert noun_type("unit").or_none.certain == noun_type("unit")
    assert list_of(NUMBER) is list_of(NUMBER)
