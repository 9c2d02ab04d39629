"""`emst tree` and `emst cluster`: input, output, and errors of one line."""

import ctypes
import io
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from cli_helpers import complaint, only

import emst
from emst import minimum_spanning_tree
from emst.cli import main

POINTS = np.random.default_rng(5).normal(size=(300, 3)).round(6)
OUTPUTS = {"tree": "tree.npz", "cluster": "labels.npy"}


def csv(points, header="", delimiter=","):
    """The text of a file."""
    lines = [delimiter.join(f"{x:.6f}" for x in row) for row in points.tolist()]
    return "\n".join([*filter(None, [header]), *lines, ""])


STONES = "x,what,y\n" + "".join(f"{x},stone {i},{y}\n" for i, (x, y, _) in enumerate(POINTS.tolist()))


def write_parquet(path, columns):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    parquet.write_table(pa.table(columns), path)


def tree_of(*arguments):
    """Run `emst tree` on the CPU and return the arrays that it wrote."""
    assert main(["tree", *map(str, arguments), "-o", "tree.npz", "--device", "cpu"]) == 0
    with np.load("tree.npz") as tree:
        return dict(tree)


def same_tree(tree, points, **options):
    expected = minimum_spanning_tree(points, device="cpu", **options)
    np.testing.assert_array_equal(tree["edges"], expected.edges)
    np.testing.assert_array_equal(tree["weights"], expected.weights)
    assert tree["weights"].dtype == expected.weights.dtype


# Input


@pytest.mark.parametrize(
    "name, text, options, points",
    [
        ("points.npy", None, [], POINTS),
        ("points.npy", None, [], POINTS.astype(np.float32)),
        ("points.npz", None, [], POINTS),
        ("points.npy", None, ["--columns", "0,2"], POINTS[:, [0, 2]]),
        ("points.csv", csv(POINTS), [], POINTS),
        ("points.csv", csv(POINTS, "x,y,z"), [], POINTS),
        ("points.csv", csv(POINTS, '"x","y","z"'), [], POINTS),
        ("points.csv", csv(POINTS, "x;y;z", ";"), [], POINTS),
        ("points.csv", csv(POINTS, "x\ty\tz", "\t"), [], POINTS),
        ("points.csv", "\ufeff\r\n" + csv(POINTS, "x,y,z").replace("\n", "\r\n") + "\r\n\r\n\n", [], POINTS),
        ("points.csv", csv(POINTS[:, :1], "x"), [], POINTS[:, :1]),
        ("points.csv", csv(POINTS), ["--columns", "2,0"], POINTS[:, [2, 0]]),
        ("points.csv", STONES, ["--columns", "y, x"], POINTS[:, [1, 0]]),
        ("points.csv", STONES, ["--columns", "0,2"], POINTS[:, :2]),
    ],
)
def test_trees_of_files(here, name, text, options, points):
    """The text is written to the file. Where it is None, the points are saved there; if there are options, POINTS."""
    if text is not None:
        (here / name).write_bytes(text.encode())
    elif name.endswith(".npz"):
        np.savez_compressed(name, anything=points)
    else:
        np.save(name, POINTS if options else points)
    same_tree(tree_of(name, *options), points)
    only(here, name, "tree.npz")


def test_npz_with_several_arrays(here, capsys):
    np.savez("empty.npz")
    assert "empty.npz holds no array" in complaint(capsys, "tree", "empty.npz", "-o", "t.npz")
    np.savez("points.npz", first=POINTS, second=POINTS * 2)
    same_tree(tree_of("points.npz", "--array", "second"), POINTS * 2)
    assert "holds 2 arrays (first, second): choose one with --array" in complaint(
        capsys, "tree", "points.npz", "-o", "t.npz"
    )
    assert "has no array 'third'; it holds first, second" in complaint(
        capsys, "tree", "points.npz", "-o", "t.npz", "--array", "third"
    )


def test_columns_of_structured_arrays(here):
    structured = np.zeros(len(POINTS), dtype=[("x", "f4"), ("id", "U5"), ("y", "f4")])
    structured["x"], structured["y"] = POINTS[:, 0], POINTS[:, 1]
    np.save("structured.npy", structured)
    same_tree(tree_of("structured.npy", "--columns", "x,y"), POINTS[:, :2].astype(np.float32))


