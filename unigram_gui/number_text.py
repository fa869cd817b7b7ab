"""Numbers as a person reads them: true minus signs, three decimals, two significant digits of a percentage.

In: engine numbers (nats, probabilities, counts). Out: strings, nothing else; every view words its numbers here.
"""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LARGEST_WRITTEN_OUT = 10**15


def log_text(value: float, decimals: int = 3) -> str:
    """A log probability in nats.

    >>> log_text(-5.2041)
    '−5.204'
    """
    if math.isinf(value):
        return "∞" if value > 0 else MINUS + "∞"
    if math.isnan(value):
        return "–"
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def percent_text(share: float, digits: int = 2) -> str:
    """A share as a percentage: one decimal from 10 % up, `digits` significant digits under it, a power of ten below.

    >>> percent_text(0.7957), percent_text(0.0708), percent_text(0.0904, 3), percent_text(2e-7)
    ('79.6 %', '7.1 %', '9.04 %', '2.0 × 10⁻⁵ %')
    """
    value = 100.0 * share
    if value >= 99.95:
        return "100 %" if share >= 1.0 - 1e-9 else "> 99.9 %"
    if value >= 9.995:
        return f"{value:.1f} %"
    if value == 0.0:
        return "0 %"
    if value < 0.01:
        return f"{_power_text(value, 1)} %"
    decimals = max(0, digits - 1 - _exponent(value, digits - 1))
    return f"{value:.{decimals}f} %"


def probability_text(value: float) -> str:
    """A probability with four significant digits.

    >>> probability_text(0.0254647008), probability_text(1.0), probability_text(1.25e-9)
    ('0.02546', '1', '1.25 × 10⁻⁹')
    """
    if value == 0.0:
        return "0"
    return f"{value:.4g}" if value >= 1e-3 else _short_decimal(value)


def count_text(count: int) -> str:
    """A whole number with thousands parted; a power of ten where that would be longer than a person reads.

    >>> count_text(2229120), count_text(3 * 10**45)
    ('2,229,120', '3.00 × 10⁴⁵')
    """
    if count < _LARGEST_WRITTEN_OUT:
        return f"{count:,}"
    digits = str(count) if count < 10**300 else ""
    exponent = len(digits) - 1 if digits else math.floor(_log10(count))
    mantissa = float(f"{digits[0]}.{digits[1:4]}") if digits else 10.0 ** (_log10(count) - exponent)
    return _times_power(mantissa, exponent)


def counted(count: int, name: str) -> str:
    """A whole number and what it counts, one or many.

    >>> counted(1, "text"), counted(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{count_text(count)} {name}" if count == 1 else f"{count_text(count)} {name}s"


def pieces_text(n_learned: int, n_special: int) -> str:
    """How many pieces a table has; the special ones, which vocab_size counts too, are named apart.

    >>> pieces_text(997, 3), pieces_text(997, 0)
    ('997 + 3 special pieces', '997 pieces')
    """
    return f"{count_text(n_learned)} + {n_special} special pieces" if n_special else counted(n_learned, "piece")


def count_text_of_log(log_count: float) -> str:
    """A count that is known by its natural logarithm, too large to be written out.

    >>> count_text_of_log(math.log(3) + 45 * math.log(10))
    '3.00 × 10⁴⁵'
    """
    if log_count == -math.inf:
        return "0"
    exponent, rest = divmod(log_count / math.log(10.0), 1.0)
    return _times_power(10.0**rest, int(exponent))


def _log10(count: int) -> float:
    # math.log10 takes whole numbers of any size, unlike float().
    return math.log10(count)


def _superscript(number: int) -> str:
    return str(number).translate(_SUPERSCRIPTS)


def _times_power(mantissa: float, exponent: int) -> str:
    """A number from 1 to 10 times a power of ten; 9.999 is written as 1.00 of the next power."""
    text = f"{mantissa:.2f}"
    text, exponent = ("1.00", exponent + 1) if text == "10.00" else (text, exponent)
    return f"{text} × 10{_superscript(exponent)}"


def _power_text(value: float, decimals: int) -> str:
    mantissa = f"{value:.{decimals}e}".partition("e")[0]
    return f"{mantissa} × 10{_superscript(_exponent(value, decimals))}"


def _exponent(value: float, decimals: int) -> int:
    """The power of ten of a number once its mantissa is rounded: of 9.97 with one decimal it is 1."""
    return int(f"{value:.{decimals}e}".partition("e")[2])


def _short_decimal(value: float) -> str:
    """Six decimals are what a table column holds: 0.000126048 is written 0.000126."""
    return f"{value:.6f}".rstrip("0") if value >= 1e-5 else _power_text(value, 2)
