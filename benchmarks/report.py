"""Records of a command as a markdown table."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import shlex
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from expected import forest_verdict, verdict

import emst

Record = dict[str, Any]
Column = tuple[str, Callable[[Record], Any]]


def _quartiles(record: Record) -> str:
    low, high = np.quantile(record["seconds"], [0.25, 0.75]) * 1000
    return f"{_ms(low)} - {_ms(high)}"


def _ms(milliseconds: float) -> str:
    """Four digits."""
    return f"{milliseconds:,.0f}" if milliseconds >= 1000 else f"{milliseconds:.4g}"


def _processor_ms(record: Record) -> str:
    return _ms(float(np.median(record["processor"])) * 1000) if "processor" in record else "-"


def _known(record: Record) -> str:
    return verdict(record["set"], record["k"], record["total"]) if "total" in record else "-"


def _given(name: str, form: str) -> Callable[[Record], str]:
    """A column of a figure that some records lack."""
    return lambda record: "-" if record.get(name) is None else format(record[name], form)


def _weighed(record: Record) -> bool:
    return record.get("peak_bytes") is not None and record["entries"] > 0


RACE: list[Column] = [
    ("set", lambda record: record["set"]),
    ("n x d", lambda record: f"{record['n']:,} x {record['d']}"),
    ("dtype", lambda record: record["dtype"]),
    ("k", lambda record: record["k"]),
    ("contestant", lambda record: record["contestant"]),
    ("median ms", lambda record: _ms(median_of(record) * 1000)),
    ("quartiles", _quartiles),
]
FIGURES: list[Column] = [
    (
        "bytes/point beyond input",
        lambda record: "-" if record.get("peak_bytes") is None else f"{record['peak_bytes'] / record['n']:.0f}",
    ),
    ("total weight", _given("total", ".10g")),
    ("known total", _known),
]
TREES: list[Column] = [
    *RACE,
    ("MFeatures/s", lambda record: f"{record['n'] * record['d'] / median_of(record) / 1e6:.4g}"),
    *FIGURES,
    ("edges", _given("checksum", "")),
]
CLUSTERINGS: list[Column] = [
    *RACE,
    ("best ms", lambda record: _ms(min(record["seconds"]) * 1000)),
    ("processor ms", _processor_ms),
    ("times ours", _given("ratio", ".3g")),
    ("clusters", _given("clusters", ",")),
    ("noise", _given("noise", ",")),
    ("adjusted Rand index", _given("rand", ".4f")),
    *FIGURES,
    ("labels", _given("checksum", "")),
]
FORESTS: list[Column] = [
    ("set", lambda record: record["set"]),
    ("vertices", lambda record: f"{record['n']:,}"),
    ("entries", lambda record: f"{record['entries']:,}"),
    ("weights", lambda record: record["dtype"]),
    ("contestant", lambda record: record["contestant"]),
    ("median ms", lambda record: _ms(median_of(record) * 1000)),
    ("quartiles", _quartiles),
    ("best ms", lambda record: _ms(min(record["seconds"]) * 1000)),
    ("M entries/s", lambda record: f"{record['entries'] / median_of(record) / 1e6:,.4g}"),
    (
        "bytes/entry beyond input",
        lambda record: f"{record['peak_bytes'] / record['entries']:.1f}" if _weighed(record) else "-",
    ),
    ("total weight", lambda record: f"{record['total']:.17g}" if "total" in record else "-"),
    ("known total", lambda record: forest_verdict(record)),
    ("components", _given("components", ",")),
    ("edges, labels", _given("checksum", "")),
]


def median_of(record: Record) -> float:
    """Seconds."""
    return float(np.median(record["seconds"]))


def machine(device: str) -> str:
    """The hardware and the versions behind the figures, without a date."""
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


def head(columns: list[Column]) -> str:
    """First two lines of a table."""
    return "| " + " | ".join(title for title, _ in columns) + " |\n|" + "---|" * len(columns)


def row(columns: list[Column], record: Record) -> str:
    """One line of a table."""
    return "| " + " | ".join(str(cell(record)) for _, cell in columns) + " |"


def table(columns: list[Column], races: Iterable[list[Record]]) -> list[Record]:
    """The records of all races. Those of each are printed, as rows of one table, when it is over."""
    print(head(columns), flush=True)
    records = []
    for race in races:
        print(*(row(columns, record) for record in race), sep="\n", flush=True)
        records += race
    return records


def write(records: list[Record], columns: list[Column], options: argparse.Namespace, below: str = "") -> None:
    """Print stages, `below` and the machine under the table; write the requested files."""
    stages = stage_table(records) + below
    print(stages, f"\n\n{machine(options.device)}")
    lines = "\n".join([head(columns), *(row(columns, record) for record in records)])
    append(lines + stages, options)
    write_json({"records": records}, options)


def append(text: str, options: argparse.Namespace) -> None:
    """Append a section to the requested markdown file: heading, command line and `text`. The machine and the versions
    are the heading of the file, and stand again where they change."""
    if not options.markdown:
        return
    where = f"# {machine(options.device)}"
    before = options.markdown.read_text() if options.markdown.exists() else ""
    machines = [line for line in before.splitlines() if line.startswith("# ")]
    sections = [before.rstrip("\n")] * bool(before) + [where] * (machines[-1:] != [where])
    sections += [f"## {options.title or options.command}", f"`{command_line()}`", text]
    options.markdown.write_text("\n\n".join(sections) + "\n")


def command_line() -> str:
    """The command without the options that only say where files lie and what a section is called."""
    words, left = iter(sys.argv), ["python"]
    for word in words:
        if word in ("--markdown", "--json", "--title", "--scratch", "--data"):
            next(words)
        else:
            left.append(word)
    return shlex.join(left)


def extend(text: str, options: argparse.Namespace) -> None:
    """Append to the last section: tables are kept as they come, in case a later experiment fails."""
    if options.markdown:
        with options.markdown.open("a") as file:
            file.write(f"\n{text}\n")


def report_problems(problems: list[str], options: argparse.Namespace) -> None:
    """List problems at the end, and fail if there are any."""
    if problems:
        extend("\n".join(["Problems:", "", *(f"- {problem}" for problem in problems)]), options)
        sys.exit(f"{len(problems)} problems")


def write_json(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Write what was found, the machine and the command line to the requested JSON file."""
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(options.device), "argv": sys.argv, **found}, indent=1))


def stage_table(records: list[Record]) -> str:
    """A table of the milliseconds of every stage, and of the components left after each round; may be empty."""
    records = [record for record in records if "stages" in record]
    if not records:
        return ""
    names = list(dict.fromkeys(name for record in records for name in record["stages"]["seconds"]))
    counted = any("components" in record["stages"] for record in records)
    titles = ["stages, ms", "k", *names, "sum", *["components after each round"] * counted]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for record in records:
        seconds = record["stages"]["seconds"]
        cells = [record["set"], str(record["k"])]
        cells += [f"{seconds[name] * 1000:.4g}" if name in seconds else "-" for name in names]
        cells.append(f"{sum(seconds.values()) * 1000:.4g}")
        if counted:
            cells.append(" ".join(f"{left:,}" for left in record["stages"]["components"]))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n\n" + "\n".join(lines)
