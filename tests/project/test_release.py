"""The files that describe a release agree with each other."""

import pathlib
import re

import emst

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_one_version():
    """CITATION.cff and the first entry of the changelog name the version of the package."""
    [cited] = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)
    latest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
    assert cited == latest == emst.__version__


def test_one_address():
    """CITATION.cff has the addresses of [project.urls], and pyproject.toml names one repository."""
    project = (ROOT / "pyproject.toml").read_text()
    urls = dict(re.findall(r'^(Homepage|Documentation) = "(.*)"$', project, re.M))
    cited = dict(re.findall(r"^(repository-code|url): (.*)$", (ROOT / "CITATION.cff").read_text(), re.M))
    assert cited == {"repository-code": urls["Homepage"], "url": urls["Documentation"]}
    assert set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", project)) == {urls["Homepage"]}
