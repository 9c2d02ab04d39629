"""Properties of any tree of any points: hypothesis looks for the points that break them."""

import numpy as np
import pytest
from helpers import spans, tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

import emst

# Few values make ties and duplicates likely; many make uneven gaps likely. Exponents stay where squares are exact.
COARSE = st.integers(-3, 3).map(float)
FINE = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
settings.register_profile(
    "emst",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("emst")


@st.composite
def points(draw, greatest=40):
    n, d = draw(st.integers(1, greatest)), draw(st.sampled_from([1, 2, 3, 5]))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return draw(hnp.arrays(dtype, (n, d), elements=draw(st.sampled_from([COARSE, FINE])), fill=st.nothing()))


@given(x=points(), data=st.data())
def test_n_minus_one_edges_span(ops, x, data):
    k = data.draw(st.integers(1, len(x)))
    ours = tree(ops, x, k)
    assert spans(ours.edges, len(x))
    assert (ours.edges[:, 0] < ours.edges[:, 1]).all()
    assert (np.diff(ours.weights) >= 0).all()
    assert ours.weights.dtype == x.dtype


@given(x=points(greatest=25), data=st.data())
def test_an_edge_left_out_is_the_heaviest_of_its_cycle(ops, x, data):
    k = data.draw(st.integers(1, len(x)))
    ours = tree(ops, x, k)
    distance = cdist(x, x)
    core = np.sort(distance, axis=1)[:, k - 1]
    weight = np.maximum(np.maximum(core[:, None], core[None]), distance)
    heaviest = np.where(np.eye(len(x), dtype=bool), 0, np.inf)  # on the path in the tree, between every two points
    for (u, v), w in zip(ours.edges, ours.weights.astype(np.float64)):
        side_u, side_v = np.isfinite(heaviest[u]), np.isfinite(heaviest[v])
        heaviest[np.ix_(side_u, side_v)] = heaviest[np.ix_(side_v, side_u)] = w  # ascending: w is the heaviest yet
    slack = 1 + 16 * np.finfo(x.dtype).eps  # the distances here are rounded in another sequence
    assert (heaviest <= weight * slack).all()


@given(x=points(), exponent=st.integers(-40, 40), data=st.data())
def test_scaling_by_a_power_of_two_scales_the_weights_only(ops, x, exponent, data):
    k = data.draw(st.integers(1, len(x)))
    one, other = tree(ops, x, k), tree(ops, np.ldexp(x, exponent), k)
    np.testing.assert_array_equal(other.edges, one.edges)
    np.testing.assert_array_equal(other.weights, np.ldexp(one.weights, exponent))


@given(x=points(), data=st.data())
def test_the_order_of_the_rows_never_changes_a_weight(ops, x, data):
    k = data.draw(st.integers(1, len(x)))
    rows = np.array(data.draw(st.permutations(range(len(x)))))
    one, other = tree(ops, x, k), tree(ops, x[rows], k)
    np.testing.assert_array_equal(other.weights, one.weights)
    if k > 1:
        np.testing.assert_array_equal(other.core_distances, one.core_distances[rows])


@given(x=points())
def test_core_distances_of_the_second_nearest_change_no_total(ops, x):
    """The nearest neighbour's distance is a weight of the tree anyway: k = 2 has the Euclidean weights."""
    np.testing.assert_array_equal(tree(ops, x, min(2, len(x))).weights, tree(ops, x).weights)


@given(x=points())
def test_min_samples_of_one_is_euclidean(ops, x):
    explicit, default = tree(ops, x, 1), emst.minimum_spanning_tree(x, device=ops.name)
    np.testing.assert_array_equal(explicit.edges, default.edges)
    np.testing.assert_array_equal(explicit.weights, default.weights)
    assert explicit.core_distances is None


@pytest.mark.parametrize("k", [1, 4])
@given(x=points())
def test_a_repeated_point_costs_nothing(ops, k, x):
    """Every point k times: core distances are 0, so the tree is the Euclidean one and edges of weight 0."""
    ours = tree(ops, np.repeat(x, k, axis=0), k)
    once = tree(ops, x).weights
    np.testing.assert_array_equal(ours.weights[len(ours.weights) - len(once) :], once)
    assert not ours.weights[: len(ours.weights) - len(once)].any()
