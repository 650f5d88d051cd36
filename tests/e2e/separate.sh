#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra cc -rdc=true: device code of several files is one program. Usage: separate.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
main=$source/separate_main.cu
part=$source/separate_part.cu
answer="cudaSuccess 36928, then 521" # by hand: separate_main.cu, separate_part.cu

by_clang both -rdc=true "$main" "$part"
for soc in nano tx2 orin; do
    expect "two sources, $soc" 0 "$answer" "$vtegra" run -q --soc $soc -- ./both
done
also "two sources, orin" "main: 100 1000"
also "two sources, orin" "part: 7 1000"
expect "check-app knows its PTX" 0 "__nv_relfatbin, container 1" "$vtegra" check-app ./both
by_clang tracked --track -rdc=true --arch sm_87 "$main" "$part"
expect "with hooks" 0 "$answer" "$vtegra" run -q -- ./tracked
# What nvcc makes of the two files for sm_75 on is in nvcc_forms.sh; here the program that clang makes is compared.
if [ -n "$nvcc" ]; then
    by_nvcc_shared by_nvcc -rdc=true "$main" "$part"
    expect "built by nvcc" 0 "$answer" "$vtegra" run -q -- ./by_nvcc
fi

# Objects, as make and CMake build them; of an archive only what is needed.
for file in main part; do
    expect "-dc, $file" 0 "" "$vtegra" cc -dc --arch sm_87 "$source/separate_$file.cu" -o $file.o
done
echo '#include <cuda_runtime.h>
__global__ void unused() {}' >unused.cu
expect "-dc, an object that is not needed" 0 "" "$vtegra" cc -rdc=true --arch sm_87 -c unused.cu -o unused.o
rm -f libpart.a && ar rc libpart.a unused.o part.o
expect "objects" 0 "" "$vtegra" cc main.o part.o -lcudadevrt -o objects
expect "objects run" 0 "$answer" "$vtegra" run -q -- ./objects
expect "an archive" 0 "" "$vtegra" cc main.o libpart.a -o archive
expect "an archive runs" 0 "$answer" "$vtegra" run -q -- ./archive
expect "-l and -L" 0 "" "$vtegra" cc main.o -L . -lpart -o library
expect "-l and -L run" 0 "$answer" "$vtegra" run -q -- ./library
expect "-dlink" 0 "" "$vtegra" cc -dlink main.o libpart.a -o linked.o
if [ -z "$sanitized" ]; then
    expect "-dlink, then the system's compiler" 0 "" g++ main.o libpart.a linked.o -L"$lib" -lcudart -o by_system
    expect "-dlink runs" 0 "$answer" "$vtegra" run -q -- ./by_system
fi
expect "a device link among the objects" 0 "" "$vtegra" cc main.o libpart.a linked.o -o again
expect "a device link among the objects runs" 0 "$answer" "$vtegra" run -q -- ./again

# Two device links in a process: a library has its own.
echo '#include <cuda_runtime.h>
__device__ int twice(int x) { return 3 * x; }' >lib_part.cu
echo '#include <cuda_runtime.h>
__device__ int twice(int x);
static __global__ void k(int *p) { *p = twice(14); }
extern "C" int lib_run(int *p) { k<<<1, 1>>>(p); return cudaDeviceSynchronize() ? -1 : *p; }' >lib_main.cu
echo '#include <cuda_runtime.h>
#include <cstdio>
__device__ int twice(int x);
extern "C" int lib_run(int *p);
__global__ void k(int *p) { *p = twice(14); }
int main() { int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d ", *p); printf("%d", lib_run(p)); }' >user.cu
expect "a shared library" 0 "" "$vtegra" cc -shared -fPIC -rdc=true --arch sm_87 lib_main.cu lib_part.cu -o libtwo.so
expect "its user" 0 "" "$vtegra" cc -rdc=true --arch sm_87 user.cu part.o -L. -ltwo -Wl,-rpath,"$PWD" -o user
expect "each has its own functions" 0 "28 42" "$vtegra" run -q -- ./user

# What is missing.
expect "a value of -rdc" 2 "write -rdc=true or -rdc=false" "$vtegra" cc -rdc=yes "$main"
echo '#include <cuda_runtime.h>
#include <cstdio>
__device__ int nowhere(int x);
__global__ void k(int *p) { *p = nowhere(1); }
int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); puts(cudaGetErrorName(cudaDeviceSynchronize())); }' >missing.cu
expect "a function that no file has" 0 "" "$vtegra" cc -rdc=true --arch sm_87 missing.cu -o missing
expect "a function that no file has: the run says so" 0 "nowhere" "$vtegra" run -q -- ./missing
finish
