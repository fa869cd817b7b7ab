"""From the rules of a `.model` to those of a tokenizer.json and back.

In: a vocabulary and one kind of rules. Out: the other kind, as near as it can be; `engine.parity` lists what is left
between the two. What the other kind cannot say at all is refused by name.

A tokenizer.json cuts added tokens out of the text first and then works on each stretch between them, so its steps
cannot tell the ends of the text from those of a stretch. Scores are kept to the last bit of a float32.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import regex

from engine.errors import ModelFileError
from engine.huggingface import fields
from engine.huggingface.added_tokens import AddedToken
from engine.huggingface.post_processors import Template
from engine.normalizer import SPACE_MARKER, NormalizerSpec
from engine.pieces import PieceTable, PieceType

Settings = dict[str, Any]

_COLLAPSE, _LEADING, _TRAILING = " {2,}", "\\A +", f"[ {SPACE_MARKER}]+\\z"
_PREFIX, _PREFIX_OF_MARKER, _SUFFIX = f"\\A(?=[ {SPACE_MARKER}])", f"\\A(?={SPACE_MARKER})", "(?<=.)\\z"
_LINE_PREFIX = "(?<!\\n)^"  # how llm-jp and others write the dummy prefix


def _replace(pattern: str, content: str) -> Settings:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def tokenizer_settings(pieces: PieceTable, spec: NormalizerSpec, byte_fallback: bool, unk_surface: str) -> Settings:
    """Return the JSON of a tokenizer.json, without its vocabulary, that does what a `.model` does.

    Control pieces become special added tokens and user-defined ones plain added tokens; both are found in a text by
    HF tokenizers, while SentencePiece finds no control piece.
    """
    return {
        "added_tokens": list(_added_tokens(pieces)),
        "normalizer": _normalizer(spec),
        "pre_tokenizer": _pre_tokenizer(pieces, spec),
        "decoder": _decoder(spec, byte_fallback, pieces.texts[pieces.unknown_id], unk_surface),
        "model": {"byte_fallback": byte_fallback},
    }


def lost_in_tokenizer(pieces: PieceTable, has_denormalizer: bool, ends: Sequence[str]) -> tuple[str, ...]:
    """Return what a tokenizer.json does not say of a `.model`, a sentence each; `ends`: which of bos and eos it has."""
    n_unused = int((pieces.types == PieceType.UNUSED).sum())
    lost = []
    if n_unused:
        lost.append(f"A tokenizer.json knows no unused pieces: {n_unused} of them are matched in texts like any other.")
    if pieces.byte_ids is not None:
        lost.append("A tokenizer.json matches the name of a byte piece, such as <0x0A>, where it is typed in a text.")
    if has_denormalizer:
        lost.append("A tokenizer.json has no place for the denormalizer: decoded texts stay as they are.")
    if ends:
        lost.append(
            f"A tokenizer.json does not say which piece is {' and which is '.join(ends)}: a .model made of it has none."
        )
    return tuple(lost)


def lost_in_sentencepiece(added: Sequence[AddedToken], template: Template) -> tuple[str, ...]:
    """Return what a `.model` does not say of a tokenizer.json, or says in another way, a sentence each."""
    n_special = sum(token.special for token in added)
    lost = []
    if n_special:
        lost.append(f"Special tokens ({n_special}) become control pieces, which SentencePiece does not find in a text.")
    if n_special < len(added):
        lost.append(f"Other added tokens ({len(added) - n_special}) become user-defined pieces.")
    if template.before or template.after:
        lost.append("A .model has no template: the tokens that go round every text are left to whoever uses it.")
    return tuple(lost)


def _added_tokens(pieces: PieceTable) -> Iterator[Settings]:
    kinds = {int(PieceType.CONTROL): True, int(PieceType.USER_DEFINED): False}
    for i, (text, kind) in enumerate(zip(pieces.texts, pieces.types.tolist(), strict=True)):
        if kind in kinds:
            flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
            yield {"id": i, "content": text, **flags, "special": kinds[kind]}


def _normalizer(spec: NormalizerSpec) -> Settings | None:
    steps = [*_charsmap_steps(spec), *_space_steps(spec), *_affix_steps(spec)]
    if len(steps) < 2:
        return steps[0] if steps else None
    return {"type": "Sequence", "normalizers": steps}


def _charsmap_steps(spec: NormalizerSpec) -> Iterator[Settings]:
    if spec.precompiled_charsmap:
        text = base64.b64encode(spec.precompiled_charsmap).decode("ascii")
        yield {"type": "Precompiled", "precompiled_charsmap": text}


def _space_steps(spec: NormalizerSpec) -> Iterator[Settings]:
    if not spec.remove_extra_whitespaces:
        return
    yield _replace(_COLLAPSE, " ")
    yield _replace(_TRAILING if spec.escape_whitespaces else " +\\z", "")
    # With a dummy prefix, one leading space stays in its place.
    if not _has_prefix(spec):
        yield _replace(_LEADING, "")


def _affix_steps(spec: NormalizerSpec) -> Iterator[Settings]:
    marker = SPACE_MARKER if spec.escape_whitespaces else " "
    if spec.add_dummy_prefix and spec.treat_whitespace_as_suffix:
        yield _replace(f"(?m){_SUFFIX}", marker)
    elif spec.add_dummy_prefix and not spec.escape_whitespaces:
        if spec.remove_extra_whitespaces:
            yield _replace(_LEADING, "")
        yield {"type": "Prepend", "prepend": marker}
    elif spec.add_dummy_prefix:
        # Metaspace puts no marker before one that is there already, SentencePiece does.
        yield _replace(_PREFIX_OF_MARKER if spec.remove_extra_whitespaces else _PREFIX, marker)


def _has_prefix(spec: NormalizerSpec) -> bool:
    return spec.add_dummy_prefix and not spec.treat_whitespace_as_suffix


def _pre_tokenizer(pieces: PieceTable, spec: NormalizerSpec) -> Settings | None:
    if not spec.escape_whitespaces:
        return None
    scheme = "first" if _has_prefix(spec) else "never"
    splits = _begin_with_marker(pieces) and not spec.treat_whitespace_as_suffix
    return {"type": "Metaspace", "replacement": SPACE_MARKER, "prepend_scheme": scheme, "split": splits}


def _begin_with_marker(pieces: PieceTable) -> bool:
    """Tell whether a cut before each marker loses no path: the marker is a piece, and stands inside of none."""
    marker = pieces.id_of(SPACE_MARKER)
    return marker is not None and not any(SPACE_MARKER in pieces.texts[i][1:] for i in pieces.edge_ids.tolist())


def _decoder(spec: NormalizerSpec, byte_fallback: bool, unknown: str, unk_surface: str) -> Settings:
    """Return the decoder; the unknown piece must be replaced while it is still a part of its own."""
    steps: list[Settings] = [{"type": "ByteFallback"}] if byte_fallback else []
    scheme = "always" if spec.remove_extra_whitespaces else "never"
    steps.append({"type": "Metaspace", "replacement": SPACE_MARKER, "prepend_scheme": scheme, "split": True})
    steps += [_replace(f"\\A{regex.escape(unknown)}\\z", unk_surface), {"type": "Fuse"}]
    if spec.add_dummy_prefix and not spec.remove_extra_whitespaces:
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": steps}


class SentencePieceRules(NamedTuple):
    """What a `.model` holds of a tokenizer.json."""

    pieces: PieceTable
    normalizer_spec: NormalizerSpec
    byte_fallback: bool
    unk_surface: str


def sentencepiece_rules(
    pieces: PieceTable, settings: Mapping[str, Any], added: Sequence[AddedToken], byte_fallback: bool
) -> SentencePieceRules:
    """Return what a `.model` can hold of a tokenizer.json; ModelFileError names what it cannot.

    Special added tokens become control pieces, which SentencePiece does not find in a text; the template of the
    post-processor is left to whoever uses the `.model`, as everywhere.
    """
    _check_added_tokens(added)
    found = _Flags()
    for step in _steps(settings.get("normalizer"), "normalizers"):
        _read_normalizer_step(step, found)
    for step in _steps(settings.get("pre_tokenizer"), "pretokenizers"):
        _read_pre_tokenizer_step(step, found)
    unknown = f"\\A{regex.escape(pieces.texts[pieces.unknown_id])}\\z"
    unk_surface = pieces.texts[pieces.unknown_id]
    for step in _steps(settings.get("decoder"), "decoders"):
        if step.get("type") == "Replace" and fields.pattern_of(step) == (True, unknown):
            unk_surface = fields.field(step, "content", str)
        else:
            _check_decoder_step(step)
    if byte_fallback and pieces.byte_ids is None:
        raise ModelFileError(
            "A .model cannot hold this tokenizer.json: byte fallback is on, but not for all 256 bytes."
        )
    if not len(pieces.edge_ids):
        raise ModelFileError("A .model cannot hold this tokenizer.json: all of its pieces are symbols.")
    return SentencePieceRules(pieces, found.spec(), byte_fallback, unk_surface)


class _Flags:
    """The settings of a normalizer as the steps are gone through."""

    def __init__(self) -> None:
        self.charsmap = b""
        self.n_steps = 0
        self.add_dummy_prefix = self.collapses = self.escapes = self.as_suffix = False
        self.strips = ""

    def spec(self) -> NormalizerSpec:
        if self.strips and not self.collapses:
            raise _cannot(f"{self.strips} without the step that makes one space of several")
        return NormalizerSpec(
            "user_defined" if self.charsmap else "identity",
            self.charsmap,
            self.add_dummy_prefix,
            self.collapses,
            self.escapes,
            self.as_suffix,
        )


def _cannot(what: str) -> ModelFileError:
    return ModelFileError(f"A .model cannot hold this tokenizer.json: it has no place for {what}.")


def _steps(settings: Any, key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the steps, sequences taken apart."""
    if settings is None:
        return
    if fields.type_of(settings) == "Sequence":
        for step in fields.field(settings, key, list):
            yield from _steps(step, key)
    else:
        yield settings


