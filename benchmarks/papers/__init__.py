"""The experiments of the papers behind `graph_msf`'s algorithms, one table each; graph_papers.py runs them.

roads.py        road networks (Vineet et al., Sousa et al., PMA)
sides.py        all algorithms side by side; worst cases
sweeps.py       growing size and degree of random graphs
knobs.py        the algorithms' own parameters: gamma, offload, and reduction by round
published.py    figures that others published, with their sources
lab.py          runs and times the algorithms, and compares their forests
table.py        a table and its plot
"""
