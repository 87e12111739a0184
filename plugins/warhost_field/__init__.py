"""Geometry of the open table: blocks, terrain, contact, arcs, sight, moves, charges and routs.

    table = Tabletop(120, 90, pieces, blocks)
    for option in advance_options(table.block("spears"), 7, table):
        print(option.label, option.cost, option.features.enemy_distance)

Works in any unit of length. The lower-left corner of the table is (0, 0), y runs away from the near long
edge; facings are degrees, 0 up the table, clockwise positive; a block's pose is the centre of its front
edge. All state is quantised to 1e-4 units and 1e-3 degrees.
"""

from warhost_field.arcs import fraction_in_arc, in_arc, models_in_arc
from warhost_field.blocks import SIDES, Block, Formation, Kind, Pose, Side
from warhost_field.charge import Charge, ChargeRules, charge_path, charge_paths, free_places
from warhost_field.contact import BaseContact, distance, side_of, side_of_point, touches, touching_bases
from warhost_field.legality import Bill, MoveRules, bill, faults, first_stop, validate
from warhost_field.measure import SLACK, TOUCH, FieldError, Point, quantise, quantise_angle, turn_between
from warhost_field.moves import (
    Advance,
    Close,
    Crossing,
    Face,
    Fly,
    Go,
    Leg,
    LegMotion,
    MoveCosts,
    MoveSweep,
    Pivot,
    Reform,
    Sidestep,
    Snake,
    Turn,
    TurnCost,
    Wheel,
    crossings,
    cut,
    sweep,
)
from warhost_field.options import Features, Goal, MoveOption, OptionRules, advance_options, describe
from warhost_field.orders import legs_to, parse_orders, to_json, towards
from warhost_field.rout import FleeRules, Flight, Pursuit, flee_direction, flee_move, follow
from warhost_field.sight import SightLine, SightRules
from warhost_field.table import Tabletop
from warhost_field.terrain import Piece, piece

__all__ = [
    "SIDES",
    "SLACK",
    "TOUCH",
    "Advance",
    "BaseContact",
    "Bill",
    "Block",
    "Charge",
    "ChargeRules",
    "Close",
    "Crossing",
    "Face",
    "Features",
    "FieldError",
    "FleeRules",
    "Flight",
    "Fly",
    "Formation",
    "Go",
    "Goal",
    "Kind",
    "Leg",
    "LegMotion",
    "MoveCosts",
    "MoveOption",
    "MoveRules",
    "MoveSweep",
    "OptionRules",
    "Piece",
    "Pivot",
    "Point",
    "Pose",
    "Pursuit",
    "Reform",
    "Side",
    "Sidestep",
    "SightLine",
    "SightRules",
    "Snake",
    "Tabletop",
    "Turn",
    "TurnCost",
    "Wheel",
    "advance_options",
    "bill",
    "charge_path",
    "charge_paths",
    "crossings",
    "cut",
    "describe",
    "distance",
    "faults",
    "first_stop",
    "flee_direction",
    "flee_move",
    "follow",
    "fraction_in_arc",
    "free_places",
    "in_arc",
    "legs_to",
    "models_in_arc",
    "parse_orders",
    "piece",
    "quantise",
    "quantise_angle",
    "side_of",
    "side_of_point",
    "sweep",
    "to_json",
    "touches",
    "touching_bases",
    "towards",
    "turn_between",
    "validate",
]
