"""What the corpus loses with each piece: exactly over all paths, and as SentencePiece approximates it.

The exact loss of a piece in one unit is -ln of the share of Z on paths without it. Paths without it are counted by
a forward pass from its first occurrence to its last that leaves its edges out; behind the last occurrence the
backward sums serve. For a piece that occurs once this pass is the sum of the edges that cross its first character.
Single characters are never removed, and have no loss.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.expected_counts import forward
from engine.kernels.jit import kernel

SUBTRACT_BELOW = 0.999
"""Up to this posterior 1 - posterior keeps twelve digits; above it the other paths are summed themselves."""


@kernel
def sum_without(
    piece, begin, end, longest, edge_offsets, edge_piece, edge_length, start, edge_weight, alpha, beta, other
):
    """Return the sum of all paths that avoid `piece`, whose occurrences begin at positions begin..end."""
    base = edge_offsets[start]
    total = 0.0
    for i in range(begin + 1, end + 1):
        other[i] = 0.0
    for i in range(max(0, begin - longest + 1), end + 1):
        a = alpha[i] if i <= begin else other[i]
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            j = i + np.int64(edge_length[e])
            if j <= begin or edge_piece[e] == piece:
                continue
            if j <= end:
                other[j] += a * edge_weight[e - base]
            else:
                total += a * edge_weight[e - base] * beta[j]
    return total


@kernel
def minus_log_without(share):
    """Return -ln(1 - share) for 0 <= share < 1, to the last digit: a series where that is enough, which is fast."""
    if share > 1e-3:
        return -math.log1p(-share)
    return share * (1 + share * (1 / 2 + share * (1 / 3 + share * (1 / 4 + share * (1 / 5 + share / 6)))))


@kernel
def find_repeats(unit_offsets, edge_offsets, edge_piece, edge_length, first, last, seen_in, has_repeats):
    """Tell, for units first..last-1, whether a piece of two characters or more occurs twice in the unit.

    seen_in[p] is any unit before `first`, or -1.
    """
    for unit in range(first, last):
        has_repeats[unit] = False
        for e in range(edge_offsets[unit_offsets[unit]], edge_offsets[unit_offsets[unit + 1]]):
            piece = edge_piece[e]
            if edge_length[e] > 1:
                if seen_in[piece] == unit:
                    has_repeats[unit] = True
                seen_in[piece] = unit


@kernel
def lose_once(
    count, z, longest, edge_offsets, edge_piece, edge_length, start, n,
    edge_weight, alpha, beta, other, losses,
):  # fmt: skip
    """Add the losses of a unit in which no removable piece repeats; fills beta."""
    base = edge_offsets[start]
    beta[n] = 1.0
    for i in range(n - 1, -1, -1):
        outside = alpha[i] / z
        b = 0.0
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
            b += t
            if edge_length[e] == 1:
                continue
            posterior = outside * t
            if posterior < SUBTRACT_BELOW:
                losses[piece] += count * minus_log_without(posterior)
                continue
            rest = sum_without(
                piece, i, i, longest, edge_offsets, edge_piece, edge_length, start, edge_weight, alpha, beta, other
            )
            losses[piece] += count * (math.log(z / rest) if rest > 0.0 else np.inf)
        beta[i] = b


@kernel
def find_occurrences(
    z, edge_offsets, edge_piece, edge_length, start, n, edge_weight, alpha, beta, first_at, last_at, largest
):
    """Fill beta, and for each piece of a unit where it occurs first and last, and its largest posterior."""
    base = edge_offsets[start]
    beta[n] = 1.0
    for i in range(n - 1, -1, -1):
        b = 0.0
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
            b += t
            posterior = alpha[i] * t / z
            if first_at[piece] < 0:
                last_at[piece] = i
                largest[piece] = posterior
            elif posterior > largest[piece]:
                largest[piece] = posterior
            first_at[piece] = i
        beta[i] = b


@kernel
def lose_repeats(
    count, z, is_wanted, repeats_only, longest, edge_offsets, edge_piece, edge_length, start, n,
    edge_weight, alpha, beta, other, first_at, last_at, largest, losses, bounds,
):  # fmt: skip
    """Add the losses of a unit whose occurrences were found; return the work put off, in edges."""
    base = edge_offsets[start]
    put_off = 0.0
    for i in range(n):
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            piece = edge_piece[e]
            if first_at[piece] != i or edge_length[e] == 1:
                continue
            if last_at[piece] == i:
                if repeats_only:
                    continue
                if largest[piece] < SUBTRACT_BELOW:
                    losses[piece] += count * minus_log_without(largest[piece])
                    continue
            elif not is_wanted[piece]:
                if not repeats_only:
                    bounds[piece] += count * minus_log_without(min(largest[piece], 1.0 - 1e-12))
                    reach = last_at[piece] - max(0, i - longest + 1) + 1
                    put_off += reach * (edge_offsets[start + n] - base) / n
                continue
            rest = sum_without(
                piece, i, last_at[piece], longest, edge_offsets, edge_piece, edge_length, start,
                edge_weight, alpha, beta, other,
            )  # fmt: skip
            losses[piece] += count * (math.log(z / rest) if rest > 0.0 else np.inf)
    for e in range(base, edge_offsets[start + n]):
        first_at[edge_piece[e]] = -1
    return put_off


@kernel
def exact_losses(
    unit_offsets, unit_counts, has_repeats, edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe,
    longest, is_wanted, repeats_only, first, last,
    edge_weight, alpha, beta, log_alpha, other, first_at, last_at, largest,
    losses, bounds,
):  # fmt: skip
    """Add up the losses over units first..last-1; return (sum of their count x ln Z, work put off).

    losses[p] gets what is exact: units where p occurs once, and, where is_wanted[p], those where it occurs again.
    Where it is not wanted, bounds[p] gets a lower bound for the latter, -f ln(1 - largest posterior). With
    `repeats_only` units where a piece occurs once are left out. first_at must be -1 everywhere; it is on return.
    Returned is also how many edges the exact passes that were put off would visit.
    """
    total = 0.0
    put_off = 0.0
    for unit in range(first, last):
        if repeats_only and not has_repeats[unit]:
            continue
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        count = unit_counts[unit]
        log_z = forward(
            edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe, start, n,
            edge_weight, alpha, log_alpha,
        )  # fmt: skip
        total += count * log_z
        if not has_repeats[unit]:
            lose_once(
                count, alpha[n], longest, edge_offsets, edge_piece, edge_length, start, n,
                edge_weight, alpha, beta, other, losses,
            )  # fmt: skip
            continue
        find_occurrences(
            alpha[n], edge_offsets, edge_piece, edge_length, start, n,
            edge_weight, alpha, beta, first_at, last_at, largest,
        )  # fmt: skip
        put_off += lose_repeats(
            count, alpha[n], is_wanted, repeats_only, longest, edge_offsets, edge_piece, edge_length,
            start, n, edge_weight, alpha, beta, other, first_at, last_at, largest, losses, bounds,
        )  # fmt: skip
    return total, put_off


@kernel
def best_without(
    piece, begin, end, longest, edge_offsets, edge_piece, edge_length, log_p, start, best, best_after, other
):
    """Return the score of the best path that avoids `piece`, whose occurrences begin at positions begin..end."""
    found = -np.inf
    for i in range(begin + 1, end + 1):
        other[i] = -np.inf
    for i in range(max(0, begin - longest + 1), end + 1):
        a = best[i] if i <= begin else other[i]
        if a == -np.inf:
            continue
        for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
            j = i + np.int64(edge_length[e])
            if j <= begin or edge_piece[e] == piece:
                continue
            score = a + log_p[edge_piece[e]]
            if j > end:
                found = max(found, score + best_after[j])
            elif score > other[j]:
                other[j] = score
    return found


@kernel
def viterbi_losses(
    unit_offsets, unit_counts, edge_offsets, edge_piece, edge_length, log_p, longest, first, last,
    best, best_edge, best_after, other, first_at, last_at, losses,
):  # fmt: skip
    """Add, for units first..last-1, by how much the best path falls without each piece that is on it.

    first_at must be -1 everywhere; it is on return.
    """
    for unit in range(first, last):
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        for i in range(n + 1):
            best[i] = -np.inf
            best_after[i] = -np.inf
        best[0] = 0.0
        best_after[n] = 0.0
        for i in range(n):
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                piece = edge_piece[e]
                j = i + np.int64(edge_length[e])
                score = best[i] + log_p[piece]
                if score > best[j]:
                    best[j] = score
                    best_edge[j] = e
                if first_at[piece] < 0:
                    first_at[piece] = i
                last_at[piece] = i
        for i in range(n - 1, -1, -1):
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                best_after[i] = max(best_after[i], log_p[edge_piece[e]] + best_after[i + np.int64(edge_length[e])])
        j = n
        while j > 0:
            e = best_edge[j]
            piece = edge_piece[e]
            j -= np.int64(edge_length[e])
            if first_at[piece] < 0 or edge_length[e] == 1:
                continue
            rest = best_without(
                piece, first_at[piece], last_at[piece], longest, edge_offsets, edge_piece, edge_length, log_p, start,
                best, best_after, other,
            )  # fmt: skip
            losses[piece] += unit_counts[unit] * (best[n] - rest)
            first_at[piece] = -1  # once a unit, however often it is on the path
        for e in range(edge_offsets[start], edge_offsets[start + n]):
            first_at[edge_piece[e]] = -1


@kernel
def best_path_counts(
    unit_offsets, unit_counts, edge_offsets, edge_piece, edge_length, log_p, first, last, best, best_edge, counts
):
    """Add, for units first..last-1, the unit's count to each piece of its best path (ties: longest last piece)."""
    for unit in range(first, last):
        start = unit_offsets[unit]
        n = unit_offsets[unit + 1] - start
        best[0] = 0.0
        for i in range(1, n + 1):
            best[i] = -np.inf
        for i in range(n):
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                piece = edge_piece[e]
                j = i + np.int64(edge_length[e])
                score = best[i] + log_p[piece]
                if score > best[j]:
                    best[j] = score
                    best_edge[j] = e
        j = n
        while j > 0:
            e = best_edge[j]
            counts[edge_piece[e]] += unit_counts[unit]
            j -= np.int64(edge_length[e])


