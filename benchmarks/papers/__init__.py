"""The experiments of the papers behind `graph_msf`'s algorithms, run again: one table each, see graph_papers.py."""
