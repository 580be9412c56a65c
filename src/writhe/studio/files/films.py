"""Films of the view: frames that the page has drawn, encoded as they arrive."""

from __future__ import annotations

import io
import secrets
import tempfile
from pathlib import Path
from threading import Lock

import numpy as np

from writhe.errors import WritheError
from writhe.render.movies import MovieWriter
from writhe.studio.files.upload_check import check_picture

FORMATS = ("mp4", "webm", "gif", "zip")
MAX_OPEN, MAX_FRAMES, MAX_PIXELS = 4, 40_000, 4096 * 4096


class Films:
    """Films that are being written, by a name that only their page knows."""

    def __init__(self) -> None:
        self._open: dict[str, _Film] = {}
        self._lock = Lock()

    def start(self, format_: str, fps: float) -> str:
        """Begin a film; returns its name."""
        if format_ not in FORMATS:
            raise WritheError(f"films are written as {', '.join(FORMATS)}, not {format_!r}")
        if not 1.0 <= fps <= 240.0:
            raise WritheError(f"a film has 1 to 240 frames per second, not {fps:g}")
        with self._lock:
            while len(self._open) >= MAX_OPEN:  # a page may have been closed half-way
                self._open.pop(next(iter(self._open))).discard()
            name = secrets.token_hex(8)
            self._open[name] = _Film(format_, fps)
            return name

    def add(self, name: str, png: bytes) -> int:
        """Add a picture as the next frame; returns how many there are."""
        return self._film(name).add(png)

    def finish(self, name: str) -> bytes:
        """The file."""
        film = self._film(name)
        with self._lock:
            self._open.pop(name, None)
        return film.finish()

    def discard(self, name: str) -> None:
        """End a film without a file."""
        with self._lock:
            film = self._open.pop(name, None)
        if film is not None:
            film.discard()

    def _film(self, name: str) -> _Film:
        film = self._open.get(name)
        if film is None:
            raise WritheError("this film is no longer being written: export it again")
        return film


class _Film:
    def __init__(self, format_: str, fps: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="writhe-film-")
        self._path = Path(self._folder.name) / f"film.{format_}"
        self._writer = MovieWriter(self._path, fps)
        self._size: tuple[int, int] | None = None

    def add(self, png: bytes) -> int:
        from PIL import Image

        if self._writer.count >= MAX_FRAMES:
            raise WritheError(f"a film has at most {MAX_FRAMES} frames")
        with Image.open(io.BytesIO(check_picture(png)), formats=("PNG",)) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise WritheError("the frames of a film have at most 16 million pixels")
            if self._size not in (None, picture.size):
                raise WritheError("the frames of a film must be of one size")
            self._size = picture.size
            self._writer.append(np.asarray(picture.convert("RGB")))
        return self._writer.count

    def finish(self) -> bytes:
        try:
            if self._writer.count == 0:
                raise WritheError("a film needs at least one frame")
            self._writer.close()
            return self._path.read_bytes()
        finally:
            self._folder.cleanup()

    def discard(self) -> None:
        self._writer.close()
        self._folder.cleanup()
