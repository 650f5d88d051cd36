#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra survey: programs of one file and of several, and each way not to pass. Usage: survey.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
rm -rf samples names nvcc projects && mkdir -p samples/good samples/two samples/none "samples/a b"
cat >samples/good/one.cu <<'CODE'
#include <cstdio>
__global__ void k(int *v) { *v = 5; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    FILE *f = fopen("beside.txt", "r");
    return h == 5 && f ? 0 : 1;
}
CODE
echo data >samples/good/beside.txt
printf 'int two();\nint main() { return two(); }\n' >samples/two/main.cu
echo 'int two() { return cudaFree(nullptr); }' >samples/two/two.cu
echo '__global__ void only() { }' >samples/none/library.cu
echo 'int main() { return 2; }' >"samples/a b/waives.cu"
echo 'int main() { return nothing; }' >"samples/a b/wrong.cu"
echo 'int main() { for (;;) { } }' >"samples/a b/spins.cu"
echo 'int main() { return cudaDeviceSetLimit((cudaLimit)99, 1) ? 3 : 0; }' >"samples/a b/fails.cu"
mkdir names
echo 'int main() { return 4; }' >'names/a|`b<c.cu'
cat >"samples/a b/illegal.cu" <<'CODE'
__global__ void k(int *v) { *v = 5; }
int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() ? 1 : 0; }
CODE

# shellcheck disable=SC2086 # words
expect cc 1 "2 of 7 pass, 1 waives itself, 2 fails, 1 not ended, 1 not built" "$vtegra" survey --cc --seconds 3 samples -- $one_target
also cc "good/one pass"
also cc "two/main pass"
also cc "a b/waives waives itself exit status 2"
also cc "a b/spins not ended 3 s"
also cc "a b/fails fails exit status 3"
also cc "a b/illegal fails vtegra: error:"
also cc "a b/wrong not built error:"
not_there cc "none/library"
mkdir nvcc
echo 'int main() { cudaLogIterator i; return cudaLogsCurrent(&i, 0) ? 1 : 0; }' >nvcc/stub.cu
cp samples/good/* nvcc
if [ -n "$nvcc" ] && [ -z "$sanitized" ] && [ "$thorough" = long ]; then
    PATH=$PATH:$(dirname "$nvcc")
    expect nvcc 1 "1 of 2 pass, 1 fails" "$vtegra" survey nvcc
    also nvcc "one pass"
    also nvcc "stub fails vtegra: cudaLogsCurrent: not supported by vtegra"
fi
# shellcheck disable=SC2086 # words
expect markdown 0 "| one | pass |  |" "$vtegra" survey --cc --markdown samples/good -- $one_target
# shellcheck disable=SC2086 # words
expect markdown_names 1 '| a\|\`b&lt;c | fails | exit status 4; vtegra run --soc orin -- PROGRAM shows what it prints |' \
    "$vtegra" survey --cc --markdown names -- $one_target
expect flags 1 "not built" "$vtegra" survey --cc samples/two -- --no-such-flag
expect none 2 "no .cu file with a main()" "$vtegra" survey --cc samples/none
expect missing 2 "No such file" "$vtegra" survey --cc samples/missing
expect usage 2 "which folder?" "$vtegra" survey
expect seconds 2 "at least 1" "$vtegra" survey --seconds 0 samples
expect both 2 "leave one out" "$vtegra" survey --cmake --cc samples

# CMake projects: what the build makes beside the program is found there, data as well, and code is made for the board whatever the
# project asks for.
mkdir -p projects/top/good projects/top/none projects/broken
printf 'project(top)\n# add_executable(nothing)\nadd_subdirectory(good)\n' >projects/top/CMakeLists.txt
echo 'project(host) # CUDA is in this comment' >projects/top/none/CMakeLists.txt
echo 'project(broken LANGUAGES NO_CUDA)' >projects/broken/CMakeLists.txt
cat >projects/top/good/CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.20)
set(CMAKE_CUDA_ARCHITECTURES 100)
project(good LANGUAGES CXX CUDA)
add_executable(good main.cpp)
target_include_directories(good PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(good PRIVATE cuda)
target_link_directories(good PRIVATE ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES})
add_custom_target(code ALL COMMAND ${CMAKE_CUDA_COMPILER} -gencode=arch=compute_100,code=sm_100 -fatbin -o
                  ${CMAKE_CURRENT_BINARY_DIR}/k.fatbin ${CMAKE_CURRENT_SOURCE_DIR}/k.cu)
CODE
echo 'extern "C" __global__ void k(int *v) { *v = 7; }' >projects/top/good/k.cu
echo data >projects/top/good/data.txt
cat >projects/top/good/main.cpp <<'CODE'
#include <cstdio>
#include <cuda.h>
int main()
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction k;
    CUdeviceptr d;
    int value = 0;
    void *args[] = { &d };
    FILE *data = fopen("data.txt", "r");
    bool ok = data && !cuInit(0) && !cuDeviceGet(&device, 0) && !cuDevicePrimaryCtxRetain(&context, device) &&
              !cuCtxSetCurrent(context) && !cuModuleLoad(&module, "k.fatbin") && !cuModuleGetFunction(&k, module, "k") &&
              !cuMemAlloc(&d, 4) && !cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr) &&
              !cuMemcpyDtoH(&value, d, 4);
    return ok && value == 7 ? 0 : 1;
}
CODE
if [ -n "$nvcc" ] && command -v cmake >/dev/null; then
    PATH=$PATH:$(dirname "$nvcc")
    expect projects 1 "1 of 2 pass, 1 not built" "$vtegra" survey --cmake projects
    also projects "top/good pass"
    also projects "broken not built"
    not_there projects "none"
    expect no_projects 2 "no CMake project" "$vtegra" survey --cmake samples
else
    echo "SKIP: CMake projects need nvcc and cmake"
fi
expect no_nvcc 125 "no nvcc in PATH" env PATH=/nowhere "$vtegra" survey samples
finish
