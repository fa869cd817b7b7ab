"""Two models side by side: their vocabularies, how they cut one text, what they make of a corpus.

In: two `UnigramModel`s, A and B. Out: frozen values; differences are always B minus A. Pure functions: the same two
models, text and corpus give the same values, drawn samples included.

    vocabularies   only in A, only in B, in both; scores, IDs, types, scripts, settings
    one_text       both cuts over the characters as typed, and why they differ
    figures        what is counted of a corpus: tokens, words, unknown characters, entropies
    corpora        two models on one corpus: figures with intervals, words, texts, the pieces responsible
"""

from engine.comparison.corpora import CorpusComparison, compare_on_corpus
from engine.comparison.one_text import TextComparison, compare_on_text
from engine.comparison.vocabularies import VocabularyComparison, compare_vocabularies

__all__ = [
    "CorpusComparison",
    "TextComparison",
    "VocabularyComparison",
    "compare_on_corpus",
    "compare_on_text",
    "compare_vocabularies",
]
