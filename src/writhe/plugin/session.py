"""One connection with another program: its requests by name, plain data in and out.

Data are numbers, strings, lists, dicts with string keys, None and arrays, so that they can be sent
through a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import UnknownNameError, WritheError
from writhe.plugin.action import Action, StageMotion
from writhe.plugin.armature import Armature, Character, capsules_to_plain
from writhe.plugin.drag import CharacterDrag, DragOptions, PoserCache
from writhe.plugin.scene import Stage, placement_of
from writhe.progress import Progress, no_progress

if TYPE_CHECKING:
    from writhe.plugin.winding import LimbWinding

Plain = dict[str, Any]


class Session:
    """The stage of another program and the drag that is under way."""

    def __init__(self) -> None:
        self.stage = Stage()
        self._posers = PoserCache(self.stage)
        self._drag: CharacterDrag | None = None
        self._winding: LimbWinding | None = None
        self._requests: dict[str, Callable[[Plain, Progress], Plain]] = {
            "prepare": self._prepare,
            "built_in_human": self._built_in_human,
            "set_character": self._set_character,
            "set_obstacle": self._set_obstacle,
            "keep": self._keep,
            "begin_drag": self._begin_drag,
            "drag": self._move,
            "end_drag": self._end_drag,
            "begin_winding": self._begin_winding,
            "wind": self._wind,
            "wind_keys": self._wind_keys,
            "certify": self._certify,
            "clean": self._clean,
            "connect": self._connect,
            "follow": self._follow,
            "preset_names": self._preset_names,
            "preset_pose": self._preset_pose,
            "open_document": self._open_document,
            "write_document": self._write_document,
        }

    def request(self, name: str, data: Plain, progress: Progress | None = None) -> Plain:
        """Answer a request; raises `WritheError` with a sentence for the user."""
        if name not in self._requests:
            raise UnknownNameError("request", name, list(self._requests))
        return self._requests[name](data, progress or no_progress)

    # ---- set-up ----

    def _prepare(self, data: Plain, progress: Progress) -> Plain:
        """Load the kernels of a drag, so that the first one does not wait."""
        state = self._state(data)
        for done, name in enumerate(self.stage.characters):
            progress(done / len(self.stage.characters), f"preparing {name}")
            if self.stage.character(name).figure.capsules:
                poser = self._posers.get(name, state, _options(data))
                poser.warm_up(state[poser.actor.q])
        return {}

    def _built_in_human(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.built_in_human import human_to_plain

        return human_to_plain(fingers=bool(data["fingers"]))

    def _set_character(self, data: Plain, progress: Progress) -> Plain:
        progress(None, f"finding the body of {data['name']}")
        armature = Armature.from_plain(data)
        found = self.stage.set_character(armature)
        return _character_info(found)

    def _set_obstacle(self, data: Plain, progress: Progress) -> Plain:
        name = str(data["name"])
        obstacle = self.stage.set_obstacle(
            name, data["vertices"], data["triangles"], data["matrix"], split=bool(data["split"])
        )
        hulls = [{"points": s.points_in_joint, "radius": s.radius_m} for s in obstacle.shapes]
        return {"pieces": len(obstacle.shapes), "hulls": hulls}

    def _keep(self, data: Plain, progress: Progress) -> Plain:
        self.stage.keep(set(data["characters"]), set(data["obstacles"]))
        return {}

    # ---- posing ----

    def _begin_drag(self, data: Plain, progress: Progress) -> Plain:
        """Start to drag points of bones: `handles` with bone and point in its frame, `pins`."""
        self.stage.floor_m = data.get("floor_m")
        self._drag = CharacterDrag(
            self.stage,
            self._posers,
            str(data["character"]),
            self._state(data),
            [(str(h["bone"]), floats(h["point"], (3,), "a handle")) for h in data["handles"]],
            {str(bone): bool(turn) for bone, turn in data.get("pins", {}).items()},
            _options(data),
        )
        return {"points": self._drag.start_points()}

    def _move(self, data: Plain, progress: Progress) -> Plain:
        drag = self._drag
        if drag is None:
            raise WritheError("no drag has begun")
        result = drag.move(floats(data["points"], (None, 3), "targets"), int(data.get("steps", 1)))
        rotation, location = drag.character.local(result.q)
        return {
            "rotation": rotation,
            "location": location,
            "at_rest": result.at_rest,
            "status": result.status.value,
            "error_m": result.error_m,
            "clearance_m": result.clearance_m,
            "touching": [self.stage.part_name(part) for part in result.violating_parts],
            "notes": list(result.notes),
            "milliseconds": result.milliseconds,
        }

    def _end_drag(self, data: Plain, progress: Progress) -> Plain:
        self._drag = None
        return {}

    def _preset_names(self, data: Plain, progress: Progress) -> Plain:
        from writhe.postures.preset_poses import preset_names

        return {"names": list(preset_names("basic"))}

    def _preset_pose(self, data: Plain, progress: Progress) -> Plain:
        from writhe.postures.preset_poses import is_person, posture_of

        character = self.stage.character(str(data["character"]))
        if not is_person(character.figure):
            raise WritheError(
                f"preset poses are for people; of {character.armature.name!r} these roles were not"
                f" found: {', '.join(character.recognition.missing)}"
            )
        now = self._poses(data)[character.armature.name]
        origin = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        q = posture_of(character.figure, "basic", str(data["pose"]), now, origin)
        rotation, location = character.local(q)
        return {"rotation": rotation, "location": location}

    # ---- winding ----

    def _begin_winding(self, data: Plain, progress: Progress) -> Plain:
        """Start to wind two limbs: `tangle` with `first` and `second`, `movers`, `pins`."""
        from writhe.plugin.winding import LimbWinding, WindingGoal

        self.stage.floor_m = data.get("floor_m")
        goal = WindingGoal.from_plain(data["tangle"])
        movers = [str(name) for name in data["movers"]]
        self._winding = LimbWinding(
            self.stage, self._state(data), goal, movers, _names(data, "pins")
        )
        return self._winding.measure(goal)

    def _wind(self, data: Plain, progress: Progress) -> Plain:
        """Steps towards `tangle`; the new poses of the movers, and the coordinates reached."""
        from writhe.plugin.winding import WindingGoal

        if self._winding is None:
            raise WritheError("no winding has begun")
        goal = WindingGoal.from_plain(data["tangle"])
        reached, stalled = self._winding.move(goal, int(data.get("steps", 2)))
        poses: Plain = {}
        for name, q in self._winding.poses().items():
            rotation, location = self.stage.character(name).local(q)
            poses[name] = {"rotation": rotation, "location": location}
        measured = self._winding.measure(goal)
        return {"poses": poses, "reached": reached, "stalled": stalled, **measured}

    def _wind_keys(self, data: Plain, progress: Progress) -> Plain:
        """The motion through `tangle_keys`, as keys of the movers."""
        from writhe.plugin.report import certificate_to_plain
        from writhe.plugin.winding import WindingKey, wound_keys

        self.stage.floor_m = data.get("floor_m")
        keys = [WindingKey.from_plain(key) for key in data["tangle_keys"]]
        found = wound_keys(
            self.stage,
            self._motion(data),
            keys,
            float(data["fps"]),
            _names(data, "modes"),
            _names(data, "pins"),
            progress,
        )
        return {**found.to_plain(), "after": certificate_to_plain(self.stage, found.after)}

    # ---- actions ----

    def _certify(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.report import certificate_to_plain

        progress(None, "certifying")
        self.stage.floor_m = data.get("floor_m")
        return certificate_to_plain(self.stage, self._motion(data).certify(self.stage))

    def _clean(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.action_edits import cleaned_action
        from writhe.plugin.report import certificate_to_plain

        self.stage.floor_m = data.get("floor_m")
        keys = cleaned_action(
            self.stage,
            self._motion(data),
            str(data["character"]),
            float(data["fps"]),
            int(data["frames"]),
            _names(data, "modes"),
            progress,
        )
        assert keys.before is not None
        return {
            **keys.to_plain(),
            "before": certificate_to_plain(self.stage, keys.before),
            "after": certificate_to_plain(self.stage, keys.after),
        }

    def _connect(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.action_edits import connected_keys
        from writhe.plugin.report import certificate_to_plain

        progress(None, "planning")
        self.stage.floor_m = data.get("floor_m")
        first, last = (float(t) for t in data["span_s"])
        keys = connected_keys(
            self.stage,
            self._motion(data),
            str(data["character"]),
            (first, last),
            float(data["fps"]),
            _names(data, "modes"),
        )
        return {**keys.to_plain(), "after": certificate_to_plain(self.stage, keys.after, first)}

    def _follow(self, data: Plain, progress: Progress) -> Plain:
        """Let the end of `limb` follow `points` (k, 3) in `style` over `span_s`."""
        from writhe.plugin.follow_curve import followed_keys
        from writhe.plugin.report import certificate_to_plain

        self.stage.floor_m = data.get("floor_m")
        first, last = (float(t) for t in data["span_s"])
        keys = followed_keys(
            self.stage,
            self._motion(data),
            str(data["character"]),
            str(data["limb"]),
            str(data["style"]),
            data["points"],
            (first, last),
            float(data["fps"]),
            _names(data, "modes"),
            progress,
        )
        return {**keys.to_plain(), "after": certificate_to_plain(self.stage, keys.after, first)}

    # ---- documents of the studio ----

    def _open_document(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.open_document import document_to_plain

        progress(None, "opening the document")
        return document_to_plain(Path(str(data["path"])))

    def _write_document(self, data: Plain, progress: Progress) -> Plain:
        from writhe.plugin.write_document import (
            actor_from_plain,
            object_from_plain,
            write_document,
        )

        progress(None, "writing the document")
        return write_document(
            self.stage,
            Path(str(data["path"])),
            str(data["base"]),
            float(data["fps"]),
            [actor_from_plain(each) for each in data["actors"]],
            [object_from_plain(each) for each in data["objects"]],
        )

    # ---- data ----

    def _poses(self, data: Plain) -> dict[str, Floats]:
        """Configurations by character, of `poses`: world matrices (n, 4, 4) of the bones."""
        return {
            name: self.stage.character(name).configurations(
                floats(matrices, (None, 4, 4), f"the pose of {name!r}")[None]
            )[0]
            for name, matrices in data.get("poses", {}).items()
        }

    def _state(self, data: Plain) -> Floats:
        """(nq,) the scene with `poses` and `placements` (matrices of obstacles)."""
        return self.stage.state(self._poses(data), _placements(data.get("placements", {})))

    def _motion(self, data: Plain) -> StageMotion:
        """`actions` by character, `poses` of the others, `tracks` (f, 4, 4) of obstacles."""
        tracks: Mapping[str, Any] = data.get("tracks", {})
        return StageMotion(
            {name: self._action(name, data) for name in data.get("actions", {})},
            self._poses(data),
            floats(data.get("times_s", [0.0]), (None,), "times"),
            {
                name: np.array([placement_of(m) for m in floats(rows, (None, 4, 4), "a track")])
                for name, rows in tracks.items()
            },
            frozenset(data.get("rewritten", ())),
        )

    def _action(self, name: str, data: Plain) -> Action:
        """Curves by bone, or world matrices of the bones (f, n, 4, 4) at the times `times_s`."""
        action = data["actions"][name]
        if "matrices" not in action:
            return Action.from_plain(action)
        character = self.stage.character(name)
        rows = character.configurations(floats(action["matrices"], (None, None, 4, 4), "frames"))
        return Action.of_frames(character, rows, floats(data["times_s"], (len(rows),), "times"), {})


def _placements(data: Mapping[str, Any]) -> dict[str, Floats]:
    return {name: placement_of(floats(m, (4, 4), f"{name!r}")) for name, m in data.items()}


def _names(data: Plain, key: str) -> dict[str, dict[str, Any]]:
    """Values by character and bone."""
    return {str(name): dict(values) for name, values in data.get(key, {}).items()}


def _options(data: Plain) -> DragOptions:
    given = data.get("options", {})
    return DragOptions(**{key: bool(given[key]) for key in given})


def _character_info(character: Character) -> Plain:
    """What was found of a character, to be shown, and its shapes."""
    found = character.recognition
    return {
        "is_person": found.is_person,
        "confidence": found.confidence,
        "roles": found.roles,
        "missing": list(found.missing),
        "family": found.family,
        "limbs": [name for name, _ in character.figure.strands],
        "turns": character.turns.tolist(),
        "shifts": character.shifts.tolist(),
        "capsules": capsules_to_plain(character.figure.capsules),
    }
