#!/usr/bin/env bash
# The checks that need a GPU, in one run: the tests marked gpu, compute-sanitizer, and a profile. The times are those of
# results_session.sh.
#     benchmarks/gpu_session.sh FOLDER
# Writes FOLDER/gpu-tests.txt, FOLDER/sanitizer.txt and FOLDER/profile.txt.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}

$python -m pytest -m gpu tests >"$out/gpu-tests.txt" 2>&1
tail -1 "$out/gpu-tests.txt"

sanitize() {  # TOOL: one line of its result, then all that it said
    local limit=900 log code
    log=$(timeout "$limit" compute-sanitizer --tool "$1" --print-limit 20 $python benchmarks/sanitize.py 2>&1)
    code=$?
    if [ "$code" = 124 ]; then
        echo "$1: did not end within $limit s"
    else
        echo "$1: $(grep -E "(ERROR|RACECHECK) SUMMARY" <<<"$log" | tail -1 || true) (exit status $code)"
    fi
    sed "s/^/    /" <<<"$log"
}
if command -v compute-sanitizer >/dev/null; then
    $python benchmarks/sanitize.py >/dev/null  # compiles the kernels, outside of the time limits
    for tool in memcheck racecheck synccheck initcheck; do sanitize "$tool"; done >"$out/sanitizer.txt"
else
    echo "compute-sanitizer is not installed" >"$out/sanitizer.txt"
fi
grep -v "^ " "$out/sanitizer.txt"

if command -v ncu >/dev/null; then
    ncu --clock-control none --section SpeedOfLight --section WarpStateStats --section InstructionStats --section Occupancy \
        -k regex:nearest_outgoing -c 2 $python benchmarks trees --device cuda --runs 1 --no-memory --sets uniform3 >"$out/profile.txt" 2>&1
fi
