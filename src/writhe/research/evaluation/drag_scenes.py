"""Where scripted drags happen: standing alone, sitting on the chair, climbing the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError
from writhe.postures.builtin import builtin_database
from writhe.postures.builtin.pose_setting import ACTOR, FLOOR, Place
from writhe.research.evaluation.drag_scripts import CHAIR_FREE, CHAIR_PINNED, LADDER, STANDING
from writhe.research.evaluation.drags import Drag, Script, standing, walked
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure as built_in
from writhe.solvers.posing import Controls, Poser, make_poser

# name: the object, the posture of its library to start from, the scripts
_SETTINGS: dict[str, tuple[str, str, Sequence[Script]]] = {
    "basic": ("", "", STANDING),
    "ladder": ("ladder", "climb 0-0, rails", LADDER),
    "chair 1": ("chair", "sit, hands on thighs", CHAIR_FREE),
    "chair 2": ("chair", "sit, hands on thighs", CHAIR_PINNED),
}
SETTINGS = tuple(_SETTINGS)
# The shapes of a foot reach 2 cm below its sole at the ball but not at the heel. Where feet may
# tilt freely, so much allowance would sink the heel: the body stands a little higher instead.
_SOLE_M, _LIFT_M = 0.014, 0.006


@dataclass(frozen=True)
class Setting:
    """A figure in its surroundings with the postures that it is posed by."""

    name: str
    figure: Figure
    start: Floats
    scripts: Sequence[Script]
    scene: Scene | None
    database: PostureDatabase | None
    actor: str = field(default=ACTOR)
    controls: Controls = field(default_factory=Controls)  # of the default poser

    def drags(self, rounds: int = 1, seed: int = 0) -> list[Drag]:
        """The scripted drags of this setting."""
        return walked(self.scripts, self.figure, self.start, rounds, seed)

    def poser(self, method: str) -> Poser:
        """A poser here, by the name of its method."""
        return make_poser(
            method,
            self.figure,
            self.database,
            scene=self.scene,
            actor=None if self.scene is None else self.actor,
            controls=self.controls if method == "default" else None,
        )


def make_setting(
    name: str, database: PostureDatabase | None = None, figure: Figure | None = None
) -> Setting:
    """A setting by name; `database` stands in for the built-in one."""
    if name not in _SETTINGS:
        raise UnknownNameError("setting", name, list(SETTINGS))
    thing, posture, scripts = _SETTINGS[name]
    body = figure or built_in("human")
    known = builtin_database(thing or "basic") if database is None or thing else database
    if not thing:
        start = standing(body)
        return Setting(name, body, start, scripts, None, known, controls=Controls.standing())
    start = known.beside_object(known.clip.index(posture))
    start[1] += _LIFT_M
    scene = _firm_floor(Place(body, thing).layout.scene)
    postures = known if database is None else database
    controls = Controls.sitting() if thing == "chair" else Controls()
    return Setting(name, body, start, scripts, scene, postures, controls=controls)


def _firm_floor(scene: Scene) -> Scene:
    """The scene with feet that may sink less deep into the floor."""
    policy = scene.policy
    for a, b in policy.declared_m:
        if FLOOR in (a, b) and (a + b).replace(FLOOR, "").endswith(("ankle", "toe")):
            policy = policy.allow(a, b, _SOLE_M)
    return replace(scene, policy=policy)
