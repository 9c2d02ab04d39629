"""Forests by NetworkX itself, and by the same calls with ``backend="emst"``.

    python benchmarks/networkx_backend.py --sides 10 30 100 1000

The graphs are square grids whose edges have random weights. A time is the shortest of some calls, none of which finds a
converted graph that an earlier one has left. Both results are compared: they are equal, edge for edge.
"""

import argparse
import functools
import pathlib
import random
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))  # emst of this checkout, not an installed one

import networkx as nx


def grid(side):
    """A grid of side x side nodes, numbered row by row."""
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    rng = random.Random(0)
    for *_, attributes in G.edges(data=True):
        attributes["weight"] = rng.random()
    G.__networkx_cache__ = None  # no converted graph is kept
    return G


def edges_of(G, backend):
    return list(nx.minimum_spanning_edges(G, data=False, backend=backend))


def tree_of(G, backend):
    return nx.minimum_spanning_tree(G, backend=backend)


def timed(call, runs):
    """The shortest time in seconds. No result is kept: Python's garbage collection would look through it later."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--sides", type=int, nargs="+", default=[10, 20, 30, 100, 1000])
    top.add_argument("--runs", type=int, default=3, help="calls of each kind; twenty times as many below 10,000 nodes")
    options = top.parse_args()
    nx.minimum_spanning_tree(nx.path_graph(5), backend="emst")  # imports and compiles
    print("| nodes | edges | call | NetworkX, ms | emst, ms | ratio |", "|---|---|---|---|---|---|", sep="\n")
    for side in options.sides:
        G = grid(side)
        runs = options.runs * (20 if side < 100 else 1)
        for call in (edges_of, tree_of):
            calls = [functools.partial(call, G, name) for name in ("networkx", "emst")]
            theirs, ours = (timed(one, runs) for one in calls)
            figures = " | ".join(f"{1e3 * one:,.{2 if one < 0.01 else 0}f}" for one in (theirs, ours))
            shown = f"{len(G):,} | {G.number_of_edges():,} | {call.__name__} | {figures} | {theirs / ours:.1f}"
            print(f"| {shown} |", flush=True)
            results = [one() for one in calls]
            if not (results[0] == results[1] if call is edges_of else nx.utils.graphs_equal(*results)):
                raise SystemExit(f"{call.__name__} differs on a grid of {side} x {side}")
            del results


if __name__ == "__main__":
    main()
