"""`writhe learn`: learn styles of movement from motion files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from writhe.cli.options import Json, argument, option
from writhe.cli.output import console, print_json
from writhe.skeleton.figures import figure, figure_names
from writhe.solvers.trajectory import CHAINS, Chain, OctreeOptions
from writhe.styles.learn_styles import learn_folder


def learn(
    folder: Annotated[Path, argument("Motion files; each sub-folder is a style.")],
    output: Annotated[Path, option("The .npz file to write.", "--output", "-o")],
    chain: Annotated[str, option("Chain to learn: " + ", ".join(CHAINS))] = "right_arm",
    to: Annotated[str, option("A built-in figure: " + ", ".join(figure_names()))] = ("human"),
    levels: Annotated[int, option("Levels of the octree.")] = 6,
    split_above: Annotated[int, option("Number of points above which a cell is split.")] = 20,
    epsilon: Annotated[float, option("Relaxation of the limits, radians.")] = 0.001,
    json: Json = False,
) -> None:
    """Learn joint limits and damping from clips, for `writhe.solvers.trajectory` and the studio.

    Example: `writhe learn clips --chain right_arm -o styles.npz`
    """
    options = OctreeOptions(split_above=split_above, levels=levels, epsilon_rad=epsilon)
    with console.status("Reading") as status:
        learnt = learn_folder(
            folder,
            Chain.named(figure(to), chain),
            options,
            lambda _share, name="": status.update(f"Reading {name}"),
        )
    learnt.forest.save(output)
    frames = sum(learnt.clips.values())
    console.print(f"{output}: {len(learnt.clips)} clips, {frames} frames, chain {chain}")
    for name, why in learnt.skipped.items():
        console.print(f"skipped {name}: {why}")
    styles = {
        style.name: {"clips": len(style.clips), "cells": [len(o) for o in style.octrees]}
        for style in learnt.forest.styles.values()
    }
    for name, about in styles.items():
        console.print(f"  {name}: {about['clips']} clips, cells {about['cells']}")
    if json:
        print_json(
            {"file": str(output), "chain": chain, "frames": frames, "styles": styles}
            | {"skipped": learnt.skipped}
        )
