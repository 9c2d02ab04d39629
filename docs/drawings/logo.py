"""Draws docs/_static/logo.svg: a minimum spanning tree of a few points. `python docs/drawings/logo.py` writes the file.

The colours are visible on light and on dark pages.
"""

from pathlib import Path

from emst import minimum_spanning_tree

FILE = Path(__file__).resolve().parents[1] / "_static" / "logo.svg"
POINTS = [(9, 47), (17, 55), (20, 42), (31, 49), (33, 34), (23, 23), (11, 15), (42, 22), (55, 31), (53, 12), (52, 50)]


def logo() -> str:
    """The picture: edges as one path, points as circles."""
    tree = minimum_spanning_tree(POINTS, device="cpu")
    path = " ".join("M{},{}L{},{}".format(*POINTS[u], *POINTS[v]) for u, v in tree.edges.tolist())
    circles = "".join(f'<circle cx="{x}" cy="{y}" r="4.5"/>' for x, y in POINTS)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<path d="{path}" fill="none" stroke="#e8912d" stroke-width="3.5" stroke-linecap="round"/>'
        f'<g fill="#1f8a99">{circles}</g></svg>\n'
    )


if __name__ == "__main__":
    FILE.write_text(logo())
