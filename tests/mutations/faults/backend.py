"""Faults in what backends share."""

from .fault import Fault

FAULTS = [
    Fault(
        "the product of the upper part of a degree and an exponent is rounded",
        "emst/backend/records.py",
        "np.int64(-1 << 13)",
        "np.int64(-1 << 3)",
        ("tests/points/test_norms.py::test_any_power_is_its_definition",),
    ),
    Fault(
        "the root of a great power is not corrected",
        "emst/backend/records.py",
        "roots[regular] = estimate - estimate * ((estimate**self.degree - wanted) / wanted) / self.degree",
        "roots[regular] = estimate",
        ("tests/points/test_metrics.py::test_roots_are_rounded_once_or_so",),
    ),
    Fault(
        "equal codes of neighbouring cells are one run",
        "emst/backend/records.py",
        "    begins[start[:-1]] = True\n",
        "    begins[:1] = True\n",
        ("tests/points/test_order.py::test_crowded_cells_are_divided",),
    ),
    Fault(
        "a linkage of vertices counts them as its points",
        "emst/backend/records.py",
        "return self.n if self.total is None else self.total",
        "return self.n",
        ("tests/hierarchy/test_linkage.py::test_vertices_count_as_many_points_as_they_stand_for",),
    ),
]
