"""Tests of the open-table geometry."""
