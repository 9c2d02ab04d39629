"""Faults in the check of input."""

from .fault import Fault

FAULTS = [
    Fault(
        "True is a number of samples",
        "emst/inputs/points.py",
        " or isinstance(min_samples, bool)",
        "",
        ("tests/inputs/test_bad_input.py::test_min_samples_that_is_no_count",),
    ),
    Fault(
        "masked values are read",
        "emst/inputs/points.py",
        "    elif np.ma.is_masked(array):\n",
        "    elif False:\n",
        ("tests/inputs/test_bad_input.py::test_masked_points_are_refused",),
    ),
    Fault(
        "objects that are numbers stay objects",
        "emst/inputs/points.py",
        "if array.dtype == object:",
        "if False:",
        ("tests/inputs/test_bad_input.py::test_lists_of_objects_are_numbers_where_they_can_be",),
    ),
    Fault(
        "the scale does not see large negative coordinates",
        "emst/inputs/scaling.py",
        "(*low.tolist(), *high.tolist())",
        "high.tolist()",
        ("tests/inputs/test_scaling.py::test_scale_is_a_power_of_two_and_leaves_room_for_squares",),
    ),
    Fault(
        "names of columns outlive a fit without names",
        "emst/inputs/features.py",
        "        vars(estimator).pop(name, None)\n",
        "        pass\n",
        ("tests/inputs/test_features.py::test_names_go_with_the_data_they_came_with",),
    ),
    Fault(
        "frames with other columns beside places are warned of",
        "emst/inputs/places.py",
        "if euclidean and len(names) == 2:",
        "if euclidean:",
        ("tests/hdbscan/test_places.py::test_other_names_do_not_warn",),
    ),
    Fault(
        "arrays of other libraries on the host are taken for those of a GPU",
        "emst/inputs/devices.py",
        "return int(number) if kind == _DLPACK_CUDA else None",
        "return int(number)",
        ("tests/inputs/test_devices.py::test_host_data_is_on_no_gpu",),
    ),
    Fault(
        "the sum of weights beyond all floats warns",
        "emst/inputs/summary.py",
        ', np.errstate(over="ignore", invalid="ignore"):',
        ":",
        ("tests/inputs/test_summary.py::test_a_sum_beyond_all_floats_is_infinite_without_a_warning",),
    ),
    Fault(
        "small weights are rounded to zero",
        "emst/inputs/weights.py",
        "np.maximum(np.rint(weights * 2.0**bits).astype(np.int64), weights > 0)",
        "np.rint(weights * 2.0**bits).astype(np.int64)",
        ("tests/inputs/test_weights.py::test_other_weights_are_rounded_to_a_power_of_two",),
    ),
    Fault(
        "a row is one point among its neighbours on the curve, whatever its weight",
        "emst/inputs/weights.py",
        "return np.minimum(self.units, CROWD + 1).astype(np.int32) if self.whole else None",
        "return None",
        ("tests/hdbscan/test_weights.py::test_weights_are_copies",),
    ),
]
