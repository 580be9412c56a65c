"""The file that a character was read from, kept so that saving it changes only the animation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, eq=False)
class SourceFile:
    """The bytes of a character's file.

    `format` names the reader and writer ("gltf"). `attached` holds the files that it refers to, by
    the relative path under which it does.
    """

    format: str
    path: Path
    data: bytes = field(repr=False)
    attached: Mapping[str, bytes] = field(default_factory=dict[str, bytes], repr=False)
