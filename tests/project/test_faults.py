"""The faults of `tests/mutations` can be planted: the code that they change is still there."""

import subprocess
import sys
from pathlib import Path

LIST = """
from faults import FAULTS
from trees import misplaced

wrong = [f"{fault.file}, {fault.what!r}: {why}" for fault in FAULTS if (why := misplaced(fault))]
print(*wrong, len(FAULTS), sep="\\n")
"""


def test_every_fault_can_be_planted():
    folder = Path(__file__).parents[1] / "mutations"
    *wrong, count = subprocess.check_output([sys.executable, "-c", LIST], cwd=folder, text=True).split("\n")[:-1]
    assert not [line for line in wrong if line] and int(count) > 100
