#!/bin/sh
# SPDX-License-Identifier: MIT
# Every figure in one run: bench/run.sh [BUILD_DIR] (build/release). Each line says what it should be at most; a machine
# with other work on it gives other times, so compare ratios. Exit status 1 if a figure is beyond its limit.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
build=$(cd "${1:-$root/build/release}" && pwd) || exit 2
vtegra=$build/bin/vtegra
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
uptime=$(cut -d' ' -f1 /proc/loadavg)
echo "$(uname -m), $(nproc) cores, load $uptime, $(sed -n 's/^model name[^:]*: //p;T;q' /proc/cpuinfo)"

# --- 256^3 floats, model of the L2 on, no trace
gcc -O2 -I"$root" -c "$here/loop.c" -o "$work/loop.o" || exit 2
"$vtegra" cc -O2 -I"$here" "$here/matmul.cu" "$work/loop.o" -o "$work/matmul" || exit 2
"$vtegra" run -q --soc orin -- "$work/matmul" 256 >"$work/matmul.txt" || status=1
sed 's/$/ (at most 8 and 3)/' "$work/matmul.txt"
awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^x;?$/) { r[++n] = $(i - 1) } }
     END { exit !(n == 2 && r[1] <= 8 && r[2] <= 3) }' "$work/matmul.txt" || status=1

# --- single calls, no limits
"$vtegra" cc -O2 "$here/calls.cu" -o "$work/calls" || exit 2
"$vtegra" run -q --soc orin --check off -- "$work/calls" || status=1
echo "with checks, the default:"
"$vtegra" run -q --soc orin --check on -- "$work/calls" || status=1

# --- graphs: 20 nodes against 20 launches
"$vtegra" cc -O2 "$here/graph.cu" -o "$work/graph" || exit 2
"$vtegra" run -q --soc orin --check off -- "$work/graph" || status=1

# --- NVIDIA's libraries of mathematics
if [ -e "$build/lib/libcublas.so.13" ]; then
    "$vtegra" cc -O2 "$here/library.cu" -lcublas -lcufft -lcurand -o "$work/library" || exit 2
    "$vtegra" run -q --soc orin --check off -- "$work/library" || status=1
fi

# --- EGL: frames through a stream, an image there and back
if [ -e "$build/lib/libEGL_vtegra.so.0" ]; then
    "$vtegra" cc -O2 "$here/egl.cu" -lEGL -lGLESv2 -o "$work/egl" || exit 2
    "$vtegra" run -q --soc orin --check off -- "$work/egl" || status=1
fi

# --- memory
"$vtegra" cc -O2 "$here/memory.cu" -o "$work/memory" || exit 2
for soc in tx2 orin; do
    printf '%s: ' $soc
    "$vtegra" run -q --soc $soc -- "$work/memory" 256 || status=1
done

# --- PTX: the test files, and what a compiler makes of the benchmarks and scenarios
set -- "$root"/tests/ptx/*.ptx
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
for cu in "$here/matmul.cu" "$root"/tests/ptx/*.cu "$root"/scenarios/*/*.cu; do
    ptx=$work/$(basename "$cu" .cu).ptx
    [ -n "$nvcc" ] && "$nvcc" -arch=compute_87 -I"$here" -ptx "$cu" -o "$ptx" >/dev/null 2>&1 && set -- "$@" "$ptx"
done
"$build/bin/bench_parse" "$@" || status=1

# --- DLA: a network of ResNet-50's shape; bench_dla NET prints every layer
python3 "$here/resnet50.py" >"$work/resnet50.json" || exit 2
"$vtegra" dla build "$work/resnet50.json" -o "$work/resnet50.loadable" || exit 2
"$build/bin/bench_dla" "$work/resnet50.loadable" 60 >"$work/dla.txt" || status=1
grep -E 'loop|whole' "$work/dla.txt"

# --- NvSci
"$vtegra" run -q --soc orin -- "$build/bin/bench_fence" || status=1
[ ! -e "$build/bin/vtegra-board" ] || "$vtegra" run -q --shared --soc orin -- "$build/bin/bench_fence_two" || status=1
"$vtegra" run -q --soc orin -- "$build/bin/bench_fence_generations" || status=1

# --- start
"$build/bin/bench_start" "$vtegra" 20 || status=1
exit $status
