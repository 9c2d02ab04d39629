"""`emst cluster --append`, texts in other notations, standard input and output, `emst info`, exit status."""

import functools
import io
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from cli_helpers import complaint, only

import emst
from emst.cli import main

BLOBS = np.concatenate([np.random.default_rng(i).normal((9 * i, 0), 1, (40, 2)) for i in range(3)]).round(6)
COMMAND = [sys.executable, "-m", "emst"]
ROOT = pathlib.Path(emst.__file__).parents[1]


def lines_of(name, encoding="utf-8"):
    with open(name, encoding=encoding, newline="") as file:
        return file.read().split("\n")[:-1]


def places(sep=",", decimal=".", head=("name", "x", "y"), name="places.csv", encoding="utf-8"):
    """A text with a column of names; returns its lines."""
    rows = [(f"Österå {i}", *map(repr, row)) for i, row in enumerate(BLOBS.tolist())]
    lines = [sep.join(head), *(sep.join((first, *(x.replace(".", decimal) for x in xy))) for first, *xy in rows)]
    with open(name, "w", encoding=encoding) as file:
        file.write("\n".join(lines) + "\n")
    return lines


def cluster(*arguments):
    assert main(["cluster", *map(str, arguments), "--device", "cpu"]) == 0


@functools.cache
def model():
    return emst.HDBSCANGPU(device="cpu").fit(BLOBS)


def results():
    """Labels and probabilities as texts have them."""
    return [f"{a},{b!r}" for a, b in zip(model().labels_.tolist(), model().probabilities_.tolist())]


# --append


INDEX = "emst: note: column '' numbers or names the rows and is left out; --columns chooses others\n"
TEXTS = [("name,x,y", "Österå {i},{xy}", "x,y", ""), (",x,y", "{i},{xy}", None, INDEX)]
for sign in ("unit #5", "#", "7 #2"):
    TEXTS += [("name #,x,y", f"a {sign},{{xy}}", "x,y", ""), ("x,y,# of name,b", f"{{xy}},{sign},b", "x,y", "")]


@pytest.mark.parametrize("head, row, columns, note", TEXTS)
def test_append_keeps_the_columns_of_a_text(here, capsys, head, row, columns, note):
    """Only comments and empty lines are left out. A # begins a comment only where it begins a line."""
    rows = [row.format(i=i, xy=f"{x!r},{y!r}") for i, (x, y) in enumerate(BLOBS.tolist())]
    (here / "points.csv").write_text("\n".join(["# from a scan", head, *rows[:9], "# a comment", "", *rows[9:]]))
    kept = [f"{head},label,probability", *map(",".join, zip(rows, results()))]
    for name, separator in (("out.csv", ","), ("out.tsv", "\t")):
        cluster("points.csv", *(("--columns", columns) if columns else ()), "--append", "-o", name)
        assert lines_of(name) == [line.replace(",", separator) for line in kept]
        out, err = capsys.readouterr()
        assert "120 points in 2 dimensions (x, y), " in out and err == note
    only(here, "points.csv", "out.csv", "out.tsv")


@pytest.mark.parametrize(
    "head, behind", [("x,y\n", " # c"), ("", "#c, d"), ('x,y,"a # b"\n', ",7 # c"), ("x,y,z\n", ", #")]
)
def test_append_leaves_out_comments_behind_numbers(here, head, behind):
    """The table can be read again: the label would be part of the comment."""
    lines = [f"{x!r},{y!r}" for x, y in BLOBS.tolist()]
    fields = behind.partition("#")[0].rstrip()
    (here / "points.csv").write_text(head + "\n".join([lines[0] + behind, *(line + fields for line in lines[1:])]))
    for name, separator in (("out.csv", ","), ("out.tsv", "\t")):
        cluster("points.csv", "--columns", "0,1", "--append", "-o", name)
        again = emst.read_points(name, ["label", "probability"])
        np.testing.assert_array_equal(again.T, [model().labels_, model().probabilities_])
        columns = 5 if "z" in head or '"' in head else 4
        assert [line.count(separator) for line in lines_of(name)] == [columns - 1] * 121


