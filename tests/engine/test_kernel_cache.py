"""Machine code that cannot be saved or read is compiled and used all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

# A file lies where the folder of the kernel's machine code should: every way to read or save it is an OSError.
USE = """
import sys
from engine.kernels import jit
from engine.kernels.expected_counts import add_logs

place = jit.cache_folder() / f"expected_counts-{jit.module_digest('expected_counts')}"
if sys.argv[1] == "refused":
    place.touch()
assert abs(add_logs(-1.0, -2.0) - add_logs.py_func(-1.0, -2.0)) < 1e-12
jit.mark_complete()
print(place.is_dir(), jit.complete_mark().exists(), jit.cache_folder().parent.parent)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the cache directory is moved by XDG_CACHE_HOME")
@pytest.mark.parametrize(("disk", "is_saved"), [("refused", False), ("free", True)])
def test_a_disk_that_refuses_machine_code_stops_no_work_and_leaves_no_mark(
    tmp_path: Path, disk: str, is_saved: bool
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", USE, disk],
        cwd=REPOSITORY,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.split() == [str(is_saved), str(is_saved), str(tmp_path)]