def test_parquet(here, capsys):
    write_parquet("points.parquet", {"x": POINTS[:, 0], "name": ["stone"] * len(POINTS), "y": POINTS[:, 1]})
    same_tree(tree_of("points.parquet", "--columns", "x,y"), POINTS[:, :2])
    capsys.readouterr()
    same_tree(tree_of("points.parquet"), POINTS[:, :2])
    assert capsys.readouterr().err == "emst: note: column 'name' holds no numbers and is left out\n"


def test_parquet_without_pyarrow_names_the_extra(here, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (here / "points.parquet").write_bytes(b"")
    assert "emst[parquet]" in complaint(capsys, "tree", "points.parquet", "-o", "t.npz")


# Output


def test_min_samples_and_dtype(here):
    np.save("points.npy", POINTS)
    tree = tree_of("points.npy", "--min-samples", 4, "--dtype", "float32")
    same_tree(tree, POINTS, min_samples=4, dtype=np.float32)
    expected = minimum_spanning_tree(POINTS, min_samples=4, dtype=np.float32, device="cpu")
    np.testing.assert_array_equal(tree["core_distances"], expected.core_distances)
    assert "core_distances" not in tree_of("points.npy")


def test_metrics_of_trees(here):
    np.save("points.npy", POINTS)
    same_tree(tree_of("points.npy", "--metric", "manhattan"), POINTS, metric="manhattan")
    tree = tree_of("points.npy", "--metric", "minkowski", "--p", 3)
    same_tree(tree, POINTS, metric="minkowski", metric_params={"p": 3})


@pytest.mark.parametrize("suffix, magic", [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_plot(here, suffix, magic):
    np.save("points.npy", POINTS[:, :2])
    tree_of("points.npy", "--plot", f"picture{suffix}")
    assert (here / f"picture{suffix}").read_bytes().startswith(magic)
    only(here, "points.npy", "tree.npz", f"picture{suffix}")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(here, n):
    np.save("points.npy", POINTS[:n, :2])
    same_tree(tree_of("points.npy", "--plot", "picture.png"), POINTS[:n, :2])


def test_summary(here, capsys):
    np.save("points.npy", POINTS)
    tree = tree_of("points.npy")
    out = capsys.readouterr().out
    assert "300 points in 3 dimensions" in out
    assert f"total weight {tree['weights'].sum():.9g}" in out
    assert "on cpu" in out and "wrote tree.npz" in out


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_bar_on_a_terminal_only(here, monkeypatch):
    np.save("points.npy", POINTS)
    tree_of("points.npy"), clusters_of("points.npy")  # compiles
    for run in (tree_of, clusters_of):
        for screen, shown in ((Terminal(), True), (io.StringIO(), False)):
            monkeypatch.setattr(sys, "stderr", screen)
            run("points.npy")
            assert ("edges" in screen.getvalue()) is shown
            assert ("core distances: 100%" in screen.getvalue()) is (shown and run is clusters_of)
            assert "compiling" not in screen.getvalue()  # the kernels were used before
            assert ("round 1: 100%" in screen.getvalue() or "round 2" in screen.getvalue()) is shown


def test_an_earlier_result_is_replaced(here):
    np.save("points.npy", POINTS)
    (here / "tree.npz").write_text("old")
    same_tree(tree_of("points.npy"), POINTS)


# Clusters


BLOBS = np.concatenate([np.random.default_rng(i).normal((9 * i, 0), 1, (100, 2)) for i in range(3)]).round(6)


def clusters_of(*arguments, output="labels.npy"):
    """Run `emst cluster` on the CPU; return what it wrote."""
    assert main(["cluster", *map(str, arguments), "-o", output, "--device", "cpu"]) == 0
    return np.load(output) if output.endswith(".npy") else output


def fitted(points, **options):
    return emst.HDBSCANGPU(**options, device="cpu").fit(points)


@pytest.mark.parametrize(
    "arguments, options",
    [
        ([], {}),
        (["--min-cluster-size", 20], {"min_cluster_size": 20}),
        (["--min-samples", 3], {"min_samples": 3}),
        (["--method", "leaf"], {"cluster_selection_method": "leaf"}),
        (["--method", "leaf", "--epsilon", "0.5"],
         {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.5}),
        (["--method", "leaf", "--persistence", "0.2"],
         {"cluster_selection_method": "leaf", "cluster_selection_persistence": 0.2}),
        (["--max-cluster-size", 60], {"max_cluster_size": 60}),
        (["--min-cluster-size", 150, "--allow-single-cluster"],
         {"min_cluster_size": 150, "allow_single_cluster": True}),
        (["--metric", "chebyshev"], {"metric": "chebyshev"}),
        (["--metric", "minkowski", "--p", 3], {"metric": "minkowski", "metric_params": {"p": 3.0}}),
        (["--dtype", "float32"], {"dtype": "float32"}),
    ],
)  # fmt: skip
def test_labels_are_the_estimators(here, arguments, options):
    np.save("points.npy", BLOBS)
    labels = clusters_of("points.npy", *arguments)
    expected = fitted(BLOBS, **options)
    np.testing.assert_array_equal(labels, expected.labels_)
    assert labels.dtype == np.int64
    if options:  # an option without effect would test nothing
        without = fitted(BLOBS, **dict(list(options.items())[:-1]))
        assert not np.array_equal(without.probabilities_, expected.probabilities_)
    only(here, "points.npy", "labels.npy")


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_labels_and_probabilities(here, suffix):
    np.save("points.npy", BLOBS)
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    name = clusters_of("points.npy", "--min-cluster-size", 20, output=f"labels{suffix}")
    if suffix == ".npz":
        found = np.load(name)
    elif suffix == ".csv":
        found = np.genfromtxt(name, delimiter=",", names=True)
    else:
        import pyarrow.parquet as parquet

        found = {
            column: values.to_numpy() for column, values in zip(("label", "probability"), parquet.read_table(name))
        }
    expected = fitted(BLOBS, min_cluster_size=20)
    np.testing.assert_array_equal(found["label"], expected.labels_)
    np.testing.assert_allclose(found["probability"], expected.probabilities_, rtol=1e-8)
    only(here, "points.npy", name)


def test_a_table_of_labels_can_be_read_back(here):
    np.save("points.npy", BLOBS)
    clusters_of("points.npy", output="labels.csv")
    clusters_of("labels.csv", "--columns", "probability")


@pytest.mark.parametrize("d", [2, 3])
def test_pictures_of_clusters(here, d):
    np.save("points.npy", np.random.default_rng(3).normal(size=(80, d)))
    clusters_of("points.npy", "--plot", "clusters.png", "--tree", "tree.pdf")
    assert (here / "clusters.png").read_bytes().startswith(b"\x89PNG")
    assert (here / "tree.pdf").read_bytes().startswith(b"%PDF")
    only(here, "points.npy", "labels.npy", "clusters.png", "tree.pdf")


def test_distances_in_a_file(here, capsys):
    distances = np.linalg.norm(BLOBS[:, None] - BLOBS, axis=2)
    np.save("distances.npy", distances)
    labels = clusters_of("distances.npy", "--metric", "precomputed", "--tree", "tree.png")
    np.testing.assert_array_equal(labels, fitted(distances, metric="precomputed").labels_)
    line = complaint(capsys, "cluster", "distances.npy", "-o", "l.npy", "--metric", "precomputed", "--plot", "p.png")
    assert "--plot draws points" in line


def test_summary_of_clusters(here, capsys):
    points = BLOBS.copy()
    points[3, 0], points[4, 1] = np.nan, np.inf
    np.save("points.npy", points)
    labels = clusters_of("points.npy", "--min-cluster-size", 20, "--plot", "a.png", "--tree", "b.png")
    assert labels[3] == -3 and labels[4] == -2
    out, err = capsys.readouterr()
    noise = int((labels == -1).sum())
    assert out.splitlines()[:2] == [
        "300 points in 2 dimensions, min_cluster_size 20, min_samples 20",
        f"3 clusters, {noise} points of noise ({noise / 300:.1%}), 2 with NaN or infinity",
    ]
    assert "on cpu" in out and out.endswith("wrote labels.npy, a.png and b.png\n")
    assert err == (
        "emst: note: min_samples is 20 because --min-cluster-size is; a lower one, such as --min-samples 5, takes less "
        "time and leaves fewer points as noise\n"
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_empty_fields_of_a_csv_are_missing_values(here, capsys, separator):
    """As pandas writes them."""
    rows = [[f"{value:.17g}" for value in row] for row in BLOBS]
    rows[3][0], rows[7][1], rows[9] = "", " ", ["", ""]
    (here / "points.csv").write_text("".join(separator.join(row) + "\n" for row in [["x", "y"], *rows]))
    points = BLOBS.copy()
    points[3, 0], points[7, 1], points[9] = np.nan, np.nan, np.nan
    np.testing.assert_array_equal(clusters_of("points.csv"), fitted(points).labels_)
    (here / "points.csv").write_text("x,y\n1,\n2,1_0\n")
    assert "line 3, column 'y': '1_0' is not a number" in complaint(
        capsys, "cluster", "points.csv", "-o", "l.npy", "--device", "cpu"
    )
    (here / "points.csv").write_text("x,y\n1,\n2\n")
    assert "line 3: 1 field where 2" in complaint(capsys, "cluster", "points.csv", "-o", "l.npy", "--device", "cpu")


def test_a_warning_is_a_line(here, capsys):
    steps = abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    steps[:10, 10:] = steps[10:, :10] = np.inf
    np.save("distances.npy", steps)
    clusters_of("distances.npy", "--metric", "precomputed")
    out, err = capsys.readouterr()
    assert err.startswith("emst: warning: ") and err.count("\n") == 1 and "infinity" in err
    assert "clusters, " in out


# Errors


@pytest.mark.parametrize(
    "text, said",
    [
        ("x,y\n1,2\n3,stone\n", "line 3, column 'y': 'stone' is not a number"),
        ("1,2\n3,stone\n", "line 2, column 1: 'stone' is not a number"),
        ("x,y\n1,2\n\n3,\n", "line 4, column 'y': there is no value"),
        ("x,y\n1,2\n3\n", "line 3: 1 field where 2 are needed"),
        ("x,y\n1,2\nnan,4\ninf,5\n", "NaN or infinity in 2 rows, first in row 1"),
        ("", "holds no rows"),
        ("\n\n", "holds no rows"),
        ("x,y\n", "holds no rows"),
        ("1,stone\n2,3\n", "line 1, column 1: 'stone' is not a number"),
    ],
)
def test_bad_csv(here, capsys, text, said):
    (here / "points.csv").write_text(text)
    assert said in complaint(capsys, "tree", "points.csv", "-o", "tree.npz", "--device", "cpu")
    only(here, "points.csv")


@pytest.mark.parametrize(
    "columns, said",
    [
        ("x,q", "no column 'q'; it has x, y, y"),
        ("0,3", "no column '3'"),
        ("x,y", "'y' occurs more than once"),
    ],
)
def test_missing_and_ambiguous_columns(here, capsys, columns, said):
    (here / "points.csv").write_text(csv(POINTS, "x,y,y"))
    assert said in complaint(capsys, "tree", "points.csv", "-o", "t.npz", "--columns", columns)


@pytest.mark.parametrize("name", ["points.npy", "points.npz", "points.parquet", "points.csv"])
def test_files_that_are_not_what_they_are_called(here, capsys, name):
    (here / name).write_bytes(b"\xff\xfe\x00 these are not points \x80" * 10)
    assert name in complaint(capsys, "tree", name, "-o", "t.npz")
    only(here, name)


@pytest.mark.parametrize(
    "array, said",
    [
        (np.zeros(5), "shape (5,)"),
        (np.zeros((5, 2), complex), "complex128"),
        (np.array([["a", "b"]]), "<U1"),
        (np.array([[None]]), "Python objects"),
    ],
)
def test_tables_of_the_wrong_kind(here, capsys, array, said):
    np.save("points.npy", array)
    assert said in complaint(capsys, "tree", "points.npy", "-o", "t.npz")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["absent.npy", "-o", "t.npz"], "absent.npy: no such file"),
        (["points.txt", "-o", "t.npz"], "unknown suffix '.txt'"),
        (
            ["points.npy", "-o", "t.npy"],
            "the tree is written as .npz, .csv, .tsv, .parquet;",
        ),
        (["points.npy", "-o", "t.npz", "--plot", "picture.doc"], "a picture is written as"),
        (["points.npy", "-o", "absent/t.npz"], "absent/t.npz: No such file"),
        (["points.npy", "-o", "folder.npz"], "is a directory"),
        (["points.npy", "-o", "points.txt/t.npz"], "t.npz: Not a directory"),
        (["points.npy", "-o", "t.npz", "--plot", "absent/p.png", "--columns", "0,1"], "absent/p.png: No such file"),
        (["points.npy", "-o", "t.npz", "--array", "x"], "only .npz and .fits hold named arrays"),
        (["points.npz", "-o", "folder.npz/../points.npz"], "write the tree to another file"),
    ],
)
def test_refused_before_a_tree_is_computed(here, capsys, monkeypatch, arguments, said):
    refused(here, capsys, monkeypatch, ["tree", *arguments], said)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["absent.npy", "-o", "l.npy"], "absent.npy: no such file"),
        (["points.txt", "-o", "l.npy"], "unknown suffix '.txt'"),
        (["points.npy", "-o", "l.txt"], "labels are written to .npy, .npz, .csv, .tsv, .parquet"),
        (["points.npy", "-o", "points.npy"], "write the labels to another file"),
        (["points.npy", "-o", "l.npy", "--plot", "picture.doc"], "a picture is written as"),
        (["points.npy", "-o", "l.npy", "--tree", "picture.doc"], "a picture is written as"),
        (["points.npy", "-o", "l.npy", "--plot", "p.png", "--tree", "p.png"], "must have different names"),
        (["points.npy", "-o", "absent/l.npy"], "absent/l.npy: No such file"),
        (["points.npy", "-o", "l.npy", "--tree", "absent/p.png"], "absent/p.png: No such file"),
        (["points.npy", "-o", "folder.npz"], "is a directory"),
    ],
)
def test_refused_before_clusters_are_computed(here, capsys, monkeypatch, arguments, said):
    refused(here, capsys, monkeypatch, ["cluster", *arguments], said)


