"""The registry of data sets is complete, right about the files of the repository, and what its page shows."""

import hashlib
import pathlib
import re

import numpy as np
import pytest
from scipy import sparse

import datasets
from datasets import graphs, synthetic
from datasets.__main__ import main, size

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = list(datasets.REGISTRY.values())
COMMITTED = [row for row in ROWS if row.origin == "committed"]
DOWNLOADED = [row for row in ROWS if row.origin == "downloaded"]


ROADS = [row for row in DOWNLOADED if row.name.startswith("USA-road-d.")]


def tables():
    """Of the sets that have an origin outside, as docs/guide/datasets.md shows them."""
    yield "| name | what | size | licence |\n|---|---|---|---|\n" + "".join(
        f"| [{row.name}]({row.page}) | {row.title} | {size(row)} | {row.licence} |\n"
        for row in COMMITTED + DOWNLOADED
        if row not in ROADS
    )
    yield "| name | what | vertices | arcs |\n|---|---|---|---|\n" + "".join(
        f"| {row.name} | {row.title} | {row.n:,} | {row.edges:,} |\n" for row in ROADS
    )


@pytest.mark.parametrize("table", list(tables()), ids=["sets", "roads"])
def test_the_page_shows_the_registry(table):
    assert table in (ROOT / "docs" / "guide" / "datasets.md").read_text(), f"the table should be:\n{table}"


def test_every_set_is_there_once():
    assert len({row.file for row in ROWS}) == len(ROWS) == len(datasets.REGISTRY)
    assert {row.name for row in ROWS if row.origin == "generated"} == {*synthetic.SETS, *graphs.SETS}
    assert {path.parent.name for path in (ROOT / "datasets").glob("*/README.md")} == {row.name for row in COMMITTED}


@pytest.mark.parametrize("row", COMMITTED + DOWNLOADED, ids=lambda row: row.name)
def test_origin_and_terms_are_named(row):
    assert row.page.startswith("https://") and row.licence and row.citation.endswith(".")
    assert (row.origin == "downloaded") == row.url.startswith("https://")
    assert row.sha256 is None or re.fullmatch("[0-9a-f]{64}", row.sha256)


@pytest.mark.parametrize("row", COMMITTED, ids=lambda row: row.name)
def test_committed_files_are_what_the_registry_says(row):
    file = datasets.fetch(row.name)
    assert file == ROOT / "datasets" / row.file
    assert hashlib.sha256(file.read_bytes()).hexdigest() == row.sha256
    assert datasets.load(row.name).shape == (row.n, row.d)
    page = (ROOT / "datasets" / row.name / "README.md").read_text()
    assert f"{row.n:,}" in page and "**Source.**" in page and "**Changes.**" in page


def test_committed_files_are_small():
    assert sum((ROOT / "datasets" / row.file).stat().st_size for row in COMMITTED) < 4 << 20


def test_places():
    towns = np.load(datasets.fetch("places"))["places"]
    assert towns["population"].min() == 1000 and len(set(towns["country"])) > 200
    assert (np.char.str_len(towns["name"]) > 0).tolist() == (towns["population"] >= 500_000).tolist()
    tokyo = towns[towns["name"] == "Tokyo"]
    assert (
        tokyo["country"] == "JP" and abs(tokyo["latitude"] - 35.69) < 0.01 and abs(tokyo["longitude"] - 139.69) < 0.01
    )
    assert len(np.unique(datasets.load("places"), axis=0)) == 147_217  # as its README says
    order = np.lexsort((towns["longitude"], towns["latitude"], towns["country"]))
    np.testing.assert_array_equal(order, np.arange(len(towns)))


def test_land():
    outlines = datasets.load("land")
    gaps = np.isnan(outlines).all(axis=1)
    assert gaps[-1] and not (gaps[1:] & gaps[:-1]).any() and gaps.sum() == 128  # as its README says
    assert (np.abs(outlines[~gaps]) <= [180, 90]).all()
    steps = np.abs(np.diff(outlines, axis=0))[:, 0]
    assert np.nanmax(steps) < 180  # no line goes round the earth


def test_the_challenge():
    sizes = [(row.n, row.edges) for row in ROADS]
    assert sizes == sorted(sizes) and len(sizes) == 12
    assert len({(row.page, row.licence, row.citation) for row in ROADS}) == 1  # the page says them once
    assert all(arcs % 2 == 0 and 2 * n < arcs < 3 * n for n, arcs in sizes)  # both directions; degrees of roads


@pytest.mark.parametrize("name", ["rmat16", "path10M"])
def test_generated_graphs(name, tmp_path, monkeypatch):
    monkeypatch.setitem(graphs.SETS, name, graphs.GraphSet(lambda: graphs.path(50), 50, 49))
    row = datasets.REGISTRY[name]
    monkeypatch.setitem(datasets.REGISTRY, name, datasets.Dataset(**vars(row) | {"make": graphs.SETS[name], "n": 50}))
    found = datasets.load(name)
    written = sparse.load_npz(datasets.fetch(name, tmp_path))
    assert (found != written).nnz == 0 and found.nnz == 98 and found.shape == (50, 50)


def test_generated_points(tmp_path, monkeypatch):
    row = datasets.REGISTRY["normal2"]
    small = synthetic.PointSet(synthetic.normal, 500, 2, 10)
    monkeypatch.setitem(datasets.REGISTRY, "normal2", datasets.Dataset(**vars(row) | {"make": small, "n": 500}))
    file = datasets.fetch("normal2", tmp_path)
    assert file.name == "normal2.npy"
    np.testing.assert_array_equal(np.load(file), datasets.load("normal2"))
    before = file.stat().st_mtime_ns
    assert datasets.fetch("normal2", tmp_path) == file and file.stat().st_mtime_ns == before  # not made again


def test_a_committed_set_can_be_copied(tmp_path):
    copy = datasets.fetch("land", tmp_path)
    assert copy.parent == tmp_path and copy.read_bytes() == datasets.fetch("land").read_bytes()


def test_the_command(capsys, tmp_path):
    main(["list"])
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(datasets.REGISTRY)
    main(["show", "USA-road-d.NY"])
    shown = capsys.readouterr().out
    assert "264,346 vertices, 733,846 edges" in shown and "weight of its forest: 261,159,288" in shown
    main(["fetch", "land", str(tmp_path)])
    assert capsys.readouterr().out == f"{tmp_path / 'land.npz'}\n"


@pytest.mark.parametrize("command", ["fetch", "show"])
def test_an_unknown_name_is_one_sentence(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "USA-road-d.NYC"])
    said = "there is no data set 'USA-road-d.NYC'; did you mean 'USA-road-d.NY'?"
    assert said in caught.value.code and "\n" not in caught.value.code
    with pytest.raises(SystemExit, match="there is no data set 'xyz'; `python -m datasets list` names all"):
        main([command, "xyz"])


def test_bad_arguments(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["nope"])
    assert caught.value.code == 2 and "choose from" in capsys.readouterr().err
