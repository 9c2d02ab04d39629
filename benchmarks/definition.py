"""Compare HDBSCANGPU with the definition of HDBSCAN*, bit for bit, on random small sets of points with many ties.

python benchmarks/definition.py --sets 10000
python benchmarks/definition.py --seed 4711 --sets 1     # one set again
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections import Counter, defaultdict

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "references")]

from definition_sets import KINDS, clustered, differences, expected, lifeless, random_case  # noqa: E402

SHOWN = 20  # seeds of each kind of difference


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first set; the others follow")
    parser.add_argument("--greatest", type=int, default=400, help="most points of a set")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    options = parser.parse_args()
    begin = time.perf_counter()
    sets: Counter[str] = Counter()
    wrong: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)  # what differs -> seed and kind of the sets
    for seed in range(options.seed, options.seed + options.sets):
        kind, named = one_set(seed, options.greatest, options.device)
        sets[kind] += 1
        for name in named:
            wrong[name].append((seed, kind))
    seconds = time.perf_counter() - begin
    print(f"{options.sets:,} sets of 2 to {options.greatest} points on {options.device}, {seconds:.0f} s")
    show(sets, wrong)
    raise SystemExit(1 if any(name != LIFELESS for name in wrong) else 0)


ANY, LIFELESS = "any result", "clusters of lifetime 0"


def one_set(seed: int, greatest: int, device: str) -> tuple[str, list[str]]:
    """The kind of the set, and the names of the results that differ."""
    case = random_case(seed, greatest)
    ours, edges, weights = clustered(case, device)
    names = differences(ours, expected(case, edges, weights))
    return case.kind, [ANY] * bool(names) + names + [LIFELESS] * bool(lifeless(ours))


def show(sets: Counter[str], wrong: dict[str, list[tuple[int, str]]]) -> None:
    """A line for each kind of points, and one for each kind of difference."""
    differ, short = (Counter(kind for _, kind in wrong.get(name, [])) for name in (ANY, LIFELESS))
    print(f"{'points':>16} {'sets':>7} {'differ':>7}  with {LIFELESS}")
    for kind in KINDS:
        print(f"{kind:>16} {sets[kind]:7,} {differ[kind]:7,} {short[kind]:7,}")
    for name, cases in wrong.items():
        seeds = ", ".join(str(seed) for seed, _ in cases[:SHOWN])
        print(f"{name}: {len(cases):,} sets; seeds {seeds}{', ...' if len(cases) > SHOWN else ''}")


if __name__ == "__main__":
    main()
