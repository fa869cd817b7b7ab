"""How long a thread keeps the interpreter from one that waits for it.

While the Qt thread waits for events, a worker hands the interpreter over within a millisecond. While it answers a key
it keeps it: on a machine that trains on all processors, a thread that gave it up comes back only a time slice of the
system later, some milliseconds, and that several times a key.
"""

from __future__ import annotations

import sys

SHARED_SECONDS, KEPT_SECONDS = 0.001, 0.03


def share() -> None:
    """Let threads take turns quickly."""
    sys.setswitchinterval(SHARED_SECONDS)


def keep() -> None:
    """Let the thread that runs go on for the length of a frame or two; follow it with `share`."""
    sys.setswitchinterval(KEPT_SECONDS)
