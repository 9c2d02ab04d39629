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


def test_every_test_of_a_fault_is_there():
    _, tests = listed()
    functions = sorted({test.partition("[")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *functions], cwd=ROOT, capture_output=True, text=True)
    there = set(done.stdout.split("\n"))
    there |= {line.partition("[")[0] for line in there} | {line.partition("::")[0] for line in there}
    assert [test for test in tests if test not in there and not (ROOT / test).is_dir()] == [], done.stderr
