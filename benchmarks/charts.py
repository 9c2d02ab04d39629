"""Charts of benchmark tables: a library has the same colour in all of them, and every bar has its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

# Okabe and Ito's colours, which people with red-green blindness can tell apart
BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#7f7f7f",
)  # fmt: skip
COLOURS = {
    "emst": BLUE,
    "quitefastmst": ORANGE,
    "hdbscan": RED,
    "fast_hdbscan": GREEN,
    "mlpack": PINK,
    "scikit-learn": SKY,
    "ArborX": ORANGE,
    "cuML": GREEN,
    "scipy": SKY,
    "rustworkx": ORANGE,
    "igraph": PINK,
    "networkit": GREEN,
    "RAFT": GREEN,
    "ECL-MST": ORANGE,
}
MARKERS = "osD^vPX*"

Series = Mapping[str, Sequence[float | None]]


def short(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def bars(axes: Axes, groups: Sequence[str], series: Series, unit: str, log: bool = True) -> None:
    """Horizontal bars: for every group one of each series, with its number; None leaves a bar out."""
    place = 0.0
    ticks = []
    for g, _ in enumerate(groups):
        present = [(name, values[g]) for name, values in series.items() if values[g] is not None]
        ticks.append(place + (len(present) - 1) / 2)
        for name, value in present:
            axes.barh(place, value, height=0.85, color=COLOURS.get(name, GREY))
            axes.annotate(
                short(value), (value, place), (3, 0), textcoords="offset points", va="center", fontsize=8, color="0.2"
            )
            place += 1
        place += 0.8
    axes.set_yticks(ticks, groups)
    axes.invert_yaxis()
    if log:
        axes.set_xscale("log")
        values = [value for column in series.values() for value in column if value is not None]
        axes.set_xlim(min(values) / 2, max(values) * 2.5)
    else:
        axes.margins(x=0.12)
    axes.set_xlabel(unit)
    handles = [axes.barh(0, 0, color=COLOURS.get(name, GREY)) for name in series]
    if len(series) > 1:
        axes.legend(handles, list(series), fontsize=8, loc="best", framealpha=0.9)
    _plain(axes)


def lines(axes: Axes, series: Mapping[str, tuple[Sequence[float], Sequence[float]]], x: str, y: str) -> None:
    """Lines through points on logarithmic axes, each with a marker of its own."""
    for k, (name, (places, values)) in enumerate(series.items()):
        library = name.split(",")[0]
        axes.plot(
            places, values, marker=MARKERS[k % len(MARKERS)], ms=5, lw=1.5, label=name, color=COLOURS.get(library)
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(fontsize=8, framealpha=0.9)
    axes.grid(alpha=0.25)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
