"""The sets to download: those of the papers, and a road network with positions.

A checksum stands here only if several independent projects recorded it. Otherwise the sizes are checked when the file
is first fetched, and its checksum is then kept beside it.
"""

from __future__ import annotations

from pathlib import Path

from scipy import sparse

from datasets import graph_files, point_files
from datasets.dataset import Dataset


def _dimacs(path: Path) -> sparse.csr_array:
    from emst.io.graphs import read_graph  # compiles nothing, but imports numba

    return read_graph(path)


# ---- the 9th DIMACS challenge -------------------------------------------------------------------------

CHALLENGE = "https://www.diag.uniroma1.it/challenge9/"
DEMETRESCU = (
    'C. Demetrescu, A. Goldberg, D. Johnson, "The shortest path problem: Ninth DIMACS implementation challenge" (2009).'
)
ROADS = {  # vertices, and arcs: those of both directions, a few of them parallel
    "NY": ("New York City", 264_346, 733_846),
    "BAY": ("San Francisco Bay Area", 321_270, 800_172),
    "COL": ("Colorado", 435_666, 1_057_066),
    "FLA": ("Florida", 1_070_376, 2_712_798),
    "NW": ("Northwest USA", 1_207_945, 2_840_208),
    "NE": ("Northeast USA", 1_524_453, 3_897_636),
    "CAL": ("California and Nevada", 1_890_815, 4_657_742),
    "LKS": ("Great Lakes", 2_758_119, 6_885_658),
    "E": ("Eastern USA", 3_598_623, 8_778_114),
    "W": ("Western USA", 6_262_104, 15_248_146),
    "CTR": ("Central USA", 14_081_816, 34_292_496),
    "USA": ("all of the USA", 23_947_347, 58_333_344),
}
CHECKSUMS = {
    "NY": "7b2446c7ffe6179efbc42af6812448e8cb782f12968ca2bb1d50d979343056d4",
    "BAY": "630c4a96869b3ecdd631ceb0f63923fb954ee4c7c26d983863612e2c4442462e",
}
FORESTS = {"NY": 261_159_288}


def _road(key: str) -> Dataset:
    title, vertices, arcs = ROADS[key]
    file = f"USA-road-d.{key}.gr.gz"
    return Dataset(
        f"USA-road-d.{key}",
        f"Roads: {title}",
        "graph",
        "downloaded",
        file,
        _dimacs,
        vertices,
        edges=arcs,
        url=f"{CHALLENGE}data/USA-road-d/{file}",
        page=f"{CHALLENGE}download.shtml",
        licence="not stated; made from TIGER/Line of the US Census Bureau",
        citation=DEMETRESCU,
        sha256=CHECKSUMS.get(key),
        forest=FORESTS.get(key),
    )


# ---- SNAP ---------------------------------------------------------------------------------------------

LESKOVEC = 'J. Leskovec, A. Krevl, "SNAP Datasets: Stanford large network dataset collection" (2014).'


def _snap(name: str, title: str, vertices: int, edges: int) -> Dataset:
    return Dataset(
        name,
        title,
        "graph",
        "downloaded",
        f"{name}.txt.gz",
        graph_files.snap,
        vertices,
        edges=edges,
        url=f"https://snap.stanford.edu/data/{name}.txt.gz",
        page=f"https://snap.stanford.edu/data/{name}.html",
        licence="not stated; cite SNAP",
        citation=LESKOVEC,
    )


# ---- points, and roads with positions -----------------------------------------------------------------

UCI = "https://archive.ics.uci.edu/"
PORTO = "taxi+service+trajectory+prediction+challenge+ecml+pkdd+2015"
JUTLAND = "3d+road+network+north+jutland+denmark"
DOWNLOADED = [
    Dataset(
        "ngsim",
        "Vehicles on four roads (NGSIM)",
        "points",
        "downloaded",
        "ngsim.csv",
        point_files.ngsim,
        11_850_526,
        2,
        url="https://data.transportation.gov/api/views/8ect-6jqj/rows.csv?accessType=DOWNLOAD",
        page="https://data.transportation.gov/d/8ect-6jqj",
        licence="open data of the US Department of Transportation; see the page",
        citation='US Department of Transportation, Federal Highway Administration, "Next Generation Simulation (NGSIM) '
        'Vehicle Trajectories and Supporting Data" (2016), doi:10.21949/1504477.',
    ),
    Dataset(
        "porto-taxi",
        "A year of Porto's taxis",
        "points",
        "downloaded",
        "porto-taxi.zip",
        point_files.porto,
        83_409_386,
        2,
        url=f"{UCI}static/public/339/{PORTO}.zip",
        page=f"{UCI}dataset/339/{PORTO}",
        licence="CC BY 4.0 (terms of the UCI repository)",
        citation='L. Moreira-Matias, J. Gama, M. Ferreira, J. Mendes-Moreira, L. Damas, "Predicting taxi-passenger '
        'demand using streaming data" (IEEE Transactions on Intelligent Transportation Systems, 2013).',
    ),
    Dataset(
        "road-network-3d",
        "Roads of North Jutland with altitudes",
        "points",
        "downloaded",
        "road-network-3d.zip",
        point_files.road_network_3d,
        434_874,
        3,
        url=f"{UCI}static/public/246/{JUTLAND}.zip",
        page=f"{UCI}dataset/246/{JUTLAND}",
        licence="CC BY 4.0 (terms of the UCI repository)",
        citation='M. Kaul, B. Yang, C. Jensen, "Building accurate 3D spatial networks to enable next generation '
        'intelligent transportation systems" (MDM 2013).',
    ),
    Dataset(
        "geolife",
        "GPS trajectories of 182 people",
        "points",
        "downloaded",
        "geolife.zip",
        point_files.geolife,
        24_876_978,
        3,
        url="https://download.microsoft.com/download/F/4/8/F4894AA5-FDBC-481E-9285-D5F8C4C4F039/"
        "Geolife%20Trajectories%201.3.zip",
        page="https://www.microsoft.com/en-us/download/details.aspx?id=52367",
        licence="Microsoft Research licence, in the archive: not for commercial use",
        citation='Y. Zheng, X. Xie, W. Ma, "GeoLife: A collaborative social networking service among user, location '
        'and trajectory" (IEEE Data Engineering Bulletin, 2010).',
    ),
    Dataset(
        "ne-roads",
        "Large roads of the world, 1:10 million",
        "graph",
        "downloaded",
        "ne_10m_roads.zip",
        lambda path: graph_files.road_network(path).graph,
        url="https://naciscdn.org/naturalearth/10m/cultural/ne_10m_roads.zip",
        page="https://www.naturalearthdata.com/downloads/10m-cultural-vectors/roads/",
        licence="public domain",
        citation="Made with Natural Earth.",
    ),
    _snap("amazon0601", "Products bought together", 403_394, 3_387_388),
    _snap("as-skitter", "Autonomous systems of the internet", 1_696_415, 11_095_298),
    _snap("cit-Patents", "Citations of patents", 3_774_768, 16_518_948),
    _snap("soc-LiveJournal1", "Friends on LiveJournal", 4_847_571, 68_993_773),
    *map(_road, ROADS),
]
