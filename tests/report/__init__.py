"""Tests of the battle report and of the story."""
