"""How many coordinates a second an H200 takes in, for trees."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import tree_rates

rates = tree_rates("Figure 1", "Trees", "A billion points")  # a later section replaces the sets of an earlier one
figure, axes = plt.subplots(figsize=(6, 3.4))
bars(axes, list(rates), {"emst": list(rates.values())}, "million coordinates a second", log=False)
