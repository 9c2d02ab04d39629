#!/bin/bash
# Every part of sanitize.py under every tool of compute-sanitizer, several at a time; a line for each in FOLDER/summary.
#
#     benchmarks/sanitize.sh FOLDER [POINTS [AT_ONCE [SECONDS]]]
#     PARTS="few-2-float32-lattice forests-int32" TOOLS=racecheck benchmarks/sanitize.sh FOLDER
#
# A run that takes more than SECONDS is ended, and its line says so. Kernels are compiled before. Launches wait for their
# kernels: where two threads launch at the same time, racecheck "failed to track a kernel launch".
set -u
folder=$(realpath -m "$1") n=${2:-301} at_once=${3:-16} seconds=${4:-150}
cd "$(dirname "$0")/.." && mkdir -p "$folder"
export folder n seconds CUDA_LAUNCH_BLOCKING=1
parts=${PARTS:-$(${PYTHON:-python3} benchmarks/sanitize.py --list)} tools=${TOOLS:-memcheck racecheck initcheck synccheck}

one() {
  log="$folder/$1-$2.txt" start=$SECONDS
  timeout "$seconds" compute-sanitizer --tool "$1" --print-limit 20 ${PYTHON:-python3} benchmarks/sanitize.py --n "$n" --parts "$2" \
    >"$log" 2>&1
  rc=$?
  summary=$(grep SUMMARY "$log" | tail -1 | sed 's/=* *//')
  [ $rc = 124 ] && summary="not ended in $seconds s; last: $(grep -v "^=" "$log" | tail -1)"
  echo "$1 $2: ${summary:-no summary, exit status $rc} ($((SECONDS - start)) s)" | tee -a "$folder/summary"
}
export -f one

compile="${PYTHON:-python3} benchmarks/sanitize.py --n $n --parts"
printf '%s\n' $parts | xargs -P "$at_once" -I {} sh -c "$compile {} >/dev/null 2>&1 || echo '{}: failed without a tool'"
for tool in $tools; do printf "$tool %s\n" $parts; done |
  xargs -P "$at_once" -L 1 bash -c 'one "$1" "$2"' _
sort "$folder/summary"
