"""A character with the names of Mixamo, made from the built-in human with fingers."""

from __future__ import annotations

import json
from pathlib import Path

from writhe.io import save_figure
from writhe.skeleton.figures import figure

_TRUNK = {"hips": "Hips", "spine": "Spine", "chest": "Spine2", "neck": "Neck", "head": "Head"}
_SIDE = {
    "clavicle": "Shoulder", "shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand",
    "hip": "UpLeg", "knee": "Leg", "ankle": "Foot", "toe": "ToeBase",
}  # fmt: skip


def mixamo_name(joint: str) -> str:
    """Mixamo's name of a joint of the human: mixamorig:LeftHandIndex1 for left_index_1."""
    if joint in _TRUNK:
        return f"mixamorig:{_TRUNK[joint]}"
    side, part, *number = joint.split("_")
    finger = f"Hand{part.capitalize()}{''.join(number)}"
    return f"mixamorig:{side.capitalize()}{_SIDE.get(part, finger)}"


def write_mixamo_character(folder: Path) -> Path:
    """A glTF file of the human with its skin, whose bones have the names of Mixamo."""
    human, path = figure("human_with_fingers"), folder / "character.gltf"
    save_figure(human, path)
    document = json.loads(path.read_text())
    known = set(human.skeleton.names)
    for node in document["nodes"]:
        node.pop("extras", None)  # roles and shapes are to be found
        if node.get("name") in known:
            node["name"] = mixamo_name(node["name"])
    document.pop("extras", None)
    path.write_text(json.dumps(document))
    return path