def refused(here, capsys, monkeypatch, command, said):
    def not_yet(*_, **__):
        raise AssertionError("computed although the arguments are bad")

    monkeypatch.setattr("emst.euclidean.minimum_spanning_tree", not_yet)
    monkeypatch.setattr("emst.hdbscan.HDBSCANGPU.fit", not_yet)
    np.save("points.npy", POINTS)
    np.savez("points.npz", POINTS)
    (here / "points.txt").write_text("")
    (here / "folder.npz").mkdir()
    assert said in complaint(capsys, *command)
    only(here, "points.npy", "points.npz", "points.txt", "folder.npz")


def test_labels_as_parquet_without_pyarrow(here, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    np.save("points.npy", POINTS)
    assert "writing .parquet needs pyarrow" in complaint(capsys, "cluster", "points.npy", "-o", "labels.parquet")


@pytest.mark.parametrize(
    "command, said",
    [
        (
            "tree --min-samples 301",
            "min_samples must be between 1 and the number of points, n_samples = 300; got 301\n",
        ),
        ("cluster --min-cluster-size 1", "min_cluster_size"),
        ("cluster --min-samples 301", "min_samples (301)"),
        ("cluster --metric elsewhere", "metric"),
        ("cluster --epsilon -1", "cluster_selection_epsilon"),
        ("tree --metric canberra", "points.npy: metric"),
        ("tree --metric minkowski --p 0.5", "points.npy: metric"),
    ],
)
def test_what_the_library_refuses(here, capsys, command, said):
    np.save("points.npy", POINTS)
    line = complaint(capsys, *command.split(), "points.npy", "-o", OUTPUTS[command.split()[0]], "--device", "cpu")
    assert line.startswith("emst: points.npy: ") and said in line
    only(here, "points.npy")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["tree"],
        ["tree", "p.npy", "-o", "t", "--device", "tpu"],
        ["cluster", "p.npy", "-o", "l.npy", "--method", "best"],
    ],
)
def test_usage(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2
    assert "usage: emst" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command, moment",
    [
        ("tree", "emst.euclidean.minimum_spanning_tree"),
        ("tree", "numpy.savez"),
        ("cluster", "emst.hdbscan.HDBSCANGPU.fit"),
        ("cluster", "numpy.save"),
        ("cluster", "emst.plots.plot_clusters"),
    ],
)
def test_interrupted(here, capsys, monkeypatch, command, moment):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    np.save("points.npy", BLOBS)
    (here / OUTPUTS[command]).write_text("an earlier result")
    monkeypatch.setattr(moment, interrupt)
    assert main([command, "points.npy", "-o", OUTPUTS[command], "--device", "cpu", "--plot", "p.png"]) == 130
    assert capsys.readouterr() == ("", "emst: interrupted\n")
    assert (here / OUTPUTS[command]).read_text() == "an earlier result"
    only(here, "points.npy", OUTPUTS[command])


