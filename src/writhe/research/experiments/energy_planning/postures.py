"""The postures of the experiments: authored by anatomical angles, goals and linking, then solved.

Arm fold, leg cross and yoga join a posture with its mirror image. The arm fold has a posture of its
own, the forearms one above the other before the chest; in the one of the pose library, a hand is
tucked under the other upper arm (`tight_fold`). The contortion is authored by
linking: seven of the ten strand pairs are pulled to a linking of a third of a turn each. The flare
consists of two supports on the hands, with legs in front and legs behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np
from scipy import optimize

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.planning import PlanProblem, Timing
from writhe.postures.builtin.anatomical_angles import ArmAngles, LegAngles, PelvisPose, TrunkAngles
from writhe.postures.builtin.key_pose import KeyPose, hand, key
from writhe.postures.builtin.pose_setting import ACTOR, PoseSetting
from writhe.postures.builtin.poses_action import YOGA
from writhe.postures.builtin.poses_standing import IDLE
from writhe.postures.builtin.posture_variants import PostureBuilder
from writhe.quantities import Linking
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.skeleton.mirror import mirrored
from writhe.solvers.posing import Pin, pin_here
from writhe.terms import Term, stay_near
from writhe.topology import Strand, linking_vector, pair_names
from writhe.topology.linking_vector import body_bundle

TANGLED = 0.5  # |linking| over which two strands are tangled by the paper's definition
ENTWINED = 0.25  # |linking| from which they pass around each other, as folded arms do


_ARM_FOLD = key(
    "arm fold",
    left_arm=ArmAngles(flex=40, abduct=8, rotate=64, elbow=104),
    right_arm=ArmAngles(flex=18, abduct=12, rotate=66, elbow=104),
    goals=hand("left", (-0.12, 0.0, 0.20), "chest", point="wrist", weight=6.0)
    + hand("right", (0.12, -0.05, 0.13), "chest", point="wrist", weight=6.0),
)


@dataclass(frozen=True)
class Experiment:
    """Two postures of a figure in a scene, and the planted joints."""

    name: str
    figure: Figure
    setting: PoseSetting
    start: Floats
    goal: Floats
    planted: tuple[Pin, ...] = ()
    alone: bool = True  # planned without the floor; the timed motion is placed on it
    view: tuple[float, float, float] = field(default=(0.62, 0.26, 1.0))
    panel: tuple[int, int] = (180, 230)  # size of a picture in a strip, pixels
    rolls: bool = False  # the body lies on the ground and rolls as its shape changes
    duration_s: float | None = None

    def timing(self, fps: float) -> Timing:
        """Timing of the path, grounded if the plan has no floor."""
        ground = 0.0 if self.alone and not self.planted else None
        return Timing(fps=fps, duration_s=self.duration_s, ground_m=ground, rolls=self.rolls)

    def problem(self) -> PlanProblem:
        """The planning problem."""
        from writhe.planning import figure_problem

        if self.alone:
            return figure_problem(self.figure, self.start, self.goal, planted=self.planted)
        variable = np.ones(self.setting.skeleton.dof_count, dtype=np.bool_)
        return PlanProblem(
            self.setting.table, self.start, self.goal, self.planted, variable, (ACTOR,)
        )


def strand_pairs(body: Figure, q: Floats, minimum: float) -> dict[str, float]:
    """The pairs of strands whose linking is at least `minimum` in magnitude, with their linking."""
    found = zip(pair_names(body), linking_vector(body, q), strict=True)
    return {name: float(value) for name, value in found if abs(value) >= minimum}


def inseparable_pairs(body: Figure, q: Floats, minimum: float) -> list[str]:
    """The pairs of `strand_pairs` that no plane separates (the statement of section 5.2.2)."""
    vertices = body_bundle(body).vertices(q)
    found = strand_pairs(body, q, minimum)
    return [pair for pair in found if not _separable(*(vertices[s] for s in pair.split(":")))]


def _separable(first: Floats, second: Floats) -> bool:
    """Whether a plane n x = c has all points (., 3) of the first on one side: a linear program."""
    ones = (np.ones((len(first), 1)), np.ones((len(second), 1)))
    rows = np.vstack([np.hstack([-first, ones[0]]), np.hstack([second, -ones[1]])])
    free = [(None, None)] * 4
    solve = cast(Any, optimize).linprog
    found = solve(np.zeros(4), A_ub=rows, b_ub=-np.ones(len(rows)), bounds=free)
    return found.status == 0


def _solved(pose: KeyPose, builder: PostureBuilder) -> Floats:
    found = builder.authored(pose)
    if found is None:
        raise WritheError(f"the posture {pose.name!r} cannot be reached within limits")
    return found.q


def _known(name: str) -> KeyPose:
    return next(pose for pose in (_ARM_FOLD, *IDLE, *YOGA) if pose.name == name)


@cache
def _everyday() -> PostureBuilder:
    return PostureBuilder(PoseSetting(figure("human")))


def mirrored_pair(name: str, pose: str) -> Experiment:
    """The arm fold or a posture of the library, and its mirror image."""
    builder = _everyday()
    body = builder.setting.figure
    start = _solved(_known(pose), builder)
    return Experiment(name, body, builder.setting, start, mirrored(body.skeleton, start))


def tight_fold() -> Experiment:
    """The arm fold of the pose library and its mirror image."""
    return mirrored_pair("tight-fold", "arms folded")


def yoga() -> Experiment:
    """The eagle and its mirror image: arms wound about each other, and legs too."""
    builder = _everyday()
    body = builder.setting.figure
    start = _solved(_known("eagle"), builder)
    linking = dict(zip(pair_names(body), linking_vector(body, start), strict=True))
    sign = 1.0 if linking["left_leg:right_leg"] >= 0.0 else -1.0
    target_linking = {"left_leg:right_leg": 0.34 * sign}
    target_linking["left_arm:right_arm"] = float(linking["left_arm:right_arm"])
    q = _linked(builder, start, target_linking, rounds=3)
    return Experiment("yoga", body, builder.setting, q, mirrored(body.skeleton, q))


def _linked(
    builder: PostureBuilder,
    q: Floats,
    target_linking: Mapping[str, float],
    rounds: int,
    loose: float = 3.0,
) -> Floats:
    """(nq,) q with strand pairs pulled to their target linking, on the floor."""
    setting = builder.setting
    strands = {
        name: _of_actor(Strand.through(setting.figure.skeleton, names, name=name))
        for name, names in setting.figure.strands
    }
    for _ in range(rounds):
        terms = stay_near(setting.skeleton, q, weight=0.02, weight_of={f"{ACTOR}.hips": 1.0})
        for pair, value in target_linking.items():
            first, second = pair.split(":")
            quantity = Linking(strands[first], strands[second])
            weight = loose if pair in _LOOSE else 3.0
            terms.append(Term(quantity, value, value, weight, label=f"linking {pair}"))
        q = builder.solver.solve(q, terms, 60)
    return builder.grounded_posture(q)


# strand pairs tangled by the contortion, with the sign of their linking
_WOUND = {
    "torso:left_arm": -0.34,
    "torso:right_arm": -0.30,
    "left_arm:right_arm": 0.32,
    "left_arm:left_leg": 0.34,
    "left_arm:right_leg": -0.34,
    "right_arm:right_leg": 0.34,
    "left_leg:right_leg": -0.36,
}
_LOOSE = {"torso:left_leg": -0.14, "torso:right_leg": -0.14, "right_arm:left_leg": 0.14}


def contortion() -> Experiment:
    """From lying face-down to a knot of seven entwined pairs, within a contortionist's limits."""
    body = figure("human", "contortionist")
    builder = PostureBuilder(PoseSetting(body))
    lying = key(
        "lie face-down",
        arms=ArmAngles(flex=20, abduct=40, rotate=10, elbow=25),
        legs=LegAngles(flex=0, abduct=9, rotate=4, knee=4, ankle=-45),
        trunk=TrunkAngles(bend=-4, nod=-6),
        pelvis=PelvisPose(pitch=88, height_m=0.16),
        support=(),
        balanced=False,
        grounded=False,
    )
    start = builder.solver.solve(lying.start(builder.setting), [])
    return Experiment(
        "contortion",
        body,
        builder.setting,
        builder.grounded_posture(start),
        _knot(builder),
        view=(0.9, 0.35, 0.75),
        panel=(250, 205),
        rolls=True,
        duration_s=3.0,
    )


