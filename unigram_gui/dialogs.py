"""The questions that the program asks in windows of their own. Each is one function, so that tests can answer."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from unigram_gui.command_line import version

CORPORA = "Corpora (*.txt *.tsv *.gz *.xz);;All files (*)"
VOCABULARIES = "Vocabularies (*.model *.spm *.json *.tsv *.vocab);;All files (*)"
MODEL_FILES = "SentencePiece model (*.model)"
TSV_FILES = "Tab-separated values (*.tsv)"
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg)"


def ask_corpora(parent: QWidget, folder: str) -> list[str]:
    """Ask for files to read texts from."""
    return QFileDialog.getOpenFileNames(parent, "Open corpus", folder, CORPORA)[0]


def ask_vocabulary(parent: QWidget, folder: str) -> str:
    """Ask for a vocabulary to open; "" for none."""
    return QFileDialog.getOpenFileName(parent, "Open vocabulary", folder, VOCABULARIES)[0]


def ask_save(parent: QWidget, title: str, suggested: str, kinds: str, suffix: str) -> str:
    """Ask for a file to write, and complete its suffix; "" for none."""
    path, chosen = QFileDialog.getSaveFileName(parent, title, suggested, kinds)
    if not path:
        return ""
    if "." in path.replace("\\", "/").rsplit("/", 1)[-1]:
        return path
    return path + (".svg" if "svg" in chosen else suffix)


def confirm(parent: QWidget, title: str, question: str) -> bool:
    """Ask before something that cannot be undone."""
    return QMessageBox.question(parent, title, question) == QMessageBox.StandardButton.Yes


def ask_unsaved(parent: QWidget, name: str) -> str:
    """Ask what to do with a vocabulary that would be lost: "save", "discard" or "cancel"."""
    buttons = QMessageBox.StandardButton
    question = f"The vocabulary trained on {name} was trained here and is not saved."
    answer = QMessageBox.question(
        parent, "Close Unigram GUI", question, buttons.Save | buttons.Discard | buttons.Cancel, buttons.Save
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
