"""All messages: those of the core and of every feature."""

from __future__ import annotations

import importlib
import pkgutil
from functools import reduce
from types import ModuleType
from typing import Any, cast

import msgspec

from writhe.studio import features, protocol
from writhe.studio.feature import Feature
from writhe.studio.protocol import incoming, outgoing
from writhe.studio.protocol.base import Command, Message, MessagePart, Task


def _load() -> dict[str, tuple[Feature, ModuleType]]:
    """The modules in the folders of `features`, by feature name."""
    found: dict[str, tuple[Feature, ModuleType]] = {}
    listed = pkgutil.walk_packages(features.__path__, f"{features.__name__}.")
    for entry in sorted(listed, key=lambda one: one.name.rpartition(".")[2]):
        module = importlib.import_module(entry.name)
        feature = getattr(module, "feature", None)
        if isinstance(feature, Feature):
            found[feature.name] = (feature, module)
    return found


_LOADED = _load()
FEATURES: tuple[Feature, ...] = tuple(feature for feature, _ in _LOADED.values())


def structs(module: ModuleType) -> list[type[Any]]:
    """The message and part structs that a module defines, in order."""
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Message | MessagePart)
        and kind.__module__ == module.__name__
    ]


def _tagged(kinds: list[type[Any]]) -> list[type[Message]]:
    return [kind for kind in kinds if issubclass(kind, Message)]


FEATURE_STRUCTS: list[type[Any]] = [k for _, module in _LOADED.values() for k in structs(module)]
_from_page = {kind for feature in FEATURES for kind in feature.incoming}
INCOMING: tuple[type[Message], ...] = (
    *_tagged(structs(incoming)),
    *(kind for kind in _tagged(FEATURE_STRUCTS) if kind in _from_page),
)
OUTGOING: tuple[type[Message], ...] = (
    *_tagged(structs(outgoing)),
    *(kind for kind in _tagged(FEATURE_STRUCTS) if kind not in _from_page),
)
RESENT_UNTIL_ACKNOWLEDGED = tuple(kind for kind in INCOMING if issubclass(kind, Command | Task))

COMMANDS = {kind: body for feature in FEATURES for kind, body in feature.commands.items()}
MESSAGE_HANDLERS = {kind: body for feature in FEATURES for kind, body in feature.messages.items()}
TASKS = {kind: body for feature in FEATURES for kind, body in feature.tasks.items()}

_unread = [
    kind.__name__
    for kind in _tagged(FEATURE_STRUCTS)
    if issubclass(kind, Command | Task) and kind not in _from_page
]
if _unread:
    raise TypeError(f"no function handles {', '.join(_unread)}")

encoder = msgspec.msgpack.Encoder()
decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(
    reduce(lambda some, one: some | one, cast("tuple[Any, ...]", INCOMING))
)
PROTOCOL = protocol.PROTOCOL
