"""Checks the pictures that the page sends."""

from __future__ import annotations

from writhe.errors import WritheError

PNG = b"\x89PNG\r\n\x1a\n"


def check_picture(png: bytes) -> bytes:
    """The picture, which must be a PNG or empty."""
    if png and not png.startswith(PNG):
        raise WritheError("pictures must be PNG files")
    return png
