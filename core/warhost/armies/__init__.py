"""Army lists: armies as they are written, their legality, their prices, and words for what they have."""
