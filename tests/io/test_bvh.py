"""BVH: round trips, and errors that name the line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from writhe import load, save
from writhe.errors import FileFormatError, WritheError
from writhe.io.file_size_limits import MAX_JOINTS
from writhe.kernels.io.number_text import parse_rows
from writhe.kernels.skeleton.euler_channels import quaternions_to_euler
from writhe.research.evaluation.rigs import STYLES, build_rig
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Tip, forward
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure

ARM = """HIERARCHY
ROOT Base
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Upper
  {
    OFFSET 0.5 0 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT Lower
    {
      OFFSET 0.5 0 0
      CHANNELS 1 Zrotation
      JOINT Weld
      {
        OFFSET 0.1 0 0
        CHANNELS 0
        End Site
        {
          OFFSET 0.2 0 0
        }
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 10 20 30 40 50 60 70
1.5e0 -2E-1 +3 10 20 30 40 50 60 -70.5
"""


def write(tmp_path, text, name="arm.bvh"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def euler(order: str, *degrees: float) -> np.ndarray:
    return Rotation.from_euler(order, degrees, degrees=True).as_matrix()


def test_channels_are_read_in_the_order_of_the_file(tmp_path):
    motion = load(write(tmp_path, ARM))
    kinds = [j.kind for j in motion.skeleton.joints]
    assert kinds == [JointKind.FREE, JointKind.BALL, JointKind.HINGE, JointKind.FIXED]
    assert motion.fps == 30.0
    assert [t.name for t in motion.skeleton.tips] == ["Weld_end"]
    base = euler("ZXY", 10, 20, 30)
    upper = base @ euler("YZX", 40, 50, 60)
    lower = upper @ euler("Z", 70)
    at = np.array([1, 2, 3.0])  # a position channel replaces the offset
    at_upper = at + base @ [0.5, 0, 0]
    at_lower = at_upper + upper @ [0.5, 0, 0]
    frames = motion.frames()
    np.testing.assert_allclose(frames.position("Base")[0], at, atol=1e-12)
    np.testing.assert_allclose(frames.position("Lower")[0], at_lower, atol=1e-12)
    np.testing.assert_allclose(
        forward(motion.skeleton, motion.q[0]).tip("Weld_end"),
        at_lower + lower @ [0.3, 0, 0],
        atol=1e-12,
    )
    np.testing.assert_allclose(frames.position("Base")[1], [1.5, -0.2, 3], atol=1e-12)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("blanks", [" ", "\t", " \t  "])
def test_line_ends_and_blanks_do_not_matter(tmp_path, ends, blanks):
    plain = load(write(tmp_path, ARM))
    head, numbers = ARM.split("MOTION")
    changed = (head.replace("  ", "\t") + "MOTION" + numbers.replace(" ", blanks)).replace(
        "\n", ends
    )
    other = load(write(tmp_path, "\ufeff" + changed + ends + ends, "other.bvh"))
    np.testing.assert_array_equal(plain.q, other.q)


@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_reading_in_blocks_changes_nothing(tmp_path, monkeypatch, size):
    human = figure("human").skeleton
    rng = np.random.default_rng(1)
    q = [kin.integrate(human, human.rest_configuration, rng.normal(0, 1, human.dof_count))]
    path = tmp_path / "m.bvh"
    save(Motion(human, np.repeat(q, 40, axis=0), fps=30.0), path)
    whole = load(path)
    monkeypatch.setattr("writhe.io.bvh.read.BLOCK_BYTES", 1200 + size)
    np.testing.assert_array_equal(load(path).q, whole.q)


def test_position_channels_that_only_add_are_recognised(tmp_path):
    text = ARM.replace("OFFSET 0 1 0", "OFFSET 0 100 0").replace("\n1 2 3", "\n0 0.5 0")
    motion = load(write(tmp_path, text.replace("1.5e0 -2E-1 +3", "0 1 0")), metres_per_unit=1.0)
    np.testing.assert_allclose(motion.frames().position("Base")[0], [0, 100.5, 0])
    assert motion.source["positions_added_to_offset"] == ["Base"]
    save(motion, tmp_path / "again.bvh")
    again = load(tmp_path / "again.bvh", metres_per_unit=1.0)
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-6)


def test_one_axis_with_the_whole_translation_decides_for_all(tmp_path):
    """Hips with OFFSET far from the floor's origin, and channels that have the height only."""
    text = ARM.replace("OFFSET 0 1 0", "OFFSET 0.8 94 -452").replace("\n1 2 3", "\n0.5 93.5 -9")
    text = text.replace("1.5e0 -2E-1 +3", "0.5 93.5 -9")
    motion = load(write(tmp_path, text), metres_per_unit=1.0)
    np.testing.assert_allclose(motion.frames().position("Base")[0], [0.5, 93.5, -9])
    assert motion.source["positions_added_to_offset"] == []


@pytest.mark.parametrize(
    ("style", "metres"),
    [("lafan1", 0.01), ("biped", 0.0254), ("unity", 1.0), ("bandai-namco", 0.01)],
)
def test_the_unit_of_a_person_is_guessed_from_its_body(tmp_path, style, metres):
    """A root far from the body does not count."""
    rig = build_rig(STYLES[style]).skeleton
    q = rig.rest_configuration
    q[:3] = [3.0 / metres, 0.0, -2.0 / metres]
    save(Motion(rig, q[None], fps=30.0), tmp_path / "a.bvh", metres_per_unit=1.0)
    source = load(tmp_path / "a.bvh").source
    assert source["metres_per_unit"] == metres
    assert "1.7" in source["unit_from"]


def test_several_roots_and_repeated_names(tmp_path):
    head, tail = ARM.split("MOTION\n")
    rows = [line + " " + line for line in tail.splitlines()[2:]]
    text = head + head.removeprefix("HIERARCHY\n") + "MOTION\nFrames: 2\nFrame Time: 0.1\n"
    motion = load(write(tmp_path, text + "\n".join(rows)))
    assert motion.skeleton.names[4:] == ("Base_2", "Upper_2", "Lower_2", "Weld_2")
    frames = motion.frames()
    np.testing.assert_array_equal(frames.position("Lower"), frames.position("Lower_2"))


def test_saving_keeps_hierarchy_channels_and_time(tmp_path):
    motion = load(write(tmp_path, ARM))
    save(motion, tmp_path / "again.bvh")
    again = load(tmp_path / "again.bvh")
    assert again.skeleton.names == motion.skeleton.names
    for key in ("channels", "frame_time_s", "metres_per_unit"):
        assert again.source[key] == motion.source[key]
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-6)


def test_saving_starts_from_the_angles_of_the_file(tmp_path):
    """Of all equivalent Euler angles, those of the file are written, full turns included."""
    text = ARM.replace("40 50 60", "400 130 -300")
    motion = load(write(tmp_path, text))
    save(motion, tmp_path / "again.bvh")
    row = (tmp_path / "again.bvh").read_text().splitlines()[-2].split()
    np.testing.assert_allclose([float(x) for x in row[6:9]], [400, 130, -300], atol=1e-6)


def test_a_joint_whose_motion_exceeds_its_channels_gets_all_channels(tmp_path):
    """A hinge of a file that was changed to a ball joint and posed must keep its motion."""
    motion = load(write(tmp_path, ARM))
    joints = [
        Joint(j.name, j.parent, JointKind.BALL, j.offset_in_parent) if j.name == "Lower" else j
        for j in motion.skeleton.joints
    ]
    skeleton = Skeleton(joints, motion.skeleton.tips)
    rng = np.random.default_rng(0)
    q = kin.integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 1, skeleton.dof_count))
    posed = Motion(skeleton, q[None], fps=30.0, source=motion.source)
    save(posed, tmp_path / "posed.bvh")
    again = load(tmp_path / "posed.bvh")
    assert again.source["channels"]["Lower"] == ["Zrotation", "Xrotation", "Yrotation"]
    np.testing.assert_allclose(again.frames().positions, posed.frames().positions, atol=1e-6)


