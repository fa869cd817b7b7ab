"""The live lattice of a text: pure layout, painting, widgets (in this order of modules).

`lanes`, `graph_layout`, `brick_layout` and `looks` turn arrays into coordinates without Qt; `graph_drawing` and
`brick_drawing` paint them; `view` scrolls and listens, `pane` adds toolbar and figures.
"""

from unigram_gui.views.lattice.drawing import ALL_LAYERS, DEFAULT_LAYERS, Layer
from unigram_gui.views.lattice.pane import LatticePane
from unigram_gui.views.lattice.view import LatticeView

__all__ = ["ALL_LAYERS", "DEFAULT_LAYERS", "LatticePane", "LatticeView", "Layer"]
