"""Time minimum spanning forests of graphs on either device, beside peers, with the total weight for each time.

    python benchmarks forests --device cpu --peers --data FOLDER --markdown forests.md
    python benchmarks forests --device cuda --data FOLDER --weights int32 float32 float64 int64
    python benchmarks forests --sets ws:100000:6 grid1024 --peers scipy rustworkx --runs 3
    python benchmarks forests --sets er:1000000:6 --form list --weights float32 --peers

FOLDER holds USA-road-d.NY.gr, .gr.gz or .npz; without it that set is left out. README.md in this folder says what is
timed and what is not.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from functools import partial

import numpy as np
from expected import forest_verdict, recorded_forests
from graph_contestants import PEERS, Solver, ours, peers
from graph_forms import FORMS, PEERS_OF, ours_in
from graph_sets import QUICK, SETS, TINY, Graph, Missing, check_graph, graph_options
from memory import high_water, in_child, peak_on_device
from race import common_options, measure, peer_options
from report import FORESTS, Record, median_of, table, write

OURS = "emst"
MATRIX = "symmetric"  # the form in which every edge is stored in both directions
WEIGHTS = ["int32", "float32", "float64", "int64"]


def arguments(top: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    common_options(top)
    peer_options(top, list(PEERS))
    graph_options(top)
    top.add_argument("--sets", nargs="+", metavar="SET", help=f"{', '.join(SETS)}, or KIND:N... of graph_sets.py")
    top.add_argument("--weights", nargs="+", choices=WEIGHTS, default=["int32"])
    top.add_argument("--form", choices=(MATRIX, *FORMS), default=MATRIX, help="how the graph is given (symmetric CSR)")
    options = top.parse_args(given)
    options.sets = options.sets or (QUICK if options.quick else SETS)
    return options


def contest(graph: Graph, options: argparse.Namespace) -> list[Record]:
    """Time every contestant on one graph; our record comes first."""
    field = {OURS: contestant(options.form, options.device)} | invited(options)
    calls = {}
    for name, solver in field.items():
        prepared = solver.prepare(graph)
        solver.solve(prepared if options.device == "cuda" else solver.prepare(tiny(graph, options)))
        calls[name] = partial(solver.solve, prepared), partial(solver.figures, graph=graph)
    entries = graph.entries if options.form == MATRIX else graph.entries // 2
    facts = {"set": graph.name, "n": graph.n, "entries": entries, "dtype": str(graph.weights.dtype)}
    runs = dict.fromkeys(field, options.peer_runs or options.runs) | {OURS: options.runs}
    records = measure(f"{graph.name} {facts['dtype']}", facts, calls, runs, options)
    del calls, prepared
    records[0]["peak_bytes"] = None if options.no_memory else peak_of(graph, options)
    return records + (recorded_forests(facts) if options.device == "cuda" and options.form == MATRIX else [])


def contestant(form: str, device: str) -> Solver:
    """Ours, for a graph in this form."""
    return ours(device) if form == MATRIX else ours_in(form, device)


def tiny(graph: Graph, options: argparse.Namespace) -> Graph:
    """A tiny graph with weights of the same type, to compile with."""
    return check_graph(TINY, options.scratch, None).weighing(graph.weights.dtype)


def invited(options: argparse.Namespace) -> dict[str, Solver]:
    """The requested peers that are installed; the others are named on standard error."""
    if options.peers is None or options.device != "cpu":
        return {}
    known = PEERS if options.form == MATRIX else PEERS_OF[options.form]
    present, absent = peers(options.peers or known, known)
    for name in absent:
        print(f"{name} is not installed, or does not take this form", file=sys.stderr)
    return present


def peak_of(graph: Graph, options: argparse.Namespace) -> int | None:
    """Our peak memory beyond the input in one run, in bytes; None where it cannot be measured."""
    if options.device == "cuda":
        solver = contestant(options.form, "cuda")
        given = solver.prepare(graph)
        return peak_on_device(lambda: solver.solve(given))
    if not sys.platform.startswith("linux"):
        return None
    return in_child("commands.forests", graph.name, str(graph.weights.dtype), str(options.scratch), options.form)


def child(name: str, dtype: str, scratch: str, form: str) -> int:
    """Peak memory of one run in this process, which already holds the graph and the compiled code: bytes."""
    tiny, graph = (check_graph(one, pathlib.Path(scratch), None).weighing(dtype) for one in (TINY, name))
    solver = contestant(form, "cpu")
    solver.solve(solver.prepare(tiny))
    given = solver.prepare(graph)
    return high_water(lambda: solver.solve(given))


def comparison(records: list[Record]) -> str:
    """A line for each contestant: its time divided by ours."""
    mine = {(record["set"], record["dtype"]): median_of(record) for record in records if record["contestant"] == OURS}
    ratios: dict[str, dict[str, float]] = {}
    for record in records:
        if record["contestant"] != OURS:
            case = record["set"], record["dtype"]
            ratios.setdefault(record["contestant"], {})[" ".join(case)] = median_of(record) / mine[case]
    lines = []
    for name, found in ratios.items():
        worst = min(found, key=found.__getitem__)
        mean = float(np.exp(np.mean(np.log(list(found.values())))))
        slower = [case for case, ratio in found.items() if ratio < 1]
        lines.append(
            f"- {name}: {mean:.2f} times our time on the geometric mean of {len(found)}, at least {found[worst]:.2f} "
            f"({worst}); we are slower on {', '.join(slower) or 'none'}."
        )
    return "\n".join(["", "", *lines]) if lines else ""


def contests(options: argparse.Namespace) -> Iterator[list[Record]]:
    """The records of every graph and type of weights."""
    for name in options.sets:
        try:
            graph = check_graph(name, options.scratch, options.data)
        except Missing as missing:
            print(missing, file=sys.stderr)
            continue
        for dtype in options.weights:
            yield contest(graph.weighing(dtype), options)


def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options.scratch = options.scratch or pathlib.Path(folder)
        records = table(FORESTS, contests(options))
    write(records, FORESTS, options, comparison(records))
    wrong = [f"{record['contestant']} on {record['set']}" for record in records if not _right(record, records)]
    if wrong:
        sys.exit(f"wrong total weight: {', '.join(wrong)}")


def _right(record: Record, records: list[Record]) -> bool:
    """Whether a total is the known one and that of all other records of its set."""
    totals = {other["total"] for other in records if other["set"] == record["set"] and "total" in other}
    return "total" not in record or (forest_verdict(record) in ("ok", "-") and len(totals) == 1)
