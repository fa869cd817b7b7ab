"""TrainerSpec: everything a person chooses about a training, its presets, and what a form needs to show it.

Names are SentencePiece's trainer_spec names where one exists. A wrong value raises TrainingError when the spec is
made, naming the field, the value and what is allowed; what depends on the corpus is checked by the trainer.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.errors import TrainingError
from engine.pieces import PieceType

_RULES_OF_SENTENCEPIECE: Mapping[str, Any] = MappingProxyType({
    "m_step": "digamma", "pruning_criterion": "sentencepiece", "protect_characters": False, "renormalize": False,
    "seed_method": "suffix_array", "seed_source": "texts", "seed_scores": "count_length",
    "pretokenization_delimiter": "",
})  # fmt: skip
"""What the arithmetic of SentencePiece needs."""
_LONGEST_QUOTE = 100  # characters of a wrong value that a sentence repeats
_SYMBOL_TYPES = {True: PieceType.CONTROL, False: PieceType.USER_DEFINED}


@dataclass(frozen=True)
class SpecField:
    """One setting as a form shows it.

    `kind` is "int", "float", "bool", "choice", "text" or "texts" (several, separated by commas); `main` marks
    the few that a person looks at first.
    """

    name: str
    kind: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    main: bool = False

    def parse(self, text: str) -> Any:
        """Return the value that `text` stands for; raise TrainingError naming the field where it is none."""
        try:
            return _PARSERS[self.kind](text.strip())
        except (ValueError, KeyError, RecursionError):
            raise TrainingError(f"{self.name} is {_shortened(text)!r}; give {self.allowed()}.") from None

    def allowed(self) -> str:
        """Return what values are allowed, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "bool":
            return "true or false"
        if self.kind in ("int", "float"):
            what = "a whole number" if self.kind == "int" else "a number"
            return f"{what} from {_plain(self.minimum)} to {_plain(self.maximum)}"
        return "text" if self.kind == "text" else "texts separated by commas, one a line, or as a JSON list"

    def check(self, value: Any) -> None:
        """Raise TrainingError where `value` is of the wrong kind or out of range."""
        kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,)}
        expected = kinds.get(self.kind, (tuple,) if self.kind == "texts" else (str,))
        is_wrong = not isinstance(value, expected) or (self.kind != "bool" and isinstance(value, bool))
        if not is_wrong and self.kind in ("int", "float"):
            is_wrong = not self.minimum <= value <= self.maximum
        if not is_wrong and self.kind == "choice":
            is_wrong = value not in self.choices
        if not is_wrong and self.kind == "texts":
            is_wrong = not all(isinstance(text, str) for text in value)
        if is_wrong:
            raise TrainingError(f"{self.name} is {value!r}; give {self.allowed()}.")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


def _plain(number: float | None) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _parse_bool(text: str) -> bool:
    return {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}[
        text.lower()
    ]


def _parse_texts(text: str) -> tuple[str, ...]:
    """Read several texts: a JSON list, one a line, or separated by commas."""
    if text.startswith("["):
        found = json.loads(text)
        if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
            raise ValueError
        return tuple(found)
    return tuple(part for part in text.split("\n" if "\n" in text else ",") if part)


_PARSERS: Mapping[str, Any] = {
    "int": lambda text: int(text.replace(",", "").replace("_", "")),
    "float": float,
    "bool": _parse_bool,
    "choice": str,
    "text": str,
    "texts": _parse_texts,
}


def _setting(default: Any, kind: str, what: str, *, low: float | None = None, high: float | None = None,
             choices: tuple[str, ...] = (), main: bool = False) -> Any:  # fmt: skip
    info = {"kind": kind, "help": what, "minimum": low, "maximum": high, "choices": choices, "main": main}
    return dataclasses.field(default=default, metadata=info)


