#!/bin/sh
# SPDX-License-Identifier: MIT
# What README says of CMake and OpenMP with `vtegra cc`. usage: build_systems.sh BUILD_FOLDER OWN_FOLDER
vtegra=$1/bin/vtegra
failed=0
rm -rf "$2/build systems" && mkdir -p "$2/build systems" && cd "$2/build systems" || exit 1

fail()
{
    echo "FAILED: $*"
    cat log
    failed=1
}

cat >square.cu <<'CODE'
#include <cuda_runtime.h>

__global__ void square_all(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        v[i] *= v[i];
    }
}

int square(float *v, int n)
{
    float *device;

    if (cudaMalloc(&device, n * sizeof(float)) != cudaSuccess) {
        return 1;
    }
    cudaMemcpy(device, v, n * sizeof(float), cudaMemcpyHostToDevice);
    square_all<<<(n + 63) / 64, 64>>>(device, n);
    cudaMemcpy(v, device, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return cudaGetLastError();
}
CODE
cat >main.cpp <<'CODE'
#include <cstdio>

int square(float *v, int n);

int main()
{
    static float v[4][100];
    int wrong = 0;

#pragma omp parallel for num_threads(4) reduction(+ : wrong)
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 100; i++) {
            v[t][i] = i + t;
        }
        wrong += square(v[t], 100);
        for (int i = 0; i < 100; i++) {
            wrong += v[t][i] != float(i + t) * (i + t);
        }
    }
#ifdef _OPENMP
    printf("openmp, ");
#endif
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
CODE
cat >CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
add_executable(app main.cpp square.cu)
set_source_files_properties(square.cu PROPERTIES LANGUAGE CXX)
enable_testing()
add_test(NAME app COMMAND app)
CODE

CXX="$vtegra cc" cmake -S . -B cmake >log 2>&1 && cmake --build cmake >>log 2>&1 || fail "CMake"
"$vtegra" run -q --soc tx2 -- cmake/app >log 2>&1 || fail "the program that CMake built"
grep -qx "0 wrong" log || fail "its answer"

# A whole test suite: each program has the board, and its report.
(cd cmake && "$vtegra" run --soc tx2 -- ctest -V) >log 2>&1 && grep -q "board  *tx2" log || fail "vtegra run -- ctest"
printf 'test: cmake/app\n\t./cmake/app\n' >Makefile
"$vtegra" run --soc tx2 -- make test >log 2>&1 && grep -q "board  *tx2" log || fail "vtegra run -- make test"

# Device code by nvcc, the rest with hooks, linked as CMake and the Makefiles of NVIDIA's samples do.
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
# Hooks and sanitizers do not share a program.
if [ -n "$nvcc" ] && ! nm -D "$vtegra" | grep -q __asan_init; then
    libraries=$("$nvcc" --dryrun -c square.cu 2>&1 | sed -n 's/^#\$ LIBRARIES= *//p' | tr -d '"')
    # shellcheck disable=SC2086 # a list of -L
    "$nvcc" -ccbin g++ -c square.cu -o square_nvcc.o >log 2>&1 && "$vtegra" cc --track -c main.cpp -o main_track.o >>log 2>&1 &&
        "$vtegra" cc --track main_track.o square_nvcc.o $libraries -lcudadevrt -lcudart_static -lrt -ldl -o mix >>log 2>&1 ||
        fail "nvcc and vtegra cc --track"
    "$vtegra" run --soc xavier -- ./mix >log 2>&1 && grep -qx "0 wrong" log || fail "their program"
    grep -q "exact for code with compiler hooks" log || fail "its hooks" # nvcc's host code has none
fi

if command -v g++ >/dev/null; then
    g++ -fopenmp -c main.cpp >log 2>&1 && "$vtegra" cc -c square.cu -o square.o >>log 2>&1 &&
        "$vtegra" cc main.o square.o -lgomp -o openmp >>log 2>&1 || fail "OpenMP by objects"
    for policy in lazy "seeded --seed 4"; do
        # shellcheck disable=SC2086
        "$vtegra" run -q --soc tx2 --policy $policy -- ./openmp >log 2>&1 || fail "OpenMP, $policy"
        grep -qx "openmp, 0 wrong" log || fail "OpenMP's answer, $policy"
    done
fi
exit $failed
