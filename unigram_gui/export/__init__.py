"""Figures and model files: what the window writes for others to read."""
