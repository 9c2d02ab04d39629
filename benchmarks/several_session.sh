#!/usr/bin/env bash
# Times of two GPUs of one host beside one of them, for results/*-several.md; about four minutes.
#     benchmarks/several_session.sh FOLDER
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}
run() { timeout 100 "$python" benchmarks gpus --gpus 2 "$@" 2>&1 | grep -v '^$' | tee -a "$out/several.txt"; }

nvidia-smi --query-gpu=name,memory.total --format=csv >"$out/several.txt"
run --sets uniform --points 100000000 150000000 250000000 500000000 --through
run --sets halos --points 160000000 --k 5
run --sets halos --points 40000000 100000000 --k 5
run --sets halos --points 500000000 --no-check
run --labels --sets halos --points 40000000 160000000 --k 5
