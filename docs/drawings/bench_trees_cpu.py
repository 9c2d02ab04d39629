"""Seconds of trees of a million points on two CPU cores."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

found = rows("epyc-2-cores.md", "Seconds")
names = [f"{row['set'].removeprefix('cpu-')[:-1]}, {row['set'][-1]}-D, min_samples={row['k']}" for row in found]
seconds = {
    name: [None if row[name] == "-" else number(row[name]) for row in found]
    for name in ("emst", "quitefastmst", "mlpack")
}
figure, axes = plt.subplots(figsize=(7.5, 5.6))
bars(axes, names, seconds, "seconds, logarithmic")
