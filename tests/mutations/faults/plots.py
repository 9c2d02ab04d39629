"""Faults in plots."""

from .fault import Fault

PAGE_TREE = "tests/plots/test_page_tree.py"

FAULTS = [
    Fault(
        "a point that leaves at the distance of a level is not in the tree there",
        "emst/plots/page_tree.py",
        'side="left"',
        'side="right"',
        (f"{PAGE_TREE}::test_the_clusters_of_a_level_are_those_of_a_cut",),
    ),
    Fault(
        "a cluster that is born at a level is shown in place of its parent",
        "emst/plots/page_tree.py",
        "np.where(born < level,",
        "np.where(born <= level,",
        (f"{PAGE_TREE}::test_the_clusters_of_a_level_are_those_of_a_cut",),
    ),
    Fault(
        "a selected cluster loses the colour that it has on the map",
        "emst/plots/page_tree.py",
        "np.where(wanted >= 0, wanted, found)[branch]",
        "found[branch]",
        (f"{PAGE_TREE}::test_selected_clusters_have_the_colours_of_the_map",),
    ),
    Fault(
        "the page counts only the points that leave a cluster at the level itself",
        "emst/plots/page_tree.py",
        "np.cumsum(left[:, ::-1], axis=1)[:, ::-1]",
        "left",
        (f"{PAGE_TREE}::test_the_clusters_of_a_level_are_those_of_a_cut",),
    ),
    Fault(
        "points of the page leave the clusters of other points",
        "emst/plots/page.py",
        "[] if tree is None else [tree.cluster[rows]]",
        "[] if tree is None else [tree.cluster[: len(rows)]]",
        (f"{PAGE_TREE}::test_points_of_the_page_leave_the_clusters_of_the_tree",),
    ),
    Fault(
        "the place at the widest gap stays on its side of the dateline",
        "emst/plots/plane.py",
        "longitude <= ascending[widest]",
        "longitude < ascending[widest]",
        ("tests/plots/test_page.py::test_maps",),
    ),
    Fault(
        "the legend counts rows that are not drawn as noise",
        "emst/plots/clusters.py",
        "noise = int((labels == -1).sum())",
        "noise = int((labels < 0).sum())",
        ("tests/plots/test_plots.py::test_noise_is_grey_and_colours_fade_with_the_probability",),
    ),
    Fault(
        "one merge less is drawn than lastp says",
        "emst/plots/dendrogram.py",
        "max(m - p + 1, 0)",
        "max(m - p + 2, 0)",
        ("tests/plots/test_plots.py::test_the_dendrogram_is_scipys",),
    ),
    Fault(
        "the page numbers the points that it shows",
        "emst/plots/page.py",
        '"row": rows,',
        '"row": np.arange(len(rows)),',
        ("tests/plots/test_page.py::test_of_very_many_points_a_sample_is_shown_and_said",),
    ),
    Fault(
        "rows without a place count as noise in the page",
        "emst/plots/page.py",
        "((labels < 0) & finite).sum()",
        "(labels < 0).sum()",
        ("tests/plots/test_page.py::test_the_labels_are_those_of_recluster",),
    ),
    Fault(
        "the page's groups stay in the order of the rows, its points in that of the curve",
        "emst/plots/packing.py",
        'given["group"][order]',
        'given["group"]',
        ("tests/plots/test_packing.py::test_rows_groups_and_colours_follow_their_points",),
    ),
    Fault(
        "the pointer tells the columns of other rows",
        "emst/plots/hover.py",
        "_column(name, values, n)[rows]",
        "_column(name, values, n)[: len(rows)]",
        ("tests/plots/test_page.py::test_of_very_many_points_a_sample_is_shown_and_said",),
    ),
    Fault(
        "the world is drawn once where places lie on both sides of the dateline",
        "emst/plots/coasts.py",
        "last = max(math.ceil(",
        "last = max(math.floor(",
        ("tests/plots/test_coasts.py::test_the_world_begins_again_beyond_180_degrees",),
    ),
    Fault(
        "edges of a dense picture have the weights of others",
        "emst/plots/spanning.py",
        "ends, weights = ends[seen], weights[seen]",
        "ends, weights = ends[seen], weights[: seen.sum()]",
        ("tests/plots/test_plots.py::test_edges_shorter_than_a_pixel_are_left_to_the_points",),
    ),
    Fault(
        "branches are drawn in one colour more than there are",
        "emst/plots/approximation.py",
        "np.asarray(node_color) % COLOURS",
        "np.asarray(node_color) % (COLOURS + 1)",
        ("tests/plots/test_plots.py::test_more_than_ten_labels_have_the_colours_in_turn",),
    ),
    Fault(
        "a point without a pixel whose centre is in its disc is not painted",
        "emst/plots/dots.py",
        "    covered[:, len(steps) // 2] = True  # the pixel itself\n",
        "",
        ("tests/plots/test_dots.py::test_a_disc_covers_the_pixels_whose_centres_it_holds",),
    ),
    Fault(
        "the stability of a branch is that of its first cluster",
        "emst/plots/icicles.py",
        "        area[p] += area[c]\n",
        "",
        ("tests/plots/test_plots.py::test_a_branch_is_as_stable_as_all_that_is_below_it",),
    ),
    Fault(
        "clusters that the legend does not name have its colours",
        "emst/plots/colours.py",
        "        others[:, :NAMED] = UNLIKE\n",
        "",
        ("tests/plots/test_colours.py::test_the_largest_have_colours_of_their_own",),
    ),
]
