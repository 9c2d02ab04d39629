"""README and docs can be trusted: snippets of Python and commands of `emst` run; links, files and samples are right."""

import doctest
import os
import pathlib
import re
import shlex

import numpy as np
import pytest

from datasets import REGISTRY
from datasets.__main__ import parser as data_parser
from emst import HDBSCANGPU
from emst.cli import parser

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "datasets").glob("*/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCED = re.compile(r"(?P<mark><!-- not run[^\n]*-->\n)?^```(?P<language>[^`\n]*)\n(?P<code>.*?)^```$", re.M | re.S)
PATH = re.compile(r"`((?:emst|tests|benchmarks|datasets|docs)/[\w./-]*)`(?:(?:,| and) `(\w+\.cuh?)`)?")
DRAWING = re.compile(r"^```\{plot\} (?P<script>\S+)\n(?P<words>.*?)^```$", re.M | re.S)
PRIVATE = re.compile(r"\b(?:seam|frugal|hopeful|guests?|hangs? (?:itself|themselves)|room (?:for|on))\b", re.I)
LINK = re.compile(r"\]\((?!https?:)(?P<file>[^)#\s]*)(?:#(?P<section>[^)\s]*))?\)")


def name(page):
    return str(page.relative_to(ROOT))


def snippets(page, language):
    """(line, code) of the fenced blocks in a language that are not marked as not to run."""
    text = page.read_text()
    for block in FENCED.finditer(text):
        if block["language"] == language and not block["mark"]:
            yield text[: block.start("code")].count("\n") + 1, block["code"]


def run_examples(code, names, where):
    """A session with >>> prints what it says."""
    test = doctest.DocTestParser().get_doctest(code, names, where, where, 0)
    messages = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=messages.append, clear_globs=False)
    assert not runner.failures, "".join(messages)
    names.update(test.globs)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python(page, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    os.symlink(ROOT / "datasets", tmp_path / "datasets")
    names = {"__name__": "snippet"}
    for line, code in snippets(page, "python"):
        where = f"{name(page)}:{line}"
        if ">>>" in code:
            run_examples(code, names, where)
        else:
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands(page):
    """Every `emst` and `python -m datasets` in a shell block has arguments that there are; every script is there."""
    for line, code in snippets(page, "sh"):
        for command in re.split(r"\n|&&", code.replace("\\\n", " ")):
            words = shlex.split(command, comments=True)
            if words and pathlib.Path(words[0]).name == "emst" and "--help" not in words:
                try:
                    parser().parse_args(words[1:])
                except SystemExit:
                    pytest.fail(f"{name(page)}:{line}: {command}")
            if words[:3] == ["python", "-m", "datasets"]:
                given = data_parser().parse_args(words[3:])
                assert getattr(given, "name", "places") in REGISTRY, f"{name(page)}:{line}: {command}"
            elif words and words[0] == "python" and words[1].endswith(".py"):
                assert (ROOT / words[1]).exists(), f"{name(page)}:{line}: {command}"


def sections(page):
    """What GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links(page):
    for link in LINK.finditer(re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)):
        target = (page.parent / link["file"]).resolve() if link["file"] else page
        assert target.exists(), f"{name(page)}: {link['file']}"
        assert not link["section"] or link["section"] in sections(target), f"{name(page)}: #{link['section']}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths(page):
    """Every file or folder that a page names is there, and so is the .cu that stands behind its .py."""
    for path, beside in PATH.findall(page.read_text()):
        assert (ROOT / path).exists(), f"{name(page)}: {path}"
        assert not beside or (ROOT / path).with_name(beside).exists(), f"{name(page)}: {path}, {beside}"


def test_drawings_have_words():
    """Every drawing says what it shows to those who cannot see it, and has a caption."""
    found = 0
    for page in PAGES:
        for drawing in DRAWING.finditer(re.sub(r"^````.*?^````$", "", page.read_text(), flags=re.M | re.S)):
            where = f"{name(page)}: {drawing['script']}"
            assert (ROOT / "docs" / drawing["script"]).exists(), where
            assert re.fullmatch(r":alt: \S[^\n]+\n(?::[^\n]+\n)*\n\S.+", drawing["words"], re.S), where
            found += 1
    assert found > 10


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "words.md"], ids=name)
def test_words(page):
    """None of those that docs/contributing/words.md replaces, because only the code explains them."""
    assert not PRIVATE.findall(page.read_text())


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_the_changelog_is_for_users():
    """What they notice, in at most three lines an entry; ideas that lost are on docs/how/tried.md."""
    entries = re.findall(r"^- (?:.+\n)(?:  .*\n)*", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert len(entries) > 50
    assert not [entry for entry in entries if entry.count("\n") > 3]


def test_every_idea_that_lost_has_its_ratio():
    lines = re.findall(r"^\| (.*) \|$", (ROOT / "docs" / "how" / "tried.md").read_text(), re.M)
    ideas = [line.split(" | ") for line in lines if not line.startswith("idea ")]
    assert len(ideas) > 50
    for idea, ratio, version in ideas:
        assert ratio == "-" or re.search(r"\d", ratio), idea
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), idea


def test_what_verbose_prints(capsys):
    """The sample in docs/guide/progress.md, but for seconds."""
    page = (ROOT / "docs" / "guide" / "progress.md").read_text()
    sample = re.findall(r"^    (\[emst\] .*)$", page, re.M)
    g = np.random.default_rng(0)
    points = np.concatenate([g.normal(0, 1, (100, 2)), g.normal(8, 1, (100, 2))])
    model = HDBSCANGPU(min_cluster_size=20, metric="manhattan", device="cpu").fit(points)  # compiles
    model.set_params(verbose=True).fit(points)
    seconds = re.compile(r"\d+\.\d{3} s")
    assert [seconds.sub("s", line) for line in capsys.readouterr().err.splitlines()] == [
        seconds.sub("s", line) for line in sample
    ]
