"""Reports and running by name."""

from __future__ import annotations

import pytest

from writhe.errors import UnknownNameError
from writhe.research import experiments
from writhe.research.evaluation import Report


def test_a_report_shows_its_tables_and_pictures(tmp_path):
    report = Report("Folding arms", tmp_path / "fold")
    report.heading("Figures")
    report.table(["method", "cm", "certified"], [["a|b", 1.23456, True], ["plain", None, False]])
    picture = report.picture_path("strip.png")
    picture.write_bytes(b"")
    report.picture(picture, "A strip")
    text = report.write().read_text(encoding="utf-8")
    assert "| a\\|b | 1.23 | yes |" in text
    assert "| plain | – | no |" in text
    assert "![A strip](strip.png)" in text


def test_a_picture_elsewhere_is_refused(tmp_path):
    report = Report("Folding arms", tmp_path / "fold")
    with pytest.raises(ValueError):
        report.picture(tmp_path / "other.png", "Not here")


def test_an_unknown_experiment_is_named(tmp_path):
    with pytest.raises(UnknownNameError, match="nonsense"):
        experiments.run("nonsense", tmp_path)
