"""Writes the meshes, materials and images of a character's glTF document to a USD stage."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.gltf.buffers import uri_bytes
from writhe.io.gltf.container import Glb
from writhe.io.gltf.read import file_joints
from writhe.io.gltf.skin import PosedPrimitive, posed_primitives
from writhe.io.usd import usd_modules
from writhe.json_values import is_object
from writhe.skeleton import Figure, Skin

TEXTURES = "textures"  # the folder of image files beside a file


def write_meshes(stage: Any, skel: Any, figure: Figure, folder: Path) -> None:
    """Write every primitive of the figure's document as a mesh bound to the skeleton.

    Images are written to the folder `textures` in `folder`, the folder of the stage.
    """
    assert figure.source is not None
    glb = Glb(figure.source)
    materials = _Materials(stage, glb, folder)
    taken: set[str] = set()
    for part in posed_primitives(glb, file_joints(glb), figure.skeleton):
        path = f"/Character/{_identifier(part.name, taken)}"
        mesh = _mesh(stage, skel, part, path)
        _shapes(stage, glb, mesh, part)
        materials.bind(mesh, part.primitive)


def _identifier(name: str, taken: set[str]) -> str:
    (Tf,) = usd_modules("Tf")
    word = base = Tf.MakeValidIdentifier(name or "Mesh")
    count = 2
    while word in taken or word == "Skeleton":
        word, count = f"{base}_{count}", count + 1
    taken.add(word)
    return word


def skinned_mesh(stage: Any, skel: Any, path: str, skin: Skin | PosedPrimitive) -> Any:
    """Define a mesh at `path` that is bound to the skeleton with the weights of `skin`."""
    Gf, UsdGeom, UsdSkel, Vt = usd_modules("Gf", "UsdGeom", "UsdSkel", "Vt")

    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(_vectors(skin.vertices))
    faces = np.ascontiguousarray(skin.triangles, dtype=np.int32)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, dtype=np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel()))
    mesh.CreateSubdivisionSchemeAttr("none")
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skel.GetPath()])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    width = skin.joints.shape[1]
    joints = np.ascontiguousarray(skin.joints, dtype=np.int32).ravel()
    weights = np.ascontiguousarray(skin.weights, dtype=np.float32).ravel()
    binding.CreateJointIndicesPrimvar(False, width).Set(Vt.IntArray.FromNumpy(joints))
    binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights))
    return mesh


def _mesh(stage: Any, skel: Any, part: PosedPrimitive, path: str) -> Any:
    Sdf, UsdGeom, Vt = usd_modules("Sdf", "UsdGeom", "Vt")

    mesh = skinned_mesh(stage, skel, path, part)
    if part.normals is not None:
        mesh.CreateNormalsAttr(_vectors(part.normals))
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    api = UsdGeom.PrimvarsAPI(mesh.GetPrim())
    for layer, uv in enumerate(part.uvs):
        name = "st" if layer == 0 else f"st{layer}"
        kind = Sdf.ValueTypeNames.TexCoord2fArray
        flipped = np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1)
        primvar = api.CreatePrimvar(name, kind, UsdGeom.Tokens.vertex)
        primvar.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(flipped, dtype=np.float32)))
    return mesh


def _shapes(stage: Any, glb: Glb, mesh: Any, part: PosedPrimitive) -> None:
    """Morph targets as blend shapes."""
    Sdf, UsdSkel, Vt = usd_modules("Sdf", "UsdSkel", "Vt")

    extras = part.mesh.get("extras")
    names: list[Any] = extras.get("targetNames", []) if is_object(extras) else []
    taken: set[str] = set()
    words: list[str] = []
    paths: list[Any] = []
    for number, target in enumerate(part.primitive.get("targets", [])):
        if "POSITION" not in target:
            continue
        given = str(names[number]) if number < len(names) else f"target_{number + 1}"
        words.append(_identifier(given, taken))
        offsets = glb.array(target["POSITION"], "VEC3", "the positions of a morph target")
        turned = np.einsum("vab,vb->va", part.linear, offsets)
        paths.append(Sdf.Path(f"{mesh.GetPath()}/{words[-1]}"))
        shape = UsdSkel.BlendShape.Define(stage, paths[-1])
        shape.CreateOffsetsAttr(_vectors(turned))
        indices = np.arange(len(turned), dtype=np.int32)
        shape.CreatePointIndicesAttr(Vt.IntArray.FromNumpy(indices))
    if words:
        binding = UsdSkel.BindingAPI(mesh.GetPrim())
        binding.CreateBlendShapesAttr(Vt.TokenArray(words))
        binding.CreateBlendShapeTargetsRel().SetTargets(paths)


def _vectors(rows: Floats) -> Any:
    (Vt,) = usd_modules("Vt")
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, dtype=np.float32))


class _Materials:
    """Materials of the document as UsdPreviewSurface, written when they are first bound."""

    def __init__(self, stage: Any, glb: Glb, folder: Path) -> None:
        self._stage, self._glb, self._folder = stage, glb, folder
        self._made: dict[int, Any] = {}
        self._taken: set[str] = set()

    def bind(self, mesh: Any, primitive: dict[str, Any]) -> None:
        """Bind a mesh to the material of its primitive, if it has one."""
        (UsdShade,) = usd_modules("UsdShade")
        number = primitive.get("material")
        if number is None:
            return
        if number not in self._made:
            self._made[number] = self._material(self._glb.item("materials", number))
        UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(self._made[number])

    def _material(self, entry: dict[str, Any]) -> Any:
        Gf, Sdf, UsdShade = usd_modules("Gf", "Sdf", "UsdShade")
        kinds = Sdf.ValueTypeNames
        name = _identifier(str(entry.get("name", "Material")), self._taken)
        path = f"/Character/Materials/{name}"
        material = UsdShade.Material.Define(self._stage, path)
        shader = UsdShade.Shader.Define(self._stage, f"{path}/Surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        surface = entry.get("pbrMetallicRoughness", {})
        red, green, blue, alpha = surface.get("baseColorFactor", [1.0, 1.0, 1.0, 1.0])
        glow = entry.get("emissiveFactor", [0.0, 0.0, 0.0])
        packed = surface.get("metallicRoughnessTexture")
        textures = (
            ("diffuseColor", kinds.Color3f, surface.get("baseColorTexture"), "rgb"),
            ("metallic", kinds.Float, packed, "b"),
            ("roughness", kinds.Float, packed, "g"),
            ("emissiveColor", kinds.Color3f, entry.get("emissiveTexture"), "rgb"),
            ("normal", kinds.Normal3f, entry.get("normalTexture"), "rgb"),
            ("occlusion", kinds.Float, entry.get("occlusionTexture"), "r"),
        )
        values: dict[str, Any] = {
            "diffuseColor": Gf.Vec3f(red, green, blue),
            "metallic": float(surface.get("metallicFactor", 1.0)),
            "roughness": float(surface.get("roughnessFactor", 1.0)),
            "emissiveColor": Gf.Vec3f(*glow),
        }
        for key, kind, texture, channels in textures:
            reader = None if texture is None else self._texture(path, key, texture)
            if reader is not None:
                output = reader.CreateOutput(channels, kind)
                shader.CreateInput(key, kind).ConnectToSource(output)
                if key == "diffuseColor" and entry.get("alphaMode", "OPAQUE") != "OPAQUE":
                    see_through = reader.CreateOutput("a", kinds.Float)
                    shader.CreateInput("opacity", kinds.Float).ConnectToSource(see_through)
            elif key in values:
                shader.CreateInput(key, kind).Set(values[key])
        if entry.get("alphaMode", "OPAQUE") == "BLEND" and not shader.GetInput("opacity"):
            shader.CreateInput("opacity", kinds.Float).Set(float(alpha))
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        return material

    def _texture(self, path: str, key: str, texture: dict[str, Any]) -> Any:
        """A UsdUVTexture that reads an image of the document; None if there is no image."""
        Gf, Sdf, UsdShade = usd_modules("Gf", "Sdf", "UsdShade")
        file = self._image_file(self._glb.item("textures", texture.get("index")).get("source"))
        if file is None:
            return None
        layer = int(texture.get("texCoord", 0))
        where = UsdShade.Shader.Define(self._stage, f"{path}/{key}_st")
        where.CreateIdAttr("UsdPrimvarReader_float2")
        where.CreateInput("varname", Sdf.ValueTypeNames.String).Set(f"st{layer or ''}")
        reader = UsdShade.Shader.Define(self._stage, f"{path}/{key}_texture")
        reader.CreateIdAttr("UsdUVTexture")
        reader.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath(f"./{file}"))
        colour = key in ("diffuseColor", "emissiveColor")
        space = reader.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token)
        space.Set("sRGB" if colour else "raw")
        for axis in ("wrapS", "wrapT"):
            reader.CreateInput(axis, Sdf.ValueTypeNames.Token).Set("repeat")
        if key == "normal":
            reader.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(2, 2, 2, 1))
            reader.CreateInput("bias", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(-1, -1, -1, 0))
        where_out = where.CreateOutput("result", Sdf.ValueTypeNames.Float2)
        reader.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(where_out)
        return reader

    def _image_file(self, number: Any) -> str | None:
        """The path of an image file, named after its content, relative to the stage."""
        if number is None:
            return None
        entry = self._glb.item("images", number)
        if "bufferView" in entry:
            view = self._glb.item("bufferViews", entry["bufferView"])
            start = int(view.get("byteOffset", 0))
            data = self._glb.buffer(view["buffer"])[start : start + int(view["byteLength"])]
        else:
            data = uri_bytes(self._glb.source, entry.get("uri"), f"image {number}")
        suffix = "jpg" if data.startswith(b"\xff\xd8") else "png"
        word = re.sub(r"\W+", "_", str(entry.get("name", "image")))[:40] or "image"
        name = f"{TEXTURES}/{word}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix}"
        file = self._folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
        return name
