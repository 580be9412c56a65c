"""Images of characters: recognised by their first bytes, and found beside a file."""

from __future__ import annotations

import importlib.util
import io
from dataclasses import dataclass
from pathlib import Path

from writhe.io.file_size_limits import checked_size

MAX_IMAGE_BYTES = 256 << 20
_BEGINNINGS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


@dataclass(frozen=True)
class Image:
    """The bytes of a PNG or JPEG file."""

    name: str
    data: bytes
    mime: str


def image(name: str, data: bytes) -> Image | None:
    """An image that glTF can hold; other formats are converted if Pillow is there, else None."""
    for beginning, mime in _BEGINNINGS:
        if data.startswith(beginning):
            return Image(name, data, mime)
    if importlib.util.find_spec("PIL") is None:
        return None
    from PIL import Image as Pillow
    from PIL import UnidentifiedImageError

    try:
        with Pillow.open(io.BytesIO(data)) as picture:
            out = io.BytesIO()
            picture.convert("RGBA" if "A" in picture.getbands() else "RGB").save(out, "PNG")
    except (UnidentifiedImageError, OSError, ValueError, Pillow.DecompressionBombError):
        return None
    return Image(name, out.getvalue(), "image/png")


def image_beside(path: Path, name: str) -> bytes | None:
    """The image file `name` that `path` refers to, by its relative path or in the same folder.

    Only files in the folder of `path` and below are opened.
    """
    words = name.replace("\\", "/")
    folder = path.parent.resolve()
    last = words.rsplit("/", 1)[-1]
    for candidate in (words, last, f"{path.stem}.fbm/{last}", f"textures/{last}"):
        if not candidate or "\0" in candidate or ":" in candidate or len(candidate) > 1000:
            continue
        try:
            found = (folder / candidate).resolve()
            if found.is_relative_to(folder) and found.is_file():
                checked_size(found, MAX_IMAGE_BYTES)
                return found.read_bytes()
        except (OSError, ValueError):
            continue
    return None
