"""The questions that the program asks in windows of their own. Each is one function, so that tests can answer."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from unigram_gui.command_line import version
from unigram_gui.number_text import counted

CORPORA = "Corpora (*.txt *.tsv *.gz *.xz);;All files (*)"
VOCABULARIES = "Vocabularies (*.model *.spm *.json *.tsv *.csv *.vocab);;All files (*)"
MODEL_FILES = "SentencePiece model (*.model);;tokenizer.json of HF tokenizers (*.json)"
SAFE = "safe to open in a spreadsheet"
TSV_FILES = (
    f"Tab-separated values (*.tsv);;Comma-separated values (*.csv);;Tab-separated, {SAFE} (*.tsv);;"
    f"Comma-separated, {SAFE} (*.csv);;SentencePiece's list of pieces (*.vocab)"
)
TEXTS = "Texts, one a line (*.txt *.gz *.xz);;All files (*)"
ENCODED_FILES = (
    "IDs, a line a text (*.ids);;Pieces, a line a text (*.pieces);;JSON lines of texts, IDs and pieces (*.jsonl);;"
    "NumPy array of all IDs (*.npy);;NumPy IDs and where each text begins (*.npz)"
)
REPORTS = "Tab-separated values (*.tsv)"
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg)"


def ask_corpora(parent: QWidget, folder: str) -> list[str]:
    """Ask for files to read texts from."""
    return QFileDialog.getOpenFileNames(parent, "Open corpus", folder, CORPORA)[0]


def ask_texts(parent: QWidget, folder: str) -> str:
    """Ask for a file of texts to encode; "" for none."""
    return QFileDialog.getOpenFileName(parent, "Encode a file", folder, TEXTS)[0]


def ask_vocabulary(parent: QWidget, folder: str) -> str:
    """Ask for a vocabulary to open; "" for none."""
    return QFileDialog.getOpenFileName(parent, "Open vocabulary", folder, VOCABULARIES)[0]


def ask_save(parent: QWidget, title: str, suggested: str, kinds: str, suffix: str) -> str:
    """Ask for a file to write, and complete its suffix; "" for none."""
    return ask_save_as(parent, title, suggested, kinds, suffix)[0]


def ask_save_as(parent: QWidget, title: str, suggested: str, kinds: str, suffix: str) -> tuple[str, str]:
    """Ask for a file to write, complete its suffix, and tell the kind that was chosen as well; "" for none."""
    path, chosen = QFileDialog.getSaveFileName(parent, title, suggested, kinds)
    return (_unless_kept(parent, title, path, kinds, chosen, suffix), chosen) if path else ("", chosen)


def _unless_kept(parent: QWidget, title: str, path: str, kinds: str, chosen: str, suffix: str) -> str:
    whole = completed(path, kinds, chosen, suffix)
    if whole != path and Path(whole).exists():  # the file dialog asked about the other name, if at all
        return whole if confirm(parent, title, f"{Path(whole).name} exists already. Replace it?") else ""
    return whole


def completed(path: str, kinds: str, chosen: str, suffix: str) -> str:
    """Return a path with the suffix of the chosen kind of file, if it has none or still that of another kind.

    The first kind is chosen without anybody's doing: beside it, a suffix that was typed holds.

    >>> kinds = "Tab-separated values (*.tsv);;Comma-separated values (*.csv)"
    >>> tabs, commas = kinds.split(";;")
    >>> completed("a", kinds, commas, ".tsv"), completed("a.tsv", kinds, commas, ".tsv")
    ('a.csv', 'a.csv')
    >>> completed("a", kinds, tabs, ".tsv"), completed("a.csv", kinds, tabs, ".tsv")
    ('a.tsv', 'a.csv')
    """
    known = re.findall(r"\*(\.\w+)", kinds)
    wanted = next(iter(re.findall(r"\*(\.\w+)", chosen)), suffix)
    typed = Path(path).suffix
    if not typed:
        return path + wanted
    return str(Path(path).with_suffix(wanted)) if typed in known and wanted != known[0] else path


def confirm(parent: QWidget, title: str, question: str) -> bool:
    """Ask before something that cannot be undone."""
    return QMessageBox.question(parent, title, question) == QMessageBox.StandardButton.Yes


def ask_unsaved(parent: QWidget, which: str, name: str = "", n_edits: int = 0) -> str:
    """Ask what to do with a vocabulary that would be lost, or with edits of it: "save", "discard" or "cancel".

    `which`: how it came about; "" where it is saved, and only edits of `name` would be lost.
    """
    buttons = QMessageBox.StandardButton
    question = f"The vocabulary {which} is not saved, and would be lost." if which else ""
    if n_edits:
        were = "was" if n_edits == 1 else "were"
        tried = f"{counted(n_edits, 'edit')} of {'it' if which else name} {were} tried out and not kept."
        question = f"{question} {tried} Save keeps what was edited.".lstrip()
    answer = QMessageBox.question(
        parent, "Unsaved vocabulary", question, buttons.Save | buttons.Discard | buttons.Cancel, buttons.Save
    )
    return {buttons.Save: "save", buttons.Discard: "discard"}.get(answer, "cancel")


def show_about(parent: QWidget, versions: str) -> None:
    """Say what the program is, and of which versions it is made."""
    box = QMessageBox(parent)
    box.setWindowTitle("About Unigram GUI")
    box.setText(f"<b>Unigram GUI {version()}</b>")
    box.setInformativeText(
        "Trains a Unigram tokenizer and shows every way it could cut a text: "
        f"the lattice, its best paths and what each piece is worth.\n\nLicence: Apache-2.0\n{versions}"
    )
    box.open()
