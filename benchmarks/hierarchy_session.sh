#!/usr/bin/env bash
# The hierarchy on a GPU, in one run: its tests, random small sets against the definition, and labels by this checkout
# and by another one in turns.
#     benchmarks/hierarchy_session.sh FOLDER OTHER_CHECKOUT [SETS]
# Writes FOLDER/hierarchy-tests.txt, FOLDER/definition.txt and FOLDER/paired.md.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
python=${PYTHON:-python3}

timeout 240 $python -m pytest -q -m gpu -n 8 tests/hierarchy tests/runtime/test_launch.py tests/hdbscan/test_labels.py \
    >"$out/hierarchy-tests.txt" 2>&1
tail -15 "$out/hierarchy-tests.txt"
timeout 150 $python benchmarks/definition.py --sets "${3:-1000}" --device cuda >"$out/definition.txt" 2>&1
tail -15 "$out/definition.txt"
timeout 180 $python benchmarks/paired.py "$2" --device cuda --sets halob3 --k 2 5 16 >"$out/paired.md" 2>&1
timeout 60 $python benchmarks/paired.py "$2" --device cuda --sets blobs3:1000 blobs3:10000 blobs3 --k 6 >>"$out/paired.md" 2>&1
cat "$out/paired.md"
