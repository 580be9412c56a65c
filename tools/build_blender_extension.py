"""Build the Blender extension for this platform: `make blender` (wheels inside, validated).

A zip of `blender/writhe_blender` with the wheels of writhe and of what it needs in Blender.
Blender brings NumPy; the server of the studio and the command line are left out.
"""

from __future__ import annotations

import argparse
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "blender" / "writhe_blender"
WIRE = ROOT / "src" / "writhe" / "plugin" / "wire.py"  # needed where there is no writhe, too
DIST = ROOT / "dist"
# what a plugin session imports; the versions are those that the kernels were compiled with
NEEDED = ("numba", "llvmlite", "scipy", "daqp", "threadpoolctl", "msgspec")
_REQUIRED = ("schema_version", "id", "version", "name", "tagline", "maintainer", "type",
             "blender_version_min", "license")  # fmt: skip


def blender_platform() -> str:
    """Blender's name of this platform."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
    return f"{system}-{machine}"


def download(into: Path) -> None:
    """The wheels of the dependencies for this Python, in the versions installed here."""
    from importlib.metadata import version

    wanted = [f"{name}=={version(name)}" for name in NEEDED]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
         "--dest", str(into), *wanted],
        check=True,
    )  # fmt: skip


def manifest_with(wheels: list[str]) -> str:
    """The manifest with the platform and the wheels."""
    text = (PACKAGE / "blender_manifest.toml").read_text()
    rows = "".join(f'  "./wheels/{name}",\n' for name in sorted(wheels))
    added = f'platforms = ["{blender_platform()}"]\nwheels = [\n{rows}]\n'
    head, separator, tail = text.partition("\n[permissions]")
    return f"{head}\n{added}{separator}{tail}"


def problems(text: str) -> list[str]:
    """What is wrong with a manifest, by Blender's documented schema 1.0.0."""
    found = tomllib.loads(text)
    out = [f"{key} is missing" for key in _REQUIRED if not found.get(key)]
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(found.get("id", ""))):
        out.append("id must be a Python identifier in lower case")
    if not re.fullmatch(r"\d+\.\d+\.\d+.*", str(found.get("version", ""))):
        out.append("version must be semantic (1.0.0)")
    tagline = str(found.get("tagline", ""))
    if len(tagline) > 64 or tagline.endswith("."):
        out.append("tagline has at most 64 characters and no full stop")
    for permission, reason in found.get("permissions", {}).items():
        if permission not in ("files", "network", "clipboard", "camera", "microphone"):
            out.append(f"unknown permission {permission}")
        if len(reason) > 64 or reason.endswith("."):
            out.append(f"the reason for {permission} has at most 64 characters and no full stop")
    named = re.compile(r"\./wheels/[^/]+\.whl")
    wheels = [name for name in found.get("wheels", []) if not named.fullmatch(name)]
    return out + [f"{name} must be ./wheels/NAME.whl" for name in wheels]


def build(wheels: list[Path], target: Path) -> None:
    """Write the zip."""
    text = manifest_with([wheel.name for wheel in wheels])
    wrong = problems(text)
    if wrong:
        raise SystemExit("blender_manifest.toml: " + "; ".join(wrong))
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blender_manifest.toml", text)
        for path in sorted(PACKAGE.rglob("*.py")):
            archive.write(path, path.relative_to(PACKAGE).as_posix())
        archive.write(WIRE, f"process/{WIRE.name}")
        for wheel in wheels:  # wheels are compressed already
            archive.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)


def main() -> None:
    """Build the wheel of writhe, fetch the others, and zip them with the add-on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DIST)
    parser.add_argument("--wheel", type=Path, help="use this wheel of writhe")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own = chosen.wheel
        if own is None:
            command = [sys.executable, str(ROOT / "tools" / "build_wheel.py"), "--into", folder]
            subprocess.run(command, check=True)
            (own,) = Path(folder).glob("writhe-*.whl")
        fetched = Path(folder) / "fetched"
        download(fetched)
        version = tomllib.loads((PACKAGE / "blender_manifest.toml").read_text())["version"]
        python = f"py{sys.version_info.major}{sys.version_info.minor}"
        target = chosen.into / f"writhe-blender-{version}-{blender_platform()}-{python}.zip"
        build([own, *sorted(fetched.glob("*.whl"))], target)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
