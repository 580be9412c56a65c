"""`writhe tune`: tune a posing method by leave-out reconstruction."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.table import Table

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json


def tune(
    method: Annotated[str, argument("paper, local-pca or default.")] = "paper",
    database: Annotated[
        Path | None, option("A posture database instead of the built-in one.")
    ] = None,
    postures: Annotated[int, option("Number of postures to hold out.", min=1)] = 40,
    max_ms: Annotated[float, option("Time limit per frame (milliseconds).", "--most-ms")] = 33.0,
    rounds: Annotated[int, option("Largest number of rounds over all parameters.", min=1)] = 3,
    seed: Annotated[int, option("Random seed of the held-out postures.")] = 0,
    json: Json = False,
) -> None:
    """Tune the size of the neighbourhood, the dimensions and the iterations of a posing method.

    Random postures are held out of the database and reconstructed from their hands, feet and head.
    Parameters are changed one by one while that reduces the error and a frame stays within the time
    limit (section 8 of "Topology aware data-driven inverse kinematics").

    Example: `writhe tune paper --database mocap.parquet --json`
    """
    from writhe.database import PostureDatabase
    from writhe.postures.builtin import builtin_database
    from writhe.research.evaluation.tuning import tune as run
    from writhe.skeleton.figures import figure

    known = (
        builtin_database()
        if database is None
        else (PostureDatabase.load(database, figure("human")))
    )
    with console.status("Tuning") as status:
        found = run(
            method,
            known,
            count=postures,
            max_ms=max_ms,
            max_rounds=rounds,
            seed=seed,
            progress=lambda _share, what="": status.update(f"Trying {what}"),
        )
    names = list(found.start.values)
    table = Table(*names, "joint error (cm)", "ms a frame", title=f"writhe tune {method}")
    for trial in found.trials:
        mark = "bold" if trial is found.best else None
        numbers = [f"{trial.values[name]:g}" for name in names]
        table.add_row(*numbers, f"{trial.error_cm:.2f}", f"{trial.frame_ms:.2f}", style=mark)
    console.print(table)
    if json:
        print_json(
            {
                "method": method,
                "postures": len(known),
                "left_out": postures,
                "rounds": found.rounds,
                "start": found.start.as_dict(),
                "best": found.best.as_dict(),
                "trials": [trial.as_dict() for trial in found.trials],
            }
        )
