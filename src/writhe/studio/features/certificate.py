"""Certifies the timeline segment by segment between keys, as exported files interpolate it."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import Certificate, CollisionTable, Verdict, certify
from writhe.collision.near_pairs import violating_parts
from writhe.collision.tolerance import SLACK_M
from writhe.collision.verdict import worst_verdict
from writhe.errors import WritheError
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.timeline import MAX_FRAMES
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene_builder import SceneKey
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Message, Part, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("certificate")
VerdictName = Literal["certified", "improving", "undecided", "penetrating", "passes through"]
MAX_SEGMENT_S = 1.0  # long segments are split, so that the timeline shows where a clip fails


class CheckMotion(Task, frozen=True, tag="check_motion"):
    """Certify the whole timeline: all actors, all objects."""


class Segment(Part, frozen=True):
    """A segment of the timeline and its certificate.

    `clearance_m` is a proven lower bound, between frames too; it is negative where parts overlap.
    `a` and `b` are the nearest parts, at time `at_s`; `actors` are the characters among them. The
    depths are those of the deepest penetration at both ends.
    """

    start_s: float
    end_s: float
    verdict: VerdictName
    clearance_m: float
    a: str
    b: str
    at_s: float
    actors: list[int]
    start_depth_m: float
    end_depth_m: float


class Overlap(Part, frozen=True):
    """Parts of an actor that overlap something from frame `first` to frame `last`."""

    actor: int
    first: int
    last: int
    parts: list[str]


class MotionCertificate(Message, frozen=True, tag="motion_certificate"):
    """The result of CheckMotion; if nothing moves, `pose` instead of segments.

    `verdict` is the worst one; `untested_pairs` counts shapes at joints that are not tested.
    """

    job: str
    certified: bool
    verdict: VerdictName
    frames: int
    fps: float
    segments: list[Segment]
    overlaps: list[Overlap]
    pose: Segment | None = None
    untested_pairs: int = 0


@feature.task("Check the motion", quiet=True)
def check(editor: Editor, message: CheckMotion) -> Work:
    """Sample the scene now; certify its segments in the background."""
    document = editor.document
    fps = document.fps
    table = editor.scene.layout.table
    names = display_names(document)
    edges = segment_edges(document)
    q = sample_scene(editor, np.arange(edges[-1] + 1 if edges else 1) / fps)
    stamp = _stamp(document, q, edges)

    def work(job: Job) -> Outcome:
        saved = saved_certificate(document, stamp)
        if saved is not None:
            return Outcome(show=msgspec.structs.replace(saved, job=job.number))
        if not edges:
            return Outcome(show=certificate_of_pose(job.number, table, q[0], fps, names))
        found: list[Segment] = []
        untested = 0
        overlaps: list[Overlap] = []
        for done, (first, last) in enumerate(pairwise(edges)):
            job.report(done / (len(edges) - 1))
            report = certify(table, q[first : last + 1], fps)
            found.append(segment_of(report, first / fps, last / fps, names))
            untested = report.untested_pairs
            if not report.certified:
                overlaps += overlaps_of(table, q[first : last + 1], first)
        verdict = worst_verdict(Verdict(segment.verdict) for segment in found)
        show = MotionCertificate(
            job.number,
            verdict is Verdict.CERTIFIED,
            verdict.value,
            len(q),
            fps,
            found,
            overlaps,
            untested_pairs=untested,
        )
        document.set_certificate(msgspec.msgpack.encode(_Saved(stamp, show)))
        return Outcome(show=show)

    return work


def certificate_of_pose(
    job: str, table: CollisionTable, q: Floats, fps: float, names: dict[str, str]
) -> MotionCertificate:
    """The certificate of a document in which nothing moves: of its pose q (nq)."""
    report = certify(table, q[None], fps)
    return MotionCertificate(
        job,
        report.certified,
        report.verdict.value,
        1,
        fps,
        [],
        [],
        segment_of(report, 0.0, 0.0, names),
        report.untested_pairs,
    )


class _Saved(msgspec.Struct, frozen=True):
    """A certificate with the stamp of the motion it is about, as stored in a document."""

    stamp: str
    certificate: MotionCertificate


def saved_certificate(document: Document, stamp: str | None = None) -> MotionCertificate | None:
    """The certificate stored in a document; with `stamp`, only if it matches."""
    try:
        saved = msgspec.msgpack.decode(document.certificate, type=_Saved)
    except msgspec.MsgspecError:
        return None  # none, or one of an earlier version
    return saved.certificate if stamp in (None, saved.stamp) else None


def _stamp(document: Document, q: Floats, edges: list[int]) -> str:
    """A hash of everything a certificate depends on: frames, scene, contacts, segments."""
    about = repr((SceneKey.of(document), edges, document.fps, SLACK_M, tuple(Verdict)))
    return hashlib.sha256(q.tobytes() + about.encode()).hexdigest()


def segment_edges(document: Document) -> list[int]:
    """Frames at which segments begin and end: those of keys, and more within clips."""
    fps = document.fps
    ends = [document.timeline(actor.id).end_s for actor in document.actors()]
    times = [key.time_s for track in document.all_tracks() for key in document.keys(track.id)]
    last = round(max([0.0, *ends, *times]) * fps)
    if last == 0:
        return []
    if last >= MAX_FRAMES:
        raise WritheError(f"the motion has {last} frames; at most {MAX_FRAMES} can be checked")
    marks = sorted({0, last, *(round(t * fps) for t in times)})
    if not any(document.track(actor.id, TrackKind.CLIP) for actor in document.actors()):
        return marks
    step = max(1, round(MAX_SEGMENT_S * fps))
    edges = [marks[0]]
    for mark in marks[1:]:
        edges += [*range(edges[-1] + step, mark - step // 2, step), mark]
    return edges


def segment_of(report: Certificate, start_s: float, end_s: float, names: dict[str, str]) -> Segment:
    """The segment that a certificate describes."""
    worst = min(report.worst_pairs, key=lambda pair: pair.clearance_m, default=None)
    clearance = report.min_clearance_m
    return Segment(
        start_s=start_s,
        end_s=end_s,
        verdict=report.verdict.value,
        clearance_m=1.0 if clearance is None else min(1.0, clearance),
        a="" if worst is None else display_name(worst.a, names),
        b="" if worst is None else display_name(worst.b, names),
        at_s=start_s if worst is None else start_s + worst.time_s,
        actors=[] if worst is None else _actors((worst.a, worst.b)),
        start_depth_m=report.start_depth_m,
        end_depth_m=report.end_depth_m,
    )


def overlaps_of(table: CollisionTable, q: Floats, first: int) -> list[Overlap]:
    """The overlapping parts in frames (n, nq) that start at number `first`, merged over frames."""
    open_: dict[int, Overlap] = {}
    done: list[Overlap] = []
    for frame, names in enumerate(violating_parts(table, q), start=first):
        now: dict[int, list[str]] = {}
        for owner, _, part in (name.partition(".") for name in names):
            if part:
                now.setdefault(int(owner.removeprefix("actor")), []).append(part)
        for actor in open_.keys() | now.keys():
            before, parts = open_.pop(actor, None), now.get(actor, [])
            same = before is not None and before.parts == parts
            if before is not None and not same:
                done.append(before)
            if parts:
                start = before.first if before is not None and same else frame
                open_[actor] = Overlap(actor, start, frame, parts)
    return [*done, *open_.values()]


def _actors(parts: tuple[str, str]) -> list[int]:
    """The ids of the actors that own these parts."""
    owners = [part.partition(".")[0] for part in parts if "." in part]
    return [int(owner.removeprefix("actor")) for owner in dict.fromkeys(owners)]
