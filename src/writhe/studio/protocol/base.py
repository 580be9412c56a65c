"""Base classes and field types of all messages."""

from __future__ import annotations

import re
from typing import Annotated, dataclass_transform

import msgspec
from msgspec import Meta

PROTOCOL = 3

Name = Annotated[str, Meta(max_length=80)]
Request = Annotated[str, Meta(min_length=8, max_length=40)]
Picture = Annotated[bytes, Meta(max_length=200_000)]
KeyNumbers = Annotated[list[int], Meta(max_length=20_000)]
Time = Annotated[float, Meta(ge=0, le=3600)]


def _snake_case(class_name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


@dataclass_transform(frozen_default=True)
class Message(
    msgspec.Struct, frozen=True, tag_field="type", tag=_snake_case, forbid_unknown_fields=True
):
    """An immutable message; its `type` is the name of the class in snake case."""


@dataclass_transform(frozen_default=True)
class MessagePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable struct inside a message."""


class Command(Message):
    """A change of the document: saved, undoable, acknowledged by the State with its request id."""

    request: Request


class Task(Message):
    """A request for long work: acknowledged and followed by JobStates with its request."""

    request: Request
