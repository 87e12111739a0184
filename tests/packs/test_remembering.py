"""What was worked out of a thing is not worked out again, as long as somebody asks for it now and then."""

from __future__ import annotations

from warhost.packs.remembering import Remembered


def test_what_nobody_has_asked_for_in_a_whole_round_is_forgotten() -> None:
    remembered, asked = Remembered(), list[str]()

    def length(text: list[str], more: int) -> int:
        asked.append(text[0])
        return len(text) + more

    used, unused = ["used"], ["unused"]
    assert [remembered.of(one, length, 2) for one in (used, unused, used)] == [3, 3, 3]
    assert asked == ["used", "unused"]
    for _ in range(2):
        remembered.begin_again()
        assert remembered.of(used, length, 2) == 3
    assert remembered.of(unused, length, 2) == 3
    assert asked == ["used", "unused", "unused"]


def test_equal_things_and_other_questions_are_apart() -> None:
    remembered = Remembered()
    assert remembered.of([1], sum) == 1
    assert remembered.of([2], sum) == 2
    both = [3, 4]
    assert (remembered.of(both, sum), remembered.of(both, max)) == (7, 4)
