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
from trees import copy_tree, misplaced, passes, planted


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/mutations", description="Plant faults, and see whether the tests that must notice them fail."
    )
    parser.add_argument("--only", metavar="ROOM", help="faults in this room, or that tests of this room must notice")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="copies of the repository")
    return parser.parse_args()


def in_room(fault: Fault, room: str | None) -> bool:
    return room is None or any(room in Path(path.split("::")[0]).parts for path in (fault.file, *fault.tests))


def verdict_on(fault: Fault, sound: dict[str, bool], folder: Path) -> str:
    """What became of a fault; `sound` says which tests pass without it."""
    if not all(sound[test] for test in fault.tests):
        return "unclear"
    with planted(fault, folder):
        return "survived" if any(passes(test, folder) for test in fault.tests) else "killed"


def main() -> int:
    options = arguments()
    faults = [fault for fault in FAULTS if in_room(fault, options.only)]
    if not faults:
        sys.exit(f"no fault is in the room {options.only!r}, nor its tests")
    wrong = [f"{fault.file}, {fault.what!r}: {why}" for fault in faults if (why := misplaced(fault))]
    if wrong:
        sys.exit("these faults of tests/mutations/faults.py do not follow the code:\n" + "\n".join(wrong))
    tests = sorted({test for fault in faults for test in fault.tests})
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(options.jobs) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(min(options.jobs, max(len(tests), len(faults)))):
            copy_tree(folder := Path(work, str(number)))
            free.put(folder)

        def in_a_copy(function, *args):
            folder, start = free.get(), time.perf_counter()
            try:
                return function(*args, folder), time.perf_counter() - start
            finally:
                free.put(folder)

        sound = dict(zip(tests, (passed for passed, _ in pool.map(lambda test: in_a_copy(passes, test), tests))))
        verdicts = []
        for fault, (verdict, seconds) in zip(
            faults, pool.map(lambda fault: in_a_copy(verdict_on, fault, sound), faults)
        ):
            print(f"{verdict:8}  {seconds:5.1f} s  {fault.file}: {fault.what}", flush=True)
            verdicts.append(verdict)
    print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("killed", "survived", "unclear")))
    for test in (test for test in tests if not sound[test]):
        print(f"unclear, for it fails without a fault as well: {test}")
    return int(set(verdicts) != {"killed"})


if __name__ == "__main__":
    sys.exit(main())
