"""The faults of `tests/mutations` can be planted: the code that they change and the tests that must fail are there."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = """
import sys
from faults import FAULTS
from trees import misplaced

wrong = [f"{fault.file}, {fault.what!r}: {why}" for fault in FAULTS if (why := misplaced(fault))]
print(*wrong, sep="\\n", file=sys.stderr)
print(*sorted({test for fault in FAULTS for test in fault.tests}), sep="\\n")
"""


def listed():
    """The faults that cannot be planted, with the reasons; and the tests that must fail when a fault is planted."""
    command = [sys.executable, "-c", LIST]
    done = subprocess.run(command, cwd=ROOT / "tests/mutations", check=True, capture_output=True, text=True)
    return done.stderr.strip(), done.stdout.strip().split("\n")


def test_every_fault_can_be_planted():
    wrong, tests = listed()
    assert not wrong and len(tests) > 100


def named(ids):
    """Names by which pytest finds tests: their ids, their functions, and their files."""
    ids = set(ids)
    return ids | {one.partition("[")[0] for one in ids} | {one.partition("::")[0] for one in ids}


def test_every_test_of_a_fault_is_there(request):
    """If this run is not of all tests, those that it lacks are collected here."""
    there = named(item.nodeid for item in request.session.items)
    lacking = [test for test in listed()[1] if test not in there and not (ROOT / test).is_dir()]
    if not lacking:
        return
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    functions = sorted({test.partition("[")[0] for test in lacking})
    done = subprocess.run([*command, *functions], cwd=ROOT, capture_output=True, text=True)
    there = named(done.stdout.split("\n"))
    assert [test for test in lacking if test not in there] == [], done.stderr
