"""Seconds of trees of a million points on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

found = rows("epyc-2-cores.md", "Trees")
names = [f"{row['set'].removeprefix('cpu-')[:-1]}, {row['set'][-1]}-D, min_samples={row['k']}" for row in found]
columns = {"emst": "emst, ms", "quitefastmst": "quitefastmst, ms"}
seconds = {name: [number(row[column]) / 1000 for row in found] for name, column in columns.items()}
figure, axes = plt.subplots(figsize=(7.5, 4.6))
bars(axes, names, seconds, "seconds", log=False)
