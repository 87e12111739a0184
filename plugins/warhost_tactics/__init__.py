"""A computer player for any ruleset: it goes by what the rules say of their own options, and by a few general habits.

    from warhost_tactics import Tactician
    battle = Battle(rules, armies, seed=1, players=[Tactician(1), Tactician(2)])

It knows no game. `tactician.py` weighs what the rules rate, `habits.py` judges what they leave open, `memory.py`
keeps what it has decided, `things.py` reads what options are.
"""

from warhost_tactics.tactician import Tactician

__all__ = ["Tactician"]
