"""Minimum spanning forests of explicit graphs: one door, and one file for every published algorithm."""
