"""JSON read strictly: every value knows its place, so that errors can name it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, cast

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError, WritheError


class Node:
    """A value in a JSON file with its path, as in `objects[2].shapes[0].radius_m`."""

    def __init__(self, file: Path, value: Any, place: str = "") -> None:
        self.file = file
        self.value = value
        self.place = place

    def error(self, problem: str) -> FileFormatError:
        """An error at this place."""
        return FileFormatError(self.file, f"at {self.place or 'the top'}: {problem}")

    @contextmanager
    def errors(self) -> Generator[None]:
        """Gives errors of the model the place they come from."""
        try:
            yield
        except FileFormatError:
            raise
        except WritheError as error:
            raise self.error(str(error)) from None

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error("an object { } is wanted here")
        return cast("dict[str, Any]", self.value)

    def _list(self, most: int) -> list[Any]:
        if not isinstance(self.value, list):
            raise self.error("a list [ ] is wanted here")
        values = cast("list[Any]", self.value)
        if len(values) > most:
            raise self.error(f"{len(values)} entries; {most} are the most")
        return values

    def only(self, *keys: str) -> None:
        """Refuse keys that mean nothing here (most often slips of the pen)."""
        for key in self._object():
            if key not in keys:
                raise self.error(f"{key[:60]!r} means nothing here; there are: {', '.join(keys)}")

    def __contains__(self, key: str) -> bool:
        return key in self._object()

    def child(self, key: str) -> Node:
        """The value of a key that must be there."""
        values = self._object()
        if key not in values:
            raise self.error(f"{key!r} is missing")
        return Node(self.file, values[key], f"{self.place}.{key}" if self.place else key)

    def items(self, key: str, most: int) -> list[Node]:
        """The entries of a list, none when the key is absent."""
        if key not in self:
            return []
        child = self.child(key)
        return [
            Node(self.file, value, f"{child.place}[{i}]")
            for i, value in enumerate(child._list(most))
        ]

    def entries(self, key: str, most: int) -> dict[str, Node]:
        """The named entries of an object, none when the key is absent."""
        if key not in self:
            return {}
        child = self.child(key)
        names = list(child._object())
        if len(names) > most:
            raise child.error(f"{len(names)} entries; {most} are the most")
        return {name: child.child(name) for name in names}

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        if default is not None and key not in self:
            return default
        child = self.child(key)
        if not isinstance(child.value, str) or len(child.value) > 1000:
            raise child.error("a text is wanted here")
        return child.value

    def flag(self, key: str) -> bool:
        """True or false; false when absent."""
        if key not in self:
            return False
        child = self.child(key)
        if not isinstance(child.value, bool):
            raise child.error("true or false is wanted here")
        return child.value

    def integer(self, key: str) -> int:
        """A whole number."""
        child = self.child(key)
        if not isinstance(child.value, int) or isinstance(child.value, bool):
            raise child.error("a whole number is wanted here")
        return child.value

    def _number(self) -> float:
        value = self.value
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or abs(value) > 1e9 or not isfinite(value):
            raise self.error("a number is wanted here (of size 1e9 at most)")
        return float(value)

    def number(self, key: str) -> float:
        """A finite number."""
        return self.child(key)._number()

    def numbers(self, most: int) -> Floats:
        """A list of finite numbers."""
        values = self._list(most)
        found = [
            Node(self.file, value, f"{self.place}[{i}]")._number() for i, value in enumerate(values)
        ]
        return np.array(found, dtype=np.float64)

    def vector(self, key: str, size: int, default: Sequence[float] | None = None) -> Floats:
        """A list of `size` numbers."""
        if default is not None and key not in self:
            return np.array(default, dtype=np.float64)
        child = self.child(key)
        found = child.numbers(size)
        if len(found) != size:
            raise child.error(f"{size} numbers are wanted here, not {len(found)}")
        return found

    def points(self, most: int, size: int = 3) -> Floats:
        """A list of points, each a list of `size` numbers."""
        rows: list[Floats] = []
        for i, value in enumerate(self._list(most)):
            node = Node(self.file, value, f"{self.place}[{i}]")
            row = node.numbers(size)
            if len(row) != size:
                raise node.error(f"{size} numbers are wanted here, not {len(row)}")
            rows.append(row)
        return np.array(rows, dtype=np.float64).reshape(-1, size)
