"""What saves time while numba compiles a kernel, or loads one: it changes functions of numba, and puts them back.

It saves a fifth of the processor time of a first tree. Functions of other packages are not affected: `Haste` hears of
this package's kernels only, and numba's lock lets one thread compile at a time. A thread that calls LLVM without that
lock may miss an event.
"""

from __future__ import annotations

import gc
from typing import Any

from llvmlite.binding import ffi
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction

FUNCTIONS: Any = BaseFunction  # numba's type of a function that it knows itself: an operator, for one
_call_type = FUNCTIONS.get_call_type
_known: dict[tuple[int, ...], tuple[Any, Any]] = {}


def _known_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """``function.get_call_type``: what a call with arguments of these types returns. numba tries one rule after the
    other, and nine times in ten it has been asked before."""
    if kws:
        return _call_type(function, context, args, kws)
    key = id(function), id(context), *(one._code for one in args)  # numba numbers types, and takes no number again
    found = _known.get(key)
    if found is None:  # what the first two numbers stand for is kept alive with the answer
        found = _known[key] = (function, context), _call_type(function, context, args, kws)
    return found[1]


POST: Any = PostProcessor  # what numba runs after a step that changes a function
_all_of_post = POST.run


def _canonical(post: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """`PostProcessor.run` without the variables that live where a block begins, of which only Python's objects and
    generators make use."""
    function = post.func_ir
    if emit_dels or function.is_generator:
        _all_of_post(post, emit_dels, extend_lifetimes)
    else:
        function.blocks = canonicalize_cfg(function.blocks)
        function.variable_lifetime = VariableLifetime(function.blocks)  # computed when it is asked for


_listeners = ffi.lib._lock._cblist  # of LLVM's lock


class Haste:
    """Saves time while a kernel is compiled. numba compiles one kernel at a time, and others that it calls within.

    Meanwhile Python does not collect garbage: that would take a tenth of the time. numba asks only once which type an
    operator returns. And it does not tell listeners of every call of LLVM: a first tree makes some 15,000 of them."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def __call__(self, begins: bool) -> None:
        if not begins and self._depth == 0:  # another listener has raised before this one heard of the beginning
            return
        self._depth += 1 if begins else -1  # first: after an interrupt in the next lines, the end puts all back
        if begins and self._depth == 1:
            self._was_on = gc.isenabled()
            gc.disable()
            FUNCTIONS.get_call_type, POST.run = _known_call_type, _canonical
            ffi.lib._lock._cblist = []
        elif self._depth == 0:
            FUNCTIONS.get_call_type, POST.run = _call_type, _all_of_post
            ffi.lib._lock._cblist = _listeners
            if self._was_on:
                gc.enable()
