"""The entry points through which a certificate is obtained, each with a random case.

Each is a function of a random generator that makes an input, calls writhe and returns a `Case`.
All are listed in `ENTRY_POINTS`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.amass import amass_file
from writhe.research.fuzzing.entry_points.batches import batch
from writhe.research.fuzzing.entry_points.bvh import bvh_file
from writhe.research.fuzzing.entry_points.clips import clip_operations
from writhe.research.fuzzing.entry_points.commands import key_file, lead_in, refined
from writhe.research.fuzzing.entry_points.curves import bezier_curves
from writhe.research.fuzzing.entry_points.extremal import extremal
from writhe.research.fuzzing.entry_points.figures import (
    hand,
    human,
    octopus,
    single_frame,
    two_people,
)
from writhe.research.fuzzing.entry_points.gltf import cubic_gltf, linear_gltf, step_gltf, vrm_file
from writhe.research.fuzzing.entry_points.interchange import fbx_file, usd_file
from writhe.research.fuzzing.entry_points.mechanisms import library, solids
from writhe.research.fuzzing.entry_points.scenes import mesh_object, scene_file, scene_objects
from writhe.research.fuzzing.entry_points.steps import drag, gate, plan
from writhe.research.fuzzing.entry_points.studio_exports import studio_export

EntryPoint = Callable[[np.random.Generator], Case]

ENTRY_POINTS: dict[str, EntryPoint] = {
    "library": library,
    "solids": solids,
    "extremal": extremal,
    "bvh": bvh_file,
    "gltf linear": linear_gltf,
    "gltf step": step_gltf,
    "gltf cubic": cubic_gltf,
    "vrm": vrm_file,
    "usd": usd_file,
    "fbx": fbx_file,
    "curves": bezier_curves,
    "amass": amass_file,
    "human": human,
    "hand": hand,
    "octopus": octopus,
    "single frame": single_frame,
    "two people": two_people,
    "scene objects": scene_objects,
    "scene file": scene_file,
    "mesh": mesh_object,
    "gate": gate,
    "drag": drag,
    "plan": plan,
    "lead-in": lead_in,
    "refine": refined,
    "key file": key_file,
    "clip operations": clip_operations,
    "batch": batch,
    "studio export": studio_export,
}
