"""Numbers of the open table: quantising, facings and directions.

Lengths are in the ruleset's own unit (cm, inches); facings in degrees, 0 = up the table (+y), clockwise
positive. Sines and cosines are rounded to 12 decimals and square roots are IEEE-exact, so that a C library
which differs in the last bit cannot reach a stored coordinate.
"""

import math
from functools import lru_cache

Point = tuple[float, float]

LENGTH_DECIMALS = 4
ANGLE_DECIMALS = 3

TOUCH = 0.01
"""Blocks whose outlines are at most this far apart, in table units, touch. Covers the error of quantising."""

SLACK = 0.01
"""Outlines may sink this deep into each other, in table units, before they count as overlapping."""


ROUNDER = 1.5 * 2.0**52
"""A float has no decimals up here: what it is added to, and taken from again, is rounded to a whole number."""

SURE = 0.499
"""How far from a whole number a product may lie that is rounded with certainty, for all that it is inexact itself."""


class FieldError(ValueError):
    """A question or an answer about the table which makes no sense; the message is for the player."""


def quantise(value: float) -> float:
    """Round a length to 1e-4 units; never gives -0.0."""
    scaled = value * 1e4  # what `round` gives in a quarter of its time: it writes a number's figures and reads them
    whole = (scaled + ROUNDER) - ROUNDER
    if -SURE < scaled - whole < SURE and -1e8 < value < 1e8:
        return whole / 1e4 + 0.0
    return round(value, LENGTH_DECIMALS) + 0.0


def quantise_down(value: float) -> float:
    """The largest quantised length that is not above `value` (for limits), forgiving float noise of 1e-9."""
    scale = 10.0**LENGTH_DECIMALS
    return quantise(math.floor(value * scale + 1e-5) / scale)


def quantise_angle(degrees: float) -> float:
    """Round a facing to 1e-3 degrees and bring it into [0, 360)."""
    scaled = degrees % 360.0 * 1e3
    whole = (scaled + ROUNDER) - ROUNDER
    if -SURE < scaled - whole < SURE:
        return whole / 1e3 if whole < 360_000.0 else 0.0
    rounded = round(degrees % 360.0, ANGLE_DECIMALS) + 0.0
    return 0.0 if rounded >= 360.0 else rounded


def quantise_turn(degrees: float) -> float:
    """Round a signed turn to 1e-3 degrees without wrapping it."""
    return round(degrees, ANGLE_DECIMALS) + 0.0


def turn_between(start: float, end: float) -> float:
    """The signed turn in (-180, 180] that brings facing `start` to facing `end`, clockwise positive."""
    turn = (end - start) % 360.0
    return turn - 360.0 if turn > 180.0 else turn


def unit_vector(facing: float) -> Point:
    """Unit vector of a facing that is not likely to be asked for again."""
    radians = math.radians(facing % 360.0)
    return round(math.sin(radians), 12), round(math.cos(radians), 12)


def sine_and_cosine(turn: float) -> tuple[float, float]:
    """Sine and cosine of radians, rounded as those of `unit_vector`, but for the sign of a zero: see `quantise`."""
    sine, cosine = math.sin(turn) * 1e12, math.cos(turn) * 1e12
    whole_sine, whole_cosine = (sine + ROUNDER) - ROUNDER, (cosine + ROUNDER) - ROUNDER
    if -SURE < sine - whole_sine < SURE and -SURE < cosine - whole_cosine < SURE:
        return whole_sine / 1e12, whole_cosine / 1e12
    return round(math.sin(turn), 12), round(math.cos(turn), 12)


@lru_cache(maxsize=65536)
def ahead(facing: float) -> Point:
    """Unit vector of a facing."""
    return unit_vector(facing)


def heading(dx: float, dy: float) -> float:
    """Facing of the vector (dx, dy) in [0, 360), degrees; the null vector has facing 0."""
    return round(math.degrees(math.atan2(dx, dy)) % 360.0, 9) % 360.0


def length(dx: float, dy: float) -> float:
    """Length of a vector, by a plain square root (hypot differs between C libraries)."""
    return math.sqrt(dx * dx + dy * dy)


def rotated(point: Point, pivot: Point, degrees: float) -> Point:
    """`point` turned clockwise about `pivot`."""
    sine, cosine = ahead(degrees)
    dx, dy = point[0] - pivot[0], point[1] - pivot[1]
    return pivot[0] + dx * cosine + dy * sine, pivot[1] - dx * sine + dy * cosine
