"""Writes frames as a movie: GIF by Pillow, MP4 and WebM by ffmpeg, or pictures in a .zip."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from writhe.errors import MissingExtraError, WritheError
from writhe.render.look import COLLIDING

MOVIES = (".gif", ".mp4", ".webm", ".zip")
_VIDEO: dict[str, dict[str, Any]] = {
    ".mp4": {"quality": 8},
    ".webm": {"codec": "libvpx-vp9", "quality": None, "bitrate": "4M"},
}


def check_movie_name(path: Path) -> None:
    """Raise an error unless the suffix is that of a movie, or .zip for a sequence of pictures."""
    if path.suffix.lower() not in MOVIES:
        known = ", ".join(MOVIES)
        raise WritheError(f"the suffix of a movie is one of {known}, not {path.suffix!r}")


class MovieWriter:
    """Writes a movie frame by frame; a context manager, which finishes the file.

    .mp4 and .webm are encoded as frames arrive; .zip holds them as frame_00000.png and so on; the
    frames of a .gif are kept until the end, because they share a palette.
    """

    def __init__(self, path: Path, rate: float) -> None:
        check_movie_name(path)
        self.path, self.rate, self.count = path, rate, 0
        self._kind = path.suffix.lower()
        self._images: list[Any] = []
        self._zip = zipfile.ZipFile(path, "w") if self._kind == ".zip" else None
        self._video: Any = _video_writer(path, rate) if self._kind in _VIDEO else None

    def append(self, image: Any) -> None:
        """Add a frame (height, width, 3), uint8."""
        if self._zip is not None:
            from PIL import Image

            png = io.BytesIO()
            Image.fromarray(image).save(png, "png")
            self._zip.writestr(f"frame_{self.count:05d}.png", png.getvalue())
        elif self._video is not None:
            self._video.append_data(image)
        else:
            self._images.append(image)
        self.count += 1

    def close(self) -> None:
        """Finish the file."""
        if self._zip is not None:
            self._zip.close()
        elif self._video is not None:
            self._video.close()
        elif self._images:
            write_movie(self.path, self._images, self.rate)

    def __enter__(self) -> MovieWriter:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _video_writer(path: Path, rate: float) -> Any:
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg as _  # noqa: F401 - used by imageio when writing
    except ImportError:
        raise MissingExtraError("MP4 and WebM movies", "render") from None
    options = _VIDEO[path.suffix.lower()]
    return imageio.get_writer(path, fps=rate, macro_block_size=2, **options)


def _palette(images: list[Any]) -> Any:
    """One palette for all frames, so that colours do not flicker, with reserved reds."""
    from PIL import Image

    some = images[:: max(1, len(images) // 6)]
    width = some[0].shape[1]
    ramp = np.linspace(0.35, 1.25, width)[:, None] * np.array(COLLIDING) * 255
    red = np.tile(np.clip(ramp, 0, 255).astype(np.uint8), (some[0].shape[0] // 4 + 1, 1, 1))
    return Image.fromarray(np.concatenate([*some, red])).quantize(128, dither=Image.Dither.NONE)


def write_movie(path: Path, images: list[Any], rate: float) -> Path:
    """Write the frames at `rate` per second; the suffix gives the format."""
    check_movie_name(path)
    if path.suffix.lower() == ".gif":
        from PIL import Image

        palette = _palette(images)
        pictures = [
            Image.fromarray(image).quantize(palette=palette, dither=Image.Dither.NONE)
            for image in images
        ]
        pictures[0].save(
            path,
            save_all=True,
            append_images=pictures[1:],
            duration=max(20, round(1000 / rate)),
            loop=0,
            optimize=True,
        )
        return path
    with MovieWriter(path, rate) as movie:
        for image in images:
            movie.append(image)
    return path
