"""What the corpus loses with each piece: exactly over all paths, and as SentencePiece approximates it.

The exact loss of a piece in one unit is -ln of the share of Z on paths without it. The share of the paths with it is
its posterior where it occurs once; where it occurs again, a forward pass from its first occurrence to its last carries
along what already used it, so that each path is counted at its first use. Where almost all paths use it, those
without it are summed themselves. Single characters are never removed, and have no loss.

The shares wait in a list and become logarithms many at a time, for which the processor has wide instructions.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.expected_counts import edges_from, forward
from engine.kernels.jit import inlined_kernel, kernel

SUBTRACT_BELOW = 0.999
"""Up to this share 1 - share keeps twelve digits; above it the other paths are summed themselves."""

WAITING = 1024
"""How many shares wait before they become losses; beside them the list has room for those of one more unit."""

_SQRT_2_BITS = 0x00095F6400000000
"""Added to the bits of a float64, this carries into the exponent where the fraction is sqrt 2 or more."""

_LN_2_HIGH, _LN_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2 in two parts; times a small whole number the first is exact."""


@kernel
def sum_without(
    piece, begin, end, longest, edge_offsets, edge_piece, edge_length, start, edge_weight, alpha, beta, other
):
    """Return the sum of all paths that avoid `piece`, whose occurrences begin at positions begin..end."""
    base = np.uint64(edge_offsets[start])
    total = 0.0
    for i in range(begin + 1, end + 1):
        other[i] = 0.0
    for i in range(max(0, begin - longest + 1), end + 1):
        a = alpha[i] if i <= begin else other[i]
        for edge in range(edge_offsets[start + i + 1] - 1, edge_offsets[start + i] - 1, -1):  # long pieces first
            e = np.uint64(edge)
            j = i + np.int64(edge_length[e])
            if j <= begin:
                break
            if edge_piece[e] == piece:
                continue
            if j <= end:
                other[j] += a * edge_weight[e - base]
            else:
                total += a * edge_weight[e - base] * beta[j]
    return total


@inlined_kernel
def minus_log_without(share):
    """Return -ln(1 - share) for 0 <= share <= 0.999, to 1e-15 of it, without a branch.

    1 - share = (1 - x) 2^-k with 1 - x between sqrt(1/2) and sqrt 2, x being the share itself where k is 0, so that a
    small one keeps its digits; -ln(1 - x) = 2 artanh(s) = 2 (s + s^3/3 + ...), s = x / (2 - x). The polynomial for the
    rest of the series is that of fdlibm (e_log.c), good to 2^-58.
    """
    without = np.float64(1.0 - share)
    k = np.int64(1023) - ((without.view(np.int64) + _SQRT_2_BITS) >> 52)
    x = share if k == 0 else 1.0 - without * np.int64((k + 1023) << 52).view(np.float64)
    s = np.divide(x, 2.0 - x)  # without the test for a zero below, which would keep loops from being vectorized
    z = s * s
    rest = z * (
        6.666666666666735130e-01
        + z * (3.999999999940941908e-01
        + z * (2.857142874366239149e-01
        + z * (2.222219843214978396e-01
        + z * (1.818357216161805012e-01
        + z * (1.531383769920937332e-01
        + z * 1.479819860511658591e-01)))))
    )  # fmt: skip
    return k * _LN_2_HIGH + (k * _LN_2_LOW + x + s * (x + rest))


@kernel
def find_repeats(unit_offsets, edge_offsets, edge_piece, edge_length, first, last, seen_in, has_repeats):
    """Tell, for units first..last-1, whether a piece of two characters or more occurs twice in the unit.

    seen_in[p] is any unit before `first`, or -1.
    """
    for unit in range(first, last):
        has_repeats[unit] = False
        for e in range(np.uint64(edge_offsets[unit_offsets[unit]]), np.uint64(edge_offsets[unit_offsets[unit + 1]])):
            piece = np.uint32(edge_piece[e])
            if edge_length[e] > 1:
                if seen_in[piece] == unit:
                    has_repeats[unit] = True
                seen_in[piece] = unit


@kernel
def add_waiting(n_waiting, waiting, losses):
    """Add count x -ln(1 - share) to the losses of the pieces that wait: (piece, share, count)."""
    waiting_piece, waiting_share, waiting_count = waiting
    for k in range(n_waiting):
        waiting_share[k] = waiting_count[k] * minus_log_without(waiting_share[k])
    for k in range(n_waiting):
        losses[np.uint32(waiting_piece[k])] += waiting_share[k]


@kernel
def loss_of_most(
    count, z, piece, begin, end, longest, edge_offsets, edge_piece, edge_length, start,
    edge_weight, alpha, beta, other,
):  # fmt: skip
    """Return the loss of a piece that almost all paths use."""
    rest = sum_without(
        piece, begin, end, longest, edge_offsets, edge_piece, edge_length, start, edge_weight, alpha, beta, other
    )
    return count * (math.log(z / rest) if rest > 0.0 else np.inf)


