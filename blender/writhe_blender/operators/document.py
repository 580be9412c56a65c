"""Open and write documents of the studio."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from .. import documents, engine, scene_sync
from ..jobs import BackgroundOperator
from ..process.client import EngineError


class FileOperator(BackgroundOperator):
    """A background operator whose dialogue asks for a file."""

    _asked = False

    def invoke(self, context, event):
        """Ask for the file."""
        self._asked = True
        return super(BackgroundOperator, self).invoke(context, event)

    def execute(self, context):
        """Work: in the background after the dialogue, else wait."""
        if self._asked and not bpy.app.background:
            return self.start(context)
        return super().execute(context)


class WRITHE_OT_open_document(FileOperator, ImportHelper, bpy.types.Operator):
    """Open a document of the studio: its characters, their motion, its objects"""

    bl_idname = "writhe.open_document"
    bl_label = "Open writhe Document"
    bl_options = {"REGISTER", "UNDO", "PRESET"}
    request = "open_document"
    title = "Opening"

    filename_ext = ".writhe"
    filter_glob: bpy.props.StringProperty(default="*.writhe", options={"HIDDEN"})
    frame_rate: bpy.props.BoolProperty(
        name="Frame Rate and Range", default=True,
        description="Give the scene the frame rate and the frames of the document",
    )  # fmt: skip

    def ask(self, context) -> dict:
        """The file."""
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        return {"path": bpy.path.abspath(self.filepath)}

    def finish(self, context, answer: dict) -> str:
        """Add what is in it."""
        return documents.open_in_scene(context, engine.drags(), answer, frame_rate=self.frame_rate)


class WRITHE_OT_write_document(FileOperator, ExportHelper, bpy.types.Operator):
    """Write the characters that were set up, their motion and the obstacles to a document"""

    bl_idname = "writhe.write_document"
    bl_label = "Write writhe Document"
    bl_options = {"REGISTER", "PRESET"}
    request = "write_document"
    title = "Writing"

    filename_ext = ".writhe"
    filter_glob: bpy.props.StringProperty(default="*.writhe", options={"HIDDEN"})

    def ask(self, context) -> dict:
        """The scene at the frames of the document."""
        if not scene_sync.characters(context):
            raise EngineError("set up a character first: a document has at least one")
        path = Path(bpy.path.abspath(self.filepath))
        if not path.parent.is_dir():
            raise EngineError(f"there is no folder {path.parent}")
        return {"path": str(path), **documents.scene_data(context)}

    def finish(self, context, answer: dict) -> str:
        """Remember what was written."""
        documents.written(context, answer)
        return answer["message"]


def _import_menu(self, context) -> None:
    self.layout.operator("writhe.open_document", text="writhe Document (.writhe)")


def _export_menu(self, context) -> None:
    self.layout.operator("writhe.write_document", text="writhe Document (.writhe)")


CLASSES = (WRITHE_OT_open_document, WRITHE_OT_write_document)


def register() -> None:
    """Add them to the menus File > Import and File > Export."""
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)


def unregister() -> None:
    """Remove them."""
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
