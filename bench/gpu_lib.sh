# SPDX-License-Identifier: MIT
# What gpu.sh and check.sh have in common.
core=$(($(nproc) - 1)) # runs of all builds, one after the other

# gpu_program BUILD OUT: gpu.cu by the usual compiler; clang calls a function for sqrtf
gpu_program() {
    nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
    if [ -n "$nvcc" ]; then
        "$nvcc" -O2 -arch=sm_87 -cudart shared "$here/gpu.cu" -o "$2"
    else
        "$1/bin/vtegra" cc -O2 "$here/gpu.cu" -o "$2"
    fi
}

# spread FILE: median, least, most of a column of numbers
spread() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)], v[1], v[NR] }'
}
