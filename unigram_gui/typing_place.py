"""Where in a text a person types: what the views keep in sight.

In: a text before and after a key. Out: a boundary of the text after. Pure strings, no Qt.
"""

from __future__ import annotations

MOST_TYPED = 8  # characters that a key, or an input method, changes at once


def typing_place(before: str, after: str) -> int | None:
    """The boundary behind what was typed or taken away; None where it is another text.

    >>> typing_place("unable", "unables"), typing_place("unable", "unble"), typing_place("unable", "abc")
    (7, 2, None)
    """
    shorter = min(len(before), len(after))
    first = _n_common(before, after)
    last = min(_n_common(before[::-1], after[::-1]), shorter - first)
    changed = max(len(before), len(after)) - first - last
    if changed > MOST_TYPED or (shorter and not first + last):
        return None
    return len(after) - last


def _n_common(a: str, b: str) -> int:
    """How many characters two strings begin with together: halves are compared whole, so long texts take no longer."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
