"""What an engine must do: four calls, by which the stages run functions on workers that hold the partitions; and a few
facts about its workers.

The stages of this folder say what is computed and where it lives. An engine says how: `emst/gpus/engine.py` does it by
threads, one a GPU, `emst/dask/engine.py` by Dask's workers, and `tests/references/threads.py` has one for tests in
thirty lines. To add another one, write a class with what `Engine` lists, bring the points to its workers as `Chunks`
(`chunks.py`; a chunk is the future of a function that returns ``ops.asarray(piece)``), and call `fitted_tree`
(`spanning.py`) with a `Request` (`records.py`) and a `Progress` (`emst/progress.py`). It empties ``chunks.futures``.
Then `TreeEdges` (`edges.py`) has the edges, and `clustered` (`model.py`), which takes the same chunks, the clusters.

Results are those of one device, bit for bit, on every engine that keeps these rules:

1. A function gets the backend's operations first (`emst.backend.backend_of`), then its arguments. It never writes to
   its arguments, so an engine may run it again, elsewhere, as often as it likes: a worker that is lost costs time, and
   no result. But it may free what its arguments hold only to save time (`forget_neighbours`).
2. A future among the arguments, also one in a list but not in a tuple, a dictionary or a record, is replaced by its
   result. A future is submitted after all that it needs, and only the thread that called the stages submits. So threads
   that each run in order what they are given never wait in a circle.
3. A result stays where it was made while its future is held, and can be dropped after that.
4. Between processes, arguments and results travel by pickle. Inside one, they are passed as they are. On GPUs an
   argument may lie on another GPU of the process: functions copy it by ``ops.asarray``, and the engine makes the
   worker's GPU the current one, and waits for its stream before others read the result.
5. On the CPU, a function runs in one thread: every thread that runs functions calls ``numba.set_num_threads(1)``, which
   holds for the thread that calls it.
6. An error in a function is the error of its future, and of every future that needs it, with its type.

An engine may weigh moving a result against waiting, and count what its workers hold: results tell their size to
``sys.getsizeof`` (`Sized`). What a partition sends to another one is a packet. Of the packets of a `Sender`, only the
one that is addressed to a partition travels to it (`routed`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

from emst.backend.operations import Backend


class Future(Protocol):
    """Stands for a result that an engine computes: what `Engine.submit` returns. Stages hold it and pass it on."""


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
    one_process : bool
        Whether all workers are threads of one process. Then a function may use all their GPUs.
    """

    device: str
    workers: list[Any]
    threads: int
    one_process: bool

    def bytes_a_thread(self) -> int:
        """Memory that one function can use, in bytes; 0 if there is no limit."""

    def submit(self, function: Callable[..., Any], *arguments: Any, at: int | None = None) -> Any:
        """Run ``function(ops, *arguments)``, where `ops` is the worker's backend, and return a future of its result.

        `at` is the partition where it is best run; without it, anywhere, for example where its arguments are."""

    def gather(self, futures: list[Any]) -> list[Any]:
        """Results in this process, in order. If some failed, the error of one of them is raised."""

    def home(self, partition: int) -> Hashable:
        """The place where a partition lives: the same during a fit, unless a worker is lost. Nothing is sent between
        partitions whose places are equal."""


def in_one_place(engine: Engine, partitions: int) -> bool:
    """Whether nothing is sent between so many partitions."""
    return len({engine.home(j) for j in range(partitions)}) <= 1


def rounds_at_once(engine: Engine) -> bool:
    """Whether one task may take all rounds: GPUs of one process can read each other's memory."""
    return engine.device == "cuda" and engine.one_process


def submitted(engine: Engine, calls: list[tuple[Any, ...]], first_alone: bool = False) -> list[Any]:
    """A future for every partition, of a function with its arguments.

    With `first_alone`, the first function ends before the others begin if they run on GPUs of one process. Otherwise
    the thread of every GPU would compile the same kernels of CuPy, one after the other."""
    first = [engine.submit(*calls[0], at=0)]
    if first_alone and rounds_at_once(engine):
        engine.gather(first)
    return first + [engine.submit(*call, at=j) for j, call in enumerate(calls[1:], 1)]


