"""Write frames as a movie: GIF by Pillow, MP4 by imageio's ffmpeg."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from writhe.errors import MissingExtraError, WritheError
from writhe.render.look import COLLIDING


def check_movie_name(path: Path) -> None:
    """Raise an error unless the suffix is .gif or .mp4."""
    if path.suffix.lower() not in (".gif", ".mp4"):
        raise WritheError(f"the suffix of a movie must be .gif or .mp4, not {path.suffix!r}")


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
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg as _  # noqa: F401 - used by imageio when writing
    except ImportError:
        raise MissingExtraError("MP4 movies", "render") from None
    writer: Any = imageio.get_writer(path, fps=rate, macro_block_size=2, quality=8)
    with writer:
        for image in images:
            writer.append_data(image)
    return path
