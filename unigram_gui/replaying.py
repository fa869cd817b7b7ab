"""Connects the timeline and the training's own window with the session's replay. It owns no data.

Like the window: wishes of the views go to the replay, its facts go to the views.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from engine.timeline import Moment, TrainingState

if TYPE_CHECKING:
    from unigram_gui.main_window import MainWindow


class Replaying(QObject):
    """The connections of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._replay = window.session.replay
        window.timeline.hide()
        self._connect_wishes()
        self._connect_facts()

    def _connect_wishes(self) -> None:
        bar, replay = self._window.timeline, self._replay
        bar.place_requested.connect(self.go_to)
        bar.step_requested.connect(replay.step)
        bar.play_requested.connect(replay.toggle_playing)
        bar.speed_requested.connect(replay.set_speed)
        self._window.objective.update_requested.connect(self.go_to_update)

    def _connect_facts(self) -> None:
        bar, replay, session = self._window.timeline, self._replay, self._window.session
        replay.timeline_changed.connect(bar.set_timeline)
        replay.place_changed.connect(bar.set_place)
        replay.place_changed.connect(self._show_place)
        replay.playing_changed.connect(bar.set_playing)
        replay.before_changed.connect(self._window.questions.best_paths.set_before)
        session.moment_changed.connect(self._show_state)

    # What a person does.

    def toggle(self) -> None:
        """Show the timeline and put the focus on its slider, or hide it."""
        bar = self._window.timeline
        bar.setVisible(not bar.isVisible())
        if bar.isVisible():
            bar.slider.setFocus()

    def play(self) -> None:
        """Play the training, or pause."""
        self._window.timeline.show()
        self._replay.toggle_playing()

    def step(self, n: int) -> None:
        """Go on by some moments, or back."""
        self._window.timeline.show()
        self._replay.step(n)

    def go_to_end(self, *, first: bool) -> None:
        """Go to the table before training, or to the finished one."""
        self._window.timeline.show()
        self._replay.go_to_end(first=first)

    @Slot(int)
    def go_to(self, place: int) -> None:
        """Go to a moment by hand: whatever played stops."""
        self._replay.pause()
        self._replay.go_to(place)

    @Slot(int)
    def go_to_update(self, update: int) -> None:
        """Go to the table that an update made: a point of the curve."""
        timeline = self._replay.timeline
        if timeline is None:
            return
        for place, moment in enumerate(timeline.moments):
            if moment.kind == "update" and moment.place == update:
                self._window.timeline.show()
                self.go_to(place)

    # Facts.

    @Slot(object)
    def _show_state(self, state: TrainingState) -> None:
        window, history = self._window, self._window.session.history
        assert history is not None
        shown = replace(
            history,
            final_expected_counts=state.expected_counts,
            final_losses=state.losses,
            final_loss_is_bound=state.loss_is_bound,
        )
        window.vocabulary.set_vocabulary(state.model, shown)
        if needle := window.vocabulary.filter.text():
            window.session.filter_vocabulary(needle)

    @Slot(int)
    def _show_place(self, place: int) -> None:
        timeline = self._replay.timeline
        if timeline is None or place == len(timeline.moments) - 1:
            self._window.objective.set_moment(None)
            return
        moment = timeline.moments[place]
        self._window.objective.set_moment(_on_curve(timeline.moments, place), moment.loss)
        self._choose_round(moment)

    def _choose_round(self, moment: Moment) -> None:
        """Show the losses of the round that the moment belongs to."""
        rounds = [pruning.round for pruning in self._replay.timeline.history.prunings]  # type: ignore[union-attr]
        if moment.round in rounds:
            self._window.session.choose_round(rounds.index(moment.round))


def _on_curve(moments: tuple[Moment, ...], place: int) -> float:
    """Return where a moment lies on the curve of the updates: what is no update lies behind the one before it."""
    n_updates = sum(moment.kind == "update" for moment in moments[: place + 1])
    return n_updates - 1.0 if moments[place].kind == "update" else n_updates - 0.5
