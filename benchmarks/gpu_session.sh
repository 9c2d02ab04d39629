#!/usr/bin/env bash
# Everything that needs a GPU, in one run: the tests marked gpu, compute-sanitizer, the benchmarks, the crossing point, a
# profile.
#     benchmarks/gpu_session.sh FOLDER
# Writes FOLDER/gpu-tests.txt, FOLDER/sanitizer.txt, FOLDER/gpu.md, FOLDER/gpu-hdbscan.md and FOLDER/profile.txt.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}
bench="$python benchmarks trees --device cuda"

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

$bench --stages --runs 7 --markdown "$out/1.md"
$bench --runs 5 --k 2 5 16 --sets halob3 --markdown "$out/2.md"
$bench --runs 5 --k 5 16 --sets uniform3 --markdown "$out/3.md"
$bench --runs 3 --sets uniform:100000000 uniform:1000000000 --markdown "$out/4.md"
$python benchmarks crossing --n 50000 --d 6 10 16 24 32 48 --runs 1 >"$out/5.md"
$python benchmarks labels --device cuda --stages --runs 7 --markdown "$out/gpu-hdbscan.md"
cat "$out"/[1-5].md >"$out/gpu.md" && rm "$out"/[1-5].md

if command -v ncu >/dev/null; then
    ncu --clock-control none --section SpeedOfLight --section WarpStateStats --section InstructionStats --section Occupancy \
        -k regex:nearest_outgoing -c 2 $bench --runs 1 --no-memory --sets uniform3 >"$out/profile.txt" 2>&1
fi
