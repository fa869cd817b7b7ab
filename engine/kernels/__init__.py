"""Compiled inner loops: arrays in, arrays out. Public functions elsewhere check, raise and document."""
