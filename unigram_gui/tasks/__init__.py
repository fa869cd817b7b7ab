"""Slow work off the Qt thread: frozen requests go in, frozen answers come back as queued signals."""
