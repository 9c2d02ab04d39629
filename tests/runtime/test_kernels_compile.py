"""Every kernel of every .cu file compiles under NVRTC, for all pairs of template arguments; that needs no GPU.

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
EUCLIDEAN, POWERS, ANY_POWER = "0", "3", "4"  # the last two are for doubles only
ENTRY = re.compile(
    r"(?:template\s*<(?P<template>[^>]*)>\s*)?"
    r"(?:extern\s+\"C\"\s+)?__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(?P<name>\w+)\s*\("
)
VALUES = {
    "class T": ["float", "double"],
    "class U": {"float": "u32", "double": "u64"},  # the unsigned integer as wide as T
    "int D": ["1", "2", "3", "32"],  # packed kernels, and the template up to where brute force takes over
    "int K": ["2", "6", "32"],
    "int STAGES": ["2", "3"],
    "bool SHORT": ["false", "true"],
    "int FIXED": ["0", "3", "5"],  # dimensions, or 0 for any number
    "bool MRD": ["false", "true"],
    "bool LABELS": ["false", "true"],
    "bool SQUARED": ["false", "true"],
    "class W": ["int", "i64", "float", "double"],
    "class P": ["int", "i64"],
    "class Word": ["u32", "u64"],
    "bool EXACT": ["false", "true"],
    "int METRIC": [EUCLIDEAN, "1", "2", POWERS, ANY_POWER],
}
# Metrics differ only in what they add for a coordinate. The code of 6 dimensions is that of 32, and a fifth as long.
OF_OTHER_METRICS = VALUES | {"int D": ["2", "6"], "int K": ["6"]}


def instances(template):
    """Arguments of a template: ``class T, int D`` -> "float, 2", ... Every pair of values is among them.

    All combinations would take minutes, and differ in nothing that the pairs do not show. So the next instance is
    always one with the most pairs that have not been compiled.
    """
    pairs = {given: set(itertools.combinations(enumerate(given), 2)) or {given} for given in combinations(template)}
    missing = set().union(*pairs.values())
    while missing:
        best = max(pairs, key=lambda given: len(pairs[given] & missing))
        missing -= pairs[best]
        yield ", ".join(best)


def combinations(template):
    """All arguments of a template, with few dimensions and lengths of lists for the other metrics."""
    names = [name.strip() for name in template.split(",")]
    free = [name for name in names if name not in ("class U", "int METRIC")]
    for metric in VALUES["int METRIC"] if "int METRIC" in names else [EUCLIDEAN]:
        values = VALUES if metric == EUCLIDEAN else OF_OTHER_METRICS
        for chosen in itertools.product(*(values[name] for name in free)):
            given = dict(zip(free, chosen)) | {"int METRIC": metric}
            if "class U" in names:
                given["class U"] = VALUES["class U"][given["class T"]]
            if metric not in (POWERS, ANY_POWER) or given["class T"] == "double":
                yield tuple(given[name] for name in names)


def expressions(text):
    """C++ name expressions of all entries of a source."""
    for entry in ENTRY.finditer(text):
        if entry["template"] is None:
            yield entry["name"]
        else:
            yield from (f"{entry['name']}<{arguments}>" for arguments in instances(entry["template"]))


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


def ptx_of(nvrtc, text, names):
    """PTX of a source with these templates instantiated; shows the compiler's log where it does not compile."""
    from emst.cuda.runtime.compile import OPTIONS

    program = nvrtc.createProgram(text, "kernels.cu", [], [])
    try:
        for name in names:
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, (*OPTIONS, *ADDED))
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
    # Blocks that look back wait for earlier tiles, so they must not take their tile from their index.
    waiting = {entry["name"] for entry in ENTRY.finditer(text) if "*tiles" in text[entry.end() :].partition("{")[0]}
    ptx, symbols = ptx_of(nvrtc, source(room), names)
    for name, symbol in symbols.items():
        assert f".entry {symbol}(" in ptx, name
        if name.partition("<")[0] in waiting:
            assert "%ctaid" not in body_of(ptx, symbol), f"{name}: blocks do not start in the order of blockIdx"
    # The rounding that all backends share: subtract, multiply, add. Integers may be multiplied and added at once.
    assert not re.findall(r"\bfma\.\S+|\bmad\.\S*f(?:32|64)", ptx)
    # Without .rn, the assembler may still fuse a product with the sum that takes it.
    if room != "distances/brute":  # whose products of this kind are bounds with an allowance for rounding
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


def test_words_of_siblings_are_visible_before_they_are_counted(nvrtc):
    """The last of several children reads the words that others have stored. No result shows this for certain."""
    from emst.cuda.runtime.compile import source

    name = "excess_of_mass"
    ptx, symbols = ptx_of(nvrtc, source("hierarchy/selection"), [name])
    steps = re.findall(r"st\.volatile|membar\.gl|atom\.[\w.]*add", body_of(ptx, symbols[name]))
    at = next(i for i, step in enumerate(steps) if step.startswith("atom"))
    assert steps[at - 2 : at + 2] == ["st.volatile", "membar.gl", steps[at], "membar.gl"], steps
