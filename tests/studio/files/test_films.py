"""Films of the view, encoded from the pictures that the page sends."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import pytest
from PIL import Image

from writhe.errors import WritheError
from writhe.studio.files.films import Films


def frame(level: int, size: tuple[int, int] = (64, 48)) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), level, np.uint8)).save(out, "png")
    return out.getvalue()


def test_a_sequence_of_pictures_keeps_every_frame() -> None:
    films = Films()
    name = films.start("zip", 30.0)
    assert [films.add(name, frame(level)) for level in (0, 90, 180)] == [1, 2, 3]
    with zipfile.ZipFile(io.BytesIO(films.finish(name))) as found:
        assert found.namelist() == [f"frame_{k:05d}.png" for k in range(3)]
        with Image.open(io.BytesIO(found.read("frame_00001.png"))) as picture:
            assert picture.size == (64, 48) and picture.getpixel((5, 5)) == (90, 90, 90)


@pytest.mark.parametrize(("form", "start"), [("mp4", b"ftyp"), ("webm", b"\x1aE\xdf\xa3")])
def test_a_video_is_encoded_at_its_rate(form: str, start: bytes) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="no ffmpeg: pip install writhe[render]")
    import imageio.v2 as imageio

    films = Films()
    name = films.start(form, 25.0)
    for k in range(10):
        films.add(name, frame(20 * k))
    data = films.finish(name)
    assert start in data[:12]
    reader: Any = imageio.get_reader(io.BytesIO(data), f".{form}")
    assert reader.get_meta_data()["fps"] == pytest.approx(25.0)
    shown = [int(image.mean()) for image in reader]
    assert len(shown) == 10
    np.testing.assert_allclose(shown, [20 * k for k in range(10)], atol=6)


def test_misuse_is_refused() -> None:
    films = Films()
    with pytest.raises(WritheError, match="mp4"):
        films.start("avi", 30.0)
    name = films.start("zip", 30.0)
    films.add(name, frame(0))
    with pytest.raises(WritheError, match="one size"):
        films.add(name, frame(0, (32, 48)))
    with pytest.raises(WritheError, match="PNG"):
        films.add(name, b"not a picture")
    films.discard(name)
    with pytest.raises(WritheError, match="no longer"):
        films.finish(name)
