"""Faults in plots."""

from .fault import Fault

FAULTS: list[Fault] = []
