"""Deep overlaps and pass-throughs of parts, merged from those of their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision.certificate import DeepOverlap
from writhe.collision.collision_table import CollisionTable
from writhe.errors import WritheError
from writhe.kernels.collision.clip_sweep import OpenIntervals, SweptClip
from writhe.kernels.collision.deep_overlaps import DeepSpans, deep_spans
from writhe.kernels.collision.step_gate import GateWorkspace

MAX_SPANS = 1_000_000


@dataclass(frozen=True)
class _Span:
    parts: tuple[int, int]
    joint_b: int
    start: float
    end: float
    normals: Floats
    depth_m: float
    deepest: float
    cores_meet: bool
    cut: tuple[bool, bool]

    @property
    def turns(self) -> bool:
        """Whether entry and exit normal differ by more than 90 degrees."""
        return float(self.normals[0] @ self.normals[1]) < 0


def _spans(
    table: CollisionTable,
    clip: SweptClip,
    rows: tuple[int, int],
    opened: OpenIntervals,
    work: GateWorkspace,
    candidates: Ints,
) -> list[_Span]:
    first, last = rows
    candidate = np.full(len(table.pairs.deep), -1, dtype=np.int64)
    candidate[candidates] = np.arange(len(candidates))
    chosen = np.ascontiguousarray(table.shape_pairs[candidates])
    capacity = 64 * len(candidates)
    while True:
        spans = DeepSpans(
            body_pair=np.ascontiguousarray(chosen[:, 0]),
            shape_a=np.ascontiguousarray(chosen[:, 1]),
            shape_b=np.ascontiguousarray(chosen[:, 2]),
            shape_pair=candidates,
            open_span=np.full(len(candidates), -1, dtype=np.int64),
            candidate=np.zeros(capacity, dtype=np.int64),
            time=np.zeros((capacity, 2)),
            normal=np.zeros((capacity, 2, 3)),
            deepest=np.zeros(capacity),
            deepest_time=np.zeros(capacity),
            cores_meet=np.zeros(capacity, dtype=np.int64),
            cut=np.zeros((capacity, 2), dtype=np.int64),
            start_normal=np.zeros(3),
            end_normal=np.zeros(3),
        )
        found = deep_spans(
            table.skeleton.tree,
            table.shapes,
            table.bodies,
            table.pairs,
            clip,
            first,
            last,
            opened,
            candidate,
            spans,
            work,
        )
        if found <= capacity:
            break
        capacity = 2 * found
        if capacity > MAX_SPANS:
            raise WritheError(f"more than {MAX_SPANS} deep overlaps: certify the motion in parts")
    out: list[_Span] = []
    for s in range(found):
        _, a, b = chosen[spans.candidate[s]]
        parts = table.shape_parts[int(a)], table.shape_parts[int(b)]
        out.append(
            _Span(
                parts=parts,
                joint_b=int(table.shapes.joint[b]),
                start=float(spans.time[s, 0]),
                # a single frame is treated as an interval without motion
                end=min(float(spans.time[s, 1]), float(last)),
                normals=spans.normal[s],
                depth_m=-float(spans.deepest[s]),
                deepest=min(float(spans.deepest_time[s]), float(last)),
                cores_meet=bool(spans.cores_meet[s]),
                cut=(bool(spans.cut[s, 0]), bool(spans.cut[s, 1])),
            )
        )
    return out


def _event(
    table: CollisionTable, group: list[_Span], seconds: Callable[[float], float]
) -> DeepOverlap:
    """One deep overlap of two parts, merged from those of their shapes that overlap in time.

    A part of several shapes may be entered through one and left through another, so the normals of
    the first entry and the last exit are compared too if both are in the frame of the same joint.
    """
    first, last = min(group, key=lambda s: s.start), max(group, key=lambda s: s.end)
    around = first.joint_b == last.joint_b and float(first.normals[0] @ last.normals[1]) < 0
    start, end = first.start, last.end
    deepest = max(group, key=lambda s: s.depth_m)
    a, b = (table.part_names[p] for p in group[0].parts)
    return DeepOverlap(
        time_s=seconds(deepest.deepest),
        a=a,
        b=b,
        interval_s=(seconds(start), seconds(end)),
        depth_m=deepest.depth_m,
        cores_meet=any(s.cores_meet for s in group),
        pass_through=around or any(s.cores_meet or s.turns for s in group),
        cut=(first.cut[0], last.cut[1]),
    )


def deep_overlaps(
    table: CollisionTable,
    clip: SweptClip,
    runs: Iterable[tuple[int, int]],
    opened: OpenIntervals,
    work: GateWorkspace,
    seconds: Callable[[float], float],
) -> list[DeepOverlap]:
    """Every deep overlap of two parts, in order of time.

    runs: first and last rows of continuous motion. opened: the intervals in which a pair may
    overlap deeply. seconds: the time of a fractional row.
    """
    lowest_gap = np.minimum(clip.proven, clip.clearance) - table.pairs.allowance
    candidates = np.flatnonzero(lowest_gap < -table.pairs.deep).astype(np.int64)
    if not len(candidates):
        return []
    events: list[DeepOverlap] = []
    for rows in runs:
        found = _spans(table, clip, rows, opened, work, candidates)
        events += _merged(table, found, seconds)
    return sorted(events, key=lambda e: (e.time_s, e.a, e.b))


def _merged(
    table: CollisionTable, found: list[_Span], seconds: Callable[[float], float]
) -> list[DeepOverlap]:
    """The deep overlaps of parts, from those of their shapes in one run."""
    by_parts: dict[tuple[int, int], list[_Span]] = {}
    for span in found:
        by_parts.setdefault(span.parts, []).append(span)
    events: list[DeepOverlap] = []
    for spans in by_parts.values():
        spans.sort(key=lambda s: s.start)
        group = [spans[0]]
        for span in spans[1:]:
            if span.start <= max(s.end for s in group):
                group.append(span)
            else:
                events.append(_event(table, group, seconds))
                group = [span]
        events.append(_event(table, group, seconds))
    return events
