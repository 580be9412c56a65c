"""`writhe db`: build, inspect, merge and query posture databases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.cli.progress import progress_bar
from writhe.database import PostureDatabase, posture_features
from writhe.errors import WritheError
from writhe.postures.build_database import DatabaseOptions, build_database, threshold_for
from writhe.postures.object_linking import ObjectLinking, find_object
from writhe.postures.object_tracks import read_object_tracks
from writhe.postures.pairs import build_pair_database
from writhe.skeleton.figures import figure

app = typer.Typer(
    no_args_is_help=True, epilog="Example: writhe db build clips/ -o postures.parquet"
)

Output = Annotated[Path, option("The .parquet file to write.", "--output", "-o")]


Keep = Annotated[int | None, option("Choose the threshold such that this many postures remain.")]


@app.command()
def build(
    folder: Annotated[Path, argument("A folder with .bvh, glTF or .npz files.")],
    output: Output,
    every: Annotated[int, option("Sample every n-th frame.", min=1)] = 5,
    threshold: Annotated[
        float, option("Sum of squared joint distances (m²) below which postures are merged.")
    ] = 0.1,
    keep: Keep = None,
    drop_penetrating: Annotated[
        bool, option("Drop penetrating postures instead of flagging them.")
    ] = False,
    object_: Annotated[
        str | None, option("Object in the clips: chair, ladder or SCENE.json:NAME.", "--object")
    ] = None,
    places: Annotated[
        Path | None, option("Its placements by clip [default: geometry.json in the folder].")
    ] = None,
    json: Json = False,
) -> None:
    """Build a posture database from a folder of motion files, retargeted to the human.

    An interrupted build resumes where it stopped. Unusable files are listed and skipped. With an
    object, the linking of the postures with its strands is recorded too.

    Example: `writhe db build mocap -o mocap.parquet --every 5 --keep 1400`

    Example: `writhe db build mocap/chair -o chair.parquet --object chair`
    """
    body = figure("human")
    if places is not None and object_ is None:
        raise WritheError("--places needs --object: the object that is placed")
    object_linking = None
    if object_ is not None:
        tracks = read_object_tracks(places or folder / "geometry.json")
        object_linking = ObjectLinking(body, find_object(object_), tracks)
    options = DatabaseOptions(every, threshold, keep, drop_penetrating)
    with progress_bar("Reading") as progress:
        report = build_database(folder, output, body, options, progress, object_linking)
    for name, reason in report.skipped.items():
        console.print(f"skipped {name}: {reason}", markup=False)
    if report.resumed:
        console.print(f"{report.resumed} files were already done by an interrupted build")
    summary = report.as_dict()
    console.print(
        f"{output}: {report.kept} of {report.postures} postures from"
        f" {report.files - len(report.skipped)} files, {report.penetrating} penetrating;"
        f" threshold {report.threshold_m2:.4f} m²; those left out are"
        f" {summary['left_out']['mean_cm']} cm from the nearest on average"
    )
    if json:
        print_json({"output": str(output), **summary})


@app.command()
def pairs(
    folder: Annotated[Path, argument("A folder with clips of two people.")],
    output: Output,
    listed: Annotated[
        Path | None,
        option(
            "CSV of clip,partner [default: manifest.csv in the folder or the one above].", "--pairs"
        ),
    ] = None,
    every: Annotated[int, option("Sample every n-th frame.", min=1)] = 5,
    threshold: Annotated[
        float, option("Sum of squared joint distances (m²) below which pairs are merged.")
    ] = 0.1,
    json: Json = False,
) -> None:
    """Build a database of two people from clips that were recorded together.

    Each clip and its partner have the same world frame, frame rate and number of frames. The result
    is for `writhe studio --pairs`.

    Example: `writhe db pairs mocap/pairs -o pairs.parquet`
    """
    with progress_bar("Reading") as progress:
        report = build_pair_database(
            folder,
            output,
            figure("human"),
            pairs=listed,
            every=every,
            threshold_m2=threshold,
            progress=progress,
        )
    for name, reason in report.skipped.items():
        console.print(f"skipped {name}: {reason}", markup=False)
    console.print(
        f"{output}: {report.kept} of {report.records} postures of two from {report.pairs} pairs of"
        " clips"
    )
    if json:
        print_json({"output": str(output), **report.as_dict()})


@app.command()
def info(
    file: Annotated[Path, argument("A posture database (.parquet).")],
    json: Json = False,
) -> None:
    """Show the contents of a posture database.

    Example: `writhe db info mocap.parquet`
    """
    database = _load(file)
    summary = _summary(database)
    table = Table("pair", "min", "max", title=f"{file.name}: {len(database)} postures")
    for pair, ends in summary["linking"].items():
        table.add_row(
            pair.replace("_", " ").replace(":", " - "), f"{ends['min']:+.3f}", f"{ends['max']:+.3f}"
        )
    console.print(table)
    console.print(
        f"{summary['clips']} clips, {summary['penetrating']} penetrating"
        + (f", with the object {summary['object']!r}" if summary["object"] else "")
    )
    if json:
        print_json({"file": str(file), **summary})


@app.command()
def merge(
    files: Annotated[list[Path], argument("Two or more posture databases.")],
    output: Output,
    threshold: Annotated[
        float, option("Filter the result by this threshold (m²); 0 keeps all.")
    ] = 0.0,
    keep: Keep = None,
    json: Json = False,
) -> None:
    """Merge posture databases of one figure and one object.

    Example: `writhe db merge a.parquet b.parquet -o both.parquet --threshold 0.1`
    """
    if len(files) < 2:
        raise WritheError("merge needs at least two databases")
    merged = _load(files[0])
    for path in files[1:]:
        merged = merged.merged(_load(path))
    total = len(merged)
    if keep is not None:
        threshold = threshold_for(merged, keep)
    if threshold > 0:
        merged = merged.filtered(threshold)
    merged.save(output)
    console.print(f"{output}: {len(merged)} of {total} postures")
    if json:
        print_json(
            {
                "output": str(output),
                "postures": total,
                "kept": len(merged),
                "threshold_m2": threshold,
            }
        )


@app.command()
def query(
    file: Annotated[Path, argument("A posture database (.parquet).")],
    pose: Annotated[str, option("The query posture: CLIP.bvh@FRAME.")],
    k: Annotated[int, option("Number of neighbours.", "-k", min=1)] = 5,
    radius: Annotated[float, option("Linking radius; doubled until k postures are found.")] = 0.25,
    json: Json = False,
) -> None:
    """Find the postures with similar linking that are nearest in joint angles.

    Databases with an object are searched by the body's own posture only, since the clip does not
    contain the object.

    Example: `writhe db query mocap.parquet --pose walk.bvh@120 -k 5`
    """
    from writhe.topology import linking_vector

    database = _load(file)
    q = _posture(pose)
    features = posture_features(database.figure.skeleton, q)[0]
    linking = linking_vector(database.figure, q)
    searched = np.hstack([linking, np.zeros(database.object_linking.shape[1])])
    reach = radius if database.object_linking.shape[1] == 0 else 1e9
    numbers, distances = database.search.query(features, searched, k, reach)
    table = Table("clip", "frame", "distance", "linking apart", title=f"Neighbours of {pose}")
    rows: list[dict[str, Any]] = []
    for number, distance in zip(numbers, distances, strict=True):
        apart = float(np.linalg.norm(database.linking[number] - linking))
        clip, frame = database.clip[int(number)], int(database.frame[number])
        table.add_row(clip, str(frame), f"{distance:.3f}", f"{apart:.3f}")
        rows.append(
            {
                "number": int(number),
                "clip": clip,
                "frame": frame,
                "distance": float(distance),
                "linking_apart": apart,
                "penetrating": bool(database.penetrating[number]),
            }
        )
    console.print(table)
    if json:
        print_json({"file": str(file), "pose": pose, "neighbours": rows})


def _load(file: Path) -> PostureDatabase:
    return PostureDatabase.load(file, figure("human"))


def _posture(pose: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(nq,) the posture CLIP@FRAME, retargeted to the human."""
    from writhe.io import load
    from writhe.retargeting.retarget import retarget

    clip, at, number = pose.rpartition("@")
    if not at or not number.isdigit():
        raise WritheError(f"--pose must be CLIP@FRAME, such as walk.bvh@120, not {pose!r}")
    motion = load(clip)
    if int(number) >= len(motion):
        raise WritheError(f"{clip} has frames 0 to {len(motion) - 1}, not {number}")
    return retarget(motion, figure("human")).q[int(number)]


def _summary(database: PostureDatabase) -> dict[str, Any]:
    from writhe.topology import pair_names

    linking = database.linking
    return {
        "postures": len(database),
        "figure": database.figure.name,
        "clips": len(set(database.clip)),
        "penetrating": int(database.penetrating.sum()),
        "object": database.object_name,
        "object_linking": int(database.object_linking.shape[1]),
        "linking": {
            pair: {"min": float(linking[:, i].min()), "max": float(linking[:, i].max())}
            for i, pair in enumerate(pair_names(database.figure))
        },
    }
