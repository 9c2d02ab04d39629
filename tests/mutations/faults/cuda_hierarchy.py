"""Faults in the GPU's hierarchy."""

from .fault import Fault

FAULTS: list[Fault] = []
