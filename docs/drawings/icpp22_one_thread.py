"""Figure 5 of the ICPP'22 paper: rates by set on one thread."""

import matplotlib.pyplot as plt

from benchmarks.charts import bars
from benchmarks.tables import number, rows

found = rows("xeon-2-cores-icpp22.md", "Figure 5")
sets = list(dict.fromkeys(row["set"].split()[0].rstrip(",") for row in found))
rates = {
    program: [number(row["MFeatures/s"]) for row in found if row["contestant"] == program]
    for program in ("emst", "quitefastmst", "mlpack")
}
figure, axes = plt.subplots(figsize=(8, 6.4))
bars(axes, sets, rates, "MFeatures/s", log=False)
