#!/bin/sh
# SPDX-License-Identifier: MIT
# What does looking for races between the threads of a kernel cost? bench/races.sh [BUILD [BASE [KERNEL...]]]: processor time
# of each kernel of gpu.cu with --races off and on, Orin, no other check; medians of 7 runs each (RUNS), which take turns on
# one core; resident memory of both. BASE: a build without the detector, or -; with valgrind or perf also the instructions of
# --races off against BASE. Then long runs with --races auto, which has a budget: TIMES launches (20) of each kernel. Exit
# status 1 unless the geometric mean is at most 2, the worst 4, auto 1.3 beside its start, and BASE's instructions 0.5 %.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd) || exit 2
base=${2:--}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
[ "$base" = - ] || base=$(cd "$base" && pwd) || exit 2
runs=${RUNS:-7}
[ $# -gt 0 ] || set -- copy stencil reduction histogram tiled16 tiled32 nbody transpose
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
. "$here/gpu_lib.sh"
gpu_program "$build" "$work/gpu" || exit 2

# once RACES KERNEL: milliseconds, kilobytes of resident memory
once() {
    /usr/bin/env time -f %M -o "$work/rss" taskset -c "$core" \
        "$build/bin/vtegra" run -q --soc orin --check off --races "$1" -- "$work/gpu" "$2" >"$work/ms" || return
    echo "$(cat "$work/ms") $(tail -n 1 "$work/rss")"
}

# instructions COMMAND...: how many it takes; empty if neither perf nor valgrind counts them here
instructions() {
    perf stat -x, -e instructions:u -o "$work/perf" -- "$@" >/dev/null 2>&1
    n=$(sed -n 's/^\([0-9][0-9]*\),.*instructions.*/\1/p' "$work/perf" 2>/dev/null)
    [ -n "$n" ] || n=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --trace-children=yes "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : *//p' | sort -n | tail -n 1)
    echo "$n"
}

echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), medians of $runs, ms"
printf '%-12s %10s %10s %6s %10s %10s\n' kernel off on ratio 'off MiB' 'on MiB'
for kernel in "$@"; do
    rm -f "$work/off" "$work/on"
    i=0
    while [ $i -lt "$runs" ]; do
        for races in off on; do
            once $races "$kernel" >>"$work/$races" || exit 2
        done
        i=$((i + 1))
    done
    for races in off on; do
        sort -n "$work/$races" | awk '{ ms[NR] = $1; kb[NR] = $2 } END { m = int((NR + 1) / 2); print ms[m], kb[m] / 1024 }'
    done | awk -v k="$kernel" '{ m[NR] = $1; kb[NR] = $2 }
        END { printf "%-12s %10.1f %10.1f %6.2f %10.0f %10.0f\n", k, m[1], m[2], m[2] / m[1], kb[1], kb[2] }' | tee -a "$work/rows"
done
awk '{ sum += log($4); worst = $4 > worst ? $4 : worst }
    END { mean = exp(sum / NR); printf "geometric mean %.2f (goal 2), worst %.2f (goal 4)\n", mean, worst
          exit mean > 2 || worst > 4 }' "$work/rows" || status=1
# long RACES KERNEL: milliseconds of all launches
long() {
    taskset -c "$core" "$build/bin/vtegra" run -q --soc orin --races "$1" -- "$work/gpu" "$2" "${TIMES:-20}"
}

start=400 # ms: what checks may cost at the beginning (model/igpu/race/budget.c)
for kernel in "$@"; do
    rm -f "$work/off" "$work/auto"
    for i in 1 2 3; do
        for races in off auto; do
            long $races "$kernel" >>"$work/$races" || exit 2
        done
    done
    echo "$(spread "$work/off") $(spread "$work/auto")" | awk -v k="$kernel" -v s="$start" '{
        printf "%-12s long run: off %.0f ms, auto %.0f ms, ratio %.2f (goal 1.3 beside a start of %d ms)\n", k, $1, $4, $4 / $1, s
        exit $4 > 1.3 * $1 + s }' || status=1
done
if [ "$base" != - ]; then
    for kernel in "$@"; do
        new=$(instructions "$build/bin/vtegra" run -q --soc orin --check off --races off -- "$work/gpu" "$kernel")
        old=$(instructions "$base/bin/vtegra" run -q --soc orin --check off -- "$work/gpu" "$kernel")
        [ -n "$new" ] && [ -n "$old" ] || { echo "instructions: neither valgrind nor perf counts them here"; break; }
        awk -v k="$kernel" -v n="$new" -v o="$old" \
            'BEGIN { printf "%-12s off against base: %+.2f %% instructions (goal 0.5)\n", k, (n / o - 1) * 100; exit n > o * 1.005 }' || status=1
    done
fi
exit $status
