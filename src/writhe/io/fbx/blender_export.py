"""Program for a Python that has bpy: converts a glTF file to FBX.

Run as `python blender_export.py IN.glb OUT.fbx FPS FRAMES`, or by `blender --background --python`
with the four after `--`. It imports nothing of writhe.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any


def main(source: str, target: str, fps: float, frames: int) -> None:
    bpy: Any = import_module("bpy")  # states no types
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps
    bpy.ops.import_scene.gltf(filepath=source)
    for shape in [o for o in bpy.data.objects if o.name.startswith("Icosphere")]:
        bpy.data.objects.remove(shape)  # the importer's drawing of bones
    for material in bpy.data.materials:
        _shade_unlit(material)
    for i, image in enumerate(bpy.data.images):  # the exporter tells packed images apart by path
        kind = "jpg" if image.file_format == "JPEG" else "png"
        image.filepath_raw = f"//{i}-{bpy.path.clean_name(image.name)}.{kind}"
    starts: list[float] = [a.frame_range[0] for a in bpy.data.actions]
    scene.frame_start = round(min(starts, default=0))
    scene.frame_end = scene.frame_start + frames - 1
    bpy.ops.export_scene.fbx(
        filepath=target,
        path_mode="COPY",
        embed_textures=True,
        add_leaf_bones=False,
        bake_anim=bool(starts),
        bake_anim_use_all_bones=True,
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_force_startend_keying=True,
        bake_anim_simplify_factor=0.0,
    )
    sys.stdout.flush()


def _shade_unlit(material: Any) -> None:
    """Give an unlit material, as avatars have them, the one shader that the FBX exporter knows."""
    if not material.use_nodes:
        return
    tree = material.node_tree
    kinds = {node.type for node in tree.nodes}
    textures = [node for node in tree.nodes if node.type == "TEX_IMAGE" and node.image]
    if "BSDF_PRINCIPLED" in kinds or not textures:
        return
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    tree.links.new(textures[0].outputs["Color"], shader.inputs["Base Color"])
    output = next((node for node in tree.nodes if node.type == "OUTPUT_MATERIAL"), None)
    output = output or tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(shader.outputs["BSDF"], output.inputs["Surface"])


if __name__ == "__main__":
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    try:
        main(given[0], given[1], float(given[2]), int(given[3]))
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)  # Blender may hang when it is closed
