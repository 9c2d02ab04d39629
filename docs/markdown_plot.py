"""matplotlib's directive `plot` in Markdown pages: what it writes is reStructuredText, which MyST does not take."""

import re

from docutils import nodes
from docutils.statemachine import StringList
from matplotlib.sphinxext.plot_directive import PlotDirective
from myst_parser.mocking import MockStateMachine

IMAGE = re.compile(r"^\s*\.\. figure:: (\S+\.png)$")


class MarkdownPlot(PlotDirective):
    """In a Markdown page, a figure of MyST for every picture that the script leaves; elsewhere matplotlib's own."""

    def run(self):
        """Called by Sphinx."""
        if not isinstance(self.state_machine, MockStateMachine):
            return super().run()
        written = []
        self.state_machine.insert_input = lambda lines, source: written.extend(lines)
        messages = super().run()
        found = nodes.Element()
        for image in filter(None, map(IMAGE.match, written)):
            figure = [f"````{{figure}} {image[1]}", f":alt: {self.options.get('alt', '')}", "", *self.content, "````"]
            self.state.nested_parse(StringList(figure, self.state_machine.document["source"]), self.lineno, found)
        return [*messages, *found.children]


def setup(app):
    """Called by Sphinx."""
    app.add_directive("plot", MarkdownPlot, override=True)
    return {"parallel_read_safe": True}
