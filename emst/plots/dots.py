"""Many points as an image: each is painted onto the pixels that it covers.

Matplotlib draws every point as a path, and takes seconds to draw a million of them. Here the image is made anew
whenever the figure is drawn, in the resolution of the figure, so it stays sharp when somebody zooms in.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from matplotlib.artist import allow_rasterization
from matplotlib.collections import PathCollection
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import IdentityTransform

BLOCK = 1 << 14  # points whose discs are painted at once


class Dots(PathCollection):
    """What ``ax.scatter(x, y, s=area, color=colours, linewidths=0, rasterized=True)`` draws in the plane, in opaque
    colours; later points lie above earlier ones.

    Parameters
    ----------
    axis : matplotlib Axes
    places : float64 array of shape (n, 2)
        In units of the axes.
    area : float
        In square points, as `s` of `scatter`.
    colours : array of shape (n, 3) or (3,)
    zorder : float
    """

    def __init__(self, axis: Any, places: np.ndarray, area: float, colours: np.ndarray, zorder: float) -> None:
        disc = MarkerStyle("o")
        path = disc.get_path().transformed(disc.get_transform())
        colours = np.broadcast_to(colours, (len(places), 3))
        super().__init__(
            [path],
            [area],
            offsets=places,
            transform=IdentityTransform(),
            offset_transform=axis.transData,
            facecolors=colours,
            linewidths=0,
            rasterized=True,
            zorder=zorder,
        )
        axis.add_collection(self)

    @allow_rasterization
    def draw(self, renderer: Any) -> None:
        """Paint all points into an image of the axes."""
        axes: Any = self.axes
        places, colours = np.asarray(self.get_offsets()), np.asarray(self.get_facecolor())
        if not self.get_visible() or len(places) == 0:
            return
        left, bottom = math.floor(axes.bbox.x0), math.floor(axes.bbox.y0)
        wide, high = math.ceil(axes.bbox.x1) - left, math.ceil(axes.bbox.y1) - bottom
        at = self.get_offset_transform().transform(places) - (left, bottom)
        radius = math.sqrt(self.get_sizes()[0] / math.pi) * axes.figure.dpi / 72
        gc = renderer.new_gc()
        gc.set_clip_rectangle(self.get_clip_box())
        renderer.draw_image(gc, left, bottom, painted(at, radius, colours, wide, high))
        gc.restore()
        self.stale = False


def painted(at: np.ndarray, radius: float, colours: np.ndarray, wide: int, high: int) -> np.ndarray:
    """An image, uint8[high, wide, 4], whose first row is the lowest.

    A disc of `radius` around each place covers the pixels whose centres are in it, and at least the one that holds the
    place. Places and the radius are in pixels, from the image's lower left corner.
    """
    inside = ((at > -radius) & (at < (wide + radius, high + radius))).all(axis=1)
    at = at[inside]
    packed = np.ascontiguousarray(np.round(255 * colours[inside]).astype(np.uint8)).view(np.uint32)[:, 0]
    reach = math.ceil(radius)
    margin = 2 * reach  # places lie up to `reach` beyond the borders, and their discs as far again
    image = np.zeros((high + 2 * margin + 1, wide + 2 * margin + 1), np.uint32)
    for first in range(0, len(at), BLOCK):
        _paint(image, at[first : first + BLOCK], radius, packed[first : first + BLOCK], margin)
    inner = image[margin : margin + high, margin : margin + wide]
    return np.ascontiguousarray(inner).view(np.uint8).reshape(high, wide, 4)


def _paint(image: np.ndarray, at: np.ndarray, radius: float, colours: np.ndarray, margin: int) -> None:
    """Paint discs, one after the other: of the points that are assigned to a pixel at once, the last one stays."""
    reach = math.ceil(radius)
    pixel = np.floor(at).astype(np.int64)
    beside = at - pixel - 0.5  # from the centre of the pixel that holds the place
    steps = np.array(list(product(range(-reach, reach + 1), repeat=2)))
    covered = ((steps - beside[:, None]) ** 2).sum(axis=2) <= radius * radius
    covered[:, len(steps) // 2] = True  # the pixel itself
    point, step = np.nonzero(covered)  # by points
    column, row = (pixel[point] + steps[step] + margin).T
    image[row, column] = colours[point]
