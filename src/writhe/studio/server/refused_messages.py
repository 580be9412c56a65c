"""The answer to a message that does not fit its type, such as a length out of range."""

from __future__ import annotations

import re
from typing import cast

import msgspec

from writhe.studio import protocol

_BOUND = re.compile(r"Expected `\w+` (<=|<|>=|>) (\S+) - at `\$\.(\w+)")
_WORDS = {"<=": "at most", "<": "less than", ">=": "at least", ">": "more than"}


def refused_message(data: bytes, error: msgspec.MsgspecError) -> protocol.ErrorMessage:
    """The error that `decoder.decode(data)` raised, for the request that the data names."""
    found = _BOUND.match(str(error))
    text = f"a message could not be read: {error}"
    if found:
        relation, bound, field = found.groups()
        text = f"{field.replace('_', ' ')} must be {_WORDS[relation]} {float(bound):g}"
    return protocol.ErrorMessage(_request_of(data), text)


def _request_of(data: bytes) -> str:
    try:
        message = msgspec.msgpack.decode(data)
    except msgspec.MsgspecError:
        return ""
    request = cast("dict[str, object]", message).get("request") if type(message) is dict else None
    return request if isinstance(request, str) else ""
