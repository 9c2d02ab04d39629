"""One fixture: `here`, the directory in which a test of the command line reads and writes."""

import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
