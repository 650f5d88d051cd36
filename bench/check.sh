#!/bin/sh
# SPDX-License-Identifier: MIT
# What does looking for races and stale bytes cost? bench/check.sh [BUILD [KERNEL...]]: processor time of each kernel of gpu.cu
# without and with --check on, Orin; medians of 7 runs each (RUNS), which take turns on one core. Exit status 1 if a kernel takes
# more than twice as long with it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build/release}" && pwd) || exit 2
[ $# -gt 0 ] && shift
runs=${RUNS:-7}
[ $# -gt 0 ] || set -- copy saxpy reduction histogram transpose matmul nbody memcpy_pinned
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
. "$here/gpu_lib.sh"
gpu_program "$build" "$work/gpu" || exit 2

echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), medians of $runs, ms"
printf '%-14s %10s %10s %6s\n' kernel off on ratio
for kernel in "$@"; do
    rm -f "$work/off" "$work/on"
    i=0
    while [ $i -lt "$runs" ]; do
        for check in off on; do
            taskset -c "$core" "$build/bin/vtegra" run -q --soc orin --check $check -- "$work/gpu" "$kernel" >>"$work/$check" || exit 2
        done
        i=$((i + 1))
    done
    { spread "$work/off" && spread "$work/on"; } |
        awk -v k="$kernel" '{ m[NR] = $1 }
            END { printf "%-14s %10.1f %10.1f %6.2f\n", k, m[1], m[2], m[2] / m[1]; exit m[2] > 2 * m[1] }' || status=1
done
exit $status
