"""Refines a segment of an actor's motion as a whole: stage two of the planning paper."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np

from writhe.animation.refine_motion import KEEP, refine_motion, standing_feet
from writhe.errors import WritheError
from writhe.planning.spacetime import FramePin, FrameSlide, Held
from writhe.skeleton import Motion
from writhe.solvers.tangling.actor_setup import variables_of
from writhe.studio.document import TrackKind
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import actor_label
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Message, Task, Time
from writhe.studio.server.jobs import Job

feature = Feature("refining")
_NAMES = {"bell": "Eased", "uniform": "Even speed", KEEP: "Smoothed"}


class RefineSegment(Task):
    """Time and smooth a segment of an actor's motion; its first and last pose stay.

    The speed is bell-shaped, uniform, or kept as it is; standing feet stay where they are. With
    `waypoints` the poses of keys in between stay too. The joint `slide`, if given, slides straight
    along the joint `along`, from where it is on it in a pose that stays to where it is in the next.
    """

    actor: int
    start_s: Time
    end_s: Time
    profile: Literal["bell", "uniform", "keep"]
    waypoints: bool = True
    slide: str = ""
    along: str = ""


class RefineResult(Message):
    """What the refinement changed, in a sentence, and where the segment begins."""

    job: str
    text: str
    at_s: float
    certified: bool


@feature.task("Refine the segment", needs=("planning",))
def refine_segment(editor: Editor, message: RefineSegment) -> Work:
    """Read the segment now; refine it in the background and add the result to the timeline."""
    document, who, fps = editor.document, actor_label(message.actor), editor.document.fps
    layout = editor.scene.layout
    if who not in layout.actor_q:
        raise WritheError("this character has no solid shapes, so nothing can be kept apart")
    if document.timeline(message.actor).empty:
        raise WritheError("nothing moves yet: set two keys, or open a clip")
    first, last = round(message.start_s * fps), round(message.end_s * fps)
    if last - first < 4:
        raise WritheError("a segment to refine needs five frames or more")
    waypoints = _waypoints(editor, message.actor, first, last) if message.waypoints else []
    whole = editor.sample(np.arange(first, last + 1) / fps)
    figure, own = document.figure(document.actor(message.actor).figure), layout.actor_q[who]
    for joint in (message.slide, message.along) if message.slide else ():
        figure.skeleton.index(joint)
    others = np.delete(whole, own, axis=1)
    if message.profile != KEEP and float(np.ptp(others, axis=0).max(initial=0.0)) > 1e-9:
        raise WritheError(
            "another character or object moves during this segment, so its timing cannot change:"
            " choose “Keep the timing”"
        )

    def work(job: Job) -> Outcome:
        job.report(0.0, "Refining …")
        alone = Motion(figure.skeleton, np.ascontiguousarray(whole[:, own]), fps, "")
        held: list[Held] = [
            FramePin(replace(pin.pin, joint=f"{who}.{pin.pin.joint}"), pin.first, pin.last)
            for pin in standing_feet(figure, alone)
            if pin.pin.joint != message.slide
        ]
        if message.slide:
            names = f"{who}.{message.slide}", f"{who}.{message.along}"
            held += [
                FrameSlide.along_contact(layout.skeleton, whole, *names, a, b)
                for a, b in pairwise([0, *waypoints, len(whole) - 1])
            ]
        found = refine_motion(
            figure,
            Motion(layout.skeleton, whole, fps, ""),
            waypoints=waypoints,
            profile=message.profile,
            held=held,
            table=layout.table,
            variable=variables_of(layout, [who]),
        )
        rows = np.ascontiguousarray(found.motion.q[:, own])
        refined = Motion(figure.skeleton, rows, fps, _NAMES[message.profile])
        drop = 100.0 * found.refined.angular_energy_drop
        verdict = "certified" if found.certificate.certified else found.certificate.verdict.value
        text = (
            f"{_NAMES[message.profile]}: changes of angular momentum {drop:.0f} % less, {verdict}"
        )
        return Outcome(
            commit=lambda editor, edit: edits.put_sampled_track(
                editor.document, edit, message.actor, refined, first / fps
            ),
            show=RefineResult(job.number, text, first / fps, found.certificate.certified),
        )

    return work


def _waypoints(editor: Editor, actor: int, first: int, last: int) -> list[int]:
    """The frames of the actor's pose keys within a segment, counted from its first frame.

    Keys nearer than two frames to the one before or to the end are left out.
    """
    document = editor.document
    track = document.track(actor, TrackKind.POSE)
    keys = [] if track is None else document.keys(track.id)
    found: list[int] = []
    for frame in sorted({round(key.time_s * document.fps) for key in keys}):
        if frame - first >= (found[-1] if found else 0) + 2 and frame <= last - 2:
            found.append(frame - first)
    return found
