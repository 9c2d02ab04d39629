"""Signatures of kernels, read from their sources, and whether the arguments of a launch fit.

CUDA does not check arguments. For every parameter it copies as many bytes as the kernel's signature says, from the
address of the argument. If an argument is too narrow or missing, the kernel gets whatever lies there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from emst.cuda.runtime.compile import ENTRY, source

# Types of C++ as numpy's kind and bytes, the kinds in words, and the types that CuPy passes Python's numbers as.
TYPES = {"bool": "b1", "int": "i4", "u32": "u4", "i64": "i8", "u64": "u8", "float": "f4", "double": "f8"}
KINDS = {"b": "a boolean", "i": "an integer", "u": "an integer", "f": "a floating-point number"}
PYTHON = {bool: "b1", int: "i8", float: "f8"}

_PARAMETER = re.compile(
    r"(?:const )?(?:__grid_constant__ )?(?P<type>[\w<>]+) (?P<pointer>\*)?(?:__restrict__ )?(?P<name>\w+)"
)


class Parameter(NamedTuple):
    """One parameter of a kernel.

    Attributes
    ----------
    name, type : str
        As in the source, template parameters replaced.
    pointer : bool
        Whether it points to values of that type.
    size : int or None
        Bytes of one value of the type; None for structs, which are not checked.
    """

    name: str
    type: str
    pointer: bool
    size: int | None


@functools.cache
def signature(room: str, kernel: str) -> tuple[Parameter, ...]:
    """Parameters of a kernel, such as ``"gather<float>"``, of ``<room>.cu``."""
    name, _, arguments = kernel.rstrip(">").partition("<")
    template, parameters = _entries(room)[name]
    values = dict(zip(template, arguments.split(", ")))
    return tuple(_resolved(text, values) for text in parameters)


@functools.cache
def _entries(room: str) -> dict[str, tuple[list[str], list[str]]]:
    """Of all kernels of ``<room>.cu``, by name: the names of the template's parameters, and the declared parameters."""
    entries = {}
    for entry in ENTRY.finditer(source(room)):
        template = [part.split()[-1] for part in (entry["template"] or "").split(",") if part]
        parameters = re.split(r",(?![^<]*>)", " ".join(entry["parameters"].split()))
        entries[entry["name"]] = template, [part.strip() for part in parameters]
    return entries


def _resolved(text: str, values: dict[str, str]) -> Parameter:
    """A parameter as the source declares it, with the arguments of the template in place of its parameters."""
    found = _PARAMETER.fullmatch(text)
    assert found, text
    type = re.sub(r"\w+", lambda word: values.get(word[0], word[0]), found["type"])
    return Parameter(found["name"], type, found["pointer"] is not None, _size(type))


def _size(type: str) -> int | None:
    """Bytes of a value of this type, None for structs. `Bits` and vectors of integers are known by name."""
    type = {"Bits<float>": "int", "Bits<double>": "i64"}.get(type, type)
    if type in TYPES:
        return np.dtype(TYPES[type]).itemsize
    if vector := re.fullmatch(r"int([24])", type):
        return 4 * int(vector[1])
    return None


def check(room: str, kernel: str, args: Sequence[Any]) -> None:
    """Raise TypeError unless the arguments are as many, as wide and of the kinds that the kernel takes.

    A pointer takes an array on the GPU whose values are as wide as those that it points to, the `Address` of one, None,
    or a number. A struct takes a numpy array.
    """
    parameters = signature(room, kernel)
    if len(args) != len(parameters):
        names = ", ".join(parameter.name for parameter in parameters)
        raise TypeError(f"{kernel} of {room}.cu takes {len(parameters)} arguments ({names}); got {len(args)}")
    for parameter, value in zip(parameters, args):
        problem = _pointer_problem(parameter, value) if parameter.pointer else _value_problem(parameter, value)
        if problem:
            expected = f"{parameter.type}{' *' if parameter.pointer else ''}"
            raise TypeError(f"{kernel} of {room}.cu takes {expected} for {parameter.name}; got {problem}")


def _pointer_problem(parameter: Parameter, value: Any) -> str | None:
    """What was passed for a pointer, in words; None if it fits."""
    if value is None or type(value) is int:
        return None
    if not (hasattr(value, "__cuda_array_interface__") or (isinstance(value, int) and hasattr(value, "dtype"))):
        return f"{value!r}"
    size = value.dtype.itemsize
    rows = value.shape[-1] if len(value.shape) > 1 else 1  # int2 points to rows of two integers
    if parameter.size is None or parameter.size in (size, size * rows):
        return None
    return f"an array of {value.dtype}"


def _value_problem(parameter: Parameter, value: Any) -> str | None:
    """What was passed for a number or a struct, in words; None if it fits."""
    if parameter.size is None and isinstance(value, np.ndarray):
        return None
    if not isinstance(value, (bool, int, float, np.generic)):
        return f"{value!r}"
    given = value.dtype if isinstance(value, np.generic) else np.dtype(PYTHON[type(value)])
    expected = TYPES.get(parameter.type)
    if expected and KINDS.get(given.kind) == KINDS[expected[0]] and given.itemsize == parameter.size:
        return None
    return f"{KINDS.get(given.kind, 'a value')} of {given.itemsize} bytes"
