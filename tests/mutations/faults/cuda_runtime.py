"""Faults in what the GPU's stages share."""

from .fault import Fault

FAULTS: list[Fault] = []
