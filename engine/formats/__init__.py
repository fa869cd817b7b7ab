"""File formats of vocabularies. What a file is, its content tells, not its name."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from engine.errors import ModelFileError


class Format(Enum):
    """What `sniff` tells apart."""

    SENTENCEPIECE = "SentencePiece model"
    VOCABULARY = "vocabulary as text"
    TOKENIZER_JSON = "tokenizer.json"


_LFS_SIZE = re.compile(rb"^size (\d+)", re.MULTILINE)
_TIKTOKEN = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n")
_ARCHIVES = {b"PK\x03\x04": "a ZIP archive", b"\x1f\x8b": "gzip-compressed", b"\xfd7zXZ": "xz-compressed"}
# The first line of a table. A ModelProto begins with the tag of a field, which is a line feed or other control.
_TABLE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\x22?\x27?piece\x22?[\t,]\x22?log_prob\x22?[\t,]\x22?type\x22?|[^\t\n]+\t[-+0-9.eE]+)\r?(?:\n|$)"
)


def sniff(data: bytes) -> Format:
    r"""Tell the format by the content; ModelFileError names a well-known file that is no vocabulary.

    >>> sniff(b"<unk>\t0\na\t-1.5\n").value
    'vocabulary as text'
    """
    if not data:
        raise ModelFileError("The file is empty.")
    found = foreign(data)
    if found is not None:
        raise ModelFileError(found.sentence)
    if _is_json(data):
        return Format.TOKENIZER_JSON
    return Format.VOCABULARY if _TABLE.match(data) else Format.SENTENCEPIECE


class Foreign(NamedTuple):
    """A well-known kind of file that is no vocabulary to open: "archive", "pointer", "web page" or "tiktoken"."""

    kind: str
    sentence: str


def foreign(data: bytes) -> Foreign | None:
    r"""Return what the beginning of a file says that it is, where that is no vocabulary to open.

    >>> foreign(b"<html>").kind, foreign(b"a text\n")
    ('web page', None)
    """
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, kind in _ARCHIVES.items():
        if data.startswith(magic):
            return Foreign("archive", f"The file is {kind}; unpack it and open what is inside.")
    if head.startswith(b"version https://git-lfs"):
        size = _LFS_SIZE.search(head)
        real = f" of {int(size[1]):,} bytes" if size else ""
        sentence = f"The file is a Git LFS pointer, not the model{real} itself; fetch that with `git lfs pull`."
        return Foreign("pointer", sentence)
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        sentence = "The file is a web page, perhaps an error page saved in place of the model; download it again."
        return Foreign("web page", sentence)
    if _TIKTOKEN.match(head):
        return Foreign("tiktoken", "The file is a tiktoken list of a BPE tokenizer; only Unigram models can be opened.")
    return None


def _is_json(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data[2:40].replace(b"\0", b"").lstrip().startswith((b"{", b"["))
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    return re.match(rb'[\[{]\s*(?:["}\[{]|$)', head) is not None