def test_a_skeleton_with_turned_rest_frames_keeps_its_positions(tmp_path, rng):
    tilt = np.array([0.5, 0.5, -0.5, 0.5])
    axis = np.array([0.0, 0.6, 0.8])
    a = np.array([0.1, 0.4, -0.2])
    skeleton = Skeleton(
        [
            Joint("root", None, JointKind.FREE, a, tilt),
            Joint("hinge", "root", JointKind.HINGE, a, tilt, axis),
            Joint("slide", "hinge", JointKind.PRISMATIC, a, tilt, axis),
            Joint("weld", "slide", JointKind.FIXED, a, tilt),
            Joint("ball", "weld", JointKind.BALL, a, tilt),
        ],
        [Tip("end", "ball", a)],
    )
    q = [
        kin.integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.5, skeleton.dof_count))
        for _ in range(9)
    ]
    motion = Motion(skeleton, np.array(q), 60.0)
    save(motion, tmp_path / "x.bvh")
    again = load(tmp_path / "x.bvh")
    assert again.fps == 60.0
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=5e-6)
    for i in (0, 8):
        np.testing.assert_allclose(
            forward(again.skeleton, again.q[i]).tip("ball_end"),
            forward(skeleton, motion.q[i]).tip("end"),
            atol=5e-6,
        )


