"""The rooms of the package: the same names on both backends, and imports that point one way.

Imports are read off the sources, those inside functions and under TYPE_CHECKING included, so no circle exists at run
time or on paper.
"""

import ast
import functools
import importlib
import inspect
import pathlib
import subprocess
import sys

import pytest

import emst
from emst.backend import operations

PACKAGE = pathlib.Path(emst.__file__).parent
PROTOCOLS = {
    "": operations.ArrayOperations,
    "points": operations.PointOperations,
    "partitions": operations.PartitionOperations,
    "distances": operations.DistanceOperations,
    "graph": operations.GraphOperations,
    "hierarchy": operations.HierarchyOperations,
}
OPERATIONS = {
    name: value
    for protocol in PROTOCOLS.values()
    for name, value in vars(protocol).items()
    if inspect.isfunction(value) and name[0] != "_"
}
BACKENDS = ("cpu", "cuda")
# A room may import from the rooms in the lines above its own. `backend` is `backend_of` alone.
LEVELS = [
    {"backend.records"},
    {"backend.partition_records"},
    {"backend.keys", "backend.memory"},
    {"backend.partition_operations"},
    {"backend.operations"},
    {"backend"},
    {"inputs", "progress"},
    {"boruvka", "plots"},
    {"spanning_forest"},
    {"graph"},
    {"io", "distances"},
    {"hierarchy"},
    {"spanning"},
    {"partitions"},
    {"gpus", "weighted"},
    {"euclidean"},
    {"hdbscan"},
    {"partitions.model"},
    {"partitions.prediction"},
    {"dask"},
    {"compat"},
    {"cli"},
    {"__init__", "__main__"},
]
# The same within a backend.
BACKEND_LEVELS = [
    {"runtime"},
    {"contract"},
    {"merge"},
    {"first_round", "lightest"},
    {"distances", "graph", "hierarchy"},
    {"points"},
    {"partitions"},
    {"__init__"},
]


def parameters(function):
    function = getattr(function, "py_func", function)  # a numba dispatcher
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values() if p.name != "self"]


def backend(name):
    if name == "emst.cuda":
        pytest.importorskip("cupy")
    return importlib.import_module(name)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("module", ["emst.cpu", "emst.cuda", "reference"])
def test_same_names_and_signatures(module, operation):
    found = getattr(backend(module), operation)
    assert parameters(found) == parameters(OPERATIONS[operation])