@kernel
def sentencepiece_losses(
    edge_offsets, edge_piece, edge_length, lengths, log_p, starts, best_counts, total, first, last,
    best, best_edge, losses,
):  # fmt: skip
    """Write SentencePiece's loss of pieces first..last-1: all their uses go over to the best other split.

    f (ln P - sum ln P of the split's pieces), f being the piece's count on best paths, `total` the sum of all, and
    the split's counts raised by f (sentencepiece, PruneSentencePieces, there divided by the number of units). A
    piece that is on no best path, or whose best split is better than itself, gets -inf; one without any other
    split gets inf.
    """
    for p in range(first, last):
        start = starts[p]
        n = lengths[p]
        best[0] = 0.0
        for i in range(1, n + 1):
            best[i] = -np.inf
        for i in range(n):
            if best[i] == -np.inf:
                continue
            for e in range(edge_offsets[start + i], edge_offsets[start + i + 1]):
                j = i + np.int64(edge_length[e])
                if j > n or edge_piece[e] == p:
                    continue
                score = best[i] + log_p[edge_piece[e]]
                if score > best[j]:
                    best[j] = score
                    best_edge[j] = e
        count = best_counts[p]
        if best[n] == -np.inf:
            losses[p] = np.inf
        elif count == 0 or best[n] > log_p[p]:
            losses[p] = -np.inf
        else:
            n_split = 0
            log_counts = 0.0
            j = n
            while j > 0:
                e = best_edge[j]
                log_counts += math.log(best_counts[edge_piece[e]] + count)
                n_split += 1
                j -= np.int64(edge_length[e])
            log_total = math.log(total + count * (n_split - 1))
            log_own = math.log(count) - math.log(total)
            losses[p] = count * (log_own - (log_counts - n_split * log_total))
