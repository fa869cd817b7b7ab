"""Tells a vocabulary from a corpus by its first bytes, packed or not.

The name decides only what a web page was to be.
"""

from __future__ import annotations

import lzma
import zlib
from pathlib import Path

from engine.files import opened_file
from engine.formats import foreign
from engine.formats.vocabulary_tsv import has_header

HEAD_BYTES = 4096
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
JSON_KEYS = (b'"version"', b'"model"', b'"vocab"', b'"added_tokens"')

GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
NAMES = (".model", ".spm", ".json", ".vocab")

# Protobuf tags: ModelProto.pieces and SentencePiece.piece are field 1, length-delimited.
_FIELD_1 = 0x0A
_OTHER_FIELDS = (0x12, 0x1A, 0x22, 0x2A)  # the other parts of a ModelProto; no text begins with such a control


def is_vocabulary(path: Path) -> bool:
    """Return whether the file at `path` is a vocabulary, or was to be one, rather than texts.

    Missing files, directories and devices count as texts: the corpus reader says best what is wrong with them.
    """
    try:
        with opened_file(path) as file:
            head = _unpacked(file.read(HEAD_BYTES))
    except OSError:
        return False
    looks_so = _is_model_proto(head) or _is_tokenizer_json(head) or _is_vocabulary_tsv(head)
    return looks_so or _is_in_place_of_one(head, path.suffix.lower())


def _unpacked(head: bytes) -> bytes:
    """Return the beginning of what is in a packed file, or the bytes themselves."""
    try:
        if head.startswith(GZIP):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, HEAD_BYTES)
        if head.startswith(XZ):
            return lzma.LZMADecompressor().decompress(head, HEAD_BYTES)
    except (zlib.error, lzma.LZMAError):
        pass  # damaged, which the reader says
    return head


def _is_in_place_of_one(head: bytes, suffix: str) -> bool:
    """Whether it is what people get instead of a model: a pointer to one, another kind of vocabulary, an error page."""
    found = foreign(head)
    return found is not None and (found.kind != "web page" or suffix in NAMES)


def _is_model_proto(head: bytes) -> bool:
    """A ModelProto begins with a piece, and the piece with its text: tag, length, tag, length, text."""
    if head[:1] and head[0] in _OTHER_FIELDS:
        return True
    message, at = _length(head, 0)
    text, begin = _length(head, at)
    if not 0 <= text <= message - (begin - at):
        return False
    following = head[begin + text : begin + text + 1]
    return following < b" " and following not in (b"\t", b"\r")  # a tag: score, type, or the next piece


def _length(head: bytes, at: int) -> tuple[int, int]:
    """Read a tag of field 1 and its length; return the length, -1 for none, and where the content begins."""
    if at < 0 or head[at : at + 1] != bytes([_FIELD_1]):
        return -1, -1
    length = shift = 0
    for place in range(at + 1, min(at + 6, len(head))):
        length |= (head[place] & 0x7F) << shift
        shift += 7
        if head[place] < 0x80:
            return length, place + 1
    return -1, -1


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
