"""Faults in the command line."""

from .fault import Fault

FAULTS: list[Fault] = []
