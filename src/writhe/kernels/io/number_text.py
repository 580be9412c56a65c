"""Tables of numbers as text, parsed and formatted by compiled code.

Lines end in \\n, \\r\\n or \\r; numbers are separated by spaces and tabs; blank lines are skipped.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

OK, BAD_NUMBER, TOO_FEW, TOO_MANY, NOT_FINITE, TOO_MANY_ROWS = 0, 1, 2, 3, 4, 5
LONGEST_NUMBER = 28  # bytes that `format_rows` may write for one number, separator included
LARGEST_WRITABLE = 1e12

_POWERS = 10.0 ** np.arange(23)
_EXACT = 1 << 53
_SPACE, _TAB, _NEWLINE, _RETURN = 32, 9, 10, 13
_PLUS, _MINUS, _POINT, _ZERO = 43, 45, 46, 48


@kernel(fast=False)
def _scaled(mantissa: int, exponent: int) -> float:
    """mantissa 10^exponent; infinite on overflow."""
    value = float(mantissa)
    if exponent == 0 or mantissa == 0:
        return value
    if exponent > 330:
        return np.inf
    while exponent > 22:
        value *= 1e22
        exponent -= 22
    while exponent < -22 and value != 0.0:
        value /= 1e22
        exponent += 22
    if value == 0.0:
        return value
    return value * _POWERS[exponent] if exponent > 0 else value / _POWERS[-exponent]


@kernel(fast=False)
def _leading_digits(text: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """The first 18 significant digits of text[start:end] (digits and a point), and the exponent."""
    mantissa = np.int64(0)
    digits, exponent = 0, 0
    behind_point = False
    for at in range(start, end):
        if text[at] == _POINT:
            behind_point = True
        elif digits < 18:
            mantissa = mantissa * 10 + np.int64(text[at] - _ZERO)
            digits += mantissa > 0
            exponent -= behind_point
        else:
            exponent += not behind_point
    return mantissa, exponent


@kernel(fast=False)
def parse_rows(
    text: np.ndarray, end: int, columns: int, values: Floats, max_rows: int, state: Ints
) -> int:
    """Parse the numbers of the lines text[:end] (uint8) into the rows of `values` (rows, columns).

    text[end - 1] must be a line break. Mantissas of up to 18 digits are collected as an integer m
    and scaled by a power of ten: exactly rounded while m < 2^53 and |exponent| <= 22, within two
    units in the last place otherwise.

    Returns OK or the error code; state = rows read, line breaks passed, numbers found on the
    offending line, byte where its last number starts.
    """
    rows, lines, count, at = 0, 0, 0, 0
    while at < end:
        c = text[at]
        if c in (_SPACE, _TAB):
            at += 1
            continue
        if c in (_NEWLINE, _RETURN):
            if count:
                if count < columns:
                    state[0], state[1], state[2], state[3] = rows, lines, count, at
                    return TOO_FEW
                rows += 1
                count = 0
            lines += 1
            at += 1
            if c == _RETURN and at < end and text[at] == _NEWLINE:
                at += 1
            continue
        state[0], state[1], state[2], state[3] = rows, lines, count, at
        if count == 0 and rows >= max_rows:
            return TOO_MANY_ROWS
        if count >= columns:
            return TOO_MANY
        negative = c == _MINUS
        if negative or c == _PLUS:
            at += 1
        # the line break at the end terminates these loops without a bounds check
        start = at
        mantissa = np.int64(0)
        digit = np.int64(text[at]) - _ZERO
        while 0 <= digit <= 9:
            mantissa = mantissa * 10 + digit
            at += 1
            digit = np.int64(text[at]) - _ZERO
        seen, exponent = at - start, 0
        if text[at] == _POINT:
            at += 1
            point = at
            digit = np.int64(text[at]) - _ZERO
            while 0 <= digit <= 9:
                mantissa = mantissa * 10 + digit
                at += 1
                digit = np.int64(text[at]) - _ZERO
            exponent = point - at
            seen -= exponent
        if seen == 0:
            # "nan" and "inf" in any case
            return NOT_FINITE if text[at] in (73, 78, 105, 110) else BAD_NUMBER
        if seen > 18:
            mantissa, exponent = _leading_digits(text, start, at)
        if text[at] == 69 or text[at] == 101:
            at += 1
            shrinks = text[at] == _MINUS
            if shrinks or text[at] == _PLUS:
                at += 1
            power, start = 0, at
            while _ZERO <= text[at] <= 57:
                if power < 100000:
                    power = power * 10 + int(text[at]) - _ZERO
                at += 1
            if at == start:
                return BAD_NUMBER
            exponent += -power if shrinks else power
        c = text[at]
        if c not in (_SPACE, _TAB, _NEWLINE, _RETURN):
            return BAD_NUMBER
        if mantissa < _EXACT and -23 < exponent <= 0:
            value = float(mantissa) / _POWERS[-exponent]
        else:
            value = _scaled(mantissa, exponent)
            if not np.isfinite(value):
                return NOT_FINITE
        values[rows, count] = -value if negative else value
        count += 1
    state[0], state[1], state[2], state[3] = rows, lines, 0, at
    return OK


@kernel(fast=False)
def format_rows(values: Floats, decimals: int, out: np.ndarray) -> int:
    """Write `values` (rows, columns) as fixed-point text to `out` (uint8); returns the byte count.

    Each number takes LONGEST_NUMBER bytes at most while |value| < LARGEST_WRITABLE and decimals <=
    6.
    """
    scale = 10.0**decimals
    digits = np.empty(24, np.uint8)
    at = 0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            number = np.int64(np.rint(values[row, column] * scale))
            if number < 0:
                out[at] = _MINUS
                at += 1
                number = -number
            used = 0
            while number > 0 or used <= decimals:
                digits[used] = _ZERO + number % 10
                number //= 10
                used += 1
            for k in range(used - 1, -1, -1):
                out[at] = digits[k]
                at += 1
                if k == decimals and decimals > 0:
                    out[at] = _POINT
                    at += 1
            out[at] = _SPACE
            at += 1
        out[at - 1] = _NEWLINE
    return at
