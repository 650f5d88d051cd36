#!/bin/sh
# SPDX-License-Identifier: MIT
# Projects of users: in C against cuda.h by find_package() and by pkg-config; with CUDA as a language compiled by `vtegra cc`; the same by nvcc.
# Usage: package.sh PREFIX_OR_BUILD_FOLDER OWN_FOLDER [nvcc]      nvcc: only the project with nvcc
prefix=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
own=$(mkdir -p "$2" && cd "$2" && pwd)
failed=0
rm -rf "$2/a project${3:-}" && mkdir -p "$2/a project${3:-}" && cd "$2/a project${3:-}" || exit 1

fail() {
    echo "FAILED: $*"
    cat log
    failed=1
}

c_project() {
    cat >app.c <<'CODE'
#include <cuda.h>
#include <stdio.h>

int main(void)
{
    char name[64] = "";
    CUdevice device;

    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDeviceGetName(name, sizeof(name), device)) {
        return 1;
    }
    printf("on %s\n", name);
    return 0;
}
CODE
    cat >CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C)
find_package(vtegra 0.1 REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE vtegra::cuda)
enable_testing()
add_test(NAME app COMMAND ${VTEGRA_EXECUTABLE} run -q --soc tx2 -- $<TARGET_FILE:app>)
CODE
    cmake -B build -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 || fail "cmake does not find the package"
    cmake --build build >log 2>&1 || fail "the project does not build"
    ctest --test-dir build -V >log 2>&1 || fail "the program does not run"
    grep -q "on NVIDIA Tegra X2" log || fail "not the TX2's name"

    sed -i 's/vtegra 0.1 /vtegra 99 /' CMakeLists.txt
    cmake -B other -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 && fail "version 99 was found"

    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # a list of flags
    cc app.c -o by_pkg_config $(pkg-config --cflags --libs vtegra) >log 2>&1 || fail "pkg-config's flags do not build it"
    "$prefix/bin/vtegra" run -q --soc orin -- ./by_pkg_config >log 2>&1 || fail "the program of pkg-config does not run"
    grep -q "on Orin" log || fail "not Orin's name"
}

cuda_project() {
    mkdir language && cd language || exit 1
    cat >app.cu <<'CODE'
#include <cstdio>

__global__ void add(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        v[i] += i;
    }
}

int main()
{
    int *v, wrong = 0;

    if (cudaMallocManaged(&v, 1000 * sizeof(int)) != cudaSuccess) {
        return 2;
    }
    for (int i = 0; i < 1000; i++) {
        v[i] = 1;
    }
    add<<<(1000 + 63) / 64, 64>>>(v, 1000);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        return 3;
    }
    for (int i = 0; i < 1000; i++) {
        wrong += v[i] != 1 + i;
    }
    printf("%d wrong\n", wrong);
    cudaFree(v);
    return wrong != 0;
}
CODE
    cat >CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX)
enable_language(CUDA)
find_package(vtegra REQUIRED)
add_executable(app app.cu)
target_compile_features(app PRIVATE cuda_std_17)
enable_testing()
add_test(NAME app COMMAND ${VTEGRA_EXECUTABLE} run -q --soc tx2 -- $<TARGET_FILE:app>)
CODE
}

# CUDA as a language, by the toolchain file.
with_vtegra_cc() {
    # An nvcc in PATH must not get in the way; CMake would ask it where the SDK is.
    cmake -B clang -DCMAKE_TOOLCHAIN_FILE="$prefix/lib/cmake/vtegra/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES="62;87" >log 2>&1 ||
        fail "enable_language(CUDA) with the toolchain file"
    cmake --build clang >log 2>&1 || fail "vtegra cc does not build the CUDA project"
    ctest --test-dir clang -V >log 2>&1 && grep -q " 0 wrong" log || fail "the program of vtegra cc"
}

# CUDA_SEPARABLE_COMPILATION: device code of two files, one of them in a library. Not in a folder with a blank in its name:
# CMake's makefiles do not quote the words of a device link.
with_separable() {
    cd "$own" || exit 1
    rm -rf separable && mkdir -p separable
    cp "$tests"/e2e/separate_main.cu "$tests"/e2e/separate_part.cu "$tests"/e2e/separate.h separable/
    cat >separable/CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.18)
project(separable LANGUAGES CXX CUDA)
add_library(part STATIC separate_part.cu)
add_executable(app separate_main.cu)
target_link_libraries(app part)
set_target_properties(part app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
CODE
    for generator in Ninja "Unix Makefiles"; do
        rm -rf separable/build
        cmake -G "$generator" -S separable -B separable/build -DCMAKE_TOOLCHAIN_FILE="$prefix/lib/cmake/vtegra/toolchain.cmake" \
            -DCMAKE_CUDA_ARCHITECTURES="62;87" >log 2>&1 || fail "$generator: CUDA_SEPARABLE_COMPILATION is not configured"
        cmake --build separable/build >log 2>&1 || fail "$generator: CUDA_SEPARABLE_COMPILATION does not link"
        "$prefix/bin/vtegra" run -q -- separable/build/app >log 2>&1
        grep -q "cudaSuccess 36928, then 521" log || fail "$generator: the program of two files with device code"
    done
}

# NVIDIA's shared runtime is displaced by ours.
with_nvcc() {
    nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
    if [ -z "$nvcc" ]; then
        echo "skipped: there is no nvcc, in PATH or in /usr/local/cuda/bin"
        exit 77
    fi
    CUDACXX=$nvcc cmake -B nvcc -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_ARCHITECTURES=75-virtual -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared \
        >log 2>&1 || fail "enable_language(CUDA) with nvcc"
    cmake --build nvcc >log 2>&1 || fail "nvcc does not build the CUDA project"
    sed -i 's/tx2/orin/' nvcc/CTestTestfile.cmake # nothing older loads compute_75
    ctest --test-dir nvcc -V >log 2>&1 && grep -q " 0 wrong" log || fail "the program of nvcc"
}

if [ "${3:-}" = nvcc ]; then
    cuda_project
    with_nvcc
else
    c_project
    cuda_project
    with_vtegra_cc
    with_separable
fi
exit $failed