def _check_added_tokens(added: Sequence[AddedToken]) -> None:
    for token in added:
        flags = [flag for flag in ("single_word", "lstrip", "rstrip", "normalized") if getattr(token, flag)]
        if flags and not token.special:
            raise _cannot(f"the flag {flags[0]} of the added token {token.content!r}")


def _read_normalizer_step(step: Mapping[str, Any], found: _Flags) -> None:
    kind = fields.type_of(step)
    found.n_steps += 1
    if kind == "Precompiled":
        if found.n_steps > 1:
            raise _cannot("a step before the table of rules (Precompiled)")
        found.charsmap = base64.b64decode(fields.field(step, "precompiled_charsmap", str))
    elif kind == "Strip":
        found.strips = "the normalizer Strip"
    elif kind == "Prepend" and step.get("prepend") in (SPACE_MARKER, " "):
        found.add_dummy_prefix = True
    elif kind == "Replace":
        _read_replace(step, found)
    else:
        raise _cannot(f"the normalizer {kind}")


def _read_replace(step: Mapping[str, Any], found: _Flags) -> None:
    _, pattern = fields.pattern_of(step)
    content = fields.field(step, "content", str)
    if pattern == _COLLAPSE and content in (" ", SPACE_MARKER):
        found.collapses = True
    elif pattern in (_TRAILING, " +\\z", _LEADING) and content == "":
        found.strips = f"the normalizer Replace of {pattern!r}"
    elif pattern == " " and content == SPACE_MARKER:
        found.escapes = True
    elif pattern in (_LINE_PREFIX, f"(?m){_SUFFIX}") and content in (SPACE_MARKER, " "):
        found.add_dummy_prefix = True
        found.as_suffix = pattern != _LINE_PREFIX
    elif pattern not in (_PREFIX, _PREFIX_OF_MARKER) or content != SPACE_MARKER:
        raise _cannot(f"the normalizer Replace of {pattern!r} by {content!r}")


def _read_pre_tokenizer_step(step: Mapping[str, Any], found: _Flags) -> None:
    kind = fields.type_of(step)
    if kind == "Metaspace" and step.get("replacement", SPACE_MARKER) == SPACE_MARKER:
        has_prefix = step.get("prepend_scheme", "always") != "never" and step.get("add_prefix_space") is not False
        found.add_dummy_prefix |= has_prefix
        found.escapes = True
    elif kind == "WhitespaceSplit":
        found.collapses = True
    else:
        raise _cannot(f"the pre-tokenizer {kind}")


def _check_decoder_step(step: Mapping[str, Any]) -> None:
    kind = fields.type_of(step)
    known = kind in ("Metaspace", "ByteFallback", "Fuse", "Strip")
    if kind == "Replace":
        _, pattern = fields.pattern_of(step)
        known = (pattern, step.get("content")) in _DECODER_REPLACES
    if not known:
        raise _cannot(f"the decoder {kind}")


_DECODER_REPLACES = ((SPACE_MARKER, " "), ("(?<!\\n)^ ", ""))
