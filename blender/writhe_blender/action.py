"""The action of an armature for writhe: its curves where they say it all, else sampled frames."""

from __future__ import annotations

import numpy as np

from . import armature as armatures
from . import control_rig, fcurves

# a bone whose location changes by less keeps its length, as for files
_STILL_M = 5e-5


class ActionRange:
    """The frames of an action: from its first key to its last, or the scene's without keys.

    Keys between frames belong to it too: it begins and ends with whole frames.
    """

    def __init__(self, context, armature) -> None:
        scene = context.scene
        self.fps = scene.render.fps / scene.render.fps_base
        times = [
            (c.keyframe_points[0].co[0], c.keyframe_points[-1].co[0])
            for c in fcurves.curves_of(armature)
            if len(c.keyframe_points)
        ]
        first = min((t[0] for t in times), default=float(scene.frame_start))
        last = max((t[1] for t in times), default=float(scene.frame_end))
        self.start, self.end = float(np.floor(first + 1e-4)), float(np.ceil(last - 1e-4))

    @property
    def frames(self) -> int:
        """The number of frames."""
        return max(1, round(self.end - self.start) + 1)

    def seconds(self, frame: float) -> float:
        """Seconds from the first frame."""
        return (frame - self.start) / self.fps

    def frame(self, seconds: float) -> float:
        """The frame of a time."""
        return self.start + seconds * self.fps


def free_bones(context, armature) -> set[str]:
    """The bones whose location is animated."""
    found = set()
    still = _STILL_M / armatures.scale(context, armature)
    for curve in fcurves.curves_of(armature):
        place = fcurves.bone_and_property(curve.data_path)
        if place is not None and place[1] == "location" and fcurves.Keys(curve).varies(still):
            found.add(place[0])
    return found


def why_sampled(armature, bones: list[str]) -> str:
    """Why the curves do not say where the bones are; empty if they do."""
    reasons = armatures.obstacles_to_posing(armature, bones)
    if reasons:
        return reasons[0]
    why = control_rig.why_not_curves(armature)
    if why:
        return why
    data = armature.animation_data
    if data is not None and data.use_nla and any(not t.mute for t in data.nla_tracks):
        return "the armature has NLA tracks"
    known = set(bones)
    for curve in fcurves.curves_of(armature):
        place = fcurves.bone_and_property(curve.data_path)
        if curve.mute:
            continue
        keys = fcurves.Keys(curve)
        if place is None:
            if keys.varies():
                return f"{curve.data_path} of the armature is animated"
            continue
        if place[0] not in known:
            continue
        if len(curve.modifiers):
            return f"{place[0]} has F-curve modifiers"
        if place[1] == "scale" and keys.varies():
            return f"the scale of {place[0]} is animated"
        if place[1] == "rotation_axis_angle":
            return f"{place[0]} is turned by axis and angle"
        steps = keys.interpolation[:-1]
        if not np.isin(steps, (fcurves.LINEAR, fcurves.BEZIER)).all() and keys.varies():
            return f"{place[0]} has keys with other interpolation than linear and Bezier"
        if curve.extrapolation != "CONSTANT" and keys.varies():
            return f"{place[0]} has curves that are extrapolated"
    return ""


def tracks(context, armature, bones: list[str], shifts, span: ActionRange) -> dict:
    """The curves of all bones by name; a channel without one keeps its value."""
    found: dict[tuple[str, str, int], fcurves.Keys] = {}
    for curve in fcurves.curves_of(armature):
        place = fcurves.bone_and_property(curve.data_path)
        if place is not None and not curve.mute and len(curve.keyframe_points):
            found[(*place, curve.array_index)] = fcurves.Keys(curve)
    unit = armatures.scale(context, armature)
    out = {}
    for i, name in enumerate(bones):
        bone = armature.pose.bones[name]
        turn = armatures.channels(bone)
        euler = turn == "rotation_euler"
        out[name] = {
            "mode": bone.rotation_mode if euler else "QUATERNION",
            "rotation": _channel(found, bone, turn, 3 if euler else 4, 1.0, span),
            "location": _channel(found, bone, "location", 3, unit, span) if shifts[i] else [],
        }
    return out


def _channel(found, bone, name: str, count: int, factor: float, span: ActionRange) -> list[dict]:
    values = getattr(bone, name)
    return [
        found[(bone.name, name, k)].plain(span.start, span.fps, factor)
        if (bone.name, name, k) in found
        else fcurves.constant(values[k] * factor)
        for k in range(count)
    ]


def sampled(context, sources, frames: np.ndarray) -> list[np.ndarray]:
    """What functions without arguments return at frames, evaluated by Blender."""
    scene = context.scene
    before = scene.frame_current, scene.frame_subframe
    rows: list[list] = [[] for _ in sources]
    try:
        for frame in frames:
            whole = int(np.floor(frame + 1e-6))
            scene.frame_set(whole, subframe=max(0.0, float(frame) - whole))
            for row, source in zip(rows, sources):
                row.append(source())
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return [np.array(row) for row in rows]


def _write_rest_of_rig(armature, curves, frames) -> None:
    """Hold the switches of a control rig at FK and its other controls at rest over frames."""
    rig = control_rig.stored_rig(armature)
    if rig is None:
        return
    control_rig.use_controls(armature)
    pose, ends = armature.pose.bones, frames[[0, -1]]
    for bone, name, value in rig.switches:
        path = control_rig.switch_path(pose[bone], name)
        if curves.find(path, index=0) is not None:
            fcurves.write_linear(curves, path, 0, bone, ends, np.full(2, value))
    neutral = set(rig.neutral)
    for curve in list(curves):
        place = fcurves.bone_and_property(curve.data_path)
        if place is not None and place[0] in neutral:
            rest = 1.0 if place[1] == "scale" or (
                place[1] == "rotation_quaternion" and curve.array_index == 0
            ) else 0.0  # fmt: skip
            path, index = curve.data_path, curve.array_index
            fcurves.write_linear(curves, path, index, place[0], ends, np.full(2, rest))


def write_keys(context, answer: dict, span: ActionRange) -> None:
    """Write the linear keys that writhe found for some characters."""
    frames = span.start + np.asarray(answer["times_s"]) * span.fps
    near = np.abs(frames - np.round(frames)) < 1e-4
    frames = np.where(near, np.round(frames), frames)
    for owner, bones in answer["characters"].items():
        armature = context.scene.objects[owner]
        curves = fcurves.make_curves(armature)
        _write_rest_of_rig(armature, curves, frames)
        unit = armatures.scale(context, armature)
        for name, keys in bones.items():
            bone = armature.pose.bones[name]
            channel = armatures.channels(bone)
            values = np.asarray(keys["rotation"])
            for k in range(values.shape[1]):
                path = fcurves.bone_path(bone, channel)
                fcurves.write_linear(curves, path, k, name, frames, values[:, k])
            if keys["location"] is not None:
                moved = np.asarray(keys["location"]) / unit
                for k in range(3):
                    path = fcurves.bone_path(bone, "location")
                    fcurves.write_linear(curves, path, k, name, frames, moved[:, k])
    context.scene.frame_set(context.scene.frame_current)
