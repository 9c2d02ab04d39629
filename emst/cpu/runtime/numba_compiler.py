"""How numba compiles kernels and parts: its own steps but for those that bring kernels nothing. A part of
`numba_internals`, which says what versions of numba this was tried with.

A first tree compiles some fifty kernels and as many parts. numba would turn every part into machine code, which nobody
runs.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import _dynfunc
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    InlineOverloads,
    IRLegalization,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)

from emst.cpu.runtime.numba_wrapper import WRAPPER, Wrapper


class _Lower(Lower):
    """To LLVM IR. Without reference counts, a variable that is replaced need not be read. Nothing is noted for
    debuggers, which takes a call of LLVM for every variable."""

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        return cgutils.alloca_once(self.builder, lltype, name=name)


class _LowerApart(_Lower):
    """A function that is not inlined: where it is called several times, it is optimised once."""

    def lower_normal_function(self, fndesc: Any) -> None:
        super().lower_normal_function(fndesc)
        self.function.attributes.add("noinline")


class _LowerWithLoop(_Lower):
    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        fndesc, context = self.fndesc, self.context
        module = context.create_module(WRAPPER)
        kind = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
        function = ir.Function(module, kind, fndesc.llvm_func_name)
        Wrapper(context, module, function, fndesc, self.env, self.call_helper, release_gil).build()
        self.library.add_ir_module(module)


class _Defined:
    """A module of LLVM that names only the functions that it defines: in those of others is nothing to optimise."""

    def __init__(self, module: Any) -> None:
        object.__setattr__(self, "_module", module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)

    @property
    def functions(self) -> list[Any]:
        return [function for function in self._module.functions if not function.is_declaration]


class _Library(JITCodeLibrary):
    """Machine code of a kernel, with all that it inlines. Functions are optimised alone before they are linked, to be
    small when they are inlined; wrappers are not inlined."""

    def _optimize_functions(self, ll_module: Any) -> None:
        if ll_module.name != WRAPPER:
            super()._optimize_functions(_Defined(ll_module))
        else:
            ll_module.data_layout = self._codegen._data_layout


class _LibraryOfPart(_Library):
    """The LLVM IR of a part, for the kernels that inline it. It is neither optimised together with what it inlines nor
    turned into machine code: nobody calls it."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringWithLoop(NativeLowering):
    _name = "emst_lowering_with_loop"

    @property
    def lowering_class(self) -> type[Lower]:
        return _LowerWithLoop

    def run_pass(self, state: Any) -> bool:
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()  # it can be saved
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfPart(NativeLowering):
    _name = "emst_lowering_of_part"

    @property
    def lowering_class(self) -> type[Lower]:
        return _Lower

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        state.library = _LibraryOfPart(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        found = state["cr"]
        # numba finds the part by its entry, which nobody may call: Python could not before, either.
        entry = _dynfunc.make_function(found.fndesc.lookup_module(), state.func_id.func_name, "", 0, found.env, ())
        context.insert_user_function(entry, found.fndesc, [state.library])
        state["cr"] = found._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringApart(_LoweringOfPart):
    _name = "emst_lowering_apart"

    @property
    def lowering_class(self) -> type[Lower]:
        return _LowerApart


DEFAULTS = {name: option.default for name, option in Flags.options.items()}
HASH = hash(Flags())  # of the names of the options alone, so all have the same


class _Flags(Flags):
    """numba's options, which it looks for overloads by, some 30,000 times in a first call. These compare sooner."""

    __slots__ = ()

    def values(self) -> dict[str, Any]:
        return DEFAULTS | self._values

    def __hash__(self) -> int:
        return HASH

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self.values() == other.values()


# Steps that look for what is in no kernel, such as closures, or operators on whole arrays, which would allocate. One of
# them notes where variables end, for reference counts, and one describes types for people.
LEFT_OUT = {
    AnnotateTypes,
    DumpParforDiagnostics,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    InlineOverloads,
    IRLegalization,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
    RewriteDynamicRaises,
    WithLifting,
}


class _Passes(PassManager):
    """numba's steps, one after the other. Between them nothing is computed anew that only steps left out need."""

    _ENFORCING = False


class _Compiler(CompilerBase):
    """How numba compiles a function of this package."""

    lowering: type[NativeLowering]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags = _Flags(self.state.flags)

    def define_pipelines(self) -> list[Any]:
        """numba's, with another way to make LLVM IR of a function."""
        passes = _Passes("nopython")
        kept = [one for one in DefaultPassBuilder.define_nopython_pipeline(self.state).passes if one[0] not in LEFT_OUT]
        passes.passes = [(self.lowering if one is NativeLowering else one, name) for one, name in kept]
        passes.finalize()
        return [passes]


class CompilerOfPart(_Compiler):
    """See `numba_internals.for_kernels`."""

    lowering = _LoweringOfPart


class CompilerApart(_Compiler):
    """See `numba_internals.alone`."""

    lowering = _LoweringApart


class CompilerWithLoop(_Compiler):
    """See `numba_internals.with_loop`."""

    lowering = _LoweringWithLoop


class CompilerAlone(CompilerWithLoop):
    """See `numba_internals.alone`. `has_loop` tells the two apart."""
