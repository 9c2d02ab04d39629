"""The arguments of a launch as the driver takes them: the address of every value.

CuPy makes objects for the arguments of every launch. Here a kernel's values always lie at the same places, so a launch
writes them by one call of `struct`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np


class Address(int):
    """Where an array begins that only kernels use. An array of CuPy takes three times as long to make."""

    memory: Any  # what the array lies in, which is freed when nobody has it
    shape: tuple[int, ...]
    dtype: np.dtype

    def __len__(self) -> int:
        return self.shape[0]


# By type, in the format of `struct`, each in eight bytes.
FORMATS: dict[type, str] = {
    type(None): "Q",
    cupy.ndarray: "Q",
    Address: "Q",
    bool: "?7x",
    int: "q",
    float: "d",
    np.bool_: "?7x",
    np.int32: "i4x",
    np.int64: "q",
    np.uint32: "I4x",
    np.uint64: "Q",
    np.float32: "f4x",
    np.float64: "d",
}


def as_struct(fields: Sequence[Any], dtype: Any) -> np.ndarray:
    """Fields of one type, one after the other, as a struct that a kernel takes by value."""
    return as_bytes(np.array(fields, dtype))


def as_bytes(packed: np.ndarray) -> np.ndarray:
    """The bytes of an array as a struct."""
    return packed.view(f"V{packed.nbytes}")


class Arguments:
    """Places for the arguments of one kernel, of the types of `args`. They are for one thread: the driver has read the
    values when a launch returns.

    An array on the GPU goes as its address, and may be given by it, None as a null pointer, Python's integers as 64
    bits and floats as doubles, and a numpy array, which holds a struct, as its bytes.
    """

    def __init__(self, args: tuple[Any, ...]) -> None:
        self._arrays = tuple(at for at, value in enumerate(args) if isinstance(value, cupy.ndarray))
        self._nulls = tuple(at for at, value in enumerate(args) if value is None)
        self._structs = tuple(at for at, value in enumerate(args) if isinstance(value, np.ndarray))
        formats = [_format(value) for value in args]
        self._values = struct.Struct("=" + "".join(formats))
        self._room = ctypes.create_string_buffer(max(self._values.size, 1))
        begin, addresses = ctypes.addressof(self._room), []
        for one in formats:
            addresses.append(begin)
            begin += struct.calcsize("=" + one)
        self._addresses = (ctypes.c_void_p * max(len(args), 1))(*addresses)
        self.address = ctypes.addressof(self._addresses)  # of the addresses of all values

    def write(self, args: tuple[Any, ...]) -> None:
        """Set the values, which are of the same types."""
        values = list(args)
        for at in self._arrays:
            values[at] = values[at].data.ptr
        for at in self._nulls:
            values[at] = 0
        for at in self._structs:
            values[at] = values[at].tobytes()
        self._values.pack_into(self._room, 0, *values)


def _format(value: Any) -> str:
    """Of a value in bytes that are a multiple of eight, so that each begins where any type may."""
    if isinstance(value, np.ndarray):
        return f"{value.nbytes}s{-value.nbytes % 8}x"
    return FORMATS[cupy.ndarray if isinstance(value, cupy.ndarray) else type(value)]
