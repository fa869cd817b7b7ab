"""Two vocabularies side by side: one text, the pieces, a corpus."""
