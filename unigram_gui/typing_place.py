"""Where in a text a person types: what the views keep in sight.

In: a text before and after a key. Out: a boundary of the text after. Pure strings, no Qt.
"""

from __future__ import annotations

MOST_TYPED = 8  # characters that a key, or an input method, changes at once
LEAST_KEPT = 0.5  # of a text that a person changes; where less is left it is another text


def typing_place(before: str, after: str) -> int | None:
    """The boundary behind what was typed or taken away; None where it is another text.

    >>> typing_place("unable", "unables"), typing_place("unable", "unble"), typing_place("unable", "abc")
    (7, 2, None)
    """
    shorter = min(len(before), len(after))
    first = _n_common(before, after)
    last = min(_n_common(before[::-1], after[::-1]), shorter - first)
    is_little = max(len(before), len(after)) - first - last <= MOST_TYPED
    is_kept = first + last >= LEAST_KEPT * len(before)
    return len(after) - last if first + last and (is_little or is_kept) else None


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
