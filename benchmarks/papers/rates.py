"""Rates by set: figures 1, 5 and 6 of the ICPP'22 paper."""

from __future__ import annotations

from report import Record, median_of

from .point_lab import PARALLEL, PEERS, PointLab, table_of_records
from .published import ICPP22_RATES, ICPP22_SPEEDUP
from .table import Table

PARALLEL_NOTE = (
    "Rates n d / t / 10^6, medians, for the tree with k = 1. quitefastmst takes the place of MemoGFK, the "
    "multithreaded program of the paper. Published: "
)
SEQUENTIAL_NOTE = (
    "Rates as in figure 1, of random samples of the sets, on one thread. mlpack's dual-tree algorithm has no more. The "
    "paper's numbers were not at hand."
)
SPEEDUP_NOTE = (
    "The rate of emst divided by that of the fastest other one in the table of figure 1, on all threads of the same "
    f"machine. Published: {ICPP22_SPEEDUP[0]:g} to {ICPP22_SPEEDUP[1]:g} (abstract; the sets and machines of the two "
    "ends were not at hand)."
)


def parallel_rates(lab: PointLab) -> Table:
    """Figure 1: every program with all its threads, or on the GPU."""
    records = [record for name in lab.options.sets for record in _parallel(lab, name)]
    note = PARALLEL_NOTE + "; ".join(map(str, ICPP22_RATES)) + "."
    return table_of_records("figure-1", "Figure 1: rates of parallel programs", note, records)


def sequential_rates(lab: PointLab) -> Table:
    """Figure 5: one thread of the CPU, whatever the device."""
    records = []
    for name in lab.options.sets:
        for case in lab.case(name, n=lab.options.sequential_n):
            records += lab.race([case], PEERS, threads=1)[0]
    return table_of_records("figure-5", "Figure 5: rates on one thread", SEQUENTIAL_NOTE, records)


def speedups(lab: PointLab) -> Table:
    """Figure 6: emst beside the fastest other program."""
    rows = []
    for name in lab.options.sets:
        emst, *others = _parallel(lab, name) or [None]
        if emst and others:
            best = min(others, key=median_of)
            ratio = median_of(best) / median_of(emst)
            rows.append([emst["set"], emst["n"], emst["d"], emst["threads"], _named(best), ratio])
    head = ["set", "points", "d", "emst on threads", "fastest other program", "speed-up of emst"]
    return Table("figure-6", "Figure 6: speed-up over the fastest other program", head, rows, SPEEDUP_NOTE)


def _parallel(lab: PointLab, name: str) -> list[Record]:
    return [record for case in lab.case(name) for record in lab.race([case], PARALLEL)[0]]


def _named(record: Record) -> str:
    return f"{record['contestant']} on {record['threads']}"