@dataclass(frozen=True)
class TrainerSpec:
    """The settings of a training; see `SPEC_FIELDS` for what each one does and which values it takes.

    Raises
    ------
    TrainingError
        Naming the field, its value and what is allowed.

    Examples
    --------
    >>> TrainerSpec(vocab_size=1000).shrinking_factor
    0.9
    """

    vocab_size: int = _setting(
        8000, "int", "How many pieces the model has in the end, special pieces included.",
        low=2, high=10_000_000, main=True)
    max_sentencepiece_length: int = _setting(
        16, "int", "Longest piece, in characters.", low=1, high=512, main=True)
    shrinking_factor: float = _setting(
        0.9, "float", "Share of the pieces that a pruning round keeps; smaller steps find a better vocabulary.",
        low=0.5, high=0.95, main=True)
    num_sub_iterations: int = _setting(
        1, "int", "EM updates before each pruning; a second one changes little when each round removes few.",
        low=1, high=10, main=True)
    character_coverage: float = _setting(
        0.9995, "float", "Share of the corpus that the kept characters cover; rarer ones become <unk> or bytes.",
        low=0.9, high=1.0, main=True)
    m_step: str = _setting(
        "maximum_likelihood", "choice",
        "How expected counts become probabilities: C / total, exp(digamma(C) - digamma(total)) as SentencePiece, or "
        "(C + epsilon) / (total + epsilon |V|). With digamma no count is below 0.5: rarer pieces are dropped.",
        choices=("maximum_likelihood", "digamma", "additive"), main=True)
    pruning_criterion: str = _setting(
        "exact", "choice",
        "Which loss decides: the exact one over all paths, that of best paths cut anew, SentencePiece's "
        "approximation, or count times -ln p.",
        choices=("exact", "viterbi", "sentencepiece", "count_logp"), main=True)
    byte_fallback: bool = _setting(
        False, "bool", "Add 256 byte pieces that stand in for unknown characters.", main=True)
    arithmetic: str = _setting(
        "float64", "choice",
        "How sums are made: in float64 over stretches of text; or as SentencePiece 0.2.1 makes them, in its 32-bit "
        "numbers and its order, so that ties fall as they do there (on one thread, and only with its other rules).",
        choices=("float64", "sentencepiece"))
    smoothing_epsilon: float = _setting(
        1e-5, "float", "Added to every expected count by the additive M step.", low=0.0, high=1e3)
    pieces_removed_per_round: int = _setting(
        0, "int", "Remove this many pieces a round; 0 shrinks by shrinking_factor.", low=0, high=10_000_000)
    min_expected_count: float = _setting(
        2.0, "float", "After each E step, pieces expected less often than this are dropped (characters stay).",
        low=0.0, high=1e9)
    protect_characters: bool = _setting(
        True, "bool", "Keep rare characters during EM; off: as in SentencePiece they drop out and come back last.")
    final_cut_factor: float = _setting(
        1.0, "float", "EM ends at this many times vocab_size and the rest is cut by score; 1 prunes down to the size.",
        low=1.0, high=2.0)
    renormalize: bool = _setting(
        True, "bool", "Make the probabilities sum to 1 again after pieces were removed or characters came back.")
    seed_method: str = _setting(
        "suffix_array", "choice",
        "Candidates: repeated substrings (suffix array), every n-gram that is frequent enough, or a file.",
        choices=("suffix_array", "ngram", "file"))
    seed_sentencepieces_file: str = _setting(
        "", "text", "File of candidates, piece TAB frequency, for seed_method file.")
    seed_sentencepiece_size: int = _setting(
        1_000_000, "int", "At most this many candidates, the best by score.", low=1, high=100_000_000)
    seed_source: str = _setting(
        "units", "choice",
        "Count candidates within units, or in whole texts as SentencePiece: there a word that the same character "
        "always follows is none.",
        choices=("units", "texts"))
    seed_scores: str = _setting(
        "count_length", "choice", "First probabilities of the candidates: by count times length, or all equal.",
        choices=("count_length", "uniform"))
    ngram_max_length: int = _setting(6, "int", "Longest n-gram taken as a candidate.", low=1, high=512)
    ngram_min_frequency: int = _setting(
        2, "int", "N-grams that occur less often are no candidates.", low=1, high=1_000_000_000)
    id_order: str = _setting(
        "score", "choice", "IDs follow the final score, or the order of the candidates.", choices=("score", "seed"))
    hard_vocab_limit: bool = _setting(
        True, "bool", "Refuse a vocab_size that the corpus cannot reach; off: take the nearest size.")
    split_by_whitespace: bool = _setting(True, "bool", "A piece never spans a space.")
    split_by_unicode_script: bool = _setting(True, "bool", "A piece holds characters of one script only.")
    split_by_number: bool = _setting(True, "bool", "A piece does not join digits to letters.")
    split_digits: bool = _setting(False, "bool", "Each digit is a piece by itself.")
    treat_whitespace_as_suffix: bool = _setting(False, "bool", "The space marker ends a word instead of beginning it.")
    allow_whitespace_only_pieces: bool = _setting(False, "bool", "Runs of space markers may be pieces.")
    normalization_rule_name: str = _setting(
        "identity", "choice",
        "How texts are rewritten first: not at all, by NFKC, also with SentencePiece's rules for white space and "
        "controls (nmt_), also with case folded (_cf), or by a file of rules.",
        choices=("identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf", "user_defined"))
    normalization_rule_tsv: str = _setting(
        "", "text", "File of rules, hexadecimal code points TAB hexadecimal code points, for user_defined.")
    add_dummy_prefix: bool = _setting(True, "bool", "Begin every text with a space marker.")
    remove_extra_whitespaces: bool = _setting(True, "bool", "Drop leading, trailing and repeated spaces.")
    max_sentence_length: int = _setting(
        1 << 20, "int", "Longer texts, in bytes, are left out of the training.", low=10, high=1 << 30)
    input_sentence_size: int = _setting(
        0, "int", "Train on a sample of this many texts; 0: on all.", low=0, high=1 << 40)
    shuffle_input_sentence: bool = _setting(True, "bool", "Draw the sample at random; off: take the first texts.")
    sample_seed: int = _setting(12345678, "int", "Seed of the random sample.", low=0, high=1 << 31)
    pretokenization_delimiter: str = _setting(
        "", "text", "Pieces never cross this text, and it is deleted.")
    required_chars: str = _setting("", "text", "Characters that are pieces whatever their count.")
    control_symbols: tuple[str, ...] = _setting((), "texts", "Special pieces that text never becomes, such as <pad>.")
    user_defined_symbols: tuple[str, ...] = _setting((), "texts", "Pieces that are always kept whole.")
    unk_id: int = _setting(0, "int", "ID of the unknown piece.", low=0, high=10_000_000)
    bos_id: int = _setting(1, "int", "ID of the piece that begins a text; -1: none.", low=-1, high=10_000_000)
    eos_id: int = _setting(2, "int", "ID of the piece that ends a text; -1: none.", low=-1, high=10_000_000)
    pad_id: int = _setting(-1, "int", "ID of the padding piece; -1: none.", low=-1, high=10_000_000)
    unk_piece: str = _setting("<unk>", "text", "Text of the unknown piece.")
    bos_piece: str = _setting("<s>", "text", "Text of the piece that begins a text.")
    eos_piece: str = _setting("</s>", "text", "Text of the piece that ends a text.")
    pad_piece: str = _setting("<pad>", "text", "Text of the padding piece.")

    def __post_init__(self) -> None:
        for field in SPEC_FIELDS:
            field.check(getattr(self, field.name))
        if self.arithmetic == "sentencepiece":
            self._check_rules_of_sentencepiece()
        self.special_pieces()

    def _check_rules_of_sentencepiece(self) -> None:
        """Raise TrainingError where a rule is not SentencePiece's: its arithmetic is defined for its rules alone."""
        for name, needed in _RULES_OF_SENTENCEPIECE.items():
            value = getattr(self, name)
            if value != needed:
                raise TrainingError(
                    f"{name} is {value!r}, but arithmetic 'sentencepiece' is defined only for {needed!r}; choose that, "
                    "or arithmetic 'float64'."
                )

    def with_settings(self, settings: Mapping[str, str]) -> TrainerSpec:
        """Return a spec with some settings replaced by parsed text; TrainingError names an unknown one.

        >>> TrainerSpec().with_settings({"vocab_size": "2,000"}).vocab_size
        2000
        """
        fields = {field.name: field for field in SPEC_FIELDS}
        for name in settings:
            if name not in fields:
                raise TrainingError(f"There is no setting {name!r}; the settings are {', '.join(fields)}.")
        return dataclasses.replace(self, **{name: fields[name].parse(text) for name, text in settings.items()})


    def special_pieces(self) -> dict[int, tuple[str, PieceType]]:
        """Return the pieces that are not learned, by ID: text and type.

        <unk>, <s>, </s> and <pad> stand where their settings say; control symbols, user-defined symbols and the
        256 bytes follow, each at the lowest free ID (sentencepiece, InitMetaPieces).

        Raises
        ------
        TrainingError
            Where two share an ID or a text.

        >>> [text for text, _ in TrainerSpec().special_pieces().values()]
        ['<unk>', '<s>', '</s>']
        """
        placed: dict[int, tuple[str, PieceType]] = {}
        for name in ("unk", "bos", "eos", "pad"):
            self._place(placed, name)
        symbols = [*self._symbols("control_symbols"), *self._symbols("user_defined_symbols")]
        standard = {text: i for i, (text, _) in placed.items()}
        n_new = sum(text not in standard for text, _ in symbols) + (256 if self.byte_fallback else 0)
        free_ids = [i for i in range(len(placed) + n_new) if i not in placed]
        seen: set[str] = set()
        for text, kind in symbols:
            if text in seen:
                raise TrainingError(f"The symbol {text!r} is both a control and a user-defined one; choose one.")
            seen.add(text)
            # <s>, </s> and <pad> named as a symbol keep their ID and only change their type.
            placed[standard[text] if text in standard else free_ids.pop(0)] = (text, kind)
        if self.byte_fallback:
            for byte, number in enumerate(free_ids):
                placed[number] = (f"<0x{byte:02X}>", PieceType.BYTE)
        return placed

    def _symbols(self, name: str) -> list[tuple[str, PieceType]]:
        """Return the symbols of one setting as pieces; TrainingError names an entry that is none, and its row."""
        is_control = name == "control_symbols"
        found: list[tuple[str, PieceType]] = []
        for row, text in enumerate(getattr(self, name), start=1):
            # Texts are matched with spaces as markers, so a symbol with a space is stored with markers too.
            piece = (text if is_control else text.replace(" ", "▁"), _SYMBOL_TYPES[is_control])
            if not text:
                raise TrainingError(f"{name}, entry {row}, is blank; remove it.")
            if piece in found:
                raise TrainingError(f"{name}, entry {row}: {text!r} is given twice; remove one.")
            if text == self.unk_piece:
                raise TrainingError(f"{name}, entry {row}: {text!r} is reserved for unknown text; choose another name.")
            found.append(piece)
        return found

    def _place(self, placed: dict[int, tuple[str, PieceType]], name: str) -> None:
        number, text = getattr(self, f"{name}_id"), getattr(self, f"{name}_piece")
        if number < 0:
            return
        if number in placed:
            raise TrainingError(f"{name}_id is {number}, which {placed[number][0]} has already; give another ID.")
        if number >= self.vocab_size:
            raise TrainingError(f"{name}_id is {number}; give an ID below vocab_size, which is {self.vocab_size:,}.")
        if not text or text in (other for other, _ in placed.values()):
            raise TrainingError(f"{name}_piece is {text!r}; give a text that no other special piece has.")
        placed[number] = (text, PieceType.UNKNOWN if name == "unk" else PieceType.CONTROL)


