"""Tables of numbers as text: read and written at the speed of memory, not of Python.

Lines end in \\n, \\r\\n or \\r; numbers are separated by spaces and tabs; blank lines are skipped.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel

FINE, BAD_NUMBER, TOO_FEW, TOO_MANY, NOT_FINITE, NO_ROOM = 0, 1, 2, 3, 4, 5
LONGEST_NUMBER = 28  # bytes that `format_rows` may write for one number, separator included
LARGEST_WRITABLE = 1e12

_POWERS = 10.0 ** np.arange(23)
_SPACE, _TAB, _NEWLINE, _RETURN = 32, 9, 10, 13
_PLUS, _MINUS, _POINT, _ZERO = 43, 45, 46, 48


@kernel(fast=False)
def parse_rows(
    text: np.ndarray, end: int, columns: int, values: Floats, most_rows: int, state: Ints
) -> int:
    """Numbers of the whole lines text[:end] (uint8) into the rows of `values` (rows, columns).

    Mantissas of up to 18 digits are gathered as an integer m and scaled by a power of ten: exactly
    rounded while m < 2^53 and |exponent| <= 22, within two units in the last place otherwise.
    Returns FINE or what is wrong; state = rows read, line breaks passed, numbers found on the line
    that is wrong, byte where its last number starts.
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
        start = at
        state[0], state[1], state[2], state[3] = rows, lines, count, start
        if count == 0 and rows >= most_rows:
            return NO_ROOM
        if count >= columns:
            return TOO_MANY
        negative = c == _MINUS
        if negative or c == _PLUS:
            at += 1
        mantissa = np.int64(0)
        digits, exponent, seen = 0, 0, 0
        while at < end and _ZERO <= text[at] <= 57:
            seen += 1
            if digits < 18:
                mantissa = mantissa * 10 + np.int64(text[at] - _ZERO)
                digits += mantissa > 0
            else:
                exponent += 1
            at += 1
        if at < end and text[at] == _POINT:
            at += 1
            while at < end and _ZERO <= text[at] <= 57:
                seen += 1
                if digits < 18:
                    mantissa = mantissa * 10 + np.int64(text[at] - _ZERO)
                    digits += mantissa > 0
                    exponent -= 1
                at += 1
        if seen == 0:
            first = text[at] if at < end else _SPACE
            # "nan" and "inf" in any case
            return NOT_FINITE if first in (73, 78, 105, 110) else BAD_NUMBER
        if at < end and (text[at] == 69 or text[at] == 101):
            at += 1
            shrinks = False
            if at < end and (text[at] == _MINUS or text[at] == _PLUS):
                shrinks = text[at] == _MINUS
                at += 1
            power, seen = 0, 0
            while at < end and _ZERO <= text[at] <= 57:
                seen += 1
                if power < 100000:
                    power = power * 10 + int(text[at] - _ZERO)
                at += 1
            if seen == 0:
                return BAD_NUMBER
            exponent += -power if shrinks else power
        if at < end and not (
            text[at] == _SPACE or text[at] == _TAB or text[at] == _NEWLINE or text[at] == _RETURN
        ):
            return BAD_NUMBER
        value = float(mantissa)
        if mantissa != 0:
            if exponent > 330:
                return NOT_FINITE
            while exponent > 22:
                value *= 1e22
                exponent -= 22
            while exponent < -22 and value != 0.0:
                value /= 1e22
                exponent += 22
            if exponent > 0:
                value *= _POWERS[exponent]
            elif exponent < 0 and value != 0.0:
                value /= _POWERS[-exponent]
            if not np.isfinite(value):
                return NOT_FINITE
        values[rows, count] = -value if negative else value
        count += 1
    if count:
        if count < columns:
            state[0], state[1], state[2], state[3] = rows, lines, count, at
            return TOO_FEW
        rows += 1
    state[0], state[1], state[2], state[3] = rows, lines, 0, at
    return FINE


@kernel(fast=False)
def format_rows(values: Floats, decimals: int, out: np.ndarray) -> int:
    """Write `values` (rows, columns) as fixed-point text into `out` (uint8); returns the bytes.

    Each number takes LONGEST_NUMBER bytes at most while |value| < LARGEST_WRITABLE and
    decimals <= 6.
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
