"""The humanoid tables of VRM files, which say which node is which part of the body.

They are read here; `write.py` exports them.

VRM 0.x stores it in the extension VRM, VRM 1.0 in VRMC_vrm, VRM animations in VRMC_vrm_animation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from writhe.io.gltf.container import Glb
from writhe.json_values import is_list, is_object
from writhe.recognition.naming_conventions import roles_of_vrm
from writhe.skeleton.source_file import SourceFile


def vrm_version(glb: Glb) -> str | None:
    """The kind of a VRM file: "0.x", "1.0" or "animation"; None for other files."""
    known = glb.document.get("extensions")
    names = known if is_object(known) else {}
    for name, version in (("VRMC_vrm", "1.0"), ("VRM", "0.x"), ("VRMC_vrm_animation", "animation")):
        if name in names:
            return version
    return None


def is_avatar(file: SourceFile) -> bool:
    """Whether a glTF file is a VRM character, not a VRM animation."""
    return vrm_version(Glb(file)) in ("0.x", "1.0")


def humanoid_nodes(glb: Glb) -> dict[str, int]:
    """Humanoid bone to node; empty if the file has no table."""
    extensions = glb.document.get("extensions")
    if not is_object(extensions):
        return {}
    count = len(glb.items("nodes"))
    found: dict[str, int] = {}
    for name in ("VRMC_vrm", "VRM", "VRMC_vrm_animation"):
        if name not in extensions or found:
            continue
        humanoid = glb.record(extensions[name], name).get("humanoid", {})
        bones = glb.record(humanoid, "the humanoid table").get("humanBones", {})
        for bone, entry in _entries(glb, bones):
            found[bone] = glb.index(entry.get("node"), count, "nodes")
    return found


def _entries(glb: Glb, bones: Any) -> list[tuple[str, dict[str, Any]]]:
    """Bone names and entries: VRM 0.x has a list, VRM 1.0 an object."""
    if is_list(bones):
        records = [glb.record(entry, "a humanoid bone") for entry in bones]
        return [(str(entry.get("bone")), entry) for entry in records if entry.get("node") != -1]
    table = glb.record(bones, "the humanoid bones")
    return [(str(bone), glb.record(entry, "a humanoid bone")) for bone, entry in table.items()]


def humanoid_roles(table: Mapping[str, int], names: Mapping[int, str]) -> dict[str, str]:
    """Role to joint name, from humanoid bone to node and node to joint name."""
    return roles_of_vrm({bone: names[node] for bone, node in table.items() if node in names})
