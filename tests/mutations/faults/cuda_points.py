"""Faults in the GPU's trees of points."""

from .fault import Fault

FAULTS: list[Fault] = []
