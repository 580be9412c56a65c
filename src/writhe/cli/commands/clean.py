"""`writhe clean`: remove the penetrations of a clip."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from writhe.cli.commands.certify import verdict_text
from writhe.cli.options import Animation, Json, MotionFile, OutputFile, Strip, option
from writhe.cli.output import console, print_json
from writhe.cli.progress import progress_bar


def clean(
    file: MotionFile,
    output: OutputFile,
    on: Annotated[
        str | None,
        option(
            "Clean it on this body: human, or a character's file. Default: the character of "
            "the file if it has a mesh, else the human."
        ),
    ] = None,
    animation: Animation = None,
    strip: Strip = None,
    json: Json = False,
) -> None:
    """Remove penetrations from a clip, preserving style and foot contacts, and certify the result.

    The motion is cleaned on its own character if the file has one, and written into that file's
    animations with everything else unchanged; else it is retargeted to the built-in human.
    A .bvh file is certified under both interpolations that programs use: slerp, and linear in the
    Euler angles. Where the latter penetrates, the frames around it are adjusted, and frames are
    added if that is not enough.

    Exit code 0: the result is certified; 1: it is not; 2: bad input.

    Example: `writhe clean fight.bvh -o clean.bvh --strip before-after.png`
    """
    from writhe.cleaning.clean_file import clean_file
    from writhe.io import load_figure
    from writhe.skeleton.figures import figure, figure_names

    chosen = None
    if on is not None:
        chosen = figure(on) if on in figure_names() else load_figure(on)
    start = time.perf_counter()
    with progress_bar("Cleaning") as progress:
        found = clean_file(file, output, body=chosen, animation=animation, progress=progress)
    seconds = time.perf_counter() - start
    body, motion, cleaned = found.body, found.motion, found.cleaned
    written, after = found.written, found.certificate
    if strip is not None:
        from writhe.render import before_after

        before_after(body, motion, cleaned.motion, strip)
    before = cleaned.before
    console.print(f"cleaned on {body.name}")
    console.print(
        f"{file.name}: {len(motion)} frames in {seconds:.1f} s; penetration "
        f"{1000 * before.penetration_upper_bound_m:.1f} mm before, "
        f"{1000 * after.penetration_upper_bound_m:.1f} mm after; pass-throughs "
        f"{len(before.pass_throughs)} before, {len(after.pass_throughs)} after; joints moved "
        f"{1000 * cleaned.mean_displacement_m:.1f} mm on average, "
        f"{1000 * cleaned.max_displacement_m:.0f} mm at most; largest leap "
        f"{1000 * cleaned.leaps.beyond_largest_m:.0f} mm beyond the source's own; "
        f"{verdict_text(after)}"
        + (f"; written at {written.fps:g} frames a second" if written.fps != motion.fps else "")
    )
    if json:
        print_json(
            {
                "figure": body.name,
                "frames": len(motion),
                "frames_written": len(written),
                "seconds": round(seconds, 3),
                "mean_displacement_m": cleaned.mean_displacement_m,
                "max_displacement_m": cleaned.max_displacement_m,
                "largest_leap_m": cleaned.largest_leap_m,
                "leaps": cleaned.leaps.as_dict(),
                "changed_frames": cleaned.changed_frames,
                "before": before.as_dict(),
                "after": after.as_dict(),
            }
        )
    raise typer.Exit(0 if after.certified else 1)
