"""What compiled functions are made of, and what calls them: the same as numba's own, in less time."""

import collections
import gc

import numba
import numpy as np
import pytest
from llvmlite.binding import ffi
from numba.core.postproc import PostProcessor
from numba.core.types.functions import BaseFunction

from emst.cpu.runtime.compile import telling_compilation
from emst.cpu.runtime.numba_haste import Haste
from emst.cpu.runtime.numba_internals import alone, for_kernels, has_loop, with_loop, without_counts
from emst.cpu.runtime.parallel import for_chunks

part, kernel = for_kernels(nogil=True), with_loop(nogil=True, no_cfunc_wrapper=True)
compiled = alone(nogil=True, no_cfunc_wrapper=True)
Pair = collections.namedtuple("Pair", ["first", "second"])


@part
def checked(x):
    if x < 0:
        raise ValueError("less than nothing")
    return x + 1


@part
def checked_twice(x):
    return checked(checked(x))


@part
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


@kernel
def raise_all(values, begin, end):
    for i in range(begin, end):
        values[i] = checked_twice(values[i])


@kernel
def sums(pair, nothing, scale, single, yes, word, matrix, numbers):
    total = pair.first.sum() + pair.second[1][0] + matrix[1, -1] + scale + single + word
    for number in numbers:
        total += number
    return total, yes, nothing is None, len(pair.second)


@compiled
def twice(values, begin, end):
    for i in range(begin, end):
        values[i] *= 2


@compiled
def all_twice(values):
    twice(values, 0, len(values))
    raise_all(values, 0, len(values))
    twice(values, 0, len(values))


@kernel
def product(n):
    return factorial(n)


def test_parts_have_no_machine_code():
    values = np.arange(5.0)
    raise_all(values, 0, 5)
    np.testing.assert_array_equal(values, np.arange(5.0) + 2)
    for one in (checked, checked_twice):
        for found in one.overloads.values():
            assert not found.library.codegen._engine.is_symbol_defined(found.fndesc.llvm_func_name)


def test_what_compiled_functions_call_has_no_machine_code_of_its_own():
    values = np.arange(5.0)
    all_twice(values)
    np.testing.assert_array_equal(values, 4 * np.arange(5.0) + 4)
    assert not twice.overloads
    (found,) = all_twice.overloads.values()
    assert sum("5twice" in one.name for one in found.library.get_defined_functions()) == 1  # called twice, not inlined
    twice(values, 0, 2)
    np.testing.assert_array_equal(values[:3], [8, 16, 12])
    assert len(twice.overloads) == 1 and not has_loop(twice)


def numbas_own():
    return BaseFunction.get_call_type, PostProcessor.run, ffi.lib._lock._cblist


def test_numba_is_itself_before_and_after_a_kernel_is_compiled():
    def doubled(x):
        return x + x

    doubled.__module__ = "emst.cpu.none"
    before, within = numbas_own(), []
    with telling_compilation(lambda begins: within.append(numbas_own())):
        assert compiled(doubled)(21) == 42
        assert numbas_own() == before
        with pytest.raises(numba.TypingError):
            compiled(doubled)({})
        assert numbas_own() == before
    assert within and all(one != before for one in within[::2])


def test_numba_is_itself_after_an_interrupt_or_an_end_without_a_beginning(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    before, haste = numbas_own(), Haste()
    haste(False)
    with monkeypatch.context() as patch:
        patch.setattr("gc.disable", interrupted)
        with pytest.raises(KeyboardInterrupt):
            haste(True)
    haste(False)
    assert numbas_own() == before and gc.isenabled()
    haste(True)
    assert all(one != own for one, own in zip(numbas_own()[:2], before)) and not gc.isenabled()
    haste(False)
    assert numbas_own() == before and gc.isenabled()


def test_errors_of_parts_are_raised():
    values = np.array([1.0, -5, 3])
    with pytest.raises(ValueError, match="less than nothing"):
        raise_all(values, 0, 3)
    with pytest.raises(RuntimeError, match="raise_all has failed at 16"):  # in threads, the chunk is named
        for_chunks(raise_all, 64, 16, np.array([1.0] * 20 + [-5.0] * 44))


def test_a_part_may_call_itself():
    assert product(5) == 120


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, lambda x: x[:, ::2], lambda x: x[::-1]])
def test_arguments_of_all_kinds(make):
    matrix = make(np.arange(24.0).reshape(4, 6))
    fixed = np.arange(3, dtype=np.int32)
    fixed.flags.writeable = False
    given = (Pair(fixed, (np.ones(2), np.full(1, 7, np.uint8))), None, 0.5, np.float32(0.25), True, np.int16(3), matrix)
    for numbers in ((2,), (np.int64(2), 3), (-(2**62), 1)):
        expected = sums.py_func(*given, numbers)
        assert sums(*given, numbers) == pytest.approx(expected) and expected[1:] == (True, True, 2)


def test_other_arguments_are_errors():
    values = np.zeros(3)
    with pytest.raises(numba.TypingError, match="annot determine Numba type"):
        product(object())
    with pytest.raises(TypeError):
        product()
    raise_all(values, 0, 3)
    compiled = raise_all.overloads[raise_all.signatures[0]].entry_point  # past the dispatcher, which looks at types
    for given in (([0.0], 0, 1), (values, 0, None), (values, 0, 2**70)):
        with pytest.raises(TypeError, match="an argument is not what its type says"):
            compiled(*given)


def test_only_functions_with_a_loop_are_run_by_the_team():
    assert has_loop(raise_all) and not has_loop(without_counts()(raise_all.py_func)) and not has_loop(raise_all.py_func)


def test_many_arguments_are_an_error():
    @kernel
    def many(arrays, begin, end):
        arrays[0][begin] = end

    with pytest.raises(NotImplementedError, match="many has too many arguments"):
        many((np.zeros(3),) * 150, 0, 1)
