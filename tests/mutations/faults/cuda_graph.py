"""Faults in the GPU's forests of graphs."""

from .fault import Fault

FAULTS: list[Fault] = []
