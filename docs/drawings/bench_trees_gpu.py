"""How many coordinates a second an H200 takes in, for trees."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

FILE = "nvidia-h200.md"
found = [row for row in rows(FILE) if "MFeatures/s" in row]
names = [f"{row['set'].split()[0]}, {row['n x d']}, k={row['k']} ({row['median ms']} ms)" for row in found]
figure, axes = plt.subplots(figsize=(6, 5.4))
bars(axes, names, {"emst": [number(row["MFeatures/s"]) for row in found]}, "million coordinates a second", log=False)
