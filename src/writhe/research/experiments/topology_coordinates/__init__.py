"""Character motion synthesis by topology coordinates (Ho and Komura 2009): its scenes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from writhe.errors import UnknownNameError
from writhe.progress import Progress, no_progress
from writhe.research.evaluation import Report
from writhe.research.experiments.topology_coordinates.scene_result import SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    Removed,
    Variant,
    solved_as,
    solved_without,
)

# name: what it shows; the module has the same name with underscores
SCENES = {
    "arms-swap": "Two arms swap over and under (figure 1)",
    "stretching": "Self-tangled stretching through three keyframes (figure 13 a)",
    "wrestling": "Wrestling: waist lock, full nelson, headlock, waist lock (figure 13 b)",
    "piggyback": "Piggyback with four tangles (figure 13 c)",
    "embrace": "An embrace, the active character alternating",
    "chair": "Re-holding a chair of eighteen pipes, lifting and carrying it (figure 15)",
    "bundle": "Hugging a bundle that deforms during the hold (figure 16, left)",
    "t-shirt": "Putting on a T-shirt of six rings (figures 2 d and 14)",
    "knapsack": "Both arms through a knapsack's straps",
    "fish": "An octopus catches swimming fish without knotting its legs (figure 16, right)",
    "octopus-human": "An octopus winds around a human (figure 2 c)",
}

# what to look at in a strip
_REMARKS = {
    "wrestling": (
        " Frames: start, waist lock, arms under his, full nelson, right arm over the shoulder,"
        " headlock, hands down again, waist lock; then the nelson from behind and from above, and"
        " the headlock from his right and from the front."
    ),
    "piggyback": (
        " The rider puts his arms over the shoulders while he stands; climbing up from there is"
        " kinematic, without gravity; balance and grip are checked in the last frame only. The last"
        " panel shows the last frame from behind."
    ),
    "chair": (
        " Frames: start, arms around the uprights of the back, left arm over and right arm under"
        " the top rail, left upright and middle rail, middle rail and right upright, both arms"
        " under the top rail, lifted, carried. The chair hangs by the top rail, which lies on the"
        " forearms; the hands hold nothing."
    ),
}

PUBLISHED: tuple[Variant, ...] = ("published", "published-with-contacts")
REMOVED: tuple[Removed, ...] = ("places", "tangles")
WITHOUT_PLACES = ("arms-swap", "fish", "octopus-human")  # scenes of tangles alone
UNCOMPARED = {"piggyback": {"compare": False}}  # without sampling planners


def play(name: str, progress: Progress | None = None, **options: Any) -> SceneResult:
    """Play one scene."""
    if name not in SCENES:
        raise UnknownNameError("scene", name, list(SCENES))
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return module.play(progress or no_progress, **options)


def run(
    progress: Progress,
    folder: Path,
    only: str | None = None,
    clips: Path | None = None,
    full: bool = False,
) -> dict[str, Any]:
    """Solve, draw and certify all scenes or one; `clips` holds captured partners."""
    report = Report("Character motion synthesis by topology coordinates", folder)
    report.text(
        "Ho and Komura, *Character Motion Synthesis by Topology Coordinates*, Eurographics 2009."
        " Frames and the motion between them are certified; every scene asserts its own topology"
        " (linking) and geometry (what a viewer would call success). *Without places*, *without"
        " tangles*: whether both still hold when the scripted places of hands and bodies, or the"
        " goals of linking, are left out; they must not."
    )
    names = [only] if only else list(SCENES)
    results: dict[str, Any] = {}
    rows: list[list[Any]] = []
    pictures: list[tuple[str, Path | None, SceneResult]] = []
    for name in names:
        progress(None, name)
        options: dict[str, Any] = {}
        if name == "wrestling":
            options["clips"] = clips
        if name == "piggyback":
            options["full"] = full
        played = play(name, progress, **options)
        certificate = played.certificate()
        found = played.summary(certificate)
        results[name] = found
        for variant in PUBLISHED:
            progress(None, f"{name}, {variant}")
            with solved_as(variant):
                other = play(name, progress, **{**options, **UNCOMPARED.get(name, {})})
            found[variant.replace("-", "_")] = other.published_summary(other.certificate())
        for removed in REMOVED:
            if removed == "places" and name in WITHOUT_PLACES:
                continue
            progress(None, f"{name} without {removed}")
            with solved_without(removed):
                other = play(name, progress, **{**options, **UNCOMPARED.get(name, {})})
            found[f"shown_without_{removed}"] = other.shows_it
        if played.postures:
            found["joint_keys"] = played.joint_keys()
        found["line_crossings"] = played.line_crossings().total
        picture = played.draw(report.picture_path(f"{name}.png"), progress)
        pictures.append((name, picture, played))
        rows.append(
            [
                name,
                found["reached"],
                found["topology_ok"],
                found["geometry_ok"],
                found.get("shown_without_places", "none scripted"),
                found["shown_without_tangles"],
                found["certified"],
                found["pass_throughs"],
                1e3 * found["penetration_m"],
                found["step_ms_median"],
                found["steps"],
                found["seconds"],
            ]
        )
    report.table(
        [
            "scene",
            "reached",
            "topology",
            "geometry",
            "without places",
            "without tangles",
            "certified",
            "pass-throughs",
            "penetration mm",
            "ms a step",
            "steps",
            "seconds",
        ],
        rows,
    )
    report.heading("Rows of the writhe matrix, as published (Eqs. 5 to 9)")
    report.text(
        "`published` tracks the desired writhe matrix with sigma = 0.2 and knows no shapes;"
        " `published-with-contacts` has our contacts and gate instead of sigma. Crossings are of"
        " centre lines of bones in the goals; *bounded pairs* are those of the goals pursued at the"
        " time, for which the QP has the bound |T| <= sigma."
    )
    report.table(
        ["scene", "variant", "keys reached", "checks that fail", "penetrating frames", "frames",
         "pass-throughs", "crossings", "of bounded pairs", "ms a step"],
        [
            [name, variant, f"{row['keys_reached']} of {row['keys']}",
             f"{len(row['failed'])} of {row['checks']}",
             row["penetrating_frames"], row["frames"], row["pass_throughs"],
             row["line_crossings"], row["line_crossings_bounded"], row["step_ms_median"]]
            for name, found in results.items()
            for variant in PUBLISHED
            for row in (found[variant.replace("-", "_")],)
        ],
    )  # fmt: skip
    for name, picture, played in pictures:
        report.heading(SCENES[name])
        if picture is not None:
            remark = _REMARKS.get(name)
            report.picture(picture, f"{SCENES[name]}.{remark}" if remark else SCENES[name])
        report.table(
            ["asserted", "measured", "holds"],
            [[c.what, c.value, c.holds] for c in (*played.claims, *played.seen, *played.contrast)],
        )
        for note in played.notes:
            report.text(note)
    report.write()
    return {"scenes": results}
