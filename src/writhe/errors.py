"""The exceptions of writhe.

Misuse and unreadable input raise one of these. A solver that does not reach its goal does not
raise: its result has a status.
"""

from __future__ import annotations

from pathlib import Path


class WritheError(Exception):
    """The base class of all exceptions that writhe raises deliberately."""


class UnknownNameError(WritheError):
    """A name that does not exist was used; the message lists the valid ones."""

    def __init__(self, what: str, name: str, valid: list[str]) -> None:
        listed = ", ".join(valid[:40]) + (", ..." if len(valid) > 40 else "")
        super().__init__(f"no {what} is called {name!r}; there are: {listed}")
        self.name = name
        self.valid = valid


class FileFormatError(WritheError):
    """A file cannot be read; the message states the location, the problem and the remedy."""

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
    """An optional dependency of writhe is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: pip install 'writhe[{extra}]'")
        self.extra = extra
