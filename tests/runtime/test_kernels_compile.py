"""Every kernel of every .cu file compiles under NVRTC, for all template arguments; that needs no GPU.

The entries are read off the sources, so a new kernel is covered when it is written; a template parameter of a new name
needs a line in `VALUES`.
"""

import itertools
import pathlib
import re

import pytest

import emst

CUDA = pathlib.Path(emst.__file__).parent / "cuda"
# -ftz=true: CuPy adds it to every compile. The reductions over a warp ask for Ampere; newer GPUs take the same source.
ADDED = ("-arch=compute_80", "-ftz=true")
# A tenth of the time to compile. A product that may be fused with a sum is then a `mul` without .rn, not an `fma`.
FAST = "--Ofast-compile=max"
EUCLIDEAN, POWERS, ANY_POWER = "0", "3", "4"  # the last two are for doubles only
PERIODIC, PERIODIC_ANY_POWER = "8", "12"
ENTRY = re.compile(
    r"(?:template\s*<(?P<template>[^>]*)>\s*)?"
    r"(?:extern\s+\"C\"\s+)?__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(?P<name>\w+)\s*\("
)
UNSIGNED = {"float": "u32", "double": "u64"}  # the unsigned integer as wide as T
LONGEST = "32"  # dimensions, and entries of a list: what takes the longest to compile
VALUES = {
    "class T": ["double", "float"],
    "class U": ["u32", "u64"],
    "class X": ["double", "float"],  # of points, where T is that of a box
    "int D": ["1", "2", "3", "6", LONGEST],  # packed kernels, and the template up to where brute force takes over
    "int K": ["2", "6", LONGEST],
    "int STAGES": ["2", "3"],
    "bool SHORT": ["false", "true"],
    "int WORDS": ["4", "5"],  # of an edge
    "int FIXED": ["0", "3", "5"],  # dimensions, or 0 for any number
    "bool MRD": ["false", "true"],
    "bool LABELS": ["false", "true"],
    "bool SQUARED": ["false", "true"],
    "bool LISTED": ["false", "true"],
    "class W": ["i64", "int", "double", "float"],
    "class P": ["int", "i64"],
    "class Word": ["u32", "u64"],
    "class S": ["int", "i64"],
    "bool EXACT": ["true", "false"],
    "int METRIC": [EUCLIDEAN, "1", "2", POWERS, ANY_POWER, PERIODIC, PERIODIC_ANY_POWER],
}


def is_launched(given):
    """Whether a launch asks for these template arguments. Metrics differ only in what they add for a coordinate, so the
    others need not be compiled for all dimensions and lengths of lists."""
    number, metric = given.get("class T"), given.get("int METRIC", EUCLIDEAN)
    return (
        given.get("class U") in (None, UNSIGNED.get(number))
        and not (given.get("bool SQUARED") == given.get("bool LISTED") == "true")  # a list of partitions keeps powers
        and not (given.get("bool EXACT") == "true" and given["class W"] in ("i64", "double"))
        and not (metric in (POWERS, ANY_POWER, PERIODIC_ANY_POWER) and number != "double")
        and (metric == EUCLIDEAN or (given.get("int D", "2") in ("2", "6") and given.get("int K", "6") == "6"))
    )


def instances(name, template):
    """Name expressions of a kernel with what they show: `expressions` says what that is."""
    if template is None:
        return {name: {name}}
    names = [name.strip() for name in template.split(",")]
    found = {}
    for values in itertools.product(*(VALUES[one] for one in names)):
        if is_launched(given := dict(zip(names, values))):
            short = [(one, value) for one, value in given.items() if value != LONGEST]
            pairs = set(itertools.combinations(short, 2))
            found[f"{name}<{', '.join(values)}>"] = {(name, *one) for one in given.items()} | pairs
    return found


def expressions(text):
    """C++ name expressions of the entries of a source.

    Each kernel is compiled with all values of each argument, and each pair of values with one kernel of the file: what
    a pair decides lies in the headers that kernels share. All combinations would take minutes. So the next instance is
    always one that shows the most of what is missing.
    """
    shown = {}
    for entry in ENTRY.finditer(text):
        shown |= instances(entry["name"], entry["template"])
    missing = set().union(*shown.values())
    while missing:
        best = max(shown, key=lambda name: len(shown[name] & missing))
        missing -= shown[best]
        yield best


def rooms():
    return sorted(str(path.relative_to(CUDA).with_suffix("")) for path in CUDA.rglob("*.cu"))


@pytest.fixture(scope="module")
def nvrtc():
    pytest.importorskip("cupy", reason="needs CuPy, which is not installed")
    from cupy.cuda import nvrtc

    try:
        nvrtc.getVersion()
    except Exception as error:
        pytest.skip(f"needs NVRTC, which comes with nvidia-cuda-nvrtc: {error}")
    return nvrtc


