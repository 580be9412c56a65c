"""Find the motion files of a batch: files, folders, globs, on disk or behind fsspec URLs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from writhe.errors import WritheError
from writhe.io.files import READABLE


@dataclass(frozen=True)
class Source:
    """A motion file. `name` is its path relative to the folder that was given; unique in a run."""

    location: str  # a path, or a URL that fsspec opens
    name: str


def is_url(location: str) -> bool:
    """Whether a location is opened by fsspec rather than as a path."""
    return "://" in location


def filesystem(location: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise WritheError(
            f"{location}: URLs need fsspec; install it with: pip install 'writhe[batch]'"
        ) from None
    try:
        return fsspec.core.url_to_fs(location)  # pyright: ignore
    except (ImportError, ValueError) as error:
        raise WritheError(f"{location}: {error}") from None


def find_sources(
    inputs: Iterable[str | Path],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    recursive: bool = True,
) -> list[Source]:
    """The motion files of files, folders and globs, sorted by name.

    include, exclude: patterns of names, such as `dance/*` or `*_raw.bvh`; a file is taken if it
    matches any `include` (or there is none) and no `exclude`.
    """
    found: dict[str, Source] = {}
    for given in map(str, inputs):
        matches = _in_url(given, recursive) if is_url(given) else _on_disk(given, recursive)
        for source in matches:
            if include and not _matches(source.name, include):
                continue
            if _matches(source.name, exclude):
                continue
            other = found.setdefault(source.name, source)
            if other.location != source.location:
                raise WritheError(
                    f"{other.location} and {source.location} would both be called {source.name!r}:"
                    " give a folder that contains both"
                )
    if not found:
        raise WritheError(
            f"no motion files ({', '.join(READABLE)}) in {', '.join(map(str, inputs))}"
            + (" that match the patterns" if include or exclude else "")
        )
    return [found[name] for name in sorted(found)]


def in_shard(sources: Sequence[Source], number: int, count: int) -> list[Source]:
    """The sources of shard `number` (1 to `count`).

    The shard of a file depends on its name only, so new files do not change those of others.
    """
    if not 1 <= number <= count:
        raise WritheError(f"the shard must be 1/{count} to {count}/{count}, not {number}/{count}")
    return [s for s in sources if _number(s.name) % count == number - 1]


def parse_shard(text: str) -> tuple[int, int]:
    """`3/8` as (3, 8)."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdigit() and count.isdigit()):
        raise WritheError(f"a shard is written I/N, such as 3/8, not {text!r}")
    return int(number), int(count)


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, p) or fnmatch(PurePosixPath(name).name, p) for p in patterns)


def _readable(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in READABLE


def _on_disk(given: str, recursive: bool) -> list[Source]:
    path = Path(given)
    if path.is_dir():
        walk = path.rglob("*") if recursive else path.glob("*")
        files = [p for p in walk if _readable(p.name) and p.is_file()]
        return [Source(str(p), p.relative_to(path).as_posix()) for p in files]
    if path.is_file():
        return [Source(str(path), path.name)]
    base = path
    while any(c in str(base) for c in "*?["):
        base = base.parent
    if base == path:
        raise WritheError(f"{given}: no such file or folder")
    files = [p for p in base.glob(path.relative_to(base).as_posix()) if p.is_file()]
    return [Source(str(p), p.relative_to(base).as_posix()) for p in files if _readable(p.name)]


def _in_url(given: str, recursive: bool) -> list[Source]:
    system, path = filesystem(given)
    if any(c in path for c in "*?["):
        base = path[: min(path.index(c) for c in "*?[" if c in path)].rpartition("/")[0]
        files = system.glob(path)
    elif system.isdir(path):
        base = path.rstrip("/")
        files = system.find(path, maxdepth=None if recursive else 1)
    elif system.isfile(path):
        base, files = path.rpartition("/")[0], [path]
    else:
        raise WritheError(f"{given}: no such file or folder")
    return [
        Source(system.unstrip_protocol(f), f[len(base) :].lstrip("/"))
        for f in files
        if _readable(f)
    ]
