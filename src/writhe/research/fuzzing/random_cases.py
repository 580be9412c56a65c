"""Random cases: a search for false certificates and unexpected exceptions.

Run as `python -m writhe.research.fuzzing.random_cases`.

Entry points get equal shares of the CPU time, and so do kinds of calls, a quarter as much
each; their cases are made from consecutive seeds, until the time is spent. The counts so far are in
`--keep`/summary.json. A failing case is saved under `--keep` and named in the output;
`--again FILE` judges a saved case, `--entry-point NAME --seed N --cases 1` generates it again. The
exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from writhe.errors import WritheError
from writhe.research.fuzzing.calls import CALLS, Nonsense
from writhe.research.fuzzing.case import judge, load_case
from writhe.research.fuzzing.entry_points import ENTRY_POINTS

CALL_SHARE = 0.25  # of the CPU time of an entry point, for a kind of call
CALLS_AT_ONCE = 20
_SAVE_EVERY_S = 30.0


@dataclass
class Tally:
    """Counts of one entry point or call."""

    cases: int = 0
    certified: int = 0
    refused: int = 0  # with a WritheError
    seconds: float = 0.0
    false_certificates: int = 0
    broken_bounds: int = 0
    foreign_exceptions: int = 0
    found: list[str] = field(default_factory=list[str])

    @property
    def failed(self) -> bool:
        """Whether something was found."""
        return bool(self.false_certificates or self.broken_bounds or self.foreign_exceptions)


def try_entry_point(name: str, seed: int, tally: Tally, keep: Path | None = None) -> None:
    """One case of an entry point."""
    tally.cases += 1
    started = time.process_time()
    try:
        case = ENTRY_POINTS[name](np.random.default_rng([seed, _number(name)]))
    except WritheError:
        tally.refused += 1
        return
    except Exception as error:
        _foreign(name, seed, error, tally)
        return
    finally:
        tally.seconds += time.process_time() - started
    started = time.process_time()
    judgement = judge(case)
    tally.seconds += time.process_time() - started
    tally.certified += case.certified
    tally.false_certificates += judgement.false_certificate
    tally.broken_bounds += judgement.broken_bound
    if judgement.failed:
        what = "certified" if case.certified else f"bounded by {1e3 * (case.bound_m or 0):.2f} mm"
        where = ""
        if keep is not None:
            path = keep / f"{name.replace(' ', '-')}-{seed}.json"
            case.save(path, judgement)
            where = f": {path}"
        tally.found.append(
            f"{name}, seed {seed}: {what}, but {judgement.parts[0]} and {judgement.parts[1]} are"
            f" {1e3 * judgement.depth_m:.2f} mm deep at {judgement.time:.4f}{where}"
        )


def try_call(name: str, seed: int, tally: Tally) -> None:
    """One call with extreme or malformed arguments."""
    tally.cases += 1
    started = time.process_time()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CALLS[name](np.random.default_rng([seed, _number(name)]))
    except WritheError:
        tally.refused += 1
    except Nonsense as error:
        tally.false_certificates += 1
        tally.found.append(f"{name}, seed {seed}: {error}")
    except Exception as error:
        _foreign(name, seed, error, tally)
    finally:
        tally.seconds += time.process_time() - started


def run_random_cases(
    seconds: float,
    *,
    seed: int = 0,
    cases: int | None = None,
    entry_points: Iterable[str] | None = None,
    calls: Iterable[str] | None = None,
    keep: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Tally]:
    """Try entry points and calls until the time is spent or each had `cases` cases."""
    names = [
        *(ENTRY_POINTS if entry_points is None else entry_points),
        *(CALLS if calls is None else calls),
    ]
    tallies = {name: Tally() for name in names}
    saved = began = time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        left = [n for n in names if cases is None or tallies[n].cases < cases]
        if not left:
            break
        name = min(
            left, key=lambda n: tallies[n].seconds / (1.0 if n in ENTRY_POINTS else CALL_SHARE)
        )
        tally = tallies[name]
        before = len(tally.found)
        if name in ENTRY_POINTS:
            try_entry_point(name, seed + tally.cases, tally, keep)
        else:
            most = CALLS_AT_ONCE if cases is None else min(CALLS_AT_ONCE, cases - tally.cases)
            for _ in range(most):
                try_call(name, seed + tally.cases, tally)
        if say is not None:
            for line in tally.found[before:]:
                say(line)
        if keep is not None and now - saved > _SAVE_EVERY_S:
            saved = now
            keep.mkdir(parents=True, exist_ok=True)
            (keep / "summary.json").write_text(json.dumps(summary(tallies)), encoding="utf-8")
    return tallies


def summary(tallies: dict[str, Tally]) -> dict[str, Any]:
    """Plain data: totals, and the counts of each entry point and call."""
    return {
        "cases": sum(t.cases for n, t in tallies.items() if n in ENTRY_POINTS),
        "calls": sum(t.cases for n, t in tallies.items() if n in CALLS),
        "false_certificates": sum(t.false_certificates for t in tallies.values()),
        "broken_bounds": sum(t.broken_bounds for t in tallies.values()),
        "foreign_exceptions": sum(t.foreign_exceptions for t in tallies.values()),
        "doors": {
            name: {
                key: value
                for key, value in vars(tally).items()
                if key not in ("found", "seconds") and value
            }
            for name, tally in tallies.items()
        },
    }


def _number(name: str) -> int:
    return int.from_bytes(name.encode()[:6], "big")


def _foreign(name: str, seed: int, error: Exception, tally: Tally) -> None:
    tally.foreign_exceptions += 1
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    tally.found.append(f"{name}, seed {seed}: {type(error).__name__} at {where}: {error}"[:300])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, help="at most so many of each entry point and call")
    parser.add_argument(
        "--entry-point", action="append", help="only this entry point or call (repeatable)"
    )
    parser.add_argument("--keep", type=Path, default=Path("out/hunt"))
    parser.add_argument("--again", type=Path, help="judge this saved case and stop")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    given = parser.parse_args()
    if given.again is not None:
        judgement = judge(load_case(given.again))
        print(judgement)
        return int(judgement.failed)
    chosen = given.entry_point
    tallies = run_random_cases(
        given.seconds,
        seed=given.seed,
        cases=given.cases,
        entry_points=None if chosen is None else [n for n in chosen if n in ENTRY_POINTS],
        calls=None if chosen is None else [n for n in chosen if n in CALLS],
        keep=given.keep,
        say=lambda line: print(line, flush=True),
    )
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.cases} cases, {tally.certified} certified, {tally.refused} refused,"
            f" {tally.false_certificates} false, {tally.broken_bounds} bounds broken,"
            f" {tally.foreign_exceptions} foreign exceptions"
        )
    if given.json:
        print(json.dumps(summary(tallies)))
    return int(any(tally.failed for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
