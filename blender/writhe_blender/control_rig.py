"""Control rigs: which controls turn which parts of the body, found by turning each of them.

A rig in which constraints move the deform bones (Rigify and others) is posed by its FK controls.
A control belongs to the tree of the body if turning it turns everything below it rigidly, about
its own head. Switches between IK and FK are set to FK while a character is posed.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field

import numpy as np
from mathutils import Matrix, Vector

from . import fcurves

# custom properties of controls, with the value at which the FK controls turn the body rigidly
SWITCHES = {"IK_FK": 1.0, "FK_limb_follow": 0.0, "neck_follow": 1.0, "head_follow": 1.0}
# the roles of Rigify's controls; the names of those with a side end in .L or .R
_ROLES = {
    "torso": "hips", "spine_fk.002": "spine", "spine_fk.003": "chest", "neck": "neck",
    "head": "head", "shoulder": "clavicle", "upper_arm_fk": "shoulder", "forearm_fk": "elbow",
    "hand_fk": "wrist", "thigh_fk": "hip", "shin_fk": "knee", "foot_fk": "ankle", "toe_fk": "toe",
    **{
        f"{own}.0{k}{'_master' if k == 1 else ''}": f"{finger}_{k}"
        for own, finger in (("thumb", "thumb"), ("f_index", "index"), ("f_middle", "middle"),
                            ("f_ring", "ring"), ("f_pinky", "pinky"))
        for k in (1, 2, 3)
    },
}  # fmt: skip
_TURN = Matrix.Rotation(0.3, 4, Vector((1.0, 2.0, 3.0)).normalized())
_SAME = 2e-4  # of the rig's height: points that are apart by less coincide
_MECHANISM = re.compile(r"^(MCH|ORG|DEF|WGT|VIS)[-_]")
_MOST_OF_BODY = 0.9


@dataclass(frozen=True)
class ControlRig:
    """The controls of a rig as a tree, parents before their children (parent -1: none).

    followers: for each control a bone that it turns, from which its place is read whatever moves
    the rig; carried: the control that carries each deform bone; neutral: controls that move the
    body as well and are put to rest; switches: bone, property and its value for FK.
    """

    controls: list[str]
    parents: list[int]
    followers: list[str]
    carried: dict[str, str]
    neutral: list[str]
    switches: list[tuple[str, str, float]] = field(default_factory=list)

    def roles(self) -> dict[str, str]:
        """The controls of anatomical roles, if it is a rig of Rigify."""
        found = {}
        for name in self.controls:
            base, side = name, ""
            if name[-2:] in (".L", ".R"):
                base, side = name[:-2], {"L": "left_", "R": "right_"}[name[-1]]
            if base in _ROLES:
                found[side + _ROLES[base]] = name
        return found if "hips" in found else {}

    def between(self) -> set[str]:
        """Controls between the hips and the legs, which stay as they are."""
        known, index = self.roles(), {name: k for k, name in enumerate(self.controls)}
        out: set[str] = set()
        for side in ("left", "right"):
            at = self.parents[index[known[f"{side}_hip"]]] if f"{side}_hip" in known else -1
            while at >= 0 and self.controls[at] != known["hips"]:
                out.add(self.controls[at])
                at = self.parents[at]
        return out

    def to_text(self) -> str:
        """As text, which is stored in the file."""
        return json.dumps(asdict(self))


def stored_rig(armature) -> ControlRig | None:
    """The controls that were found when the armature was set up; None if it needs none."""
    text = armature.writhe.rig
    return ControlRig(**json.loads(text)) if text else None


def find(context, armature) -> ControlRig | None:
    """The FK controls of a rig whose deform bones are moved by constraints; None if there are none.

    Every control is turned once, so this takes some seconds; the pose stays as it was.
    """
    pose = armature.pose.bones
    deform = [i for i, bone in enumerate(pose) if bone.bone.use_deform]
    if not any(_is_constrained(pose[i]) for i in _with_parents(pose, deform)):
        return None
    saved = [(bone.name, bone.matrix_basis.copy()) for bone in pose]
    action = armature.animation_data.action if armature.animation_data else None
    switches = [
        (bone.name, name, value)
        for bone in pose
        for name, value in SWITCHES.items()
        if name in bone
    ]
    before = [pose[bone][name] for bone, name, _ in switches]
    slot = getattr(armature.animation_data, "action_slot", None) if action else None
    try:
        if action is not None:
            armature.animation_data.action = None
        for bone in pose:
            bone.matrix_basis = Matrix.Identity(4)
        set_switches(armature, switches)
        rig = _found(context, armature, deform, switches)
        return rig if rig is not None and _holds(context, armature, rig, len(deform)) else None
    finally:
        for (bone, name, _), value in zip(switches, before):
            pose[bone][name] = value
        for name, basis in saved:
            pose[name].matrix_basis = basis
        if action is not None:
            armature.animation_data.action = action
            if slot is not None:
                armature.animation_data.action_slot = slot
        armature.update_tag()
        context.view_layer.update()


def _is_constrained(bone) -> bool:
    return any(not c.mute and c.influence > 0.0 for c in bone.constraints)


def _holds(context, armature, rig: ControlRig, deform: int) -> bool:
    """Whether the followers go where the tree says, for a pose of all controls; at rest before."""
    if len(rig.carried) < _MOST_OF_BODY * deform:
        return False
    pose, rng = armature.pose.bones, np.random.default_rng(0)
    names = [bone.name for bone in pose]
    rest = {name: np.array(pose[name].bone.matrix_local) for name in rig.controls}
    placed: list[np.ndarray] = []
    for name, parent in zip(rig.controls, rig.parents):
        turn = Matrix.Rotation(0.4, 4, Vector(rng.normal(size=3)).normalized())
        pose[name].matrix_basis = turn
        above = np.eye(4)
        if parent >= 0:
            above = placed[parent] @ np.linalg.inv(rest[rig.controls[parent]])
        placed.append(above @ rest[name] @ np.array(turn))
    now = _matrices(context, armature)
    for name in rig.controls:
        pose[name].matrix_basis = Matrix.Identity(4)
    there = now[[names.index(name) for name in rig.followers]]
    size = float(np.ptp(_ends(armature, now).reshape(-1, 3), axis=0).max())
    return bool(np.abs(there - placed).max() < 1e-3 * max(1.0, size))


def _with_parents(pose, chosen: list[int]) -> list[int]:
    index = {bone.name: i for i, bone in enumerate(pose)}
    return sorted(set(chosen) | {index[up.name] for i in chosen for up in pose[i].parent_recursive})


def _found(context, armature, deform: list[int], switches) -> ControlRig | None:
    pose = armature.pose.bones
    names = [bone.name for bone in pose]
    at_rest = _matrices(context, armature)
    back = np.linalg.inv(at_rest)
    ends = _ends(armature, at_rest)
    height = float(np.ptp(ends[deform].reshape(-1, 3), axis=0).max())
    near = _SAME * height
    turned: dict[int, _Turned] = {}
    for i, bone in enumerate(pose):
        if len(bone.constraints) or _MECHANISM.match(bone.name) or all(bone.lock_rotation):
            continue
        bone.matrix_basis = _TURN
        now = _matrices(context, armature)
        bone.matrix_basis = Matrix.Identity(4)
        turned[i] = _Turned(i, now @ back, ends, near)
    body = np.array(deform)
    moving = {i: t for i, t in turned.items() if t.touches[body].any()}
    wholes = [i for i, t in moving.items() if t.rigid[body].mean() > _MOST_OF_BODY]
    chosen = [i for i in wholes if moving[i].is_clean(body)]
    chosen += _joints(pose, moving, body, ends, near, set(wholes))
    if not chosen:
        return None
    chosen.sort(key=lambda i: -int(moving[i].rigid.sum()))
    chosen = _without_face(names, moving, chosen)
    parents = []
    for k, i in enumerate(chosen):
        above = [m for m, p in enumerate(chosen[:k]) if moving[p].whole[i]]
        parents.append(above[-1] if above else -1)
    carried = {}
    for b in deform:
        owners = [i for i in chosen if moving[i].rigid[b]]
        if owners:
            carried[names[b]] = names[owners[-1]]
    followers = [_follower(pose, at_rest, i, moving[i], near) for i in chosen]
    kept = {names[i] for i in chosen}
    watched = np.array([names.index(f) for f in followers])
    neutral = [
        names[i] for i, t in moving.items() if names[i] not in kept and t.touches[watched].any()
    ]
    return ControlRig([names[i] for i in chosen], parents, followers, carried, neutral, switches)


class _Turned:
    """What turning a control does: (n,) flags of all bones.

    rigid: both ends move with it; touches: an end moves, or the bone turns; whole: the bone moves
    with it in every respect.
    """

    def __init__(self, control: int, moves: np.ndarray, ends: np.ndarray, near: float) -> None:
        own = moves[control]
        there = np.einsum("nab,neb->nea", moves[:, :3, :3], ends) + moves[:, None, :3, 3]
        expected = ends @ own[:3, :3].T + own[:3, 3]
        shifted = np.linalg.norm(there - ends, axis=2).max(axis=1)
        off = np.linalg.norm(there - expected, axis=2).max(axis=1)
        self.whole = np.abs(moves - own).max(axis=(1, 2)) < 1e-3
        self.rigid = (shifted > near) & (off < near)
        self.partly = (shifted > near) & (off >= near)
        self.touches = np.abs(moves - np.eye(4)).max(axis=(1, 2)) > 1e-4
        self.head = ends[control, 0]

    def is_clean(self, body: np.ndarray) -> bool:
        """Whether it stretches no bone of the body."""
        return not self.partly[body].any()


def _joints(pose, moving, body, ends, near: float, wholes: set[int]) -> list[int]:
    """One control for each place of the body about which it turns what is below."""
    found: list[int] = []
    for i, t in sorted(moving.items(), key=lambda item: -int(item[1].rigid.sum())):
        own = body[t.rigid[body]]
        if i in wholes or not len(own) or not t.is_clean(body) or "tweak" in pose[i].name:
            continue
        if np.linalg.norm(ends[own] - t.head, axis=2).min() > 5 * near:
            continue
        if not any(
            np.linalg.norm(moving[k].head - t.head) < 10 * near and moving[k].rigid[own].any()
            for k in found
        ):
            found.append(i)
    return found


def _without_face(names: list[str], moving, chosen: list[int]) -> list[int]:
    """The controls without those below the head, which the head carries."""
    heads = [i for i in chosen if re.search(r"(^|[^a-z])head($|[^a-z])", names[i].lower())]
    return [i for i in chosen if not any(i != h and moving[h].whole[i] for h in heads)]


def _follower(pose, at_rest: np.ndarray, control: int, turned: _Turned, near: float) -> str:
    """A bone in the control's own frame that constraints move with it, or the control itself."""
    own = at_rest[control]
    same = np.linalg.norm(at_rest[:, :3, 3] - own[:3, 3], axis=1) < 5 * near
    same &= np.abs(at_rest[:, :3, :3] - own[:3, :3]).max(axis=(1, 2)) < 1e-3
    found = [
        bone for i, bone in enumerate(pose)
        if same[i] and turned.whole[i] and len(bone.constraints)
    ]  # fmt: skip
    found.sort(key=lambda bone: (not bone.name.startswith("ORG-"), not bone.bone.use_deform))
    return found[0].name if found else pose[control].name


