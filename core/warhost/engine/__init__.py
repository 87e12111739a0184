"""The engine: turns and phases, numbers and modifiers, dice, events, decisions, effects, the state of a battle."""
