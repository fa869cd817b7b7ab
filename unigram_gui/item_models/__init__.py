"""Qt item models over frozen engine values: they look up and format, and compute nothing but an order of rows."""
