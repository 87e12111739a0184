"""Hex boards: hexes, distances, lines, zones, paths and sight.

    board = grid(15, 13)
    board.distance(board.read("8-7"), board.read([3, 2]))

The geometry (`grid`) knows no battle; the plugin ties it to the things of the rules.
"""

from warhost_hexes.grid import Grid, HexError, grid

__all__ = ["Grid", "HexError", "grid"]
