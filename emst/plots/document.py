"""The file of an interactive page: Bokeh draws the axes and handles the mouse, `page.js` paints the points."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from emst.plots.packing import compressed, detached, packed

EDGE = 40  # pixels left and right of the slider, so that its bubble is not cut off at the ends
SCRIPTS = ("unpack.js", "tree.js", "page.js")  # one program
COAST = "#8da2b5"
SIZE = "return sizes[Math.round(tick)].toLocaleString('en-US')"  # at a position of the slider
HEADING = "h1 { font-size: 1.4em; margin: 0.5em 0 0.2em; overflow-wrap: anywhere }"


def html_of(given: dict[str, Any], first: int, title: str, note: str, coasts: np.ndarray | None) -> str:
    """The page with its data.

    Parameters
    ----------
    given : dict
        What `page.js` gets, before it is packed.
    first : int
        Position at which the slider stands at first.
    title, note : str
        The heading, and a line about the number of points.
    coasts : array of shape (k, 2) or None
        Lines to draw below the points, each followed by a row of NaN.
    """
    import bokeh
    from bokeh.document import Document
    from bokeh.embed import file_html
    from bokeh.layouts import column, row
    from bokeh.models import (
        BasicTickFormatter,
        BoxZoomTool,
        ColumnDataSource,
        CustomJS,
        CustomJSTickFormatter,
        Div,
        Range1d,
        Slider,
    )
    from bokeh.plotting import figure
    from bokeh.resources import INLINE

    x, y = given["names"]
    plot = figure(
        x_range=Range1d(0, 1),
        y_range=Range1d(0, 1),
        x_axis_label=x,
        y_axis_label=y,
        tools="pan,wheel_zoom,box_zoom,reset,save",
        active_scroll="wheel_zoom",
        min_border_left=80,  # longer numbers beside the axis do not move the plot
        sizing_mode="stretch_both",
    )
    plot.grid.visible = False
    plot.axis.formatter = BasicTickFormatter(use_scientific=False)
    if given["wrap"]:
        code = "return String(Number(((tick + half) % (2 * half) - half).toPrecision(6)))"
        plot.xaxis.formatter = CustomJSTickFormatter(args={"half": given["wrap"]}, code=code)
    plot.select_one(BoxZoomTool).match_aspect = True
    if coasts is not None:
        plot.line(*coasts.T.astype(np.float32), line_color=COAST)
    empty = {"image": [np.zeros((1, 1), np.uint32)], "x": [0.0], "y": [0.0], "dw": [1.0], "dh": [1.0]}
    picture = ColumnDataSource(empty, name="picture")
    plot.image_rgba("image", "x", "y", "dw", "dh", source=picture)
    last = max(len(given["sizes"]) - 1, 1)  # a slider cannot begin where it ends: with one size it is hidden
    slider = Slider(
        start=0,
        end=last,
        value=first,
        step=1,
        show_value=False,
        title="min_cluster_size",
        format=CustomJSTickFormatter(args={"sizes": given["sizes"]}, code=SIZE),  # of the bubble
        width=320,
        margin=(5, EDGE, 5, EDGE),
    )
    slider.visible = len(given["sizes"]) > 1
    text = f"<h1>{escape(title)}</h1>"
    heading = Div(text=text, disable_math=True, margin=(0, EDGE, 0, EDGE), stylesheets=[HEADING])
    headline, line = Div(), Div(text=note, styles={"color": "#666"})
    document = Document()
    texts = column(headline, line, styles={"flex": "1 1 300px", "min-width": "0"})
    above = row(slider, texts, sizing_mode="stretch_width", styles={"flex-wrap": "wrap"})  # on narrow screens
    document.add_root(column(heading, above, plot, sizing_mode="stretch_both"))
    data, arrays = detached(packed(given))
    arguments = {"plot": plot, "picture": picture, "slider": slider, "headline": headline, "given": data}
    code = "".join(files("emst.plots").joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)
    document.js_on_event("document_ready", CustomJS(args=arguments, code=code))
    return compressed(str(file_html(document, INLINE, title)), arrays, title, bokeh.__version__)
