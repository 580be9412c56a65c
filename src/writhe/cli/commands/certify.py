"""`writhe certify`: check a motion for penetration and pass-throughs."""

from __future__ import annotations

from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from writhe.cli.options import Animation, Json, SkipJointZones, argument, option
from writhe.cli.output import console, print_json

if TYPE_CHECKING:
    from writhe.collision import Certificate, CollisionTable

SHOWN = 10


def certify(
    file: Annotated[Path, argument("A motion: .bvh, glTF, .vrm, .npz, .fbx, USD.")],
    animation: Animation = None,
    scene: Annotated[Path | None, option("A JSON scene with other actors and objects.")] = None,
    actor: Annotated[str | None, option("The actor that moves (default: the first).")] = None,
    interpolation: Annotated[
        str | None, option("slerp, euler or both (default: both for BVH, else slerp).")
    ] = None,
    skip_joint_zones: SkipJointZones = False,
    skin: Annotated[
        bool, option("Measure the skin too: how often and how deep it penetrates.")
    ] = False,
    json: Json = False,
) -> None:
    """Check whether body parts penetrate each other or objects, between frames too.

    Exit code 0: certified; 1: anything else (improving, penetrating, passes through, undecided);
    2: bad input.

    Example: `writhe certify walk.bvh --scene room.json`
    """
    from dataclasses import replace

    from writhe.collision import ContactPolicy
    from writhe.scene import Scene, certify_file

    loaded = None if scene is None else Scene.load(scene)
    if loaded is not None and skip_joint_zones:
        loaded = replace(loaded, policy=replace(loaded.policy, skip_joint_zones=True))
    policy = ContactPolicy(skip_joint_zones=skip_joint_zones)
    found = certify_file(
        file,
        scene=loaded,
        actor=actor,
        interpolation=interpolation,
        policy=policy,
        animation=animation,
    )
    show_certificate(found.certificate, found.table)
    names: list[str] = found.motion.source.get("animations", [])
    left_out: dict[str, str | int] = {}
    if len(names) > 1:
        left_out = {"animation": found.motion.source["animation"], "animations": len(names)}
        console.print(
            f"[yellow]one of {len(names)} animations: {left_out['animation']!r}; the others are"
            " not certified by this (--animation NAME)[/]"
        )
    others = int(found.motion.source.get("other_meshes", 0))
    if others and loaded is None:
        left_out["untested_objects"] = others
        console.print(
            f"[yellow]{others} other object{'s' if others > 1 else ''} in the file"
            f" {'are' if others > 1 else 'is'} not tested: certify it with --scene[/]"
        )
    report = None
    if skin:
        from writhe.research.evaluation.skin.report import figure_with_skin, skin_report

        chosen = None
        if loaded is not None:
            chosen = (loaded.actor(actor) if actor else loaded.actors[0]).figure
        report = skin_report(figure_with_skin(file, found.motion, chosen), found.motion)
        console.print(
            f"skin over 1 cm deep: {report.apart_percent:.1f} % of the frames (deepest"
            f" {100 * report.apart_m:.1f} cm); parts two joints apart, creases included:"
            f" {report.two_joints_percent:.1f} % (deepest {100 * report.two_joints_m:.1f} cm)"
        )
    if json:
        print_json(
            found.certificate.as_dict()
            | left_out
            | ({} if report is None else {"skin": report.as_dict()})
        )
    raise typer.Exit(0 if found.certificate.certified else 1)


def verdict_text(result: Certificate) -> str:
    """The verdict in colour, with the depths of an improving motion."""
    from writhe.collision import Verdict

    text = f"[{'green' if result.certified else 'red'}]{result.verdict}[/]"
    if result.verdict is Verdict.IMPROVING:
        text += (
            f" (starts {1e3 * result.start_depth_m:.1f} mm deep,"
            f" ends {1e3 * result.end_depth_m:.1f} mm deep, never gets deeper; not certified)"
        )
    return text


def show_certificate(result: Certificate, table: CollisionTable) -> None:
    """Print a certificate with its deep overlaps and nearest pairs."""
    from writhe.collision.certificate_slack import SLACK_M

    console.print(
        f"{verdict_text(result)}: {result.frames} frames, {result.interpolation},"
        f" {result.seconds:.2f} s"
    )
    deepest = result.penetration_witnessed_m, result.penetration_upper_bound_m
    if deepest[1] > 0 and result.certified:
        console.print(
            f"touching: at most {1e3 * deepest[1]:.1f} mm deeper than the allowances (the tolerance"
            f" is {1e3 * SLACK_M:.0f} mm)"
        )
    elif deepest[1] > 0:
        console.print(f"penetration {1e3 * deepest[0]:.1f} mm (at most {1e3 * deepest[1]:.1f} mm)")
    elif result.min_clearance_m is not None:
        console.print(f"smallest clearance {1e3 * result.min_clearance_m:.1f} mm")
    for folded in result.folded_joints:
        console.print(
            f"[red]{folded.joint} is bent by {degrees(folded.bend_rad):.0f} degrees[/] at"
            f" {folded.time_s:.2f} s: beyond {degrees(folded.limit_rad):.0f} degrees the skin folds"
            " into itself"
        )
    if result.undecided:
        console.print(f"[red]{result.undecided} intervals undecided[/]")
    if result.jumps:
        console.print(f"{result.jumps} jumps, at which the pose changes without motion")
    deep = [rule for rule in table.rules if rule.too_deep_at_rest]
    if deep:
        names = ", ".join(f"{rule.a} and {rule.b}" for rule in deep[:4])
        console.print(
            f"[yellow]{len(deep)} pairs of adjacent parts overlap more at rest than is allowed"
            f"[/] ({names}{', ...' if len(deep) > 4 else ''}): see --skip-joint-zones"
        )
    if len(table.pairs.a) == 0:
        console.print("[yellow]nothing is tested: no two parts can collide with each other[/]")
    if result.untested_pairs:
        console.print(f"[yellow]{result.untested_pairs} shape pairs at joints are not tested[/]")
    if result.deep_overlaps:
        shown = Table("time (s)", "part", "part", "deepest (mm)", "")
        for event in sorted(result.deep_overlaps, key=lambda e: not e.pass_through)[:SHOWN]:
            shown.add_row(
                f"{event.interval_s[0]:.2f} to {event.interval_s[1]:.2f}",
                event.a,
                event.b,
                f"{1e3 * event.depth_m:.0f}",
                "passes through" if event.pass_through else "deep overlap",
            )
        console.print(shown)
        if len(result.deep_overlaps) > SHOWN:
            console.print(f"... {len(result.deep_overlaps)} deep overlaps in all")
    worst = [row for row in result.worst_pairs if row.clearance_m < 0.02][:SHOWN]
    if worst:
        shown = Table("part", "part", "clearance (mm)", "allowance (mm)", "time (s)", "")
        for row in worst:
            shown.add_row(
                row.a,
                row.b,
                f"{1e3 * row.clearance_m:.1f}",
                f"{1e3 * row.allowance_m:.1f}",
                f"{row.time_s:.2f}",
                ("from the start" if row.started_in_violation else "violates")
                if row.violates
                else "",
            )
        console.print(shown)
