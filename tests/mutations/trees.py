"""Copies of the repository in which faults are planted, and what tests say there."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from faults import Fault

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600  # a test that takes longer has failed: faults may make loops endless
FIRST = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)  # in pytest's summary
PASSED, USAGE, NOTHING = 0, 4, 5  # pytest's exit codes: all passed, no such test, none chosen


def copy_tree(folder: Path) -> None:
    """Copy the files that git knows or would add."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():  # others have been deleted, but git still knows them
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def has_gpu() -> bool:
    """Whether CuPy sees a GPU."""
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # not installed, no driver, a driver that is too old: no test runs on a GPU
        return False


def misplaced(fault: Fault) -> str | None:
    """Why a fault cannot be planted, or None."""
    path = ROOT / fault.file
    if not path.is_file():
        return "there is no such file"
    if fault.old == fault.new:
        return "it changes nothing"
    if bool(fault.tests) == bool(fault.harmless):
        return "it needs either tests or a reason why it is harmless"
    count = path.read_text().count(fault.old)
    return None if count == 1 else f"its text stands there {count} times, not once:\n{fault.old}"


@contextlib.contextmanager
def planted(fault: Fault | None, folder: Path) -> Iterator[None]:
    """The copy in `folder` has the fault inside of the block; with None, it has none."""
    if fault is None:
        yield
        return
    path = folder / fault.file
    text = path.read_text()
    path.write_text(text.replace(fault.old, fault.new))
    try:
        yield
    finally:
        path.write_text(text)


def failing(test: str, gpu: bool, folder: Path) -> str | None:
    """The first test that fails, of those that `test` names, on a GPU or without one; None if all pass in the copy.

    Raises
    ------
    RuntimeError
        There is no such test; the error holds what pytest wrote.
    """
    marked = "gpu" if gpu else "not gpu"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", marked, test]
    clean = {"PYTHONDONTWRITEBYTECODE": "1"}  # a fault of the same size in the same second would run old bytecode
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **clean}, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"{test}, which did not end"
    if done.returncode in (USAGE, NOTHING):
        raise RuntimeError(f"pytest could not run {test}:\n{done.stdout}{done.stderr}")
    if done.returncode == PASSED:
        return None
    first = FIRST.search(done.stdout)
    return first[1] if first else test
