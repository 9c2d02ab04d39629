"""Labels in texts: the lines are those of numpy's `savetxt`, whatever number of them is written by one call."""

import io

import numpy as np
import pytest

from emst.io import labels


@pytest.mark.parametrize("n", [1, 6, 7])
@pytest.mark.parametrize(("suffix", "sep"), [(".csv", ","), (".tsv", "\t")])
def test_lines_are_those_of_savetxt(monkeypatch, suffix, sep, n):
    monkeypatch.setattr(labels, "LINES", 3)
    label = np.array([0, -1, 12, -3, 2**40, 7, -2][:n])
    probability = np.array([1.0, 0.0, 1 / 3, np.nan, 1e-300, 0.1 + 0.2, 5e-324][:n])
    ours, theirs = io.BytesIO(), io.BytesIO()
    labels.write_labels(ours, suffix, {"label": label, "probability": probability})
    table = np.rec.fromarrays([label, probability])
    np.savetxt(theirs, table, fmt=f"%d{sep}%.9g", header=f"label{sep}probability", comments="")
    assert ours.getvalue() == theirs.getvalue()
