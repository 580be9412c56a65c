"""`grip`: a hand of an actor closes around an object of the scene, certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, floats, vector3
from writhe.collision import certify
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.hands.closing import Touch, close_fingers
from writhe.hands.grasp import Grasp, find_grasps
from writhe.hands.hand import Hand, hand_of, set_finger
from writhe.hands.poses import finger_goal
from writhe.scene import ObjectKind, Scene
from writhe.scene.carrying import carried, carried_over
from writhe.skeleton import forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing import Controls, Hold, Pin, Target, make_poser
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.support_polygon import can_balance

_BACK_M = 0.10  # in front of the object, from where the hand comes straight to it
_LIFT_M = 0.12  # above the object, for a hand that has to be lifted
_FRAMES = (70, 50)  # of the approach, and of its last part
_TRIED = 8  # grasps that the arm tries
_EASY_RAD = 0.5  # strain of a posture that ends the search
_NEAR_M = 0.012  # the wrist is at its place
ENOUGH = 3  # contacts of a closed grip


@dataclass(frozen=True)
class Grip:
    """A hand around an object.

    q is the configuration of the scene; `touches` lists where hand and object touch, one for each
    part of the hand. `hand_error_m` is the distance of the wrist from its goal.

    `approach` lists the configurations that lead to the grip: the open hand in front of the object,
    then at the object. Keys of an animation pass through them; in reverse order they release it.
    """

    scene: Scene
    actor: str
    hand: Hand
    object_name: str
    q: Floats
    touches: tuple[Touch, ...]
    certified: bool
    hand_error_m: float
    strain_rad: float  # how far trunk and wrist had to turn
    approach: tuple[Floats, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether three or more parts of the hand touch the object."""
        return len(self.touches) >= ENOUGH

    @property
    def reached(self) -> bool:
        """Whether the wrist came to its place at the object."""
        return self.hand_error_m < _NEAR_M

    @property
    def wrist(self) -> str:
        """The wrist in the scene: "anna.left_wrist"."""
        return f"{self.actor}.{self.hand.wrist}"

    @property
    def hold(self) -> Hold:
        """The wrist held where it is in the frame of the object."""
        return _hold(self.scene, self.q, self.actor, self.hand, self.object_name)

    def carried(self) -> tuple[Scene, Floats]:
        """The scene in which the hand carries the object, and its configuration."""
        scene = carried(self.scene, self.q, self.object_name, self.wrist)
        return scene, carried_over(self.scene, self.q, scene)


@checked
def grip(
    scene: Scene,
    actor: str,
    side: str,
    object_name: str,
    q: Floats | None = None,
    *,
    at: Floats | None = None,
    palm: Floats | None = None,
    thumb: Floats | None = None,
    bring: str = "hand",
    pins: Sequence[Pin] = (),
    database: PostureDatabase | None = None,
) -> Grip:
    """A hand (`left`, `right`) of an actor closed around an object of the scene.

    q: configuration of the scene's layout (default: at rest). at: the place on the object, in its
    frame, to grip; by default its middle, or that of its handiest piece. palm: the direction in
    the world that the palm should face, (1, 0, 0) to grip from the right. thumb: the direction in
    the world of the thumb's side, towards the other hand for an overhand grip of a bar. bring:
    `hand` moves the body until the hand is at the object (feet stay), `object` puts an object that
    can be moved into the hand. pins: what stays besides the feet, such as the other hand on the
    bar. Fingers close until they touch; `certified` says whether the pose is free of penetration,
    `closed` whether three or more parts of the hand touch.
    """
    if bring not in ("hand", "object"):
        raise WritheError(f"bring the 'hand' or the 'object', not {bring!r}")
    layout = scene.layout
    start = layout.configuration(q)
    hand = hand_of(scene.actor(actor).figure, side)
    item = scene.object(object_name)
    if bring == "object" and item.kind is not ObjectKind.MOVED:
        raise WritheError(
            f"{object_name!r} is {item.kind.value}; only a moved object can be brought to the hand"
        )
    place = None if at is None else floats(at, (3,), "the place to grip")
    work = _Gripping(scene, actor, hand, object_name, start, database, tuple(pins))
    grasps = find_grasps(
        scene.actor(actor).figure,
        hand,
        item.shapes,
        at=place,
        towards=None if bring == "object" else work.rotation_in_object(),
        palm=work.in_object(palm, "the direction of the palm"),
        thumb=work.in_object(thumb, "the direction of the thumb"),
    )
    if not grasps:
        raise WritheError(f"no grasp of {object_name!r} by the {side} hand was found")
    candidates = _one_per_rotation(grasps)
    best: Grip | None = None
    for grasp in candidates[:_TRIED]:
        found = work.put_object(grasp) if bring == "object" else work.reach(grasp)
        if best is None or _rank(found) > _rank(best):
            best = found
        if all(_rank(best)[:3]) and best.strain_rad < _EASY_RAD:
            break
    assert best is not None
    return best


