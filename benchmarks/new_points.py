"""How many predictions differ between the rules of hdbscan and of `emst`, and why.

    python benchmarks/new_points.py

classifies 800 new points in each of twelve mixtures, on the CPU. benchmarks/results/peers.md holds the outcome.
"""

import pathlib
import sys
import warnings

import hdbscan

import emst.compat.hdbscan as ours

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tests" / "references"))
from new_points_reference import Rule, Tree, hdbscans_rule, mixture, our_rule, predicted


def main():
    warnings.simplefilter("ignore")
    rules = {
        "both rules": lambda k: (hdbscans_rule(k), our_rule(k)),
        "core distances of training points alone": lambda k: (Rule(k - 1, k, None), our_rule(k)),
        "core distances of new points alone": lambda k: (Rule(k, k + 1, None), our_rule(k)),
        "only 2 k candidates": lambda k: (Rule(k, k, 2 * k), our_rule(k)),
    }
    differ, negative, scores = dict.fromkeys(rules, 0), 0, 0
    for seed in range(12):
        x, new = mixture(seed)
        k = (5, 10, 20)[seed % 3]
        model = ours.HDBSCAN(min_cluster_size=20, min_samples=k, prediction_data=True, device="cpu").fit(x)
        tree = Tree(model.condensed_tree_.to_numpy(), model.condensed_tree_._select_clusters())
        for name, pair in rules.items():
            one, other = (predicted(tree, rule, x, new)[0] for rule in pair(k))
            differ[name] += int((one != other).sum())
        theirs = hdbscan.HDBSCAN(min_cluster_size=20, min_samples=k, prediction_data=True).fit(x)
        found = hdbscan.approximate_predict_scores(theirs, new)
        negative, scores = negative + int((found < 0).sum()), scores + len(found)
    for name, count in differ.items():
        print(f"{count} of {scores} labels differ: {name}")
    print(f"{negative} of {scores} outlier scores of hdbscan are negative")


if __name__ == "__main__":
    main()
