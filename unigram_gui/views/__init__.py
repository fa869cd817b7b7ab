"""One widget, one thing. A view is given frozen values by `set_...()`, and tells wishes by `*_requested` signals."""
