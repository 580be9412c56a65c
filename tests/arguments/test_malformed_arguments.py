"""Whatever is passed to a public function, it returns or raises a WritheError."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_functions import entry_points
from typing_extensions import TypeAliasType

from writhe.arguments import check
from writhe.errors import WritheError
from writhe.skeleton import Skeleton

Scalar = TypeVar("Scalar", bound=np.generic)
Numbers = TypeAliasType("Numbers", np.ndarray[Any, np.dtype[Scalar]], type_params=(Scalar,))
Lengths = TypeAliasType("Lengths", Numbers[np.float64])
LENGTHS = st.sampled_from([0, 1, 2, 3, 4, 7, 8])
NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 5e-324, 1e4, -(2**63), 10**400]),
)
WRONG = st.one_of(
    NUMBERS,
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.sampled_from([b"x", 1j, object(), int, {}, {"a": 1}, set(), [[1, 2], [3]], ["a"], [None]]),
    st.lists(NUMBERS, max_size=8),
    st.tuples(LENGTHS, NUMBERS).map(
        lambda x: np.full(x[0], np.float64(x[1] if abs(x[1]) < 1e308 else np.inf))
    ),
    st.tuples(LENGTHS, LENGTHS).map(np.zeros),
    LENGTHS.map(lambda n: np.zeros((n, 2, 3))),
    st.sampled_from([np.zeros(8, complex), np.array(["a"]), np.array([None]), np.array(3.0)]),
)


@pytest.mark.parametrize("name", entry_points())
def test_right_arguments_are_taken(name):
    entry = entry_points()[name]
    entry.call(**entry.right)


@pytest.mark.parametrize("name", [n for n, e in entry_points().items() if e.right])
@settings(max_examples=40)
@given(data=st.data())
def test_wrong_arguments_raise_writhe_errors_only(name, data):
    entry = entry_points()[name]
    replaced = data.draw(st.sets(st.sampled_from(sorted(entry.right)), min_size=1, max_size=2))
    arguments = entry.right | {argument: data.draw(WRONG) for argument in sorted(replaced)}
    try:
        entry.call(**arguments)
    except WritheError as error:
        assert str(error)


def test_an_array_without_axes_is_not_a_sequence() -> None:
    with pytest.raises(WritheError, match="must be a sequence"):
        Skeleton(np.array(3.0))  # pyright: ignore[reportArgumentType]


def test_aliases_that_are_types_of_their_own_are_followed():
    """Newer versions of NumPy define NDArray and ArrayLike by `type`."""
    for hint in (Numbers[np.float64], Lengths):
        check(np.zeros(3), hint, "lengths")
        with pytest.raises(WritheError, match="lengths"):
            check("long", hint, "lengths")
