"""F-curves of armatures, whatever way this version of Blender stores them."""

from __future__ import annotations

import numpy as np

CONSTANT, LINEAR, BEZIER = 0, 1, 2  # values of the property `interpolation`
_SAME_FRAME = 1e-3


def curves_of(owner):
    """The F-curves of an object's action; an empty list if there is none."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    if not hasattr(data.action, "layers"):  # before Blender 4.4
        return data.action.fcurves
    bag = _channelbag(data, make=False)
    return [] if bag is None else bag.fcurves


def make_curves(owner):
    """The same, with an action and everything else made where it is missing."""
    import bpy

    data = owner.animation_data or owner.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(f"{owner.name}Action")
    if not hasattr(data.action, "layers"):
        return data.action.fcurves
    return _channelbag(data, make=True).fcurves


def _channelbag(data, *, make: bool):
    action, slot = data.action, data.action_slot
    if slot is None and make:
        slot = action.slots.new(id_type="OBJECT", name=data.id_data.name)
        data.action_slot = slot
    if slot is None:
        return None
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag
    if not make:
        return None
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def bone_and_property(path: str) -> tuple[str, str] | None:
    """The bone and property of a data path of a pose bone; None for any other path."""
    if not path.startswith('pose.bones["'):
        return None
    bone, _, rest = path[len('pose.bones["') :].rpartition('"].')
    return bone.replace('\\"', '"').replace("\\\\", "\\"), rest


def bone_path(bone, name: str) -> str:
    """The data path of a property of a pose bone."""
    return f"{bone.path_from_id()}.{name}"


class Keys:
    """The keys of an F-curve as arrays."""

    def __init__(self, curve) -> None:
        points = curve.keyframe_points
        count = len(points)
        self.co = _get(points, "co", 2 * count).reshape(-1, 2)
        self.left = _get(points, "handle_left", 2 * count).reshape(-1, 2)
        self.right = _get(points, "handle_right", 2 * count).reshape(-1, 2)
        self.interpolation = _get(points, "interpolation", count, np.int32)

    def varies(self, minimum: float = 1e-6) -> bool:
        """Whether the value changes by more than `least`."""
        return bool(np.ptp(self.co[:, 1]) > minimum) if len(self.co) else False

    def plain(self, start: float, fps: float, factor: float) -> dict:
        """The curve for writhe: seconds from the frame `start`, values times `factor`.

        Linear segments get handles on the line.
        """
        co, left, right = self.co.copy(), self.left.copy(), self.right.copy()
        straight = np.flatnonzero(self.interpolation[:-1] == LINEAR)
        third = (co[straight + 1] - co[straight]) / 3
        right[straight] = co[straight] + third
        left[straight + 1] = co[straight + 1] - third
        # handles of keys point away from them
        left[:, 0] = np.minimum(left[:, 0], co[:, 0])
        right[:, 0] = np.maximum(right[:, 0], co[:, 0])
        for rows in (co, left, right):
            rows[:, 0] = (rows[:, 0] - start) / fps
            rows[:, 1] *= factor
        linear = bool((self.interpolation[:-1] == LINEAR).all())
        found = {"times_s": co[:, 0].copy(), "values": co[:, 1].copy()}
        return found if linear else {**found, "left": left, "right": right}


def _get(points, name: str, size: int, kind=np.float32) -> np.ndarray:
    out = np.empty(size, dtype=kind)
    points.foreach_get(name, out)
    return out.astype(np.float64) if kind is np.float32 else out


def constant(value: float) -> dict:
    """A curve that stays at a value."""
    return {"times_s": np.zeros(1), "values": np.array([float(value)])}


def write_linear(curves, path: str, index: int, group: str, frames, values) -> None:
    """Put linear keys at frames (k,) into a curve, instead of those that it has between them.

    The curve outside stays as it is: the first and last key keep their outer handles.
    """
    new = np.stack([frames, values], axis=1)
    left, right = new.copy(), new.copy()
    modes = np.full(len(new), LINEAR, dtype=np.int32)
    curve = curves.find(path, index=index)
    if curve is not None:
        kept = Keys(curve)
        curves.remove(curve)
        at = kept.co[:, 0]
        first, last = (
            np.flatnonzero(np.abs(at - f) < _SAME_FRAME) for f in (frames[0], frames[-1])
        )
        if len(first):
            left[0] = kept.left[first[0]]
        if len(last):
            right[-1], modes[-1] = kept.right[last[0]], kept.interpolation[last[0]]
        before, after = at < frames[0] - _SAME_FRAME, at > frames[-1] + _SAME_FRAME
        new, left, right = (
            np.concatenate([old[before], made, old[after]])
            for old, made in ((kept.co, new), (kept.left, left), (kept.right, right))
        )
        modes = np.concatenate([kept.interpolation[before], modes, kept.interpolation[after]])
    curve = _new(curves, path, index, group)
    points = curve.keyframe_points
    points.add(len(new))
    for name, rows in (("co", new), ("handle_left", left), ("handle_right", right)):
        points.foreach_set(name, rows.astype(np.float32).ravel())
    points.foreach_set("interpolation", modes)
    curve.update()


_KEY_PROPERTIES = (
    ("co", 2), ("handle_left", 2), ("handle_right", 2), ("interpolation", 1), ("easing", 1),
    ("handle_left_type", 1), ("handle_right_type", 1), ("back", 1), ("amplitude", 1), ("period", 1),
)  # fmt: skip
_NUMBERS = {"co", "handle_left", "handle_right", "back", "amplitude", "period"}


def stored_curves(armature, bones: set[str]) -> list[dict]:
    """All that the F-curves of bones hold, as arrays."""
    out = []
    for curve in curves_of(armature):
        place = bone_and_property(curve.data_path)
        if place is None or place[0] not in bones or not len(curve.keyframe_points):
            continue
        points = curve.keyframe_points
        keys = {
            name: _get(points, name, width * len(points), np.float32).astype(np.float32)
            if name in _NUMBERS
            else _get(points, name, width * len(points), np.int32)
            for name, width in _KEY_PROPERTIES
        }
        out.append(
            {
                "bone": place[0], "property": place[1], "index": curve.array_index,
                "extrapolation": curve.extrapolation, "mute": curve.mute, "keys": keys,
            }
        )  # fmt: skip
    return out


def restore_curves(armature, stored: list[dict], shift: float, unit: float) -> None:
    """Make F-curves of what was stored, `shift` frames later, with locations times `unit`."""
    curves = make_curves(armature)
    for each in stored:
        if each["bone"] not in armature.pose.bones:
            continue
        path = bone_path(armature.pose.bones[each["bone"]], each["property"])
        old = curves.find(path, index=each["index"])
        if old is not None:
            curves.remove(old)
        curve = _new(curves, path, each["index"], each["bone"])
        keys = {name: np.asarray(rows).copy() for name, rows in each["keys"].items()}
        for name in ("co", "handle_left", "handle_right"):
            keys[name][0::2] += shift
            if each["property"] == "location":
                keys[name][1::2] *= unit
        curve.keyframe_points.add(len(keys["co"]) // 2)
        for name, _ in _KEY_PROPERTIES:
            curve.keyframe_points.foreach_set(name, keys[name])
        curve.extrapolation, curve.mute = each["extrapolation"], each["mute"]
        curve.update()


def _new(curves, path: str, index: int, group: str):
    for named in ({"group_name": group}, {"action_group": group}, {}):  # 5.0, before 4.4, between
        try:
            return curves.new(path, index=index, **named)
        except TypeError:
            continue
    raise RuntimeError(f"this version of Blender cannot make F-curves of {path}")
