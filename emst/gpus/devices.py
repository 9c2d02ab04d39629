"""Which GPUs `device_ids` names, and which of them can read each other's memory."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from emst.inputs.devices import choose_device

WORDS = "'all', None or a list of numbers of GPUs"


def checked_gpus(device_ids: Any, device: str) -> list[int]:
    """The numbers of the GPUs that `device_ids` names.

    Raises
    ------
    ValueError
        `device_ids` is neither "all" nor a list of integers; no number, a number twice, a GPU that does not exist, or
        ``device="cpu"``.
    RuntimeError
        No usable GPU.
    """
    if device == "cpu":
        raise ValueError("device_ids names GPUs, but device is 'cpu': leave one of them out")
    if device_ids != "all":
        _check_numbers(device_ids)
    choose_device("cuda")
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    gpus = list(range(count)) if device_ids == "all" else [int(number) for number in device_ids]
    for gpu in gpus:
        if not 0 <= gpu < count:
            raise ValueError(f"device_ids holds {gpu}, but the GPUs of this machine are {_listed(range(count))}")
        choose_device("cuda", gpu)
    return gpus


def names_gpus(device_ids: Any) -> bool:
    """Whether this is "all", None or a list of integers."""
    if device_ids is None or isinstance(device_ids, str):
        return device_ids in (None, "all")
    numbers_only = isinstance(device_ids, Sequence) and all(isinstance(one, numbers.Integral) for one in device_ids)
    return numbers_only and not any(isinstance(one, bool) for one in device_ids)


def _check_numbers(device_ids: Any) -> None:
    if not names_gpus(device_ids):
        raise ValueError(f"device_ids must be {WORDS}; got {device_ids!r}")
    if not device_ids:
        raise ValueError("device_ids is empty: name at least one GPU, or leave it out")
    if len(set(device_ids)) < len(device_ids):
        raise ValueError(f"device_ids names a GPU twice: {_listed(device_ids)}")


def without_peers(gpus: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of GPUs that cannot read each other's memory: data between them goes through the host."""
    import cupy

    can = cupy.cuda.runtime.deviceCanAccessPeer
    return [(a, b) for a, b in combinations(gpus, 2) if not (can(a, b) and can(b, a))]


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
