"""`emst info`: versions, devices, threads and caches of this installation."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from emst import __version__
from emst.cli.shared import Commands, sentence

DESCRIPTION = "Show what emst runs on: versions, devices, threads and caches. Put this into a report of a fault."
LIBRARIES = ("numpy", "numba", "llvmlite", "scipy", "scikit-learn", "matplotlib", "tqdm")
EXTRAS = {
    "cuda": ("cupy-cuda13x", "cupy-cuda12x"),
    "parquet": ("pyarrow",),
    "las": ("laspy", "lazrs"),
    "fits": ("astropy",),
    "pandas": ("pandas",),
    "polars": ("polars",),
    "networkx": ("networkx",),
    "dask": ("dask", "distributed"),
}


def add_to(commands: Commands) -> None:
    """Add this subcommand to the parser."""
    command = commands.add_parser("info", help="versions, devices, threads and caches", description=DESCRIPTION)
    command.set_defaults(run=run)


def run(_: argparse.Namespace) -> None:
    """Print one line for everything."""
    for name, value in _lines():
        print(f"{name:<10} {value}")


def _lines() -> Iterator[tuple[str, str]]:
    from emst.backend import backend_of

    threads, why = backend_of("cpu").parallelism()
    yield "emst", f"{__version__} in {Path(__file__).parents[1]}"
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    yield "libraries", ", ".join(filter(None, map(_version, LIBRARIES)))
    yield "extras", "; ".join(f"{extra}: {_extra(names)}" for extra, names in EXTRAS.items())
    yield "CPU", f"{os.cpu_count()} cores, {_memory()}"
    yield "GPU", _gpu()
    yield "threads", f"{threads}: {why}"
    yield "caches", f"CPU: {_cpu_cache()}"
    yield "", f"GPU: {_counted(_gpu_cache())}"


def _version(name: str) -> str:
    """Name and version of an installed distribution; an empty string if there is none."""
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def _extra(names: tuple[str, ...]) -> str:
    return ", ".join(filter(None, map(_version, names))) or "not installed"


def _memory() -> str:
    from emst.backend import backend_of

    free = backend_of("cpu").bytes_free()
    return "unknown memory" if free is None else f"{free / 1e9:,.1f} GB of memory free"


def _gpu() -> str:
    """The GPUs, or why none is used."""
    from emst.inputs.devices import choose_device

    try:
        choose_device("cuda")
    except (RuntimeError, ImportError) as error:
        return sentence(error)
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    devices = [cupy.cuda.runtime.getDeviceProperties(i) for i in range(count)]
    driver = cupy.cuda.runtime.driverGetVersion()
    listed = ", ".join(f"{one['name'].decode()} with {one['totalGlobalMem'] / 1e9:,.0f} GB" for one in devices)
    return f"{listed}; driver for CUDA {driver // 1000}.{driver % 1000 // 10}"


def _cpu_cache() -> str:
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        return _counted(Path(folder), "*.nbc")
    return f"beside the files of emst, or in the user's folder; NUMBA_CACHE_DIR names another ({sys.prefix})"


def _gpu_cache() -> Path:
    return Path(os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache")))


def _counted(folder: Path, pattern: str = "*") -> str:
    """A folder with the number of files in it and below."""
    try:
        there = folder.exists()
    except PermissionError:
        return f"{folder} (cannot be read)"
    if not there:
        return f"{folder} (nothing yet)"
    return f"{folder} ({sum(one.is_file() for one in folder.rglob(pattern)):,} kernels)"
