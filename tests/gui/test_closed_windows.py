"""Facts that come after a further window is gone reach nobody."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent

from engine.corpus import Corpus
from tests.gui.conftest import Person


def test_a_session_goes_on_without_its_compare_and_parity_windows(person: Person) -> None:
    comparing, parity = person.window.session.comparing, person.window.session.parity
    desks = (person.window.compare, person.window.parity)
    windows = [desk.open() for desk in desks]
    person.waits()
    for desk in desks:
        desk.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not any(shiboken6.isValid(window) for window in windows)
    comparing.corpus_changed.emit(Corpus.from_texts(["a"]))
    comparing.corpus_started.emit()
    comparing.corpus_stopped.emit()
    comparing.said.emit("said")
    comparing.kept.emit(None, "key")
    parity.report_ended.emit()
    parity.said.emit("said")
