"""Materials of a USD stage (UsdPreviewSurface) with their images."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from writhe.io.gltf.converted_scene import Material
from writhe.io.images import MAX_IMAGE_BYTES, Image, image, image_beside
from writhe.io.usd import usd_modules


class SceneMaterials:
    """The materials that meshes are bound to, in the order of their first use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.materials: list[Material] = []
        self.images: list[Image] = []
        self._numbers: dict[str, int] = {}
        self._image_numbers: dict[str, int | None] = {}

    def number(self, bound: Any) -> int | None:
        """The number of a bound UsdShade.Material; None if nothing is bound."""
        if not bound:
            return None
        key = str(bound.GetPath())
        if key not in self._numbers:
            self._numbers[key] = len(self.materials)
            self.materials.append(self._material(bound))
        return self._numbers[key]

    def _material(self, bound: Any) -> Material:
        name = str(bound.GetPrim().GetName())
        shader = bound.ComputeSurfaceSource()[0]
        if not shader:
            return Material(name)
        colour, colour_image = self._input(shader, "diffuseColor", (0.18, 0.18, 0.18))
        glow, glow_image = self._input(shader, "emissiveColor", (0.0, 0.0, 0.0))
        opacity, opacity_image = self._input(shader, "opacity", (1.0,))
        red, green, blue = (1.0, 1.0, 1.0) if colour_image is not None else colour
        emission = (1.0, 1.0, 1.0) if glow_image is not None else (glow[0], glow[1], glow[2])
        return Material(
            name,
            (red, green, blue, 1.0 if opacity_image is not None else opacity[0]),
            self._input(shader, "metallic", (0.0,))[0][0],
            self._input(shader, "roughness", (0.5,))[0][0],
            emission,
            colour_image,
            self._input(shader, "normal", (0.0,))[1],
            glow_image,
            self._input(shader, "occlusion", (1.0,))[1],
            cut_out=opacity_image is not None and colour_image is not None,
        )

    def _input(
        self, shader: Any, name: str, otherwise: tuple[float, ...]
    ) -> tuple[tuple[float, ...], int | None]:
        """The value of an input and the image that is connected to it."""
        UsdShade = usd_modules("UsdShade")[0]

        given = shader.GetInput(name)
        if not given:
            return otherwise, None
        for attribute in UsdShade.Utils.GetValueProducingAttributes(given):
            source = UsdShade.Shader(attribute.GetPrim())
            if source and str(source.GetIdAttr().Get()) == "UsdUVTexture":
                asset = source.GetInput("file").Get() if source.GetInput("file") else None
                return otherwise, None if asset is None else self._image(asset)
        value = given.Get()
        if value is None:
            return otherwise, None
        numbers = tuple(float(x) for x in np.atleast_1d(np.array(value, dtype=np.float64)))
        return (numbers, None) if len(numbers) == len(otherwise) else (otherwise, None)

    def _image(self, asset: Any) -> int | None:
        key = str(asset.path)
        if key not in self._image_numbers:
            data = self._packed(key) or image_beside(self.path, key)
            found = None if data is None else image(Path(key).stem, data)
            self._image_numbers[key] = None if found is None else len(self.images)
            if found is not None:
                self.images.append(found)
        return self._image_numbers[key]

    def _packed(self, name: str) -> bytes | None:
        """An image in a .usdz file."""
        if not zipfile.is_zipfile(self.path):
            return None
        with zipfile.ZipFile(self.path) as archive:
            inside = name.removeprefix("./")
            known = [i for i in archive.infolist() if i.filename == inside]
            known += [i for i in archive.infolist() if i.filename.endswith("/" + Path(name).name)]
            if not known or known[0].file_size > MAX_IMAGE_BYTES:
                return None
            return archive.read(known[0])
