"""Posing works on characters from elsewhere as on the human: prior, balance, presets, fingers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.arrays import Floats, vector3
from writhe.collision import CollisionTable, ContactPolicy, NearPairs, certify
from writhe.io.files import load_figure
from writhe.postures.builtin import builtin_database
from writhe.postures.retarget_posture import BodySetting, posture_on_body, sole_depth
from writhe.recognition.body_map import BodyMap
from writhe.research.evaluation.generated_characters import GeneratedCharacter
from writhe.scene.objects.chair import SEAT_HEIGHT_M
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.solvers.posing import Controls, Target, make_poser, pin_here
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import locked_dofs
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.support_polygon import distance_outside as outside
from writhe.solvers.posing.support_polygon import support_polygon

CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "characters"
POLICY = ContactPolicy()


def centre_of_mass(body: Figure, q: Floats) -> Floats:
    frames, mass = forward(body.skeleton, q), body.skeleton.mass
    centres = frames.positions + np.einsum(
        "jab,jb->ja", frames.rotations, body.skeleton.centre_of_mass
    )
    return mass @ centres / mass.sum()


def drag(body: Figure, hand: str, goal: Floats) -> Floats:
    """(frames, nq) the motion of a hand dragged to a goal with both feet pinned."""
    skeleton = body.skeleton
    actor = ActorInScene.alone(body, POLICY)
    poser = DefaultPoser(body, builtin_database(), actor=actor, controls=Controls.standing())
    q = skeleton.rest_configuration
    pins = [pin_here(skeleton, q, body.joint_of(f"{s}_ankle")) for s in ("left", "right")]
    start, rows = forward(skeleton, q).position(hand).copy(), [q]
    for k in range(1, 61):
        at = start + min(1.0, k / 40) * (goal - start)
        q = poser.step(q, [Target(hand, vector3(at))], pins).q
        rows.append(q)
    return np.array(rows)


def test_a_body_corresponds_to_the_human_at_rest(generated: GeneratedCharacter) -> None:
    body = generated.figure
    mapping = BodyMap(body, figure("human"))
    frames = forward(body.skeleton, body.skeleton.rest_configuration)
    q = mapping.to_reference(frames.positions, frames.rotations)
    proxy = forward(mapping.proxy.skeleton, q)
    for role, joint in generated.roles.items():
        apart = proxy.position(figure("human").joint_of(role)) - frames.position(joint)
        assert np.linalg.norm(apart) < 0.01, role


def test_a_dragged_hand_does_not_topple_the_body(generated: GeneratedCharacter) -> None:
    body = generated.figure
    hand = generated.roles["left_wrist"]
    frames = forward(body.skeleton, body.skeleton.rest_configuration)
    goal = frames.position(generated.roles["hips"]) + np.array([0.25, 0.25, 0.45])
    motion = drag(body, hand, goal)
    table = CollisionTable.of_figure(body, POLICY)
    assert certify(table, motion, 60.0).certified
    for q in motion[::10]:
        polygon = support_polygon(body, forward(body.skeleton, q))
        assert outside(polygon, centre_of_mass(body, q)[[0, 2]]) < 0.03
    last = forward(body.skeleton, motion[-1])
    assert np.linalg.norm(last.position(hand) - goal) < 0.02
    for side in ("left", "right"):
        foot = generated.roles[f"{side}_ankle"]
        assert np.linalg.norm(last.position(foot) - frames.position(foot)) < 0.005
    assert max(limit_excess(body.skeleton, motion[-1]).values(), default=0.0) < 0.02


def test_the_prior_changes_where_the_elbow_goes(generated: GeneratedCharacter) -> None:
    body = generated.figure
    rest = body.skeleton.rest_configuration
    hand, elbow = generated.roles["left_wrist"], generated.roles["left_elbow"]
    goal = forward(body.skeleton, rest).position(generated.roles["head"]) + np.array(
        [0.1, 0.1, 0.3]
    )
    ends = []
    for database in (None, builtin_database()):
        poser, q = make_poser("default", body, database), rest
        for _ in range(40):
            q = poser.step(q, [Target(hand, vector3(goal))], []).q
        ends.append(forward(body.skeleton, q).position(elbow))
    assert np.linalg.norm(ends[0] - ends[1]) > 0.005


@pytest.mark.parametrize("name", ["arms folded", "hands on hips", "squat"])
def test_preset_poses_keep_ground_and_touch(generated: GeneratedCharacter, name: str) -> None:
    body, database = generated.figure, builtin_database()
    human = database.q[database.clip.index(name)]
    q = posture_on_body(BodyMap(body, database.figure), human)
    assert BodySetting(body, sole_m=sole_depth(body)).clear(q)[0]
    frames = forward(body.skeleton, q)
    assert body.skin is not None
    skin = body.skin.deform(body.skeleton, frames.positions, frames.rotations)
    for side in ("left", "right"):
        ankle = frames.position(generated.roles[f"{side}_ankle"])
        foot = skin[np.hypot(skin[:, 0] - ankle[0], skin[:, 2] - ankle[2]) < 0.2]
        assert abs(float(foot[:, 1].min())) < 0.008
    touching = _hand_gaps(figure("human"), human)
    mapped = _hand_gaps(body, q)
    for pair, gap in touching.items():
        if gap < 0.01:
            assert mapped[pair] < 0.012, pair


def _hand_gaps(body: Figure, q: Floats) -> dict[tuple[str, ...], float]:
    """Gaps of the hands to the trunk and the arms, by roles."""
    table = CollisionTable.of_figure(body, POLICY)
    frames, near = forward(body.skeleton, q), NearPairs(table)
    near.find(frames.positions, frames.rotations, 2.0)
    role_of = {joint: role for role, joint in body.roles}
    out: dict[tuple[str, ...], float] = {}
    for i in range(near.count):
        roles = [role_of.get(body.skeleton.names[int(j)], "") for j in near.rows.joints[i]]
        hands = [r for r in roles if r.endswith("wrist")]
        others = [r for r in roles if r.endswith(("elbow", "shoulder", "hips"))]
        if hands and others and hands[0].split("_")[0] != others[0].split("_")[0]:
            key = (hands[0], others[0])
            out[key] = min(out.get(key, 9.0), float(near.rows.gap[i]))
    return out


def test_fingers_cost_nothing_until_they_are_held(mixamo_character: Path) -> None:
    body = load_figure(mixamo_character)
    skeleton, hand = body.skeleton, body.joint_of("left_wrist")
    finger = next(n for n in skeleton.names if "LeftHandIndex2" in n)
    locked = locked_dofs(body, frozenset({hand}))
    assert skeleton.dof_count - locked.sum() < 90
    assert locked[skeleton.v_slice(finger)].all()
    held = locked_dofs(body, frozenset({finger}))
    assert not held[skeleton.v_slice(finger)].any()
    motion = drag(
        body, hand, forward(skeleton, motion_start(body)).position(hand) - [0.2, 0.3, -0.2]
    )
    at = skeleton.q_slice(finger)
    np.testing.assert_allclose(motion[-1][at], motion[0][at], atol=1e-12)


def motion_start(body: Figure) -> Floats:
    return body.skeleton.rest_configuration


def test_a_document_keeps_limits_and_masses(generated: GeneratedCharacter) -> None:
    from writhe.studio.document.embedded_figures import decode_figure, encode_figure

    body = generated.figure
    again = decode_figure(encode_figure(body))
    np.testing.assert_allclose(again.skeleton.mass, body.skeleton.mass)
    for before, after in zip(body.skeleton.joints, again.skeleton.joints, strict=True):
        assert (before.limits is None) == (after.limits is None)
        if before.limits is not None and after.limits is not None:
            np.testing.assert_allclose(after.limits.frame, before.limits.frame)
            np.testing.assert_allclose(after.limits.upper, before.limits.upper)


@pytest.mark.parametrize(("library", "name"), [("basic", "guard"), ("chair", "sit, typing")])
def test_feet_of_preset_poses_stand_on_their_skin(
    mixamo_character: Path, library: str, name: str
) -> None:
    body = load_figure(mixamo_character)
    skeleton, skin = body.skeleton, body.skin
    assert skin is not None
    database = builtin_database(library)
    human = database.q[database.clip.index(name)]
    q = posture_on_body(BodyMap(body, database.figure), human, database.object_name)
    setting = BodySetting(body, database.object_name, sole_depth(body))
    assert setting.clear(q)[0]
    frames = forward(skeleton, q)
    heights = skin.deform(skeleton, frames.positions, frames.rotations)[:, 1]
    for side in ("left", "right"):
        foot = skeleton.index(body.joint_of(f"{side}_ankle"))
        mine = np.isin(skin.vertex_joint, range(foot, int(skeleton.tree.subtree_end[foot])))
        assert abs(float(heights[mine].min())) < 0.004


def test_feet_that_lie_on_their_instep_are_not_in_the_floor(generated: GeneratedCharacter) -> None:
    body = generated.figure
    assert body.skin is not None
    database = builtin_database("basic")
    human = database.q[database.clip.index("kneel arms folded")]
    frames = forward(body.skeleton, posture_on_body(BodyMap(body, database.figure), human))
    heights = body.skin.deform(body.skeleton, frames.positions, frames.rotations)[:, 1]
    feet = [j for role, j in generated.roles.items() if role.endswith(("ankle", "toe"))]
    mine = np.isin(body.skin.vertex_joint, [body.skeleton.index(j) for j in feet])
    assert -0.005 < heights[mine].min() < 0.005


def test_hands_in_the_lap_do_not_lock_the_feet_in_the_floor() -> None:
    path = CHARACTERS / "mixamo.fbx"
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    pytest.importorskip("ufbx", reason="no FBX reader: pip install 'writhe[fbx]'")
    body = load_figure(path)
    database = builtin_database("chair")
    human = database.q[database.clip.index("sit wide, hands in lap")]
    q = posture_on_body(BodyMap(body, database.figure), human, "chair")
    assert BodySetting(body, "chair", sole_depth(body)).clear(q)[0]
    frames = forward(body.skeleton, q)
    hands = [frames.position(body.joint_of(f"{side}_wrist")) for side in ("left", "right")]
    assert np.linalg.norm(hands[0] - hands[1]) < 0.25


def test_a_small_person_sits_on_the_seat_not_in_it() -> None:
    path = CHARACTERS / "meebit.vrm"
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    body = load_figure(path)
    database = builtin_database("chair")
    human = database.q[database.clip.index("sit, hands on thighs")]
    q = posture_on_body(BodyMap(body, database.figure), human, "chair")
    assert BodySetting(body, "chair", sole_depth(body)).clear(q)[0]
    frames = forward(body.skeleton, q)
    hips = frames.position(body.joint_of("hips"))
    assert SEAT_HEIGHT_M < hips[1] < SEAT_HEIGHT_M + 0.15
    assert abs(hips[2]) < 0.3
    left, right = (frames.position(body.joint_of(f"{side}_ankle"))[1] for side in ("left", "right"))
    assert max(left, right) < hips[1] - 0.1
    assert abs(left - right) < 0.03, "hands on the thighs must not lift a leg"
