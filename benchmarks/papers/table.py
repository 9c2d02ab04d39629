"""A table of an experiment, and the picture beside it."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any

Cell = Any  # text, a number, or None where there is none


@dataclass(frozen=True)
class Curves:
    """What is drawn: named series of points."""

    x: str
    y: str
    series: dict[str, tuple[list[float], list[float]]]
    logarithmic: str = ""  # axes: "x", "y" or "xy"


@dataclass
class Table:
    """Rows of one experiment."""

    name: str  # of its files
    title: str
    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    note: str = ""  # what the paper found, and what is different here
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
        """Draw the curves into FOLDER/NAME.svg; the file's name, or nothing if there are none."""
        if not self.curves:
            return ""
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.2 * len(self.curves), 3.6), layout="constrained")
        FigureCanvasSVG(figure)
        for axes, curves in zip(figure.subplots(1, len(self.curves), squeeze=False)[0], self.curves):
            for name, (xs, ys) in curves.series.items():
                axes.plot(xs, ys, marker="o", markersize=3, linewidth=1, label=name)
            axes.set(xlabel=curves.x, ylabel=curves.y)
            for axis in curves.logarithmic:
                axes.set(**{f"{axis}scale": "log"})
            axes.grid(alpha=0.3, linewidth=0.5)
            if len(curves.series) > 1:
                axes.legend(fontsize="x-small")
        folder.mkdir(parents=True, exist_ok=True)
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": self.name}):  # small, and always the same
            figure.savefig(folder / f"{self.name}.svg", metadata={"Date": None})
        return f"{self.name}.svg"


def text(cell: Cell) -> str:
    """A cell as it is printed: four digits of a measured number, all of a count."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def curves_of(x: str, y: str, head: list[str], rows: list[list[Cell]], at: int, logarithmic: str = "") -> Curves:
    """The columns of a table from `at` on, over its first one."""
    series = {}
    for column in range(at, len(head)):
        points = [(row[0], row[column]) for row in rows if isinstance(row[column], (int, float))]
        if points:
            xs, ys = zip(*points)
            series[head[column]] = (list(xs), list(ys))
    return Curves(x, y, series, logarithmic)
