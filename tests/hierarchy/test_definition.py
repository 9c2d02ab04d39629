"""HDBSCAN* by its definition: clusters, labels and scores at equal heights, on sets of random points."""

import dataclasses

import numpy as np
import pytest
from definition_sets import (
    KINDS,
    another_tree,
    clustered,
    differences,
    expected,
    from_tree,
    lifeless,
    prim,
    random_case,
    reachability,
)

SEEDS = range(40)


def check(ops, case):
    """The package's results are those of the definition, from another spanning tree in plain numpy."""
    ours, _, weights = clustered(case, ops.name)
    tree = prim(reachability(case.points, case.min_samples), start=len(case.points) // 2)
    np.testing.assert_array_equal(np.sort(tree[1]), weights)
    assert differences(ours, expected(case, *tree)) == [], case
    return ours


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("kind", KINDS)
def test_random_sets_have_the_clusters_of_the_definition(ops, kind):
    for seed in SEEDS:
        check(ops, random_case(seed, kind=kind))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 9])
def test_the_smallest_sets(ops, n):
    for seed in SEEDS:
        case = random_case([seed, n], greatest=n)
        smallest = {"min_cluster_size": 2 + seed % 2, "allow_single_cluster": seed % 3 == 0}
        check(ops, dataclasses.replace(case, options=case.options | smallest))


def test_the_hierarchy_does_not_depend_on_which_of_several_equal_trees_is_taken(ops):
    for seed in range(60):
        case = random_case(seed)
        matrix = reachability(case.points, case.min_samples)
        trees = [another_tree(matrix, np.random.default_rng([seed, i])) for i in range(2)]
        one, other = (from_tree(ops, *tree, case.options) for tree in trees)
        assert differences(one, other) == [], (seed, case)


@pytest.mark.parametrize("kind", KINDS)
def test_no_cluster_ends_where_it_begins(ops, kind):
    """Different heights have different lambdas in float32."""
    for seed in SEEDS:
        case = random_case(seed, kind=kind, dtype=np.float32)
        case = dataclasses.replace(case, options=case.options | {"persistence": 0.0, "min_cluster_size": 2 + seed % 4})
        assert lifeless(clustered(case, ops.name)[0]) == 0, case


# What must not change a result.


def changed(case, points, **changes):
    """The same set with other points, and with some of the options multiplied."""
    scaled = {name: case.options[name] * factor for name, factor in changes.items() if name in case.options}
    min_samples = case.min_samples * changes.get("min_samples", 1)
    return dataclasses.replace(case, points=points, min_samples=min_samples, options=case.options | scaled)


def renamed(result, rows):
    """The result in which point ``rows[i]`` stands for point i."""
    places = np.argsort(rows)

    def name(points):
        return frozenset(rows[list(points)].tolist())

    arrays = {key: value[places] for key, value in result.items() if isinstance(value, np.ndarray)}
    return (
        result
        | arrays
        | {
            "labels": {name(points) for points in result["labels"]},
            "persistence": {name(points): value for points, value in result["persistence"].items()},
            "exemplars": {name(points): name(value) for points, value in result["exemplars"].items()},
        }
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rows(ops, kind):
    for seed in SEEDS:
        case = random_case(seed, kind=kind)
        rows = np.random.default_rng(seed).permutation(len(case.points))
        ours, _, _ = clustered(case, ops.name)
        permuted, _, _ = clustered(changed(case, case.points[rows]), ops.name)
        assert differences(ours, renamed(permuted, rows)) == [], case


@pytest.mark.parametrize("kind", ["repeated", "integers", "zeros and ones", "coarse"])
def test_equal_rows_have_equal_results(ops, kind):
    for seed in SEEDS:
        case = random_case(seed, kind=kind)
        ours, _, _ = clustered(case, ops.name)
        _, first, equal = np.unique(case.points, axis=0, return_index=True, return_inverse=True)
        first = first[equal.reshape(-1)]
        for name in ("lambdas", "births", "deaths", "probabilities", "outlier scores"):
            np.testing.assert_array_equal(ours[name], ours[name][first], err_msg=f"{name} of {case}")
        for members in ours["labels"]:
            assert members == set(np.flatnonzero(np.isin(first, first[list(members)])).tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_all_rows_twice(ops, kind):
    """If all numbers of points are doubled too, the clusters are the same, and twice as stable."""
    for seed in SEEDS:
        case = random_case(seed, greatest=75, kind=kind)
        twice = changed(case, np.repeat(case.points, 2, axis=0), min_samples=2, min_cluster_size=2, max_cluster_size=2)
        ours, doubled = (clustered(one, ops.name)[0] for one in (case, twice))
        stable = [(birth, death, 2 * size, 2 * value) for birth, death, size, value in ours["condensed tree"]]
        assert doubled["condensed tree"] == stable, case
        for name in ("lambdas", "probabilities", "outlier scores"):
            np.testing.assert_array_equal(doubled[name], np.repeat(ours[name], 2), err_msg=f"{name} of {case}")
        once = {frozenset(p // 2 for p in points): value for points, value in doubled["persistence"].items()}
        assert once == ours["persistence"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rotation_by_a_right_angle(ops, kind):
    """In the plane of the first two axes: the sums of squares keep their bits."""
    for seed in SEEDS:
        case = random_case(seed, kind=kind)
        if case.points.shape[1] == 1:
            rotated = -case.points
        else:
            rotated = np.column_stack([-case.points[:, 1], case.points[:, 0], case.points[:, 2:]])
        ours, turned = (clustered(one, ops.name)[0] for one in (case, changed(case, rotated)))
        assert differences(ours, turned) == [], case


@pytest.mark.parametrize("exponent", [-30, 1, 20])
def test_scaling_by_a_power_of_two(ops, exponent):
    scale = 2.0**exponent
    lengths = {"epsilon": scale, "epsilon_max": scale, "persistence": 1 / scale}
    for seed in range(60):
        case = random_case(seed)
        ours, scaled = (
            clustered(one, ops.name)[0] for one in (case, changed(case, np.ldexp(case.points, exponent), **lengths))
        )
        names = ("labels", "probabilities", "outlier scores", "persistence", "exemplars")
        assert not set(differences(ours, scaled)).intersection(names), case
        np.testing.assert_array_equal(scaled["lambdas"], ours["lambdas"] / scale)
