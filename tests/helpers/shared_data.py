"""Names of the shared models and texts that tests are parametrised over."""

from __future__ import annotations

import os
from pathlib import Path

MODELS = (
    "bigbird_gpt2.model",
    "kerashub_gemma4_test_vocab.spm",
    "kerashub_gemma_export_vocab.spm",
    "kerashub_no_special_token_vocab.spm",
    "kitoken_xlnet_base_cased.model",
    "llmjp_ver2.2_50k.model",
    "onmt_sp.model",
    "ort_chatglm6b_ice_text.model",
    "ort_nmt_vocab.joint.spm",
    "seqio_sentencepiece.model",
    "sp_test_ja_model.model",
    "sp_test_model.model",
    "torchtext_t5_tokenizer_base.model",
)

NASTY = (
    "",
    " ",
    "  ab  ab  ",
    "\t\n\r\v\f",
    "a\0b\x01c\x7fd\x85e",
    "<s>ab</s> <unk> <pad> <0x0A> [CLS]",
    "▁ab▁ ab",
    "漢字ab漢 字",
    "👨‍👩‍👧‍👦 family 1\ufe0f\u20e3 🇩🇪",
    "e\u0301a \u1100\u1161\u11a8 \u30d5\u309a",
    "ＡＢＣ①② ﬁ ½ ㍿ ﷺ",
    "\ufeffa\u200bb\u200cc\u200dd\u2028e\u00a0f\u3000g",
    "nooooo" + "o" * 300,
    "." + "?" * 11 + "-" * 55,
    "é" * 50 + "\U0010ffff\ue000\ufffd\u2047",
    "שלום (א) 123 سنة ٢٠٢١",
    "x" * 500,
)


def shared_folder() -> Path:
    """Return the folder of shared data: what UNIGRAM_SHARED names, or `shared` beside the repository."""
    return Path(os.environ.get("UNIGRAM_SHARED") or Path(__file__).parents[3] / "shared")


def sample_lines(shared: Path, n: int = 250) -> list[str]:
    """Return nasty texts and lines spread over an English and a Japanese novel."""
    lines = list(NASTY)
    for name in ("botchan.txt", "wagahaiwa_nekodearu.txt"):
        text = (shared / "data" / "corpora" / name).read_text(encoding="utf-8").split("\n")
        lines += text[:: max(len(text) // n, 1)]
    return lines