def _knot(builder: PostureBuilder) -> Floats:
    setting = builder.setting
    tuck = key(
        "tuck",
        legs=LegAngles(flex=120, abduct=12, rotate=5, knee=110),
        arms=ArmAngles(flex=60, abduct=25, rotate=20, elbow=40),
        trunk=TrunkAngles(bend=45, nod=20),
        pelvis=PelvisPose(height_m=0.5),
        support=(),
        balanced=False,
        grounded=False,
        firmness=0.02,
    )
    start = tuck.start(setting)
    q = builder.solver.solve(start, tuck.terms(setting, start), 40)
    return _linked(builder, q, {**_WOUND, **_LOOSE}, rounds=4, loose=1.0)


def _of_actor(strand: Strand) -> Strand:
    joints = tuple(None if j is None else f"{ACTOR}.{j}" for j in strand.joints)
    return Strand(strand.name, joints, strand.offsets_in_joint)


@cache
def _gymnast() -> PostureBuilder:
    return PostureBuilder(PoseSetting(figure("human", "athletic")))


def flare() -> tuple[Experiment, Experiment]:
    """The two halves of a Thomas flare: the legs pass the right side, then the left.

    Each half has one hand planted; the planner must lift the other to let the legs pass. Both end
    in the same posture, so that the second half, reversed, follows the first.
    """
    builder = _gymnast()
    setting = builder.setting
    front, back = flare_postures(builder)
    skeleton = setting.figure.skeleton
    halves: list[Experiment] = []
    for name, start, goal, side in (
        ("thomas-flare-1", front, back, "left"),
        ("thomas-flare-2", mirrored(skeleton, front), mirrored(skeleton, back), "right"),
    ):
        pin = palm_pin(setting, start, side)
        halves.append(
            Experiment(
                name,
                setting.figure,
                setting,
                start,
                goal,
                (pin,),
                alone=False,
                view=(0.9, 0.45, 1.0),
                panel=(220, 160),
            )
        )
    return halves[0], halves[1]


