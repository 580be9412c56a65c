"""`writhe refine`: time and smooth a segment of a motion as a whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from writhe.cli.commands.certify import show_certificate, verdict_text
from writhe.cli.options import Animation, Json, MotionFile, OutputFile, Strip, option
from writhe.cli.output import console, print_json
from writhe.errors import WritheError

if TYPE_CHECKING:
    from writhe.planning.spacetime import Held
    from writhe.skeleton import Figure, Motion

_RANGE = re.compile(r"^(?P<names>.+?)(?:@(?P<first>\d+)-(?P<last>\d+))?$")


def refine(
    file: MotionFile,
    output: OutputFile,
    first: Annotated[int, option("First frame of the segment.", "--from")] = 0,
    last: Annotated[int, option("Last frame (negative: from the end).", "--to")] = -1,
    waypoint: Annotated[
        list[int] | None, option("A frame that is kept exactly; may be repeated.")
    ] = None,
    profile: Annotated[
        str, option("Speed between waypoints: bell, uniform, or keep the timing.")
    ] = "bell",
    duration: Annotated[float | None, option("New duration of the segment in seconds.")] = None,
    pin: Annotated[
        list[str] | None,
        option(
            "A joint held where it is, JOINT or JOINT@FIRST-LAST; may be repeated. Default: "
            "the feet where they stand."
        ),
    ] = None,
    slide: Annotated[
        list[str] | None,
        option(
            "A joint that slides along another from where it is at the first of two frames "
            "to where it is at the last: left_wrist:left_hip@10-40; may be repeated."
        ),
    ] = None,
    animation: Animation = None,
    strip: Strip = None,
    json: Json = False,
) -> None:
    """Time and smooth a segment of a motion as a whole: stage two of the planning paper.

    All frames are optimised at once: bell-shaped speed between the waypoints, steady angular
    momentum, pins and slides kept, joint limits, clearance. The file is certified again.

    Exit code 0: the file is certified; 1: it is not; 2: bad input.

    Example: `writhe refine plan.bvh -o smooth.bvh --duration 2 --strip before-after.png`
    """
    from writhe.animation.refine_motion import refine_motion
    from writhe.io import figure_of, load, load_figure, save
    from writhe.io.files import GLTF
    from writhe.scene import certify_file

    motion = load(file, animation=animation)
    if file.suffix.lower() in GLTF:
        figure = load_figure(file, animation=animation)
    else:
        figure = figure_of(motion, partial=True)
    found = refine_motion(
        figure,
        motion,
        first=first,
        last=last,
        waypoints=tuple(waypoint or ()),
        profile=profile,
        duration_s=duration,
        held=_held(figure, motion, pin or [], slide or []),
    )
    save(found.motion, output, figure=figure if figure.skin is not None else None)
    stored = certify_file(output, figure=figure)
    proof = stored.certificate
    if not proof.certified:
        show_certificate(proof, stored.table)
    if strip is not None:
        from writhe.render.pictures import before_after

        before_after(figure, found.timed, found.refined.motion, strip)
        console.print(f"{strip}: timed, and refined below")
    drop = 100.0 * found.refined.angular_energy_drop
    console.print(
        f"{verdict_text(proof)}: {output}, {len(found.motion)} frames; changes of angular momentum"
        f" {drop:.0f} % less, {len(found.held)} held within {1e3 * found.refined.slip_m:.1f} mm,"
        f" {found.refined.seconds:.1f} s"
    )
    if json:
        print_json(
            {
                **found.as_dict(),
                "output": str(output),
                "file_certified": proof.certified,
                "file_verdict": proof.verdict.value,
            }
        )
    raise typer.Exit(0 if proof.certified else 1)


def _held(
    figure: Figure, motion: Motion, pins: list[str], slides: list[str]
) -> tuple[Held, ...] | None:
    """Pins and slides as given; None if there are none, for the feet that stand."""
    from writhe.animation.refine_motion import standing_feet
    from writhe.planning.spacetime import FramePin, FrameSlide
    from writhe.solvers.posing import pin_here

    if not pins and not slides:
        return None
    out: list[Held] = []
    for text in pins:
        joint, first, last = _parsed(text, motion)
        out.append(FramePin(pin_here(motion.skeleton, motion.q[first], joint), first, last))
    for text in slides:
        names, first, last = _parsed(text, motion)
        joint, _, on = names.partition(":")
        if not on:
            raise WritheError(f"a slide is JOINT:OTHER@FIRST-LAST, not {text!r}")
        for name in (joint, on):
            motion.skeleton.index(name)
        out.append(FrameSlide.along_contact(motion.skeleton, motion.q, joint, on, first, last))
    return tuple(out) if pins else (*standing_feet(figure, motion), *out)


def _parsed(text: str, motion: Motion) -> tuple[str, int, int]:
    found = _RANGE.match(text)
    if found is None:
        raise WritheError(f"a held joint is JOINT or JOINT@FIRST-LAST, not {text!r}")
    first = int(found["first"] or 0)
    last = int(found["last"] or len(motion) - 1)
    if not 0 <= first < last < len(motion):
        raise WritheError(f"{text!r}: frames must lie from 0 to {len(motion) - 1}")
    return found["names"], first, last
