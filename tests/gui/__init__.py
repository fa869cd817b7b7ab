"""Tests of the window: one widget, one act of a person, one visible fact."""
