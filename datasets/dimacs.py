"""Road networks of the 9th DIMACS implementation challenge, downloaded on request.

They are the graphs of Vineet et al. (HPG'09), of PMA (PPoPP'12), of Sousa et al. (PDP'15) and of ECL-MST (SC'23). The
challenge publishes no checksums. Those of NY and BAY stand here, as several independent projects recorded them. Of the
others only the numbers of vertices and arcs in the challenge's table are known: the first download is checked against
them, and its checksum is written to a file beside it, so that later changes are noticed.

`python datasets/dimacs.py NY roads` downloads one to the folder `roads`, reads it and prints the weight of its forest.
Needs pooch: `pip install 'emst[datasets]'`.

References
----------
C. Demetrescu, A. Goldberg, D. Johnson, "The shortest path problem: Ninth DIMACS implementation challenge" (2009).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

URL = "https://www.diag.uniroma1.it/challenge9/data/USA-road-d/"


@dataclass(frozen=True)
class Road:
    """Known figures of a network. Arcs are directed, and a few are parallel."""

    vertices: int
    arcs: int
    sha256: str | None = None  # of the compressed file
    forest: int | None = None  # weight of its minimum spanning forest


ROADS = {
    "NY": Road(264_346, 733_846, "7b2446c7ffe6179efbc42af6812448e8cb782f12968ca2bb1d50d979343056d4", 261_159_288),
    "BAY": Road(321_270, 800_172, "630c4a96869b3ecdd631ceb0f63923fb954ee4c7c26d983863612e2c4442462e"),
    "COL": Road(435_666, 1_057_066),
    "FLA": Road(1_070_376, 2_712_798),
    "NW": Road(1_207_945, 2_840_208),
    "NE": Road(1_524_453, 3_897_636),
    "CAL": Road(1_890_815, 4_657_742),
    "LKS": Road(2_758_119, 6_885_658),
    "E": Road(3_598_623, 8_778_114),
    "W": Road(6_262_104, 15_248_146),
    "CTR": Road(14_081_816, 34_292_496),
    "USA": Road(23_947_347, 58_333_344),
}


def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Path of a network's .gr.gz, which is downloaded if it is not there.

    Parameters
    ----------
    name : str
        Key of ROADS: "NY", "USA", ...
    folder : str or Path, optional
        Where to keep it; by default pooch's folder for caches.

    Raises
    ------
    ValueError
        The downloaded file has not the known checksum, or not the known numbers of vertices and arcs. It is deleted.
    OSError
        The download failed.
    """
    import pooch
    from requests import RequestException

    road = ROADS[name]
    file = Path(folder or pooch.os_cache("emst")) / f"USA-road-d.{name}.gr.gz"
    seal = file.with_name(f"{file.name}.sha256")
    known = road.sha256 or (seal.read_text().split()[0] if seal.exists() else None)
    try:
        pooch.retrieve(
            URL + file.name, known and f"sha256:{known}", file.name, file.parent, progressbar=sys.stderr.isatty()
        )
    except RequestException as error:
        why = f"{URL + file.name} cannot be fetched ({type(error).__name__})"
        raise OSError(f"{why}; a copy from another source can be placed at {file}") from error
    if known is None:
        try:
            _check(file, road)
        except ValueError:
            file.unlink()
            raise
        seal.write_text(f"{pooch.file_hash(file)}  {file.name}\n")  # as sha256sum has it
    return file


def _check(file: Path, road: Road) -> None:
    from emst.io.graphs import read_graph

    graph = read_graph(file)
    if (graph.shape[0], graph.nnz) != (road.vertices, road.arcs):
        raise ValueError(
            f"{file} has {graph.shape[0]:,} vertices and {graph.nnz:,} arcs; the challenge's table has "
            f"{road.vertices:,} and {road.arcs:,}"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Download a network and find its forest."""
    from emst import graph_msf
    from emst.io.graphs import read_graph

    parser = argparse.ArgumentParser(description="Download a road network and find its minimum spanning forest.")
    parser.add_argument("name", choices=ROADS)
    parser.add_argument("folder", nargs="?", help="where to keep it; by default the user's folder for caches")
    given = parser.parse_args(arguments)
    try:
        file = fetch(given.name, given.folder)
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")
    road, forest = ROADS[given.name], graph_msf(read_graph(file))
    verdict = (
        "" if road.forest is None else ", as known" if forest.total_weight == road.forest else f", not {road.forest}"
    )
    print(f"{file}: {road.vertices:,} vertices, {road.arcs:,} arcs")
    print(f"minimum spanning forest: weight {forest.total_weight}{verdict}, components {forest.n_components:,}")


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    main()
