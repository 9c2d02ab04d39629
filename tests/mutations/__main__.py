"""Plant faults, one at a time, and see whether tests notice them: `python tests/mutations --help`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from faults import FAULTS, Fault
from trees import copy_tree, failing, has_gpu, misplaced, planted

VERDICTS = ("killed", "harmless", "survived", "unclear")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/mutations", description="Plant faults, and see whether the tests that must notice them fail."
    )
    parser.add_argument("--only", metavar="TEXT", help="faults with this text in their name, their file or a test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="copies of the repository")
    return parser.parse_args()


def chosen(text: str | None) -> list[Fault]:
    """The faults to plant; those for which this machine lacks a GPU are left out, and counted."""
    faults = [fault for fault in FAULTS if text is None or any(text in part for part in (*fault[:2], *fault.tests))]
    if not faults:
        sys.exit(f"no fault has {text!r} in its name, its file or its tests")
    wrong = [f"{fault.file}, {fault.what!r}: {why}" for fault in faults if (why := misplaced(fault))]
    if wrong:
        sys.exit("these faults of tests/mutations/faults do not follow the code:\n" + "\n".join(wrong))
    if has_gpu():
        return faults
    here = [fault for fault in faults if not fault.gpu]
    if len(here) < len(faults):
        print(f"left out: {len(faults) - len(here)} faults whose tests need a GPU", flush=True)
    return here


def verdict_on(fault: Fault, sound: dict[tuple[str, bool], bool], folder: Path) -> tuple[str, list[str]]:
    """What became of a fault, and the tests that noticed it; `sound` says which tests pass without it."""
    if fault.harmless:
        return "harmless", []
    if not all(sound[run] for run in fault.runs):
        return "unclear", []
    with planted(fault, folder):
        noticed = [failing(*run, folder) for run in fault.runs]
    return ("killed" if all(noticed) else "survived"), [name for name in noticed if name]


def main() -> int:
    options = arguments()
    faults = chosen(options.only)
    runs = sorted({run for fault in faults for run in fault.runs})
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(options.jobs) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(min(options.jobs, max(len(runs), len(faults)))):
            copy_tree(folder := Path(work, str(number)))
            free.put(folder)

        def in_a_copy(function, *args):
            folder, start = free.get(), time.perf_counter()
            try:
                return function(*args, folder), time.perf_counter() - start
            finally:
                free.put(folder)

        broken = dict(zip(runs, (name for name, _ in pool.map(lambda run: in_a_copy(failing, *run), runs))))
        sound = {run: name is None for run, name in broken.items()}
        verdicts = []
        for fault, ((verdict, names), seconds) in zip(
            faults, pool.map(lambda fault: in_a_copy(verdict_on, fault, sound), faults)
        ):
            by = f"; by {', '.join(names)}" if names else ""
            print(f"{verdict:8}  {seconds:5.1f} s  {fault.file}: {fault.what}{by}", flush=True)
            verdicts.append(verdict)
    print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS))
    for name in sorted({name for name in broken.values() if name}):
        print(f"unclear, for it fails without a fault as well: {name}")
    return int(not set(verdicts) <= {"killed", "harmless"})


if __name__ == "__main__":
    sys.exit(main())
