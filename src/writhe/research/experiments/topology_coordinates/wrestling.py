"""Wrestling: an attacker holds a moving partner in five ways, the full nelson among them.

The partner follows a captured motion (`clips`: a folder of motion files), or one through authored
key poses if there is none; his motion does not react to the attacker.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe import io
from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    TrunkAngles,
    configuration,
)
from writhe.progress import Progress
from writhe.quantities import Point
from writhe.research.experiments.topology_coordinates.geometry_checks import (
    PoseView,
    behind,
    in_front,
)
from writhe.research.experiments.topology_coordinates.hold_checks import (
    held_at_keys,
    holding_frames,
)
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    SceneSetup,
    human,
    lowest_point,
)
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.tangling import (
    DrivenMotion,
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
    animate,
)
from writhe.terms import Term

_FRAMES = 240  # of a captured partner
_AUTHORED_FRAMES = 400
_SIDES = (("left", 1.0), ("right", -1.0))


def _authored(body: Figure) -> Floats:
    """(frames, nq) a partner who sways, turns and lifts his arms: eased key poses."""
    stance = LegAngles(abduct=9, rotate=8, knee=6, flex=4)

    def pose(arms: float, elbow: float, bend: float, turn: float) -> Floats:
        arm = ArmAngles(flex=12, abduct=arms, rotate=10, elbow=elbow)
        return configuration(
            body.skeleton, BodyAngles(arm, arm, stance, stance, TrunkAngles(bend=bend, turn=turn))
        )

    keys = [
        pose(24, 25, 3, 0),
        pose(50, 45, 6, 4),
        pose(58, 50, 4, -4),
        pose(54, 45, 6, 2),
        pose(36, 40, 5, 5),
        pose(30, 30, 4, 0),
    ]
    span = _AUTHORED_FRAMES / (len(keys) - 1)
    rows: list[Floats] = []
    for k in range(_AUTHORED_FRAMES):
        at = min(int(k / span), len(keys) - 2)
        t = k / span - at
        q = interpolate(body.skeleton, keys[at], keys[at + 1], smoothstep(t))
        q[1] -= lowest_point(body, q) + 0.005
        rows.append(q)
    return np.array(rows)


def _captured(body: Figure, clips: Path, progress: Progress) -> tuple[Floats, str]:
    """The slowest segment of the clips with arms away from the trunk, cleaned, at the origin."""
    best: tuple[float, Path, int] | None = None
    files = sorted(clips.glob("*.bvh"))
    if not files:
        raise WritheError(f"{clips} contains no .bvh files for the partner")
    window = np.ones(_FRAMES) / _FRAMES
    for path in files:
        motion = io.load(path)
        if len(motion) <= _FRAMES:
            continue
        roles = dict(io.figure_of(motion).roles)
        frames = forward(motion.skeleton, motion.q)
        moved = np.linalg.norm(np.diff(frames.positions, axis=0), axis=2).mean(axis=1)
        middle = frames.position(roles["hips"])[:-1, [0, 2]]
        apart = np.min(
            [
                np.linalg.norm(frames.position(roles[elbow])[:-1, [0, 2]] - middle, axis=1)
                for elbow in ("left_elbow", "right_elbow")
            ],
            axis=0,
        )
        height = (frames.position(roles["hips"]) - frames.position(roles["left_ankle"]))[:-1, 1]
        # slow, upright, and with space between arms and trunk
        cost = motion.fps * moved - 4.0 * apart + 20.0 * np.maximum(0.75 - height, 0.0)
        score = np.convolve(cost, window, "valid")
        at = int(score.argmin())
        if best is None or score[at] < best[0]:
            best = (float(score[at]), path, at)
    if best is None:
        raise WritheError(f"no clip in {clips} has {_FRAMES} frames")
    _, path, at = best
    progress(None, f"cleaning {path.name}")
    motion = retarget(io.load(path), body)

    q = motion.q[at : at + _FRAMES]
    cleaned = clean(body, Motion(body.skeleton, q, motion.fps, motion.name)).motion.q
    return _facing_front(body, cleaned), path.name


def _facing_front(body: Figure, q: Floats) -> Floats:
    """The motion moved and rotated to start at the origin on the floor, facing +Z."""
    from writhe.kernels.skeleton.rotation import quaternion_multiply

    frames = forward(body.skeleton, q[0])
    side = frames.position("left_hip") - frames.position("right_hip")
    yaw = float(np.arctan2(-side[2], side[0]))
    c, s = np.cos(-yaw), np.sin(-yaw)
    spin = np.array([np.cos(-yaw / 2), 0.0, np.sin(-yaw / 2), 0.0])
    out, start = q.copy(), q[0, [0, 2]].copy()
    for row in out:
        x, z = row[0] - start[0], row[2] - start[1]
        row[0], row[2] = c * x + s * z, -s * x + c * z
        quaternion_multiply(spin, row[3:7].copy(), row[3:7])
    low = min(lowest_point(body, row) for row in out[::5])
    out[:, 1] -= low + 0.003
    return out


def _hand(side: str, on: str, place: tuple[float, float, float], weight: float = 2.0) -> Term:
    """A soft term that puts a wrist of the attacker near a point of the partner."""
    target = np.array(place)
    quantity = Point(f"attacker.{side}_wrist", seen_from=f"partner.{on}")
    return Term(quantity, target, target, weight, label=f"{side} wrist at {on}")


def play(progress: Progress, clips: Path | None = None) -> SceneResult:
    """Waist lock, full nelson, headlock, arm hold, waist lock again."""
    world = SceneSetup.of([human("partner", driven=True), human("attacker")])
    body = world.layout.scene.actor("partner").figure
    source = "authored key poses"
    if clips is not None:
        moving, source = _captured(body, Path(clips), progress)
    else:
        moving = _authored(body)
    at = world.layout.actor_q["partner"]
    world.q[at] = moving[0]
    # a captured partner steps: the attacker starts farther back and may move his feet
    world.place_standing("attacker", 0.0, -0.50 if clips is None else -0.66)
    firmness = 60.0 if clips is None else 4.0
    path = np.tile(world.q, (len(moving), 1))
    path[:, at] = moving
    drive = DrivenMotion(world.layout.skeleton, path)

    arms = world.strand("attacker", "left_hand_tip", "right_hand_tip")
    arm = {
        side: world.strand("attacker", f"{side}_shoulder", f"{side}_hand_tip")
        for side in ("left", "right")
    }
    trunk = world.strand("partner", "hips", "head_top")
    neck = world.strand("partner", "chest", "head_top")
    over = {
        side: world.strand("partner", "head_top", f"{side}_hand_tip") for side in ("left", "right")
    }
    loose = (0.04, 1.0, 1.0, 1.0)
    waist = Tangle(arms, trunk, 0.80, name="both arms around the trunk", tolerance=loose)
    nelson = tuple(
        Tangle(
            arm[side], over[side], sign * 0.62, name=f"{side} half of the nelson", tolerance=loose
        )
        for side, sign in (("left", -1.0), ("right", 1.0))
    )
    headlock = Tangle(arm["right"], neck, -0.36, name="right arm around the neck", tolerance=loose)
    hold = Tangle(
        arm["left"], over["left"], -0.40, name="left arm under his left arm", tolerance=loose
    )
    keys: list[TangleKeyframe] = []
    belly = tuple(_hand(side, "spine", (sign * 0.06, 0.06, 0.17)) for side, sign in _SIDES)
    nape = tuple(_hand(side, "neck", (sign * 0.05, 0.07, -0.13)) for side, sign in _SIDES)
    pressed = tuple(_hand(side, "neck", (sign * 0.05, 0.06, -0.12), 18.0) for side, sign in _SIDES)
    # with the hands at the nape the arms are less wound than on their way under his
    nelson_held = tuple(
        replace(goal, writhe=0.65 * goal.writhe, tolerance=(0.12, 1.0, 1.0, 1.0)) for goal in nelson
    )
    plan: list[tuple[str, tuple[Tangle, ...], tuple[Term, ...]]] = [
        ("waist lock", (waist,), belly),
        ("arms under his", nelson, nape),
        ("full nelson", nelson_held, pressed),
        ("headlock", (headlock,), (_hand("right", "neck", (0.04, 0.0, 0.14), 8.0),)),
        ("arm hold", (hold,), ()),
        ("waist lock again", (waist,), belly),
    ]
    before: tuple[Tangle, ...] = ()
    for name, goals, terms in plan:
        if before and name != "full nelson":
            off = tuple(
                Tangle(
                    goal.first,
                    goal.second,
                    0.0,
                    name=f"{goal.label}, let go",
                    tolerance=(0.12, 1.0, 1.0, 1.0),
                )
                for goal in before
            )
            # back to the start, so that every hold begins from outside
            keys.append(
                TangleKeyframe(
                    f"off for {name}", off, (), world.q, 0.15, solve=SolveOptions(60, patience=8)
                )
            )
        keys.append(TangleKeyframe(name, goals, terms, solve=SolveOptions(220, least_steps=30)))
        before = goals
    setup = world.setup(
        [
            *world.limits("attacker"),
            *world.planted("attacker", weight=firmness),
            *world.upright("attacker", 0.3),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    progress(None, "wrestling")
    motion = animate(setup, world.q, keys, drive=drive)
    claims = held_at_keys(world.layout, keys, motion, lambda goal: 0.85 * abs(goal.writhe))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        [
            f"The partner follows {source}; he was delayed by {drive.delayed_frames:.1f} of"
            f" {len(motion.path)} frames.",
        ],
        seen=_holds(world, keys, motion),
        view=(0.9, 0.25, 0.8),
        frames=holding_frames(keys, motion),
        size=(320, 400),
    )


def _holds(world: SceneSetup, keys: list[TangleKeyframe], motion: TangleMotion) -> list[Claim]:
    """Where the hands are: before the belly, behind the nape (nelson), before the neck."""
    at = dict(zip((key.name for key in keys), motion.key_frames, strict=True))
    views = {name: PoseView(world.layout, motion.path[frame]) for name, frame in at.items()}
    claims: list[Claim] = []
    for side, _ in _SIDES:
        wrist = f"attacker.{side}_wrist"
        for name in ("waist lock", "waist lock again"):
            what = f"{name}: {side} hand before the belly"
            claims.append(in_front(views[name], what, wrist, "partner.spine"))
        nelson, what = views["full nelson"], f"full nelson: {side} hand behind the nape"
        claims.append(behind(nelson, what, wrist, "partner.neck", 0.02))
        near = nelson.apart(wrist, "partner.neck")
        claims.append(Claim.at_most(f"{what}, from the neck, m", near, 0.22))
    lock = views["headlock"]
    what = "headlock: right hand before the neck"
    claims.append(in_front(lock, what, "attacker.right_wrist", "partner.neck", 0.02))
    return claims