class Half:
    """Its constructor is interrupted, and its finalizer wants what that did not set, as in numba's compiler."""

    def __init__(self):
        signal.raise_signal(signal.SIGINT)
        self.whole = True

    def __del__(self):
        del self.whole


class Finalized:
    """Its finalizer is interrupted. Python ignores exceptions there."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


class Ring(Half):
    """It is part of a cycle."""

    def __init__(self):
        self.ring = self
        super().__init__()


class Called:
    """Its callback from C is interrupted. Python ignores exceptions there, too, and the caller then lacks an answer, as
    numba's compiler does."""

    def __init__(self):
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
        raise RuntimeError("no compiled object yet")


@pytest.mark.parametrize("meets", [Half, Finalized, Ring, Called])
@pytest.mark.parametrize("again", [0.25, 5])
def test_an_interrupt_meets_a_finalizer(here, capfd, monkeypatch, meets, again):
    """One line on standard error all the same, and later exceptions in finalizers are shown. What Python drops comes
    again, soon after; if the command has ended before, its caller hears nothing of it."""

    def interrupt(*_, **__):
        meets()
        if again < 5:
            time.sleep(10)
        raise OSError("a consequence of what was interrupted")

    np.save("points.npy", POINTS)
    monkeypatch.setattr("emst.euclidean.minimum_spanning_tree", interrupt)
    monkeypatch.setattr("emst.cli.interrupts.AGAIN", again)
    before, start = sys.unraisablehook, time.monotonic()
    # pytest has a hook of its own, which would turn what it hears into a warning
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    assert main(["tree", "points.npy", "-o", "tree.npz", "--device", "cpu"]) == 130
    assert time.monotonic() < start + 4
    assert capfd.readouterr() == ("", "emst: interrupted\n")
    assert sys.unraisablehook is sys.__unraisablehook__ is not before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    only(here, "points.npy")