def palm_pin(setting: PoseSetting, q: Floats, side: str) -> Pin:
    """A pin of one palm at its position in q; the hand may rotate about it."""
    point = (0.085 if side == "left" else -0.085, -0.022, 0.0)
    return pin_here(setting.skeleton, q, f"{ACTOR}.{side}_wrist", point_in_joint=point)


_HAND_M = 0.24  # distance of each palm from the middle


def flare_postures(
    builder: PostureBuilder, front_turn: float = 40.0, back_turn: float = 0.0
) -> tuple[Floats, Floats]:
    """Rear support with the legs in front to the right, and front support with them behind."""
    down = (0.0, -1.0, 0.0)
    rear = key(
        "flare, legs in front",
        legs=LegAngles(flex=62, abduct=38, rotate=12, knee=2, ankle=-30),
        arms=ArmAngles(flex=-38, abduct=14, rotate=-20, elbow=4, wrist=-60),
        trunk=TrunkAngles(bend=24, nod=18),
        pelvis=PelvisPose(
            pitch=-34, height_m=0.44, forward_m=0.16, left_m=-0.0035 * front_turn, turn=-front_turn
        ),
        support=(),
        goals=(
            *hand("left", (_HAND_M, 0.006, 0.0), palm=down, fingers=(0.9, 0.0, -0.4), weight=600.0),
            *hand(
                "right", (-_HAND_M, 0.006, 0.0), palm=down, fingers=(-0.9, 0.0, -0.4), weight=600.0
            ),
        ),
        balanced=False,
        grounded=False,
    )
    prone = key(
        "flare, legs behind",
        legs=LegAngles(flex=-4, abduct=36, rotate=8, knee=2, ankle=-35),
        arms=ArmAngles(flex=78, abduct=8, rotate=0, elbow=6, wrist=-75),
        trunk=TrunkAngles(bend=8, nod=-22),
        pelvis=PelvisPose(
            pitch=69,
            height_m=0.58,
            forward_m=-0.48 + 0.003 * back_turn,
            left_m=-0.008 * back_turn,
            turn=back_turn,
        ),
        support=(),
        goals=(
            *hand("left", (_HAND_M, 0.006, 0.0), palm=down, fingers=(0.7, 0.0, 0.7), weight=600.0),
            *hand(
                "right", (-_HAND_M, 0.006, 0.0), palm=down, fingers=(-0.7, 0.0, 0.7), weight=600.0
            ),
        ),
        balanced=False,
        grounded=False,
    )
    found: list[Floats] = []
    for pose in (rear, prone):
        start = pose.start(builder.setting)
        found.append(builder.solver.solve(start, pose.terms(builder.setting, start), 120))
    return found[0], found[1]