SPEC_FIELDS: tuple[SpecField, ...] = tuple(
    SpecField(name=field.name, **field.metadata) for field in dataclasses.fields(TrainerSpec)
)
"""All settings in the order of the form."""

PRESETS: Mapping[str, TrainerSpec] = MappingProxyType(
    {
        # A size that a corpus of some tens of kilobytes can give, with rounds of pruning to look at on the way.
        "Unigram GUI": TrainerSpec(vocab_size=1000),
        "SentencePiece 0.2.1": TrainerSpec(
            m_step="digamma", shrinking_factor=0.75, num_sub_iterations=2, min_expected_count=0.5,
            pruning_criterion="sentencepiece", final_cut_factor=1.1, renormalize=False, protect_characters=False,
            seed_source="texts", max_sentence_length=4192, arithmetic="sentencepiece",
        ),
        "Teaching": TrainerSpec(
            vocab_size=7, max_sentencepiece_length=3, character_coverage=1.0,
            num_sub_iterations=2, pieces_removed_per_round=1,
            min_expected_count=0.0, seed_method="ngram", seed_scores="uniform", ngram_max_length=3,
            ngram_min_frequency=1, id_order="seed", split_by_whitespace=False, split_by_unicode_script=False,
            add_dummy_prefix=False, remove_extra_whitespaces=False, bos_id=-1, eos_id=-1,
        ),
    }
)
"""Named starting points; the first one is the default."""
