#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc_reads_its_own.sh NVCC INCLUDE SOURCES...: with our folder first on nvcc's path, programs still build with NVIDIA's
# headers: a build file that has both needs no change.
set -e
nvcc=$1 include=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for source in "$@"; do
    "$nvcc" -std=c++17 -arch=sm_87 -rdc=true -I"$include" -c "$source" -o "$dir/o.o"
    "$nvcc" -std=c++17 -arch=sm_87 -I"$include" -M "$source" 2>/dev/null | tr ' ' '\n' | grep "^$include/vtegra/" && {
        echo "$source: reads our parts"
        exit 1
    }
done
printf '#include <cuda.h>\n#include <cuda_runtime.h>\nint main() { return cuInit(0) + cudaFree(0); }\n' >"$dir/plain.cpp"
"$nvcc" -I"$include" -c "$dir/plain.cpp" -o "$dir/o.o"
