"""What several tests share: oracles that count all paths, toy lattices, stand-ins."""