def test_append_keeps_separator_decimal_mark_and_encoding(here):
    lines = places(";", ",", encoding="latin-1")
    options = ["--columns", "x,y", "--decimal", ",", "--encoding", "latin-1", "--append", "-o"]
    cluster("places.csv", *options, "out.csv")
    own = [text.replace(",", ";").replace(".", ",") for text in results()]
    assert lines_of("out.csv", "latin-1") == [f"{lines[0]};label;probability", *map(";".join, zip(lines[1:], own))]
    cluster("out.csv", *options[:-2], "-o", "labels.npy")  # it can be read as it was written
    np.testing.assert_array_equal(np.load("labels.npy"), model().labels_)


@pytest.mark.parametrize("name", ["points.npy", "points.csv"])
def test_append_names_columns_without_names(here, name):
    if name == "points.npy":
        np.save(name, BLOBS)
    else:
        np.savetxt(name, BLOBS, delimiter=",", fmt="%.17g")
    cluster(name, "--append", "-o", "out.csv")
    rows = [f"{x!r},{y!r}" if name == "points.npy" else f"{x:.17g},{y:.17g}" for x, y in BLOBS.tolist()]
    assert lines_of("out.csv") == ["x0,x1,label,probability", *map(",".join, zip(rows, results()))]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_append_to_parquet(here, suffix):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    names = [f"Ö {i}" for i in range(len(BLOBS))]
    parquet.write_table(arrow.table({"name": names, "x": BLOBS[:, 0], "y": BLOBS[:, 1]}), "points.parquet")
    cluster("points.parquet", "--columns", "x,y", "--append", "-o", f"out{suffix}")
    if suffix == ".parquet":
        table = parquet.read_table("out.parquet")
        assert table.column_names == ["name", "x", "y", "label", "probability"]
        assert table.column("name").to_pylist() == names
        np.testing.assert_array_equal(table.column("label"), model().labels_)
        np.testing.assert_array_equal(table.column("probability"), model().probabilities_)
    else:
        assert len(lines_of("out.csv")) == len(BLOBS) + 1
        np.testing.assert_array_equal(emst.read_points("out.csv", ["label"])[:, 0], model().labels_)


def test_append_of_arrays_to_parquet(here):
    parquet = pytest.importorskip("pyarrow.parquet")
    np.save("points.npy", BLOBS.astype(np.float32))
    cluster("points.npy", "--append", "-o", "out.parquet")
    table = parquet.read_table("out.parquet")
    assert table.column_names == ["x0", "x1", "label", "probability"]
    np.testing.assert_array_equal(table.column("x0").to_numpy(), BLOBS[:, 0].astype(np.float32))


@pytest.mark.parametrize(
    "name, said",
    [
        ("out.csv", "places.csv has a column 'label' already: rename it"),
        ("out.parquet", "written to .csv or .tsv, not to .parquet"),
        ("out.npy", "labels beside the columns of the points are written to .csv, .tsv"),
    ],
)
def test_what_append_refuses(here, capsys, monkeypatch, name, said):
    def not_yet(*_, **__):
        raise AssertionError("computed although the arguments are bad")

    monkeypatch.setattr("emst.hdbscan.HDBSCANGPU.fit", not_yet)
    places(head=("label", "x", "y"))
    assert said in complaint(capsys, "cluster", "places.csv", "--columns", "x,y", "--append", "-o", name)
    only(here, "places.csv")


@pytest.mark.parametrize("broken", [(7,), range(120)])
def test_append_keeps_rows_over_several_lines(here, broken):
    rows = [(f'"a\n\n# {i}"' if i in broken else "a") + f",{x!r},{y!r}" for i, (x, y) in enumerate(BLOBS.tolist())]
    (here / "points.csv").write_text("\n".join(["name,x,y", *rows]))
    cluster("points.csv", "--columns", "x,y", "--append", "-o", "out.csv")
    text = "\n".join(["name,x,y,label,probability", *map(",".join, zip(rows, results()))])
    assert (here / "out.csv").read_text() == text + "\n"


