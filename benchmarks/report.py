"""Records of the driver as a table that can be committed."""

from __future__ import annotations

import os
import pathlib
import platform
from typing import Any

import numpy as np
from expected import verdict

import emst

HEAD = (
    "| set | n x d | dtype | k | contestant | median ms | quartiles | MFeatures/s | bytes/point beyond input "
    "| total weight | known total | edges |\n|" + "---|" * 12
)


def machine(device: str) -> str:
    """Date-free description of what the figures are from."""
    if device == "cuda":
        import cupy

        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        driver = cupy.cuda.runtime.driverGetVersion()
        version = f"{driver // 1000}.{driver % 1000 // 10}"
        hardware = f"{properties['name'].decode()}, CUDA driver {version}, CuPy {cupy.__version__}"
    else:
        import numba

        hardware = f"{_processor()}, {len(os.sched_getaffinity(0))} cores, numba {numba.__version__}"
    return f"emst {emst.__version__}: {hardware}, Python {platform.python_version()}"


def _processor() -> str:
    info = pathlib.Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def markdown(records: list[dict[str, Any]]) -> str:
    """The table, and below it one of the stages where they were timed."""
    return "\n".join([HEAD, *map(row, records)]) + stage_table(records)


def row(record: dict[str, Any]) -> str:
    low, median, high = np.quantile(record["seconds"], [0.25, 0.5, 0.75]) * 1000
    size = record["n"] * record["d"]
    peak = record["peak_bytes"]
    cells = [
        record["set"],
        f"{record['n']:,} x {record['d']}",
        record["dtype"],
        record["k"],
        record["contestant"],
        f"{median:.4g}",
        f"{low:.4g} - {high:.4g}",
        f"{size / median / 1e3:.4g}",
        "-" if peak is None else f"{peak / record['n']:.0f}",
        f"{record['total']:.10g}",
        verdict(record["set"], record["k"], record["total"]),
        record["checksum"] or "-",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def stage_table(records: list[dict[str, Any]]) -> str:
    """Milliseconds of every operation in one extra run, and the components left after each round; may be empty."""
    records = [record for record in records if "stages" in record]
    if not records:
        return ""
    names = list(dict.fromkeys(name for record in records for name in record["stages"]["seconds"]))
    lines = ["| stages, ms | k | " + " | ".join(names) + " | sum | components after each round |"]
    lines.append("|" + "---|" * (len(names) + 4))
    for record in records:
        seconds = record["stages"]["seconds"]
        cells = [f"{seconds[name] * 1000:.4g}" if name in seconds else "-" for name in names]
        cells.append(f"{sum(seconds.values()) * 1000:.4g}")
        cells.append(" ".join(f"{left:,}" for left in record["stages"]["components"]))
        lines.append(f"| {record['set']} | {record['k']} | " + " | ".join(cells) + " |")
    return "\n\n" + "\n".join(lines)
