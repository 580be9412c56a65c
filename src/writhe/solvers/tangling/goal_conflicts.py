"""Why goals are not met: which of them conflict, and which contacts or limits are active."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.solvers.tangling.stepper import TangleStepper

_SHARE = 0.25  # fraction of its stride from which a goal makes progress


def conflicts(stepper: TangleStepper, q: Floats) -> tuple[str, ...]:
    """One sentence for each obstacle at the pose q where a solve got stuck.

    Every goal is left out in turn: if another goal then makes progress that it did not make before,
    the two conflict. A stuck goal without a conflict is held back by contacts or limits, which are
    named.
    """
    stepper.update(q)
    unmet = [k for k, met in enumerate(stepper.reached()) if not met]
    together = _progress(stepper, q, leave_out=None)
    stuck = [k for k in unmet if together[k] < _SHARE]
    out: list[str] = []
    for a in stuck:
        hindered = False
        for b in range(len(stepper.goals)):
            if b == a:
                continue
            if _progress(stepper, q, leave_out=b)[a] > together[a] + _SHARE:
                hindered = True
                one, two = stepper.goals[a].label, stepper.goals[b].label
                if f"{two} and {one} conflict" not in out:
                    out.append(f"{one} and {two} conflict")
        if not hindered:
            stepper.step(q)
            names = [name for _, name in stepper.holding_back() if not name.startswith("goal ")]
            what = ", ".join(dict.fromkeys(names[:4])) or "a local minimum"
            out.append(f"{stepper.goals[a].label} is held back by {what}")
    return tuple(out)


def _progress(stepper: TangleStepper, q: Floats, leave_out: int | None) -> Floats:
    """(goals,) the fraction of its stride that each goal would make in one step from q."""
    remaining, stride = stepper.proposal(q, leave_out)
    out = np.ones(len(stepper.goals))
    for k in range(len(stepper.goals)):
        at = stepper.goal_of_row == k
        if at.any():
            left, whole = np.abs(remaining[at]).sum(), np.abs(stride[at]).sum()
            out[k] = 1.0 - left / whole if whole > 1e-9 else 1.0
    return out
