"""The effect of the algorithms' own parameters: PMA's gamma and reduction, the hybrid's offload."""

from __future__ import annotations

from .lab import Lab
from .table import Curves, Table, curves_of

VARIANTS = ["min", "sort", "hybrid"]
ROUNDS = {
    "contraction": {"algorithm": "contraction"},
    "primitives": {"algorithm": "primitives"},
    "hybrid": {"algorithm": "hybrid"},
    "partial-prim, gamma 10": {"algorithm": "partial-prim", "gamma": 10},
    "partial-prim, gamma 100": {"algorithm": "partial-prim", "gamma": 100},
    "partial-prim, gamma 1000": {"algorithm": "partial-prim", "gamma": 1000},
}


def gammas(lab: Lab) -> Table:
    """Figure 7 of PMA (PPoPP'12)."""
    head = ["gamma", "graph", *VARIANTS]
    rows, curves = [], []
    for name in _at_hand(lab):
        found = []
        for gamma in lab.options.gammas:
            times = [lab.milliseconds(name, algorithm="partial-prim", gamma=gamma, variant=one) for one in VARIANTS]
            found.append([gamma, name, *times])
        curves.append(curves_of(f"gamma, {name}", "ms", head, found, 2, "x"))
        rows += found
    note = "Milliseconds of the variants of partial-prim. We do not have the numbers behind the figure."
    return Table("gamma", "Partial Prim: gamma (PMA, figure 7)", head, rows, note, curves)


def reductions(lab: Lab) -> Table:
    """Figure 8 of PMA (PPoPP'12)."""
    rows, curves = [], []
    for name in _at_hand(lab):
        series = {}
        for title, options in ROUNDS.items():
            left = lab.components(name, **options)
            if not left[1:]:
                continue
            rates = " ".join(f"{before / after:.3g}" for before, after in zip(left, left[1:]))
            rows.append([name, title, len(left) - 1, rates, " ".join(f"{count:,}" for count in left[1:])])
            series[title] = (list(range(1, len(left))), [float(count) for count in left[1:]])
        curves.append(Curves(f"round, {name}", "components left", series, "y"))
    head = ["graph", "algorithm", "rounds", "reduction of each round", "components after it"]
    note = (
        "Components before a round over those after it. A round of Borůvka's at least halves those that are not "
        "finished; one of partial-prim divides them by up to gamma. We do not have the numbers behind the figure."
    )
    return Table("reduction", "Reduction of each round (PMA, figure 8)", head, rows, note, curves)


def offloads(lab: Lab) -> Table:
    """Figure 15 of Jain et al."""
    names, fractions = _at_hand(lab), lab.options.offloads
    head = ["offload", *names]
    columns = [[lab.milliseconds(name, algorithm="hybrid", offload=part) for part in fractions] for name in names]
    rows = [list(row) for row in zip(fractions, *columns)]
    note = (
        "Milliseconds against the fraction of each round's work that the CPU does. We do not have the numbers behind "
        "the figure."
    )
    drawn = curves_of("offload", "ms", head, rows, 1, "y")
    return Table("offload", "Hybrid: fraction on the CPU (Jain et al., figure 15)", head, rows, note, [drawn])


def _at_hand(lab: Lab) -> list[str]:
    return [name for name in lab.options.knob_sets if lab.graph(name)]
