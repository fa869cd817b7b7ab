"""What a person asks about the text on show, a view each, in one pane under the lattice."""

from unigram_gui.views.questions.pane import QuestionsPane

__all__ = ["QuestionsPane"]
