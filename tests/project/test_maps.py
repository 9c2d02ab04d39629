"""Maps and imports are up to date: of rooms (docstrings of `__init__.py`), of tests (README.md), and in scripts."""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
ROOMS = sorted(path.parent for path in (ROOT / "emst").glob("**/__init__.py"))


def names_in_map(room):
    """The names of files in the docstring: the first column of its table."""
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    return re.findall(r"^ *([\w./]+)  +\S", text, re.MULTILINE)


def files_of(name, room):
    """The files or the room that a name in a map stands for."""
    if name.endswith("/"):
        return [name] if (room / name).is_dir() else []
    names = [name] if "." in name else [f"{name}.py", f"{name}.cu"]
    return [one for one in names if (room / one).exists()]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.relative_to(ROOT).as_posix())
def test_the_map_of_a_room_is_complete(room):
    names = names_in_map(room)
    assert len(names) == len(set(names))
    assert all(files_of(name, room) for name in names), "a line without a file"
    shown = {file for name in names for file in files_of(name, room)}
    present = {path.name for path in room.iterdir() if path.suffix in (".py", ".cu", ".cuh")} - {"__init__.py"}
    present |= {f"{path.name}/" for path in room.iterdir() if (path / "__init__.py").exists()}
    headers = {name for name in present if name.endswith(".cuh") and name.removesuffix(".cuh") in names}
    assert shown == present - headers


def test_the_map_of_the_tests_is_complete():
    tests = ROOT / "tests"
    named = set(re.findall(r"`([\w.]+)`", (tests / "README.md").read_text()))
    folders = {path.name for path in tests.iterdir() if path.is_dir() and path.name[0] not in "._"}
    files = {path.name for path in tests.glob("test_*.py")}
    assert folders | files <= named


def imports_of_the_package(source):
    """Modules of emst that a file imports, and the names that it takes from them: (module, name or None)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "emst":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.split(".")[0] == "emst")


@pytest.mark.parametrize("folder", ["benchmarks", "datasets"])
def test_scripts_import_what_there_is(folder):
    """Also the scripts that no test runs, because they need a GPU or hours."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for module, name in imports_of_the_package(path.read_text()):
            where = f"{path.relative_to(ROOT)} imports {name} from {module}"
            home = ROOT.joinpath(*module.split("."))
            file = home / "__init__.py" if home.is_dir() else home.with_suffix(".py")
            assert file.exists(), where
            if name is not None and not (home / f"{name}.py").exists() and not (home / name).is_dir():
                assert re.search(rf"\b{name}\b", file.read_text()), where
