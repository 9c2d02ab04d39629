"""What an engine must do: three calls, by which the stages run functions on workers that hold the partitions.

The stages of this folder say what is computed and where it lives. An engine says how: `emst/dask/engine.py` does it by
Dask's workers, and `tests/partitions/test_engine.py` has one of plain threads in thirty lines. To add another one,
write a class with what `Engine` lists, bring the points to its workers as `Chunks` (`chunks.py`), and call
`fitted_tree` (`fitting.py`). Then `TreeEdges` (`result.py`) has the edges, and `clustered` (`model.py`) the clusters.

Results are those of one device, bit for bit, on every engine that keeps these rules:

1. A function gets the backend's operations first (`emst.backend.backend_of`), then its arguments. It never writes to
   its arguments, so an engine may run it again, elsewhere, as often as it likes: a worker that is lost costs time, and
   no result.
2. A future among the arguments, also one in a list, is replaced by its result. A future is submitted after all that it
   needs. So threads that each run in order what they are given never wait in a circle.
3. A result stays where it was made while its future is held, and can be dropped after that.
4. Between processes, arguments and results travel by pickle. Inside one, they are passed as they are. On GPUs an
   argument may lie on another GPU of the process: functions copy it by ``ops.asarray``, and the engine makes the
   worker's GPU the current one, and waits for its stream before others read the result.
5. On the CPU, a function runs in one thread: every worker calls ``numba.set_num_threads(1)``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from emst.backend.operations import Backend


class Future(Protocol):
    """Stands for a result that an engine computes: what `Engine.submit` returns."""


class Engine(Protocol):
    """Workers, and how functions are run on them.

    Attributes
    ----------
    device : {"cpu", "cuda"}
        Where workers compute.
    workers : list
        One entry a worker.
    threads : int
        Functions that all workers together run at a time.
    in_process : bool
        Whether all workers are threads of this process, so that nothing is gained by sending less.
    frugal : bool
        Whether to spend array operations in order to send fewer points.
    """

    device: str
    workers: list[Any]
    threads: int
    in_process: bool

    @property
    def frugal(self) -> bool: ...

    def bytes_a_thread(self) -> int:
        """Memory that one function can use, in bytes; 0 if there is no limit."""

    def submit(self, function: Callable[..., Any], *arguments: Any, at: int | None = None) -> Any:
        """Run ``function(ops, *arguments)``, where `ops` is the worker's backend, and return a future of its result.

        `at` is the partition where it is best run; without it, anywhere, for example where its arguments are."""

    def gather(self, futures: list[Any]) -> list[Any]:
        """Results in this process, in order. The first error is raised."""

    def home(self, partition: int) -> Hashable:
        """What partitions that live together have in common: nothing is sent between them."""


def wait(futures: list[Any], engine: Engine) -> None:
    """Wait until futures have results, which stay where they are."""
    engine.gather([engine.submit(_nothing, future) for future in futures])


def _nothing(ops: Backend, value: Any) -> None:
    """What is brought here of a result that stays on its worker."""
