"""The tasks of all peers, from seeded generators, each with a hash of its data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from writhe.collision import CollisionTable
from writhe.collision.shapes import Core
from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.research.evaluation.drags.scripted_drag import scripted_drags, standing
from writhe.research.peers.body import PeerBody, PeerCapsule, PeerJoint, PeerPair
from writhe.research.peers.geometry import capsule_ends, closest_between, world_frames
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing.handles import pin_here
from writhe.solvers.posture_tracking import PostureTracker

DRAG_FPS = 60.0
EFFECTORS = {
    "reconstruct-three": ("left_ankle", "right_ankle", "right_wrist"),
    "reconstruct-five": ("left_ankle", "right_ankle", "right_wrist", "left_wrist", "head"),
}


@dataclass(frozen=True)
class PosingTask:
    """A start posture, targets (frames, joints, 3), pins, and the true motion if known."""

    name: str
    start: np.ndarray
    targets: tuple[str, ...]
    path: np.ndarray
    fps: float
    pins: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    truth: np.ndarray | None = None
    ball: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # its centre, frame by frame
    rests: tuple[int, ...] = ()  # frames at the end of the rest at a feasible waypoint

    def save(self, path: Path) -> None:
        """Write the data given to the peer (without the truth)."""
        places = np.array(list(self.pins.values())).reshape(-1, 3)
        np.savez(
            path,
            start=self.start,
            targets=np.array(self.targets),
            path=self.path,
            pins=np.array(list(self.pins), dtype=str),
            pin_places=places,
            ball=self.ball,
        )

    @property
    def digest(self) -> str:
        """A short hash of all values, rounded to a micrometre."""
        digest_of = hashlib.sha256(" ".join((self.name, *self.targets, *self.pins)).encode())
        for array in (self.start, self.path, self.ball, *self.pins.values()):
            digest_of.update(
                np.round(np.asarray(array, np.float64) * 1e6).astype(np.int64).tobytes()
            )
        return digest_of.hexdigest()[:12]


def export_body(figure: Figure) -> PeerBody:
    """The figure in the representation given to peers."""
    skeleton, table = figure.skeleton, CollisionTable.of_figure(figure)
    joints = tuple(
        PeerJoint(
            name=joint.name,
            parent=-1 if joint.parent is None else skeleton.index(joint.parent),
            kind=joint.kind.name.lower(),
            offset=_three(joint.offset_in_parent),
            axis=_three(joint.axis),
            lower=float(joint.limits.lower[0]) if joint.limits is not None else -np.pi,
            upper=float(joint.limits.upper[0]) if joint.limits is not None else np.pi,
        )
        for joint in skeleton.joints
    )
    capsules = tuple(
        PeerCapsule(
            skeleton.index(shape.joint),
            _three(shape.points_in_joint[0]),
            _three(shape.points_in_joint[-1]),
            float(shape.radius_m),
        )
        for shape in table.source
        if shape.core is Core.SEGMENT
    )
    if len(capsules) != len(table.source):
        raise WritheError("peers support bodies made of capsules only")
    return PeerBody(joints, capsules, _pairs(table, joints, capsules))


def _pairs(
    table: CollisionTable, joints: tuple[PeerJoint, ...], capsules: tuple[PeerCapsule, ...]
) -> tuple[PeerPair, ...]:
    bare = PeerBody(joints, capsules, ())
    rest = table.skeleton.rest_configuration
    starts, ends = capsule_ends(bare, *world_frames(bare, rest[None]))
    a, b = table.shape_pairs[:, 1], table.shape_pairs[:, 2]
    apart = np.linalg.norm(
        closest_between(starts[0, a], ends[0, a], starts[0, b], ends[0, b]), axis=-1
    )
    radius = np.array([capsule.radius for capsule in capsules])
    gaps = apart - radius[a] - radius[b]
    return tuple(
        PeerPair(int(i), int(j), float(allowed), float(gap))
        for i, j, allowed, gap in zip(a, b, table.pairs.allowance, gaps, strict=True)
    )


def drags(figure: Figure, rounds: int) -> list[PosingTask]:
    """Hands and feet dragged around, into and through the body at three speeds."""
    start = standing(figure)
    return [
        PosingTask(
            drag.name,
            start,
            drag.joints,
            drag.path,
            DRAG_FPS,
            {
                name: np.array(pin_here(figure.skeleton, start, name).position_in_world)
                for name in drag.pinned
            },
            rests=drag.rests if drag.feasible else (),
        )
        for drag in scripted_drags(figure, rounds)
    ]


def tangled(figure: Figure, count: int, seed: int = 9) -> list[PosingTask]:
    """A hand or foot of a tangled library posture dragged straight to its position in another.

    The straight line mostly passes through the body.
    """
    from writhe.postures.builtin import builtin_database
    from writhe.topology import linking_vector

    rng = np.random.default_rng(seed)
    postures = builtin_database("basic").q
    strongest = np.abs(linking_vector(figure, postures)).max(axis=1)
    tangles = np.flatnonzero(strongest > 0.25)
    out: list[PosingTask] = []
    for number in range(count):
        start = postures[rng.choice(tangles)]
        end = postures[rng.choice(tangles)].copy()
        joint = str(rng.choice(["left_wrist", "right_wrist", "left_ankle", "right_ankle"]))
        feet = [name for name in ANKLES if name != joint]
        here = forward(figure.skeleton, start)
        hips = figure.skeleton.q_slice("hips")
        end[hips] = start[hips]  # same root position and heading: only the limbs differ
        goal = forward(figure.skeleton, end).position(joint)
        steps = max(2, int(np.ceil(np.linalg.norm(goal - here.position(joint)) / 0.06)))
        share = np.concatenate([np.linspace(0, 1, steps + 1)[1:], np.ones(15)])
        path = here.position(joint) + share[:, None] * (goal - here.position(joint))
        pins = {name: here.position(name).copy() for name in feet}
        out.append(
            PosingTask(f"tangle {number + 1}", start, (joint,), path[:, None], DRAG_FPS, pins)
        )
    return out


def swept(figure: Figure, count: int, seed: int = 17) -> list[PosingTask]:
    """A ball of 10 cm radius passes through the standing body at up to 2 m/s."""
    rng = np.random.default_rng(seed)
    start = standing(figure)
    frames = forward(figure.skeleton, start)
    pins = {name: frames.position(name).copy() for name in ANKLES}
    hit = ("head", "chest", "left_wrist", "right_elbow", "left_knee", "hips", "right_shoulder")
    out: list[PosingTask] = []
    for number in range(count):
        through = frames.position(hit[number % len(hit)]) + rng.normal(0.0, 0.05, 3)
        angle = rng.uniform(0.0, 2.0 * np.pi)
        along = np.array([np.sin(angle), rng.normal(0.0, 0.2), np.cos(angle)])
        along /= np.linalg.norm(along)
        step = rng.uniform(0.4, 2.0) / DRAG_FPS
        distance = np.arange(-0.9, 0.9, step)
        ball = through + distance[:, None] * along
        path = np.zeros((len(ball), 0, 3))
        out.append(PosingTask(f"sweep {number + 1}", start, (), path, DRAG_FPS, pins, ball=ball))
    return out


def reconstructions(
    figure: Figure, motions: Mapping[str, np.ndarray], effectors: tuple[str, ...], fps: float
) -> list[PosingTask]:
    """Motions replayed from a few joints, starting at a collision-free posture."""
    tracker = PostureTracker(figure, CollisionTable.of_figure(figure))
    out: list[PosingTask] = []
    for name, truth in motions.items():
        places = forward(figure.skeleton, truth)
        path = np.stack([places.position(joint) for joint in effectors], axis=1)[1:]
        start = tracker.follow(truth[0], truth[0], gated=False)
        out.append(PosingTask(name, start, effectors, path, fps, truth=truth))
    return out


def library_motions(
    figure: Figure, count: int, frames: int, seed: int = 3
) -> dict[str, np.ndarray]:
    """Synthetic motions used without recordings: sequences of library postures.

    Interpolation between neighbouring postures that does not penetrate.
    """
    from writhe.collision import certify
    from writhe.postures.builtin import builtin_database
    from writhe.skeleton.kinematics import interpolate

    rng = np.random.default_rng(seed)
    database, table = builtin_database("basic"), CollisionTable.of_figure(figure)
    places = database.joint_positions().reshape(len(database), -1)
    out: dict[str, np.ndarray] = {}
    for number in range(count):
        here = int(rng.integers(len(database)))
        while not certify(table, database.q[here][None], 30.0).certified:
            here = int(rng.integers(len(database)))
        rows = [database.q[here]]
        while len(rows) < frames:
            near = np.argsort(((places - places[here]) ** 2).sum(axis=1))[1:30]
            there = int(rng.choice(near))
            step = np.array(
                [
                    interpolate(figure.skeleton, database.q[here], database.q[there], t)
                    for t in np.linspace(0, 1, 13)[1:]
                ]
            )
            if certify(table, np.vstack([rows[-1:], step]), 30.0).certified:
                rows += list(step)
                here = there
        out[f"library {number + 1}"] = np.array(rows[:frames])
    return out


def recorded_motions(
    folder: Path, figure: Figure, clips: int, frames: int, progress: Progress
) -> dict[str, np.ndarray]:
    """Evenly chosen clips of a folder at about 30 frames a second, retargeted to the figure."""
    from writhe.io import load
    from writhe.retargeting.retarget import retarget

    files = sorted(folder.rglob("*.bvh"))
    if not files:
        raise WritheError(f"{folder} contains no BVH files")
    chosen = [files[int(i)] for i in np.unique(np.linspace(0, len(files) - 1, clips).astype(int))]
    out: dict[str, np.ndarray] = {}
    for file in chosen:
        progress(None, f"reading {file.name}")
        motion = retarget(load(file), figure)
        every = max(1, round(motion.fps / 30.0))
        out[file.stem] = motion.q[::every][:frames]
    return out


def _three(values: np.ndarray) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
