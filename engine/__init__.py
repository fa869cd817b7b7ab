"""The engine of the Unigram lattice explorer (public names are re-exported here)."""
