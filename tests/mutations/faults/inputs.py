"""Faults in the check of input."""

from .fault import Fault

FAULTS: list[Fault] = []
