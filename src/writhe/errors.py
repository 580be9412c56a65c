"""The exceptions of writhe.

Misuse and unreadable input raise one of these; a solve that did not reach its goal is a status of
its result, never an exception.
"""

from __future__ import annotations

from pathlib import Path


class WritheError(Exception):
    """The root of every exception that writhe raises on purpose."""


class UnknownNameError(WritheError):
    """A name was asked for that is not there; the message lists those that are."""

    def __init__(self, what: str, name: str, valid: list[str]) -> None:
        listed = ", ".join(valid[:40]) + (", ..." if len(valid) > 40 else "")
        super().__init__(f"no {what} is called {name!r}; there are: {listed}")
        self.name = name
        self.valid = valid


class FileFormatError(WritheError):
    """A file that cannot be read, with the place and the remedy."""

    def __init__(
        self, path: str | Path, problem: str, *, line: int | None = None, remedy: str = ""
    ) -> None:
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {problem}" + (f" ({remedy})" if remedy else ""))
        self.path = Path(path)
        self.line = line
        self.problem = problem
        self.remedy = remedy


class MissingExtraError(WritheError):
    """An optional part of writhe was used that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: pip install 'writhe[{extra}]'")
        self.extra = extra