def test_append_refuses_rows_that_it_reads_otherwise(here, capsys, monkeypatch):
    places()
    for rows in ([], ["a"] * 119, ["a"] * 121):
        monkeypatch.setattr("emst.io.labels.row_texts", lambda *_, rows=rows: iter(rows))
        line = complaint(capsys, "cluster", "places.csv", "--columns", "x,y", "--append", "-o", "out.csv")
        assert "is not read as 120 rows a second time" in line
    only(here, "places.csv")


# Texts


def test_names_of_columns_in_the_summary_and_on_axes(here, capsys, monkeypatch):
    seen = []
    monkeypatch.setattr("emst.cli.cluster.save_picture", lambda file, path, draw, *_, **__: seen.append(drawn(draw)))
    places()
    cluster("places.csv", "--columns", "x,y", "-o", "labels.tsv", "--plot", "picture.png")
    assert capsys.readouterr().out.startswith("120 points in 2 dimensions (x, y), min_cluster_size 5, min_samples 5\n")
    assert seen == [("x", "y")]
    assert lines_of("labels.tsv")[0] == "label\tprobability"
    np.save("many.npy", np.zeros(9, [(f"a{i}", "f8") for i in range(9)]))
    assert main(["tree", "many.npy", "-o", "tree.npz", "--device", "cpu"]) == 0
    assert "9 points in 9 dimensions (a0, a1, a2, a3, a4, a5, a6, ...), float64" in capsys.readouterr().out


def drawn(draw):
    from matplotlib.figure import Figure

    axis = Figure().subplots()
    draw(axis)
    return axis.get_xlabel(), axis.get_ylabel()


# min_samples


@pytest.mark.parametrize(
    "options, told",
    [
        ([], False),
        (["--min-cluster-size", 20], True),
        (["--min-cluster-size", 20, "--min-samples", 20], False),
    ],
)
def test_min_samples_that_follows_min_cluster_size(here, capsys, options, told):
    np.save("points.npy", BLOBS)
    cluster("points.npy", "-o", "labels.npy", *options)
    err = capsys.readouterr().err
    assert err.startswith("emst: note: min_samples is 20 because --min-cluster-size is; ") is told
    assert ("--min-samples 5" in err) is told


def test_all_pairs_are_announced(here, capsys, monkeypatch):
    monkeypatch.setattr("emst.distances.cost.WORTH_A_NOTE", 0.0)
    np.save("points.npy", np.random.default_rng(0).random((2000, 2)))
    cluster("points.npy", "-o", "labels.npy", "--metric", "canberra")
    assert re.fullmatch(
        r"emst: note: all pairs of 2,000 points are compared: about \d+ (second|minute)s?, and 0.0 GB for the matrix\n",
        capsys.readouterr().err,
    )


# Standard input and output


class Stream:
    """A text stream over bytes."""

    def __init__(self, data=b""):
        self.buffer = io.BytesIO(data)

    def write(self, text):
        self.buffer.write(text.encode())

    def flush(self):
        pass


def streamed(monkeypatch, arguments, data=b""):
    """Run a command on standard input; return its status, and what it wrote to standard output."""
    screen = Stream()
    monkeypatch.setattr(sys, "stdin", Stream(data))
    monkeypatch.setattr(sys, "stdout", screen)
    status = main([*arguments, "--device", "cpu"])
    return status, screen.buffer.getvalue()


def file_of(suffix):
    places(name="points.csv")
    if suffix == ".csv":
        return "points.csv", ["--columns", "x,y"]
    if suffix == ".npy":
        np.save("points.npy", BLOBS)
    elif suffix == ".npz":
        np.savez("points.npz", BLOBS)
    elif suffix == ".fits":
        table = pytest.importorskip("astropy.table")
        table.Table({"x": BLOBS[:, 0], "y": BLOBS[:, 1]}).write("points.fits")
    else:
        arrow = pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet

        parquet.write_table(arrow.table({"x": BLOBS[:, 0], "y": BLOBS[:, 1]}), "points.parquet")
    return f"points{suffix}", []


