#!/bin/sh
# SPDX-License-Identifier: MIT
# What a run of an exploration costs, beside a bare fork + exit + wait of the same loaded process; and how many runs
# it takes to find each bug, by PCT (d = 2) and by random. Usage: explore.sh BUILD_DIR [RUNS]
# With RUNS seeds of which F fail, the median of the runs to the first failure is ln 2 / -ln(1 - F / RUNS).
set -eu
build=$(cd "$1" && pwd)
runs=${2:-400}
vtegra=$build/bin/vtegra
source=$(cd "$(dirname "$0")/../tests/explore" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cc -g -O1 "$source/threads.c" -o threads -lpthread
for program in lost_update streams callback; do
    "$vtegra" cc --track -g "$source/$program.cu" -o $program
    "$vtegra" cc --track -g -DFIXED "$source/$program.cu" -o ${program}_fixed
done

seconds() {
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1 || true
    echo $(($(date +%s%N) - begin))
}

# Both explorations start the program once; what that takes is measured with one run and taken off.
echo "cost of a run, one process at a time"
printf '%-22s %12s %12s %8s\n' program "bare, us" "run, us" ratio
for program in "threads abba" "lost_update_fixed" "streams_fixed"; do
    # shellcheck disable=SC2086
    one=$(seconds "$vtegra" explore -j 1 --length 100 --runs 1 --bare -- ./$program)
    # shellcheck disable=SC2086
    bare=$(seconds "$vtegra" explore -j 1 --length 100 --runs $((runs + 1)) --bare -- ./$program)
    # shellcheck disable=SC2086
    real=$(seconds "$vtegra" explore -j 1 --length 100 --runs $((runs + 1)) -- ./$program)
    awk -v p="$program" -v n=$runs -v o="$one" -v b="$bare" -v r="$real" 'BEGIN {
        b = (b - o) / n / 1000; r = (r - o) / n / 1000
        printf "%-22s %12.0f %12.0f %8.1f\n", p, b, r, r / b }'
done

echo
echo "median of the runs to the first failure ($runs seeds)"
printf '%-22s %10s %10s\n' program "pct, d=2" random
for program in "threads abba" "threads lost_wakeup" lost_update streams callback; do
    for strategy in pct random; do
        # shellcheck disable=SC2086
        "$vtegra" explore --runs $runs --strategy $strategy --depth 2 --fail-on never --out $strategy.jsonl \
            -- ./$program >/dev/null 2>&1 || true
        grep -c '"result":"fail"' $strategy.jsonl >$strategy.failed || true
        rm $strategy.jsonl
    done
    awk -v p="$program" -v n=$runs -v a="$(cat pct.failed)" -v b="$(cat random.failed)" '
        function median(f) { return f == 0 ? "> " n : f == n ? "1" : sprintf("%.1f", -log(2) / log(1 - f / n)) }
        BEGIN { printf "%-22s %10s %10s\n", p, median(a), median(b) }'
done
