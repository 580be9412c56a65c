"""Wrestling: an attacker holds a moving partner in four holds, the full nelson among them.

The partner follows a captured motion (`clips`: a folder of motion files), or one through authored
key poses if there is none; his motion does not react to the attacker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe import io
from writhe.arrays import Floats, Vector3
from writhe.cleaning.clean import clean
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.hands.holds import hold_terms
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    TrunkAngles,
    configuration,
)
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    in_front,
    touches,
)
from writhe.research.experiments.topology_coordinates.checks.holds import (
    held_at_keys,
)
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    HOLD_TOLERANCE,
    SceneSetup,
    facing,
    human,
    lowest_point,
    place,
)
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import interpolate
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import (
    DrivenMotion,
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
)
from writhe.terms import Term

_FRAMES = 240  # of a captured partner
_AUTHORED_FRAMES = 400
_SIDES = (("left", 1.0), ("right", -1.0))
_HAND_M = 0.12  # from the wrist to the middle of the fingers
_NELSON, _HEADLOCK = 0.78, 0.45
# holds shown from other directions as well: bodies hide the hands from the front
_OTHER_SIDES = (
    ("full nelson", (-0.7, 0.8, -0.9)),
    ("full nelson", (0.25, 0.9, 0.7)),
    ("headlock", (-1.0, 0.25, 0.5)),
    ("headlock", (0.15, 0.2, 1.0)),
)
_SHOWN = (
    "waist lock",
    "arms under his",
    "full nelson",
    "over the shoulder",
    "headlock",
    "down again",
    "waist lock again",
)


def _authored(body: Figure) -> Floats:
    """(frames, nq) a partner who crouches, sways and throws his arms up: eased key poses."""

    def pose(arms: float, elbow: float, bend: float, turn: float, nod: float = 0.0) -> Floats:
        arm = ArmAngles(flex=8, abduct=arms, rotate=-30, elbow=elbow)
        leg = LegAngles(flex=16, abduct=13, rotate=14, knee=28, ankle=12)
        return configuration(
            body.skeleton,
            BodyAngles(arm, arm, leg, leg, TrunkAngles(bend=bend, turn=turn, nod=nod)),
        )

    keys = [
        pose(40, 40, 4, 0),
        pose(60, 50, 8, 5),
        pose(128, 60, 6, -3, 12),
        pose(134, 60, 10, 3, 25),
        pose(95, 50, 8, -4, 8),
        pose(62, 45, 5, 3),
        pose(60, 45, 8, 0),
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


def _hand(
    side: str,
    on: str,
    position: Vector3,
    weight: float = 4.0,
    fingers: Vector3 | None = None,
    turn_weight: float = 1.0,
) -> tuple[Term, ...]:
    """The hold of the attacker's hand at a place of the partner, its fingers along a direction."""
    hold = Hold(f"{side}_wrist", f"partner.{on}", position)
    along = (1.0 if side == "left" else -1.0, 0.0, 0.0)
    turned = () if fingers is None else ((along, fingers),)
    return hold_terms("attacker", hold, weight=weight, turned=turned, turn_weight=turn_weight)


def _both(hand: Callable[[str, float], tuple[Term, ...]]) -> tuple[Term, ...]:
    """The terms of both hands."""
    return tuple(term for side, sign in _SIDES for term in hand(side, sign))


