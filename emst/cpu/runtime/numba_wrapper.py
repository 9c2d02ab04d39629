"""What Python calls instead of a compiled function, and how threads run it: a part of `numba_internals`.

numba's own wrapper takes every array apart into registers, checks it, and has a block that cleans up after every
argument: more code than most kernels have, and half of what LLVM worked on. Here arguments are *packed*: a word of
memory for each number and pointer that they consist of, where the fields of an array are written directly.
"""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.callconv import RETCODE_OK
from numba.core.callwrapper import PyCallWrapper
from numba.core.types.containers import BaseTuple

# Of a job, in words of 8 bytes. What all threads write has a line of memory of its own, which is two where memory is
# read two lines at a time.
COUNTER, SIZE, GRAIN, LOCK, FAILED, LEFT, JOB = 0, 16, 17, 18, 19, 32, 48
STOPPED = 2**62  # the counter is at least this where there are no more chunks

PACK = -(2**62)  # instead of the beginning of a chunk
# Of a place for packed arguments, in words: the address of the loop, that of the job, and the arguments from here on.
ARGUMENTS, PLACE = 2, 1024
INT, BYTE = ir.IntType(64), ir.IntType(8)
CHUNK = (types.int64, types.int64)

WRAPPER = "wrapper"  # the name of its module


