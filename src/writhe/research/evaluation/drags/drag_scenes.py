"""Scenes of the scripted drags: standing, sitting on the chair, climbing the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError
from writhe.postures.builtin import builtin_database
from writhe.postures.builtin.pose_setting import ACTOR, FLOOR, PoseSetting
from writhe.research.evaluation.drags.drag_scripts import CHAIR_FREE, CHAIR_PINNED, LADDER, STANDING
from writhe.research.evaluation.drags.scripted_drag import (
    Script,
    ScriptedDrag,
    sample_drags,
    standing,
)
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure as built_in
from writhe.solvers.posing import Controls, Poser, make_poser

# name: object, start posture in its library, scripts
_SCENES: dict[str, tuple[str, str, Sequence[Script]]] = {
    "basic": ("", "", STANDING),
    "ladder": ("ladder", "climb 0-0, rails", LADDER),
    "chair 1": ("chair", "sit, hands on thighs", CHAIR_FREE),
    "chair 2": ("chair", "sit, hands on thighs", CHAIR_PINNED),
}
SETTINGS = tuple(_SCENES)
# The capsules of a foot reach 2 cm below the sole at the ball but not at the heel. If feet may tilt
# freely, an allowance for that would let the heel sink into the floor, so the body starts slightly
# higher instead.
_SOLE_M, _LIFT_M = 0.014, 0.006


@dataclass(frozen=True)
class DragScene:
    """A figure, its scene, start posture and posture database."""

    name: str
    figure: Figure
    start: Floats
    scripts: Sequence[Script]
    scene: Scene | None
    database: PostureDatabase | None
    actor: str = field(default=ACTOR)
    controls: Controls = field(default_factory=Controls)  # of the default poser

    def drags(self, rounds: int = 1, seed: int = 0) -> list[ScriptedDrag]:
        """The scripted drags of this scene."""
        return sample_drags(self.scripts, self.figure, self.start, rounds, seed)

    def poser(self, method: str) -> Poser:
        """A poser for this scene, by method name."""
        return make_poser(
            method,
            self.scene or self.figure,
            self.database,
            actor=None if self.scene is None else self.actor,
            controls=self.controls if method == "default" else None,
        )


def make_drag_scene(
    name: str, database: PostureDatabase | None = None, figure: Figure | None = None
) -> DragScene:
    """A drag scene by name; `database` replaces the built-in one."""
    if name not in _SCENES:
        raise UnknownNameError("setting", name, list(SETTINGS))
    object_name, posture, scripts = _SCENES[name]
    body = figure or built_in("human")
    known = (
        builtin_database(object_name or "basic") if database is None or object_name else database
    )
    if not object_name:
        start = standing(body)
        return DragScene(name, body, start, scripts, None, known, controls=Controls.standing())
    start = known.relative_to_object(known.clip.index(posture))
    start[1] += _LIFT_M
    scene = _firm_floor(PoseSetting(body, object_name).layout.scene)
    postures = known if database is None else database
    controls = Controls.sitting() if object_name == "chair" else Controls()
    return DragScene(name, body, start, scripts, scene, postures, controls=controls)


def _firm_floor(scene: Scene) -> Scene:
    """The scene with a smaller allowance of the feet on the floor."""
    policy = scene.policy
    for a, b in policy.declared_m:
        if FLOOR in (a, b) and (a + b).replace(FLOOR, "").endswith(("ankle", "toe")):
            policy = policy.allow(a, b, _SOLE_M)
    return replace(scene, policy=policy)
