"""Time clusterings by this checkout and by another one, in turns, so that both meet the same machine.

    git worktree add ../before v0.3.0
    python benchmarks/paired.py ../before --device cuda --sets halob3 uniform3 --k 2 5 16
    python benchmarks/paired.py ../before --device cpu --sets cpu-uniform3 cpu-blobs3 --k 6

Each checkout has a process of its own, which opens the set and clusters it once before anything is timed. The table has
the median of each, the median of the ratios of neighbouring runs, the adjusted Rand index of both labels, and the
checksum of each.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

HERE = pathlib.Path(__file__).resolve().parents[1]
MIN_CLUSTER_SIZE = 50
COLUMNS = ["set", "k", "before, ms", "after, ms", "after / before", "Rand index", "labels before", "labels after"]


def arguments() -> argparse.Namespace:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("other", type=pathlib.Path, help="another checkout, the version before")
    top.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    top.add_argument("--sets", nargs="+", default=["cpu-blobs3"], metavar="SET[:N]", help="names of datasets.synthetic")
    top.add_argument("--k", nargs="+", type=int, default=[6], help="min_samples, counting the point itself")
    top.add_argument("--runs", type=int, default=15)
    top.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return top.parse_args()


def worker(options: argparse.Namespace) -> None:
    """Answer each line "SET k file" by being ready with labels in the file, and each "run" by seconds."""
    sys.path[:0] = [str(options.other)]
    from datasets.synthetic import SETS
    from emst import HDBSCANGPU

    model: Any = None
    points: Any = None
    for line in sys.stdin:
        if line.strip() != "run":
            name, k, file = line.split()
            name, _, n = name.partition(":")
            points = _on(options.device, SETS[name](int(n) if n else None))
            model = HDBSCANGPU(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=int(k), device=options.device)
            labels = model.fit_predict(points)
            np.save(file, labels if isinstance(labels, np.ndarray) else labels.get())
            print("ready", flush=True)
            continue
        _wait(options.device)
        begin = time.perf_counter()
        model.fit(points)
        _wait(options.device)
        print(time.perf_counter() - begin, flush=True)


def _on(device: str, points: np.ndarray) -> Any:
    if device == "cpu":
        return points
    import cupy

    return cupy.asarray(points)


def _wait(device: str) -> None:
    if device == "cuda":
        import cupy

        cupy.cuda.Device().synchronize()


class Side:
    """One checkout and its process."""

    def __init__(self, checkout: pathlib.Path, device: str) -> None:
        command = [sys.executable, __file__, str(checkout.resolve()), "--worker", "--device", device]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> str:
        """The answer to one line."""
        assert self._process.stdin and self._process.stdout
        print(line, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise SystemExit(f"a process ended at {line!r}")
        return answer


def main() -> None:
    options = arguments()
    if options.worker:
        worker(options)
        return
    sys.path.append(str(HERE))
    from contestants import checksum  # not in a worker: it imports emst of this checkout

    before, after = (Side(checkout, options.device) for checkout in (options.other, HERE))
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets:
            for k in options.k:
                files = [f"{folder}/{side}.npy" for side in ("before", "after")]
                for side, file in zip((before, after), files):
                    side.ask(f"{name} {k} {file}")
                for side in (before, after):
                    side.ask("run")
                pairs = [(float(before.ask("run")), float(after.ask("run"))) for _ in range(options.runs)]
                medians = (1000 * statistics.median(column) for column in zip(*pairs))
                ratio = statistics.median(new / old for old, new in pairs)
                labels = [np.load(file) for file in files]
                cells = [name, str(k), *(f"{median:.3f}" for median in medians), f"{ratio:.3f}"]
                cells += [f"{adjusted_rand_score(*labels):.6f}", *(checksum(np.arange(len(x)), x) for x in labels)]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
