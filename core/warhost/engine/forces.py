"""Armies as a battle is given them: what is read of one when it is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from warhost.packs.entries import UnitEntry


class Force(Protocol):
    """An army of one side, or of its allies. `warhost.Army` is one.

    list: the id of the army list, "" without one. limit: in points, 0 without one.
    """

    @property
    def id(self) -> str:
        """Its id, as in an army file."""

    @property
    def name(self) -> str:
        """What players call it."""

    @property
    def list(self) -> str:
        """The id of its army list; "" without one."""

    @property
    def limit(self) -> int:
        """How many points it may cost; 0 without a limit."""

    @property
    def units(self) -> Sequence[UnitEntry]:
        """Its units in the order in which they are written."""

    @property
    def data(self) -> Mapping[str, Any]:
        """As it is written."""

    @property
    def allies(self) -> Sequence[Force]:
        """Armies that fight on its side."""
