"""Pictures of every view on sample content, light and dark, for people to look at."""
