"""Statements of a paper beside what was measured here.

Each experiment has a module `claims` with `claims(result)`, which reads them from the figures of a
run. `docs/papers.md` discusses all of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class PaperClaim:
    """One statement of a paper, in its own measure.

    `published_variant` is the value of the method as published, run here; None if there is none.
    `reproduced` judges that variant where it was run and ours otherwise; None means that the run
    cannot decide.
    """

    paper: float | str
    ours: float | bool | None = None
    published_variant: float | bool | None = None
    reproduced: bool | None = None

    @classmethod
    def at_most(
        cls, paper: float, ours: float | None = None, published_variant: float | None = None
    ) -> PaperClaim:
        """The claim that the value is no larger than the paper's."""
        judged = ours if published_variant is None else published_variant
        holds = None if judged is None else bool(judged <= paper)
        return cls(paper, ours, published_variant, holds)

    @classmethod
    def at_least(
        cls, paper: float, ours: float | None = None, published_variant: float | None = None
    ) -> PaperClaim:
        """The claim that the value is no smaller than the paper's."""
        judged = ours if published_variant is None else published_variant
        holds = None if judged is None else bool(judged >= paper)
        return cls(paper, ours, published_variant, holds)


def claims_of(name: str, result: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The claims of an experiment as plain data, from the figures of its run.

    Parts that were not run have no claims.
    """
    package = f"{__package__}.{name.replace('-', '_')}.claims"
    found: dict[str, PaperClaim] = importlib.import_module(package).claims(result)
    return {key: asdict(claim) for key, claim in found.items()}
