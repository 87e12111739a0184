"""Cards: decks by name, hands, draw, discard, reshuffle. See README.md."""
