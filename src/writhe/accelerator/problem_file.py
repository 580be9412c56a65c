"""Problem files: named tuples of arrays in one .npz file, measured where only NumPy and JAX are."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from writhe.errors import FileFormatError

Tuple = TypeVar("Tuple")


def to_arrays(value: Any) -> dict[str, np.ndarray]:
    """The arrays of a NamedTuple for `numpy.savez`, such as "BodyArrays.parent"."""
    kind = type(value).__name__
    return {f"{kind}.{name}": np.asarray(array) for name, array in value._asdict().items()}


def from_arrays(kind: type[Tuple], arrays: Mapping[str, Any]) -> Tuple:
    """The NamedTuple of this type among the arrays: the inverse of `to_arrays`."""
    fields: tuple[str, ...] = cast(Any, kind)._fields
    return kind(*(arrays[f"{kind.__name__}.{name}"] for name in fields))


def load_arrays(path: str | Path) -> dict[str, Any]:
    """The arrays of a problem file."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be read ({error})") from None


def problem_parser(description: str, option: str = "") -> argparse.ArgumentParser:
    """The command line of a measurement; `option` is that of the tool which writes its problem."""
    parser = argparse.ArgumentParser(description=description)
    written = f"file written by tools/write_batch_problem.py {option}".strip()
    parser.add_argument("problem", help=written)
    return parser
