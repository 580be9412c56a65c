"""Strict JSON reading: every value knows its location in the file, for error messages."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, cast

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError, WritheError

MAX_BYTES = 16 << 20


def read_json(path: Path) -> Node:
    """The top level of a JSON file of at most MAX_BYTES; errors name the file and the line."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise FileFormatError(
                path, f"{size / 1e6:.0f} MB", remedy=f"at most {MAX_BYTES >> 20} MiB are allowed"
            )
        return Node(path, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FileFormatError(path, f"cannot be opened: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(path, f"not JSON: {error.msg}", line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise FileFormatError(path, f"not JSON: {error}") from None


class Node:
    """A value in a JSON file with its location, such as `objects[2].shapes[0].radius_m`."""

    def __init__(self, file: Path, value: Any, location: str = "") -> None:
        self.file = file
        self.value = value
        self.location = location

    def error(self, problem: str) -> FileFormatError:
        """An error that names the file and this location."""
        return FileFormatError(self.file, f"at {self.location or 'the top level'}: {problem}")

    @contextmanager
    def errors(self) -> Generator[None]:
        """Adds this location to errors raised in the block."""
        try:
            yield
        except FileFormatError:
            raise
        except WritheError as error:
            raise self.error(str(error)) from None

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error("expected an object { }")
        return cast("dict[str, Any]", self.value)

    def _list(self, max_count: int) -> list[Any]:
        if not isinstance(self.value, list):
            raise self.error("expected a list [ ]")
        values = cast("list[Any]", self.value)
        if len(values) > max_count:
            raise self.error(f"{len(values)} entries; at most {max_count} are allowed")
        return values

    def only(self, *keys: str) -> None:
        """Raise if there are unknown keys (usually typos)."""
        for key in self._object():
            if key not in keys:
                raise self.error(f"unknown key {key[:60]!r}; allowed: {', '.join(keys)}")

    def __contains__(self, key: str) -> bool:
        return key in self._object()

    def child(self, key: str) -> Node:
        """The value of a required key."""
        values = self._object()
        if key not in values:
            raise self.error(f"{key!r} is missing")
        return Node(self.file, values[key], f"{self.location}.{key}" if self.location else key)

    def items(self, key: str, max_count: int) -> list[Node]:
        """The entries of a list; none if the key is absent."""
        if key not in self:
            return []
        child = self.child(key)
        return [
            Node(self.file, value, f"{child.location}[{i}]")
            for i, value in enumerate(child._list(max_count))
        ]

    def entries(self, key: str, max_count: int) -> dict[str, Node]:
        """The named entries of an object; none if the key is absent."""
        if key not in self:
            return {}
        child = self.child(key)
        names = list(child._object())
        if len(names) > max_count:
            raise child.error(f"{len(names)} entries; at most {max_count} are allowed")
        return {name: child.child(name) for name in names}

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        if default is not None and key not in self:
            return default
        child = self.child(key)
        if not isinstance(child.value, str) or len(child.value) > 1000:
            raise child.error("expected a string of at most 1000 characters")
        return child.value

    def flag(self, key: str) -> bool:
        """A boolean; false if absent."""
        if key not in self:
            return False
        child = self.child(key)
        if not isinstance(child.value, bool):
            raise child.error("expected true or false")
        return child.value

    def integer(self, key: str) -> int:
        """An integer."""
        child = self.child(key)
        if not isinstance(child.value, int) or isinstance(child.value, bool):
            raise child.error("expected an integer")
        return child.value

    def _number(self) -> float:
        value = self.value
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or abs(value) > 1e9 or not isfinite(value):
            raise self.error("expected a finite number of magnitude at most 1e9")
        return float(value)

    def number(self, key: str) -> float:
        """A finite number."""
        return self.child(key)._number()

    def numbers(self, max_count: int) -> Floats:
        """A list of finite numbers."""
        values = self._list(max_count)
        found = [
            Node(self.file, value, f"{self.location}[{i}]")._number()
            for i, value in enumerate(values)
        ]
        return np.array(found, dtype=np.float64)

    def vector(self, key: str, size: int, default: Sequence[float] | None = None) -> Floats:
        """A list of `size` numbers."""
        if default is not None and key not in self:
            return np.array(default, dtype=np.float64)
        child = self.child(key)
        found = child.numbers(size)
        if len(found) != size:
            raise child.error(f"expected {size} numbers, not {len(found)}")
        return found

    def points(self, max_count: int, size: int = 3) -> Floats:
        """A list of points, each a list of `size` numbers."""
        rows: list[Floats] = []
        for i, value in enumerate(self._list(max_count)):
            node = Node(self.file, value, f"{self.location}[{i}]")
            row = node.numbers(size)
            if len(row) != size:
                raise node.error(f"expected {size} numbers, not {len(row)}")
            rows.append(row)
        return np.array(rows, dtype=np.float64).reshape(-1, size)
