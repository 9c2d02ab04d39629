"""The backend of NetworkX: forests, orders and errors are those of NetworkX itself."""

import configparser
import importlib
import inspect
import itertools
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from emst.compat.networkx import backend, info
from emst.graph.input import MOST_VERTICES

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDGES = ("minimum_spanning_edges", "maximum_spanning_edges")
TREES = ("minimum_spanning_tree", "maximum_spanning_tree")
KINDS = (nx.Graph, nx.MultiGraph)
NAN = float("nan")
installed = pytest.mark.skipif(
    "emst" not in nx.utils.backends.backends,
    reason="NetworkX does not list the backend: emst was installed before it had entry points; install it again",
)


def ours(name, G, **keywords):
    """What NetworkX does with ``backend="emst"``, also where emst is not installed."""
    result = getattr(backend, name)(backend.convert_from_nx(G), **keywords)
    return result if name in TREES else list(result)


def theirs(name, G, **keywords):
    result = getattr(nx, name)(G, **keywords)
    return result if name in TREES else list(result)


def assert_same(G, **keywords):
    """Both forests of edges are NetworkX's, in its order; ends are compared as well as attributes."""
    for name in EDGES:
        assert ours(name, G, device="cpu", **keywords) == theirs(name, G, **keywords)


def with_ties(kind, seed, n=40, m=120, values=5):
    """A random graph with ties, loops, isolated nodes, several components, edges without weights and parallel edges."""
    rng = random.Random(seed)
    G = kind(name="with ties")
    names = [*range(n // 2), *(f"node {i}" for i in range(n - n // 2))]
    rng.shuffle(names)
    G.add_nodes_from((node, {"size": rng.random()}) for node in names)
    for _ in range(m):
        u, v = rng.choice(names[: n - 5]), rng.choice(names[: n - 5])
        G.add_edge(u, v, **({"weight": rng.randrange(-1, values)} if rng.random() < 0.9 else {}), colour=rng.random())
    return G


def weighted(*weights, kind=nx.Graph):
    """A complete graph, whose edges have these weights one after the other."""
    n = next(n for n in itertools.count(2) if n * (n - 1) // 2 >= len(weights))
    G = kind()
    G.add_edges_from((u, v, {"weight": w}) for (u, v), w in zip(itertools.combinations(range(n), 2), weights))
    return G


# ---- forests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EDGES)
def test_edges_are_those_of_kruskals_algorithm_also_where_weights_tie(ops, name, kind):
    for seed in range(5):
        G = with_ties(kind, seed)
        for keys, data in itertools.product((True, False), repeat=2):
            found = ours(name, G, keys=keys, data=data, device=ops.name)
            assert found == theirs(name, G, keys=keys, data=data)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TREES)
def test_trees_have_all_attributes_of_graph_nodes_and_edges(ops, name, kind):
    G = with_ties(kind, 7)
    found, expected = ours(name, G, device=ops.name), theirs(name, G)
    assert type(found) is kind
    assert (found.graph, found._node, found._adj) == (expected.graph, expected._node, expected._adj)
    assert (list(found), list(found.edges)) == (list(expected), list(expected.edges))


def test_a_tree_can_be_changed_without_its_graph():
    G = nx.Graph(place="here")
    G.add_edge("a", "b", weight=1)
    G.nodes["a"]["size"] = 1
    T = ours("minimum_spanning_tree", G)
    T.graph["place"], T.nodes["a"]["size"], T["a"]["b"]["weight"] = "there", 2, 3
    assert (G.graph["place"], G.nodes["a"]["size"], G["a"]["b"]["weight"]) == ("here", 1, 1)


def test_a_tree_has_the_class_of_its_graph():
    class Roads(nx.Graph):
        pass

    assert type(ours("minimum_spanning_tree", Roads([(0, 1)]))) is Roads


@pytest.mark.parametrize("algorithm", ["kruskal", "prim", "boruvka", "borůvka"])
def test_every_algorithm_gives_a_forest_of_the_same_weight(algorithm):
    G = with_ties(nx.Graph, 3)
    for name in TREES:
        found, expected = ours(name, G, algorithm=algorithm), theirs(name, G, algorithm=algorithm)
        assert nx.is_forest(found) and found.size() == expected.size()
        assert sum(d.get("weight", 1) for *_, d in found.edges(data=True)) == sum(
            d.get("weight", 1) for *_, d in expected.edges(data=True)
        )


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_without_edges(kind):
    loops = kind([("a", "a")])
    for G in (kind(), nx.empty_graph(3, kind), loops):
        assert_same(G)
        T = ours("minimum_spanning_tree", G)
        assert list(T) == list(G) and T.size() == 0


def test_nodes_are_any_keys_of_a_dict():
    nodes = [(0, 1), "a", frozenset({1, 2}), 2.5, -7, True, object(), Fraction(1, 3), int]
    G = nx.Graph()
    rng = random.Random(0)
    G.add_weighted_edges_from((u, v, rng.randrange(4)) for u, v in itertools.combinations(nodes, 2))
    assert_same(G)


def test_the_view_of_a_subgraph():
    G = with_ties(nx.MultiGraph, 11)
    assert_same(G.subgraph(list(G)[::2]))


def test_parallel_edges_with_ties_keep_the_first_key():
    G = nx.MultiGraph()
    G.add_edges_from([(0, 1, "b", {"weight": 2}), (0, 1, "a", {"weight": 2}), (1, 0, "c", {"weight": 3})])
    assert ours("minimum_spanning_edges", G, data=False) == [(0, 1, "b")]
    assert ours("maximum_spanning_edges", G, data=False) == [(0, 1, "c")]


# ---- weights -------------------------------------------------------------------------------------------------------

BIG = 2**53
WEIGHTS = {
    "integers at both ends of 64 bits": (-(2**63), 2**63 - 1, -(2**63) + 1, 0, 2**63 - 2, -1),
    "integers of more than 64 bits": (2**64 + 1, 2**64, 2**64 + 2, -(2**70), 2**64 + 1, 3),
    "integers between signed and unsigned": (2**63 + 1, 2**63, 2**63 + 2, -1, -2, 0),
    "integers and floats that float64 takes for equal": (BIG + 1, float(BIG), BIG + 2, BIG + 1, BIG, float(BIG + 2)),
    "integers and floats": (2.5, 2, 2.25, 3, True, 2.5),
    "fractions and decimals": (Fraction(1, 3), Decimal("0.3"), 0, 1, -Fraction(1, 3), Fraction(1, 3)),
    "decimals": tuple(map(Decimal, ("0.1", "0.10", "1e-30", "-1", "0", "Infinity"))),
    "infinities and zeros with signs": (float("inf"), 0.0, -0.0, -float("inf"), float("inf"), -0.0),
    "truth values": (True, False, True, 1, 0, False),
    "scalars of numpy": tuple(np.float32([0.1, 0.1, -2, np.inf, 3, 0])),
    "unsigned scalars of numpy": tuple(np.uint64([2**64 - 1, 2**64 - 2, 0, 1, 2**63, 2**64 - 1])),
    "truth values of numpy": tuple(np.array([1, 0, 1, 1, 0, 0], bool)),
    "scalars of several kinds": (np.int64(3), 2, np.float32(2.5), np.float64(2.5), 2.5, np.uint8(2)),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_weights_are_compared_exactly(weights):
    for turn in range(6):
        assert_same(weighted(*weights[turn:], *weights[:turn]))


def test_the_name_of_the_weight():
    G = with_ties(nx.Graph, 5)
    for weight in ("colour", "there is none", None, 7):  # an edge without a weight counts as 1
        assert_same(G, weight=weight)


@pytest.mark.parametrize("nan", [NAN, np.float32("nan"), Decimal("nan")], ids=["float", "numpy", "decimal"])
@pytest.mark.parametrize("other", [float, np.float32, Decimal, Fraction])
@pytest.mark.parametrize("kind", KINDS)
def test_edges_with_nan_are_an_error_or_left_out(kind, nan, other):
    G = weighted(other(3), nan, other(1), nan, other(2), other(1), kind=kind)
    assert_same(G, ignore_nan=True)
    for name in EDGES:
        with pytest.raises(ValueError) as expected:
            theirs(name, G)
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            ours(name, G)
        assert len(ours(name, weighted(nan, nan, nan), ignore_nan=True)) == 0


def test_nan_on_a_loop_is_an_error():
    G = weighted(1, 2, 3)
    G.add_edge(1, 1, weight=NAN)
    with pytest.raises(ValueError, match=re.escape("Edge (1, 1, {'weight': nan})")):
        ours("minimum_spanning_edges", G)
    assert_same(G, ignore_nan=True)


def test_edges_are_computed_when_the_first_is_asked_for():
    """As in NetworkX, so that errors of weights come there."""
    edges = backend.minimum_spanning_edges(backend.convert_from_nx(weighted(NAN)))
    with pytest.raises(ValueError, match="NaN found"):
        next(edges)


@pytest.mark.parametrize("weight", ["heavy", None, 1j, 10**400], ids=repr)
def test_weights_that_are_no_numbers_raise_what_networkx_raises(weight):
    G = weighted(1, weight, 2)
    with pytest.raises((TypeError, OverflowError)) as expected:
        theirs("minimum_spanning_edges", G)
    with pytest.raises(expected.type, match=re.escape(str(expected.value))):
        ours("minimum_spanning_edges", G)


# ---- errors and the interface --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*EDGES, *TREES])
@pytest.mark.parametrize(
    "G, algorithm",
    [
        (nx.DiGraph([(0, 1)]), "kruskal"),
        (nx.MultiDiGraph([(0, 1)]), "nonsense"),
        (nx.MultiGraph([(0, 1)]), "boruvka"),
        (nx.MultiGraph([(0, 1)]), "borůvka"),
        (nx.Graph([(0, 1)]), "nonsense"),
    ],
)
def test_errors_are_those_of_networkx(name, G, algorithm):
    with pytest.raises((nx.NetworkXNotImplemented, ValueError)) as expected:
        theirs(name, G, algorithm=algorithm)
    with pytest.raises(expected.type, match=re.escape(str(expected.value))):
        ours(name, G, algorithm=algorithm)


def test_a_converted_graph_reads_weights_and_attributes_at_every_call():
    """NetworkX keeps it, and does not notice when the dict of an edge is changed."""
    G = weighted(1, 2, 3)
    kept = backend.convert_from_nx(G)
    assert list(backend.minimum_spanning_edges(kept, data=False)) == [(0, 1), (0, 2)]
    G[0][1]["weight"] = 5
    assert list(backend.minimum_spanning_edges(kept, data=False)) == [(0, 2), (1, 2)]
    assert list(backend.maximum_spanning_edges(kept)) == [(0, 1, {"weight": 5}), (1, 2, {"weight": 3})]


def test_what_networkx_keeps_is_pickled_with_the_graph():
    G = weighted(3, 1, 2)
    kept = backend.convert_from_nx(G)
    expected = list(backend.minimum_spanning_edges(kept))
    assert list(backend.minimum_spanning_edges(pickle.loads(pickle.dumps(kept)))) == expected


def test_small_graphs_stay_with_networkx():
    few, many = nx.path_graph(backend.WORTH_IT), nx.path_graph(backend.WORTH_IT + 1)
    assert "fewer than 1,000 edges" in backend.should_run("minimum_spanning_tree", (few,), {})
    assert backend.should_run("minimum_spanning_tree", (), {"G": many}) is True


def test_graphs_with_too_many_nodes_are_refused():
    class Huge(nx.Graph):
        def __len__(self):
            return MOST_VERTICES + 1

    assert "at most 2,147,483,647" in backend.can_run("minimum_spanning_tree", (Huge(),), {})
    assert backend.can_run("minimum_spanning_tree", (), {"G": nx.Graph()}) is True


@pytest.mark.parametrize("name", info.FUNCTIONS)
def test_signatures_are_those_of_networkx(name):
    theirs, ours = (inspect.signature(getattr(module, name)).parameters for module in (nx, backend))
    expected = {one: given.default for one, given in theirs.items() if one not in ("backend", "backend_kwargs")}
    assert {one: given.default for one, given in ours.items()} == {**expected, "device": "auto"}
    assert list(ours) == [*expected, "device"]


def test_entry_points_lead_to_the_backend():
    """Read off pyproject.toml, so that this holds also where emst was installed before."""
    text = (ROOT / "pyproject.toml").read_text()
    sections = re.findall(r'^\[project\.entry-points\."(networkx\.\w+)"\]\n((?:\w.*\n)+)', text, re.MULTILINE)
    points = {}
    for group, lines in sections:
        parser = configparser.ConfigParser()
        parser.read_string(f"[it]\n{lines}")
        module, _, name = parser["it"]["emst"].strip('"').partition(":")
        points[group] = importlib.import_module(module) if not name else getattr(importlib.import_module(module), name)
    assert points == {"networkx.backends": backend, "networkx.backend_info": info.backend_info}
    assert all(callable(getattr(backend, name)) for name in info.backend_info()["functions"])


def test_what_networkx_imports_of_every_backend_imports_nothing_heavy():
    code = "import sys; from emst.compat.networkx.info import backend_info; backend_info(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"numpy", "numba", "networkx", "scipy", "emst.compat.networkx.backend"}


# ---- through NetworkX ----------------------------------------------------------------------------------------------


@installed
@pytest.mark.parametrize("name", info.FUNCTIONS)
def test_one_word_in_a_call_of_networkx(name):
    G = with_ties(nx.Graph, 2)
    found = getattr(nx, name)(G, backend="emst", device="cpu")
    expected = theirs(name, G)
    assert nx.utils.graphs_equal(found, expected) if name in TREES else list(found) == list(expected)
    assert "emst : Minimum and maximum" in getattr(nx, name).__doc__


@installed
def test_a_graph_that_has_changed_is_converted_anew():
    G = weighted(3, 1, 2)
    assert nx.minimum_spanning_tree(G, backend="emst").size(weight="weight") == 3
    G.add_edge(0, 3, weight=-4)
    assert nx.minimum_spanning_tree(G, backend="emst").size(weight="weight") == -1


@installed
def test_the_error_for_a_directed_graph_through_networkx():
    with pytest.raises(nx.NetworkXNotImplemented, match="directed"):
        nx.minimum_spanning_tree(nx.DiGraph([(0, 1)]), backend="emst")


@installed
def test_the_order_of_backends_chooses_ours_for_large_graphs(monkeypatch):
    sizes, own = [], backend.minimum_spanning_tree
    monkeypatch.setattr(backend, "minimum_spanning_tree", lambda G, *rest: [sizes.append(len(G)), own(G, *rest)][1])
    with nx.config.backend_priority(algos=["emst"], generators=["emst"]):
        for n in (10, 2000):
            assert nx.is_tree(nx.minimum_spanning_tree(nx.path_graph(n)))
    assert sizes == [2000]


def _suite(folder, package):
    """How many of NetworkX's tests in a package pass with its test backend switched to ours; none may fail."""
    options = ["-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider", "-q", "--pyargs", package]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        env=dict(os.environ, NETWORKX_TEST_BACKEND="emst"),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    return int(re.search(r"(\d+) passed", run.stdout).group(1))


@installed
def test_networkxs_own_tests(tmp_path):
    """Those of spanning trees. NetworkX computes nothing itself, so that a test passes only if ours ran."""
    pytest.importorskip("networkx.algorithms.tree.tests", reason="the tests of networkx are not installed")
    assert _suite(tmp_path, "networkx.algorithms.tree.tests.test_mst") >= 50
