"""`writhe certify`: check a motion for penetration and pass-throughs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from writhe.cli.output import console, print_json
from writhe.errors import WritheError

if TYPE_CHECKING:
    from writhe.collision import Certificate, CollisionTable
    from writhe.collision.certify import EulerChannels
    from writhe.skeleton import Motion

SHOWN = 10


def certify(
    file: Annotated[Path, typer.Argument(help="A motion: .bvh, .glb, .npz.", show_default=False)],
    scene: Annotated[
        Path | None,
        typer.Option(help="A JSON scene with other actors and objects.", show_default=False),
    ] = None,
    actor: Annotated[
        str | None,
        typer.Option(help="The actor that moves (default: the first).", show_default=False),
    ] = None,
    interpolation: Annotated[
        str | None,
        typer.Option(
            help="slerp, euler or both (default: both for BVH, else slerp).", show_default=False
        ),
    ] = None,
    skip_joint_zones: Annotated[
        bool,
        typer.Option(help="Ignore shapes of adjacent parts that overlap deeply at rest."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check whether body parts penetrate each other or objects, between frames too.

    Exit code 0: certified; 1: not certified; 2: bad input.

    Example: `writhe certify walk.bvh --scene room.json`
    """
    result, table = certify_file(file, scene, actor, interpolation, skip_joint_zones)
    _show(result, table)
    if json:
        print_json(result.as_dict())
    raise typer.Exit(0 if result.certified else 1)


def certify_file(
    file: Path,
    scene: Path | None = None,
    actor: str | None = None,
    interpolation: str | None = None,
    skip_joint_zones: bool = False,
) -> tuple[Certificate, CollisionTable]:
    """The certificate of a file as readers interpolate it, and the collision table."""
    from writhe.collision import certify as certify_motion

    table, motion, channels = _read(file, scene, actor, interpolation, skip_joint_zones)
    chosen = interpolation or ("both" if channels is not None else "slerp")
    return certify_motion(table, motion.q, motion.fps, chosen, channels), table


def _read(
    file: Path, scene_file: Path | None, actor: str | None, interpolation: str | None, skip: bool
) -> tuple[CollisionTable, Motion, EulerChannels | None]:
    from dataclasses import replace

    from writhe.collision import CollisionTable, ContactPolicy
    from writhe.collision.stored_channels import channels_in_scene, stored_channels
    from writhe.io import figure_of, load
    from writhe.scene import Scene

    motion = load(file)
    channels = None
    if interpolation in (None, "euler", "both") and motion.source.get("format") == "bvh":
        channels = stored_channels(file, motion)
    if scene_file is None:
        figure = figure_of(motion, partial=True)
        if not figure.capsules:
            raise WritheError(f"{file}: no collision shapes could be fitted to its skeleton")
        policy = ContactPolicy(skip_joint_zones=skip)
        return CollisionTable.of_figure(figure, policy), motion, channels
    scene = Scene.load(scene_file)
    if not scene.actors:
        raise WritheError(f"{scene_file} has no actor")
    chosen = scene.actor(actor) if actor else scene.actors[0]
    layout = replace(scene, policy=replace(scene.policy, skip_joint_zones=skip)).layout
    whole = layout.motion({chosen.name: motion})
    if channels is not None:
        channels = channels_in_scene(channels, motion.skeleton, layout.skeleton, chosen.name)
    return layout.table, whole, channels


def _show(result: Certificate, table: CollisionTable) -> None:
    verdict = "[green]certified[/]" if result.certified else "[red]not certified[/]"
    console.print(
        f"{verdict}: {result.frames} frames, {result.interpolation}, {result.seconds:.2f} s"
    )
    deepest = result.penetration_witnessed_m, result.penetration_upper_bound_m
    if deepest[1] > 0:
        console.print(f"penetration {1e3 * deepest[0]:.1f} mm (at most {1e3 * deepest[1]:.1f} mm)")
    elif result.min_clearance_m is not None:
        console.print(f"smallest clearance {1e3 * result.min_clearance_m:.1f} mm")
    if result.undecided:
        console.print(f"[red]{result.undecided} intervals undecided[/]")
    capped = [rule for rule in table.rules if rule.capped]
    if capped:
        names = ", ".join(f"{rule.a} and {rule.b}" for rule in capped[:4])
        console.print(
            f"[yellow]{len(capped)} pairs of adjacent parts overlap more at rest than is allowed"
            f"[/] ({names}{', ...' if len(capped) > 4 else ''}): see --skip-joint-zones"
        )
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
            state = "from the start" if row.started_in_violation else ""
            shown.add_row(
                row.a,
                row.b,
                f"{1e3 * row.clearance_m:.1f}",
                f"{1e3 * row.allowance_m:.1f}",
                f"{row.time_s:.2f}",
                "violates" if row.violates else state,
            )
        console.print(shown)
