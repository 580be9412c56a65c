"""Where the platform keeps a user's caches, data and settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

# by platform: environment variable that moves the folder, and its default below the home folder
_FOLDERS = {
    "cache": {
        "win32": ("LOCALAPPDATA", "AppData/Local"),
        "darwin": ("", "Library/Caches"),
        "other": ("XDG_CACHE_HOME", ".cache"),
    },
    "data": {
        "win32": ("APPDATA", "AppData/Roaming"),
        "darwin": ("", "Library/Application Support"),
        "other": ("XDG_DATA_HOME", ".local/share"),
    },
    "config": {
        "win32": ("APPDATA", "AppData/Roaming"),
        "darwin": ("", "Library/Application Support"),
        "other": ("XDG_CONFIG_HOME", ".config"),
    },
}


def user_folder(kind: Literal["cache", "data", "config"]) -> Path:
    """The folder of writhe among the user's caches, data or settings."""
    folders = _FOLDERS[kind]
    variable, default = folders.get(sys.platform, folders["other"])
    return Path(os.environ.get(variable) or Path.home() / default) / "writhe"


def settings_folder(part: str) -> Path:
    """A folder of remembered settings, in $WRITHE_CONFIG_DIR or the configuration folder."""
    chosen = os.environ.get("WRITHE_CONFIG_DIR")
    return (Path(chosen) if chosen else user_folder("config")) / part
