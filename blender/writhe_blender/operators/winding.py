"""Wind two limbs around each other: live by a slider, and by tangle keys on the timeline."""

from __future__ import annotations

import bpy

from .. import action as actions
from .. import armature as armatures
from .. import control_rig, engine, keying, scene_sync
from ..process.client import EngineError
from .action import BackgroundActionOperator, motion_data, show_result
from .character import active_armature

_PERIOD_S = 1 / 30
_STEPS = 2  # of the solver for each redraw
_MAX_STEPS = 250


def tangle_data(tangle) -> dict:
    """The goal of a tangle's properties."""
    if tangle.first is None or tangle.second is None:
        raise EngineError("choose two characters, which may be the same")
    return {
        "first": {"character": tangle.first.name, "limb": tangle.first_limb},
        "second": {"character": tangle.second.name, "limb": tangle.second_limb},
        "writhe": tangle.writhe,
        "centre_first": tangle.centre_first if tangle.use_centre else None,
        "centre_second": tangle.centre_second if tangle.use_centre else None,
        "density": tangle.density if tangle.use_density else None,
    }


def movers_of(tangle) -> list[str]:
    """The names of the characters that wind."""
    wanted = {"FIRST": [tangle.first], "SECOND": [tangle.second]}
    chosen = wanted.get(tangle.movers, [tangle.first, tangle.second])
    return list(dict.fromkeys(item.name for item in chosen))


class ArmatureWinding:
    """Poses that follow the goal of the scene's tangle, step by step."""

    def __init__(self, context) -> None:
        self._context = context
        self._tangle = context.scene.writhe.tangle
        self._engine = engine.drags()
        scene_sync.send(context, self._engine)
        goal = tangle_data(self._tangle)
        self._saved, self._writers = {}, {}
        for name in movers_of(self._tangle):
            armature = context.scene.objects[name]
            body = scene_sync.required(context, armature)
            armatures.require_posable(armature, body.bones)
            self._saved[name] = armatures.SavedPose(armature)
            info = body.info
            control_rig.use_controls(armature)
            self._writers[name] = armatures.PoseWriter(
                context, armature, body.bones, info["turns"], info["shifts"]
            )
        self.measured = self._engine.request(
            "begin_winding",
            {
                "poses": scene_sync.poses(context),
                "placements": scene_sync.placements(context),
                "floor_m": 0.0 if context.scene.writhe.floor else None,
                "tangle": goal,
                "movers": list(self._writers),
                "pins": scene_sync.pins(context),
            },
        )

    def step(self) -> dict:
        """Steps towards the goal that the properties have now, and the poses written."""
        answer = self._engine.request(
            "wind", {"tangle": tangle_data(self._tangle), "steps": _STEPS}
        )
        for name, pose in answer["poses"].items():
            self._writers[name].write(pose["rotation"], pose["location"])
        self._tangle.measured = answer["writhe"]
        return answer

    def key(self) -> None:
        """Key the bones that moved, if automatic keying is on."""
        if keying.is_on(self._context.scene):
            for name, saved in self._saved.items():
                armature = self._context.scene.objects[name]
                keying.insert(self._context, armature, saved)

    def undo(self) -> None:
        """Restore the poses from before."""
        for name, saved in self._saved.items():
            saved.restore(self._context.scene.objects[name])


