"""The condensed tree as JSON and in Newick notation holds the clusters of its table."""

import json
import re

import numpy as np
import pytest

from emst import HDBSCANGPU
from emst.hdbscan.trees.sources import ROW
from emst.hdbscan.trees.texts import json_of, newick_of

G = np.random.default_rng(4)
BLOBS = np.concatenate([G.normal(centre, 0.3, (60, 2)) for centre in ((0, 0), (2, 0), (9, 9), (11, 9))])


@pytest.fixture(scope="module")
def model():
    points = np.vstack([BLOBS, np.repeat(BLOBS[:1], 12, axis=0), [[np.nan, 0.0]]])  # equal points: infinite lambdas
    return HDBSCANGPU(min_cluster_size=8, min_samples=3, device="cpu").fit(points)


def branches(newick):
    """Parent (None for the root) and length of every name."""
    stack, found = [[]], {}
    for opened, closed, name, length in re.findall(r"(\()|(\))|(\d+):([\d.e+-]+)", newick):
        if opened:
            stack.append([])
        elif closed:
            below = stack.pop()
        else:
            for child in below if newick[: newick.index(f"{name}:")].endswith(")") else []:
                found[child][0] = int(name)
            found[int(name)] = [None, float(length)]
            stack[-1].append(int(name))
    return found


def test_json_holds_the_clusters(model):
    tree = model.condensed_tree_
    rows, found = tree.to_numpy(), json.loads(tree.to_json())
    assert list(found) == ["clusters"]
    root, *others = found["clusters"]
    n = len(model.labels_)
    assert (root["cluster"], root["parent"], root["birth"], root["size"]) == (n, None, 0.0, n)
    table = rows[rows["child_size"] > 1]
    listed = [(one["parent"], one["cluster"], one["birth"], one["size"]) for one in others]
    assert sorted(listed) == sorted(map(tuple, table.tolist()))
    for one in found["clusters"]:
        death = rows["lambda_val"][rows["parent"] == one["cluster"]].max()
        assert one["death"] == (death if np.isfinite(death) else None)
        if one["label"] is not None:
            assert tree._select_clusters()[one["label"]] == one["cluster"]
    assert sum(one["label"] is not None for one in found["clusters"]) == model.labels_.max() + 1
    assert any(one["death"] is None for one in found["clusters"])


def test_json_holds_the_points_if_asked(model):
    tree = model.condensed_tree_
    points = json.loads(tree.to_json(points=True))["points"]
    rows = tree.to_numpy()
    of = {child: (parent, height) for parent, child, height, size in rows.tolist() if size == 1}
    assert len(points["cluster"]) == len(model.labels_) == len(of)
    for row, (cluster, height) in enumerate(zip(points["cluster"], points["lambda"])):
        assert (cluster, np.inf if height is None else height) == of[row]


def test_newick_holds_the_clusters(model):
    tree = model.condensed_tree_
    rows, found = tree.to_numpy(), branches(tree.to_newick())
    clusters = json.loads(tree.to_json())["clusters"]
    greatest = rows["lambda_val"][np.isfinite(rows["lambda_val"])].max()
    assert len(found) == len(clusters) > 5
    for one in clusters:
        parent, length = found[one["cluster"]]
        assert parent == one["parent"]
        assert length == (greatest if one["death"] is None else one["death"]) - one["birth"]


def test_a_chain_of_many_splits():
    """Python's recursion would end."""
    splits = 5000
    n = 2 * splits + 2
    rows = []
    for s in range(splits):
        parent = n if s == 0 else n + 2 * s
        rows += [(parent, n + 2 * s + 1, s + 1.0, 2), (parent, n + 2 * s + 2, s + 1.0, n - 2 * (s + 1))]
    rows += [(n + 2 * s + 1, 2 * s + i, splits + 5.0, 1) for s in range(splits) for i in range(2)]
    rows += [(n + 2 * splits, 2 * splits + i, splits + 5.0, 1) for i in range(2)]
    table = np.sort(np.array(rows, ROW), order=["parent", "lambda_val", "child"])
    assert len(json.loads(json_of(table, [], False))["clusters"]) == 2 * splits + 1
    text = newick_of(table)
    assert text.count("(") == text.count(")") == splits and text.endswith(f"{n}:1.0;")


def test_a_tree_without_rows():
    assert newick_of(np.zeros(0, ROW)) == ";"
    assert json.loads(json_of(np.zeros(0, ROW), [], True)) == {"clusters": [], "points": {"cluster": [], "lambda": []}}
