"""A character of another program as plain arrays: body, drags, certified and cleaned actions."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import WritheError, forward
from writhe.collision import certify
from writhe.plugin import Session
from writhe.plugin.action import Action
from writhe.postures.preset_poses import posture_of
from writhe.postures.synthetic_clips import builtin_movements
from writhe.skeleton import quaternions
from writhe.skeleton.figures import figure

HUMAN = figure("human")


def world_matrices(q: np.ndarray) -> np.ndarray:
    """(n, 4, 4) of the human's joints, as a program would send its bones."""
    frames = forward(HUMAN.skeleton, q)
    out = np.tile(np.eye(4), (len(HUMAN.skeleton), 1, 1))
    out[:, :3, :3], out[:, :3, 3] = frames.rotations, frames.positions
    return out


REST = world_matrices(HUMAN.skeleton.rest_configuration)
BONES = list(HUMAN.skeleton.names)


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    parent = [int(p) for p in HUMAN.skeleton.tree.parent]
    info = made.request(
        "set_character",
        {"name": "Anna.001", "bones": BONES, "parent": parent, "rest": REST, "pose": REST,
         "moving": [True] * len(BONES)},
    )  # fmt: skip
    assert info["is_person"] and info["roles"]["left_wrist"] == "left_wrist"
    assert len(info["capsules"]["joint"]) > 10
    return made


def track(times_s: list[float], turns: np.ndarray) -> dict:
    """Linear curves of quaternions (k, 4)."""
    times = np.array(times_s)
    return {"mode": "QUATERNION", "location": [],
            "rotation": [{"times_s": times, "values": column} for column in turns.T]}  # fmt: skip


def arm_through_chest() -> dict:
    """The left arm swung forwards and across the trunk, deep into it, and back."""
    across = quaternions.from_rotation_vectors(
        np.array([[0.0, 0.0, 0.0], [0.0, -2.6, -0.6], [0.0, 0.0, 0.0]])
    )
    bent = quaternions.from_rotation_vectors(
        np.array([[0.0, 0.0, 0.0], [0.0, -0.9, 0.0], [0.0, 0.0, 0.0]])
    )
    times = [0.0, 0.5, 1.0]
    return {"left_shoulder": track(times, across), "left_elbow": track(times, bent)}


def standing() -> np.ndarray:
    """(n, 4, 4) of the preset pose in which the human stands."""
    origin = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    rest = HUMAN.skeleton.rest_configuration
    return world_matrices(posture_of(HUMAN, "basic", "stand", rest, origin))


def test_local_coordinates_give_the_pose_back(session, rng):
    character = session.stage.character("Anna.001")
    q = character.skeleton.rest_configuration.copy()
    for name in BONES:
        part = q[character.skeleton.q_slice(name)]
        part[-4:] = quaternions.normalised(part[-4:] + 0.3 * rng.normal(size=4))
    frames = forward(character.skeleton, q)
    matrices = np.tile(np.eye(4), (1, len(BONES), 1, 1))
    for j, name in enumerate(BONES):
        matrices[0, j, :3, :3] = frames.rotation(name)
        matrices[0, j, :3, 3] = frames.position(name)
    rotation, _ = character.local(character.configurations(matrices))
    expected, _ = character.local(q)
    dot = np.abs((rotation[0] * expected).sum(axis=1))
    assert np.allclose(dot, 1.0, atol=1e-12)


def test_a_dragged_hand_gets_near_its_target_and_stays_clear(session):
    data = {"character": "Anna.001", "poses": {"Anna.001": REST}, "floor_m": None,
            "handles": [{"bone": "left_wrist", "point": [0.0, 0.0, 0.0]}]}  # fmt: skip
    start = session.request("begin_drag", data)["points"]
    goal = start * [-0.2, 0.9, 1.0] + [0.0, 0.0, 0.25]
    rows, answer = [], {}
    for share in np.linspace(0.02, 1.0, 60):
        answer = session.request("drag", {"points": start + share * (goal - start)})
        rows.append(session._drag.q.copy())
    assert answer["error_m"]["left_wrist"] < 0.05
    assert not answer["touching"]
    table = session.stage.scene.layout.table
    assert certify(table, np.array([session._drag._poser.actor.full_configuration(q)
                                    for q in rows]), fps=60.0).certified  # fmt: skip
    session.request("end_drag", {})


def test_an_arm_through_the_chest_is_found_and_cleaned(session):
    data = {"actions": {"Anna.001": arm_through_chest()}, "floor_m": None}
    found = session.request("certify", data)
    assert found["verdict"] in ("passes through", "penetrating")
    assert found["marks"] and 0.0 < found["marks"][0]["time_s"] < 1.0
    shares: list[float | None] = []
    cleaned = session.request(
        "clean", {**data, "character": "Anna.001", "fps": 30.0, "frames": 31},
        lambda share, what="": shares.append(share),
    )  # fmt: skip
    assert cleaned["after"]["certified"], cleaned["message"]
    known = [share for share in shares if share is not None]
    assert len(known) >= 2 and known == sorted(known) and 0.0 < known[0] < known[-1] <= 1.0
    actions = {
        bone: track(list(cleaned["times_s"]), keys["rotation"])
        | {
            "location": []
            if keys["location"] is None
            else [{"times_s": cleaned["times_s"], "values": c} for c in keys["location"].T]
        }
        for bone, keys in cleaned["characters"]["Anna.001"].items()
    }
    merged = {**arm_through_chest(), **actions}
    again = session.request("certify", {"actions": {"Anna.001": merged}, "floor_m": None})
    assert again["certified"]


