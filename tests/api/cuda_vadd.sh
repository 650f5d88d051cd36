#!/bin/sh
# SPDX-License-Identifier: MIT
# cuda_vadd on what nvcc writes: PTX, fat binaries in every compression, several targets, -rdc. Usage: cuda_vadd.sh
# PROGRAM SOURCES [NVCC]; without nvcc there is nothing to do.
program=$1 sources=$2 nvcc=$3
[ -n "$nvcc" ] || exit 0
unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
PATH=$(dirname "$nvcc"):$PATH

# try NAME IMAGE...
try() {
    name=$1
    shift
    if ! "$program" "$@" >"$dir/log" 2>&1; then
        echo "$name:"
        cat "$dir/log"
        exit 1
    fi
}

# build OUTPUT FLAGS...
build() {
    output=$dir/$1
    shift
    "$nvcc" "$@" -o "$output" || exit 1
}

build ptx -ptx -arch=compute_75 "$sources/vadd_kernel.cu"
try "PTX file" "$dir/ptx"
for mode in none speed balance size; do
    build fatbin -fatbin -arch=sm_75 --compress-mode=$mode "$sources/vadd_kernel.cu"
    try "fat binary, --compress-mode=$mode" "$dir/fatbin"
done
build several -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_87,code=compute_87 \
    -gencode arch=compute_87,code=sm_87 "$sources/vadd_kernel.cu"
try "fat binary of several targets" "$dir/several"
build half1 -fatbin -rdc=true -DSEPARATE -arch=sm_75 "$sources/vadd_kernel.cu"
build half2 -fatbin -rdc=true -arch=sm_75 "$sources/vadd_scale.cu"
try "two relocatable fat binaries, linked" "$dir/half1" "$dir/half2"
try "two relocatable fat binaries in a wrapper" -rdc "$dir/half1" "$dir/half2"

build machine -fatbin -gencode arch=compute_87,code=sm_87 "$sources/vadd_kernel.cu"
if "$program" "$dir/machine" >"$dir/log" 2>&1; then
    echo "machine code alone was accepted"
    exit 1
fi
grep -q CUDA_ERROR_NO_BINARY_FOR_GPU "$dir/log" && grep -q 'arch=compute_\([0-9]*\),code=compute_\1' "$dir/log" && exit 0
echo "machine code alone: no CUDA_ERROR_NO_BINARY_FOR_GPU, or no word on how to mend it"
cat "$dir/log"
exit 1
