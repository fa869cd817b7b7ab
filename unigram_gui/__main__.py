"""`python -m unigram_gui` and the command `unigram-gui`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program; return its exit code."""
    from unigram_gui.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
