"""Minimum spanning forests of explicit graphs: one given, and one file for every published algorithm."""
