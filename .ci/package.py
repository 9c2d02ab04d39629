"""Check the files that are uploaded: `python .ci/package.py dist`, where dist has one wheel and one sdist.

The wheel holds the package and nothing else, the sdist builds the same wheel, and every link and picture of the
description has an address that works outside the repository.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email.parser import BytesParser
from pathlib import Path, PurePosixPath

import tomllib

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".cu", ".cuh", ".js", ".html", ".npz", ".typed"}  # an .npz: the coasts of pages


def names_and_bytes(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def check_names(files: dict[str, bytes]) -> None:
    """Every source file of emst/ is in the wheel; beside them only its metadata is."""
    source = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "emst").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in files if ".dist-info/" not in name}
    if packed != source:
        sys.exit(f"only in the wheel: {sorted(packed - source)}; only in emst/: {sorted(source - packed)}")
    other = {name for name in packed if PurePosixPath(name).suffix not in SUFFIXES}
    if other:
        sys.exit(f"the wheel has files of an unexpected kind: {sorted(other)}")


def check_description(files: dict[str, bytes]) -> None:
    """The links and pictures of README.md lead to files of the repository."""
    homepage = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Homepage"]
    raw = homepage.replace("github.com", "raw.githubusercontent.com")
    [metadata] = [data for name, data in files.items() if name.endswith(".dist-info/METADATA")]
    text = BytesParser().parsebytes(metadata).get_payload()
    targets = re.findall(r"\]\(([^)\s]*)\)", text) + re.findall(r'(?:src|href)="([^"]*)"', text)
    prefixes = (f"{homepage}/blob/main/", f"{raw}/main/")
    inside = [target.removeprefix(prefix) for target in targets for prefix in prefixes if target.startswith(prefix)]
    broken = [target for target in targets if not target.startswith(("https://", "#"))]
    broken += [path for path in inside if not (ROOT / path.partition("#")[0]).exists()]
    if broken or not inside:
        sys.exit(f"links of the description that lead nowhere: {broken}; links into the repository: {len(inside)}")


def check_sdist(sdist: Path, files: dict[str, bytes]) -> None:
    """The unpacked sdist builds the same wheel, byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as file:
            file.extractall(folder, filter="data")
        [source] = Path(folder).iterdir()
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", f"{folder}/wheel", source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        [wheel] = Path(folder, "wheel").iterdir()
        again = names_and_bytes(wheel)
    different = {name for name in files.keys() | again.keys() if files.get(name) != again.get(name)}
    if different:
        sys.exit(f"the sdist builds another wheel: {sorted(different)}")


def main() -> None:
    dist = Path(sys.argv[1])
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    files = names_and_bytes(wheel)
    check_names(files)
    check_description(files)
    check_sdist(sdist, files)


if __name__ == "__main__":
    main()
