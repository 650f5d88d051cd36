#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cudart_nodriver.sh NVCC LIB WORK TESTS GOLDEN: where there is no libcuda.so.1, the runtime answers as NVIDIA's does.
set -e
nvcc=$1 lib=$2 work=$3 tests=$4 golden=$5
mkdir -p "$work"
rm -f "$work"/libcudart*
cp -a "$lib"/libcudart* "$work" # the folder of the build has vtegra's driver, too
"$nvcc" -dc -arch=sm_87 -diag-suppress 1444 -Xcompiler -Wno-deprecated-declarations "$tests"/api/cudart_codes*.cu -odir "$work" \
    >"$work/nvcc.txt" 2>&1 || {
    cat "$work/nvcc.txt"
    exit 1
}
for kind in shared static; do
    "$nvcc" -arch=sm_87 "$work"/cudart_codes*.o -cudart $kind -L"$work" -o "$work/codes_$kind" >"$work/nvcc.txt" 2>&1 || {
        cat "$work/nvcc.txt"
        exit 1
    }
    LD_LIBRARY_PATH=$work "$work/codes_$kind" >"$work/$kind.txt"
    diff "$golden/cudart_codes_nodriver.txt" "$work/$kind.txt"
done
