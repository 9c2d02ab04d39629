"""Seconds of trees of a million points on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

found = {name: rows("xeon-2-cores.md", "Trees", contestant=name) for name in ("emst", "quitefastmst")}
names = [f"{row['set'].removeprefix('cpu-')[:-1]}, {row['set'][-1]}-D, min_samples={row['k']}" for row in found["emst"]]
seconds = {name: [number(row["median ms"]) / 1000 for row in of_name] for name, of_name in found.items()}
figure, axes = plt.subplots(figsize=(7.5, 4.6))
bars(axes, names, seconds, "seconds", log=False)
