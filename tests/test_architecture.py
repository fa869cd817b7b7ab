"""The rooms of the house and the doors between them, read from the sources themselves.

Nothing is imported here: a module that breaks a rule is named, whether or not it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent

ENGINE_ORDER = (
    "errors",
    "values",
    "files",
    "slices",
    "shards",
    "kernels",
    "tables",
    "corpus_columns",
    "text_files",
    "corpus",
    "trie",
    "packed_trie",
    "charsmap",
    "normalizer",
    "memory",
    "batches",
    "pieces",
    "byte_fallback",
    "streaming",
    "typed_tokens",
    "paths",
    "marginals",
    "lattice",
    "what_if",
    "step_by_step",
    "sampling",
    "what_if",
    "sampling",
    "step_by_step",
    "encoder",
    "alignment",
    "alignment",
    "huggingface",
    "spec",
    "normalized_corpus",
    "flat_texts",
    "unit_tables",
    "words",
    "sentences",
    "suffixes",
    "seeds",
    "em",
    "pruning",
    "training_rules",
    "sentencepiece_rules",
    "formats",
    "model_content",
    "model",
    "edits",
    "edits",
    "history",
    "history_store",
    "training_step",
    "training_clock",
    "training_notes",
    "training_result",
    "trainer",
    "timeline",
    "ledger",
    "curves",
    "history_file",
    "teaching",
    "jobs",
    "encoded_files",
    "corpus_statistics",
    "criteria",
    "parity",
    "corpus_effect",
    "corpus_effect",
    "comparison",
    "warm_up",
)
"""The stages in the order of the pipeline: a module imports only from those above its own."""

SAYING_NOTHING = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
THREADS = {"concurrent", "multiprocessing", "threading"}


def _sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))


def _name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every import of a file, wherever it stands in it, as (module, name taken from it or "")."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_name(path)}:{node.lineno}: relative import; write the whole name"
            yield from ((node.module or "", alias.name) for alias in node.names)


def _top_levels(path: Path) -> set[str]:
    return {module.split(".")[0] for module, _ in _imports(path)}


def _engine_stages(path: Path) -> set[str]:
    """Return the stages of the engine that a file imports from."""
    stages = set()
    for module, name in _imports(path):
        parts = [*module.split("."), name]
        if parts[0] == "engine" and parts[1]:
            stages.add(parts[1])
    return stages


def _importers(of: set[str], *folders: str) -> set[str]:
    return {_name(path) for path in _sources(*folders) if of & _top_levels(path)}


def _reads_resources(path: Path) -> bool:
    return any(
        module.startswith(("importlib.resources", "resources"))
        or (module, name) == ("importlib", "resources")
        or module == "pkgutil"
        for module, name in _imports(path)
    )


def _stage(path: Path) -> str:
    return path.relative_to(REPOSITORY / "engine").with_suffix("").parts[0]


def test_every_stage_of_the_engine_has_its_place_in_the_order() -> None:
    assert {_stage(path) for path in _sources("engine")} - {"__init__"} <= set(ENGINE_ORDER)


@pytest.mark.parametrize("path", _sources("engine"), ids=_name)
def test_an_engine_module_imports_only_from_those_above_it(path: Path) -> None:
    stage = _stage(path)
    if stage == "__init__":
        return
    above = ENGINE_ORDER[: ENGINE_ORDER.index(stage)]
    within = {stage} if path.parent.name == stage else set()
    assert _engine_stages(path) <= {*above, *within}


def test_kernels_know_only_kernels() -> None:
    for path in _sources("engine/kernels"):
        assert _engine_stages(path) <= {"kernels", "errors"}, _name(path)


def test_the_engine_knows_neither_qt_nor_the_window() -> None:
    assert _importers({"PySide6", "shiboken6", "pyqtgraph", "unigram_gui"}, "engine") == set()


def test_the_compiler_is_met_only_where_something_is_compiled() -> None:
    assert _importers({"numba"}, "engine", "unigram_gui", "resources") == {"engine/kernels/compiler.py"}
    linkers = _importers({"llvmlite"}, "engine", "unigram_gui", "resources")
    assert linkers == {f"engine/kernels/{name}.py" for name in ("compiler", "jit", "machine_code")}


def test_kernels_are_exact_and_start_no_threads_of_their_own() -> None:
    # Scores may be -inf, which fastmath forbids; Numba's default thread layer is not thread-safe.
    for path in _sources("engine/kernels"):
        keywords = {node.arg for node in ast.walk(_tree(path)) if isinstance(node, ast.keyword)}
        names = {node.attr for node in ast.walk(_tree(path)) if isinstance(node, ast.Attribute)}
        names |= {node.id for node in ast.walk(_tree(path)) if isinstance(node, ast.Name)}
        assert not keywords & {"fastmath", "parallel"}, _name(path)
        assert "prange" not in names, _name(path)


def _prints(node: ast.AST) -> bool:
    is_print = isinstance(node, ast.Name) and node.id == "print"
    return is_print or (isinstance(node, ast.Attribute) and node.attr in {"stdout", "stderr"})


def test_the_engine_prints_nothing() -> None:
    for path in _sources("engine"):
        assert not any(map(_prints, ast.walk(_tree(path)))), _name(path)


def test_views_and_item_models_know_the_engines_types_and_call_none_of_its_functions() -> None:
    for path in _sources("unigram_gui/views", "unigram_gui/item_models"):
        for module, name in _imports(path):
            if module.split(".")[0] == "engine":
                assert name[:1].isupper(), f"{_name(path)} imports {name or 'all'} of {module}"


def test_threads_belong_to_the_window_only_in_its_tasks() -> None:
    importers = _importers(THREADS, "unigram_gui")
    importers |= {
        _name(path)
        for path in _sources("unigram_gui")
        if any(name in {"QThread", "QThreadPool", "QRunnable"} for _, name in _imports(path))
    }
    assert {name for name in importers if not name.startswith("unigram_gui/tasks/")} == set()


def test_resources_have_one_reader_in_the_engine_and_one_in_the_window() -> None:
    readers = {_name(path) for path in _sources("engine", "unigram_gui") if _reads_resources(path)}
    assert readers <= {"engine/tables.py", "unigram_gui/assets.py"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    for path in _sources("engine", "unigram_gui", "resources"):
        for part in path.relative_to(REPOSITORY).with_suffix("").parts:
            assert not SAYING_NOTHING & set(part.split("_")), _name(path)


def _lines_of_functions() -> list[int]:
    """Return the length of every function's body, docstring aside, shortest first."""
    lengths = []
    for path in _sources("engine", "unigram_gui"):
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lengths.append((body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0)
    return sorted(lengths)


def test_half_of_the_functions_are_under_8_lines_and_nine_in_ten_under_25() -> None:
    lengths = _lines_of_functions()
    assert lengths[len(lengths) // 2] < 8
    assert lengths[len(lengths) * 9 // 10] < 25


def test_the_top_level_holds_only_what_the_readme_names() -> None:
    folders = {path.name for path in REPOSITORY.iterdir() if (path / "__init__.py").is_file()}
    assert folders - {"tests"} == {"engine", "resources", "unigram_gui"}
