"""How two characters of a document come to stand opposite each other before the playhead."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.animation.result import Animation
from writhe.arrays import Floats
from writhe.hands import stand_opposite
from writhe.skeleton.heading import heading_of
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.editing import edits, held_joints, starting_poses
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.editing.walks import PlannedWalk, is_there, plan_walk

_ROOM_S = 2.0  # that the timeline goes on after a meeting


@dataclass(frozen=True)
class Meeting:
    """Two characters at rest from `rest_s` to the playhead (`now_s`), and how they come together.

    `walks` has those that must walk or turn, by number; the others stay where they are. `q` is the
    configuration of the scene at the playhead.
    """

    numbers: tuple[int, int]
    rest_s: float
    now_s: float
    walks: dict[int, PlannedWalk]
    q: Floats

    def solve(self) -> dict[int, Animation]:
        """The walks, by character; the second one evades the first one as it moves."""
        found: dict[int, Animation] = {}
        for number, planned in self.walks.items():
            around = planned.around
            for other, walked in found.items():
                at = planned.scene.layout.actor_q[actor_label(other)]
                rows = np.minimum(np.arange(len(walked.motion)), len(around) - 1)
                around = around[rows].copy()
                around[:, at] = walked.motion.q
            found[number] = replace(planned, around=around).solve()
        return found

    def arrived(self, walked: dict[int, Animation]) -> Floats:
        """(nq,) the configuration of the scene when both stand opposite each other."""
        row = self.q.copy()
        for number, found in walked.items():
            row[self.walks[number].scene.layout.actor_q[actor_label(number)]] = found.motion.q[-1]
        return row

    def begin_s(self, walked: dict[int, Animation], then_s: float) -> float:
        """When they set off, to be done at the playhead with what takes `then_s` after the walks.

        If there is not enough time, they set off as early as possible, and are done later.
        """
        return max(self.rest_s, self.now_s - then_s - _longest_s(walked))

    @staticmethod
    def arrives_s(walked: dict[int, Animation], begin_s: float) -> float:
        """When both have arrived, if they set off at `begin_s`."""
        return begin_s + _longest_s(walked)

    def commit(
        self, editor: Editor, edit: Edit, walked: dict[int, Animation], begin_s: float
    ) -> float:
        """Add the walks, or the poses of those who wait; returns when both have arrived."""
        document, end_s = editor.document, self.arrives_s(walked, begin_s)
        for number in self.numbers:
            if number in walked:
                replace(self.walks[number], start_s=begin_s).commit(editor, edit, walked[number])
                q = walked[number].motion.q[-1]
            else:
                q = editor.posed_actor_by_number(number).q.copy()
            edits.put_key(document, edit, number, end_s, q)
            edits.update_pins(document, edit, number, q)
        if document.duration_s < end_s + _ROOM_S:
            edit.setting("duration_s", float(np.ceil(end_s + _ROOM_S)))
        return end_s


def plan_meeting(editor: Editor, numbers: tuple[int, int]) -> Meeting | None:
    """How two characters come together, if one has keys and both are at rest at the playhead.

    None: nobody has keys before the playhead, somebody's motion goes on after it, or somebody holds
    another's hand. Then they act as they stand.
    """
    document, now = editor.document, editor.time_s
    ends = [document.timeline(n).end_s for n in numbers if not document.timeline(n).empty]
    if now < SAME_TIME_S or not ends or max(ends) > now + SAME_TIME_S:
        return None
    if any(held_joints.joined_actors(document, number, now) for number in numbers):
        return None
    scene, q = editor.scene, editor.configuration
    names = actor_label(numbers[0]), actor_label(numbers[1])
    there = stand_opposite(scene, *names, q)
    walks: dict[int, PlannedWalk] = {}
    for number, name in zip(numbers, names, strict=True):
        own, figure = scene.layout.actor_q[name], document.figure(document.actor(number).figure)
        x, _, z = starting_poses.between_feet(figure, there[own])
        goal, facing = (float(x), float(z)), heading_of(figure, there[own])
        if not is_there(figure, q[own], goal, facing):
            walks[number] = plan_walk(editor, number, goal, facing=facing, let_go={})
    return Meeting(numbers, min(max(ends), now), now, walks, q)


def _longest_s(walked: dict[int, Animation]) -> float:
    return max((found.motion.duration_s for found in walked.values()), default=0.0)
