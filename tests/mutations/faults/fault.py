"""What a fault is: a change of one place in a file, and the tests that must fail with it."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault, and the tests that must fail with it."""

    what: str
    file: str  # path in the repository
    old: str  # stands in the file exactly once
    new: str
    tests: tuple[str, ...] = ()  # what pytest takes: a file, or a file and a test; each must fail
    harmless: str = ""  # why no result can show it; it then has no tests
    only_gpu: bool = False  # only tests on a GPU can notice it; always so of files in emst/cuda

    @property
    def gpu(self) -> bool:
        """Whether only tests on a GPU can notice it."""
        compiled = any("test_kernels_compile.py" in test for test in self.tests)  # what compilers need no GPU for
        return (self.only_gpu or self.file.startswith("emst/cuda/")) and not compiled

    @property
    def runs(self) -> list[tuple[str, bool]]:
        """Its tests, each with whether it runs on a GPU."""
        return [(test, self.gpu) for test in self.tests]