@pytest.mark.parametrize("module", ["emst.cpu", "emst.cuda"])
def test_nothing_else_crosses_the_border(module):
    module = backend(module)
    assert module.name == module.__name__.rpartition(".")[2]
    assert set(module.__all__) == {*OPERATIONS, "name", "xp"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_lies_at_the_same_path_on_both_backends(operation):
    paths = {getattr(backend(f"emst.{name}"), operation).__module__.partition(f"emst.{name}.")[2] for name in BACKENDS}
    assert len(paths) == 1


@pytest.mark.parametrize("room", [room for room in PROTOCOLS if room])
def test_the_operations_of_a_protocol_lie_in_its_room(room):
    own = [name for name, value in vars(PROTOCOLS[room]).items() if inspect.isfunction(value) and name[0] != "_"]
    found = {name: getattr(backend("emst.cpu"), name).__module__ for name in own}
    assert all(module.startswith(f"emst.cpu.{room}.") for module in found.values()), found


def test_rooms_have_the_same_names_in_both_backends_and_in_the_tests():
    rooms = [{path.name for path in (PACKAGE / name).iterdir() if (path / "__init__.py").exists()} for name in BACKENDS]
    assert rooms[0] == rooms[1]
    tests = {path.name for path in pathlib.Path(__file__).parents[1].iterdir() if path.is_dir()}
    assert rooms[0] <= tests


@functools.cache
def modules():
    """All modules of the package, by name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"] = path
    return found


@functools.cache
def imported(module):
    """Modules of the package that a module imports anywhere in its source."""
    found = set()
    for node in ast.walk(ast.parse(modules()[module].read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: say `from emst...`"
            if not node.module or node.module.partition(".")[0] != "emst":
                continue
            home = node.module.partition(".")[2]
            for alias in node.names:
                if home == "":  # a public name stands for the module that defines it
                    name = emst._HOMES.get(alias.name, f"emst.{alias.name}").partition(".")[2]
                else:
                    name = home
                inner = f"{name}.{alias.name}" if name else alias.name
                found.add(inner if inner in modules() else name)
        elif isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[2] for alias in node.names if alias.name.startswith("emst.")}
    return found & set(modules())


def level(module, levels):
    """The longest prefix of a module's name that has a level, and that level's number."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for number, rooms in enumerate(levels):
            if name in rooms:
                return name, number
    raise AssertionError(f"{module} is in a new room: give it a level in this test")


def of_stages():
    return sorted(name for name in modules() if name.partition(".")[0] not in BACKENDS)


def of_backends():
    return sorted(name for name in modules() if name.partition(".")[0] in BACKENDS and "." in name)


@pytest.mark.parametrize("module", of_stages())
def test_imports_of_stages_point_one_way(module):
    if module == "__init__":
        return  # names the homes of the public names, for type checkers
    room, number = level(module, LEVELS)
    for other in imported(module):
        assert other.partition(".")[0] not in BACKENDS, f"{module} imports {other}: ask `backend_of`"
        other_room, other_number = level(other, LEVELS)
        assert other_room == room or other_number < number, f"{module} imports {other}"


SHARED = {
    f"backend.{name}" for name in ("records", "partition_records", "keys", "memory", "notices", "interrupts", "imports")
}


@pytest.mark.parametrize("module", of_backends())
def test_backends_import_the_records_and_themselves(module):
    name, _, rest = module.partition(".")
    room, number = level(rest, BACKEND_LEVELS)
    for other in imported(module) - SHARED:
        assert other.partition(".")[0] == name, f"{module} imports {other}"
        other_room, other_number = level(other.partition(".")[2], BACKEND_LEVELS)
        assert other_room == room or other_number < number, f"{module} imports {other}"


def test_no_circle_of_modules():
    done, path = set(), []

    def visit(module):
        assert module not in path, f"circle: {' -> '.join([*path[path.index(module) :], module])}"
        if module in done:
            return
        path.append(module)
        for other in imported(module):
            visit(other)
        done.add(path.pop())

    for module in modules():
        if module != "__init__":
            visit(module)


def test_the_records_import_nothing_of_the_package():
    assert imported("backend.records") == set()


@pytest.mark.parametrize("module", [name for name in of_stages() if name.partition(".")[0] == "graph"])
def test_graphs_know_nothing_of_points(module):
    rooms = {other.partition(".")[0] for other in imported(module)}
    assert rooms <= {"backend", "boruvka", "graph", "inputs", "plots", "progress", "spanning_forest"}
    assert "inputs.points" not in imported(module)


@pytest.mark.parametrize("module", [name for name in of_stages() if name.partition(".")[0] == "partitions"])
def test_partitions_know_no_engine(module):
    for node in ast.walk(ast.parse(modules()[module].read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        assert not {name.partition(".")[0] for name in names} & {"dask", "distributed"}


def test_the_name_alone_costs_nothing():
    """`import emst` takes under a second and brings in neither a GPU library, a plotting library nor any kernel."""
    code = (
        "import time, sys; start = time.perf_counter(); import emst; seconds = time.perf_counter() - start\n"
        "print(seconds, *sorted(sys.modules))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    best = min(float(run.stdout.split()[0]) for run in runs)
    found = set(runs[0].stdout.split()[1:])
    assert best < 1.0
    assert not found & {"cupy", "numba", "matplotlib", "dask", "torch", "pandas", "emst.cpu", "emst.cuda"}
