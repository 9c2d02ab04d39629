"""The table of an experiment, and its plot."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any

Cell = Any  # text, a number, or None for an empty cell


@dataclass(frozen=True)
class Curves:
    """One plot: named series of points."""

    x: str
    y: str
    series: dict[str, tuple[list[float], list[float]]]
    logarithmic: str = ""  # which axes are logarithmic: "x", "y" or "xy"
    ours: int = 99  # so many series, the first ones, are ours; the others are published: single points


@dataclass
class Table:
    """Rows of one experiment."""

    name: str  # of the files
    title: str
    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    note: str = ""  # what the paper found, and what differs here
    curves: list[Curves] = field(default_factory=list)

    def markdown(self) -> str:
        """Heading, note and rows."""
        lines = ["| " + " | ".join(self.head) + " |", "|" + "---|" * len(self.head)]
        lines += ["| " + " | ".join(map(text, row)) + " |" for row in self.rows]
        return "\n\n".join([f"## {self.title}", *[self.note] * bool(self.note), "\n".join(lines)])

    def record(self) -> dict[str, Any]:
        """For a JSON file."""
        return {"name": self.name, "title": self.title, "head": self.head, "rows": self.rows}

    def plot(self, folder: pathlib.Path) -> str:
        """Draw the curves into FOLDER/NAME.png; the file's name, or nothing if there are none."""
        if not self.curves:
            return ""
        from matplotlib import colormaps
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter, LogLocator

        figure = Figure(figsize=(4.2 * len(self.curves) + 2.5, 3.4), layout="constrained")
        FigureCanvasAgg(figure)
        for axes, curves in zip(figure.subplots(1, len(self.curves), squeeze=False)[0], self.curves):
            axes.set_prop_cycle(color=colormaps["tab20"].colors[::2] + colormaps["tab20"].colors[1::2])
            for number, (name, (xs, ys)) in enumerate(curves.series.items()):
                theirs = number >= curves.ours
                axes.plot(xs, ys, "x" if theirs else "o-", markersize=6 if theirs else 3, linewidth=1, label=name)
            axes.set(xlabel=curves.x, ylabel=curves.y)
            for which, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
                if which in curves.logarithmic:
                    axes.set(**{f"{which}scale": "log"})
                    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                    axis.set_minor_locator(LogLocator(subs=range(1, 10)))
                    axis.set_minor_formatter("")
                axis.set_major_formatter(lambda at, _: f"{at:g}" if at < 1000 else EngFormatter(sep="")(at))
            axes.grid(alpha=0.3, linewidth=0.5)
        handles, names = axes.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right upper", fontsize="x-small")
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / f"{self.name}.png", dpi=80)
        return f"{self.name}.png"


def text(cell: Cell) -> str:
    """A printed cell: four digits of a measured number, all digits of a count."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def curves_of(x: str, y: str, head: list[str], rows: list[list[Cell]], at: int, logarithmic: str = "") -> Curves:
    """The columns of a table from `at` on as series over its first column."""
    series = {}
    for column in range(at, len(head)):
        points = [(row[0], row[column]) for row in rows if isinstance(row[column], (int, float))]
        if points:
            xs, ys = zip(*points)
            series[head[column]] = (list(xs), list(ys))
    return Curves(x, y, series, logarithmic)
