"""Tells a vocabulary from a corpus by its first bytes, never by its name."""

from __future__ import annotations

from pathlib import Path

from engine.formats.vocabulary_tsv import has_header

HEAD_BYTES = 4096
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
JSON_KEYS = (b'"version"', b'"model"', b'"vocab"', b'"added_tokens"')

# Protobuf tags of ModelProto.pieces and SentencePiece.piece: field 1, length-delimited.
_FIELD_1 = 0x0A


def is_vocabulary(path: Path) -> bool:
    """Return whether the file at `path` looks like a vocabulary rather than like texts.

    Missing files and directories count as texts: the corpus reader says best what is wrong with them.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return _is_model_proto(head) or _is_tokenizer_json(head) or _is_vocabulary_tsv(head)


def _is_model_proto(head: bytes) -> bool:
    """A ModelProto begins with a piece, and the piece with its text: tag, length, tag, length, text."""
    if len(head) < 4 or head[0] != _FIELD_1 or head[2] != _FIELD_1:
        return False
    message, text = head[1], head[3]
    return 2 + text <= message < 0x80


def _is_tokenizer_json(head: bytes) -> bool:
    if head.startswith(UTF16_BOMS):
        head = head.replace(b"\x00", b"")[2:]
    head = head.removeprefix(UTF8_BOM).lstrip()
    return head.startswith(b"{") and any(key in head for key in JSON_KEYS)


def _is_vocabulary_tsv(head: bytes) -> bool:
    """In a list of pieces the second column holds log probabilities: a corpus has positive counts there."""
    if has_header(head.removeprefix(UTF8_BOM)[:64].decode("utf-8", "replace")):
        return True
    lines = head.removeprefix(UTF8_BOM).split(b"\n")[:-1][:50]
    scores = [line.rstrip(b"\r").split(b"\t")[1] for line in lines if b"\t" in line]
    if not scores or len(scores) < len(lines):
        return False
    return all(map(_is_score, scores)) and any(score.startswith(b"-") for score in scores)


def _is_score(field: bytes) -> bool:
    try:
        return float(field) <= 0
    except ValueError:
        return False