orders = st.permutations([0, 1, 2])


@given(orders, st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=12))
def test_euler_angles_rebuild_the_rotation(order, vectors):
    turns = Rotation.from_rotvec(np.array(vectors))
    quaternions = np.roll(turns.as_quat(), 1, axis=1)[:, None]
    angles, axes = np.empty((len(vectors), 1, 3)), np.array([order])
    quaternions_to_euler(quaternions, axes, np.empty((3, 3)), np.zeros((1, 3)), angles)
    name = "".join("XYZ"[k] for k in order)
    rebuilt = Rotation.from_euler(name, angles[:, 0])
    assert (rebuilt * turns.inv()).magnitude().max() < 1e-7


def test_euler_angles_stay_continuous_through_wraps_and_gimbal_lock():
    """A smooth motion must not jump in its channels: readers interpolate them linearly."""
    t = np.linspace(0, 1, 400)
    angles = np.stack([6 * np.pi * t, 2.2 * np.sin(5 * t), -5 * np.pi * t], axis=1)
    turns = Rotation.from_euler("ZXY", angles)
    quaternions = np.roll(turns.as_quat(), 1, axis=1)[:, None]
    out = np.empty((len(t), 1, 3))
    axes = np.array([[2, 0, 1]])
    quaternions_to_euler(quaternions, axes, np.empty((3, 3)), np.zeros((1, 3)), out)
    np.testing.assert_allclose(out[:, 0], angles, atol=1e-6)


def test_numbers_are_read_as_python_reads_them():
    words = ["1e-3", "-0.000001234567", "123456789.987654321", ".5", "5.", "1E+2", "-0", "0.1"]
    words += ["3.141592653589793238", "1e-300", "-00000000000000000000001.5", "0.1e-330", "1e22"]
    words += ["123456789012345678901234567890.5", "0.00000000000000000000000000123", "9" * 40]
    data = np.frombuffer((" ".join(words) + "\n").encode(), dtype=np.uint8)
    values, state = np.empty((1, len(words))), np.zeros(4, dtype=np.int64)
    assert parse_rows(data, len(data), len(words), values, 1, state) == 0
    np.testing.assert_allclose(values[0], [float(w) for w in words], rtol=4e-16)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_printed_numbers_round_trip(numbers):
    text = " ".join(map(repr, numbers)) + "\n"
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    values, state = np.empty((1, len(numbers))), np.zeros(4, dtype=np.int64)
    assert parse_rows(data, len(data), len(numbers), values, 1, state) == 0
    np.testing.assert_allclose(values[0], numbers, rtol=2e-15, atol=1e-305)


