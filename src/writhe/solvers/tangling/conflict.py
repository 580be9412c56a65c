"""Why wishes are not met: which of them work against each other, and what stands in the way."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.solvers.tangling.stepper import TangleStepper

_SHARE = 0.25  # progress of a stride that counts as progress


def conflicts(stepper: TangleStepper, q: Floats) -> tuple[str, ...]:
    """One sentence for each obstacle at the pose q where a solve got stuck.

    Every unmet wish is left out in turn: where that lets another one progress which did not, the
    two conflict. A wish that no other one hinders is held back by contacts or limits, which are
    named.
    """
    stepper.update(q)
    unmet = [k for k, met in enumerate(stepper.reached()) if not met]
    together = _progress(stepper, q, leave_out=None)
    stuck = [k for k in unmet if together[k] < _SHARE]
    out: list[str] = []
    for a in stuck:
        hindered = False
        for b in range(len(stepper.wishes)):
            if b == a:
                continue
            if _progress(stepper, q, leave_out=b)[a] > together[a] + _SHARE:
                hindered = True
                one, two = stepper.wishes[a].label, stepper.wishes[b].label
                if f"{two} and {one} conflict" not in out:
                    out.append(f"{one} and {two} conflict")
        if not hindered:
            stepper.step(q)
            names = [name for _, name in stepper.holding_back() if not name.startswith("wish ")]
            what = ", ".join(dict.fromkeys(names[:4])) or "a local minimum"
            out.append(f"{stepper.wishes[a].label} is held back by {what}")
    return tuple(out)


def _progress(stepper: TangleStepper, q: Floats, leave_out: int | None) -> Floats:
    """(wishes,) which share of its stride each wish would make in one step from q."""
    lack_before, stride = stepper.proposal(q, leave_out)
    out = np.ones(len(stepper.wishes))
    for k in range(len(stepper.wishes)):
        at = stepper.goal_wish == k
        if at.any():
            made, wanted = np.abs(lack_before[at]).sum(), np.abs(stride[at]).sum()
            out[k] = 1.0 - made / wanted if wanted > 1e-9 else 1.0
    return out
