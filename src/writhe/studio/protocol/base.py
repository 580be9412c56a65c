"""Base classes and field types of all messages."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

PROTOCOL = 3

Name = Annotated[str, Meta(max_length=80)]
Request = Annotated[str, Meta(min_length=8, max_length=40)]
Picture = Annotated[bytes, Meta(max_length=200_000)]
KeyNumbers = Annotated[list[int], Meta(max_length=20_000)]
Time = Annotated[float, Meta(ge=0, le=3600)]


class Message(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A message."""


class MessagePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A struct inside a message."""


class Command(Message, frozen=True):
    """A change of the document: saved, undoable, acknowledged by the State with its request id."""

    request: Request


class Task(Message, frozen=True):
    """A request for long work: acknowledged and followed by JobStates with its request."""

    request: Request
