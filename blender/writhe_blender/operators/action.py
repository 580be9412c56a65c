"""Certify, clean and connect actions."""

from __future__ import annotations

import bpy
import numpy as np

from .. import action as actions
from .. import control_rig, fcurves, scene_sync
from ..jobs import BackgroundOperator
from ..process.client import EngineError
from .character import active_armature

MARKER = "writhe: "


def motion_data(context, armature, samples: int = 1) -> tuple[dict, actions.ActionRange, str]:
    """Everything that moves: actions of the characters, tracks of the obstacles.

    Returns the data of a request, the frames of the armature's action, and how it was read.
    """
    body = scene_sync.required(context, armature)
    span = actions.ActionRange(context, armature)
    count = span.frames
    frames = span.start + np.arange(samples * (count - 1) + 1) / samples
    moving = [
        a for a in scene_sync.characters(context) if len(fcurves.curves_of(a)) or a == armature
    ]
    data = {
        "poses": scene_sync.poses(context),
        "actions": {},
        "times_s": np.array([span.seconds(f) for f in frames]),
        "floor_m": 0.0 if context.scene.writhe.certify_floor else None,
    }
    sources, names, notes = [], [], []
    for each in moving:
        found = scene_sync.required(context, each)
        why = actions.why_sampled(each, found.bones)
        if not why:
            shifts = found.info["shifts"]
            data["actions"][each.name] = actions.tracks(context, each, found.bones, shifts, span)
            continue
        notes.append(f"{each.name} was read at {samples} per frame: {why}")
        sources.append(_pose_source(context, each))
        names.append((each.name, True))
    for item in scene_sync.obstacles(context):
        if _is_animated(item):
            sources.append(lambda item=item: scene_sync.matrix(context, item))
            names.append((item.name, False))
    data["rewritten"] = [each.name for each in moving if control_rig.why_not_curves(each)]
    data["tracks"] = {}
    if sources:
        for (name, is_character), rows in zip(names, actions.sampled(context, sources, frames)):
            if is_character:
                data["actions"][name] = {"matrices": rows}
            else:
                data["tracks"][name] = rows
    del body
    return data, span, "; ".join(notes)


def _pose_source(context, armature):
    return lambda: scene_sync.poses(context)[armature.name]


def _is_animated(item) -> bool:
    while item is not None:
        data = item.animation_data
        if data is not None and (data.action is not None or len(data.drivers)):
            return True
        if len(item.constraints):
            return True
        item = item.parent
    return False


def show_result(context, found: dict, span: actions.ActionRange, note: str) -> None:
    """Store a certificate, and mark the timeline where parts overlap."""
    scene, settings = context.scene, context.scene.writhe
    settings.verdict, settings.sentence = found["verdict"], found["sentence"]
    settings.note = note
    settings.marks.clear()
    clear_markers(scene)
    seen: set[tuple[int, str, str]] = set()
    for mark in found["marks"]:
        row = settings.marks.add()
        row.frame = span.frame(mark["time_s"])
        row.first, row.last = (span.frame(t) for t in mark["interval_s"])
        row.a, row.b = mark["a"], mark["b"]
        row.depth_m, row.pass_through = mark["depth_m"], mark["pass_through"]
        key = (round(row.frame), row.a, row.b)
        if key not in seen:
            seen.add(key)
            word = "through" if row.pass_through else "in"
            scene.timeline_markers.new(f"{MARKER}{row.a} {word} {row.b}", frame=key[0])


def clear_markers(scene) -> None:
    """Remove the markers of an earlier certificate."""
    for marker in [m for m in scene.timeline_markers if m.name.startswith(MARKER)]:
        scene.timeline_markers.remove(marker)


class BackgroundActionOperator(BackgroundOperator):
    """Long work on the action of the active character."""

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def ask(self, context) -> dict:
        """The action of the active character, and everything around it."""
        armature = active_armature(context)
        data, self._span, self._note = motion_data(context, armature, getattr(self, "samples", 1))
        return {
            **data,
            "character": armature.name,
            "fps": self._span.fps,
            "frames": self._span.frames,
            "modes": {} if self.request == "certify" else scene_sync.modes(context),
        }