def _one_per_rotation(grasps: list[Grasp]) -> list[Grasp]:
    """The best grasp of every rotation of the wrist, in the order of the grasps."""
    found: dict[tuple[float, ...], Grasp] = {}
    for grasp in grasps:
        found.setdefault(tuple(np.round(grasp.rotation.ravel(), 2).tolist()), grasp)
    return list(found.values())


def _rank(found: Grip) -> tuple[bool, bool, bool, float]:
    return found.certified, found.reached, found.closed, -found.strain_rad


def _hold(scene: Scene, q: Floats, actor: str, hand: Hand, object_name: str) -> Hold:
    frames = forward(scene.layout.skeleton, q)
    turn, wrist = frames.rotation(object_name), f"{actor}.{hand.wrist}"
    position = turn.T @ (frames.position(wrist) - frames.position(object_name))
    return Hold(
        hand.wrist,
        object_name,
        vector3(position),
        orientation_in_other=quaternion_of(turn.T @ frames.rotation(wrist)),
    )


class _Gripping:
    def __init__(
        self,
        scene: Scene,
        actor: str,
        hand: Hand,
        object_name: str,
        q: Floats,
        database: PostureDatabase | None,
        pins: tuple[Pin, ...],
    ) -> None:
        self.pins = pins
        self.scene, self.actor, self.hand, self.object_name = scene, actor, hand, object_name
        self.layout, self.start = scene.layout, q
        self.prefix = f"{actor}."
        self._database = database
        self._poser: DefaultPoser | FingerPoser | None = None

    def rotation_in_object(self) -> Floats:
        """The present rotation (3, 3) of the wrist in the object's frame."""
        frames = forward(self.layout.skeleton, self.start)
        wrist = frames.rotation(self.prefix + self.hand.wrist)
        return frames.rotation(self.object_name).T @ wrist

    def in_object(self, direction: Floats | None, what: str) -> Floats | None:
        """A direction of the world in the object's frame (3,)."""
        if direction is None:
            return None
        turn = forward(self.layout.skeleton, self.start).rotation(self.object_name)
        return turn.T @ floats(direction, (3,), what)

    def put_object(self, grasp: Grasp) -> Grip:
        """The object moved into the hand."""
        q = self.start.copy()
        frames = forward(self.layout.skeleton, q)
        wrist = self.prefix + self.hand.wrist
        turn = frames.rotation(wrist) @ grasp.rotation.T
        at = self.layout.object_q[self.object_name]
        q[at] = [*(frames.position(wrist) - turn @ grasp.position), *quaternion_of(turn)]
        return self._closed(q, grasp, 0.0)

    def reach(self, grasp: Grasp) -> Grip:
        """The body moved until the open hand is at its place on the object, then closed.

        A hand that gets stuck, under a table for instance, is lifted first.
        """
        found = self._reach(grasp, lifted=False)
        return found if found.reached else self._reach(grasp, lifted=True)

    def _reach(self, grasp: Grasp, *, lifted: bool) -> Grip:
        q, wrist = self.start.copy(), self.prefix + self.hand.wrist
        for finger in self.hand.fingers:
            goal = finger_goal(finger, "open")
            set_finger(self.layout.skeleton, q, finger, *goal, prefix=self.prefix)
        frames = forward(self.layout.skeleton, q)
        turn = frames.rotation(self.object_name)
        goal = frames.position(self.object_name) + turn @ grasp.position
        facing = turn @ grasp.rotation
        turned = quaternion_of(facing)
        before = goal - _BACK_M * (facing @ self.hand.axes[:, 1])
        stages = [
            (Target(self.hand.wrist, vector3(end), orientation_in_world=turned), count)
            for end, count in zip((before, goal), _FRAMES, strict=True)
        ]
        if lifted:
            up = frames.position(wrist).copy()
            up[1] = max(float(before[1]), float(goal[1])) + _LIFT_M
            stages.insert(0, (Target(self.hand.wrist, vector3(up)), _FRAMES[0]))
            above = vector3(before + np.array([0.0, _LIFT_M, 0.0]))
            stages.insert(
                1, (Target(self.hand.wrist, above, orientation_in_world=turned), _FRAMES[0])
            )
        actor_q = self.layout.actor_q[self.actor]
        pins, poser = [*self._feet(q), *self.pins], self.poser
        poser.actor.state[:] = q
        posture, path = q[actor_q].copy(), list[Floats]()
        for target, count in stages:
            for _ in range(count):
                result = poser.step(posture, [target], pins)
                still = float(np.abs(result.q - posture).max()) < 1e-5
                posture = result.q
                if still:
                    break
            q[actor_q] = posture
            path.append(q.copy())
        there = forward(self.layout.skeleton, q).position(wrist)
        return self._closed(q, grasp, float(np.linalg.norm(there - goal)), tuple(path))

    @property
    def poser(self) -> DefaultPoser | FingerPoser:
        """A poser of the actor among everything else."""
        if self._poser is None:
            figure = self.scene.actor(self.actor).figure
            made = make_poser(
                "default",
                self.scene,
                self._database,
                actor=self.actor,
                controls=Controls.standing() if can_balance(figure) else None,
            )
            assert isinstance(made, DefaultPoser | FingerPoser)
            self._poser = made
        return self._poser

    def _feet(self, q: Floats) -> list[Pin]:
        frames = forward(self.layout.skeleton, q)
        roles = dict(self.scene.actor(self.actor).figure.roles)
        feet = [roles[r] for r in ANKLES if r in roles]
        return [
            Pin(
                foot,
                vector3(frames.position(self.prefix + foot)),
                orientation_in_world=quaternion_of(frames.rotation(self.prefix + foot)),
            )
            for foot in feet
        ]

    def _closed(
        self, q: Floats, grasp: Grasp, hand_error_m: float, approach: tuple[Floats, ...] = ()
    ) -> Grip:
        closed = close_fingers(
            self.layout.table, q, self.hand, grasp.pose, prefix=self.prefix, start="open"
        )
        touches = tuple(t for t in closed.touches if t.other == self.object_name)
        proof = certify(self.layout.table, np.array([closed.q, closed.q]), fps=1.0)
        return Grip(
            self.scene,
            self.actor,
            self.hand,
            self.object_name,
            closed.q,
            touches,
            proof.certified,
            hand_error_m,
            self._strain(closed.q),
            approach,
        )

    def _strain(self, q: Floats) -> float:
        """How far the trunk leans from where it was, and the wrist is turned."""
        roles = dict(self.scene.actor(self.actor).figure.roles)
        before, after = (forward(self.layout.skeleton, row) for row in (self.start, q))
        trunk = [
            frames.position(self.prefix + roles["head" if "head" in roles else "neck"])
            - frames.position(self.prefix + roles["hips"])
            for frames in (before, after)
        ]
        lean = trunk[0] @ trunk[1] / (np.linalg.norm(trunk[0]) * np.linalg.norm(trunk[1]))
        at = self.layout.skeleton.q_slice(self.prefix + self.hand.wrist)
        turn = 2.0 * np.arccos(np.clip(abs(float(q[at.start])), 0.0, 1.0))
        return float(2.0 * np.arccos(np.clip(lean, -1.0, 1.0)) + 0.4 * turn)
