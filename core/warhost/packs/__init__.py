"""Rulesets on disk: finding, reading, checking and layering them.

from warhost.packs import load rules = load("my_game", house=["fast_start"])
"""

from warhost.packs.find import Installed, find, installed
from warhost.packs.layers import Layer, Placed
from warhost.packs.loading import load, read
from warhost.packs.ruleset import Ruleset

__all__ = ["Installed", "Layer", "Placed", "Ruleset", "find", "installed", "load", "read"]
