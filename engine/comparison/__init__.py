"""Two models side by side: their vocabularies, how they cut one text, what they make of a corpus.

In: two `UnigramModel`s, A and B. Out: frozen values; differences are always B minus A. Pure functions: the same two
models, text and corpus give the same values, drawn samples included.

    vocabularies   only in A, only in B, in both; scores, IDs, types, scripts, settings
    mapping        the IDs of the one beside those of the other, as a table to save
    one_text       both cuts over the characters as typed, and why they differ
    figures        what is counted of a corpus: tokens, words, unknown characters, entropies
    words          the distinct words of a corpus
    word_cuts      each of them under one model
    tally          what one model makes of a corpus, text by text
    groups         texts by script, or by a column of their table
    differences    texts that differ, words cut most, pieces responsible
    corpora        two models on one corpus: all of these, with intervals
"""

from engine.comparison.corpora import CorpusComparison, compare_on_corpus
from engine.comparison.groups import CorpusPart
from engine.comparison.mapping import mapping_table
from engine.comparison.one_text import TextComparison, compare_on_text
from engine.comparison.vocabularies import VocabularyComparison, compare_vocabularies

__all__ = [
    "CorpusComparison",
    "CorpusPart",
    "TextComparison",
    "VocabularyComparison",
    "compare_on_corpus",
    "compare_on_text",
    "compare_vocabularies",
    "mapping_table",
]
