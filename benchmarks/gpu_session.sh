#!/usr/bin/env bash
# The checks that need a GPU, in one run: the tests marked gpu, compute-sanitizer, and a profile. The times are those of
# results_session.sh.
#     benchmarks/gpu_session.sh FOLDER
# Writes FOLDER/gpu-tests.txt, FOLDER/sanitizer/ and FOLDER/profile.txt.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}

$python -m pytest -m gpu tests >"$out/gpu-tests.txt" 2>&1
tail -1 "$out/gpu-tests.txt"

if command -v compute-sanitizer >/dev/null; then
    benchmarks/sanitize.sh "$out/sanitizer" >/dev/null && cat "$out/sanitizer/summary"
else
    echo "compute-sanitizer is not installed"
fi

if command -v ncu >/dev/null; then
    ncu --clock-control none --section SpeedOfLight --section WarpStateStats --section InstructionStats --section Occupancy \
        -k regex:nearest_outgoing -c 2 $python benchmarks trees --device cuda --runs 1 --no-memory --sets uniform3 >"$out/profile.txt" 2>&1
fi
