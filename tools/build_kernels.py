"""Compile the kernels for a range of processors and pack them for a wheel: `make kernels`.

Writes src/writhe/_prebuilt (`writhe.prebuilt` describes it). Everything is compiled in a temporary
cache folder for the baseline processor of this platform, then started once more to see which
machine code a start loads: that is packed, with the generated posture libraries and skins.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACK = ROOT / "src" / "writhe" / "_prebuilt"

# x86-64-v3 (Intel since 2013, AMD since 2017), scheduled for Haswell: with the name x86-64-v3 LLVM
# uses a generic cost model, with which the linking gradient is three times slower.
X86_FEATURES = [
    *("64bit", "cmov", "cx8", "cx16", "fxsr", "mmx", "sahf", "sse", "sse2", "sse3", "ssse3"),
    *("sse4.1", "sse4.2", "popcnt", "crc32", "pclmul", "xsave", "xsaveopt", "avx", "avx2"),
    *("bmi", "bmi2", "f16c", "fma", "invpcid", "lzcnt", "movbe"),
]


def baseline() -> tuple[str, list[str]]:
    """Name and features of the processor that is compiled for."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        return "haswell", X86_FEATURES
    if machine == "arm64" and sys.platform == "darwin":
        return "apple-m1", []
    return "generic", ["neon"]


def package_hash() -> str:
    """A hash of all sources: which kernels a start loads depends on more than kernels."""
    from writhe.cache import code_hash

    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "writhe").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        digest.update(name.encode() + code_hash(path.read_bytes()))
    return digest.hexdigest()


def build(cpu: str, features: list[str], cache: Path, pack: Path) -> None:
    """Compile into `cache` and write the folder `pack`."""
    environment = {
        **os.environ,
        "WRITHE_CACHE_DIR": str(cache),
        "WRITHE_PREBUILT": "0",
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": ",".join(f"+{one}" for one in features),
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that other machines may not have
    }
    for generated in (
        "library",
        "figures",
        "sources",
    ):  # packed whole
        shutil.rmtree(cache / generated, ignore_errors=True)
    here = [sys.executable, str(Path(__file__).resolve())]
    warmup = "from writhe.cli import main; main()"
    subprocess.run([sys.executable, "-c", warmup, "warmup"], env=environment, check=True)
    subprocess.run([*here, "--step", "run"], env=environment, check=True)
    shutil.rmtree(pack, ignore_errors=True)
    pack.mkdir(parents=True)
    packing = [*here, "--step", "pack", "--into", str(pack), "--features", ",".join(features)]
    subprocess.run(packing, env=environment, check=True)
    size = sum(path.stat().st_size for path in pack.rglob("*") if path.is_file())
    print(f"{pack}: {size / 1e6:.1f} MB for {cpu}")


def _run() -> None:
    """Do what users do, so that everything they need is compiled and loaded."""
    from writhe.studio.server.preparation import WORKS
    from writhe.warmup import STAGES

    for work in (*STAGES.values(), *WORKS.values()):
        module, _, name = work.function.partition(":")
        getattr(importlib.import_module(module), name)()


def _pack(pack: Path, features: list[str]) -> None:
    from writhe import prebuilt
    from writhe.cache import cache_root
    from writhe.machine_code import kernel_cache
    from writhe.machine_code.source_hash import all_kernels_hash, compiler_versions
    from writhe.studio.server.preparation import WORKS
    from writhe.warmup import STAGES

    kernel_cache.record_loads()
    _run()
    index: dict[str, tuple[int, int, int]] = {}
    with (pack / "kernels.bin").open("wb") as stored:
        for name, data in kernel_cache.loaded:
            if name not in index:
                index[name] = (stored.tell(), len(data), zlib.crc32(data))
                stored.write(data)
    root = cache_root()
    files = [*root.glob("library/*.npz"), *root.glob("figures/*.npz")]
    for path in files:
        target = pack / path.relative_to(root)
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target)
    sources = {
        path.name.split("-")[0]: path.read_bytes().hex() for path in root.glob("sources/*-*")
    }
    manifest = {
        "format": prebuilt.FORMAT,
        "python": prebuilt.python_tag(),
        "platform": prebuilt.platform_tag(),
        "compilers": compiler_versions(),
        "features": features,
        "all_kernels": all_kernels_hash(),
        "package": package_hash(),
        "stages": [*STAGES, *WORKS],
        "sources": sources,
        "files": [path.relative_to(root).as_posix() for path in files],
        "kernels": index,
    }
    (pack / "manifest.json").write_text(json.dumps(manifest))


def main() -> None:
    """Build, or run one step of it in a process of its own."""
    cpu, features = baseline()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", default=cpu, help="LLVM's name of the processor")
    parser.add_argument("--features", default=",".join(features))
    parser.add_argument("--into", type=Path, default=PACK)
    parser.add_argument("--cache", type=Path, help="keep and reuse this cache folder")
    parser.add_argument("--step", choices=("run", "pack"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    wanted = [one for one in chosen.features.split(",") if one]
    if chosen.step == "run":
        _run()
    elif chosen.step == "pack":
        _pack(chosen.into, wanted)
    elif chosen.cache:
        build(chosen.cpu, wanted, chosen.cache, chosen.into)
    else:
        with tempfile.TemporaryDirectory() as folder:
            build(chosen.cpu, wanted, Path(folder), chosen.into)


if __name__ == "__main__":
    main()
