"""The house: the same names on every floor, and imports that point one way."""

import ast
import importlib
import inspect
import pathlib
import subprocess
import sys

import pytest

import emst
from emst.backend import Backend

HOUSE = pathlib.Path(emst.__file__).parent
OPERATIONS = {name: value for name, value in vars(Backend).items() if inspect.isfunction(value) and name[0] != "_"}
BACKENDS = ("cpu", "cuda")
# A file may import from its own floor and from those below it.
FLOORS = [
    {"backend", "frame"},
    {"boruvka", "devices", "tables"},
    {"points", "progress", "files", "finite"},
    {"pairwise", "plots"},
    {"hierarchy"},
    {"mst"},
    {"graph"},
    {"euclidean"},
    {"dense", "sparse", "distances", "metrics"},
    {"hdbscan"},
    {"cli"},
    {"__main__"},
]
SHARED_WITH_BACKENDS = {"backend", "boruvka", "frame", "graph", "hierarchy"}  # the contract: types that cross the seam


def parameters(function):
    function = getattr(function, "py_func", function)  # a numba dispatcher
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values() if p.name != "self"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("module", ["emst.cpu", "emst.cuda", "reference"])
def test_same_names_and_signatures(module, operation):
    if module == "emst.cuda":
        pytest.importorskip("cupy")
    twin = getattr(importlib.import_module(module), operation)
    assert parameters(twin) == parameters(OPERATIONS[operation])


@pytest.mark.parametrize("module", ["emst.cpu", "emst.cuda"])
def test_nothing_else_crosses_the_seam(module):
    if module == "emst.cuda":
        pytest.importorskip("cupy")
    module = importlib.import_module(module)
    assert module.name == module.__name__.rpartition(".")[2]
    assert set(module.__all__) == {*OPERATIONS, "name", "xp"}


def files():
    return sorted(path.relative_to(HOUSE).with_suffix("") for path in HOUSE.rglob("*.py"))


def imported_rooms(path):
    """Rooms of the house that a file imports when it runs, also inside functions; not those for type checkers."""
    tree = ast.parse((HOUSE / path).with_suffix(".py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    rooms = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say `from emst...`"
            names = [node.module]
            if node.module == "emst":  # a public name stands for the room it lives in
                names = [emst._HOMES.get(alias.name, f"emst.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("emst.")}
    return rooms - {"__version__"}


def room_of(path):
    return path.parts[0]


@pytest.mark.parametrize("path", [p for p in files() if room_of(p) in BACKENDS], ids=str)
def test_backends_import_neither_each_other_nor_the_stages(path):
    assert imported_rooms(path) <= {room_of(path), *SHARED_WITH_BACKENDS}


@pytest.mark.parametrize("path", [p for p in files() if room_of(p) not in BACKENDS], ids=str)
def test_only_the_seam_imports_a_backend(path):
    if room_of(path) != "backend":
        assert not imported_rooms(path) & set(BACKENDS)


@pytest.mark.parametrize("path", [p for p in files() if room_of(p) not in {*BACKENDS, "__init__"}], ids=str)
def test_imports_point_one_way(path):
    floor = next((i for i, rooms in enumerate(FLOORS) if room_of(path) in rooms), None)
    assert floor is not None, f"{room_of(path)} is a new room: give it a floor in this test"
    below = set().union(*FLOORS[:floor], {room_of(path)})
    assert imported_rooms(path) - set(BACKENDS) <= below | (FLOORS[0] if floor == 0 else set())


@pytest.mark.parametrize("path", [p for p in files() if room_of(p) == "graph"], ids=str)
def test_graphs_know_nothing_of_points(path):
    assert imported_rooms(path) <= {"backend", "boruvka", "devices", "graph", "progress", "files", "tables"}


def test_the_name_alone_costs_nothing():
    """`import emst` takes under a second and brings in neither a GPU library, a plotting library nor any kernel."""
    code = (
        "import time, sys; start = time.perf_counter(); import emst; seconds = time.perf_counter() - start\n"
        "print(seconds, *sorted(sys.modules))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    best = min(float(run.stdout.split()[0]) for run in runs)
    modules = set(runs[0].stdout.split()[1:])
    assert best < 1.0
    assert not modules & {"cupy", "numba", "matplotlib", "dask", "torch", "pandas", "emst.cpu", "emst.cuda"}


def test_no_file_has_outgrown_its_idea():
    """A file holds one idea, and one idea fits in 300 lines."""
    sources = [path for path in HOUSE.rglob("*") if path.suffix in {".py", ".cu", ".cuh"}]
    long = {path.name: lines for path in sources if (lines := len(path.read_text().splitlines())) > 300}
    assert not long
