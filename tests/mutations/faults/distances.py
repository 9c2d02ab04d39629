"""Faults in distances."""

from .fault import Fault

VALIDITY = "tests/distances/test_validity.py::test_operations_equal_the_reference[cpu]"

FAULTS = [
    Fault(
        "chords longer than the diameter have no arc",
        "emst/distances/sphere.py",
        "np.arcsin(np.minimum(chord / 2, 1))",
        "np.arcsin(chord / 2)",
        ("tests/distances/test_sphere.py",),
    ),
    Fault(
        "core distances may be negative zeros",
        "emst/cpu/distances/rows.py",
        "core[u] = abs(heap[0])",
        "core[u] = heap[0]",
        ("tests/distances/test_precomputed.py::test_negative_zeros_are_zeros",),
    ),
    Fault(
        "the reach of a point at its core distance is not divided by alpha",
        "emst/cpu/distances/rows.py",
        "reach = near[u] / alpha if weight == core_distance",
        "reach = near[u] if weight == core_distance",
        ("tests/distances/test_alpha.py::test_a_matrix_gives_the_tree_of_the_total_order[cpu-20-uniform-float64]",),
    ),
    Fault(
        "infinite weights make edges",
        "emst/cpu/distances/rows.py",
        "bound[u] = np.finfo(bound.dtype).max  #",
        "bound[u] = np.inf  #",
        ("tests/distances/test_rows.py::test_the_tree_of_a_matrix[cpu-3-missing-float64]",),
    ),
    Fault(
        "rows whose bound equals the best are not searched",
        "emst/cpu/distances/rows.py",
        "if bound[u] > load(best, labels[u]):",
        "if bound[u] >= load(best, labels[u]):",
        ("tests/distances/test_rows.py::test_the_tree_of_a_matrix[cpu-17-integers-float64]",),
    ),
    Fault(
        "a block of exemplars runs into the next cluster",
        "emst/cpu/distances/exemplars.py",
        "size = min(BLOCK, starts[c + 1] - first)",
        "size = min(BLOCK, columns.shape[1] - first)",
        ("tests/hdbscan/test_prediction.py::test_exemplar_distances_equal_the_reference[cpu-3-float64]",),
    ),
    Fault(
        "the last of equally near points is the parent",
        "emst/cpu/distances/validity.py",
        " and p != new and parent[new] < 0:",
        " and p != new:",
        (VALIDITY,),
    ),
    Fault(
        "blocks that overlap the own cluster are left out of its separation",
        "emst/cpu/distances/validity.py",
        "if low <= first and first + size <= high:",
        "if low < first + size and first < high:",
        (VALIDITY,),
    ),
    Fault(
        "lengths of rows are taken from squares that overflow",
        "emst/distances/metrics.py",
        "    points /= abs(points).max(axis=1, keepdims=True)  # squares neither overflow nor vanish\n",
        "",
        ("tests/points/test_metrics.py::test_directions_of_points_whose_squares_are_no_numbers[cpu-900]",),
    ),
    Fault(
        "a pole in float32 lies beyond the sphere",
        "emst/distances/sphere.py",
        "(latitude > self.turn / 4 * SLACK)",
        "(latitude > self.turn / 4)",
        ("tests/hdbscan/test_places.py::test_poles_and_full_circles_are_places",),
    ),
    Fault(
        "components are joined below the heaviest edge",
        "emst/distances/sparse.py",
        "height = math.inf if not max_distance else max(max_distance, float(weights[-1]) if len(weights) else 0.0)",
        "height = math.inf if not max_distance else max_distance",
        ("tests/distances/test_precomputed.py::test_max_distance_stands_for_infinity",),
    ),
    Fault(
        "the first bad entry is counted from its tile",
        "emst/distances/matrices.py",
        'place = f"first in row {first + row}, column {column}"',
        'place = f"first in row {row}, column {column}"',
        ("tests/distances/test_precomputed.py::test_bad_matrices",),
    ),
    Fault(
        "a coordinate that rounds to the length of the box stays there",
        "emst/distances/periodic.py",
        "zero = (rest >= length) | ",
        "zero = ",
        ("tests/points/test_periodic.py::test_coordinates_are_wrapped_exactly[cpu-float64]",),
    ),
]
