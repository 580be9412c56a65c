"""OMPL's planners in a separate process, with an enforced time limit.

PRM and PRM* use two threads that can deadlock through OMPL's Python binding, and the simplification
of a long path has no time limit. The limit of a run is one of the process's CPU time. If
there is still no answer long after that (wall-clock time), the process is killed, the run counts as
failed, and the next run gets a new process.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from writhe.planning.ompl_planners import CLOCK_FACTOR, RANGE_RAD, SamplingPlanner, warm_up
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus

START_S = 600.0  # for a new process to load (or compile) its kernels
GRACE_S = 60.0  # wall-clock time beyond that of a run, for simplifying what was found


class PlannerProcess:
    """Runs sampling planners in a child process; use it in a `with` statement."""

    def __init__(self, grace_s: float = GRACE_S, clock_factor: float = CLOCK_FACTOR) -> None:
        self.grace_s, self.clock_factor = grace_s, clock_factor
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None
        self._warm: object = None
        self.wall_s = self.processor_s = 0.0  # of all plans

    def __enter__(self) -> PlannerProcess:
        """The process is started by the first `plan`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self.close()

    @property
    def processor_share(self) -> float | None:
        """CPU time of all plans divided by their wall-clock time: low on a busy machine."""
        return self.processor_s / self.wall_s if self.wall_s > 0.0 else None

    def plan(
        self,
        method: str,
        problem: PlanProblem,
        *,
        seed: int,
        seconds: float,
        range_rad: float = RANGE_RAD,
    ) -> Plan:
        """As `SamplingPlanner.plan`; STUCK with a note if the process had to be killed.

        It is killed `grace_s` after `clock_factor` times `seconds` of wall-clock time.
        """
        connection = self._ready(problem)
        connection.send((method, problem, seed, seconds, range_rad))
        clock_s = self.clock_factor * seconds + self.grace_s
        if connection.poll(clock_s):
            path, status, spent, steps, processor_s = connection.recv()
            self.wall_s += spent
            self.processor_s += processor_s
            status = PlanStatus(status)
            return Plan(problem, path, status, method, spent, steps, processor_s=processor_s)
        self.close()
        note = f"killed after {clock_s:g} s of wall-clock time: it did not stop by itself"
        path = problem.start[None].copy()
        return Plan(problem, path, PlanStatus.STUCK, method, clock_s, notes=(note,))

    def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = self._warm = None

    def _ready(self, problem: PlanProblem) -> Connection[Any, Any]:
        """The connection to a process that has compiled its kernels for this collision table."""
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        if self._warm is not problem.table:
            self._connection.send(("", problem, 0, 0.0, RANGE_RAD))
            if not self._connection.poll(START_S):
                self.close()
                raise TimeoutError(f"the planners' process did not start within {START_S:g} s")
            self._connection.recv()
            self._warm = problem.table
        return self._connection


def _serve(connection: Connection[Any, Any]) -> None:
    """Answer requests until the other side closes; an empty method asks to warm up."""
    while True:
        try:
            method, problem, seed, seconds, range_rad = connection.recv()
        except EOFError:
            # without clean-up: OMPL's binding reports leaks at exit
            os._exit(0)
        if not method:
            warm_up(problem)
            connection.send(None)
            continue
        planner = SamplingPlanner(method, seed=seed, seconds=seconds, range_rad=range_rad)
        begin = time.process_time()
        found = planner.plan(problem)
        processor_s = time.process_time() - begin
        connection.send((found.path, found.status.value, found.seconds, found.steps, processor_s))