def _keys(world: SceneSetup) -> list[TangleKeyframe]:
    """Rear waist lock, full nelson, headlock with a half nelson, waist lock: hold to hold."""
    arms = world.strand("attacker", "left_hand_tip", "right_hand_tip")
    arm = {
        side: world.strand("attacker", f"{side}_shoulder", f"{side}_hand_tip") for side, _ in _SIDES
    }
    trunk = world.strand("partner", "hips", "head_top")
    neck = world.strand("partner", "chest", "head_top")
    over = {side: world.strand("partner", "head_top", f"{side}_hand_tip") for side, _ in _SIDES}
    waist = Tangle(arms, trunk, 0.80, name="both arms around the trunk", tolerance=HOLD_TOLERANCE)
    # all four coordinates: in the middle of both arms, which wind around the trunk
    clasped = replace(waist, centre=(0.0, -0.06), density=0.78)
    nelson = {
        side: Tangle(
            arm[side],
            over[side],
            -sign * _NELSON,
            name=f"{side} arm under his {side} arm",
            tolerance=HOLD_TOLERANCE,
        )
        for side, sign in _SIDES
    }
    headlock = Tangle(
        arm["right"],
        neck,
        _HEADLOCK,
        name="right arm around the neck",
        tolerance=HOLD_TOLERANCE,
    )
    # the attacker's chest against the back
    close = (
        place("attacker.chest", "partner.chest", (0.0, 0.06, -0.26), 6.0),
        place("attacker.head", "partner.head", (0.0, 0.12, -0.30), 1.0),
    )
    low = (place("attacker.chest", "partner.chest", (0.0, 0.0, -0.235), 12.0), close[1])
    belly = _both(lambda side, sign: _hand(side, "spine", (sign * 0.05, 0.06, 0.145), 6.0))
    nape = {
        side: (
            *_hand(side, "neck", (sign * 0.09, 0.03, -0.11), 16.0, (-sign, 0.1, -0.5)),
            place(f"attacker.{side}_elbow", "partner.chest", (sign * 0.25, 0.13, 0.0), 1.0),
        )
        for side, sign in _SIDES
    }
    outside = {side: _hand(side, "chest", (sign * 0.36, 0.10, 0.06), 6.0) for side, sign in _SIDES}
    # in front of his shoulders and above them, before the hands go back to the nape
    raised = {
        side: (
            *_hand(side, "chest", (sign * 0.25, 0.42, 0.06), 10.0),
            place(f"attacker.{side}_elbow", "partner.chest", (sign * 0.30, 0.10, 0.08), 4.0),
            facing(
                f"attacker.{side}_wrist", (sign, 0.0, 0.0), "partner.neck", (0.0, 0.3, -1.0), 1.5
            ),
        )
        for side, sign in _SIDES
    }
    over_shoulder = {
        side: (
            *_hand(side, "chest", (sign * 0.20, 0.36, -0.11), 12.0),
            facing(
                f"attacker.{side}_wrist", (sign, 0.0, 0.0), "partner.neck", (-0.6 * sign, 0.3, -1.0)
            ),
        )
        for side, sign in _SIDES
    }
    throat = (
        *_hand("right", "neck", (0.14, 0.0, 0.07), 14.0),
        place("attacker.right_elbow", "partner.neck", (-0.13, -0.04, 0.12), 6.0),
    )
    above = _hand("right", "neck", (-0.20, 0.20, -0.05), 10.0)
    # back over his shoulder, down behind him, then under his arms again
    behind_him = _both(lambda side, sign: _hand(side, "chest", (sign * 0.27, -0.14, -0.10), 6.0))
    long, brief = SolveOptions(220, min_steps=40), SolveOptions(60, min_steps=20, patience=8)
    medium = SolveOptions(60, min_steps=40)

    def off(*goals: Tangle) -> tuple[Tangle, ...]:
        wide = (0.15, 1.0, 1.0, 1.0)
        return tuple(
            replace(
                goal,
                writhe=0.0,
                centre=(None, None),
                density=None,
                name=f"{goal.label}, let go",
                tolerance=wide,
            )
            for goal in goals
        )

    left, right = nelson["left"], nelson["right"]
    # all four coordinates in the holds: where along the arm and along what it is wound around. Not
    # in the first waist lock, after which the other holds are reached less often
    full = tuple(replace(nelson[side], centre=(-0.09, 0.05), density=1.09) for side, _ in _SIDES)
    half = replace(left, centre=(-0.12, 0.01), density=1.53)
    choke = replace(headlock, centre=(-0.04, -0.22), density=-0.14)
    return [
        TangleKeyframe("waist lock", (waist,), (*close, *belly), solve=long),
        TangleKeyframe(
            "arms under his", (), (*close, *outside["left"], *outside["right"]), solve=medium
        ),
        TangleKeyframe("hands up", (), (*low, *raised["left"], *raised["right"]), solve=medium),
        TangleKeyframe(
            "over his shoulders",
            (left, right),
            (*low, *over_shoulder["left"], *over_shoulder["right"]),
            solve=medium,
        ),
        TangleKeyframe("full nelson", full, (*low, *nape["left"], *nape["right"]), solve=long),
        TangleKeyframe(
            "right arm free",
            (left, *off(right)),
            (*close, *nape["left"], *outside["right"]),
            solve=brief,
        ),
        TangleKeyframe("over the shoulder", (left,), (*close, *nape["left"], *above), solve=brief),
        TangleKeyframe("headlock", (half, choke), (*close, *nape["left"], *throat), solve=long),
        TangleKeyframe(
            "both arms free", off(left, headlock), (*close, *outside["left"], *above), solve=medium
        ),
        TangleKeyframe("down again", (), (*close, *behind_him), solve=medium),
        TangleKeyframe("waist lock again", (clasped,), (*close, *belly), solve=long),
    ]


