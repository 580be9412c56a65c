"""`writhe bench characters`: recognition, shapes, drags and preset poses of imported characters.

Skeletons and characters with a skin are generated from the built-in human in the styles of other
software, and characters are read from a folder (`--characters DIR`). Recognition is measured on
all,
shapes and drags on those with a skin.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Floats
from writhe.collision import CollisionTable, ContactPolicy
from writhe.errors import WritheError
from writhe.io.files import READABLE, load_figure
from writhe.postures.builtin import builtin_database
from writhe.postures.retarget_posture import posture_on_body
from writhe.progress import Progress
from writhe.recognition import ESSENTIAL, recognise
from writhe.recognition.body_map import BodyMap
from writhe.research.evaluation.drags.run_drags import evaluate_drag, run_drag
from writhe.research.evaluation.drags.scripted_drag import Script, sample_drags
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.research.evaluation.metrics import PosingMetrics
from writhe.research.evaluation.rigs import STYLES as RIGS
from writhe.research.evaluation.rigs import build_rig
from writhe.research.evaluation.transferred_presets import PresetFigures, transferred_presets
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.shape_fitting.skin_coverage import surface_coverage
from writhe.solvers.posing import Controls
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.support_polygon import can_balance

POLICY = ContactPolicy()  # of the studio and of certificates
_PRESETS, _FEW_PRESETS = 8, 40  # every n-th preset pose is tried on each body


def run(
    progress: Progress, *, characters: Path | None = None, quick: bool = False
) -> dict[str, Any]:
    """Figures over all characters, and of each one in `characters`."""
    asked = recognised = wrong = 0
    rows: dict[str, Any] = {}
    people: list[Figure] = []
    open_s: list[float] = []
    for rig_style in RIGS.values():
        rig = build_rig(rig_style)
        roles = recognise(rig.skeleton).roles
        asked += 1
        recognised += all(role in roles for role in ESSENTIAL)
        wrong += sum(roles[role] != joint for role, joint in rig.roles.items() if role in roles)
    for style in STYLES:
        progress(None, f"generated {style.name}")
        made = generate(style)
        asked += 1
        found = dict(made.figure.roles)
        recognised += all(role in found for role in ESSENTIAL)
        wrong += sum(found[role] != joint for role, joint in made.roles.items() if role in found)
        people.append(made.figure)
    for path in _files(characters):
        progress(None, path.name)
        begin = time.perf_counter()
        try:
            body = load_figure(path)
        except WritheError as error:
            rows[path.name] = {"unreadable": str(error)}
            continue
        open_s.append(time.perf_counter() - begin)
        if body.skin is None:
            continue
        asked += 1
        person = all(role in dict(body.roles) for role in ESSENTIAL)
        recognised += person
        rows[path.name] = {"recognised": person, "joints": len(body.skeleton)}
        if person:
            people.append(body)
        else:
            rows[path.name] |= {"shapes": _shapes(body)}
    total = _Total()
    with threadpool_limits(limits=1, user_api="blas"):
        for body in people:
            progress(None, f"dragging {body.name}")
            rows[body.name] = rows.get(body.name, {}) | total.add(body, quick)
    return {
        "asked": asked,
        "recognised": recognised,
        "wrong_roles": wrong,
        **total.summary(),
        "open_s": None if not open_s else round(max(open_s), 2),
        "characters": rows,
    }


class _Total:
    """Figures over several characters."""

    def __init__(self) -> None:
        self._drags: list[dict[str, Any]] = []
        self._frames: list[float] = []
        self._shapes: list[dict[str, float]] = []
        self._presets = PresetFigures()

    def add(self, body: Figure, quick: bool) -> dict[str, Any]:
        metrics, unbalanced = standing_drags(body, quick)
        done = metrics.summary()
        self._drags.append(done)
        self._frames += metrics.milliseconds
        shapes = _shapes(body)
        self._shapes.append(shapes)
        presets = transferred_presets(body, _FEW_PRESETS if quick else _PRESETS)
        self._presets.add(presets)
        keys = ("pass_throughs", "penetrating_frames_percent", "stalled_frames_percent")
        return {
            "drag": {key: done[key] for key in keys},
            "frames": done["frames"],
            "frame_ms_median": done["frame_ms_median"],
            "frame_ms_p95": done["frame_ms_p95"],
            "unbalanced_percent": unbalanced,
            "capsules": len(body.capsules),
            "shapes": shapes,
            "presets": presets.summary()
            | {"penetrating_poses": presets.penetrating, "poses_apart": presets.apart},
        }

    def summary(self) -> dict[str, Any]:
        frames = sum(d["frames"] for d in self._drags)

        def share(key: str) -> float:
            return round(sum(d[key] * d["frames"] for d in self._drags) / max(frames, 1), 3)

        return {
            "drag": {
                "pass_throughs": sum(d["pass_throughs"] for d in self._drags),
                "penetrating_frames_percent": share("penetrating_frames_percent"),
                "stalled_frames_percent": share("stalled_frames_percent"),
            },
            "frame_ms_median": round(float(np.median(self._frames)), 4),
            "shapes": {key: round(max(s[key] for s in self._shapes), 2) for key in self._shapes[0]},
            "presets": self._presets.summary(),
        }


def _files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise WritheError(f"{folder} is not a folder with characters")
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in READABLE)


def _shapes(body: Figure) -> dict[str, float]:
    """Gaps in millimetres of a body scaled to 1.7 m."""
    cover = surface_coverage(body)
    assert body.skin is not None
    scale = 1e3 * 1.7 / float(np.ptp(body.skin.vertices, axis=0).max())
    return {
        "mean_gap_mm": round(scale * cover.mean_gap_m, 2),
        "p99_gap_mm": round(scale * cover.gap_99_m, 2),
        "outside_mm": round(scale * cover.worst_outside_m, 2),
    }


def standing_drags(body: Figure, quick: bool) -> tuple[PosingMetrics, float | None]:
    """Scripted drags of the hands of a standing person: metrics, percent of frames off balance.

    As in the studio, the feet are pinned in position and orientation.
    """
    database = builtin_database("basic")
    mapping = BodyMap(body, figure("human"))
    start = posture_on_body(mapping, database.q[database.clip.index("stand")])
    table = CollisionTable.of_figure(body, POLICY)
    controls = Controls.standing() if can_balance(body) else None
    actor = ActorInScene.alone(body, POLICY)
    poser = DefaultPoser(body, database, actor=actor, controls=controls)
    metrics = PosingMetrics(body, table)
    drags = sample_drags(_scripts(body, start), body, start)
    run_drag(poser, body, drags[0], start, flat_feet=True)  # compile before anything is timed
    off: list[bool] = []
    for drag in drags[:: 4 if quick else 1]:
        done = evaluate_drag(metrics, poser, body, drag, start, flat_feet=True)
        off += [bool(x > 0.02) for x in _off_balance(body, done.q)]
    return metrics, None if controls is None else round(100.0 * float(np.mean(off)), 2)


def _off_balance(body: Figure, q: Floats) -> Floats:
    """(frames,) distance of the centre of mass from the support polygon of the feet, m."""
    from writhe.solvers.posing.support_polygon import distance_outside, support_polygon

    frames = forward(body.skeleton, q)
    mass = body.skeleton.mass
    out = np.zeros(len(q))
    for i in range(len(q)):
        one = forward(body.skeleton, q[i])
        centres = frames.positions[i] + np.einsum(
            "jab,jb->ja", frames.rotations[i], body.skeleton.centre_of_mass
        )
        centre = mass @ centres / mass.sum()
        out[i] = distance_outside(support_polygon(body, one), centre[[0, 2]])
    return out


def _scripts(body: Figure, start: Floats) -> list[Script]:
    """Drags of the hands in front of the body, across it, overhead, and aimed through it."""
    frames, joint = forward(body.skeleton, start), body.joint_of
    scripts: list[Script] = []
    pinned = (joint("left_ankle"), joint("right_ankle"))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hand, shoulder = joint(f"{side}_wrist"), frames.position(joint(f"{side}_shoulder"))
        elbow = frames.position(joint(f"{side}_elbow"))
        arm = float(
            np.linalg.norm(elbow - shoulder) + np.linalg.norm(frames.position(hand) - elbow)
        )
        hips, head = frames.position(joint("hips")), frames.position(joint("head"))

        def point(
            base: Floats,
            x: float,
            y: float,
            z: float,
            flip: float = sign,
            length: float = arm,
        ) -> tuple[float, ...]:
            return tuple((base + length * np.array([flip * x, y, z])).tolist())

        reachable = {
            "front": (point(shoulder, 0.1, -0.2, 0.75), point(shoulder, 0.5, 0.2, 0.6)),
            "overhead": (point(shoulder, 0.3, 0.8, 0.2), point(shoulder, 0.8, 0.1, 0.1)),
            "low": (point(shoulder, 0.3, -0.8, 0.5), point(shoulder, 0.2, -0.5, 0.7)),
        }
        aimed = {
            "across": (point(shoulder, -0.9, 0.0, 0.4), point(hips, -0.4, 0.1, 0.2)),
            "through the body": (point(hips, -0.8, 0.3, -0.6), point(hips, 0.5, 0.2, 0.3)),
            "through the head": (point(head, -0.6, 0.1, -0.2), point(head, 0.4, 0.1, 0.5)),
        }
        for feasible, group in ((True, reachable), (False, aimed)):
            scripts += [
                Script(f"{side} {name}", (hand,), pinned, feasible, tuple((p,) for p in points))
                for name, points in group.items()
            ]
    return scripts
