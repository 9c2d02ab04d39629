"""Borůvka's rounds over what is left when every partition has done its own work: a graph of components.

A round has three kinds of tasks: every partition asks others (`asking.py`), every partition answers (`answering.py`),
and one worker joins (`joining.py`). The state between rounds is in `components.py`.
"""

from __future__ import annotations

from typing import Any

from distributed import Future

from emst.backend.operations import Backend
from emst.backend.records import Report
from emst.dask.answering import answer
from emst.dask.asking import ask
from emst.dask.cluster import Cluster
from emst.dask.components import Labels, Place, RoundCosts, Rounds
from emst.dask.joining import join
from emst.dask.routing import routed

AHEAD = 5  # rounds that workers of one process get at once: as a rule, one more batch suffices


def all_rounds(
    state: Future,
    locals_: list[Future],
    places: list[Place],
    outline: list[Future],
    outlines: list[Future],
    cluster: Cluster,
    report: Report | None,
) -> tuple[Future, list[RoundCosts]]:
    """Rounds until one component is left. In one process several are given to the workers at once: those after the last
    one do nothing. Otherwise the driver has to know when to stop.

    Returns
    -------
    state : Future of Rounds
    costs : list of RoundCosts
        What was there before the first round, and what every round left and sent.
    """
    costs = [RoundCosts(0, 0, 0)]
    asked: list[Any] = [None] * len(places)
    answers: list[list[Any]] = [[] for _ in places]
    while costs[-1].left != 1:
        for _ in range(AHEAD if cluster.in_process else 1):
            known = state if cluster.in_process else cluster.submit(_labels, state, at=0)
            asked = [
                cluster.submit(ask, local, place, known, own, before, told, at=place.number)
                for local, place, own, before, told in zip(locals_, places, outline, asked, answers)
            ]
            found = [
                cluster.submit(answer, local, place, known, own, packets, at=place.number)
                for local, place, own, packets in zip(locals_, places, outlines, routed(asked, len(places), cluster))
            ]
            state = cluster.submit(join, state, found, at=0)
            answers = routed(found, len(places), cluster)
        before = len(costs)
        costs = cluster.gather([cluster.submit(_costs_so_far, state, at=0)])[0]
        if report is not None:
            for number, own in enumerate(costs[before:], before):
                report(number, own.left)
        if len(costs) > 9 * costs[0].left.bit_length() + 2:  # at worst all wait for nine rounds before some join
            raise RuntimeError(
                f"{costs[-1].left:,} components are left after {len(costs) - 1} rounds; please report this"
            )
    return state, costs


def _labels(ops: Backend, state: Rounds) -> Labels:
    return state.labels


def _costs_so_far(ops: Backend, state: Rounds) -> list[RoundCosts]:
    return state.costs
