"""The maps in the docstrings of `__init__.py`: every file of a room has its line, and every line its file."""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
ROOMS = sorted(path.parent for path in (ROOT / "emst").glob("**/__init__.py"))


def names_in_map(room):
    """First words of the lines of the docstring that have two columns."""
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
