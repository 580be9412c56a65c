"""Databases from folders: bad files are reported, builds resume, commands print JSON."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from writhe import save
from writhe.cli.app import run
from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.postures import build_database as building
from writhe.postures.build_database import DatabaseOptions, build_database, threshold_for
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate


@pytest.fixture
def clips(tmp_path):
    """Three clips of a waving human, one of them in a sub-folder, and a file that is none."""
    human = figure("human").skeleton
    folder = tmp_path / "clips"
    (folder / "more").mkdir(parents=True)
    for number, name in enumerate(("a.bvh", "b.bvh", "more/c.bvh")):
        swing = np.zeros((40, human.dof_count))
        swing[:, human.v_slice("left_shoulder")] = np.linspace(0, 1, 40)[:, None] * [0.1, 0.5, 0.9]
        swing[:, human.v_slice("left_hip").start] = -0.3 * number
        q = np.array([integrate(human, human.rest_configuration, v) for v in swing])
        save(Motion(human, q, 30.0), folder / name)
    (folder / "corrupt.bvh").write_text("HIERARCHY\nROOT hips\n{\n OFFSET 0 0")
    return folder


def call(capsys, *arguments) -> dict:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, arguments), "--json"])
    assert stop.value.code in (0, None)
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_folder_becomes_a_database_and_bad_files_are_named(capsys, clips, tmp_path):
    output = tmp_path / "out.parquet"
    answer = call(capsys, "db", "build", clips, "-o", output, "--every", 4, "--threshold", 0.001)
    assert (answer["files"], answer["postures"]) == (4, 30)
    assert list(answer["skipped"]) == ["corrupt.bvh"]
    database = PostureDatabase.load(output, figure("human"))
    assert len(database) == answer["kept"] <= 30
    assert set(database.clip) == {"a.bvh", "b.bvh", "more/c.bvh"}
    assert set(np.asarray(database.frame) % 4) == {0}
    assert list(tmp_path.glob(".out*")) == []  # the work folder is gone


def test_an_interrupted_build_goes_on_where_it_stopped(clips, tmp_path, monkeypatch):
    human, output = figure("human"), tmp_path / "out.parquet"
    read = []
    original = building.load

    def load_until(path, **options):
        if len(read) == 2:
            raise KeyboardInterrupt
        read.append(path.name)
        return original(path, **options)

    (clips / "corrupt.bvh").unlink()
    monkeypatch.setattr(building, "load", load_until)
    with pytest.raises(KeyboardInterrupt):
        build_database(clips, output, human)
    assert not output.exists()
    read.clear()
    report = build_database(clips, output, human)
    assert report.resumed == 2
    assert read == ["c.bvh"]
    monkeypatch.undo()
    assert build_database(clips, tmp_path / "straight.parquet", human).resumed == 0
    one = PostureDatabase.load(output, human)
    np.testing.assert_array_equal(
        one.q, PostureDatabase.load(tmp_path / "straight.parquet", human).q
    )


def test_other_options_or_a_changed_file_are_not_mixed_up_with_old_parts(clips, tmp_path):
    human, output = figure("human"), tmp_path / "out.parquet"
    work = tmp_path / ".out.parquet.work"
    build_database(clips, output, human, DatabaseOptions(every=4))
    shutil.rmtree(work, ignore_errors=True)
    keys = {building._part_key(clips / "a.bvh", "a.bvh", human, every) for every in (4, 5)}
    (clips / "a.bvh").write_text((clips / "a.bvh").read_text() + "\n")
    keys.add(building._part_key(clips / "a.bvh", "a.bvh", human, 4))
    assert len(keys) == 3


def test_penetrating_postures_are_flagged_or_dropped(tmp_path):
    human = figure("human")
    folder = tmp_path / "clips"
    folder.mkdir()
    rest = human.skeleton.rest_configuration
    inside = np.zeros(human.skeleton.dof_count)
    # the left arm swung straight through the chest
    inside[human.skeleton.v_slice("left_shoulder")] = [0.0, -2.4, 0.0]
    inside[human.skeleton.v_slice("left_elbow")] = 2.0
    q = np.array([rest, integrate(human.skeleton, rest, inside)])
    save(Motion(human.skeleton, q, 30.0), folder / "through.bvh")
    flagged = build_database(folder, tmp_path / "a.parquet", human, DatabaseOptions(every=1))
    assert (flagged.kept, flagged.penetrating) == (2, 1)
    assert PostureDatabase.load(tmp_path / "a.parquet", human).penetrating.tolist() == [False, True]
    dropped = DatabaseOptions(every=1, drop_penetrating=True)
    assert build_database(folder, tmp_path / "b.parquet", human, dropped).kept == 1


def test_info_merge_and_query(capsys, clips, tmp_path):
    one, two, both = (tmp_path / f"{n}.parquet" for n in ("one", "two", "both"))
    call(capsys, "db", "build", clips, "-o", one, "--every", 10, "--threshold", 0)
    call(capsys, "db", "build", clips / "more", "-o", two, "--every", 3, "--threshold", 0)
    answer = call(capsys, "db", "info", one)
    assert (answer["postures"], answer["clips"], answer["object"]) == (12, 3, "")
    assert set(answer["linking"]["left_arm:right_arm"]) == {"min", "max"}
    answer = call(capsys, "db", "merge", one, two, "-o", both)
    assert answer["kept"] == 12 + 14
    answer = call(capsys, "db", "merge", one, two, "-o", both, "--keep", 10)
    assert answer["kept"] <= 10
    pose = f"{clips / 'b.bvh'}@20"
    answer = call(capsys, "db", "query", one, "--pose", pose, "-k", 3)
    nearest = answer["neighbours"][0]
    assert (nearest["clip"], nearest["frame"]) == ("b.bvh", 20)
    assert nearest["distance"] == pytest.approx(0.0, abs=1e-6)
    distances = [n["distance"] for n in answer["neighbours"]]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    "arguments",
    [
        ["db", "build", "absent", "-o", "x.parquet"],
        ["db", "info", "absent.parquet"],
        ["db", "query", "{one}", "--pose", "{clip}"],
        ["db", "query", "{one}", "--pose", "{clip}@4000"],
        ["db", "merge", "{one}", "-o", "x.parquet"],
    ],
)
def test_misuse_is_one_line_and_code_two(capsys, clips, tmp_path, arguments):
    one = tmp_path / "one.parquet"
    build_database(clips / "more", one, figure("human"))
    words = [a.format(one=one, clip=clips / "a.bvh") for a in arguments]
    with pytest.raises(SystemExit) as stop:
        run(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err.strip().startswith("writhe: ")


def test_a_folder_without_motion_says_so(tmp_path):
    with pytest.raises(WritheError, match="holds no motion files"):
        build_database(tmp_path, tmp_path / "x.parquet", figure("human"))
    (tmp_path / "bad.bvh").write_text("nothing")
    with pytest.raises(WritheError, match="could be used"):
        build_database(tmp_path, tmp_path / "x.parquet", figure("human"))


def test_the_counts_of_the_paper_come_from_these_thresholds(mocap, tmp_path):
    human = figure("human")
    report = build_database(
        mocap / "ladder", tmp_path / "ladder.parquet", human, DatabaseOptions(every=4, keep=170)
    )
    assert report.postures == 360
    assert 168 <= report.kept <= 170  # at most as many as asked: equal distances go together
    assert 0.03 < report.threshold_m2 < 0.08
    # what is left out has a posture nearby
    assert report.left_out.p95_m < 0.05
    database = PostureDatabase.load(tmp_path / "ladder.parquet", human)
    assert threshold_for(database, 50) > report.threshold_m2
