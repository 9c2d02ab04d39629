"""Exact trees, clusterings and forests over many GPUs and machines, by Dask.

cluster.py     the workers, and how tasks are given to them
"""