def ptx_of(nvrtc, text, names, *options):
    """PTX of a source with these templates instantiated; shows the compiler's log where it does not compile."""
    from emst.cuda.runtime.compile import OPTIONS

    program = nvrtc.createProgram(text, "kernels.cu", [], [])
    try:
        for name in names:
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, (*OPTIONS, *ADDED, *options))
        except nvrtc.NVRTCError:
            pytest.fail(nvrtc.getProgramLog(program), pytrace=False)
        ptx = nvrtc.getPTX(program)
        symbols = {name: nvrtc.getLoweredName(program, name) for name in names}
    finally:
        nvrtc.destroyProgram(program)
    return (ptx if isinstance(ptx, str) else ptx.decode()), symbols


def body_of(ptx, symbol):
    """PTX of one kernel."""
    return ptx.partition(f".entry {symbol}(")[2].partition(".entry ")[0]


def test_entries_are_found():
    assert rooms()
    for room in rooms():
        text = (CUDA / f"{room}.cu").read_text()
        assert len(ENTRY.findall(text)) == text.count("__global__"), room


@pytest.mark.parametrize("room", rooms())
def test_every_kernel_compiles(nvrtc, room):
    from emst.cuda.runtime.compile import source

    text = (CUDA / f"{room}.cu").read_text()
    names = list(expressions(text))
    # Blocks that look back wait for earlier tiles, so they must not take their tile from their index, unless they are
    # resident: those have a barrier, too.
    given = {entry["name"]: text[entry.end() :].partition("{")[0] for entry in ENTRY.finditer(text)}
    waiting = {name for name, parameters in given.items() if "*tiles" in parameters and "*arrived" not in parameters}
    names_of_waiting = [name for name in names if name.partition("<")[0] in waiting]
    if names_of_waiting:  # all that they call is part of their bodies only if it is optimised
        ptx, symbols = ptx_of(nvrtc, source(room), names_of_waiting)
        for name, symbol in symbols.items():
            assert "%ctaid" not in body_of(ptx, symbol), f"{name}: blocks do not start in the order of blockIdx"
    ptx, symbols = ptx_of(nvrtc, source(room), names, FAST)
    for name, symbol in symbols.items():
        assert f".entry {symbol}(" in ptx, name
    # The rounding that all backends share: subtract, multiply, add. Integers may be multiplied and added at once.
    assert not re.findall(r"\bfma\.\S+|\bmad\.\S*f(?:32|64)", ptx)
    # Without .rn, the assembler may still fuse a product with the sum that takes it.
    assert not re.findall(r"\bmul\.f(?:32|64)", ptx)
    # Subnormal weights are as good as any: nothing may flush them on the way in, out, or through a comparison.
    assert not re.findall(r"\b(?:mul|add|sqrt|cvt|min|max)\.\S*ftz\S*", ptx)
    if room != "points/statistics":  # whose only comparison tests whether a value is finite
        assert not re.findall(r"\b(?:setp|abs)\.\S*ftz\S*", ptx)


def test_the_source_is_the_key_of_the_cache():
    """CuPy's cache sees the source string only, so nothing of ours may be left to an include."""
    from emst.cuda.runtime.compile import source

    for room in rooms():
        assert '#include "' not in source(room)


@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("selection", "excess_of_mass<int>"),
        ("selection", "select_few<int>"),
        ("selection", "greatest_below"),
        ("simplify", "judge_splits"),
        ("constrained", "choose"),
    ],
)
def test_words_of_siblings_are_visible_before_they_are_counted(nvrtc, room, name):
    """The last of several children reads the words that others have stored. No result shows this for certain."""
    from emst.cuda.runtime.compile import source

    ptx, symbols = ptx_of(nvrtc, source(f"hierarchy/{room}"), [name])
    steps = re.findall(r"st\.volatile|membar\.gl|atom\.[\w.]*add", body_of(ptx, symbols[name]))
    at = next(i for i, step in enumerate(steps) if step.startswith("atom"))
    assert steps[at - 2 : at + 2] == ["st.volatile", "membar.gl", steps[at], "membar.gl"], steps


LAUNCH = re.compile(r'launch\w*\(\s*"([\w/]+)",\s*f?"(\w+)[<"]')


def test_launches_name_kernels_that_exist():
    launches = [(path.name, *found) for path in CUDA.rglob("*.py") for found in LAUNCH.findall(path.read_text())]
    assert len(launches) > 100
    for by, room, name in launches:
        kernels = {entry["name"] for entry in ENTRY.finditer((CUDA / f"{room}.cu").read_text())}
        assert name in kernels, f"{by} launches {name} of {room}.cu"
