"""What a type checker makes of the installed package: `mypy --strict .ci/typed.py`, from another folder.

Arrays are `Any`: they are numpy's, CuPy's or torch's, as the input was. Each line that uses the package wrongly names
the error that mypy must find there; `--strict` reports a comment that silences nothing.
"""

from typing import Any, assert_type

import numpy as np

from emst import (
    EMST,
    HDBSCAN,
    HDBSCANGPU,
    MinimumSpanningForest,
    MinimumSpanningTree,
    graph_msf,
    minimum_spanning_tree,
)
from emst.hdbscan.trees import CondensedTree, SingleLinkageTree, SpanningTree

X = np.random.default_rng(0).random((100, 2))

mst = EMST(min_samples=2).fit(X)
assert_type(mst, EMST)
assert_type(mst.weights_, Any)
assert_type(mst.total_weight_, float)
assert_type(mst.device_, str)
assert_type(mst.n_features_in_, int)

tree = minimum_spanning_tree(X)
assert_type(tree, MinimumSpanningTree)
assert_type(tree.weights, Any)
assert_type(tree.total_weight, float)

forest = graph_msf([0, 1], [1, 2], [2.0, 3.0], n_vertices=4)
assert_type(forest, MinimumSpanningForest)
assert_type(forest.edge_id, Any)
assert_type(forest.n_components, int)
assert_type(forest.total_weight, int | float)

model = HDBSCANGPU(min_cluster_size=5)
assert_type(model.fit_predict(X), Any)
assert_type(model.fit(X), HDBSCANGPU)
assert_type(model.recluster(min_cluster_size=10), HDBSCANGPU)
assert_type(model.condensed_tree_, CondensedTree)
assert_type(model.single_linkage_tree_, SingleLinkageTree)
assert_type(model.minimum_spanning_tree_, SpanningTree)
assert_type(model.relative_validity_, float)
assert_type(HDBSCAN(), HDBSCANGPU)

EMST(min_samples="2")  # type: ignore[arg-type]
EMST(2)  # type: ignore[call-arg]
HDBSCANGPU(min_cluster_sizes=5)  # type: ignore[call-arg]
minimum_spanning_tree(X, metrics="euclidean")  # type: ignore[call-arg]
minimum_spanning_tree(X).total_weight.append(1)  # type: ignore[attr-defined]
print(graph_msf([0], [1], [2.0]).edge_ids)  # type: ignore[attr-defined]
