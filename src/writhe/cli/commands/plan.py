"""`writhe plan`: plan a motion without penetration between two postures of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from writhe.cli.commands.certify import show_certificate, verdict_text
from writhe.cli.options import Animation, Json, SkipJointZones, argument, option
from writhe.cli.output import console, print_json
from writhe.errors import WritheError

if TYPE_CHECKING:
    from writhe.arrays import Floats
    from writhe.collision import CollisionTable
    from writhe.planning import Plan
    from writhe.scene import CertifiedFile, Scene
    from writhe.skeleton import Figure, Motion, Skeleton

REST = "rest"


def plan(
    postures: Annotated[
        list[str] | None,
        argument("Two postures, FILE@FRAME each (frames count from 0).", metavar="A B"),
    ] = None,
    start: Annotated[
        str | None, option("The first posture: FILE@FRAME, or rest.", "--from")
    ] = None,
    goal: Annotated[str | None, option("The last posture: FILE@FRAME, or rest.", "--to")] = None,
    output: Annotated[Path, option("The .bvh or glTF file to write.", "--output", "-o")] = Path(
        "plan.bvh"
    ),
    animation: Animation = None,
    plant: Annotated[
        list[str] | None,
        option(
            "A joint that keeps its position; may be repeated. Default: the feet that both"
            " postures share."
        ),
    ] = None,
    support: Annotated[
        bool,
        option(
            "Without --plant, plant the feet that both postures share, and step where feet stand"
            " elsewhere; without --scene, put a floor under postures that stand at one height."
        ),
    ] = True,
    in_turn: Annotated[str, option("Limbs that move one after the other, such as legs,arms.")] = "",
    duration: Annotated[float | None, option("Duration of the path in seconds.")] = None,
    fps: Annotated[float | None, option("Frames per second (default: the file's).")] = None,
    falloff: Annotated[
        int, option("Falloff exponent of the energy: 2 keeps large distances, 5 small ones.")
    ] = 5,
    method: Annotated[str, option("default, paper, rrtconnect, ...")] = "default",
    scene: Annotated[Path | None, option("A JSON scene: the floor and other objects.")] = None,
    actor: Annotated[str | None, option("The actor that moves (default: the first).")] = None,
    lead_in: Annotated[bool, option("Append the clip of the last posture to the path.")] = False,
    fallback: Annotated[bool, option("Use RRTConnect if no path is found (extra ompl).")] = False,
    skip_joint_zones: SkipJointZones = False,
    json: Json = False,
) -> None:
    """Plan a certified motion between two postures, such as a rest pose and a clip's first frame.

    The written file, including the clip after a lead-in, is certified under the interpolations of
    common programs.

    Exit code 0: a certified file was written; 1: no path was found, or the file is not certified;
    2: bad input.

    Example: `writhe plan --from rest --to clip.bvh@0 --lead-in -o sim-ready.bvh`
    """
    from writhe.planning import EnergyOptions, PlanOptions, Timing, to_motion
    from writhe.planning import plan as plan_path

    first, last = _ends(postures or [], start, goal)
    figure, clip, rows, rate = _read(first, last, animation)
    world, actor_name = _scene(scene, actor, figure, skip_joint_zones)
    found = plan_path(
        figure if world is None else world,
        *rows,
        actor=None if world is None else actor_name,
        planted=tuple(plant or ()) if plant or not support else None,
        floor=support,
        clear_ends=True,
        method=method,
        options=PlanOptions(energy=EnergyOptions(falloff=falloff), fallback=fallback),
        table=_table(figure, skip_joint_zones) if world is None else None,
    )
    for note in found.notes:
        console.print(f"[yellow]{note}[/]")
    result = {**found.as_dict(), "output": None, "verdict": None}
    certified, verdict = False, f"[red]{found.status.value}[/]"
    if found.solved:
        timing = Timing(
            duration_s=duration,
            fps=fps or rate,
            in_turn=tuple(name for name in in_turn.split(",") if name),
        )
        motion = to_motion(found, timing)
        summary, stored = _write(
            motion, found, world, actor_name, figure, clip if lead_in else None, last, output
        )
        result |= summary
        certified, verdict = stored.certificate.certified, verdict_text(stored.certificate)
        if not certified:
            show_certificate(stored.certificate, stored.table)
    console.print(f"{verdict}: {found.length_rad:.2f} rad in {1e3 * found.seconds:.0f} ms")
    if json:
        print_json(result)
    raise typer.Exit(0 if certified else 1)


def _ends(postures: list[str], start: str | None, goal: str | None) -> tuple[str, str]:
    given = [*([start] if start else []), *postures, *([goal] if goal else [])]
    if len(given) != 2:
        raise WritheError(
            "give two postures: `writhe plan A.bvh@12 B.bvh@40`, or --from rest --to clip.bvh@0"
        )
    if given == [REST, REST]:
        raise WritheError("one of the two postures must come from a file: FILE@FRAME")
    return given[0], given[1]


def _read(
    first: str, last: str, animation: str | None
) -> tuple[Figure, Motion, list[Floats], float]:
    """The figure, the clip of the last (or only) file, both postures (nq) and the frame rate."""
    from writhe.io import load, load_figure
    from writhe.skeleton.configurations import same_frames

    motions: dict[str, Motion] = {}
    rows: list[Floats | None] = []
    for text in (first, last):
        if text == REST:
            rows.append(None)
            continue
        name, _, number = text.rpartition("@")
        if not name or not number.lstrip("-").isdigit():
            raise WritheError(
                f"a posture must be FILE@FRAME, for example walk.bvh@12, not {text!r}"
            )
        if name not in motions:
            motions[name] = load(name, animation=animation)
        motion, frame = motions[name], int(number)
        if not -len(motion) <= frame < len(motion):
            raise WritheError(f"{name} has frames 0 to {len(motion) - 1}, not {frame}")
        rows.append(motion.q[frame].copy())
    clip = motions[(last if last != REST else first).rpartition("@")[0]]
    for name, motion in motions.items():
        if not same_frames(motion.skeleton, clip.skeleton):  # bone lengths may differ
            raise WritheError(
                f"{name} has another skeleton than {clip.name!r}: retarget one of them first"
            )
    file = Path((last if last != REST else first).rpartition("@")[0])
    figure = load_figure(file, animation=animation)
    if not figure.capsules:
        raise WritheError(f"no collision shapes could be fitted to the skeleton of {clip.name!r}")
    return (
        figure,
        clip,
        [
            r if r is not None else _rest(clip.skeleton, other)
            for r, other in zip(rows, reversed(rows), strict=True)
        ],
        clip.fps,
    )


def _scene(
    path: Path | None, actor: str | None, figure: Figure, skip_joint_zones: bool
) -> tuple[Scene | None, str]:
    if path is None:
        if actor:
            raise WritheError(f"the actor {actor!r} needs the scene that it is in: give --scene")
        return None, ""
    from dataclasses import replace

    from writhe.scene import Scene

    scene = Scene.load(path)
    if not scene.actors:
        raise WritheError(f"{path} has no actor")
    chosen = scene.actor(actor) if actor else scene.actors[0]
    actors = tuple(replace(a, figure=figure) if a.name == chosen.name else a for a in scene.actors)
    policy = replace(scene.policy, skip_joint_zones=skip_joint_zones)
    return replace(scene, actors=actors, policy=policy), chosen.name


def _rest(skeleton: Skeleton, other: Floats | None) -> Floats:
    from writhe.skeleton.move_root import rest_at

    return skeleton.rest_configuration if other is None else rest_at(skeleton, other)


def _table(figure: Figure, skip_joint_zones: bool) -> CollisionTable:
    from writhe.collision import CollisionTable, ContactPolicy

    return CollisionTable.of_figure(figure, ContactPolicy(skip_joint_zones=skip_joint_zones))


def _write(
    motion: Motion,
    found: Plan,
    scene: Scene | None,
    actor_name: str,
    figure: Figure,
    clip: Motion | None,
    last: str,
    output: Path,
) -> tuple[dict[str, Any], CertifiedFile]:
    """Write the motion, followed by the rest of the clip if given, and certify the file."""
    from dataclasses import replace

    import numpy as np

    from writhe.io import save
    from writhe.planning.timing import lead_in
    from writhe.scene import certify_file

    q = motion.q if scene is None else motion.q[:, scene.layout.actor_q[actor_name]]
    # the path becomes a new animation of its character and replaces none
    source = {} if clip is None else {k: v for k, v in clip.source.items() if k != "animation"}
    written = replace(motion, skeleton=figure.skeleton, q=np.ascontiguousarray(q), source=source)
    frames = len(written)
    if clip is not None:
        written = lead_in(written, clip, int(last.rpartition("@")[2]))
    save(written, output, figure=figure if figure.skin is not None else None)
    stored = certify_file(
        output, scene=scene, actor=actor_name, policy=found.problem.table.policy, figure=figure
    )
    proof = stored.certificate
    console.print(
        f"{output}: {len(written)} frames at {written.fps:g} a second, {frames} of them the path"
    )
    return {
        "output": str(output),
        "frames": len(written),
        "path_frames": frames,
        "fps": written.fps,
        "certified": proof.certified,
        "verdict": proof.verdict.value,
        "penetration_m": proof.penetration_upper_bound_m,
        "pass_throughs": len(proof.pass_throughs),
    }, stored