class Wrapper(PyCallWrapper):
    """Packs the arguments and runs the function, or leaves them to its loop: see `numba_internals.with_loop`.

    Types are not checked: only numba's dispatcher calls this, which has found them."""

    def build_wrapper(self, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
        self._api, self._builder = api, builder
        restype, kinds = self.fndesc.restype, self.fndesc.argtypes
        count = len(self.func.function_type.args) - 2  # without the result and the error
        if ARGUMENTS + count > PLACE:
            raise NotImplementedError(f"{self.fndesc.qualname} has too many arguments")
        self._errors = list[Any]()
        words = builder.alloca(INT, ARGUMENTS + count)
        objects = [api.tuple_getitem(args, i) for i in range(len(kinds))]
        chunk = []
        if loops := restype == types.none and tuple(kinds[-2:]) == CHUNK:
            begin, end = chunk = [self._value(types.int64, one) for one in objects[-2:]]
            only_packs = builder.icmp_signed("==", begin, INT(PACK))
            words = builder.select(only_packs, _words(builder, end), words)
        at = ARGUMENTS
        for kind, one in zip(kinds[: len(kinds) - len(chunk)], objects):
            at = self._pack(words, at, kind, one)
        failed = functools.reduce(builder.or_, self._errors, cgutils.is_not_null(builder, api.err_occurred()))
        with builder.if_then(failed, likely=False):
            api.err_set_string("PyExc_TypeError", "an argument is not what its type says")
            builder.ret(api.get_null_object())

        given = [builder.ptrtoint(words, INT), *chunk]
        shape = [types.int64] * len(given)
        call = self.context.call_conv
        run = _run(self.module, self.func, call.get_function_type(restype, shape))
        if loops:
            with builder.if_then(only_packs, likely=False):
                builder.store(builder.ptrtoint(_loop(self.module, run), INT), _word(builder, words, 0))
                api.return_none()
        state = api.save_thread() if self.release_gil else None
        status, result = call.call_function(builder, run, restype, shape, given)
        if self.release_gil:
            api.restore_thread(state)
        with builder.if_then(status.is_ok, likely=True):
            builder.ret(api.from_native_return(restype, result, None))
        call.raise_error(builder, api, status)
        builder.ret(api.get_null_object())

    def _value(self, kind: Any, one: Any) -> Any:
        """The value of a Python object."""
        if kind == types.int64:
            return self._api.long_as_longlong(one)
        native = self._api.to_native_value(kind, one)
        if native.cleanup is not None:
            raise NotImplementedError(f"{self.fndesc.qualname} has an argument that would be cleaned up: {kind}")
        self._errors.append(native.is_error)
        return native.value

    def _pack(self, words: Any, at: int, kind: Any, one: Any) -> int:
        """Write an argument to the words from `at` on. Returns where the next one begins."""
        builder = self._builder
        if isinstance(kind, types.Array):
            code = self._api.numba_array_adaptor(one, _word(builder, words, at, BYTE))
            self._errors.append(cgutils.is_not_null(builder, code))
            return at + len(self._flat(kind))
        if isinstance(kind, BaseTuple):
            for i, inner in enumerate(kind):
                at = self._pack(words, at, inner, self._api.tuple_getitem(one, i))
            return at
        values = self.context.get_arg_packer([kind]).as_arguments(builder, [self._value(kind, one)])
        for i, value in enumerate(values):
            builder.store(value, _word(builder, words, at + i, value.type))
        return at + len(values)

    def _flat(self, kind: Any) -> Any:
        """The types of the numbers and pointers that an argument consists of."""
        return self.context.get_arg_packer([kind]).argument_types


def _internal(module: Any, kind: Any, name: str) -> tuple[Any, Any]:
    """A new function that is seen in this module only, and where its code goes."""
    function = ir.Function(module, kind, name)
    function.linkage = "internal"
    return function, ir.IRBuilder(function.append_basic_block())


def _words(builder: Any, address: Any) -> Any:
    """Pointer to words of memory, of which the address is known."""
    return builder.inttoptr(address, INT.as_pointer())


def _word(builder: Any, words: Any, at: int, kind: Any = INT) -> Any:
    """Pointer to one of the words behind a pointer."""
    return builder.bitcast(builder.gep(words, [INT(at)]), kind.as_pointer())


def _run(module: Any, function: Any, kind: Any) -> Any:
    """Calls a compiled function with packed arguments, and with the chunk, if it has one."""
    run, builder = _internal(module, kind, function.name + ".run")
    results, area, chunk = run.args[:2], run.args[2], run.args[3:]
    kinds = function.function_type.args[2:]
    words, packed = _words(builder, area), enumerate(kinds[: len(kinds) - len(chunk)], ARGUMENTS)
    own = [builder.load(_word(builder, words, at, one)) for at, one in packed]
    builder.ret(builder.call(function, [*results, *own, *chunk], attrs=("noinline",)))
    return run


def _loop(module: Any, run: Any) -> Any:
    """Takes chunks of a job and runs the kernel on them until there are none, or `once`: then it returns where the
    chunk ends, else -1."""
    loop, builder = _internal(module, ir.FunctionType(INT, [INT, INT]), run.name + ".loop")
    area, once = loop.args
    take, chunk, failed, done, end = (loop.append_basic_block() for _ in range(5))
    job = _words(builder, builder.load(_word(builder, _words(builder, area), 1)))
    size, grain = (builder.load(_word(builder, job, at)) for at in (SIZE, GRAIN))
    results = [builder.alloca(kind.pointee) for kind in run.function_type.args[:2]]  # nothing, and an error
    builder.branch(take)
    builder.position_at_end(take)
    begin = builder.atomic_rmw("add", _word(builder, job, COUNTER), grain, "monotonic")
    builder.cbranch(builder.icmp_signed("<", begin, size), chunk, end)
    builder.position_at_end(chunk)
    stop = builder.add(begin, grain)
    stop = builder.select(builder.icmp_signed("<", stop, size), stop, size)
    status = builder.call(run, [*results, area, begin, stop], attrs=("noinline",))
    builder.cbranch(builder.icmp_signed("==", status, RETCODE_OK), done, failed)
    builder.position_at_end(done)
    with builder.if_then(builder.icmp_signed("!=", once, INT(0))):
        builder.ret(stop)
    builder.branch(take)
    builder.position_at_end(failed)
    builder.store_atomic(builder.add(begin, INT(1)), _word(builder, job, FAILED), "monotonic", 8)
    builder.atomic_rmw("max", _word(builder, job, COUNTER), INT(STOPPED), "monotonic")
    builder.branch(end)
    builder.position_at_end(end)
    builder.ret(INT(-1))
    return loop
