"""The pictures, tables and maps of the architecture follow the tree."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from types import FrameType

from writhe.skeleton import forward
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.server.drag_handler import drag_result

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "pictures" / "draw_layers.py"


def test_the_picture_shows_the_layers_of_the_contract() -> None:
    tool = runpy.run_path(str(TOOL))
    drawn = re.findall(r'font-weight="600"[^>]*>([^<]*)<', tool["PICTURE"].read_text("utf-8"))
    assert drawn == [" · ".join(row) for row in tool["layers"]()], (
        "run tools/pictures/draw_layers.py"
    )


def modules_of_a_drag(folder: Path) -> set[str]:
    """Modules whose functions run in one step of a drag, without kernels and constructors."""
    document = Document.create(folder / "drag.writhe", "Drag")
    document.add_actor("human")
    editor, actor = Editor(document), document.actors()[0]
    posed = editor.posed_actor(actor)
    joint = posed.figure.skeleton.index("right_wrist")
    x, y, z = forward(posed.figure.skeleton, posed.q).positions[joint].tolist()

    def drag(number: int) -> None:
        at = (x + 0.01 * number, y + 0.005 * number, z)
        handle = protocol.DragHandle(joint, (0.0, 0.0, 0.0), at)
        drag_result(editor, protocol.Drag(number, actor.id, [handle]))

    for number in range(1, 6):
        drag(number)
    seen: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        name = str(frame.f_globals.get("__name__", ""))
        made = frame.f_code.co_qualname.startswith("__create_fn__")  # of a dataclass
        if event == "call" and name.startswith("writhe.") and not made:
            seen.add(name.removeprefix("writhe."))

    before = sys.getprofile()
    sys.setprofile(note)
    drag(6)
    sys.setprofile(before)
    return {name for name in seen if not name.startswith("kernels.")}


def test_the_table_of_a_drag_lists_the_modules_that_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page[page.index("| handler and editor |") :].split("\n\n")[0]
    assert set(re.findall(r"`([a-z_.]+)`", table)) == modules_of_a_drag(tmp_path)


def test_the_map_of_contributing_names_files_that_exist() -> None:
    """Paths are relative to the checkout, to src/writhe, or to the folder of one before."""
    for row in (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n"):
        folders = [ROOT, ROOT / "src" / "writhe"]
        for name in re.findall(r"`([\w/*-]+(?:\.(?:py|ts|md|toml|yml)|/))`", row):
            found = [path for folder in folders for path in folder.glob(name.rstrip("/"))]
            assert found, f"{name} does not exist: {row}"
            folders.append(found[0].parent if found[0].is_file() else found[0])
