"""Files that ship with the program: sample corpora, icons, fonts.

A package, so that `importlib.resources.files("resources")` finds them wherever the wheel was installed. Only
`engine.tables` and `unigram_gui.assets` read it. Holds no code.
"""
