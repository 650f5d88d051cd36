#!/bin/sh
# SPDX-License-Identifier: MIT
# How many runs it takes to find each schedule-dependent scenario, by PCT (d = 2) and by random, as a table. Usage:
# seeds.sh BUILD_DIR [RUNS]
# With RUNS seeds of which F fail, the median of the runs to the first failure is ln 2 / -ln(1 - F / RUNS).
set -eu
vtegra=$1/bin/vtegra
runs=${2:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios=$1/share/vtegra/scenarios

echo "| scenario | pct, d = 2 | random | failing of $runs, pct | random |"
echo "|---|---|---|---|---|"
for conf in "$scenarios"/*/scenario.conf; do
    grep -q '^group = schedule-dependent' "$conf" || continue
    dir=${conf%/*}
    name=${dir##*/}
    soc=$(sed -n 's/^soc = //p' "$conf")
    fail_on=error
    grep -q '^fail = result' "$conf" && fail_on=never
    "$vtegra" cc --track -g -O1 "$dir/$name.cu" -o "$work/$name"
    for strategy in pct random; do
        "$vtegra" explore --soc "${soc:-orin}" --runs "$runs" --strategy $strategy --depth 2 --fail-on $fail_on \
            --out "$work/$strategy.jsonl" -- "$work/$name" >/dev/null 2>&1 || true
        grep -c '"result":"fail"' "$work/$strategy.jsonl" >"$work/$strategy.failed" || true
        rm -f "$work/$strategy.jsonl"
    done
    awk -v p="$name" -v n="$runs" -v a="$(cat "$work/pct.failed")" -v b="$(cat "$work/random.failed")" '
        function median(f) { return f == 0 ? "> " n : f >= n / 2 ? "1" : sprintf("%.1f", -log(2) / log(1 - f / n)) }
        BEGIN { printf "| %s | %s | %s | %d | %d |\n", p, median(a), median(b), a, b }'
done
