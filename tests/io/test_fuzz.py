"""Untrusted files: any bytes raise only WritheErrors, with bounded memory."""

from __future__ import annotations

import itertools
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writhe import load, load_figure, save
from writhe.errors import WritheError
from writhe.io import body_shapes
from writhe.io.meshes import load_mesh
from writhe.research.fuzzing.fuzz_inputs import small_figure
from writhe.research.fuzzing.fuzz_readers import mutated
from writhe.skeleton import Motion
from writhe.skeleton.shape_fitting.fit_to_skin import fit_to_skin

MUTATIONS, TRACED = 1000, 100  # per format; memory is traced in the last ones
EVERY_SKIN = 20
MAX_BYTES = 200e6  # peak while reading these files of a few kilobytes


@pytest.fixture(scope="module", autouse=True)
def few_fits():
    """Fit capsules to one skin in `EVERY_SKIN`; the other bodies get capsules by their bones.

    Fitting takes hundreds of times as long as reading.
    """
    skins = itertools.count()

    def fit(*given):
        return fit_to_skin(*given) if next(skins) % EVERY_SKIN == 0 else ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(body_shapes, "fit_to_skin", fit)
        yield


@pytest.fixture(scope="module")
def seeds(tmp_path_factory) -> dict[str, bytes]:
    """A small valid file of each format."""
    folder = tmp_path_factory.mktemp("seeds")
    body = small_figure()
    q = np.repeat(body.skeleton.rest_configuration[None], 4, axis=0)
    q[:, 0] = np.arange(4) * 0.1
    motion = Motion(body.skeleton, q, fps=30.0)
    save(motion, folder / "s.bvh")
    save(motion, folder / "s.glb", figure=body)
    np.savez(
        folder / "s.npz", poses=np.zeros((3, 66)), trans=np.zeros((3, 3)), mocap_framerate=60.0
    )
    return {suffix: (folder / f"s{suffix}").read_bytes() for suffix in (".bvh", ".glb", ".npz")}


def read_all(path) -> bool:
    """Read a file in every way; True if it was accepted."""
    try:
        load(path)
        load_figure(path)
    except WritheError:
        return False
    return True


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_mutated_files_only_raise_writhe_errors(seeds, tmp_path, suffix):
    rng = np.random.default_rng(2026)
    path = tmp_path / f"f{suffix}"
    path.write_bytes(seeds[suffix])
    assert read_all(path)
    accepted = 0
    for done in range(MUTATIONS):
        if done == MUTATIONS - TRACED:
            tracemalloc.start()
        path.write_bytes(mutated(seeds[suffix], rng))
        accepted += read_all(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MAX_BYTES
    assert 0 < accepted < MUTATIONS


WORDS = [
    "HIERARCHY",
    "ROOT",
    "JOINT",
    "End",
    "Site",
    "OFFSET",
    "CHANNELS",
    "MOTION",
    "Frames:",
    "Frame",
    "Time:",
    "{",
    "}",
    "0",
    "1",
    "3",
    "6",
    "-1",
    "1e9",
    "0.03",
    "nan",
    "Xposition",
    "Yrotation",
    "Zrotation",
    "Xrotation",
    "hips",
    "arm",
]
words = st.sampled_from([*WORDS, "\n", "\n", "\n"])


@settings(max_examples=300)
@given(st.lists(words, max_size=80))
def test_random_words_give_an_error_or_a_motion(tmp_path_factory, listed):
    path = tmp_path_factory.mktemp("w") / "w.bvh"
    path.write_text("HIERARCHY\n" + " ".join(listed))
    read_all(path)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KEYS = [
    "children",
    "translation",
    "rotation",
    "scale",
    "matrix",
    "mesh",
    "skin",
    "name",
    "joints",
    "inverseBindMatrices",
    "primitives",
    "attributes",
    "POSITION",
    "JOINTS_0",
    "WEIGHTS_0",
    "indices",
    "mode",
    "samplers",
    "channels",
    "input",
    "output",
    "interpolation",
    "target",
    "node",
    "path",
    "sampler",
    "count",
    "type",
    "componentType",
    "bufferView",
    "byteOffset",
    "byteLength",
    "byteStride",
    "buffer",
    "uri",
    "extras",
    "kind",
    "axis",
    "normalized",
]
keys = st.sampled_from(KEYS)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 10**6), keys, values), min_size=1, max_size=4))
def test_random_json_in_a_gltf_gives_an_error_or_a_figure(seeds, tmp_path_factory, edits):
    data = seeds[".glb"]
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    for pick, key, value in edits:
        objects: list[dict] = []
        stack = [document]
        while stack:
            here = stack.pop()
            if isinstance(here, dict):
                objects.append(here)
                stack.extend(here.values())
            elif isinstance(here, list):
                stack.extend(here)
        objects[pick % len(objects)][key] = value
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    whole = struct.pack("<III", 0x46546C67, 2, 20 + len(text) + len(rest))
    path = tmp_path_factory.mktemp("j") / "j.glb"
    path.write_bytes(whole + struct.pack("<II", len(text), 0x4E4F534A) + text + rest)
    read_all(path)


def test_a_mesh_with_nodes_in_a_cycle_raises(tmp_path):
    text = b'{"asset":{"version":"2.0"},"nodes":[{"children":[1],"mesh":0},{"children":[0]}]}'
    text += b" " * (-len(text) % 4)
    data = struct.pack("<III", 0x46546C67, 2, 20 + len(text))
    path = tmp_path / "cycle.glb"
    path.write_bytes(data + struct.pack("<II", len(text), 0x4E4F534A) + text)
    with pytest.raises(WritheError, match="cycle"):
        load_mesh(path)


def test_an_array_shorter_than_its_header_says_raises(tmp_path):
    """A header that claims a huge array must not allocate it."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 66), }"
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / "huge.npz"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("poses.npy", array)
    tracemalloc.start()
    with pytest.raises(WritheError, match="size that it claims"):
        load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
