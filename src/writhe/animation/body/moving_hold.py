"""A moving hold: a pose that is held for some time without freezing.

The body breathes: the chest rises and tips back, the shoulders lift, the head stays level. A
standing body also shifts its weight from side to side, and the head looks about a little. The
poses of breathing in and out are keys of `animate`, so feet, hands that rest on something, joint
limits and contacts are kept, and the result is certified.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from writhe.animation.animate_keys import animate
from writhe.animation.body.turn_joint import turned
from writhe.animation.collision_world import EnvironmentOverTime, World, figure_world, scene_world
from writhe.animation.foot_contacts import contacts_of_keys
from writhe.animation.key_interpolation import Key
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation
from writhe.arguments import checked
from writhe.arrays import Floats, floats, number
from writhe.collision import NearPairs
from writhe.errors import WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import ANKLES, SIDES
from writhe.skeleton.move_root import moved_roots
from writhe.solvers.posing import Hold, Pin, hold_here, pin_here

BREATH_S = 3.8  # at rest, about 16 a minute
_INHALE = 0.42  # share of a breath in which it is drawn
_CHEST_RAD, _SPINE_RAD = 0.065, 0.026  # the chest tips back, the trunk below it forward
_SHOULDER_RAD = 0.08  # by which the shoulders lift
_WEIGHT_M = 0.03  # by which the hips of a standing body move aside
_LOOK_RAD = 0.12  # by which the head turns
_ASIDE, _LOOK = 2.3, 1.7  # radians from breath to breath, so that no two are alike
_TOUCH_M = 0.012  # a hand nearer than this to something rests on it
_STANDS = 0.8  # height of the hips of a standing body, relative to its leg
_SHORTEST_S, _LONGEST_S = 0.5, 600.0


@checked
def moving_hold(
    subject: Figure | Scene,
    pose: ArrayLike,
    duration_s: float,
    *,
    fps: float,
    pins: Sequence[Pin | Hold | str] | None = None,
    actor: str | None = None,
    floor: bool | float = True,
    environment: EnvironmentOverTime | None = None,
    amount: float = 1.0,
) -> Animation:
    """A motion that begins and ends in a pose (nq) of a person, and breathes in between.

    pins: hold all the time; by default the standing feet. Hands that rest on the legs, on the head
    or on something else stay there too. amount: size of the movements, 0 to 3. The other arguments
    are those of `animate`.
    """
    figure = subject.actor(actor).figure if isinstance(subject, Scene) else subject
    if not {"spine", "chest"} & set(dict(figure.roles)):
        raise WritheError("only a body whose trunk is recognised can breathe")
    q = floats(pose, (figure.skeleton.configuration_size,), "the pose")
    number(duration_s, "duration_s", minimum=_SHORTEST_S, maximum=_LONGEST_S)
    number(amount, "amount", minimum=0.0, maximum=3.0)
    times = np.array([0.0, duration_s])
    held = (
        [timed.pin for timed in contacts_of_keys(figure, times, np.stack([q, q]))]
        if pins is None
        else list(pins)
    )
    world = (
        scene_world(subject, actor, environment)
        if isinstance(subject, Scene)
        else figure_world(figure, q[None], None, floor)
    )
    pinned = {pin if isinstance(pin, str) else pin.joint for pin in held}
    held += [rest for rest in _resting_hands(world, q) if rest.joint not in pinned]
    return animate(
        subject,
        _keys(figure, q, duration_s, amount),
        fps=fps,
        pins=[TimedPin(pin) for pin in held],
        actor=actor,
        floor=floor,
        environment=environment,
        options=AnimateOptions(plan=False, clear_keys=True),
    )


def _keys(figure: Figure, q: Floats, duration_s: float, amount: float) -> list[Key]:
    """The pose at both ends, a full chest in every breath, and a rest between breaths."""
    count = max(1, round(duration_s / BREATH_S))
    length, sways = duration_s / count, amount * float(_stands(figure, q))
    out = [Key(0.0, q)]
    for k in range(count):
        aside = [sways * _WEIGHT_M * np.sin(_ASIDE * (k + share)) for share in (_INHALE, 1.0)]
        look = [amount * _LOOK_RAD * np.sin(_LOOK * (k + share)) for share in (_INHALE, 1.0)]
        full = _breathing_in(figure, _shifted(figure, q, aside[0], look[0]), amount)
        out.append(Key((k + _INHALE) * length, full))
        if k + 1 < count:
            out.append(Key((k + 1) * length, _shifted(figure, q, aside[1], look[1])))
    return [*out, Key(duration_s, q)]


def _breathing_in(figure: Figure, q: Floats, amount: float) -> Floats:
    skeleton, roles = figure.skeleton, dict(figure.roles)
    across, ahead = (yaw_matrix(heading_of(figure, q)) @ axis for axis in np.eye(3)[[0, 2]])
    turns = {
        "spine": _SPINE_RAD,
        "chest": -_CHEST_RAD,
        "neck": _CHEST_RAD - _SPINE_RAD,
    }
    for role, angle in turns.items():
        q = turned(skeleton, q, roles.get(role), across, amount * angle)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        lift = sign * amount * _SHOULDER_RAD
        if f"{side}_clavicle" in roles:
            q = turned(skeleton, q, roles[f"{side}_clavicle"], ahead, lift)
            q = turned(skeleton, q, roles.get(f"{side}_shoulder"), ahead, -lift)
    return q


def _shifted(figure: Figure, q: Floats, aside_m: float, look_rad: float) -> Floats:
    """The pose with the hips moved to the left and the head turned to the left."""
    left = yaw_matrix(heading_of(figure, q)) @ np.array([aside_m, 0.0, 0.0])
    q = moved_roots(figure.skeleton, q[None], np.eye(3), left)[0]
    up = np.array([0.0, 1.0, 0.0])
    return turned(figure.skeleton, q, dict(figure.roles).get("neck"), up, look_rad)


def _stands(figure: Figure, q: Floats) -> bool:
    """Whether the body stands on two straight or slightly bent legs."""
    roles, frames = dict(figure.roles), forward(figure.skeleton, q)
    if not {*ANKLES, *(f"{side}_hip" for side in SIDES), "left_knee"} <= set(roles):
        return False
    hip, knee, ankle = (frames.position(roles[f"left_{part}"]) for part in ("hip", "knee", "ankle"))
    leg = float(np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle))
    heights = [
        frames.position(roles[f"{side}_hip"])[1] - frames.position(roles[f"{side}_ankle"])[1]
        for side in SIDES
    ]
    return min(heights) > _STANDS * leg


def _resting_hands(world: World, q: Floats) -> list[Pin | Hold]:
    """Hands that rest on something that does not breathe, held there."""
    figure, skeleton = world.figure, world.figure.skeleton
    roles = dict(figure.roles)
    breathes = _below(skeleton, roles.get("spine", roles.get("chest")))
    breathes -= _below(skeleton, roles.get("head"))
    out: list[Pin | Hold] = []
    for side in SIDES:
        wrist = roles.get(f"{side}_wrist")
        hand = _below(skeleton, wrist)
        touched = [other for own, other in _touching(world, q) if own in hand and other not in hand]
        touched = [other for other in touched if other not in breathes]
        if wrist is not None and touched:
            on = touched[0]
            own = on in skeleton
            out.append(hold_here(skeleton, q, wrist, on) if own else pin_here(skeleton, q, wrist))
    return out


def _below(skeleton: Skeleton, joint: str | None) -> set[str]:
    """A joint and all that it carries."""
    if joint is None:
        return set()
    at = skeleton.index(joint)
    return {name for name in skeleton.names if at in skeleton.ancestors(name)}


def _touching(world: World, q: Floats) -> list[tuple[str, str]]:
    """(joint, joint) of the parts that touch, both ways round; "" for what is not of the body."""
    row = world.rows(np.zeros(1), q[None])[0]
    frames, near = forward(world.skeleton, row), NearPairs(world.table)
    near.find(frames.positions, frames.rotations, _TOUCH_M)
    names = ["" if not name.startswith(world.prefix) else name for name in world.skeleton.names]
    names = [name.removeprefix(world.prefix) for name in names]
    own = set(world.figure.skeleton.names)
    out: list[tuple[str, str]] = []
    for pair in near.rows.joints[: near.count]:
        a, b = (names[int(j)] if j >= 0 and names[int(j)] in own else "" for j in pair)
        out += [(a, b), (b, a)]
    return out
