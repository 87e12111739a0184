"""Rounding of lengths and angles, which is quicker than `round` and gives the same to the last bit."""

import math
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from warhost_field.measure import quantise, quantise_angle, sine_and_cosine

halves = st.integers(-(10**7), 10**7).map(lambda n: n / 20_000)
lengths = st.one_of(halves, st.floats(-200, 200), st.floats(allow_nan=False, allow_infinity=False))


@given(lengths)
def test_lengths_are_rounded_to_four_decimals(value: float) -> None:
    assert pack("d", quantise(value)) == pack("d", round(value, 4) + 0.0)


@given(st.one_of(halves, st.floats(-1000, 1000), st.just(359.9996)))
def test_angles_are_rounded_to_three_decimals(value: float) -> None:
    plain = round(value % 360.0, 3) + 0.0
    assert pack("d", quantise_angle(value)) == pack("d", 0.0 if plain >= 360.0 else plain)


@given(st.floats(0, 7))
def test_sines_are_rounded_to_twelve_decimals(turn: float) -> None:
    assert sine_and_cosine(turn) == (round(math.sin(turn), 12), round(math.cos(turn), 12))
