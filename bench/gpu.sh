#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a build's GPU faster? bench/gpu.sh BASE_BUILD BUILD [KERNEL...]: processor time of each kernel of gpu.cu with both, Orin,
# the model of the L2 on, no trace; no checks, or CHECK=on. Processes of the two take turns, on one core; each prints the least of
# up to 20 runs, and of 3 (RUNS) such the least counts: other work on the machine only adds to it. Then each kernel once for its
# result and its whole JSON report, byte for byte. Exit status 1 if these differ.
set -u
[ $# -ge 2 ] || { sed -n '3s/^# //p' "$0" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
base=$(cd "$1" && pwd) || exit 2
new=$(cd "$2" && pwd) || exit 2
shift 2
runs=${RUNS:-3}
check=${CHECK:-off}
[ $# -gt 0 ] || set -- copy saxpy reduction histogram transpose matmul nbody memcpy_pinned load_strided load_random load_near \
    load_near16 load_near8 store_strided store_random store_near store_near8 atomic_one atomic_old atomic_random \
    atomic_shared launch launch_wait memcpy_16m tiled16 tiled32 scan stencil5 wmma_f16 wmma_s8 mma_tf32
export VTEGRA_RACES=off # what looking for races inside kernels costs is races.sh's matter
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
. "$here/gpu_lib.sh"
gpu_program "$base" "$work/gpu" || exit 2

# once BUILD KERNEL: milliseconds
once() {
    taskset -c "$core" "$1/bin/vtegra" run -q --soc orin --check "$check" -- "$work/gpu" "$2" least
}

# whole BUILD KERNEL OUT
whole() {
    "$1/bin/vtegra" run -q --soc orin --check "$check" --json "$3.json" -- "$work/gpu" "$2" sum | tail -n 1 >"$3.sum"
}

echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), the least of $runs, ms (to the most)"
printf '%-14s %26s %26s %6s\n' kernel base build ratio
for kernel in "$@"; do
    rm -f "$work/base" "$work/new"
    i=0
    while [ $i -lt "$runs" ]; do
        once "$base" "$kernel" >>"$work/base" && once "$new" "$kernel" >>"$work/new" || exit 2
        i=$((i + 1))
    done
    spread "$work/base" >"$work/row"
    spread "$work/new" >>"$work/row"
    awk -v k="$kernel" '{ m[NR] = $2; t[NR] = sprintf("%.1f (to %.1f)", $2, $3) }
        END { printf "%-14s %26s %26s %6.2f\n", k, t[1], t[2], m[1] / m[2] }' "$work/row"
    whole "$base" "$kernel" "$work/a"
    whole "$new" "$kernel" "$work/b"
    for what in sum json; do
        cmp -s "$work/a.$what" "$work/b.$what" || { echo "    DIFFERS: $what" && status=1; }
    done
done
exit $status
