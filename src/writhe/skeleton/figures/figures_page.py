"""Generates the documentation page of the built-in figures."""

from __future__ import annotations

import re
from itertools import groupby

import numpy as np

from writhe.skeleton.figure import Figure
from writhe.skeleton.figures import figure, figure_names
from writhe.skeleton.joint import Joint, JointKind

_INTRO = """# The built-in figures

Written by `tools/write_figures_page.py`; run it after changing a figure.

`figure("human")`, `figure("human_with_fingers")`, `figure("hand")` and `figure("octopus")` return a
figure: a skeleton with collision capsules, a closed skin and named strands. All are in metres, Y
up, facing +Z.

The tables list the joints. The columns q and v are the indices of a joint in a configuration and
in a tangent step. Limits are in degrees. A hinge has one interval. A ball joint has an interval for
its twist, and intervals about the y and z axes of its limit frame, which are the half-axes of its
swing ellipse (see `writhe.kernels.skeleton.joint_limits`). The limits of the human are those of the
profile `everyday`, the default; `figure("human", profile="athletic")` or `"contortionist"` widens
them.

The modules `writhe.skeleton.figures.human_*`, `hand` and `octopus` cite the sources of sizes,
masses and ranges.
"""
_WORDS = {
    "hand": "A right hand, palm down, with the thumb towards +X.",
    "human": "An adult of 1.75 m and 73 kg in a T-pose.",
    "human_with_fingers": "The human with movable fingers; see [hands](hands.md).",
    "octopus": "Eight arms (strands `leg1` to `leg8`) of twelve segments each around a body.",
}


def dof_table(body: Figure) -> list[str]:
    """A Markdown table of the joints: kind, degrees of freedom, indices in q and v, limits.

    Consecutive joints of one chain with the same kind and limits share a row.
    """
    lines = [
        "| joints | kind | degrees of freedom | q | v | limits |",
        "|---|---|---|---|---|---|",
    ]
    skeleton = body.skeleton
    for _, group in groupby(skeleton.joints, key=lambda j: (_stem(j.name), j.kind, _limits(j))):
        joints = list(group)
        first, last = joints[0].name, joints[-1].name
        name = f"{first} to {last}" if len(joints) > 1 else first
        q = (skeleton.q_slice(first).start, skeleton.q_slice(last).stop - 1)
        v = (skeleton.v_slice(first).start, skeleton.v_slice(last).stop - 1)
        count = v[1] - v[0] + 1
        kind = joints[0].kind.name.lower()
        lines.append(
            f"| {name} | {kind} | {count} | {_span(*q)} | {_span(*v)} | {_limits(joints[0])} |"
        )
    lines.append(
        f"| **all {len(skeleton)} joints** | | **{skeleton.dof_count}** | "
        f"**{skeleton.configuration_size}** | **{skeleton.dof_count}** | |"
    )
    return lines


def figures_page() -> str:
    """The whole page in Markdown."""
    parts = [_INTRO]
    for name in sorted(figure_names(), key=lambda n: not n.startswith("human")):
        body = figure(name)
        parts.append(f"\n## {name}\n\n![{name}](images/{name}.png)\n\n{_WORDS[name]}")
        strands = ", ".join(strand for strand, _ in body.strands)
        parts.append(
            f"{len(body.capsules)} capsules, {body.skeleton.mass.sum():.2f} kg; "
            f"strands: {strands}.\n"
        )
        parts.append("\n".join(dof_table(body)))
    return "\n".join(parts) + "\n"


def _stem(name: str) -> str:
    return re.sub(r"_?\d+$", "", name)


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _limits(joint: Joint) -> str:
    if joint.limits is None or joint.kind is JointKind.FREE:
        return "none"
    lower, upper = np.degrees(joint.limits.lower), np.degrees(joint.limits.upper)
    names = ("twist ", "y ", "z ") if joint.kind is JointKind.BALL else ("",)
    spans = [f"{n}{a:.0f} to {b:.0f}" for n, a, b in zip(names, lower, upper, strict=True)]
    return ", ".join(spans)
