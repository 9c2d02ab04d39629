"""The experiments of papers, one table each.

Those of the papers behind `graph_msf`'s algorithms; `benchmarks graph-papers` runs them:

roads.py        road networks (Vineet et al., Sousa et al., PMA)
sides.py        all algorithms side by side; worst cases
sweeps.py       growing size and degree of random graphs
knobs.py        the algorithms' own parameters: gamma, offload, and reduction by round
lab.py          runs and times the algorithms, and compares their forests

Those of the paper behind the trees of points (Prokopenko, Sao, Lebrun-Grandié, ICPP'22); `benchmarks icpp22` runs them:

rates.py        rates by set: all threads, one thread, beside the fastest other program
samples.py      a set sampled down; growing k
phases.py       stages
point_lab.py    opens the sets, runs and times the programs, and compares their total weights

Both use:

published.py    figures that others published, with their sources
table.py        a table and its plot
"""
