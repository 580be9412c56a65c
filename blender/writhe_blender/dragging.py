"""A drag of bones: from the present pose, step by step, until it is kept or undone."""

from __future__ import annotations

import numpy as np

from . import armature as armatures
from . import axes, control_rig, engine, keying, scene_sync
from .process.client import EngineError


class BoneDrag:
    """Bones of one character that are being dragged."""

    def __init__(self, context, armature, handles) -> None:
        """Begin: handles are bones, each with the point of it that is dragged, in the world."""
        self._context, self._armature = context, armature
        self._engine = engine.drags()
        scene_sync.send(context, self._engine)
        body = scene_sync.required(context, armature)
        armatures.require_posable(armature, body.bones)
        for bone, _ in handles:
            if bone not in body.bones:
                raise EngineError(f"{bone} neither deforms a mesh nor carries a bone that does")
        self._saved = armatures.SavedPose(armature)
        poses = scene_sync.poses(context)
        own, settings = poses[armature.name], context.scene.writhe
        to_writhe = axes.to_writhe(context.scene)
        points = []
        for bone, point in handles:
            matrix = own[body.bones.index(bone)]
            turn = matrix[:3, :3] / axes.scale_of(matrix)
            here = (to_writhe @ np.array([*point, 1.0]))[:3]
            points.append({"bone": bone, "point": turn.T @ (here - matrix[:3, 3])})
        answer = self._engine.request(
            "begin_drag",
            {
                "character": armature.name,
                "poses": poses,
                "placements": scene_sync.placements(context),
                "handles": points,
                "pins": scene_sync.pins(context).get(armature.name, {}),
                "options": {
                    "keep_feet": settings.keep_feet,
                    "balance": settings.balance,
                    "natural": settings.natural,
                },
                "floor_m": 0.0 if settings.floor else None,
            },
        )
        self.start: np.ndarray = answer["points"]
        self.switched: list[str] = []  # of a control rig: what was set for the controls to work
        self._began = False
        info = body.info
        self._writer = armatures.PoseWriter(
            context, armature, body.bones, info["turns"], info["shifts"]
        )

    def move(self, points: np.ndarray, steps: int = 1) -> dict:
        """Steps towards points (k, 3) in writhe's world, and the pose written; see `Session`."""
        answer = self._engine.request("drag", {"points": points, "steps": steps})
        if not self._began:
            self._began = True
            self.switched = control_rig.use_controls(self._armature)
        self._writer.write(answer["rotation"], answer["location"])
        return answer

    def key(self) -> int:
        """Key the bones that moved, if automatic keying is on."""
        if not keying.is_on(self._context.scene):
            return 0
        return keying.insert(self._context, self._armature, self._saved)

    def undo(self) -> None:
        """Restore the pose from before the drag."""
        self._saved.restore(self._armature)
