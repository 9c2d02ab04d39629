"""Faults in the hierarchy."""

from .fault import Fault

FAULTS: list[Fault] = []
