"""Cases of files that a command wrote: read again by the independent reader, on known shapes."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from writhe.arrays import Floats
from writhe.cli.app import build_app
from writhe.collision import CollisionTable
from writhe.errors import WritheError
from writhe.io import load
from writhe.research.evaluation.export_mechanism import export_motion
from writhe.research.evaluation.independent import Mechanism
from writhe.research.evaluation.independent.joined_motion import JoinedMotion, MotionPart
from writhe.research.evaluation.independent.motions import AnyMotion, CurveMotion, Track
from writhe.research.evaluation.independent.rotations import conjugate, matrices, product
from writhe.research.evaluation.independent.stored_files import StoredFile, read_bvh, read_gltf
from writhe.research.fuzzing.entry_points.poses import random_motion, shortened
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import integrate


def command(*words: object) -> tuple[int, dict[str, Any]]:
    """Run a command of the command line; its exit code and the JSON object that it printed."""
    given = [str(word) for word in words]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            code = build_app(given[0])(args=given, prog_name="writhe", standalone_mode=False)
    except click.ClickException as error:
        raise WritheError(error.format_message()) from error
    lines = said.getvalue().strip().splitlines()
    return int(code or 0), json.loads(lines[-1]) if lines else {}


def read_stored(path: Path, data: bytes | None = None) -> StoredFile:
    """A .bvh or glTF file by the independent reader."""
    content = path.read_bytes() if data is None else data
    if path.suffix == ".bvh":
        return read_bvh(content.decode(), float(load(path).source["metres_per_unit"]))
    return read_gltf(content)


@dataclass
class StoredScene:
    """A mechanism whose joints are replaced, body by body, by those of files.

    rate: units of time per second, by default those of the first file.
    """

    mechanism: Mechanism
    rate: float | None = None
    parts: list[list[MotionPart]] = field(default_factory=list[list[MotionPart]])

    def add_file(
        self, stored: StoredFile, prefix: str = "", columns: Sequence[int] | None = None
    ) -> None:
        """Let a file (or some columns of it) move the joints with its names after `prefix`."""
        known = {name: j for j, name in enumerate(self.mechanism.names)}
        chosen = [
            (known[prefix + stored.names[column]], column)
            for column in (range(len(stored.names)) if columns is None else columns)
            if prefix + stored.names[column] in known
        ]
        old, turns = _turned(self.mechanism), dict[int, np.ndarray]()
        offset, rest = self.mechanism.offset.copy(), self.mechanism.rest.copy()
        for j, column in chosen:
            above = stored.parent[column]
            anchor = self.mechanism.parent[j]
            root = above < 0 or (prefix + stored.names[above]) not in known
            if not root and anchor != known[prefix + stored.names[above]]:
                raise AssertionError(f"{stored.names[column]} has another parent in the file")
            offset[j], rest[j] = stored.offset[column], stored.rest[column]
            turns[j] = stored.turned[column]
        # bodies stand on joints of the scene (actors), which the file does not have
        for j, turn in turns.items():
            at = j
            while at in turns:
                at = self.mechanism.parent[at]
            outer = old[at] if at >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
            turns[j] = product(conjugate(product(outer, turn)), old[j])
        solids = tuple(
            replace(s, points=s.points @ matrices(turns[s.joint]).T) if s.joint in turns else s
            for s in self.mechanism.solids
        )
        self.mechanism = replace(self.mechanism, offset=offset, rest=rest, solids=solids)
        self._add(stored, chosen)

    def add_object(self, stored: StoredFile, column: int, joint: str) -> None:
        """Let a node of a file move an object whose shapes are in the frame of that node."""
        j = self.mechanism.names.index(joint)
        offset, rest = self.mechanism.offset.copy(), self.mechanism.rest.copy()
        offset[j], rest[j] = stored.offset[column], stored.rest[column]
        self.mechanism = replace(self.mechanism, offset=offset, rest=rest)
        self._add(stored, [(j, column)])

    def _add(self, stored: StoredFile, chosen: list[tuple[int, int]]) -> None:
        self.rate = self.rate or stored.rate
        joints, columns = zip(*chosen, strict=True)
        ways = [_timed(motion, self.rate / stored.rate) for motion in stored.motions]
        self.parts.append([MotionPart(joints, columns, way, _first(way)) for way in ways])

    def add_motion(self, prefix: str, skeleton: Skeleton, q: Floats) -> None:
        """Let configurations (frames, nq) move a body; the unit of time is the frame."""
        joints = tuple(self.mechanism.names.index(prefix + name) for name in skeleton.names)
        motion = export_motion(skeleton, q)
        self.parts.append([MotionPart(joints, tuple(range(len(joints))), motion)])

    def add_poses(self, joint: str, times_s: Floats, poses: Floats, shift_s: float = 0.0) -> None:
        """Let a joint of the scene follow poses (k, 7) at times; linear, rotations by slerp."""
        j = self.mechanism.names.index(joint)
        keys = (self.rate or 1.0) * (np.asarray(times_s, float) - shift_s)
        turns = np.roll(poses[:, 3:], -1, axis=1)
        tracks = Track(0, "translation", keys, poses[:, :3]), Track(0, "rotation", keys, turns)
        motion = CurveMotion(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), tracks)
        self.parts.append([MotionPart((j,), (0,), motion, float(keys[0]))])

    @property
    def length(self) -> float:
        """The end of the first file, or of the longest BVH file."""
        first = self.parts[0][0]
        several = [ways[0].motion.length for ways in self.parts if len(ways) > 1]
        return max([first.start + first.motion.length, *several])

    def motions(self) -> tuple[AnyMotion, ...]:
        """One motion for each interpolation of the files; all files are interpolated alike."""
        count = max(len(ways) for ways in self.parts)
        length = self.length
        return tuple(
            JoinedMotion(
                len(self.mechanism.names),
                tuple(ways[min(k, len(ways) - 1)] for ways in self.parts),
                length,
            )
            for k in range(count)
        )


def _first(motion: AnyMotion) -> float:
    """The time of a file at which its motion begins."""
    return motion.begin if isinstance(motion, CurveMotion) else 0.0


def _timed(motion: AnyMotion, factor: float) -> AnyMotion:
    """A motion along curves with its times multiplied."""
    if not isinstance(motion, CurveMotion) or factor == 1.0:
        return motion
    return replace(motion, tracks=tuple(replace(t, times=factor * t.times) for t in motion.tracks))


def _turned(mechanism: Mechanism) -> np.ndarray:
    """(n, 4) rotations of the joints in the world at rest."""
    out = np.zeros((len(mechanism.names), 4))
    for j, parent in enumerate(mechanism.parent):
        own = mechanism.rest[j]
        out[j] = own if parent < 0 else product(out[parent], own)
    return out


def near_contact(
    table: CollisionTable, rng: np.random.Generator, frames: int, start: Floats | None = None
) -> Floats:
    """(frames, nq) a random motion, often one whose last frames just touch."""
    skeleton = table.skeleton
    if start is None:
        q = random_motion(skeleton, rng, frames)
    else:
        rows, size = [start], float(rng.choice([0.005, 0.03, 0.1]))
        while len(rows) < frames:
            rows.append(integrate(skeleton, rows[-1], rng.normal(0, size, skeleton.dof_count)))
        q = np.array(rows)
    return shortened(table, q) if rng.random() < 0.6 else q


def write_source(motion: Motion, path: Path) -> None:
    """Write a motion without its source, so that nothing is taken over from another file."""
    from writhe.io import save

    save(replace(motion, source={}), path)


def contents(folder: Path, names: Mapping[str, Path] | None = None) -> dict[str, bytes]:
    """The files of a folder, to reproduce a case."""
    found = names or {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    return {name: path.read_bytes() for name, path in found.items()}