@pytest.mark.parametrize("suffix", [".csv", ".npy", ".npz", ".parquet", ".fits"])
def test_from_standard_input_to_standard_output(here, monkeypatch, capsys, suffix):
    name, options = file_of(suffix)
    before = sorted(here.iterdir())
    with open(name, "rb") as file:
        status, out = streamed(monkeypatch, ["cluster", "-", "-o", "-", *options], file.read())
    assert status == 0
    lines = out.decode().splitlines()
    assert lines[0] == "label,probability"
    assert [int(line.split(",")[0]) for line in lines[1:]] == model().labels_.tolist()
    assert "120 points in 2 dimensions" in capsys.readouterr().err
    assert sorted(here.iterdir()) == before


def test_a_tree_to_standard_output(here, monkeypatch):
    np.save("points.npy", BLOBS)
    status, out = streamed(monkeypatch, ["tree", "points.npy", "-o", "-"])
    with np.load(io.BytesIO(out)) as tree:
        np.testing.assert_array_equal(tree["edges"], emst.minimum_spanning_tree(BLOBS, device="cpu").edges)
    assert status == 0


def test_faults_of_standard_input(here, monkeypatch, capsys):
    for data, said in (
        (b"", "standard input holds no rows"),
        (b"x,y\n1,stone\n", "standard input, line 2, column 'y'"),
    ):
        assert streamed(monkeypatch, ["cluster", "-", "-o", "-"], data) == (2, b"")
        assert capsys.readouterr().err.startswith(f"emst: {said}")


def test_a_reader_that_goes_away(here, monkeypatch, capsys):
    """As after `emst cluster ... -o - | head`."""

    def closed(*_):
        raise BrokenPipeError(32, "Broken pipe")

    np.save("points.npy", BLOBS)
    screen = Stream()
    screen.buffer = types.SimpleNamespace(write=closed, flush=closed)
    with open("elsewhere", "w") as other:
        screen.fileno = other.fileno
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(["cluster", "points.npy", "-o", "-", "--device", "cpu"]) == 141
    assert capsys.readouterr().err == ""


# emst info


def test_info(here, capsys, monkeypatch):
    (here / "kernels" / "cpu_1").mkdir(parents=True)
    for name in ("a.nbc", "b.nbc", "a.nbi"):
        (here / "kernels" / "cpu_1" / name).touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(here / "kernels"))
    monkeypatch.setenv("CUPY_CACHE_DIR", str(here / "none"))
    assert main(["info"]) == 0
    out, err = capsys.readouterr()
    assert "kernels (2 kernels)\n" in out and "none (nothing yet)\n" in out
    lines = dict(line.split(maxsplit=1) for line in out.splitlines() if line[0] != " ")
    assert lines["emst"].startswith(emst.__version__)
    assert f"numpy {np.__version__}" in lines["libraries"]
    assert {"Python", "libraries", "extras", "CPU", "GPU", "threads", "caches"} <= lines.keys()
    assert int(lines["threads"].split(":")[0]) > 0 and err == ""


# Errors


