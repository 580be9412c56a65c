"""Measure at which bends the human's skin folds into itself; writes `human_fold_angles.py`.

Run after changing the skin or the skeleton: `.venv/bin/python tools/measure_human_folds.py`
"""

from __future__ import annotations

from pathlib import Path

from writhe.research.evaluation.skin.folds import skin_bends_deg
from writhe.skeleton.figures import figure, human_folds

HEAD = '''"""Bends at which the human's skin is 1 cm deep in the parent part; generated file.

Written by `tools/measure_human_folds.py`. Degrees at 24 even directions (see `FoldLimit`), 180
where the skin never gets so deep. The right side is mirrored.
"""
# ruff: noqa: E501

_DEGREES = """
'''
TAIL = '''"""

BENDS_DEG: dict[str, tuple[int, ...]] = {
    name: tuple(map(int, bends)) for name, *bends in map(str.split, _DEGREES.strip().splitlines())
}
'''


def main() -> None:
    human = figure("human")
    lines = [HEAD]
    for name in human.skeleton.names:
        if (
            name.startswith("right_")
            or human.skeleton.joints[human.skeleton.index(name)].parent is None
        ):
            continue
        bends = " ".join(f"{b:3.0f}" for b in skin_bends_deg(human, name))
        lines.append(f"{name.removeprefix('left_'):<8} {bends}\n")
    path = Path(human_folds.__file__).parent / "human_fold_angles.py"
    path.write_text("".join(lines) + TAIL, encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
