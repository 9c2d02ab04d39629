"""What all pairs cost is said before they are compared."""

import time
import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from emst import HDBSCANGPU
from emst.distances import cost
from emst.distances.cost import duration, seconds_of_matrix
from emst.distances.metrics import metric_of
from emst.progress import Progress

POINTS = np.random.default_rng(0).normal(size=(3000, 3))


def slow(a, b):
    time.sleep(0.002)
    return float(abs(a - b).sum())


def named(metric):
    return metric_of(metric, None, algorithm="auto", alpha=1.0, sparse=False)


def test_more_than_a_minute_is_a_warning_before_it_starts():
    calls = []

    def counted(a, b):
        calls.append(1)
        if len(calls) > 500:
            raise KeyboardInterrupt
        return slow(a, b)

    text = r"all pairs of 500 points are compared: about \d minutes, and 0.0 GB for the matrix \(the metric is a func"
    with pytest.warns(UserWarning, match=text) as caught, pytest.raises(KeyboardInterrupt):
        HDBSCANGPU(metric=counted, device="cpu").fit(POINTS[:500])
    assert caught[0].filename == __file__
    calls.clear()
    with warnings.catch_warnings(), pytest.raises(UserWarning):
        warnings.simplefilter("error")
        HDBSCANGPU(metric=counted, device="cpu").fit(POINTS[:500])
    assert len(calls) < 500  # of 125,000 pairs


def test_lines_say_it(capsys, monkeypatch):
    monkeypatch.setattr(cost, "WORTH_A_NOTE", 0.0)
    HDBSCANGPU(metric="canberra", device="cpu", verbose=1).fit(POINTS)
    lines = capsys.readouterr().err.splitlines()
    assert "full distance matrix" in lines[0] and "canberra" in lines[0]
    assert lines[1].startswith("[emst] all pairs of 3,000 points are compared: about ")
    assert lines[1].endswith("and 0.1 GB for the matrix")
    HDBSCANGPU(metric="precomputed", device="cpu", verbose=1).fit(cdist(POINTS, POINTS))
    assert "all pairs of 3,000 points" in capsys.readouterr().err


def test_what_is_quick_is_not_measured(monkeypatch, recwarn):
    monkeypatch.setattr(cost, "sklearn_pairwise", None)
    HDBSCANGPU(metric="canberra", device="cpu").fit(POINTS[:300])
    assert not recwarn


@pytest.mark.parametrize("metric", ["canberra", "braycurtis", slow])
def test_the_estimate_is_of_the_right_size(metric):
    count = 30 if callable(metric) else len(POINTS)
    few = POINTS[:count]
    guess = seconds_of_matrix(few, named(metric))
    from emst.distances.matrices import distance_matrix

    taken = []
    for _ in range(1 if callable(metric) else 3):
        start = time.perf_counter()
        distance_matrix(few, metric)
        taken.append(time.perf_counter() - start)
    assert min(taken) / 8 < guess < 8 * max(taken) + 0.1


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.2, "0 seconds"),
        (1, "1 second"),
        (119, "119 seconds"),
        (300, "5 minutes"),
        (7200, "2 hours"),
        (1e6, "12 days"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_progress_that_shows_nothing_takes_everything():
    progress = Progress()
    for call in (progress.note, progress.way, progress.points):
        call("x")
    progress.round(1, 1)
