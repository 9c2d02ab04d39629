"""Test emst against the oldest and the newest versions of its dependencies, each in an environment of its own.

    python benchmarks/compatibility.py --markdown benchmarks/results/compatibility.md
    python benchmarks/compatibility.py --only oldest --python python3.10 --folder environments

"oldest" has exactly the lower bounds of pyproject.toml, and of what these releases need in turn (BENEATH); "newest" has
what pip finds now. In each a part of the tests runs: about one file per room, scikit-learn's checks of estimators and
its own tests of HDBSCAN; `--quick` runs the few of QUICK, as `.ci/run` does. This script needs Python 3.11 or newer;
the environments may have another Python. There are no wheels of the oldest for Python 3.12 and later.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXTRAS = ["parquet", "networkx", "pandas", "html"]
TOOLS = ["pytest", "hypothesis"]  # of the extra "test"
BENEATH = {  # lower bounds that the oldest numba and scikit-learn themselves declare
    "llvmlite": "0.44.0",
    "joblib": "1.2.0",
    "threadpoolctl": "3.1.0",
}
SHOWN = ["numba", "llvmlite", "numpy", "scipy", "scikit-learn", "matplotlib", "tqdm", "pandas", "pyarrow", "networkx"]
TESTS = [
    "tests/backend",
    "tests/inputs/test_bad_input.py",
    "tests/inputs/test_scaling.py",
    "tests/points/test_knn.py",
    "tests/points/test_estimator.py",  # scikit-learn's checks of EMST
    "tests/distances/test_precomputed.py",
    "tests/graph/test_bad_graphs.py",
    "tests/hierarchy/test_selection.py",
    "tests/hdbscan/test_hdbscan.py",  # scikit-learn's checks of HDBSCANGPU
    "tests/hdbscan/test_labels.py",  # scikit-learn's labels
    "tests/hdbscan/test_trees.py",
    "tests/hdbscan/test_peers.py::test_scikit_learns_own_tests",
    "tests/io",
    "tests/plots",
    "tests/cli/test_cli_forest.py",
    "tests/runtime/test_sort.py",
    "tests/runtime/test_kernel_cache.py",
]
QUICK = [  # trees, clusters, graphs, files, command line and plots
    "tests/points/test_euclidean.py::test_golden_tree",
    "tests/hdbscan/test_hdbscan.py::test_scikit_learn_checks",
    "tests/graph/test_msf.py::test_every_form_of_a_graph",
    "tests/io/test_points.py",
    "tests/cli/test_pictures.py",
]
OUTCOMES = ["passed", "failed", "errors", "skipped", "xfailed"]


@dataclass(frozen=True)
class Outcome:
    """What the tests of one environment gave."""

    name: str
    versions: dict[str, str]  # by package; "Python" is one of them
    counts: dict[str, int]  # by OUTCOMES
    seconds: float
    failures: list[str]  # names of tests


def lower_bounds() -> dict[str, str]:
    """The least version of every dependency, of EXTRAS and TOOLS, as pyproject.toml declares them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    tools = [line for line in extras["test"] if re.split(r"\W", line)[0] in TOOLS]
    lines = project["dependencies"] + [line for extra in EXTRAS for line in extras[extra]] + tools
    bounds = dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", line).groups() for line in lines)  # type: ignore[union-attr]
    return bounds


def requirements(name: str) -> list[str]:
    """What pip is asked to install."""
    bounds = lower_bounds()
    if name == "newest":
        return list(bounds)
    return [f"{package}=={version}" for package, version in (bounds | BENEATH).items()]


def environment(name: str, python: str, folder: pathlib.Path) -> str:
    """The interpreter of the environment; it is made if it is not in the folder."""
    interpreter = folder / name / "bin" / "python"
    if not interpreter.exists():
        subprocess.run([python, "-m", "venv", folder / name], check=True)
    subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *requirements(name)], check=True)
    return str(interpreter)


def versions_of(interpreter: str) -> dict[str, str]:
    """Versions of Python and of SHOWN."""
    code = (
        "import platform, sys; from importlib.metadata import version\n"
        "print(platform.python_version(), *map(version, sys.argv[1:]))"
    )
    done = subprocess.run([interpreter, "-c", code, *SHOWN], stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(["Python", *SHOWN], done.stdout.split()))


def run_tests(name: str, interpreter: str, tests: list[str]) -> Outcome:
    """Run tests of this checkout."""
    options = ["-q", "-rfE", "--tb=short", "-p", "no:cacheprovider", "-m", "not gpu"]
    command = [interpreter, "-m", "pytest", *options, *tests]
    start = time.perf_counter()
    path = {"PYTHONPATH": str(ROOT)}  # for the processes that tests start
    done = subprocess.run(command, cwd=ROOT, env=os.environ | path, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.perf_counter() - start
    *_, last = done.stdout.strip().splitlines()
    found = {word if word != "error" else "errors": int(count) for count, word in re.findall(r"(\d+) (\w+)", last)}
    if "passed" not in found or done.returncode:
        print(done.stdout, file=sys.stderr)
    failures = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return Outcome(name, versions_of(interpreter), {one: found.get(one, 0) for one in OUTCOMES}, seconds, failures)


def table(outcomes: list[Outcome], tests: list[str]) -> str:
    """A markdown page: a column for each environment."""
    rows = [(package, [one.versions[package] for one in outcomes]) for package in ["Python", *SHOWN]]
    rows += [(word, [f"{one.counts[word]:,}" for one in outcomes]) for word in OUTCOMES]
    rows += [("seconds", [f"{one.seconds:,.0f}" for one in outcomes])]
    lines = ["# Oldest and newest versions of the dependencies", "", "`python benchmarks/compatibility.py`", ""]
    lines += ["| | " + " | ".join(one.name for one in outcomes) + " |", "|---|" + "---|" * len(outcomes)]
    lines += [f"| {title} | {' | '.join(cells)} |" for title, cells in rows]
    lines += ["", "Skipped tests need packages that are not in these environments (CuPy, hdbscan, polars)."]
    lines += ["", "Tests: " + ", ".join(f"`{test}`" for test in tests) + "."]
    for one in outcomes:
        lines += ["", f"Failed with the {one.name}:", "", *(f"- `{test}`" for test in one.failures)] * bool(
            one.failures
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["oldest", "newest"], default=["oldest", "newest"])
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="for each environment, or one for all")
    parser.add_argument("--folder", type=pathlib.Path, help="keeps the environments (default: a temporary folder)")
    parser.add_argument("--quick", action="store_true", help="run a few tests only")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    pythons = options.python * len(options.only) if len(options.python) == 1 else options.python
    if len(pythons) != len(options.only):
        parser.error("--python needs one interpreter, or one for each environment")
    tests = QUICK if options.quick else TESTS
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or pathlib.Path(temporary)).resolve()
        environments = [(name, environment(name, python, folder)) for name, python in zip(options.only, pythons)]
        outcomes = [run_tests(name, interpreter, tests) for name, interpreter in environments]
    page = table(outcomes, tests)
    print(page)
    if options.markdown:
        options.markdown.write_text(page)
    if any(one.counts["failed"] or one.counts["errors"] or not one.counts["passed"] for one in outcomes):
        sys.exit("some tests failed")


if __name__ == "__main__":
    main()