@inlined_kernel
def lose_once(
    count, longest, edge_offsets, edge_piece, edge_length, start, n,
    edge_weight, alpha, beta, other, n_waiting, waiting, losses,
):  # fmt: skip
    """Let the shares of a unit in which no removable piece repeats wait; return how many wait now. Fills beta."""
    waiting_piece, waiting_share, waiting_count = waiting
    base = np.uint64(edge_offsets[start])
    scale = 1.0 / alpha[n]
    beta[n] = 1.0
    k = np.uint64(n_waiting)
    for i in range(n - 1, -1, -1):
        outside = scale * alpha[i]
        b = 0.0
        first, end = edges_from(edge_offsets, start + i)
        if first < end and edge_length[first] == 1:
            b = edge_weight[first - base] * beta[i + 1]
            first += np.uint64(1)
        for e in range(first, end):
            t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
            b += t
            share = outside * t
            if share >= SUBTRACT_BELOW:
                losses[np.uint32(edge_piece[e])] += loss_of_most(
                    count, alpha[n], edge_piece[e], i, i, longest, edge_offsets, edge_piece, edge_length, start,
                    edge_weight, alpha, beta, other,
                )  # fmt: skip
                continue
            waiting_piece[k] = edge_piece[e]
            waiting_share[k] = share
            waiting_count[k] = count
            k += np.uint64(1)
        beta[i] = b
    return np.int64(k)


@kernel
def find_occurrences(edge_offsets, edge_piece, edge_length, start, n, edge_weight, alpha, beta, occurrences):
    """Fill beta, and for each edge where its piece occurs last and the largest posterior that it has from here on.

    `occurrences` are (newest, last_at, largest). newest[p] is an edge before the unit's, or -1. The others are of the
    unit's edges; last_at is -1 where the piece occurs before, too, and for single characters.
    """
    newest, last_at, largest = occurrences
    base = np.uint64(edge_offsets[start])
    scale = 1.0 / alpha[n]
    beta[n] = 1.0
    for i in range(n - 1, -1, -1):
        outside = scale * alpha[i]
        b = 0.0
        for e in range(*edges_from(edge_offsets, start + i)):
            piece = np.uint32(edge_piece[e])
            t = edge_weight[e - base] * beta[i + np.int64(edge_length[e])]
            b += t
            largest[e - base] = outside * t
            last_at[e - base] = -1
            if edge_length[e] == 1:
                continue
            last_at[e - base] = i
            if newest[piece] >= edge_offsets[start]:
                later = np.uint64(newest[piece]) - base
                largest[e - base] = max(outside * t, largest[later])
                last_at[e - base] = last_at[later]
                last_at[later] = -1
            newest[piece] = e
        beta[i] = b


@kernel
def share_with(
    piece, begin, end, edge_offsets, edge_piece, edge_length, start, n, edge_weight, alpha, beta, used
):
    """Return the share of Z on paths that use `piece`, whose occurrences begin at positions begin..end.

    used[i] is the sum of the paths to i that used it already: what is new at an occurrence are the others.
    """
    base = np.uint64(edge_offsets[start])
    total = 0.0
    for i in range(begin, end + 1):
        used[i] = 0.0
    for i in range(begin, end + 1):
        for e in range(*edges_from(edge_offsets, start + i)):
            j = i + np.int64(edge_length[e])
            a = used[i]
            if edge_piece[e] == piece:
                total += (alpha[i] - a) * edge_weight[e - base] * beta[j]
                a = alpha[i]
            if j <= end:
                used[j] += a * edge_weight[e - base]
    return total / alpha[n]


@kernel
def lose_single(
    count, z, longest, edge_offsets, edge_piece, edge_length, start, n,
    edge_weight, alpha, beta, other, occurrences, n_waiting, waiting, losses,
):  # fmt: skip
    """Let the shares of pieces that occur once wait; return how many wait now, and the edges to visit for the others.

    The unit's occurrences are found already.
    """
    _, last_at, largest = occurrences
    waiting_piece, waiting_share, waiting_count = waiting
    base = np.uint64(edge_offsets[start])
    k = np.uint64(n_waiting)
    reach = 0
    for i in range(n):
        for e in range(*edges_from(edge_offsets, start + i)):
            last = last_at[e - base]
            if last > i:
                reach += last - i + 1
            elif last == i and largest[e - base] >= SUBTRACT_BELOW:
                losses[np.uint32(edge_piece[e])] += loss_of_most(
                    count, z, edge_piece[e], i, i, longest, edge_offsets, edge_piece, edge_length, start,
                    edge_weight, alpha, beta, other,
                )  # fmt: skip
                continue
            waiting_piece[k] = edge_piece[e]
            waiting_share[k] = largest[e - base]
            waiting_count[k] = count
            k += np.uint64(last == i)
    return np.int64(k), reach * (edge_offsets[start + n] - edge_offsets[start]) / n


