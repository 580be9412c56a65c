"""Keys by Blender's own settings of automatic keying."""

from __future__ import annotations

from . import armature as armatures
from . import fcurves

SAME = 1e-6  # a curve that has the value within this needs no key


def is_on(scene) -> bool:
    """Whether automatic keying is on."""
    return scene.tool_settings.use_keyframe_insert_auto


def insert(context, armature, saved) -> int:
    """Key the pose bones that changed at the present frame, as automatic keying would.

    saved: the pose from before, a `SavedPose`. Returns how many bones were keyed.
    """
    scene = context.scene
    settings = scene.tool_settings
    preferences = context.preferences.edit
    options = set()
    if getattr(preferences, "use_keyframe_insert_needed", False) or getattr(
        preferences, "use_auto_keyframe_insert_needed", False
    ):
        options.add("INSERTKEY_NEEDED")
    if preferences.use_visual_keying:
        options.add("INSERTKEY_VISUAL")
    if settings.auto_keying_mode == "REPLACE_KEYS":
        options.add("INSERTKEY_REPLACE")
    if getattr(preferences, "use_keyframe_insert_available", False):
        options.add("INSERTKEY_AVAILABLE")
    if settings.use_keyframe_cycle_aware:
        options.add("INSERTKEY_CYCLE_AWARE")
    keying_set = scene.keying_sets_all.active if settings.use_keyframe_insert_keyingset else None
    wanted = None
    if keying_set is not None and len(keying_set.paths):  # one made by the user lists its paths
        wanted = {path.data_path for path in keying_set.paths if path.id == armature}
    curves: dict = {}
    for curve in fcurves.curves_of(armature):
        curves.setdefault(curve.data_path, {})[curve.array_index] = curve
    keyed = 0
    for bone, name in saved.switched(armature):
        bone.keyframe_insert(f'["{name}"]', group=bone.name, options=options)
    for bone, moved in saved.changed(armature):
        done = False
        for channel in (armatures.channels(bone), "location"):
            if channel == "location" and not moved:
                continue
            path = f"{bone.path_from_id()}.{channel}"
            if wanted is not None and path not in wanted:
                continue
            indices = range(len(getattr(bone, channel)))
            if "INSERTKEY_NEEDED" in options:  # Blender warns of every key that is not
                indices = _needed(bone, channel, curves.get(path, {}), scene.frame_current_final)
            for index in indices:
                done |= bone.keyframe_insert(channel, index=index, group=bone.name, options=options)
        keyed += done
    return keyed


def _needed(bone, channel: str, curves: dict, frame: float) -> list[int]:
    """The indices of a channel whose curve does not have the present value."""
    return [
        index
        for index, value in enumerate(getattr(bone, channel))
        if index not in curves or abs(curves[index].evaluate(frame) - value) > SAME
    ]
