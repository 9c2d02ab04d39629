"""Faults in what the CPU's stages share."""

from .fault import Fault

FAULTS: list[Fault] = []