def play(progress: Progress, clips: Path | None = None) -> SceneResult:
    """Waist lock, full nelson, headlock, waist lock again, without letting go in between."""
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
    crouch = LegAngles(flex=15, abduct=7, rotate=10, knee=26, ankle=11)
    arm = ArmAngles(abduct=15)
    ready = configuration(body.skeleton, BodyAngles(arm, arm, crouch, crouch))
    ready[1] -= lowest_point(body, ready) + 0.005
    world.place("attacker", ready, 0.0, -0.36 if clips is None else -0.66)
    firmness = 60.0 if clips is None else 4.0
    path = np.tile(world.q, (len(moving), 1))
    path[:, at] = moving
    drive = DrivenMotion(world.layout.skeleton, path)
    keys = _keys(world)
    setup = world.setup(
        [
            *world.limits("attacker"),
            *world.planted("attacker", weight=firmness),
            *world.upright("attacker", 0.15),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    progress(None, "wrestling")
    motion = world.animate(setup, keys, drive)
    claims = held_at_keys(world.layout, keys, motion, lambda goal: 0.85 * abs(goal.writhe))
    at_key = dict(zip(motion.keys, motion.key_frames, strict=True))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        [
            f"The partner follows {source}; he was delayed by {drive.delayed_frames:.1f} of"
            f" {len(motion.path)} frames.",
        ],
        seen=_holds(world, motion),
        view=(0.75, 0.25, 1.0),
        frames=[0, *(at_key[name] for name in _SHOWN)],
        more=[(at_key[name], view) for name, view in _OTHER_SIDES],
        sides=True,
        columns=4,
        size=(300, 380),
    )


def _holds(world: SceneSetup, motion: TangleMotion) -> list[Claim]:
    """Where the hands are in each hold, and that the attacker never lets go in between."""
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    views = {name: PoseView(world.layout, motion.path[frame]) for name, frame in at.items()}
    hands = [f"attacker.{side}_wrist" for side, _ in _SIDES]
    claims: list[Claim] = []
    for side, sign in _SIDES:
        wrist = f"attacker.{side}_wrist"
        for name in ("waist lock", "waist lock again"):
            what = f"{name}: {side} hand on the belly"
            claims.append(in_front(views[name], what, wrist, "partner.spine"))
            trunk = [f"partner.{part}" for part in ("hips", "spine", "chest")]
            claims.append(touches(views[name], what, [wrist], trunk, 0.03))
        nelson, what = views["full nelson"], f"full nelson: {side} hand on the nape"
        # the wrist stays beside the neck, because solid arms do not bend around his shoulder
        # further; fingers point across the nape. The neck is 6 cm wide from its middle: 12 cm off
        # it a hand still lies against its back, as a viewer sees a nelson
        hand = nelson.seen_from(wrist, "partner.neck", (sign * _HAND_M, 0.0, 0.0))
        claims.append(Claim.at_least(f"{what}: behind, m", -float(hand[2]), 0.03))
        claims.append(Claim.at_most(f"{what}: off the middle, m", abs(float(hand[0])), 0.12))
        claims.append(touches(nelson, what, [wrist], ["partner.neck", "partner.head"], 0.01))
        heights = [
            float(nelson.frames.position(joint)[1])
            for joint in (f"partner.{side}_shoulder", f"attacker.{side}_elbow")
        ]
        under = f"full nelson: {side} elbow below his shoulder, m"
        claims.append(Claim.at_least(under, heights[0] - heights[1], 0.0))
    lock, what = views["headlock"], "headlock: right forearm at the throat"
    forearm = ["attacker.right_elbow", "attacker.right_wrist"]
    claims.append(in_front(lock, what, "attacker.right_elbow", "partner.neck", 0.04))
    claims.append(touches(lock, what, forearm, ["partner.neck", "partner.head"], 0.01))
    across = lock.seen_from("attacker.right_wrist", "partner.neck")
    claims.append(Claim.at_least(f"{what}, hand past the middle, m", float(across[0]), 0.0))
    body = [f"partner.{name}" for name in world.layout.scene.actor("partner").figure.skeleton.names]
    arms = [*hands, *(f"attacker.{side}_elbow" for side, _ in _SIDES)]
    between = range(at["waist lock"], at["waist lock again"] + 1, 4)
    apart = [PoseView(world.layout, motion.path[k]).clearance(arms, body) for k in between]
    claims.append(Claim.at_most("arms off the partner between holds, m", max(apart), 0.05))
    return claims