class WRITHE_OT_certify(BackgroundActionOperator, bpy.types.Operator):
    """Prove that no parts pass through each other in this action, or show where they do"""

    bl_idname = "writhe.certify"
    bl_label = "Certify Action"
    bl_options = {"REGISTER", "UNDO"}
    request = "certify"
    title = "Certifying"

    samples: bpy.props.IntProperty(
        name="Samples per Frame", default=1, min=1, max=16,
        description="For actions that are not curves of the bones: constraints, NLA, modifiers",
    )  # fmt: skip

    def finish(self, context, answer: dict) -> str:
        """Show the verdict."""
        show_result(context, answer, self._span, self._note)
        return f"{answer['verdict']}: {answer['sentence']}"


class WRITHE_OT_clean(BackgroundActionOperator, bpy.types.Operator):
    """Remove the overlaps of this action with the smallest change; the result is certified"""

    bl_idname = "writhe.clean"
    bl_label = "Clean Action"
    bl_options = {"REGISTER", "UNDO"}
    request = "clean"
    title = "Cleaning"

    def finish(self, context, answer: dict) -> str:
        """Write the keys and show the new verdict."""
        actions.write_keys(context, answer, self._span)
        show_result(context, answer["after"], self._span, self._note)
        return answer["message"]


class WRITHE_OT_connect(BackgroundActionOperator, bpy.types.Operator):
    """Connect the keyed poses around the present frame by a path on which nothing collides"""

    bl_idname = "writhe.connect"
    bl_label = "Connect Keys"
    bl_options = {"REGISTER", "UNDO"}
    request = "connect"
    title = "Planning"

    first: bpy.props.IntProperty(name="From Frame", default=-1048574)
    last: bpy.props.IntProperty(name="To Frame", default=-1048574)

    def ask(self, context) -> dict:
        """The two keys, by default those around the present frame."""
        data = super().ask(context)
        if self.first > -1048574 and self.last > self.first:
            span = (self.first, self.last)
        else:
            span = keys_around(active_armature(context), context.scene.frame_current_final)
        return {
            **data,
            "span_s": [self._span.seconds(frame) for frame in span],
            "floor_m": 0.0 if context.scene.writhe.floor else None,
        }

    def finish(self, context, answer: dict) -> str:
        """Write the keys between the two poses."""
        actions.write_keys(context, answer, self._span)
        show_result(context, answer["after"], self._span, "between the two keys")
        return answer["message"]


def keys_around(armature, frame: float) -> tuple[float, float]:
    """The frames of the last key before a frame and the first after it."""
    times = {
        round(float(t), 3)
        for curve in fcurves.curves_of(armature)
        for t in fcurves.Keys(curve).co[:, 0]
    }
    before = [t for t in times if t <= frame]
    after = [t for t in times if t > frame]
    if not before or not after:
        raise EngineError("put the playhead between two keys of the character")
    return max(before), min(after)


class WRITHE_OT_clear_result(bpy.types.Operator):
    """Remove the markers and the overlay of the last certificate"""

    bl_idname = "writhe.clear_result"
    bl_label = "Clear Result"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Clear it."""
        clear_markers(context.scene)
        settings = context.scene.writhe
        settings.marks.clear()
        settings.verdict = settings.sentence = settings.note = ""
        return {"FINISHED"}


class WRITHE_OT_go_to(bpy.types.Operator):
    """Go to the frame at which these parts overlap most"""

    bl_idname = "writhe.go_to"
    bl_label = "Go to Overlap"

    index: bpy.props.IntProperty()

    def execute(self, context):
        """Set the frame."""
        marks = context.scene.writhe.marks
        if 0 <= self.index < len(marks):
            frame = marks[self.index].frame
            context.scene.frame_set(int(frame), subframe=frame - int(frame))
        return {"FINISHED"}


CLASSES = (
    WRITHE_OT_certify,
    WRITHE_OT_clean,
    WRITHE_OT_connect,
    WRITHE_OT_clear_result,
    WRITHE_OT_go_to,
)
