"""Playing by hand: a person at the terminal against a computer player or another person."""