def test_an_interrupt_is_heard_where_no_thread_can_repeat_the_one_before(here, capfd, monkeypatch):
    """As where the system limits the threads of a process: Python drops the first, the second one ends the command."""

    def interrupt(*_, **__):
        Finalized()
        signal.raise_signal(signal.SIGINT)
        time.sleep(10)

    def start(self):
        raise RuntimeError("can't start new thread")

    np.save("points.npy", POINTS)
    monkeypatch.setattr("emst.euclidean.minimum_spanning_tree", interrupt)
    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)  # pytest has a hook of its own
    assert main(["tree", "points.npy", "-o", "tree.npz", "--device", "cpu"]) == 130
    assert capfd.readouterr() == ("", "emst: interrupted\n")


def test_an_interrupt_belongs_to_the_caller_who_handles_it(here, monkeypatch):
    np.save("points.npy", POINTS)
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    try:
        monkeypatch.setattr("emst.euclidean.minimum_spanning_tree", lambda *_, **__: Half())
        assert main(["tree", "points.npy", "-o", "tree.npz", "--device", "cpu"]) == 1  # a Half is no tree
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [True]


def test_a_full_disk_leaves_nothing(here, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    np.save("points.npy", POINTS)
    monkeypatch.setattr("numpy.savez", full)
    assert "No space left on device" in complaint(capsys, "tree", "points.npy", "-o", "t.npz", "--device", "cpu")
    only(here, "points.npy")


# The command itself


def test_version_and_help(capsys):
    for arguments, said in (
        (["--version"], emst.__version__),
        (["--help"], "tree"),
        (["tree", "--help"], "--min-samples"),
        (["cluster", "--help"], "--min-cluster-size"),
    ):
        with pytest.raises(SystemExit) as exit:
            main(arguments)
        assert exit.value.code == 0
        assert said in capsys.readouterr().out


def test_as_a_module(here):
    np.save("points.npy", POINTS[:5])
    command = [sys.executable, "-m", "emst", "tree", "points.npy", "-o", "tree.npz", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    only(here, "points.npy", "tree.npz")


def test_help_is_quick_to_come():
    code = """
import sys
from emst.cli import parser
parser().format_help()
sys.exit(", ".join({"numba", "matplotlib", "sklearn", "cupy", "numpy"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr.strip() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize(
    "arguments, status, said",
    [
        ("tree points.csv -o t.npz >&- 2>&-", 0, ""),
        ("cluster points.csv --min-cluster-size 5 -o - >&-", 2, "emst: standard output is closed\n"),
        ("cluster - --min-cluster-size 5 <&-", 2, "emst: standard input is closed\n"),
    ],
)
def test_closed_streams(tmp_path, arguments, status, said):
    np.savetxt(tmp_path / "points.csv", np.random.default_rng(0).random((40, 2)), delimiter=",")
    command = f"{sys.executable} -m emst {arguments}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (status, said)
    assert "t.npz" not in arguments or (tmp_path / "t.npz").stat().st_size > 0