def _matrices(context, armature) -> np.ndarray:
    """(n, 4, 4) all pose bones in the armature's space."""
    armature.update_tag()
    context.view_layer.update()
    pose = armature.pose.bones
    out = np.empty(16 * len(pose), dtype=np.float32)
    pose.foreach_get("matrix", out)
    return out.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)


def _ends(armature, matrices: np.ndarray) -> np.ndarray:
    """(n, 2, 3) heads and tails of bones."""
    length = np.array([bone.bone.length for bone in armature.pose.bones])
    heads = matrices[:, :3, 3]
    return np.stack([heads, heads + length[:, None] * matrices[:, :3, 1]], axis=1)


def set_switches(armature, switches) -> None:
    """Put switches to FK."""
    for bone, name, value in switches:
        owner = armature.pose.bones[bone]
        owner[name] = type(owner[name])(value)
    armature.update_tag()


def switch_path(bone, name: str) -> str:
    """The data path of a custom property of a pose bone."""
    return f'{bone.path_from_id()}["{name}"]'


def use_controls(armature) -> list[str]:
    """Let the FK controls alone move the rig; returns the switches and controls that changed."""
    rig = stored_rig(armature)
    if rig is None:
        return []
    pose = armature.pose.bones
    changed = [
        f"{name} of {bone}" for bone, name, value in rig.switches if pose[bone][name] != value
    ]
    set_switches(armature, rig.switches)
    for name in rig.neutral:
        if not _is_rest(pose[name]):
            pose[name].matrix_basis = Matrix.Identity(4)
            changed.append(name)
    return changed


def _is_rest(bone) -> bool:
    return bool(np.abs(np.array(bone.matrix_basis) - np.eye(4)).max() < 1e-6)


def why_not_curves(armature) -> str:
    """Why the curves of the FK controls do not say where the body is; empty if they do."""
    rig = stored_rig(armature)
    if rig is None:
        return ""
    pose = armature.pose.bones
    curves: dict[str, list] = {}
    for curve in fcurves.curves_of(armature):
        if len(curve.keyframe_points) and not curve.mute:
            curves.setdefault(curve.data_path, []).append(fcurves.Keys(curve))
    for bone, name, value in rig.switches:
        keyed = [key.co[:, 1] for key in curves.get(switch_path(pose[bone], name), ())]
        values = np.concatenate(keyed) if keyed else np.array([pose[bone][name]])
        if np.abs(values - value).max() > 1e-6:
            return f"{name} of {bone} is not {value:g}"
    for name in rig.neutral:
        own = f"{pose[name].path_from_id()}."
        keyed = [key for path, keys in curves.items() if path.startswith(own) for key in keys]
        if any(key.varies() for key in keyed):
            return f"the control {name} is animated"
        if not _is_rest(pose[name]):
            return f"the control {name} is not at rest"
    return ""
