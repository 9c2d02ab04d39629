"""Faults in the CPU's trees of points."""

from .fault import Fault

FAULTS = [
    Fault(
        "the pass is not repeated",
        "emst/cpu/points/lightest.py",
        "            for_chunks(improve, leaves, grain, *args)\n",
        "            for_chunks(improve, leaves, grain, *args)\n            break\n",
        ("tests/points/test_lightest.py",),
    ),
]
