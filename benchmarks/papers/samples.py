"""Rates of samples of one set, and times for growing k: figures 7 and 9 of the ICPP'22 paper."""

from __future__ import annotations

from report import Record, median_of

from .point_lab import PARALLEL, Case, PointLab, table_of_records
from .published import ICPP22_SAMPLES
from .table import Table

SAMPLES_NOTE = (
    "Rates of random samples of a set, k = 1. A smaller sample is a part of a larger one. The paper's numbers were not "
    "at hand. A number of its first author for a part of a cosmology set: "
)
NEIGHBOURS_NOTE = (
    "k = `min_samples` counts the point itself; k = 1 is the Euclidean tree. The ratio is the time over that of the "
    "same program for k = 1; the runs of all programs and all k are shuffled together. quitefastmst takes no k = 2 "
    "(its M = 1 means the Euclidean tree). The paper's numbers were not at hand."
)


def samples(lab: PointLab) -> Table:
    """Figure 7: a set sampled down."""
    records = []
    for name in lab.options.sample_sets:
        points = lab.points(name)
        sizes = [] if points is None else [n for n in lab.options.samples if n < len(points)] + [len(points)]
        records += _together(lab, [case for n in sizes for case in lab.case(name, n=n)])
    note = SAMPLES_NOTE + "; ".join(map(str, ICPP22_SAMPLES)) + "."
    return table_of_records("figure-7", "Figure 7: rates of samples", note, records)


def neighbours(lab: PointLab) -> Table:
    """Figure 9: mutual reachability distances for k from 1 to 64."""
    rows = []
    for name in lab.options.k_sets:
        first: dict[str, float] = {}
        for record in _together(lab, [case for k in lab.options.k for case in lab.case(name, k)]):
            who, seconds = f"{record['contestant']} on {record['threads']}", median_of(record)
            ratio = seconds / first.setdefault(who, seconds)
            common = [record["k"], record["set"], record["n"], record["d"], who]
            rows.append([*common, 1000 * seconds, ratio, f"{record['total']:.10g}", record["checksum"]])
    head = ["k", "set", "points", "d", "contestant", "median ms", "ratio to k = 1", "total weight", "edges"]
    return Table("figure-9", "Figure 9: k from 1 to 64", head, rows, NEIGHBOURS_NOTE)


def _together(lab: PointLab, cases: list[Case]) -> list[Record]:
    """Records of cases that are compared with each other. Beside a GPU, no peers run here: they would take long."""
    peers = PARALLEL if lab.options.device == "cpu" else []
    return [record for records in lab.race(cases, peers) for record in records] if cases else []
