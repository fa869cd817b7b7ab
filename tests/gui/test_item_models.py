"""The tables: what their cells say, how they sort and filter, and that a million rows are no burden."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester

from engine.corpus import Corpus
from engine.corpus_statistics import CorpusFigures
from engine.history import TrainingHistory
from engine.model import UnigramModel
from engine.pieces import PieceTable, PieceType
from engine.spec import PRESETS, TrainerSpec
from engine.trainer import train
from tests.gui.conftest import ABC
from unigram_gui.item_models import corpus as corpus_columns
from unigram_gui.item_models import pruning as pruning_columns
from unigram_gui.item_models import vocabulary as vocabulary_columns
from unigram_gui.item_models.corpus import CorpusItemModel
from unigram_gui.item_models.ordered_table import VALUE_ROLE, OrderedTable
from unigram_gui.item_models.pruning import PruningItemModel
from unigram_gui.item_models.vocabulary import VocabularyItemModel
from unigram_gui.tasks.control import TaskControl

DESCENDING = Qt.SortOrder.DescendingOrder


def shown(table: OrderedTable, column: int) -> list[str]:
    return [str(table.index(row, column).data()) for row in range(table.rowCount())]


@pytest.fixture(scope="module")
def trained() -> tuple[UnigramModel, TrainingHistory]:
    run = train(ABC, PRESETS["Teaching"])
    run.result()
    assert run.model is not None
    assert run.history is not None
    return run.model, run.history


@pytest.fixture
def vocabulary(trained: tuple[UnigramModel, TrainingHistory]) -> VocabularyItemModel:
    table = VocabularyItemModel()
    table.set_vocabulary(*trained)
    return table


@pytest.fixture
def pruning(trained: tuple[UnigramModel, TrainingHistory]) -> PruningItemModel:
    table = PruningItemModel()
    table.set_round(trained[1], trained[1].prunings[0])
    return table


@pytest.fixture
def corpus() -> CorpusItemModel:
    table = CorpusItemModel()
    table.set_corpus(ABC)
    return table


def test_the_vocabulary_is_a_sound_model(vocabulary: VocabularyItemModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(vocabulary)


def test_the_pruning_round_is_a_sound_model(pruning: PruningItemModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(pruning)


def test_the_corpus_is_a_sound_model(corpus: CorpusItemModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(corpus)


def test_numbers_sort_as_numbers(corpus: CorpusItemModel) -> None:
    corpus.sort(corpus_columns.N, DESCENDING)
    assert shown(corpus, corpus_columns.N) == ["32", "24", "16", "12", "8", "8", "2", "2"]


def test_equal_keys_keep_their_order(corpus: CorpusItemModel) -> None:
    corpus.sort(corpus_columns.N)
    assert shown(corpus, corpus_columns.TEXT)[:4] == ["abca", "cab", "b", "c"]


def test_what_is_unknown_sorts_last_either_way(vocabulary: VocabularyItemModel) -> None:
    for order in (Qt.SortOrder.AscendingOrder, DESCENDING):
        vocabulary.sort(vocabulary_columns.LOSS, order)
        assert shown(vocabulary, vocabulary_columns.LOSS)[3:].count("protected") == 3


def test_sorting_by_no_column_restores_the_order_of_the_source(corpus: CorpusItemModel) -> None:
    before = shown(corpus, corpus_columns.TEXT)
    corpus.sort(corpus_columns.N)
    corpus.sort(-1)
    assert shown(corpus, corpus_columns.TEXT) == before


def test_a_persistent_index_follows_its_row_when_the_table_is_sorted(corpus: CorpusItemModel) -> None:
    from PySide6.QtCore import QPersistentModelIndex

    index = QPersistentModelIndex(corpus.index(5, corpus_columns.TEXT))
    corpus.sort(corpus_columns.N, DESCENDING)
    assert index.data() == "abc"
    assert index.row() == 3


def test_texts_sort_by_code_point(corpus: CorpusItemModel) -> None:
    corpus.sort(corpus_columns.TEXT)
    assert shown(corpus, corpus_columns.TEXT) == ["a", "ab", "abc", "abca", "b", "bc", "c", "cab"]


def test_a_filter_shows_only_its_rows_in_the_chosen_order(corpus: CorpusItemModel) -> None:
    corpus.sort(corpus_columns.N, DESCENDING)
    corpus.show_rows(np.array([0, 4, 5], dtype=np.int64))
    assert shown(corpus, corpus_columns.TEXT) == ["bc", "a", "abc"]
    corpus.show_rows(None)
    assert corpus.rowCount() == 8


def test_new_values_are_shown_without_the_filter_of_the_old_ones(corpus: CorpusItemModel) -> None:
    corpus.show_rows(np.array([0], dtype=np.int64))
    corpus.set_corpus(Corpus.from_counts({"x": 1, "y": 2}))
    assert shown(corpus, corpus_columns.TEXT) == ["x", "y"]


def test_tokens_and_loss_of_a_text_are_blank_until_they_are_known(corpus: CorpusItemModel) -> None:
    assert set(shown(corpus, corpus_columns.TOKENS)) == {""}
    corpus.set_figures(CorpusFigures(np.arange(8, dtype=np.int32), -np.arange(8) / 4, 7.0, 28))
    assert shown(corpus, corpus_columns.TOKENS)[:3] == ["0", "1", "2"]
    assert shown(corpus, corpus_columns.LOSS)[1:3] == ["0.2500", "0.5000"]


def test_a_space_in_a_piece_is_seen() -> None:
    pieces = PieceTable.from_rows([("<unk>", 0.0, PieceType.UNKNOWN), ("▁a", -1.0, PieceType.NORMAL)])
    table = VocabularyItemModel()
    table.set_vocabulary(UnigramModel(pieces), None)
    assert table.index(1, vocabulary_columns.PIECE).data() == "␣a"


def test_special_pieces_have_a_type_and_no_probability(vocabulary: VocabularyItemModel) -> None:
    assert [vocabulary.cell(0, column) for column in range(7)] == ["0", "<unk>", "unk", "", "", "", ""]


def test_the_removed_pieces_stand_above_the_cut(pruning: PruningItemModel) -> None:
    assert pruning.cut_row() == 1
    assert shown(pruning, pruning_columns.VERDICT) == ["removed"] + ["kept"] * 5 + ["protected"] * 3
    assert shown(pruning, pruning_columns.PIECE)[:2] == ["bca", "ca"]


def test_another_order_has_no_cut(pruning: PruningItemModel) -> None:
    pruning.sort(pruning_columns.P)
    assert pruning.cut_row() == -1


def test_a_tool_tip_tells_all_digits(pruning: PruningItemModel) -> None:
    tip = pruning.index(0, pruning_columns.LOSS).data(Qt.ItemDataRole.ToolTipRole)
    assert float(tip) == pruning.index(0, pruning_columns.LOSS).data(VALUE_ROLE)


def test_a_million_texts_are_shown_sorted_and_filtered() -> None:
    n = 1_000_000
    offsets = np.arange(n + 1, dtype=np.int64) * 4
    utf8 = np.tile(np.frombuffer(b"abcd", dtype=np.uint8), n)
    counts = np.arange(n, 0, -1, dtype=np.int64)
    table = CorpusItemModel()
    table.set_corpus(Corpus("many", utf8, offsets, counts, np.full(n, 4, dtype=np.int32), (), 0))
    table.order_requested.connect(lambda request: table.set_order(request(TaskControl())))
    table.sort(corpus_columns.N)
    assert table.rowCount(QModelIndex()) == n
    assert table.index(0, corpus_columns.N).data() == "1"
    table.show_rows(np.array([0, n - 1], dtype=np.int64))
    assert shown(table, corpus_columns.N) == ["1", "1,000,000"]


def test_a_widest_cell_is_among_those_of_the_extremes_whatever_the_types() -> None:
    kinds = [PieceType.UNKNOWN, PieceType.CONTROL, PieceType.NORMAL, PieceType.UNUSED, PieceType.NORMAL]
    scores = np.array([-999.0, -9999.0, -1.5, -123.456, -2.0])
    pieces = PieceTable(("<unk>", "<s>", "a", "b", "c"), scores, np.array(kinds, dtype=np.int8))
    table = VocabularyItemModel()
    table.set_vocabulary(UnigramModel(pieces), None)
    assert table.widest_cells(vocabulary_columns.LOG_P) == ["−1.500", "−123.456"]  # not those that have no score
    assert set(table.widest_cells(vocabulary_columns.TYPE)) == {"", "unk", "control", "unused"}
    assert table.widest_cells(vocabulary_columns.ID) == ["0", "4"]
    assert table.widest_cells(vocabulary_columns.COUNT) == [""]
    assert table.has_telling_types
    table.set_vocabulary(UnigramModel.from_probabilities({"x": 1.0}), None)
    assert table.widest_cells(vocabulary_columns.LOG_P) == ["0.000"]
    assert not table.has_telling_types


def test_a_character_at_the_least_count_says_why_it_scores_as_others_do() -> None:
    spec = TrainerSpec(vocab_size=10, min_expected_count=2.0)
    run = train(Corpus.from_counts({"ab": 30, "x": 1, "y": 2, "zz": 5}), spec)
    table = VocabularyItemModel()
    model = run.result()
    table.set_vocabulary(model, run.history)
    rows = {text: i for i, text in enumerate(model.pieces.texts)}
    column = vocabulary_columns.LOG_P
    assert table.value(rows["x"], column) == table.value(rows["y"], column)
    words = "expected less often than 2 times, it is scored as if 2 times"
    assert words in table.tool_tip(rows["x"], column)
    assert words not in table.tool_tip(rows["y"], column)
