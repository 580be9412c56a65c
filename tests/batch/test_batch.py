"""Batches: whole folders, resumable, with one row per file."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from writhe.batch import BatchOptions, Settings, Source, find_sources, in_shard, run_batch
from writhe.batch.journal import FOLDER, read_rows, write_table
from writhe.batch.parallel import Engine, run_tasks
from writhe.batch.report import write_report
from writhe.batch.result_row import Row
from writhe.batch.task import BatchTask, new_row, run_task
from writhe.cli.app import build_app
from writhe.errors import WritheError
from writhe.io import load, save
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure

CLIPS = ("a/still.bvh", "a/turn.bvh", "b/through.bvh")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three clips of the human: standing, turning, and an arm through the chest; one bad file."""
    folder = tmp_path_factory.mktemp("library")
    human = figure("human")
    rest = human.skeleton.rest_configuration
    still = np.tile(rest, (6, 1))
    turn, through = still.copy(), still.copy()
    at = int(human.skeleton.tree.q_start[human.skeleton.index("neck")])
    for i, angle in enumerate(np.linspace(0.0, 0.3, 6)):
        turn[i, at : at + 4] = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
    at = int(human.skeleton.tree.q_start[human.skeleton.index("left_shoulder")])
    for i, angle in enumerate(np.linspace(0.0, 3.0, 6)):
        through[i, at : at + 4] = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    for name, q in zip(CLIPS, (still, turn, through), strict=True):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        save(Motion(human.skeleton, q, fps=30.0, name=path.stem), path)
    (folder / "b" / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    (folder / "notes.txt").write_text("not a motion")
    return folder


def rows_of(library: Path, out: Path, operation: str = "certify", **options: object) -> list[Row]:
    settings = Settings(operation)
    return list(run_batch(find_sources([library]), settings, BatchOptions(out, **options)))  # type: ignore[arg-type]


def test_a_folder_gives_one_row_per_clip_and_a_bad_file_stops_nothing(
    library: Path, tmp_path: Path
) -> None:
    rows = {row.file: row for row in rows_of(library, tmp_path)}
    assert sorted(rows) == ["a/still.bvh", "a/turn.bvh", "b/broken.bvh", "b/through.bvh"]
    assert rows["a/still.bvh"].verdict == rows["a/turn.bvh"].verdict == "certified"
    assert rows["b/through.bvh"].verdict in ("passes through", "penetrating")
    assert not rows["b/through.bvh"].passes
    broken = rows["b/broken.bvh"]
    assert broken.error_kind == "input" and "broken.bvh" in (broken.error or "")


def test_cleaned_files_are_certified_when_read_again(library: Path, tmp_path: Path) -> None:
    rows = {row.file: row for row in rows_of(library, tmp_path, "clean")}
    row = rows["b/through.bvh"]
    assert row.output is not None
    assert (row.penetration_before_mm or 0) > 1.0
    again = rows_of(tmp_path / "b", tmp_path / "check")
    assert [r.verdict for r in again if r.file == "through.bvh"] == [row.verdict]


def test_an_interrupted_batch_goes_on_where_it_stopped(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, settings, options = (
        find_sources([library]),
        Settings("convert"),
        BatchOptions(tmp_path),
    )
    run: Iterator[Row] = run_batch(sources, settings, options)
    first = [next(run), next(run)]
    run.close()  # type: ignore[attr-defined]
    journal = tmp_path / FOLDER / "all.jsonl"
    journal.write_text(journal.read_text() + '{"file": "cut off by a cr')
    worked: list[str] = []
    monkeypatch.setattr(
        "writhe.batch.task._run",
        lambda task, *_: worked.append(task.source.name) or {"passes": True},
    )
    rows = list(run_batch(sources, settings, options))
    assert len(rows) == len(sources)
    assert rows[:2] == first
    assert set(worked) == {s.name for s in sources} - {r.file for r in first}
    assert len(read_rows(tmp_path)) == len(sources)


def test_a_changed_file_other_settings_or_a_lost_output_are_processed_again(
    library: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "library"
    shutil.copytree(library / "a", copy)
    out, sources = tmp_path / "out", find_sources([copy])
    first = list(run_batch(sources, Settings("convert", suffix=".glb"), BatchOptions(out)))
    (out / "still.glb").unlink()
    motion = load(copy / "turn.bvh")
    save(replace(motion, q=motion.q[:3]), copy / "turn.bvh")
    second = list(run_batch(sources, Settings("convert", suffix=".glb"), BatchOptions(out)))
    assert (out / "still.glb").exists()
    assert [r.frames for r in second] == [6, 3]
    assert first[1].content != second[1].content
    slow = list(run_batch(sources, Settings("convert", suffix=".glb", fps=60), BatchOptions(out)))
    assert [r.fps for r in slow] == [60.0, 60.0]


def test_shards_share_out_every_file_once(library: Path) -> None:
    sources = [Source(f"/x/{i}.bvh", f"{i}.bvh") for i in range(300)]
    parts = [in_shard(sources, i, 7) for i in range(1, 8)]
    assert sorted(s.name for p in parts for s in p) == sorted(s.name for s in sources)
    assert all(20 < len(p) < 70 for p in parts)
    # a new file leaves the others in their shards
    more = [*sources, Source("/x/new.bvh", "new.bvh")]
    assert all(set(parts[i - 1]) <= set(in_shard(more, i, 7)) for i in range(1, 8))
    with pytest.raises(WritheError, match="8/7"):
        in_shard(sources, 8, 7)


def test_inputs_by_glob_url_and_patterns(library: Path) -> None:
    def names(*inputs: str, **options: object) -> list[str]:
        return [s.name for s in find_sources(inputs, **options)]  # type: ignore[arg-type]

    assert names(f"{library}/a/*.bvh") == ["still.bvh", "turn.bvh"]
    assert names(f"file://{library}") == names(str(library))
    assert names(str(library), include=["a/*"]) == ["a/still.bvh", "a/turn.bvh"]
    assert names(str(library), exclude=["b/*", "turn.bvh"]) == ["a/still.bvh"]
    with pytest.raises(WritheError, match="no such file"):
        names(str(library / "nowhere"))
    with pytest.raises(WritheError, match="no motion files"):
        names(str(library), recursive=False)


def test_outputs_on_another_file_system(library: Path, tmp_path: Path) -> None:
    import fsspec

    options = BatchOptions(tmp_path, outputs="memory://cleaned")
    list(run_batch(find_sources([library / "a"]), Settings("convert", suffix=".glb"), options))
    memory = fsspec.filesystem("memory")
    assert memory.cat_file("/cleaned/still.glb")[:4] == b"glTF"


def test_workers_in_another_folder_get_whole_paths(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sources = find_sources([os.path.relpath(library / "a")])
    options = BatchOptions(Path("converted"))
    rows = list(run_batch(sources, Settings("convert", suffix=".glb"), options))
    for row in rows:
        assert Path(row.source).is_absolute() and Path(row.output or "").is_absolute()
        assert Path(row.output or "").is_file()


def test_a_file_is_never_replaced_by_its_own_result(library: Path) -> None:
    with pytest.raises(WritheError, match="its own source"):
        list(
            run_batch(find_sources([library / "a"]), Settings("clean"), BatchOptions(library / "a"))
        )


def test_tolerance_decides_what_passes(library: Path, tmp_path: Path) -> None:
    human = figure("human")
    q = human.skeleton.rest_configuration.copy()
    at = int(human.skeleton.tree.q_start[human.skeleton.index("left_shoulder")])
    for angle in np.linspace(1.0, 1.6, 60):  # lower the arm until it presses a little on the body
        q[at : at + 4] = (np.cos(angle / 2), 0.0, 0.0, -np.sin(angle / 2))
        save(Motion(human.skeleton, q[None], fps=30.0, name="arm"), tmp_path / "arm.bvh")
        task = BatchTask(
            Source(str(tmp_path / "arm.bvh"), "arm.bvh"), None, Settings("certify"), "x"
        )
        row = run_task(task)
        if (row.penetration_mm or 0.0) > 2.0:
            break
    assert row.penetration_mm is not None and not row.passes
    wide = Settings("certify", tolerance_m=1e-3 * (row.penetration_mm + 1.0))
    assert run_task(replace(task, settings=wide)).passes


def test_several_processes_give_the_same_rows(library: Path, tmp_path: Path) -> None:
    here = rows_of(library, tmp_path / "here")
    there = rows_of(library, tmp_path / "there", engine=Engine(jobs=2))
    plain = [replace(r, seconds=0.0, worker="") for r in sorted(here, key=lambda r: r.file)]
    assert plain == [
        replace(r, seconds=0.0, worker="") for r in sorted(there, key=lambda r: r.file)
    ]
    assert {r.worker for r in there}.isdisjoint({r.worker for r in here})


def test_a_file_that_kills_its_worker_is_reported(library: Path) -> None:
    settings = Settings("certify")
    tasks = [BatchTask(s, None, settings, "x") for s in find_sources([library])]
    rows = {r.file: r for r in run_tasks(tasks, Engine(jobs=2, retries=0), _die_on_turn)}
    assert rows["a/turn.bvh"].error_kind == "killed"
    assert rows["a/still.bvh"].verdict == "certified"
    assert len(rows) == len(tasks)


def test_of_a_group_of_short_tasks_only_the_one_that_kills_its_worker_is_reported() -> None:
    settings = Settings("certify")
    tasks = [BatchTask(Source(f"/{i}.bvh", f"{i}.bvh"), None, settings, "x") for i in range(120)]
    rows = list(run_tasks(tasks, Engine(jobs=2, retries=2), _die_on_100))
    assert sorted(r.file for r in rows) == sorted(t.source.name for t in tasks)
    assert [r.file for r in rows if r.error_kind == "killed"] == ["100.bvh"]


def _die_on_100(task: BatchTask) -> Row:
    import os

    if task.source.name == "100.bvh":
        os._exit(1)
    return new_row(task)


def _die_on_turn(task: BatchTask) -> Row:
    import os

    if task.source.name == "a/turn.bvh":
        os._exit(1)
    return run_task(task)


def test_table_and_report_of_a_run(library: Path, tmp_path: Path) -> None:
    import duckdb

    rows = rows_of(library, tmp_path)
    write_table(rows, tmp_path / "results.parquet")
    write_report(rows, tmp_path / "report.html", strips=1)
    query = f"select file from '{tmp_path / 'results.parquet'}' where not passes order by file"
    assert duckdb.connect().execute(query).fetchall() == [("b/broken.bvh",), ("b/through.bvh",)]
    page = (tmp_path / "report.html").read_text()
    assert "b/through.bvh" in page and "data:image/jpeg;base64," in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_command_writes_results_and_says_what_failed(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["batch", "certify", str(library), "-o", str(tmp_path), "--json", "--strips", "0"]
    with pytest.raises(SystemExit) as stopped:
        build_app("batch")(args=words, prog_name="writhe")
    assert stopped.value.code == 1
    captured = capsys.readouterr()
    summary = json.loads(captured.out.splitlines()[-1])
    assert (summary["files"], summary["failed"]) == (4, 1)
    assert "broken.bvh" in captured.err
    assert (tmp_path / "results.parquet").exists() and (tmp_path / "report.html").exists()


def test_roles_and_figures_are_chosen_by_pattern(library: Path, tmp_path: Path) -> None:
    """Exchanged roles move the other arm; a figure that does not fit is an error of its files."""
    human = figure("human")
    q = np.tile(human.skeleton.rest_configuration, (3, 1))
    at = int(human.skeleton.tree.q_start[human.skeleton.index("left_shoulder")])
    q[:, at : at + 4] = (np.cos(0.3), 0.0, 0.0, np.sin(0.3))
    (tmp_path / "in").mkdir()
    for name in ("plain.bvh", "exchanged.bvh"):
        save(Motion(human.skeleton, q, fps=30.0, name="arm"), tmp_path / "in" / name)
    sides = [(a, b) for a, b in (("left", "right"), ("right", "left"))]
    parts = ("clavicle", "shoulder", "elbow", "wrist")
    table = {f"{a}_{part}": f"{b}_{part}" for a, b in sides for part in parts}
    table = {role: joint for role, joint in table.items() if joint in human.skeleton}
    (tmp_path / "roles.json").write_text(json.dumps(table))
    words = ["batch", "retarget", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    words += ["--roles", f"exch*={tmp_path / 'roles.json'}", "--strips", "0"]
    with pytest.raises(SystemExit) as stopped:
        build_app("batch")(args=words, prog_name="writhe")
    assert stopped.value.code == 0

    def raised(name: str, side: str) -> float:
        motion = load(tmp_path / "out" / name)
        wrist, shoulder = (
            forward(motion.skeleton, motion.q[0]).position(f"{side}_{part}")
            for part in ("wrist", "shoulder")
        )
        return float(wrist[1] - shoulder[1])

    assert abs(raised("plain.bvh", "left") - raised("exchanged.bvh", "right")) < 0.02
    assert abs(raised("plain.bvh", "left") - raised("exchanged.bvh", "left")) > 0.1


def test_settings_that_name_missing_files_fail_before_any_work(
    library: Path, tmp_path: Path
) -> None:
    for settings, text in (
        (Settings("clean", figures=(("*", "nobody"),)), "nobody"),
        (Settings("retarget", to="gone.glb"), "gone.glb"),
        (Settings("certify", roles=(("*", str(tmp_path / "gone.json")),)), "gone.json"),
    ):
        with pytest.raises(WritheError, match=text):
            list(run_batch(find_sources([library]), settings, BatchOptions(tmp_path / "out")))
    with pytest.raises(WritheError, match="broad phase"):
        Settings("certify", broad_phase="cuda")


def test_a_changed_character_file_is_other_settings(tmp_path: Path) -> None:
    character = tmp_path / "character.glb"
    character.write_bytes(b"one")
    first = Settings("retarget", to=str(character)).digest
    character.write_bytes(b"two")
    assert Settings("retarget", to=str(character)).digest != first


def test_what_is_remembered_of_a_skeleton_is_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITHE_CONFIG_DIR", str(tmp_path))
    seen = {Settings("certify").digest}
    for part in ("bodies", "roles"):
        (tmp_path / part).mkdir()
        for text in ("{}", '{"left_toe": null}'):
            (tmp_path / part / "0123.json").write_text(text)
            seen.add(Settings("certify").digest)
    assert len(seen) == 5


def test_a_folded_joint_does_not_pass_whatever_the_tolerance(tmp_path: Path) -> None:
    human = figure("human")
    fold = next(limit for limit in human.folds if limit.joint == "left_elbow")
    q = human.skeleton.rest_configuration.copy()
    at = int(human.skeleton.tree.q_start[human.skeleton.index(fold.joint)])
    bend = float(fold.bend_rad.max()) + 0.2
    if human.skeleton.tree.q_start[human.skeleton.index(fold.joint) + 1] - at == 1:
        q[at] = bend
    else:
        q[at : at + 4] = (np.cos(bend / 2), 0.0, -np.sin(bend / 2), 0.0)
    save(Motion(human.skeleton, q[None], fps=30.0, name="arm"), tmp_path / "arm.bvh")
    settings = Settings("certify", tolerance_m=5.0)
    row = run_task(BatchTask(Source(str(tmp_path / "arm.bvh"), "arm.bvh"), None, settings, "x"))
    assert row.folded_joints and not row.pass_throughs
    assert not row.passes


def test_the_report_of_cleaned_clips_shows_them_before_and_after(
    library: Path, tmp_path: Path
) -> None:
    rows = [row for row in rows_of(library, tmp_path, "clean") if row.file == "b/through.bvh"]
    write_report(rows, tmp_path / "report.html", strips=1)
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 2
    assert f"{rows[0].penetration_before_mm:.1f} mm deep before" in page
    assert "deeper than 1 mm" in page


def test_a_clip_whose_buffer_file_changed_is_certified_again(library: Path, tmp_path: Path) -> None:
    """The .gltf file itself stays the same: its numbers lie in the file beside it."""
    clips, out = tmp_path / "clips", tmp_path / "out"
    clips.mkdir()

    def put(name: str) -> None:
        save(replace(load(library / name), source={}, name="clip"), clips / "clip.gltf")
        document = json.loads((clips / "clip.gltf").read_text())
        text = document["buffers"][0]["uri"].partition(",")[2]
        (clips / "clip.bin").write_bytes(base64.b64decode(text))
        document["buffers"][0]["uri"] = "clip.bin"
        (clips / "clip.gltf").write_text(json.dumps(document))

    put("a/turn.bvh")
    (first,) = rows_of(clips, out)
    before = (clips / "clip.gltf").read_bytes()
    put("b/through.bvh")
    assert (clips / "clip.gltf").read_bytes() == before
    (second,) = rows_of(clips, out)
    assert first.certified
    assert not second.certified
