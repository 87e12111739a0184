"""Broken and hostile input, made at random: whatever comes in, the answer is a sentence."""
