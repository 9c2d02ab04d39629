pip install -q --no-index --no-deps --target /tmp/site .whl/*.whl 2>/dev/null; export PYTHONPATH=/tmp/site
git rev-parse >/dev/null 2>&1 || (git init -q . && git add -A && git -c user.name=x -c user.email=x@x commit -qm x) >/dev/null 2>&1
ign=$(for f in tests/io/test_edge_lists.py tests/graph/test_edge_lists.py; do [ -f $f ] && echo --ignore=$f; done)
(time timeout 330 python3 -m pytest -q -m gpu -n 28 -p no:cacheprovider $ign tests) > $OUT/gpu-tests.txt 2>&1
grep -v Benchmark $OUT/gpu-tests.txt | tail -12 | cut -c1-200
pred() { (cd $1; if [ -f benchmarks/prediction.py ]; then c="benchmarks/prediction.py --set $3"; else c="benchmarks predictions --sets $3"; fi; CUDA_VISIBLE_DEVICES=0 timeout 60 python3 $c --device $2 --n $4 --queries $5 --runs $6 2>&1 | grep "^|" | tail -1); }
for spec in "cuda tracks3 4000000 1000000 15" "cuda blobs3 1000000 1000000 15" "cuda blobs384 50000 10000 7"; do for t in .before . .before .; do echo "$t $spec $(pred $t $spec)"; done; done > $OUT/pred.txt 2>&1
for spec in "cpu cpu-tracks3 1000000 100000 9" "cpu cpu-blobs3 1000000 100000 9"; do for t in .before . .before .; do echo "$t $spec $(NUMBA_NUM_THREADS=2 taskset -c 0,1 bash -c "$(declare -f pred); pred $t $spec")"; done; done >> $OUT/pred.txt 2>&1
cut -c1-170 $OUT/pred.txt
CUDA_VISIBLE_DEVICES=0 timeout 100 python3 benchmarks/paired.py .before --device cuda --sets uniform3:10000000 blobs3:2000000 halob3:3000000 --k 1 5 --runs 9 > $OUT/paired.txt 2>&1; tail -12 $OUT/paired.txt | cut -c1-160
