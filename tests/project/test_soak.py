"""The soak runs, and it tells what differs and how to repeat it."""

import subprocess
import sys

import numpy as np
import pytest
from helpers import ROOT

import emst.cpu


@pytest.fixture
def soak(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import soak

    return soak


def seeds_of(soak, kind):
    return (seed for seed in range(1000) if soak.case_of(seed, [])[0] == kind)


def test_it_ends_in_time_and_finds_nothing():
    command = [sys.executable, "benchmarks/soak.py", "0.3", "--kind", "graph", "--begin", "0"]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    table = {line.split()[0]: line.split()[1:] for line in ran.stdout.splitlines()[1:]}
    assert ran.returncode == 0, ran.stdout
    assert int(table["graph"][0].replace(",", "")) > 0
    assert table["graph"][2] == table["all"][2] == "0"


def test_a_seed_is_a_case(soak):
    for seed in range(20):
        (kind, one), (_, two) = soak.case_of(seed), soak.case_of(seed)
        assert kind in soak.KINDS and one.what == two.what


def test_a_planted_difference_is_told(soak, monkeypatch, capsys):
    """Components of graphs with two of them or more are numbered from the last to the first."""
    number = emst.cpu.number_components
    monkeypatch.setattr(emst.cpu, "number_components", lambda roots: number(roots).max() - number(roots))
    table, kind = soak.Table(), "graph"
    for seed in [seed for seed in seeds_of(soak, kind)][:8]:
        table.add(seed, kind, 0.1, soak.repeat(seed))
    assert 1 <= len(table.differing) < 8
    capsys.readouterr()
    table.show()
    shown = capsys.readouterr().out
    assert f"{kind:>10}         8       0.8 {len(table.differing):9}" in shown
    for seed in table.differing:
        assert f"python benchmarks/soak.py --seed {seed}  # labels: differs from " in shown


def test_an_error_that_is_not_raised_is_told(soak):
    from soak_cases import differences

    _, case = soak.case_of(next(seed for seed in seeds_of(soak, "graph") if soak.case_of(seed)[1].fault is None))
    case.fault = "NaN"
    assert differences(case, [])[0] == "no error on cpu, but one with 'NaN' must be raised"
    case.fault, case.policy = None, "no policy"
    assert "symmetric must be one of" in differences(case, [])[0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.zeros(2), np.zeros(3)),
        ([np.zeros(2)], [np.full(2, 5e-324)]),
        (np.zeros(2, [("u", int)]), np.ones(2, [("u", int)])),
        (1.0, np.nan),
    ],
    ids=str,
)
def test_what_is_not_the_same(soak, a, b):
    from soak_cases import same

    assert same(a, a) and same(b, b) and not same(a, b)