def test_arms_are_wound_step_by_step_and_by_keys(session):
    tangle = {"first": {"character": "Anna.001", "limb": "left_arm"},
              "second": {"character": "Anna.001", "limb": "right_arm"}}  # fmt: skip
    poses = {"Anna.001": standing()}
    data = {"poses": poses, "floor_m": None, "tangle": tangle, "movers": ["Anna.001"]}
    before = session.request("begin_winding", data)["writhe"]
    goal, answer = {**tangle, "writhe": before + 0.2}, {}
    rows = [session._winding.q.copy()]
    for _ in range(100):
        answer = session.request("wind", {"tangle": goal})
        rows.append(session._winding.q.copy())
        if answer["reached"] or answer["stalled"]:
            break
    assert answer["writhe"] == pytest.approx(before + 0.2, abs=0.03)
    assert certify(session.stage.scene.layout.table, np.array(rows), fps=60.0).certified
    keys = [{**goal, "time_s": 0.5, "movers": ["Anna.001"]}]
    found = session.request(
        "wind_keys", {"poses": poses, "tangle_keys": keys, "fps": 20.0},
    )  # fmt: skip
    assert found["after"]["certified"]
    assert found["times_s"][-1] == pytest.approx(0.5)
    assert "left_shoulder" in found["characters"]["Anna.001"]


def test_a_hand_follows_a_drawn_curve(session):
    hand = standing()[BONES.index("left_wrist"), :3, 3]
    points = hand + np.array(
        [[0.0, 0.1, 0.15], [0.0, 0.25, 0.35], [0.1, 0.4, 0.45], [0.2, 0.45, 0.45]]
    )
    found = session.request(
        "follow", {"poses": {"Anna.001": standing()}, "character": "Anna.001", "points": points,
                   "limb": "left_arm", "style": "expressive", "span_s": [0.5, 2.0], "fps": 24.0},
    )  # fmt: skip
    assert found["after"]["certified"], found["message"]
    assert found["times_s"][0] == pytest.approx(0.5) and found["times_s"][-1] == pytest.approx(2.0)
    tracks = {
        bone: track(list(found["times_s"]), keys["rotation"])
        | {
            "location": []
            if keys["location"] is None
            else [{"times_s": found["times_s"], "values": c} for c in keys["location"].T]
        }
        for bone, keys in found["characters"]["Anna.001"].items()
    }
    character = session.stage.character("Anna.001")
    q = Action.from_plain(tracks).at(character, np.array([2.0]))[0]
    end = forward(character.skeleton, q).position("left_wrist")
    assert np.linalg.norm(end - points[-1]) < 0.05


def test_built_in_styles_fit_a_body_with_the_humans_names_and_other_joints(session):
    body = session.stage.character("Anna.001").figure  # its elbows are balls, not hinges
    ours, theirs = (builtin_movements(one)["golf"][0] for one in (HUMAN, body))
    for row in (0, 20, 40):
        a, b = forward(HUMAN.skeleton, ours.q[row]), forward(body.skeleton, theirs.q[row])
        for wrist in ("left_wrist", "right_wrist"):
            apart = a.position(wrist) - a.position("hips") - b.position(wrist) + b.position("hips")
            assert np.linalg.norm(apart) < 0.03


def test_an_obstacle_in_the_way_is_not_passed(session):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])
    hand = REST[BONES.index("left_wrist"), :3, 3]
    matrix = np.eye(4)
    matrix[:3, 3] = hand + np.array([0.0, 0.0, 0.35])
    answer = session.request(
        "set_obstacle", {"name": "Box", "vertices": corners, "triangles": faces,
                         "matrix": matrix, "split": False},
    )  # fmt: skip
    assert answer["pieces"] == 1
    session.request(
        "begin_drag",
        {"character": "Anna.001", "poses": {"Anna.001": REST}, "floor_m": None,
         "placements": {"Box": matrix},
         "handles": [{"bone": "left_wrist", "point": [0.0, 0.0, 0.0]}]},
    )  # fmt: skip
    for share in np.linspace(0.05, 1.0, 30):
        answer = session.request("drag", {"points": (hand + share * (matrix[:3, 3] - hand))[None]})
    assert answer["error_m"]["left_wrist"] > 0.05  # the middle of the box cannot be reached
    assert not answer["touching"]
    session.request("keep", {"characters": ["Anna.001"], "obstacles": []})


def test_preset_poses_have_names_and_fit(session):
    names = session.request("preset_names", {})["names"]
    assert len(names) > 10
    pose = session.request(
        "preset_pose",
        {"character": "Anna.001", "pose": names[0], "poses": {"Anna.001": REST}},
    )
    assert pose["rotation"].shape == (len(BONES), 4)


def test_misuse_is_said_in_a_sentence(session):
    with pytest.raises(WritheError, match="request"):
        session.request("fly", {})
    with pytest.raises(WritheError, match="Bob"):
        session.request("begin_drag", {"character": "Bob", "handles": []})
    with pytest.raises(WritheError, match="parents"):
        session.request(
            "set_character",
            {"name": "Eve", "bones": ["a"], "parent": [0], "rest": REST[:1], "pose": REST[:1],
             "moving": [True]},
        )  # fmt: skip
