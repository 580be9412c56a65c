"""The operations of a batch: each processes one local file and returns entries of its row.

An operation takes the source, the file to write (None if it writes none), its name in the run and
the settings. Modules are imported when an operation runs: a worker loads only what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from writhe.batch.settings import Settings
from writhe.errors import MissingExtraError, WritheError
from writhe.io.files import GLTF, WRITABLE

if TYPE_CHECKING:
    from writhe.collision import Certificate
    from writhe.collision.swept_intervals import BroadPhase
    from writhe.skeleton import Figure

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Operation:
    """A function of one file, the suffix of what it writes, and the warm-up stages it needs.

    suffix: None if it writes nothing; "" for that of the source, or `Settings.suffix`.
    """

    run: Callable[[Path, Path | None, str, Settings], Figures]
    suffix: str | None
    needs: tuple[str, ...]
    about: str


def _certify(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.scene import certify_file

    found = certify_file(
        source, figure=_figure(name, settings), broad_phase=_broad_phase(settings.broad_phase)
    )
    return {
        **_of_certificate(found.certificate, settings),
        "frames": len(found.motion),
        "fps": found.motion.fps,
    }


def _clean(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.cleaning.clean_file import clean_file
    from writhe.cleaning.motion_change import foot_slide
    from writhe.skeleton import forward

    assert output is not None
    found = clean_file(source, output, body=_figure(name, settings))
    cleaned, written, after = found.cleaned, found.written, found.certificate
    skeleton, motion = found.body.skeleton, found.motion
    positions = [forward(skeleton, q).positions for q in (motion.q, cleaned.motion.q)]
    return {
        **_of_certificate(after, settings),
        "frames": len(motion),
        "fps": motion.fps,
        "frames_written": len(written),
        "foot_slide_mm": 1e3 * foot_slide(found.body, positions[0], positions[1], motion.fps),
        "penetration_before_mm": 1e3 * cleaned.before.penetration_upper_bound_m,
        "pass_throughs_before": len(cleaned.before.pass_throughs),
        "mean_displacement_mm": 1e3 * cleaned.mean_displacement_m,
        "max_displacement_mm": 1e3 * cleaned.max_displacement_m,
        "leap_mm": 1e3 * cleaned.leaps.beyond_largest_m,
    }


def _retarget(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.io import load, save
    from writhe.retargeting.retarget import retarget

    assert output is not None
    body = _named_figure(settings.to, settings.roles_for(name))
    motion = retarget(load(source), body)
    save(motion, output, figure=body if output.suffix.lower() in GLTF else None)
    return {
        "passes": True,
        "frames": len(motion),
        "fps": motion.fps,
        "foot_slide_mm": 1e3 * motion.source["retarget"]["foot_slide_after_m"],
    }


def _convert(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.io import load, load_figure, save

    assert output is not None
    motion = load(source)
    if settings.fps is not None:
        motion = motion.resample(settings.fps)
    both_gltf = source.suffix.lower() in GLTF and output.suffix.lower() in GLTF
    save(motion, output, figure=load_figure(source) if both_gltf else None)
    return {"passes": True, "frames": len(motion), "fps": motion.fps}


def _measure(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.io import figure_of, load
    from writhe.topology import measure_motion

    assert output is not None
    motion = load(source)
    report = measure_motion(_figure(name, settings) or figure_of(motion), motion)
    report.write_csv(output)
    largest = max((max(abs(s.minimum), abs(s.maximum)) for s in report.summaries()), default=0.0)
    return {"passes": True, "frames": len(motion), "fps": motion.fps, "linking_max": largest}


def _render(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.collision import CollisionTable, violating_parts
    from writhe.io import load, load_figure
    from writhe.render import film_strip
    from writhe.retargeting.motion_on_figure import on_figure
    from writhe.skeleton.figures import figure

    assert output is not None
    motion = load(source)
    body = _figure(name, settings) or load_figure(source)
    if body.skin is None:
        body = figure("human")
    motion = on_figure(motion, body)
    red = violating_parts(CollisionTable.of_figure(body), motion.q) if body.capsules else None
    film_strip(body, motion, output, count=settings.strip, size=(240, 360), highlights=red)
    return {"passes": True, "frames": len(motion), "fps": motion.fps}


def _postures(source: Path, output: Path | None, name: str, settings: Settings) -> Figures:
    from writhe.postures.build_database import clip_postures
    from writhe.skeleton.figures import figure

    assert output is not None
    found = clip_postures(source, name, figure("human"), settings.every)
    found.save(output)
    return {"passes": True, "postures": len(found)}


_FILES = ("kinematics", "motion files")
OPERATIONS: dict[str, Operation] = {
    "certify": Operation(_certify, None, (*_FILES, "collision"), "the certificate of every file"),
    "clean": Operation(
        _clean, "", (*_FILES, "collision", "cleaning"), "penetrations removed, written certified"
    ),
    "retarget": Operation(_retarget, "", _FILES, "transferred to the figure of --to"),
    "convert": Operation(_convert, "", _FILES, "converted to the format of --suffix"),
    "measure": Operation(_measure, ".csv", (*_FILES, "linking"), "the linking of the limbs"),
    "render": Operation(_render, ".png", (*_FILES, "collision", "skins"), "a film strip"),
    "db": Operation(
        _postures, ".parquet", (*_FILES, "linking", "collision"), "postures, merged to a database"
    ),
}


def operation(name: str) -> Operation:
    """The operation called `name`."""
    if name not in OPERATIONS:
        raise WritheError(f"{name!r} is not an operation; available: {', '.join(OPERATIONS)}")
    return OPERATIONS[name]


def output_name(name: str, settings: Settings) -> str | None:
    """The name of the file written for the source called `name`; None if none is written.

    If the operation has its own suffix, the suffix of the source stays part of the name, so that
    `walk.bvh` and `walk.glb` get different outputs.
    """
    suffix = operation(settings.operation).suffix
    if suffix is None:
        return None
    if suffix:
        return name + suffix
    stem, _, own = name.rpartition(".")
    return stem + (settings.suffix or (f".{own}" if f".{own.lower()}" in WRITABLE else ".bvh"))


def _of_certificate(found: Certificate, settings: Settings) -> Figures:
    depth = found.penetration_upper_bound_m
    decided = not (found.pass_throughs or found.undecided or found.folded_joints)
    return {
        "passes": found.certified or (decided and depth <= settings.tolerance_m),
        "verdict": found.verdict.value,
        "certified": found.certified,
        "pass_throughs": len(found.pass_throughs),
        "deep_overlaps": len(found.deep_overlaps),
        "folded_joints": len(found.folded_joints),
        "penetration_mm": 1e3 * depth,
        "tolerance_mm": 1e3 * settings.tolerance_m,
    }


def _figure(name: str, settings: Settings) -> Figure | None:
    chosen = settings.figure_for(name)
    return None if chosen is None else _named_figure(chosen, settings.roles_for(name))


@cache
def _broad_phase(name: str) -> BroadPhase | None:
    """One per process: it keeps compiled programs and what is on the device."""
    if name == "numba":
        return None
    try:
        from writhe.accelerator.broad_phase import JaxBroadPhase
    except ImportError:
        raise MissingExtraError("--broad-phase jax", "jax") from None
    return JaxBroadPhase()


def _named_figure(name: str, roles: str | None) -> Figure:
    """A built-in figure, or that of a character file under the roles in use."""
    from writhe.skeleton.figures import figure, figure_names

    if name in figure_names():
        return figure(name)
    return _loaded(name, Path(name).stat().st_mtime_ns, roles)


@lru_cache(maxsize=8)
def _loaded(name: str, changed_ns: int, roles: str | None) -> Figure:
    """Fitting shapes takes longer than most clips: a worker does it once for each character."""
    from writhe.io import load_figure

    return load_figure(name)


def check_figures(settings: Settings) -> None:
    """Raise if a figure or file with roles that the settings name does not exist."""
    from writhe.recognition.corrections import read_roles
    from writhe.skeleton.figures import figure_names

    for name in (settings.to, *(value for _, value in settings.figures)):
        if name not in figure_names() and not Path(name).is_file():
            raise WritheError(
                f"{name!r} is neither a built-in figure ({', '.join(figure_names())}) nor a file"
            )
    for _, file in settings.roles:
        read_roles(Path(file))