class WRITHE_OT_wind(bpy.types.Operator):
    """Wind the two limbs; the poses follow the sliders until you press Keep (Escape restores)"""

    bl_idname = "writhe.wind"
    bl_label = "Wind"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """With two limbs."""
        tangle = context.scene.writhe.tangle
        return tangle.first is not None and tangle.second is not None

    def execute(self, context):
        """Wind until the goal is reached or cannot be."""
        try:
            winding = ArmatureWinding(context)
            for _ in range(_MAX_STEPS // _STEPS):
                answer = winding.step()
                if answer["reached"] or answer["stalled"]:
                    break
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        winding.key()
        word = "reached" if answer["reached"] else "not reached"
        self.report({"INFO"}, f"writhe {answer['writhe']:.2f}, goal {word}")
        return {"FINISHED"}

    def invoke(self, context, event):
        """Follow the sliders."""
        if bpy.app.background:
            return self.execute(context)
        try:
            self._winding = ArmatureWinding(context)
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        tangle = context.scene.writhe.tangle
        tangle.writhe = tangle.measured = self._winding.measured["writhe"]
        tangle.live = True
        manager = context.window_manager
        self._timer = manager.event_timer_add(_PERIOD_S, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Steps on the timer; everything else passes through."""
        tangle = context.scene.writhe.tangle
        if event.type == "ESC" and event.value == "PRESS":
            self._winding.undo()
            self._end(context)
            return {"CANCELLED"}
        if not tangle.live:  # Keep was pressed
            self._winding.key()
            self._end(context)
            return {"FINISHED"}
        if event.type == "TIMER":
            try:
                answer = self._winding.step()
            except EngineError as error:
                self.report({"ERROR"}, str(error))
                self._end(context)
                return {"CANCELLED"}
            tangle.stalled = answer["stalled"]
            for area in context.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()
        return {"PASS_THROUGH"}

    def _end(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        tangle = context.scene.writhe.tangle
        tangle.live = tangle.stalled = False


class WRITHE_OT_keep_winding(bpy.types.Operator):
    """Keep the poses that winding has reached"""

    bl_idname = "writhe.keep_winding"
    bl_label = "Keep"

    def execute(self, context):
        """Let the operator that winds finish."""
        context.scene.writhe.tangle.live = False
        return {"FINISHED"}


class WRITHE_OT_key_tangle(bpy.types.Operator):
    """Key the tangle at the present frame: the two limbs shall be wound like this there"""

    bl_idname = "writhe.key_tangle"
    bl_label = "Key Tangle"
    bl_options = {"REGISTER", "UNDO"}

    poll = WRITHE_OT_wind.poll

    def execute(self, context):
        """Copy the goal into a key, instead of one of the same limbs at this frame."""
        settings = context.scene.writhe
        goal, frame = settings.tangle, context.scene.frame_current
        same = [
            index
            for index, key in enumerate(settings.tangle_keys)
            if key.frame == frame
            and (key.first, key.first_limb) == (goal.first, goal.first_limb)
            and (key.second, key.second_limb) == (goal.second, goal.second_limb)
        ]
        key = settings.tangle_keys[same[0]] if same else settings.tangle_keys.add()
        for name in (
            "first", "first_limb", "second", "second_limb", "writhe", "centre_first",
            "centre_second", "density", "use_centre", "use_density", "movers",
        ):  # fmt: skip
            setattr(key, name, getattr(goal, name))
        key.frame = frame
        return {"FINISHED"}


class WRITHE_OT_remove_tangle_key(bpy.types.Operator):
    """Remove this tangle key"""

    bl_idname = "writhe.remove_tangle_key"
    bl_label = "Remove Tangle Key"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty()

    def execute(self, context):
        """Remove it."""
        context.scene.writhe.tangle_keys.remove(self.index)
        return {"FINISHED"}


class WRITHE_OT_wind_keys(BackgroundActionOperator, bpy.types.Operator):
    """Make the motion from the first frame through all tangle keys, without pass-throughs"""

    bl_idname = "writhe.wind_keys"
    bl_label = "Motion through Tangle Keys"
    bl_options = {"REGISTER", "UNDO"}
    request = "wind_keys"
    title = "Winding"

    def ask(self, context) -> dict:
        """The tangle keys, and everything that moves."""
        settings = context.scene.writhe
        if not len(settings.tangle_keys):
            raise EngineError("key a tangle first: choose two limbs, wind them, press Key Tangle")
        armature = active_armature(context)
        data, self._span, self._note = motion_data(context, armature)
        keys = [
            {
                **tangle_data(key),
                "time_s": self._span.seconds(key.frame),
                "movers": movers_of(key),
            }
            for key in settings.tangle_keys
        ]
        return {
            **data,
            "tangle_keys": keys,
            "fps": self._span.fps,
            "modes": scene_sync.modes(context),
            "pins": scene_sync.pins(context),
            "floor_m": 0.0 if settings.floor else None,
        }

    def finish(self, context, answer: dict) -> str:
        """Write the keys of all that wind."""
        actions.write_keys(context, answer, self._span)
        show_result(context, answer["after"], self._span, self._note)
        return answer["message"]


CLASSES = (
    WRITHE_OT_wind,
    WRITHE_OT_keep_winding,
    WRITHE_OT_key_tangle,
    WRITHE_OT_remove_tangle_key,
    WRITHE_OT_wind_keys,
)
