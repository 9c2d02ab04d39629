"""Faults in distances."""

from .fault import Fault

FAULTS = [
    Fault(
        "chords longer than the diameter have no arc",
        "emst/distances/sphere.py",
        "np.arcsin(np.minimum(chord / 2, 1))",
        "np.arcsin(chord / 2)",
        ("tests/distances/test_sphere.py",),
    ),
]
