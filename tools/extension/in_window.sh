#!/bin/sh
# Runs a script in a window of Debian's Blender without a screen, with a simulated pointer.
# Usage: in_window.sh SCRIPT ARGUMENT...
set -e
script=$1
shift
export LIBGL_ALWAYS_SOFTWARE=1
exec xvfb-run -a -s "-screen 0 1280x800x24" blender --factory-startup --window-geometry 0 0 1280 800 \
	--enable-event-simulate --python-exit-code 1 -P "$script" -- "$@"
