#!/usr/bin/env bash
# Everything about graphs that needs a GPU, in one run: tests marked gpu, the benchmark, the papers' tables and plots.
#     benchmarks/graph_session.sh FOLDER [ROADS]      # ROADS: folder of USA-road-d.NY.gr, .gr.gz or .npz
# Writes FOLDER/graph-tests.txt, graphs.md, graphs.json, papers.md, papers.json, plots.tar.gz and log.txt. The graphs are
# generated while the tests run, one process per core.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
common=(--device cuda --scratch "$scratch/graphs")
[ $# -gt 1 ] && common+=(--data "$2")
exec 2>>"$out/log.txt"

$python benchmarks/graph_sets.py "${common[@]:2}" USA-road-d.NY $($python benchmarks graph-papers --device cuda --names) &
$python -m pytest -m gpu -q tests/graph >"$out/graph-tests.txt" 2>&1
tail -1 "$out/graph-tests.txt"
wait

$python benchmarks forests "${common[@]}" --runs 9 --weights int32 float32 float64 int64 \
    --markdown "$out/graphs.md" --json "$out/graphs.json"
$python benchmarks graph-papers "${common[@]}" --runs 3 --budget 0.3 --plots "$scratch/plots" \
    --markdown "$out/papers.md" --json "$out/papers.json"
[ -d "$scratch/plots" ] && tar -C "$scratch" -czf "$out/plots.tar.gz" plots
