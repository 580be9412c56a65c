#!/bin/sh
# The walk-through of the extension in a window of Debian's Blender without a screen.
# Usage: blender_walkthrough.sh FOLDER PYTHON (of the version of Blender's, with writhe and NumPy 1)
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
packages=$("$2" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LIBGL_ALWAYS_SOFTWARE=1
exec xvfb-run -a -s "-screen 0 1280x800x24" blender --factory-startup --window-geometry 0 0 1280 800 \
	--enable-event-simulate -P "$root/tools/blender_walkthrough.py" -- "$1" "$root/src" "$packages"
