"""An error of the input is one sentence: workers do not log it too. All other errors are logged as before."""

import logging
import time

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from emst.dask import EMST, graph_msf
from emst.dask.engine import DaskEngine


def save_words(path):
    path.write_text("name,x\nA,1\n")


def save_nothing(path):
    """There is no file."""


FAULTS = {
    "no file": (save_nothing, FileNotFoundError, "does not exist"),
    "words": (save_words, ValueError, "line 2, column 'name'"),
}


def fails(*args, **options):
    raise ZeroDivisionError("mine")


@pytest.fixture
def logged():
    """The errors that workers of this process log."""
    lines, logger, handler = [], logging.getLogger("distributed.worker"), logging.Handler(logging.ERROR)
    handler.emit = lambda record: lines.append(record.getMessage())
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


def soon(lines, count):
    """Whether so many lines are there soon: a worker logs in another thread than the one that gets the error."""
    end = time.monotonic() + 5
    while len(lines) < count and time.monotonic() < end:
        time.sleep(0.02)
    return len(lines) == count


@pytest.mark.parametrize("kind", FAULTS)
def test_errors_of_the_input(client, tmp_path, logged, kind):
    save, error, sentence = FAULTS[kind]
    save(tmp_path / "points.csv")
    with pytest.raises(error, match=sentence) as caught:
        EMST(client=client).fit(tmp_path / "points.csv")
    assert "\n" not in str(caught.value)
    time.sleep(0.1)
    assert logged == []


def test_what_others_run_is_logged_as_before(client, tmp_path, logged):
    """Also after an error of the input, and if a task of emst fails in another way."""
    test_errors_of_the_input(client, tmp_path, logged, "no file")
    with pytest.raises(ZeroDivisionError):
        client.submit(fails, 1, pure=False).result()
    assert soon(logged, 1) and "ZeroDivisionError" in logged[0]
    with pytest.raises(ValueError, match="invalid literal"):
        client.submit(int, "x", pure=False).result()
    assert soon(logged, 2) and "invalid literal" in logged[1]


def test_a_graph_with_a_fault(client, logged):
    with pytest.raises(ValueError, match="-5"):
        graph_msf(tuple(map(da.from_array, map(np.array, ([0, 1], [1, -5], [1.0, 2.0])))), client=client)
    time.sleep(0.1)
    assert logged == []


def test_faults_of_emst_are_logged(client, logged, monkeypatch):
    """Those that no sentence explains, and any error of the modules that do not check the input."""
    monkeypatch.setattr("emst.dask.inputs.check_points", fails)
    with pytest.raises(ZeroDivisionError):
        EMST(client=client).fit(np.ones((5, 2)))
    assert soon(logged, 2) and "ZeroDivisionError" in logged[0]  # both chunks
    engine = DaskEngine(client, "cpu")
    with pytest.raises(ValueError, match="shapes"):
        engine.gather([engine.submit(mismatch)])
    assert soon(logged, 3) and "shapes" in logged[2]


def mismatch(ops):
    raise ValueError("shapes differ")


def test_other_lines_are_logged(client, tmp_path, logged):
    """Whatever they are about: the first argument may be a list."""
    test_errors_of_the_input(client, tmp_path, logged, "no file")
    logger = logging.getLogger("distributed.worker")
    logger.error("Could not find data: %s", ["a", "b"])
    logger.error("nothing")
    assert logged == ["Could not find data: ['a', 'b']", "nothing"]


def test_processes(tmp_path, capfd):
    """Their logs are written where this process writes."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "memory_limit": 0}
    with LocalCluster(n_workers=1, **options) as local, Client(local, set_as_default=False) as client:
        with pytest.raises(FileNotFoundError, match="does not exist"):
            EMST(client=client).fit(tmp_path / "none.npy")
        with pytest.raises(ZeroDivisionError):
            client.submit(fails, 2).result()
    written = capfd.readouterr().err
    assert "ZeroDivisionError" in written and "FileNotFoundError" not in written
