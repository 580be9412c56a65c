"""Certifies the timeline segment by segment between keys, as exported files interpolate it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import Certificate, CollisionTable, Verdict, certify
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.near_pairs import violating_parts
from writhe.collision.verdict import worst_verdict
from writhe.errors import WritheError
from writhe.scene import Scene
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.timeline import MAX_FRAMES
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_label,
    build_scene,
    sample_document,
)
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.protocol import Message, MessagePart, Task
from writhe.studio.server.jobs import Job
from writhe.studio.view.part_labels import display_name, display_names

feature = Feature("certificate")
VerdictName = Literal["certified", "improving", "undecided", "penetrating", "passes through"]
_KEPT_SEGMENTS = 8192
_SegmentCertificates = OrderedDict[tuple[float, bytes], tuple["Certificate", list["Overlap"]]]
MAX_SEGMENT_S = 1.0  # long segments are split, so that the timeline shows where a clip fails


class CheckMotion(Task):
    """Certify the whole timeline: all actors, all objects."""


class Segment(MessagePart):
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


class Overlap(MessagePart):
    """Parts of an actor that overlap something from frame `first` to frame `last`."""

    actor: int
    first: int
    last: int
    parts: list[str]


class MotionCertificate(Message):
    """The result of CheckMotion; if nothing moves, `pose` instead of segments.

    `verdict` is the worst one; `untested_pairs` counts shapes at joints that are not tested;
    `without_shapes` names characters without solid shapes, which make the verdict undecided.
    `revision` is that of the document that was judged, as in `State`.
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
    without_shapes: list[str] = msgspec.field(default_factory=list[str])
    revision: int = 0


@feature.task("Check the motion", quiet=True)
def check(editor: Editor, message: CheckMotion) -> Work:
    """Certify the segments in the background; those that did not change are known."""
    document, key, scene = editor.document, SceneKey.of(editor.document), editor.scene
    known = editor.session_data(_CheckedSegments)

    def sample() -> tuple[_Sampled, str]:
        now = SceneKey.of(document)
        sampled = _sampled(document, scene if now == key else build_scene(document, now))
        return sampled, _stamp(document, sampled)

    def work(job: Job) -> Outcome:
        revision = document.revision
        sampled, stamp = sample()
        if document.revision != revision:  # edited meanwhile: frames of two states
            with document.unchanged():
                revision = document.revision
                sampled, stamp = sample()
        found = saved_certificate(document, stamp)
        if found is None:
            found = _certificate(sampled, job.report, known)
            document.set_certificate(msgspec.msgpack.encode(_Saved(stamp, found)))
        return Outcome(show=msgspec.structs.replace(found, job=job.number, revision=revision))

    return work


class _CheckedSegments:
    """Certificates of the segments that were checked last, by their frames."""

    def __init__(self) -> None:
        self._of: tuple[CollisionTable, _SegmentCertificates] | None = None

    def check(
        self, table: CollisionTable, q: Floats, fps: float
    ) -> tuple[Certificate, list[Overlap]]:
        """The certificate of frames (n, nq), and their overlaps as if they began at frame 0.

        Several jobs may call it at once, also with different tables: each table has its own
        certificates.
        """
        of = self._of
        if of is None or of[0] is not table:
            of = self._of = (table, OrderedDict())
        known, key = of[1], (fps, hashlib.sha256(q.tobytes()).digest())
        found = known.pop(key, None)
        if found is None:
            certificate = certify(table, q, fps)
            overlaps = [] if certificate.certified else overlaps_of(table, q, 0)
            found = certificate, overlaps
        known[key] = found  # last in the order: used last
        if len(known) > _KEPT_SEGMENTS:
            known.popitem(last=False)
        return found


def document_certificate(document: Document) -> MotionCertificate:
    """The certificate of a document: of its motion, or of its pose if nothing moves."""
    return _certificate(_sampled(document, build_scene(document, SceneKey.of(document))))


@dataclass(frozen=True)
class _Sampled:
    """A document sampled over time: the input of a certificate."""

    table: CollisionTable
    q: Floats  # (frames, nq)
    fps: float
    edges: list[int]  # frames at which segments begin and end; none if nothing moves
    names: dict[str, str]  # display names of parts
    without_shapes: tuple[str, ...]  # characters that cannot be checked


def _sampled(document: Document, scene: Scene) -> _Sampled:
    edges = segment_edges(document)
    times_s = np.arange(edges[-1] + 1 if edges else 1) / document.fps
    return _Sampled(
        scene.layout.table,
        sample_document(document, scene, times_s),
        document.fps,
        edges,
        display_names(document),
        tuple(
            actor.name
            for actor in document.actors()
            if actor_label(actor.id) not in scene.layout.actor_q
        ),
    )


def _certificate(
    sampled: _Sampled,
    report: Callable[[float], None] | None = None,
    known: _CheckedSegments | None = None,
) -> MotionCertificate:
    """Certify every segment, or the pose; characters without shapes make it undecided."""
    table, q, fps, edges = sampled.table, sampled.q, sampled.fps, sampled.edges
    segments: list[Segment] = []
    overlaps: list[Overlap] = []
    reports: list[Certificate] = []
    for done, (first, last) in enumerate(pairwise(edges or [0, 0])):
        if report is not None:
            report(done / max(1, len(edges) - 1))
        found, overlapping = (known or _CheckedSegments()).check(table, q[first : last + 1], fps)
        reports.append(found)
        segments.append(segment_of(found, first / fps, last / fps, sampled.names))
        overlaps += [
            msgspec.structs.replace(one, first=first + one.first, last=first + one.last)
            for one in overlapping
        ]
    unchecked = [Verdict.UNDECIDED] if sampled.without_shapes else []
    verdict = worst_verdict([*unchecked, *(found.verdict for found in reports)])
    return MotionCertificate(
        "",
        verdict is Verdict.CERTIFIED,
        verdict.value,
        len(q),
        fps,
        segments if edges else [],
        overlaps,
        None if edges else segments[0],
        reports[-1].untested_pairs,
        list(sampled.without_shapes),
    )


class _Saved(msgspec.Struct, frozen=True):
    """A certificate as stored in a document, with the hash of the motion that it describes."""

    stamp: str
    certificate: MotionCertificate


def saved_certificate(document: Document, stamp: str | None = None) -> MotionCertificate | None:
    """The certificate stored in a document; with `stamp`, only if it matches."""
    try:
        saved = msgspec.msgpack.decode(document.certificate, type=_Saved)
    except msgspec.MsgspecError:
        return None  # none, or one of an earlier version
    return saved.certificate if stamp in (None, saved.stamp) else None


def _stamp(document: Document, sampled: _Sampled) -> str:
    """A hash of everything a certificate depends on: frames, scene, tested pairs, segments."""
    tested = [(rule.a, rule.b, rule.allowance_m) for rule in sampled.table.rules]
    scene = SceneKey.of(document)
    about = repr((scene, tested, sampled.edges, document.fps, SLACK_M, tuple(Verdict)))
    return hashlib.sha256(sampled.q.tobytes() + about.encode()).hexdigest()


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
    """The parts that overlap in frames q (n, nq), merged; `first` is the number of q[0]."""
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