def test_a_last_line_without_an_end_is_read(tmp_path):
    whole, cut = load(write(tmp_path, ARM)), load(write(tmp_path, ARM.rstrip("\n"), "cut.bvh"))
    np.testing.assert_array_equal(whole.q, cut.q)


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (lambda t: t.replace("MOTION", "MOTION_"), 31, "MOTION"),
        (lambda t: t.replace("-70.5", ""), 30, "9 numbers, the channels need 10"),
        (lambda t: t.replace("-70.5", "-70.5 3"), 30, "more than the 10"),
        (lambda t: t.replace("-70.5", "-70.5x"), 30, "not a number"),
        (lambda t: t.replace("-70.5", "nan"), 30, "not finite"),
        (lambda t: t.replace("-70.5", "1e999"), 30, "not finite"),
        (lambda t: t.replace("Frames: 2", "Frames: 3"), 31, "promises 3 frames, the file holds 2"),
        (lambda t: t.replace("Frames: 2", "Frames: 1"), 30, "more lines than the 1"),
        (lambda t: t.replace("Frames: 2", "Frames: 99999999999"), 27, "99999999999 frames"),
        (lambda t: t.replace("Frames: 2", "Frames: two"), 27, "'two'"),
        (lambda t: t.replace("0.0333333", "0"), 28, "frame time"),
        (lambda t: t.replace("Frame Time:", "Time:"), 28, "Frame Time"),
        (lambda t: t.replace("OFFSET 0.5 0 0", "OFFSET 0.5 0", 1), 9, "not a number for OFFSET"),
        (lambda t: t.replace("OFFSET 0.5 0 0", "OFFSET inf 0 0", 1), 8, "not a number for OFFSET"),
        (lambda t: t.replace("Yrotation Zrotation", "Yrotation Wrotation"), 9, "'Wrotation'"),
        (lambda t: t.replace("Yrotation Zrotation", "Yrotation Yrotation"), 9, "twice"),
        (lambda t: t.replace("}\nMOTION", "}\n}\nMOTION"), 26, "found '}'"),
        (lambda t: t.replace("}\nMOTION", "\nMOTION"), 24, "the hierarchy ends"),
        (lambda t: t.replace("JOINT Upper", "JOINT "), 6, "without a name"),
        (lambda t: t.replace("HIERARCHY", "HIERARCHI"), 1, "starts with HIERARCHY"),
    ],
)
def test_a_malformed_file_is_refused_with_line_and_reason(tmp_path, change, line, says):
    with pytest.raises(FileFormatError) as error:
        load(write(tmp_path, change(ARM)))
    assert says in str(error.value)
    assert error.value.line == line, str(error.value)


def test_the_number_of_end_sites_is_limited_wherever_they_are(tmp_path):
    sites = "  End Site\n  {\n    OFFSET 0 1 0\n  }\n" * (MAX_JOINTS + 1)
    after_the_child = ARM.replace("  }\n}\nMOTION", "  }\n" + sites + "}\nMOTION")
    with pytest.raises(FileFormatError, match="more than"):
        load(write(tmp_path, after_the_child))


def test_a_wrong_frame_count_allocates_no_memory(tmp_path):
    path = write(tmp_path, ARM.replace("Frames: 2", "Frames: 9000000"))
    import tracemalloc

    load(write(tmp_path, ARM, "small.bvh"))
    tracemalloc.start()
    with pytest.raises(FileFormatError, match="cut short"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()


def test_a_failed_save_leaves_the_old_file_alone(tmp_path):
    path = write(tmp_path, ARM)
    skeleton = Skeleton([Joint("stone", None, JointKind.FIXED)])
    with pytest.raises(WritheError, match="no joint"):
        save(Motion(skeleton, np.zeros((3, 0)), fps=30.0), path)
    assert path.read_text() == ARM
    assert [p.name for p in tmp_path.iterdir()] == ["arm.bvh"]


def test_unknown_suffixes_and_missing_files_are_named(tmp_path):
    with pytest.raises(FileFormatError, match=r"\.bvh, \.glb, \.gltf.*\.npz"):
        load(tmp_path / "a.c3d")
    with pytest.raises(FileFormatError, match="no such file"):
        load(tmp_path / "a.bvh")


@pytest.mark.parametrize(
    ("factor", "metres"), [(1.0, 1.0), (100.0, 0.01), (1000.0, 0.001), (1 / 0.0254, 0.0254)]
)
def test_units_are_guessed_from_the_size_of_a_person(tmp_path, factor, metres):
    human = figure("human").skeleton
    motion = Motion(human, human.rest_configuration[None], fps=30.0)
    save(motion, tmp_path / "p.bvh", metres_per_unit=1 / factor)
    again = load(tmp_path / "p.bvh")
    assert again.source["metres_per_unit"] == pytest.approx(metres)
    assert "guessed" in again.source["unit_from"]
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-5)
