"""Faults in `HDBSCANGPU` and what belongs to it."""

from .fault import Fault

MEDOIDS = "tests/hdbscan/test_medoids.py::test_rounding_leaves_no_medoid_out"

FAULTS = [
    Fault(
        "differences of sums are taken as exact",
        "emst/hdbscan/medoids.py",
        "    distance -= 2 * SLACK * sums[:, None]\n",
        "",
        (MEDOIDS,),
    ),
    Fault(
        "lower bounds of sums are taken as exact",
        "emst/hdbscan/medoids.py",
        "SLACK = 1e-6",
        "SLACK = 0.0",
        (MEDOIDS,),
    ),
]
