"""Faults in files."""

from .fault import Fault

FAULTS: list[Fault] = []
