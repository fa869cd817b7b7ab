"""What a person should know of a training beside its result: what was left out, and what could not be met.

In: the corpus, its units and the settings. Out: sentences for the history; a TrainingError where nothing would be
left. Nothing is dropped in silence.
"""

from __future__ import annotations

import numpy as np

from engine.corpus import Corpus
from engine.errors import TrainingError
from engine.spec import TrainerSpec
from engine.words import Units

_SHOWN = 10  # characters listed in a note


def note_symbols(spec: TrainerSpec) -> list[str]:
    """Return a note for each symbol that is stored otherwise than it was typed."""
    return [
        f"The symbol {text!r} is stored as {text.replace(' ', '▁')!r}: texts are matched with U+2581 for spaces."
        for text in spec.user_defined_symbols
        if " " in text
    ]


def note_sample(corpus: Corpus, spec: TrainerSpec) -> list[str]:
    """Return a note where only a sample is trained on."""
    if not 0 < spec.input_sentence_size < corpus.n_samples:
        return []
    return [f"Trained on {spec.input_sentence_size:,} of {corpus.n_samples:,} texts (input_sentence_size)."]


def note_long_texts(corpus: Corpus, spec: TrainerSpec) -> list[str]:
    """Return a note on the texts that are too long; raise TrainingError where all are."""
    sizes = np.diff(corpus.offsets)
    is_long = sizes > spec.max_sentence_length
    if not is_long.any():
        return []
    n, first = int(corpus.counts[is_long].sum()), int(np.argmax(is_long))
    line = "" if corpus.first_lines is None else f", the first in line {int(corpus.first_lines[first]):,}"
    which = (
        f"{n:,} of {corpus.n_samples:,} texts are longer than {spec.max_sentence_length:,} bytes, "
        f"up to {int(sizes.max()):,}{line}"
    )
    if is_long.all():
        raise TrainingError(f"Nothing to train on: {which}; raise max_sentence_length or split the lines.")
    return [f"{which}; they were left out (max_sentence_length)."]


def note_dropped_characters(units: Units, spec: TrainerSpec) -> list[str]:
    """Return a note on the characters that are no pieces."""
    if not units.dropped:
        return []
    stand_in = "bytes" if spec.byte_fallback else spec.unk_piece
    shown = ", ".join(f"{c} U+{ord(c):04X} ({n:,})" for c, n in units.dropped[:_SHOWN])
    more = f" and {len(units.dropped) - _SHOWN:,} more" if len(units.dropped) > _SHOWN else ""
    return [
        f"{len(units.characters):,} characters cover {100 * units.coverage:.3f} % of the corpus; these "
        f"become {stand_in} (character_coverage): {shown}{more}."
    ]


def reachable_size(spec: TrainerSpec, smallest: int, largest: int) -> tuple[int, list[str]]:
    """Return vocab_size, or the nearest size that can be reached where the limit is soft, and a note on it.

    Raises
    ------
    TrainingError
        Under the hard limit, naming the reachable range.
    """
    wanted = spec.vocab_size
    if smallest <= wanted <= largest:
        return wanted, []
    nearest = min(max(wanted, smallest), largest)
    if spec.hard_vocab_limit:
        reach = f"{smallest:,} to {largest:,}" if smallest < largest else f"{smallest:,}"
        remedy = "or lower character_coverage" if wanted < smallest else "or turn off hard_vocab_limit"
        raise TrainingError(
            f"vocab_size {wanted:,} is out of reach: this corpus can give {reach} pieces, "
            f"{len(spec.special_pieces()):,} special ones included; choose a size in that range {remedy}."
        )
    return nearest, [f"vocab_size {wanted:,} is out of reach; the model has {nearest:,} pieces instead."]
