"""Keeps the centre of mass over the supporting contacts between keys.

In a key, the parts that touch something below them bear the weight: feet, knees, seat or hands.
Between two keys, only the parts that stay in place bear it. So the centre of mass moves over these
first, then the other parts leave the ground, and parts that land bear weight only at the end of the
span. The support of a frame is a convex region of the ground, given by its bounds in several
horizontal directions; regions are interpolated by interpolating their bounds.

If a key itself is out of balance, the support is widened to its centre of mass. If a step from one
foot to the other is shorter than `_STEP_S`, the body does not balance on one foot in between.
"""

from __future__ import annotations

import numpy as np

from writhe.animation.body.body_model import SUPPORT_DIRECTIONS, BodyModel
from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.kernels.skeleton.mass import centre_of_mass
from writhe.skeleton import Frames, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing.support_polygon import can_balance, support_polygon

_TOUCHES_M = 0.02  # a part nearer than this to what is below it bears weight
_LEVEL = 0.5  # least vertical component of the normal of such a contact
_SAME_PLACE_M = 0.12  # a part that is farther from its place in the other key has moved
_TRANSFER = 0.28  # the weight is shifted in this fraction of a span at either end
_STEP_S = 1.0  # shorter spans with one common support are not balanced over it alone

_Contacts = dict[str, Floats]  # horizontal positions (n, 2) of the contact points of each part


class Balance:
    """The supporting contacts at poses (k, nq) of a motion, and the balance between them."""

    def __init__(self, body: BodyModel, poses: Floats, times_s: Floats) -> None:
        self._body, self._times_s = body, times_s
        self._able = len(poses) > 1 and can_balance(body.world.figure)
        self._contacts, self._centres = list[_Contacts](), list[Floats]()
        self._touches = [False] * len(poses)
        for pose in poses:
            frames = forward(body.world.skeleton, pose)
            self._contacts.append(_contacts(body, frames) if self._able else {})
            self._centres.append(_centre(body, frames))

    def insert(self, k: int, pose: Floats, time_s: float, *, same_as: int, touches: bool) -> None:
        """Add a pose (nq) before pose k that is supported by the contacts of another one.

        touches: it touches or leaves the seat, so that only its feet support the span in which the
        body does not sit.
        """
        frames = forward(self._body.world.skeleton, pose)
        self._times_s = np.insert(self._times_s, k, time_s)
        self._centres.insert(k, _centre(self._body, frames))
        self._contacts.insert(k, self._contacts[same_as])
        self._touches.insert(k, touches)

    def bounds(self, times_s: Floats) -> Floats:
        """(F, D) bounds, m, of the centre of mass in the directions of `BodyModel.mass`.

        Bounds are infinite where no contact supports the body.
        """
        out = np.full((len(times_s), SUPPORT_DIRECTIONS), np.inf)
        last = max(len(self._times_s) - 2, 0)
        span = np.clip(np.searchsorted(self._times_s, times_s, side="right") - 1, 0, last)
        for i in np.unique(span):
            here = span == i
            if i + 1 < len(self._contacts) and self._contacts[i] and self._contacts[i + 1]:
                length_s = float(self._times_s[i + 1] - self._times_s[i])
                u = np.clip((times_s[here] - self._times_s[i]) / length_s, 0.0, 1.0)
                out[here] = self._span_bounds(int(i), u[:, None], length_s)
        return out

    def _span_bounds(self, i: int, u: Floats, length_s: float) -> Floats:
        """(n, D) bounds at the fractions u (n, 1) of span i."""
        body, (before, after) = self._body, self._contacts[i : i + 2]
        begins, ends = (
            self._touches[k] and not self._seated(j) for k, j in ((i, i + 1), (i + 1, i))
        )
        first, last = (
            np.maximum(
                self.on_feet(k) if on_feet else _bounds(body, self._contacts[k]),
                body.mass.directions @ self._centres[k],
            )
            for k, on_feet in ((i, begins), (i + 1, ends))
        )
        common = _common(before, after, length_s)
        stays, lands = common == set(before), common == set(after)
        if not common or (stays and lands):
            return first + smoothstep(u) * (last - first)
        middle = first if stays else last
        if not stays and not lands:
            middle = _bounds(body, {name: before[name] for name in common})
        leave, land = smoothstep(u / _TRANSFER), smoothstep((u - 1.0 + _TRANSFER) / _TRANSFER)
        return first + leave * (middle - first) + land * (last - middle)

    def sits_down(self, i: int) -> bool | None:
        """Whether the body sits down between pose i and the next; None if it does not rise either.

        Feet that stay in place bear it in both poses.
        """
        before, after = self._seated(i), self._seated(i + 1)
        stays = self._contacts[i].keys() & self._contacts[i + 1].keys()
        return after if before != after and stays & set(_feet(self._body).values()) else None

    def on_feet(self, k: int) -> Floats:
        """(D,) bounds of the centre of mass over the feet in pose k."""
        feet = self._contacts[k].keys() & set(_feet(self._body).values())
        return _bounds(self._body, {name: self._contacts[k][name] for name in feet})

    def _seated(self, k: int) -> bool:
        """Whether hips or thighs bear weight in key k."""
        seat = (self._body.world.joint(role) for role in ("hips", "left_hip", "right_hip"))
        return not self._contacts[k].keys().isdisjoint(seat)


