"""Downloads from a server on this machine: files are complete and right, or they are not there."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import hashlib
import http.server
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import datasets
from datasets.__main__ import main
from emst.io.graphs import read_graph

pytest.importorskip("pooch")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FLORIDA = ROOT / "tests" / "data" / "roads" / "florida-2000.gr"
NAME = "USA-road-d.COL"  # a set without a known checksum


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder. Of a file called short, half is sent, and the connection is closed."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        if not self.path.endswith("short"):
            return super().do_GET()
        whole = pathlib.Path(self.directory, "short").read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        self.wfile.write(whole[: len(whole) // 2])
        self.close_connection = True


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A folder that a server offers, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield folder, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def offer(served, monkeypatch):
    """Make the excerpt of Florida's roads the network NAME of the registry, of which this is known."""
    folder, address = served

    def offer(content=None, path="roads", **known):
        (folder / path).write_bytes(gzip.compress(FLORIDA.read_bytes(), mtime=0) if content is None else content)
        known = {"n": 2000, "edges": 4570, "url": address + path} | known
        row = dataclasses.replace(datasets.REGISTRY[NAME], **known)
        monkeypatch.setitem(datasets.REGISTRY, NAME, row)
        return folder / path

    return offer


def kept(tmp_path):
    """Names in the folder of downloads, hidden ones too."""
    folder = tmp_path / "kept"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_fetched_once_and_sealed(offer, tmp_path):
    source = offer()
    raw = source.read_bytes()
    file = datasets.fetch(NAME, tmp_path / "kept")
    assert file.read_bytes() == raw
    assert kept(tmp_path) == [f"{NAME}.gr.gz", f"{NAME}.gr.gz.sha256"]
    seal = f"{hashlib.sha256(raw).hexdigest()}  {NAME}.gr.gz\n"
    assert file.with_name(f"{file.name}.sha256").read_text() == seal
    source.unlink()  # from here on there is nothing to fetch
    assert datasets.fetch(NAME, tmp_path / "kept") == file
    assert (datasets.load(NAME, tmp_path / "kept") != read_graph(FLORIDA)).nnz == 0


def test_a_known_checksum_needs_no_seal(offer, tmp_path):
    raw = gzip.compress(FLORIDA.read_bytes(), mtime=0)
    offer(sha256=hashlib.sha256(raw).hexdigest(), n=1)  # sizes are not looked at
    datasets.fetch(NAME, tmp_path / "kept")
    assert kept(tmp_path) == [f"{NAME}.gr.gz"]


def test_a_file_that_has_changed_at_its_origin_is_refused(offer, tmp_path):
    offer()
    file = datasets.fetch(NAME, tmp_path / "kept")
    file.unlink()
    offer(gzip.compress(FLORIDA.read_bytes() + b"c changed\n"))
    with pytest.raises(ValueError, match=r"has the SHA-256 \w{64}, and not \w{64}"):
        datasets.fetch(NAME, tmp_path / "kept")
    assert kept(tmp_path) == [f"{NAME}.gr.gz.sha256"]


def test_a_file_that_has_changed_here_is_refused_and_stays(offer, tmp_path):
    offer()
    file = datasets.fetch(NAME, tmp_path / "kept")
    file.write_bytes(b"mine")
    with pytest.raises(ValueError, match="has the SHA-256"):
        datasets.fetch(NAME, tmp_path / "kept")
    assert file.read_bytes() == b"mine"


@pytest.mark.parametrize("right", [True, False])
def test_a_copy_from_elsewhere_is_checked_and_stays(offer, tmp_path, right):
    source = offer(n=2000 if right else 3)
    raw = source.read_bytes()
    source.unlink()
    file = tmp_path / "kept" / f"{NAME}.gr.gz"
    file.parent.mkdir()
    file.write_bytes(raw)
    if right:
        assert datasets.fetch(NAME, file.parent) == file
        assert len(kept(tmp_path)) == 2
    else:
        with pytest.raises(ValueError, match="2,000 vertices and 4,570 edges; known are 3 vertices and 4,570 edges"):
            datasets.fetch(NAME, file.parent)
        assert kept(tmp_path) == [file.name]
    assert file.read_bytes() == raw


# What goes wrong: one sentence, and nothing is left behind


def refused(tmp_path, said):
    with pytest.raises(SystemExit) as caught:
        main(["fetch", NAME, str(tmp_path / "kept")])
    assert said in caught.value.code and "\n" not in caught.value.code, caught.value.code
    assert not (tmp_path / "kept").is_dir()  # made for the file, and removed


@pytest.mark.parametrize("known", [{"n": 2001}, {"edges": 4571}])
def test_other_sizes(offer, tmp_path, known):
    offer(**known)
    refused(tmp_path, f"{NAME}.gr.gz has 2,000 vertices and 4,570 edges; known are 2,00")


def test_another_checksum(offer, tmp_path):
    offer(sha256="0" * 64)
    refused(tmp_path, f"{NAME}.gr.gz has the SHA-256 ")


def test_a_page_instead_of_the_file(offer, tmp_path):
    offer(b"<html>please log in</html>")
    refused(tmp_path, f"{NAME}.gr.gz is not a readable .gz file")


def test_a_truncated_download(offer, tmp_path):
    """urllib3 before version 2 does not notice that a part is missing; then the archive's reader does."""
    offer(path="short")
    refused(tmp_path, "")


def test_a_truncated_file(offer, tmp_path):
    offer(gzip.compress(FLORIDA.read_bytes())[:-1000])
    refused(tmp_path, f"{NAME}.gr.gz is not a readable .gz file")


def test_no_such_file(offer, tmp_path):
    offer().unlink()
    refused(tmp_path, "cannot be fetched (the server answered 404); a copy from another source can be placed at")


def test_no_connection(offer, tmp_path):
    offer(url="http://127.0.0.1:9/roads")  # no server there
    refused(tmp_path, f"(ConnectionError); a copy from another source can be placed at {tmp_path}/kept/{NAME}.gr.gz")


def test_a_folder_that_is_a_file(offer, tmp_path):
    offer()
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match="cannot be written"):
        main(["fetch", NAME, str(tmp_path / "file")])


def test_without_pooch(offer, tmp_path, monkeypatch):
    offer()
    monkeypatch.setitem(sys.modules, "pooch", None)
    refused(tmp_path, "and it is missing: pip install '.[datasets]'")


FULL = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from datasets.__main__ import main
main(["fetch", "rmat16", sys.argv[1]])
"""


def test_a_full_disk(tmp_path):
    """A limit on the size of files, which the system enforces as it does that of a disk."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL, str(tmp_path / "kept")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "rmat16.npz cannot be written (File too large); nothing was kept" in done.stderr
    assert kept(tmp_path) == []


def test_an_interrupted_download(offer, tmp_path, monkeypatch):
    offer()

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(datasets.storage, "_checked", interrupt)
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch(NAME, tmp_path / "kept")
    assert kept(tmp_path) == []


def test_points_are_downloaded_too(served, tmp_path, monkeypatch):
    folder, address = served
    (folder / "3d.txt").write_text("1,9.35,56.74,17.05\n1,9.36,56.75,17.61\n")
    row = dataclasses.replace(datasets.REGISTRY["road-network-3d"], n=2, url=f"{address}3d.txt")
    monkeypatch.setitem(datasets.REGISTRY, "road-network-3d", row)
    np.testing.assert_array_equal(
        datasets.load("road-network-3d", tmp_path), [[56.74, 9.35, 17.05], [56.75, 9.36, 17.61]]
    )
