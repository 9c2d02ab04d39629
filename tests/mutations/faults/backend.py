"""Faults in what backends share."""

from .fault import Fault

FAULTS: list[Fault] = []
