"""`writhe animate`: from keys and pins to a motion that keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from writhe.cli.commands.certify import show_certificate, verdict_text
from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json


def animate(
    keys: Annotated[Path, argument("A JSON key file.")],
    output: Annotated[Path, option("The .bvh or .glb file to write.", "--output", "-o")] = Path(
        "animation.bvh"
    ),
    plan: Annotated[bool, option("Where the blend is blocked, search for a path around.")] = True,
    json: Json = False,
) -> None:
    """Turn keys into a motion: pins hold at every frame, no part passes through another.

    The written file is certified, under the interpolations that programs use for its format.

    Exit code 0: everything is kept and the file is certified; 1: some constraints contradict each
    other (they are listed), or the file is not certified; 2: bad input.

    Example: `writhe animate keys.json -o sit.bvh --json`
    """
    from writhe.animation import AnimateOptions, AnimationStatus, load_keys
    from writhe.io import save
    from writhe.scene import Scene, certify_file

    given = load_keys(keys)
    found = given.animate(AnimateOptions(plan=plan))
    save(found.motion, output, figure=given.figure)
    scene = given.subject if isinstance(given.subject, Scene) else None
    stored = certify_file(
        output,
        scene=scene,
        actor=given.actor,
        figure=given.figure,
        start_s=given.keys[0].time_s,
    )
    for key in found.moved_keys:
        console.print(
            f"the key at {key.time_s:.2f} s was moved by up to {1e3 * key.distance_m:.0f} mm to fit"
            " its pins"
        )
    for start, end in found.planned:
        console.print(f"{start:.2f} to {end:.2f} s: the motion goes around")
    for conflict in found.conflicts:
        console.print(f"[red]{conflict.text()}[/]")
    kept = found.status is AnimationStatus.DONE and stored.certificate.certified
    if not stored.certificate.certified:
        show_certificate(stored.certificate, stored.table)
    console.print(
        f"{verdict_text(stored.certificate)}: {output}, {len(found.motion)} frames,"
        f" pins within {1e3 * found.pin_error_m:.2f} mm, {found.seconds:.2f} s"
    )
    if json:
        print_json(
            {
                **found.as_dict(),
                "output": str(output),
                "file_certified": stored.certificate.certified,
                "file_verdict": stored.certificate.verdict.value,
            }
        )
    raise typer.Exit(0 if kept else 1)
