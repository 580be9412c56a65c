"""A certificate as text and numbers for the panel of another program."""

from __future__ import annotations

from typing import Any

from writhe.collision import Certificate
from writhe.collision.verdict import Verdict
from writhe.plugin.scene import Stage

MAX_PAIRS = 50


def certificate_to_plain(
    stage: Stage, found: Certificate, seconds_at_start: float = 0.0
) -> dict[str, Any]:
    """Verdict, a sentence, and what collides: part names, times, depths.

    `marks` are the moments to mark on a timeline: pass-throughs first, then overlapping pairs.
    """
    name = stage.part_name
    marks: list[dict[str, Any]] = [
        {
            "time_s": seconds_at_start + event.time_s,
            "interval_s": [seconds_at_start + t for t in event.interval_s],
            "a": name(event.a),
            "b": name(event.b),
            "depth_m": event.depth_m,
            "pass_through": event.pass_through,
        }
        for event in found.deep_overlaps
    ]
    deep = {(mark["a"], mark["b"]) for mark in marks}
    marks += [
        {
            "time_s": seconds_at_start + pair.time_s,
            "interval_s": [seconds_at_start + pair.time_s] * 2,
            "a": name(pair.a),
            "b": name(pair.b),
            "depth_m": -pair.clearance_m,
            "pass_through": False,
        }
        for pair in found.worst_pairs
        if pair.violates and (name(pair.a), name(pair.b)) not in deep
    ]
    marks.sort(key=lambda mark: (not mark["pass_through"], -mark["depth_m"]))
    return {
        "verdict": found.verdict.value,
        "certified": found.certified,
        "sentence": sentence(stage, found),
        "marks": marks[:MAX_PAIRS],
        "penetration_m": found.penetration_witnessed_m,
        "clearance_m": found.min_clearance_m,
        "seconds": found.seconds,
        "folded": [folded.joint for folded in found.folded_joints],
    }


def sentence(stage: Stage, found: Certificate) -> str:
    """What the verdict means, with the worst pair of parts."""
    violating = [p for p in found.worst_pairs if p.violates or p.started_in_violation]
    worst = min(violating, key=lambda pair: pair.clearance_m, default=None)
    pair = "" if worst is None else f"{stage.part_name(worst.a)} and {stage.part_name(worst.b)}"
    match found.verdict:
        case Verdict.CERTIFIED:
            return "Nothing penetrates, between the keys either."
        case Verdict.PASSES_THROUGH:
            count = len(found.pass_throughs)
            times = "once" if count == 1 else f"{count} times"
            return f"Parts pass through each other {times}; deepest: {pair}."
        case Verdict.PENETRATING if worst is not None:
            return f"{pair} overlap by {-100 * worst.clearance_m:.1f} cm too much."
        case Verdict.PENETRATING:
            joints = ", ".join(folded.joint for folded in found.folded_joints)
            return f"A joint is folded too far: {joints}."
        case Verdict.IMPROVING:
            return f"{pair} overlap at the start and move apart."
        case _:
            return "No overlap was found, but none could be excluded either: key it more densely."