def wait(futures: list[Any], engine: Engine) -> None:
    """Wait until futures have results, which stay where they are."""
    engine.gather([engine.submit(_nothing, future) for future in futures])


def _nothing(ops: Backend, value: Any) -> None:
    """Task: nothing of a result, which stays on its worker."""


def part(ops: Backend, value: Any, which: int | str) -> Any:
    """Task: an item or an attribute of a result."""
    return getattr(value, which) if isinstance(which, str) else value[which]


# ---- packets ---------------------------------------------------------------------------------------------------------


def bytes_of(value: Any) -> int:
    """Bytes of all arrays in a result."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, field.name)) for field in fields(value))
    return sum(map(bytes_of, vars(value).values())) if type(value).__module__.startswith("emst.") else 0


class Sized:
    """A result whose size engines learn from ``sys.getsizeof``."""

    def __sizeof__(self) -> int:
        return bytes_of(self)


@dataclass(eq=False)
class Sender(Sized):
    """A result that holds packets for partitions."""

    packets: dict[int, Any]  # by partition


@dataclass(eq=False)
class Carried(Sized):
    """The packets of several senders that are addressed to the partitions of one worker. They travel together."""

    packets: dict[int, dict[int, Any]]  # by sender, and by partition


def packets_for(partition: int, arriving: Sequence[Any]) -> dict[int, Any]:
    """The packets that are addressed to a partition, by the numbers of their senders, in this order. `arriving` holds
    every sender, as `routed` gave it: a `Sender`, a dictionary by partition, or the `Carried` of several."""
    found = {}
    for number, sender in enumerate(arriving):
        packets = sender.packets[number] if isinstance(sender, Carried) else _packets_of(sender)
        if (packet := packets.get(partition)) is not None:
            found[number] = packet
    return found


def routed(senders: list[Future], receivers: int, engine: Engine, by_partitions: bool = True) -> list[list[Any]]:
    """For every partition, the futures of all senders as they arrive there.

    Where the sender was made, these are the futures themselves. To another worker travel only the packets that are
    addressed to its partitions, those of all senders of one worker together: a task takes longer than what it does.

    Parameters
    ----------
    senders : list of Future of Sender or dict
        A dictionary holds packets by partition.
    receivers : int
        How many partitions.
    by_partitions : bool
        Whether the senders were made by the partitions, in their order. Otherwise they may lie on any worker.
    """
    if in_one_place(engine, receivers):
        return [senders for _ in range(receivers)]
    homes = [engine.home(j) for j in range(receivers)]
    made: list[Hashable] = [homes[i] if by_partitions else ("sender", i) for i in range(len(senders))]
    arriving = {home: _arriving(senders, made, home, homes, engine) for home in dict.fromkeys(homes)}
    return [arriving[home] for home in homes]


def _arriving(
    senders: list[Future], made: list[Hashable], home: Hashable, homes: list[Hashable], engine: Engine
) -> list[Any]:
    """The senders as they arrive at one home. Senders with equal entries in `made` lie on the same worker."""
    there = [j for j, one in enumerate(homes) if one == home]
    carried = {}
    for origin in dict.fromkeys(made):
        numbers = [i for i, one in enumerate(made) if one == origin]
        if origin != home:
            carried[origin] = engine.submit(_carried, [senders[i] for i in numbers], numbers, there)
    return [carried.get(origin, sender) for origin, sender in zip(made, senders)]


def _packets_of(sender: Any) -> dict[int, Any]:
    return sender.packets if isinstance(sender, Sender) else sender


def _carried(ops: Backend, senders: list[Any], numbers: Sequence[int], partitions: Sequence[int]) -> Carried:
    """Task: what senders of these numbers have for these partitions."""
    of_all = zip(numbers, map(_packets_of, senders))
    return Carried({i: {j: packets[j] for j in partitions if j in packets} for i, packets in of_all})
