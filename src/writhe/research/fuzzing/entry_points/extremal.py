"""Entry point `certify`: motions that attain the bounds of speed and acceleration.

Random motions rarely come near the bounds of the certificate, so a bound that is a few per cent too
small would not show. Here the fastest point moves straight at an obstacle (`_through`), an
outstretched arm bulges towards a surface (`_bulge`), or two balls pass each other (`_pass_by`). The
penetration is around the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Shape, ball, box, capsule, certify
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent.rotations import of_vector
from writhe.research.fuzzing.case import CERTIFIED_M, Case
from writhe.skeleton import Joint, JointKind, Skeleton

_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
_AWAY = np.array([0.0, 0.0, 0.0, 1.0])  # half a turn about z: at rest the obstacle is far away
_WEIGHT_M = 0.1


@dataclass(frozen=True)
class _Setting:
    """An arm of two links (lengths, m) that turns about z by angles in one frame, and an obstacle.

    Halfway the arm is outstretched along x. A shift (3,) moves the whole arm as well.
    """

    links: tuple[float, float]
    angles: tuple[float, float]
    shift: Floats
    tip: Shape
    obstacle: Shape
    note: str


def _size(rng: np.random.Generator, low: float, high: float) -> float:
    """Uniform in the logarithm."""
    return float(np.exp(rng.uniform(float(np.log(low)), float(np.log(high)))))


def _depth(rng: np.random.Generator) -> float:
    """A penetration near the tolerance, mostly above it."""
    return float(rng.uniform(0.5, 3.0)) * CERTIFIED_M


def _links(rng: np.random.Generator) -> tuple[float, float]:
    first = _size(rng, 0.05, 1.0)
    return first, 0.0 if rng.random() < 0.4 else _size(rng, 0.05, 0.5)


def _through(rng: np.random.Generator) -> _Setting:
    """Thin shapes that meet at full speed, so that they are apart at both frames."""
    links, radius = _links(rng), _size(rng, 0.0005, 0.01)
    angle = _size(rng, 0.02, 0.8)
    middle = np.array([sum(links), 0.0, 0.0])
    aside = rng.uniform(-1.0, 1.0) * np.array([0.0, angle * sum(links) / 4, 0.0])
    obstacle = capsule(middle + aside - 0.1 * _Z, middle + aside + 0.1 * _Z, radius)
    tip = ball([0, 0, 0], _size(rng, 0.0005, 0.01))
    return _Setting(links, (angle, 0.0), np.zeros(3), tip, obstacle, "through")


def _bulge(rng: np.random.Generator) -> _Setting:
    """A tip that is deepest in a face when the arm is outstretched."""
    links, radius, size = _links(rng), _size(rng, 0.005, 0.1), _size(rng, 0.1, 1.0)
    angles = _size(rng, 0.02, 1.0), _size(rng, 0.02, 1.0)
    rounding = min(0.02, size / 4)
    face = sum(links) + radius - _depth(rng)
    obstacle = box([face + size / 2, 0.0, 0.0], [size, 4.0, 4.0], rounding)
    return _Setting(links, angles, np.zeros(3), ball([0, 0, 0], radius), obstacle, "bulge")


def _pass_by(rng: np.random.Generator) -> _Setting:
    """A ball that moves straight past another one."""
    links, radius, other = _links(rng), _size(rng, 0.005, 0.1), _size(rng, 0.005, 0.1)
    apart = radius + other - _depth(rng)
    shift = np.array([0.0, _size(rng, 0.1, 3.0) * apart, 0.0])
    at = np.array([sum(links) + apart, float(rng.uniform(-0.3, 0.3)) * shift[1], 0.0])
    tip, obstacle = ball([0, 0, 0], radius), ball(at, other)
    return _Setting(links, (0.0, 0.0), shift, tip, obstacle, "pass by")


def extremal(rng: np.random.Generator) -> Case:
    """One of the settings, in a frame that moves, certified over one or two intervals."""
    setting = (_through, _bulge, _pass_by)[int(rng.integers(3))](rng)
    first, second = setting.links
    skeleton = Skeleton(
        [
            Joint("world", None, JointKind.FREE),
            Joint("base", "world", JointKind.FREE),
            Joint("arm", "base", JointKind.HINGE, axis=_Z),
            Joint("fore", "arm", JointKind.HINGE, first * _X, axis=_Z),
            Joint("tip", "fore", JointKind.FIXED, second * _X),
            Joint("mark", "world", JointKind.HINGE, rest=_AWAY, axis=_Z),
            Joint("ground", "world", JointKind.FIXED, 9.0 * _Z),
            Joint("weight", "world", JointKind.PRISMATIC, 10.0 * _Z, axis=_Z),
        ]
    )
    shapes = {"tip": setting.tip, "mark": setting.obstacle}
    shapes |= dict.fromkeys(("ground", "weight"), ball([0, 0, 0], _WEIGHT_M))
    table = CollisionTable(skeleton, [shape.on(name, name) for name, shape in shapes.items()])
    # A contact at the tolerance: other pairs must then only keep the tolerance. Without one, the
    # smallest clearance is searched to 0.1 mm, whatever the bounds.
    touch = rng.random() < 0.7
    weight = 2 * _WEIGHT_M - 1.0 - 0.9 * CERTIFIED_M if touch else 0.0
    moves = rng.random() < 0.5
    world = [rng.normal(0, 0.3, 6) if moves or k == 0 else np.zeros(6) for k in range(2)]
    frames = 2 if rng.random() < 0.7 else 3  # three: the same path in two intervals
    rows: list[Floats] = []
    for share in np.linspace(-0.5, 0.5, frames):
        place = world[0] + (share + 0.5) * world[1]
        angles = [share * setting.angles[0], share * setting.angles[1], np.pi, weight]
        turn = of_vector(place[3:])
        rows.append(
            np.concatenate([place[:3], turn, share * setting.shift, [1.0, 0.0, 0.0, 0.0], angles])
        )
    q = np.array(rows)
    answer = certify(table, q, fps=30.0)
    motion = export_motion(skeleton, q)
    return Case.of("extremal", export_mechanism(table), (motion,), answer, setting.note)