@kernel
def lose_repeated(
    count, z, is_wanted, longest, edge_offsets, edge_piece, edge_length, start, n,
    edge_weight, alpha, beta, other, occurrences, n_waiting, waiting, losses,
):  # fmt: skip
    """Let the shares of wanted pieces that occur again wait; return how many wait now.

    The unit's occurrences are found already.
    """
    _, last_at, _ = occurrences
    waiting_piece, waiting_share, waiting_count = waiting
    base = np.uint64(edge_offsets[start])
    for i in range(n):
        for e in range(*edges_from(edge_offsets, start + i)):
            piece, last = np.uint32(edge_piece[e]), last_at[e - base]
            if last <= i or not is_wanted[piece]:
                continue
            share = share_with(
                edge_piece[e], i, last, edge_offsets, edge_piece, edge_length, start, n, edge_weight, alpha, beta, other
            )
            if share < SUBTRACT_BELOW:
                waiting_piece[n_waiting] = piece
                waiting_share[n_waiting] = share
                waiting_count[n_waiting] = count
                n_waiting += 1
            else:
                losses[piece] += loss_of_most(
                    count, z, edge_piece[e], i, last, longest, edge_offsets, edge_piece, edge_length, start,
                    edge_weight, alpha, beta, other,
                )  # fmt: skip
    return n_waiting


@kernel
def bound_repeated(count, edge_offsets, edge_piece, edge_length, start, n, occurrences, bounds):
    """Add a lower bound for each piece that occurs again, -f ln(1 - largest posterior)."""
    _, last_at, largest = occurrences
    base = np.uint64(edge_offsets[start])
    for i in range(n):
        for e in range(*edges_from(edge_offsets, start + i)):
            if last_at[e - base] > i:
                bounds[np.uint32(edge_piece[e])] += count * minus_log_without(min(largest[e - base], 1.0 - 1e-12))


@kernel
def exact_losses(
    unit_offsets, unit_counts, has_repeats, edge_offsets, edge_piece, edge_length, weights, log_p, log_kappa, is_safe,
    longest, at_once, is_wanted, is_put_off, only_put_off, first, last,
    edge_weight, alpha, beta, log_alpha, other, occurrences, waiting, losses, bounds,
):  # fmt: skip
    """Add up the losses over units first..last-1; return (sum of their count x ln Z, work put off).

    losses[p] gets what is exact. The passes for pieces that occur again are done as long as they visit, in all units,
    at most `at_once` times the edges of all. Elsewhere they are put off: is_put_off[unit], False before, is set, and
    bounds[p] gets a lower bound for the unit's loss, -f ln(1 - largest posterior). Returned is also how many edges the
    passes that were put off would visit. With `only_put_off` it is those that are done now, for pieces p with
    is_wanted[p].
    """
    left = float(at_once * (edge_offsets[unit_offsets[last]] - edge_offsets[unit_offsets[first]]))
    total = 0.0
    put_off = 0.0
    n_waiting = 0
    for unit in range(first, last):
        if only_put_off and not is_put_off[unit]:
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
            n_waiting = lose_once(
                count, longest, edge_offsets, edge_piece, edge_length, start, n,
                edge_weight, alpha, beta, other, n_waiting, waiting, losses,
            )  # fmt: skip
        else:
            find_occurrences(edge_offsets, edge_piece, edge_length, start, n, edge_weight, alpha, beta, occurrences)
            work = 0.0
            if not only_put_off:
                n_waiting, work = lose_single(
                    count, alpha[n], longest, edge_offsets, edge_piece, edge_length, start, n,
                    edge_weight, alpha, beta, other, occurrences, n_waiting, waiting, losses,
                )  # fmt: skip
            if work > left:
                is_put_off[unit] = True
                put_off += work
                bound_repeated(count, edge_offsets, edge_piece, edge_length, start, n, occurrences, bounds)
            else:
                left -= work
                n_waiting = lose_repeated(
                    count, alpha[n], is_wanted, longest, edge_offsets, edge_piece, edge_length, start, n,
                    edge_weight, alpha, beta, other, occurrences, n_waiting, waiting, losses,
                )  # fmt: skip
        if n_waiting >= WAITING:
            add_waiting(n_waiting, waiting, losses)
            n_waiting = 0
    add_waiting(n_waiting, waiting, losses)
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
        for e in range(*edges_from(edge_offsets, start + i)):
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
            for e in range(*edges_from(edge_offsets, start + i)):
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
            for e in range(*edges_from(edge_offsets, start + i)):
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
            for e in range(*edges_from(edge_offsets, start + i)):
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
            for e in range(*edges_from(edge_offsets, start + i)):
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
