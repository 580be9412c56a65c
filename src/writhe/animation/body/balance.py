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
from writhe.arrays import Floats, Ints
from writhe.easing import smoothstep
from writhe.kernels.skeleton.mass import centre_of_mass
from writhe.skeleton import Frames, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing.support_polygon import can_balance, support_polygon

_TOUCHES_M = 0.02  # a part nearer than this to what is below it bears weight
_LEVEL = 0.5  # least vertical component of the normal of such a contact
_SAME_PLACE_M = 0.12  # a part that is farther from its place in the other key has moved
_TRANSFER = 0.28  # the weight is shifted in this fraction of a span at either end
_WAIT = 0.17  # the hips stay on a seat for this fraction of a span while the weight is shifted
_LEAN_RAD = 0.65  # largest lean of the trunk while rising from a seat
_LEANT, _UPRIGHT = 0.3, 0.85  # fractions of the span at which the lean is largest, and zero again
# The lean is proportional to the horizontal displacement of the centre of mass, up to _FAR_M; the
# trunk does not lean below _NEAR_M.
_NEAR_M, _FAR_M = 0.05, 0.25
_STEP_S = 1.0  # shorter spans with one common support are not balanced over it alone

_Contacts = dict[str, Floats]  # horizontal positions (n, 2) of the contact points of each part


class Balance:
    """The supporting contacts at the keys (k, nq) of an animation, and the balance between keys."""

    def __init__(self, body: BodyModel, keys: Floats, key_times_s: Floats) -> None:
        self._body, self._times_s = body, key_times_s
        frames = [forward(body.world.skeleton, q) for q in keys]
        able = len(keys) > 1 and can_balance(body.world.figure)
        self._contacts = [_contacts(body, pose) if able else {} for pose in frames]
        self._centres = [_centre(body, pose) for pose in frames]

    def bounds(self, times_s: Floats, span: Ints) -> Floats:
        """(F, D) bounds, m, of the centre of mass in the directions of `BodyModel.mass`.

        span (F,): the span of each frame. Bounds are infinite where no contact supports the body.
        """
        out = np.full((len(times_s), SUPPORT_DIRECTIONS), np.inf)
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
        first, last = (
            np.maximum(_bounds(body, parts), body.mass.directions @ centre)
            for parts, centre in zip((before, after), self._centres[i : i + 2], strict=True)
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

    def legs_times(self, times_s: Floats, span: Ints) -> Floats:
        """(F,) the times at which legs and hips are sampled from the blend.

        If the body rises from a seat, they start late, so that it leans forward first. If it sits
        down, they end early, so that it straightens up on the seat.
        """
        out = times_s.copy()
        for i in np.unique(span):
            if i + 1 >= len(self._contacts):
                continue
            start, end = self._times_s[i : i + 2]
            seated = [self._seated(k) for k in (i, i + 1)]
            if seated[0] != seated[1] and self._contacts[i] and self._contacts[i + 1]:
                here, wait = span == i, _WAIT * (end - start)
                begin, stop = start + wait * seated[0], end - wait * seated[1]
                u = np.clip((times_s[here] - begin) / (stop - begin), 0.0, 1.0)
                out[here] = start + u * (end - start)
        return out

    def leans(self, times_s: Floats, span: Ints) -> Floats:
        """(F, 3) lean of the trunk while rising or sitting down: rotation vectors in the world."""
        out = np.zeros((len(times_s), 3))
        for i in np.unique(span):
            if i + 1 >= len(self._contacts) or self._seated(i) == self._seated(i + 1):
                continue
            start, end = self._times_s[i : i + 2]
            u = (times_s[span == i] - start) / (end - start)
            x, z = self._centres[i + 1] - self._centres[i]
            if self._seated(i + 1):
                u, x, z = 1.0 - u, -x, -z
            far = float(np.hypot(x, z))
            if far > _NEAR_M and self._contacts[i] and self._contacts[i + 1]:
                ratio = smoothstep(u / _LEANT) * smoothstep((_UPRIGHT - u) / (_UPRIGHT - _LEANT))
                angle = _LEAN_RAD * min(1.0, far / _FAR_M) * ratio
                out[span == i] = angle[:, None] * np.array([z, 0.0, -x]) / far
        return out

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
