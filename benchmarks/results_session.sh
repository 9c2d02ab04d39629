#!/usr/bin/env bash
# All results of one machine, in one file that can become benchmarks/results/MACHINE.md.
#     benchmarks/results_session.sh FOLDER cpu            # about 6 minutes on two quiet cores, with the peers installed
#     benchmarks/results_session.sh FOLDER cuda           # about 4 minutes on an H200; needs no network
#     benchmarks/results_session.sh FOLDER cpu trees labels          # only these steps
# Writes FOLDER/results.md (tables with command lines and checksums), FOLDER/STEP.txt (all that a step printed) and
# FOLDER/log.txt (seconds and exit status of every step). N=2000 makes all sets that small, to try the script.
# DATA is a folder of road networks (benchmarks/README.md, Graphs).
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
device=$2
wanted=" ${*:3} "
python=${PYTHON:-python3}
small=(${N:+--n "$N"})
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

step() {  # STEP TITLE COMMAND...: a section of the results
    local name=$1 title=$2 begin=$SECONDS code
    [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
    timeout 240 $python benchmarks "${@:3}" --device "$device" --title "$title" --markdown "$out/results.md" \
        >>"$out/$name.txt" 2>&1
    code=$?
    echo "$name ($title): $((SECONDS - begin)) s, exit status $code" | tee -a "$out/log.txt"
}

points() { step "$@" "${small[@]}"; }

forests() {  # SET...: with the peers on a CPU, and all types of weights on a GPU
    local sets=(--sets "$@") data=(${DATA:+--data "$DATA"})
    [ -n "${N:-}" ] && sets=(--quick)
    if [ "$device" = cpu ]; then
        step forests Forests forests --runs 7 --peers --peer-runs 1 --scratch "$scratch" "${sets[@]}" "${data[@]}"
    else
        step forests Forests forests --runs 9 --weights int32 float64 --scratch "$scratch" "${sets[@]}" "${data[@]}"
    fi
}

cpu() {
    points trees Trees trees --peers quitefastmst --stages --k 1 6
    points small "Small sets" trees --peers quitefastmst --no-memory --k 1 6 --runs 15 \
        --sets cpu-{uniform2,blobs3}:{1000,10000,100000}
    points uneven "Uneven data" trees --peers quitefastmst --stages \
        --sets cpu-tracks3 cpu-altitudes3 cpu-lognormal2 cpu-pathways27
    points k "Every k" trees --peers quitefastmst --no-memory --runs 3 --stages --k 16 51 101 201 --sets cpu-uniform2:500000
    points labels Labels labels --stages --no-memory
    points peers "Labels beside other libraries" labels --no-memory --peers --peer-runs 1 \
        --sets cpu-blobs3 cpu-blobs10 cpu-blobs2:20000
    points norms "Lp norms" labels --metric manhattan --no-memory --peers hdbscan --sets cpu-blobs3:50000
    points dimensions "Many dimensions" dimensions --no-memory --runs 3 --peers --peer-runs 1 \
        --sets blobs384:5000 embeddings768:5000
    points predictions Predictions predictions --sets cpu-tracks3 --queries 100000
    forests USA-road-d.NY grid1024
    for form in list coo one-way; do
        step forms "Forests of edges in other forms" forests --form $form --sets "er:${N:-1000000}:6" \
            --weights float32 --runs 7 --peers --peer-runs 3 --scratch "$scratch"
    done
    step first "The first call" first-call --cases 1 6 --runs 1
}

cuda() {
    if [ -z "${N:-}" ]; then  # on other cores, while the points are measured
        $python benchmarks/graph_sets.py --scratch "$scratch" --workers 4 rmat22 gnm22 gnm1M grid1024 &
    fi
    points trees Trees trees --stages --runs 7 --sets uniform3 halo3 visualvar3 uniform2 visualvar2 normal3
    points small "Small sets" trees --no-memory --k 1 5 --runs 31 --sets uniform2:{1000,4000,8192,8193,10240,10241}
    points uneven "Uneven data" trees --stages --runs 7 --sets tracks3 altitudes3 lognormal2 pathways27
    points k "Every k" trees --stages --runs 7 --k 16 51 101 201 501 --sets uniform2:1000000
    [ -n "${N:-}" ] || step billion "A billion points" trees --runs 3 --sets uniform:1000000000
    points labels Labels labels --stages --runs 15 --k 2 5 16 --sets halob3
    points labels "Labels beside recorded times" labels --stages --runs 15 --k 6 \
        --sets uniform5 blobs3:{10000,100000,1000000}
    points norms "Lp norms" labels --metric manhattan --runs 7 --sets blobs3:1000000
    points dimensions "Many dimensions" dimensions --runs 7 --sets blobs50:100000 blobs384:50000 intrinsic384 noise1536
    points predictions Predictions predictions --sets tracks3:1000000 --queries 1000000
    wait
    forests grid1024 rmat22 gnm22 gnm1M
    if [ -n "${N:-}" ]; then
        step icpp22 "The ICPP'22 paper" icpp22 --figure 1 7 8 9 --runs 3 --quick
    else
        step icpp22 "The ICPP'22 paper" icpp22 --figure 1 7 8 9 --runs 3 --sample-sets uniform3 --k-sets uniform3
    fi
}

echo "$device, $(git rev-parse --short HEAD 2>/dev/null || echo "no git"), load $(cut -d' ' -f1-3 /proc/loadavg)" \
    | tee -a "$out/log.txt"
"$device"
echo "load $(cut -d' ' -f1-3 /proc/loadavg)" | tee -a "$out/log.txt"