def _common(before: _Contacts, after: _Contacts, length_s: float) -> set[str]:
    """The parts that bear weight during the whole span; none in a step shorter than _STEP_S."""
    same = {
        name
        for name in before.keys() & after.keys()
        if np.linalg.norm(before[name].mean(axis=0) - after[name].mean(axis=0)) < _SAME_PLACE_M
    }
    return set() if len(same) == 1 and length_s < _STEP_S else same


def _bounds(body: BodyModel, parts: _Contacts) -> Floats:
    """(D,) the bounds of the convex hull of the points of some parts."""
    return (np.concatenate(list(parts.values())) @ body.mass.directions.T).max(axis=0)


def _centre(body: BodyModel, frames: Frames) -> Floats:
    """(2,) the horizontal position of the centre of mass."""
    out = np.zeros(3)
    centre_of_mass(frames.positions, frames.rotations, body.mass.mass, body.mass.centre, out)
    return out[[0, 2]]


def _contacts(body: BodyModel, frames: Frames) -> _Contacts:
    """The parts that touch something below them. Feet are named by their ankles."""
    world, near = body.world, body.near
    skeleton, own = world.skeleton, body.own
    near.find(frames.positions, frames.rotations, _TOUCHES_M)
    rows, out = near.rows, dict[str, list[Floats]]()
    feet = _feet(body)
    for i in range(near.count):
        a, b = (int(j) for j in rows.joints[i])
        if own[a] == own[b]:
            continue
        joint, up = (a, rows.normal[i, 1]) if own[a] else (b, -rows.normal[i, 1])
        if up > _LEVEL:
            point = (rows.surface_a if own[a] else rows.surface_b)[i, [0, 2]].copy()
            name = feet.get(joint, skeleton.names[joint])
            out.setdefault(name, []).append(point)
    found = {name: np.array(points) for name, points in out.items()}
    ankles = {feet[j] for j in feet}
    for name in ankles & found.keys():
        others = {foot.removeprefix(world.prefix) for foot in ankles if foot != name}
        found[name] = support_polygon(world.figure, frames, world.prefix, frozenset(others))
    return found


def _feet(body: BodyModel) -> dict[int, str]:
    """The ankle of each joint of a foot: its name by the index of the joint."""
    world = body.world
    skeleton, out = world.skeleton, dict[int, str]()
    for role in ANKLES:
        ankle = world.joint(role)
        if ankle is not None:
            at = skeleton.index(ankle)
            out |= dict.fromkeys(range(at, int(skeleton.tree.subtree_end[at])), ankle)
    return out
