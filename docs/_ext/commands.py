"""The directive `commands`: a section for each command of an argument parser, with all its options.

A paragraph of a description whose later lines are indented is a first line and a block that is shown as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from emst.cli import parser


def subcommands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the subcommands by name."""
    return next(action.choices for action in top._actions if isinstance(action, argparse._SubParsersAction))


def escaped(line: str) -> str:
    """Plain text, with names in backticks, as reStructuredText."""
    return line.replace("\\", "\\\\").replace("*", "\\*").replace("`", "``")


def text(description: str) -> Iterator[str]:
    """A description or an epilog of a parser as lines of reStructuredText."""
    for paragraph in filter(None, description.strip().split("\n\n")):
        first, *others = paragraph.splitlines()
        if others and all(line.startswith("  ") for line in others):
            yield from (f"{first.capitalize().rstrip(':')}::", "", *others, "")
        else:
            yield from (*map(escaped, paragraph.splitlines()), "")


def ordered(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """Arguments before options, without --help."""
    actions = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    return sorted(actions, key=lambda action: bool(action.option_strings))


def option(action: argparse.Action) -> Iterator[str]:
    """An option or an argument as lines of reStructuredText."""
    value = "" if action.nargs == 0 else action.metavar or "{" + ",".join(map(str, action.choices or ())) + "}"
    names = ", ".join(f"{name} {value}".strip() for name in action.option_strings) or value
    yield from (f".. option:: {names}", "", f"   {escaped(' '.join((action.help or '').split()))}", "")


class Commands(Directive):
    """``.. commands::``"""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        sections = []
        for name, command in subcommands(parser()).items():
            section = nodes.section(ids=[f"emst-{name}"], names=[f"emst {name}"])
            section += nodes.title("", f"emst {name}")
            lines = [*text(command.description or ""), f".. program:: emst {name}", ""]
            lines += [line for action in ordered(command) for line in option(action)]
            lines += text(command.epilog or "")
            self.state.nested_parse(StringList(lines, f"emst {name} --help"), 0, section)
            sections.append(section)
        return sections


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
