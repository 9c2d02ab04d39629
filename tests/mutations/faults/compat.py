"""Faults in the names of other packages."""

from .fault import Fault

FAULTS = [
    Fault(
        "another default than hdbscan's",
        "emst/compat/hdbscan/robust_single_linkage_.py",
        "    cut: float,\n    k: int = 5,\n    alpha: float = math.sqrt(2),\n",
        "    cut: float,\n    k: int = 5,\n    alpha: float = 1.0,\n",
        ("tests/compat/test_signatures.py",),
    ),
]