def test_debug_shows_where(here, capsys):
    assert main(["cluster", "absent.csv", "-o", "labels.npy", "--debug"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback") and err.endswith("emst: absent.csv: no such file\n")


def test_an_unexpected_error_has_a_status_of_its_own(here, capsys, monkeypatch):
    def fault(*_, **__):
        raise KeyError("what")

    np.save("points.npy", BLOBS)
    monkeypatch.setattr("emst.hdbscan.HDBSCANGPU.fit", fault)
    assert main(["cluster", "points.npy", "-o", "labels.npy"]) == 1
    assert capsys.readouterr() == ("", "emst: unexpected KeyError: 'what'; --debug shows where, please report it\n")
    only(here, "points.npy")


def test_no_memory(here, capsys, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    np.save("points.npy", BLOBS)
    monkeypatch.setattr("emst.hdbscan.HDBSCANGPU.fit", full)
    assert complaint(capsys, "cluster", "points.npy", "-o", "labels.npy") == "emst: not enough memory\n"


@pytest.mark.parametrize(
    "make, arguments, said",
    [
        (lambda: None, ["absent.csv"], "absent.csv: no such file"),
        (lambda: open("points.csv", "w").close(), ["points.csv"], "points.csv holds no rows"),
        (lambda: open("points.npy", "w").close(), ["points.npy"], "it is empty"),
        (lambda: os.mkdir("points"), ["points"], "points is a folder; name a file"),
        (lambda: os.mkdir("points.csv"), ["points.csv"], "points.csv is a folder; name a file"),
        (
            lambda: places(head=("date", "x", "y")),
            ["places.csv"],
            "'date': 'Österå 0' is not a number; --columns chooses which",
        ),
        (places, ["places.csv", "--sep", ";"], "--sep ',' may read it"),
        (lambda: places(";", ","), ["places.csv", "--columns", "x,y"], "--decimal ',' may read it"),
        (lambda: places(";", ","), ["places.csv", "--columns", "x"], "--decimal ',' may read it"),
        (lambda: places(";", ","), ["places.csv", "--sep", "ab"], "--sep 'ab': fields"),
        (
            lambda: places(encoding="latin-1"),
            ["places.csv"],
            "emst: places.csv is not UTF-8 text; --encoding 'latin-1' may read it\n",
        ),
        (lambda: np.savez("points.npz", a=BLOBS, b=BLOBS), ["points.npz"], "choose one with --array\n"),
        (places, ["places.csv", "--columns", "x,y", "-o", "absent/labels.npy"], "make the folder absent first"),
        (
            places,
            ["places.csv", "--columns", "x,y", "--plot", "absent/x.png"],
            "emst: absent/x.png: No such file or directory; make the folder absent first\n",
        ),
    ],
)
def test_bad_input_keeps_what_was_there_and_names_options(here, capsys, make, arguments, said):
    make()
    (here / "labels.npy").write_text("an earlier result")
    before = sorted(here.iterdir())
    assert said in complaint(capsys, "cluster", "-o", "labels.npy", "--device", "cpu", *arguments)
    assert (here / "labels.npy").read_text() == "an earlier result"
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("command", [["cluster", "--append", "-o", "out.csv"], ["tree", "-o", "out.npz"]])
def test_a_file_that_may_not_grow(here, capsys, command):
    """As on a full disk: what is buffered cannot be written when the file is closed, either."""
    np.save("points.npy", np.random.default_rng(0).random((3000, 2)))
    start = [command[0], "points.npy", *command[1:-1]]
    assert main([*start, "warm" + command[-1], "--device", "cpu"]) == 0  # what is compiled is kept in files, too
    os.remove("warm" + command[-1])
    (here / command[-1]).write_text("an earlier result")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        line = complaint(capsys, *start, command[-1], "--device", "cpu")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert line == f"emst: {command[-1]}: File too large; no file was changed\n"
    assert (here / command[-1]).read_text() == "an earlier result"
    only(here, "points.npy", command[-1])


def test_ctrl_c(here):
    """In the middle of core distances, which take much longer than the test waits."""
    np.save("points.npy", np.random.default_rng(0).random((100_000, 2)))
    (here / "labels.npy").write_text("an earlier result")
    running = subprocess.Popen(
        [*COMMAND, "cluster", "points.npy", "-o", "labels.npy", "--device", "cpu", "--min-samples", "4000"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    while not any(path.name.endswith(".part") for path in here.iterdir()):
        time.sleep(0.05)
        assert running.poll() is None
    time.sleep(2)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    # If the interrupt meets an exec() of a text, as in numba's compiler, `python -m` ends by the signal, although
    # it was caught (unhandled_keyboard_interrupt in CPython). A shell shows 130 for both.
    assert running.returncode in (130, -signal.SIGINT)
    assert (out, err) == (b"", b"emst: interrupted\n")
    assert (here / "labels.npy").read_text() == "an earlier result"
    only(here, "points.npy", "labels.npy")
