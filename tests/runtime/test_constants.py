"""What kernels and Python must agree on is spelled once, in `emst.cuda.runtime.constants`."""

import ast
import pathlib
import re

import emst
from emst.cpu.hierarchy import sums
from emst.cuda.runtime.constants import MACROS

CUDA = pathlib.Path(emst.__file__).parent / "cuda"
KERNELS = {path: path.read_text() for path in sorted(CUDA.rglob("*.cu*"))}
MODULES = {path: ast.parse(path.read_text()) for path in sorted(CUDA.rglob("*.py")) if path.name != "constants.py"}


def test_kernels_use_all_macros_and_no_others():
    used = {name for text in KERNELS.values() for name in re.findall(r"\bEMST_\w+", text)}
    assert used == set(MACROS)


def spelled_in_kernels():
    """Names to which a kernel's source gives a number of its own."""
    statements = [match[1] for text in KERNELS.values() for match in re.finditer(r"\bconstexpr ([^;{]*);", text)]
    defined = [re.findall(r"\b([A-Z][A-Z_0-9]*) = ([^,;]*)", statement) for statement in statements]
    return {name for pairs in defined for name, value in pairs if "EMST_" not in value}


def spelled_in_python():
    """Names to which a module gives a number of its own."""
    for tree in MODULES.values():
        for node in tree.body:
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(names)
                numbers = [isinstance(value, ast.Constant) for value in values]
                yield from (name.id for name, number in zip(names, numbers) if number and isinstance(name, ast.Name))


def test_no_constant_is_spelled_in_both_languages():
    ours = {name.removeprefix("EMST_") for name in MACROS}
    kernels, python = spelled_in_kernels(), set(spelled_in_python())
    assert "STACK" in kernels and "LONGEST_LIST" in python  # the search finds what there is
    assert not kernels & (python | ours) and not python & ours


def test_both_backends_sum_stabilities_in_pieces_of_one_size():
    """Neither backend imports the other, and the key of numba's cache covers `emst/cpu` alone: so each has its own."""
    assert sums.PIECE == MACROS["EMST_PIECE"]
    assert sums.LANES == 32  # lanes of a warp
    text = (CUDA / "hierarchy/sum.cuh").read_text()
    assert re.findall(r"SPARE = (\d+)", text) == [str(sums.SPARE)]
