"""`writhe measure`: the linking of a clip's limbs over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.table import Table

from writhe.cli.options import Animation, Json, argument, option
from writhe.cli.output import console, print_json


def measure(
    clip: Annotated[Path, argument("A motion file, such as a BVH.")],
    animation: Animation = None,
    json: Json = False,
    csv: Annotated[
        Path | None, option("Write the linking at every frame to this file.", "--csv")
    ] = None,
    plot: Annotated[
        Path | None, option("Plot the linking over time (png, svg, pdf).", "--plot")
    ] = None,
) -> None:
    """Measure the linking between torso, arms and legs of a clip.

    The linking of two strands is their Gauss linking integral: 1 is one full link, and the sign
    distinguishes over from under. It is computed for every pair of strands at every frame.

    Example: `writhe measure dance.bvh --plot dance.png`
    """
    from writhe.io import figure_of, load
    from writhe.topology import measure_motion

    motion = load(clip, animation=animation)
    report = measure_motion(figure_of(motion), motion)
    table = Table("pair", "min", "max", "mean", "extreme at", title=f"Linking in {report.name}")
    for line in report.summaries():
        table.add_row(
            line.pair.replace("_", " ").replace(":", " - "),
            f"{line.minimum:+.3f}",
            f"{line.maximum:+.3f}",
            f"{line.mean:+.3f}",
            f"{line.extreme_time_s:.2f} s",
        )
    console.print(table)
    if csv:
        report.write_csv(csv)
    if plot:
        report.write_plot(plot)
    if json:
        print_json(report.as_dict())
