"""What many games share, as libraries of rules: roll-offs, duels for the odds, who has won."""
