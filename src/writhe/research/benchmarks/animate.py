"""`writhe bench animate`: pinned feet between keys, found in-betweens, false certificates, time.

- `pinned_foot_worst_mm`: largest distance of a pinned foot from its pin, at frames and between
  them, over key pairs of standing, squatting, sitting, kneeling and stepping. Feet that stand on
  the floor in both keys, less than 20 cm apart, are pinned; the keys are moved to make them
  coincide.
- `cleared`: motions that take a detour because the blend is blocked. `beyond_limits` counts frames
  in which a joint is farther beyond its limit than in both keys; `pop_ratio` is the largest
  rotation of a joint in one frame, relative to that of the blend, and `pop_degrees` the rotation
  itself (largest of all motions).
- `feet_through_floor_clips`: clips in which, retargeted to the human and to characters, the skin of
  a planted foot is over 5 mm above the floor, or that of any foot as far below it (needs --clips;
  other bodies than the human need --characters).
- `false_certified`: random scenes (stills, single keys, motions, boxes placed without regard,
  stored files) whose status is clear or touching although the independent check finds more than the
  1 mm of the certificate.
- `between_ms`: solve of 120 frames after a key changed, and of the first visible one.
- `between_found_percent`: key pairs for which a certified motion was found that ends in its key.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.animation import AnimateOptions, Animation, Key, animate
from writhe.animation.animate_keys import timed_pins
from writhe.animation.body.body_model import BodyModel
from writhe.animation.collision_world import figure_world
from writhe.animation.in_between import InBetween
from writhe.animation.key_interpolation import KeyBlend
from writhe.arrays import Floats
from writhe.collision import ContactState, box, certify, contact_status
from writhe.io import load, save
from writhe.io.files import load_figure
from writhe.kernels.skeleton import kinematics
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.preset_poses import preset_names, preset_pose, relative_to_object
from writhe.research.benchmarks import Progress
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import check
from writhe.research.evaluation.soles_on_floor import soles_on_floor
from writhe.research.evaluation.tangled_pairs import tangled_pairs
from writhe.research.fuzzing.case import CERTIFIED_M
from writhe.retargeting.clip_folders import motion_files
from writhe.scene import Actor, Scene, SceneObject, certify_file
from writhe.skeleton import Figure, Motion, Skeleton, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.solvers.posing import Pin

FPS = 30.0
OFF_FLOOR_M = 0.005
STANDING = ("stand", "arms folded", "hands on hips", "arms raised", "hands behind back", "think")
SQUATTING = ("squat", "half squat", "squat hands on knees", "duck", "chair pose")
KNEELING = ("kneel", "kneel on one knee", "kneel praying", "kneel hands on knee")
CHARACTERS = ("mixamo.fbx", "Michelle.glb")
STEPS_M = (0.3, 0.45, 0.6)
# pairs of pinned feet, pairs of found in-betweens (everyday, tangled, chair), random scenes, clips
_QUICK = (10, (8, 4, 4), 40, 4)
_USUAL = (50, (80, 60, 60), 500, 10_000)


def run(
    progress: Progress,
    *,
    clips: Path | None = None,
    characters: Path | None = None,
    quick: bool = False,
    rounds: int = 0,
) -> dict[str, Any]:
    """All figures; `rounds` is a seed."""
    pairs, sets, scenes, max_clips = _QUICK if quick else _USUAL
    human, rng = figure("human"), np.random.default_rng([7, rounds])
    pinned = _pinned_feet(progress, human, pairs)
    found = _found(progress, human, sets, rng)
    return {
        "pinned_foot_worst_mm": pinned["worst_mm"],
        "cleared": found.pop("cleared"),
        "feet_through_floor_clips": _clips(progress, human, clips, characters, max_clips),
        "false_certified": _false_certified(progress, human, scenes, rng),
        "between_ms": _between(human),
        "between_found_percent": found.pop("percent"),
        "pinned": pinned,
        "found": found,
        "sizes": {"pinned_pairs": pairs, "found_pairs": list(sets), "random_scenes": scenes},
    }


def _pose(name: str, library: str = "basic") -> Floats:
    database, number = preset_pose(library, name)
    if library == "chair":
        return relative_to_object(database, number, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    return database.q[number].copy()


def _chair(human: Figure) -> Scene:
    return PoseSetting(human, "chair").layout.scene


def _pinned_feet(progress: Progress, human: Figure, count: int) -> dict[str, Any]:
    """Key pairs, alternating: stand and squat, sit, kneel, step."""
    chair, seated = _chair(human), [n for n in preset_names("chair") if n.startswith("sit,")]
    worst, worst_pair, conflicts, pins = 0.0, "", 0, 0
    slid_mm, collisions = 0.0, list[str]()
    for number in range(count):
        progress(number / count, "pinned feet")
        kind, k = ("squat", "sit", "kneel", "step", "squat")[number % 5], number // 5
        subject: Figure | Scene = human
        start = _pose(STANDING[k % len(STANDING)])
        if kind == "squat":
            goal = _pose(SQUATTING[(k + number % 2) % len(SQUATTING)])
        elif kind == "kneel":
            goal = _pose(KNEELING[k % len(KNEELING)])
        elif kind == "step":
            goal = _pose(STANDING[(k + 1) % len(STANDING)])
            goal[2] += STEPS_M[k % len(STEPS_M)]
        else:
            subject, start = chair, _pose("stand before chair", "chair")
            goal = _pose(seated[k % len(seated)], "chair")
        keys = [Key(0.0, start), Key(1.0, goal)]
        given = None
        if kind in ("squat", "sit"):
            given = ["left_ankle", "right_ankle"]
        elif kind == "step":
            given = ["left_ankle"]  # the supporting leg; the other one is free
            keys[1] = Key(1.0, _shifted(goal, -0.6 * STEPS_M[k % len(STEPS_M)]))
        result = animate(subject, keys, fps=FPS, pins=given)
        error = 1e3 * _between_frames(result)
        pins += len(result.pins)
        conflicts += bool(result.conflicts)
        collisions += [f"{kind} {k}: {conflict.text()}" for conflict in result.conflicts[:1]]
        slid_mm = max(slid_mm, 1e3 * _blend_slides(human, result, keys))
        if error > worst:
            worst, worst_pair = error, f"{kind} {k}"
    return {
        "worst_mm": round(worst, 4),
        "worst_pair": worst_pair,
        "pins": pins,
        "pairs_with_conflicts": conflicts,
        "conflicts": collisions,
        "blend_worst_mm": round(slid_mm, 1),
    }


def _shifted(q: Floats, by_m: float) -> Floats:
    out = q.copy()
    out[2] += by_m
    return out


def _between_frames(result: Animation) -> float:
    """Largest distance of a pinned point from its pin, at and between frames, m."""
    motion = result.scene_motion.resample(4 * FPS)
    frames, worst = motion.frames(), result.pin_error_m
    times = np.arange(len(motion)) / motion.fps
    for timed in result.pins:
        pin = timed.pin
        if not isinstance(pin, Pin):
            continue
        inside = (times >= timed.start_s) & (times <= timed.end_s)
        apart = frames.point(pin.joint, pin.point_in_joint)[inside] - pin.position_in_world
        worst = max(worst, float(np.linalg.norm(apart, axis=1).max(initial=0.0)))
    return worst


def _blend_slides(human: Figure, result: Animation, keys: list[Key]) -> float:
    """How far the plain blend of the same keys moves a pinned foot, m."""
    poses = np.array([key.q for key in keys])
    blend = KeyBlend(human.skeleton, np.array([0.0, 1.0]), poses, ("smooth", "smooth"))
    frames = Motion(human.skeleton, blend.sample(np.linspace(0, 1, 31)), FPS).frames()
    worst = 0.0
    for timed in result.pins:
        path = frames.position(timed.joint.rpartition(".")[2])
        worst = max(worst, float(np.linalg.norm(path - path[0], axis=1).max()))
    return worst


def _found(
    progress: Progress, human: Figure, sets: tuple[int, int, int], rng: np.random.Generator
) -> dict[str, Any]:
    everyday, tangled, chair = sets
    cases: list[tuple[str, Figure | Scene, Floats, Floats]] = []
    names = [n for n in preset_names("basic") if not _airborne(n)]
    for _ in range(everyday):
        a, b = (_pose(str(n)) for n in rng.choice(names, 2, replace=False))
        cases.append(("everyday", human, a, b))
    tangles = tangled_pairs(human, count=tangled, seed=5, walks=64)
    cases += [("tangled", human, pair.start, pair.goal) for pair in tangles]
    scene, seats = _chair(human), list(preset_names("chair"))
    for _ in range(chair):
        a, b = (_pose(str(n), "chair") for n in rng.choice(seats, 2, replace=False))
        cases.append(("chair", scene, a, b))
    hits: dict[str, list[bool]] = {}
    seconds: list[float] = []
    beyond, pops = 0, [(0.0, 1.0)]
    for number, (kind, subject, start, goal) in enumerate(cases):
        progress(number / len(cases), f"in-betweens: {kind}")
        keys = [Key(0.0, start), Key(1.5, goal)]
        free = kind == "tangled"  # random postures in the air
        result = animate(subject, keys, fps=FPS, pins=() if free else None, floor=not free)
        reached = _ends_in_key(human, result, goal)
        hits.setdefault(kind, []).append(result.certificate.certified and reached)
        seconds.append(result.seconds)
        if result.planned:
            beyond += _frames_beyond_limits(human, result.motion, (start, goal))
            pops.append(_pops(human.skeleton, result.motion, start, goal))
    everything = [hit for group in hits.values() for hit in group]
    return {
        "percent": round(100.0 * float(np.mean(everything)), 1),
        **{f"{kind}_percent": round(100.0 * float(np.mean(h)), 1) for kind, h in hits.items()},
        "cleared": {
            "motions": len(pops) - 1,
            "beyond_limits": beyond,
            "pop_ratio": round(max(own / blend for own, blend in pops), 2),
            "pop_ratio_median": round(float(np.median([a / b for a, b in pops[1:] or pops])), 2),
            "pop_degrees": round(float(np.degrees(max(own for own, _ in pops))), 1),
        },
        "seconds_median": round(float(np.median(seconds)), 3),
        "seconds_most": round(float(np.max(seconds)), 2),
    }


def _ends_in_key(human: Figure, result: Animation, goal: Floats) -> bool:
    """Whether the last frame is the second key, moved as far as its pins moved it."""
    ends = forward(human.skeleton, np.stack([result.motion.q[-1], goal])).positions
    apart = float(np.linalg.norm(ends[0] - ends[1], axis=1).max())
    return apart <= 0.01 + max((key.distance_m for key in result.moved_keys), default=0.0)


def _airborne(name: str) -> bool:
    return name.startswith(("jump", "leap", "handstand", "cartwheel", "swim", "lie", "rolled"))


def _frames_beyond_limits(human: Figure, motion: Motion, ends: tuple[Floats, Floats]) -> int:
    given = max((e for q in ends for e in limit_excess(human.skeleton, q).values()), default=0.0)
    worst = [max(limit_excess(human.skeleton, q).values(), default=0.0) for q in motion.q]
    return int((np.array(worst) > given + 0.01).sum())


def _pops(skeleton: Skeleton, motion: Motion, start: Floats, goal: Floats) -> tuple[float, float]:
    """The largest rotation of a joint in one frame, rad, of the motion and of the blend."""
    ends = np.array([0.0, motion.duration_s])
    blend = KeyBlend(skeleton, ends, np.array([start, goal]), ("smooth", "smooth"))
    times = np.arange(len(motion)) / motion.fps
    sizes: list[float] = []
    for q in (motion.q, blend.sample(times)):
        steps = np.zeros((len(q) - 1, skeleton.dof_count))
        for f in range(len(steps)):
            kinematics.difference(skeleton.tree, q[f], q[f + 1], steps[f])
        sizes.append(float(np.abs(steps * skeleton.tree.dof_turns).max()))
    return sizes[0], max(sizes[1], 1e-6)


def _clips(
    progress: Progress, human: Figure, folder: Path | None, characters: Path | None, maximum: int
) -> dict[str, Any] | None:
    if folder is None:
        return None
    bodies = {"human": human}
    for name in CHARACTERS:
        path = None if characters is None else characters / name
        if path is not None and path.is_file():
            bodies[name] = load_figure(path)
    files, off, worst = motion_files(folder)[:maximum], dict.fromkeys(bodies, 0), 0.0
    for number, path in enumerate(files):
        progress(number / len(files), f"feet on the floor: {path.name}")
        clip = load(path)
        for name, body in bodies.items():
            found = soles_on_floor(clip, body)
            largest = max(found.hover_m, found.sink_m)
            off[name] += largest > OFF_FLOOR_M
            worst = max(worst, largest)
    return {
        "clips": len(files),
        "off_floor": sum(off.values()),
        "off_floor_of_body": off,
        "worst_mm": round(1e3 * worst, 2),
    }


def _false_certified(
    progress: Progress, human: Figure, count: int, rng: np.random.Generator
) -> int:
    names, false = list(preset_names("basic")), 0
    for number in range(count):
        progress(number / count, "random scenes")
        scene = _random_scene(human, rng)
        poses = [_pose(str(n)) for n in rng.choice(names, 2)]
        for q in poses:
            q[[0, 2]] += rng.normal(scale=0.15, size=2)
        kind = ("still", "single key", "motion", "file")[number % 4]
        layout, table = scene.layout, scene.layout.table
        if kind in ("still", "single key"):
            q = layout.rest()[None].copy()
            q[0, layout.actor_q["human"]] = poses[0]
            report = certify(table, q if kind == "still" else np.repeat(q, 2, axis=0), FPS)
        else:
            keys = [Key(0.0, poses[0]), Key(0.5, poses[1])]
            result = animate(scene, keys, fps=FPS, options=AnimateOptions(plan=False))
            q, report = result.scene_motion.q, result.certificate
            if kind == "file":
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "motion.glb"
                    save(result.motion, path)
                    report = certify_file(path, scene=scene, actor="human").certificate
        if contact_status(report).state in (ContactState.CLEAR, ContactState.TOUCHING):
            finding = check(export_mechanism(table), export_motion(table.skeleton, q))
            false += finding.depth_m > CERTIFIED_M
    return false


def _random_scene(human: Figure, rng: np.random.Generator) -> Scene:
    """The human on the floor with up to three randomly placed boxes, which may overlap it."""
    floor = PoseSetting(human).layout.scene
    boxes = tuple(
        SceneObject(
            f"box{i}",
            (box(np.zeros(3), rng.uniform(0.05, 0.4, 3)),),
            position_m=np.array(
                [
                    *rng.normal(scale=0.5, size=1),
                    rng.uniform(0, 1.6),
                    *rng.normal(scale=0.5, size=1),
                ]
            ),
        )
        for i in range(int(rng.integers(0, 4)))
    )
    return replace(floor, actors=(Actor("human", human),), objects=(*floor.objects, *boxes))


def _between(human: Figure) -> dict[str, float]:
    """Milliseconds of the solve after a key changed: 120 frames, and the one at the playhead."""
    times, poses = np.array([0.0, 1.0]), np.array([_pose("stand"), _pose("squat")])
    world = figure_world(human, poses, None, True)
    pins = timed_pins(world, times, poses, ["left_ankle", "right_ankle"])
    body, frames = BodyModel(world), np.linspace(0.0, 1.0, 120)
    first: list[float] = []
    both: list[float] = []
    for _ in range(25):
        begin = time.perf_counter()
        window = InBetween(
            body, times, poses, ("smooth", "smooth"), pins, frames[60:61], AnimateOptions()
        )
        window.solve()
        first.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        whole = InBetween(body, times, poses, ("smooth", "smooth"), pins, frames, AnimateOptions())
        whole.solve()
        both.append(time.perf_counter() - begin)
    return {
        "first": round(1e3 * float(np.median(first[5:])), 2),
        "all": round(1e3 * float(np.median(both[5:])), 2),
    }
