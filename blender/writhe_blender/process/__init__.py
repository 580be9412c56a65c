"""writhe outside Blender's process: messages (`wire`) and who answers them (`client`)."""

from pathlib import Path

if not Path(__file__).with_name("wire.py").exists():
    # in a checkout; the zip has a copy (tools/build_blender_extension.py)
    __path__.append(str(Path(__file__).parents[3] / "src" / "writhe" / "plugin"))
