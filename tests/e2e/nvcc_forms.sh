#!/bin/sh
# SPDX-License-Identifier: MIT
# What nvcc's options make of device code. Usage: nvcc_forms.sh BUILD_DIR WORK_DIR [long]; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc
for mode in $(some 4 size none speed balance); do
    by_nvcc_shared vadd_$mode --compress-mode=$mode "$source/vadd.cu"
    expect "--compress-mode=$mode" 0 "sum 12500000.0" "$vtegra" run -q -- ./vadd_$mode
done

by_nvcc_shared rdc -rdc=true "$source/rdc_main.cu" "$source/rdc_other.cu"
[ "$thorough" != long ] || by_nvcc_static rdc_static -rdc=true "$source/rdc_main.cu" "$source/rdc_other.cu"
for soc in nano tx2 orin; do
    # 2 (0 + ... + 31) + 32 * 100 and 3 (0 + ... + 31) - 32 * 100
    expect "-rdc=true, shared, $soc" 0 "cudaSuccess 2480" "$vtegra" run -q --soc $soc -- ./rdc
    [ "$thorough" = long ] || continue
    expect "-rdc=true, static, $soc" 0 "cudaSuccess 2480" "$vtegra" run -q --soc $soc -- ./rdc_static
done

if [ "$thorough" = long ]; then
    # With PTX alone nvcc's link leaves libcudadevrt in, whose functions call the driver's own.
    by_nvcc_shared rdc_ptx -rdc=true -gencode arch=compute_87,code=compute_87 "$source/rdc_main.cu" "$source/rdc_other.cu"
    expect "-rdc=true, PTX alone" 0 "cudaSuccess 2480" "$vtegra" run -q -- ./rdc_ptx
    # It holds machine code for Orin's 8.6, so the board does not look at its PTX, which is for sm_121. The program's own
    # PTX is what counts.
    by_nvcc_shared rdc_newer -rdc=true -gencode arch=compute_90,code=compute_90 "$source/rdc_main.cu" "$source/rdc_other.cu"
    expect "-rdc=true, PTX for sm_90" 0 "cudaSuccess 2480" "$vtegra" run -q --soc thor -- ./rdc_newer
    expect "-rdc=true, PTX for sm_90, orin" 1 "cudaErrorNoKernelImageForDevice" "$vtegra" run --soc orin -- ./rdc_newer
    also "-rdc=true, PTX for sm_90, orin" "PTX is for sm_90 and newer, the board is sm_87"
fi

# Machine code alone cannot run: the documented code, and the flag that mends it.
by_nvcc_shared machine -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
for run in "tx2 75" "orin 87"; do # nvcc 13 knows nothing below compute_75; the model runs it on every board
    soc=${run% *}
    cc=compute_${run#* }
    expect "machine code, $soc" 1 "cudaErrorNoKernelImageForDevice" "$vtegra" run --soc "$soc" -- ./machine
    also "machine code's remedy, $soc" "-gencode arch=$cc,code=$cc\" make -B"
done
if [ "$thorough" = long ]; then
    NVCC_APPEND_FLAGS="-gencode arch=compute_87,code=compute_87" by_nvcc_shared mended \
        -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
    expect "machine code mended" 0 "sum 12500000.0" "$vtegra" run -q -- ./mended
    by_nvcc_shared several -gencode arch=compute_75,code=compute_75 -gencode arch=compute_87,code=compute_87 \
        -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
    expect "several targets" 0 "sum 12500000.0" "$vtegra" run -q -- ./several
fi

# A block of 1024 threads has 64 registers a thread (65536 an SM). Where the board would load machine code, its count
# decides: of the same PTX, 64 as -maxrregcount says or more. A guess from PTX alone refuses nothing.
sm87="-gencode arch=compute_87,code=[compute_87,sm_87]"
# shellcheck disable=SC2086
{
    by_nvcc_shared registers_few $sm87 -maxrregcount=64 "$source/registers.cu"
    by_nvcc_shared registers_many $sm87 "$source/registers.cu"
}
expect "64 registers by machine code" 0 "64 registers, 1024 threads, 1 blocks: cudaSuccess" "$vtegra" run -- ./registers_few
not_there "64 registers by machine code" "guessed"
expect "more registers by machine code" 0 "0 blocks: cudaErrorLaunchOutOfResources" "$vtegra" run -q -- ./registers_many
if [ "$thorough" = long ]; then
    by_nvcc_shared registers_guessed -gencode arch=compute_87,code=compute_87 "$source/registers.cu"
    by_nvcc_shared registers_other -gencode arch=compute_75,code=[compute_75,sm_75] "$source/registers.cu"
    for guess in guessed other; do # machine code for sm_75 is none of Orin's
        expect "registers guessed, $guess" 0 "1024 threads, 1 blocks: cudaSuccess" "$vtegra" run -- ./registers_$guess
        also "registers guessed, $guess" "guessed from PTX"
    done
fi

# An instruction that is not there, inside an object of -rdc=true.
echo '__device__ void bad(int *p) { asm volatile("{ .reg .b32 d; txq.channel_order.b32 d, [%0]; }" :: "l"(p)); }' >bad.cu
echo 'extern __device__ void bad(int *); __global__ void k(int *p) { bad(p); } int main() { k<<<1, 1>>>(0); }' >calls_bad.cu
by_nvcc_shared rdc_bad -arch=sm_80 -rdc=true bad.cu calls_bad.cu
expect "check-app of -rdc=true" 0 "can run" "$vtegra" check-app ./rdc
expect "check-app of a bad instruction in -rdc=true" 1 "txq.channel_order" "$vtegra" check-app ./rdc_bad
if [ "$thorough" = long ]; then
    # Its parts have machine code alone; that CUDA's device runtime has PTX is no help.
    by_nvcc_shared rdc_machine -rdc=true -gencode arch=compute_75,code=sm_75 "$source/device_launch.cu" -lcudadevrt
    expect "check-app of -rdc=true without PTX" 1 "without PTX" "$vtegra" check-app ./rdc_machine
fi

# Dynamic parallelism is refused by its name, before the run and in it.
by_nvcc_shared device_launch -rdc=true "$source/device_launch.cu" -lcudadevrt
expect "device launch" 0 "cudaErrorInvalidPtx" "$vtegra" run -- ./device_launch
also "device launch's reason" "launches a kernel from a kernel (dynamic parallelism)"
expect "check-app of a device launch" 1 "(dynamic parallelism)" "$vtegra" check-app ./device_launch

# Findings name what the developer wrote.
by_nvcc_shared faults "$source/faults.cu"
echo 'template <int N> __global__ void bad(int *p) { asm volatile("{ .reg .b32 d; txq.channel_order.b32 d, [%0]; }" :: "l"(p)); }
int main() { bad<3><<<1, 1>>>(0); }' >bad_template.cu
by_nvcc_shared bad -arch=sm_80 bad_template.cu
expect "an overrun of shared memory" 0 "cudaErrorIllegalAddress" "$vtegra" run -q -- ./faults shared
also "an overrun of shared memory" "byte 800 of the block's shared memory"
not_there "an overrun of shared memory" "null pointer"
expect "a misaligned atomic" 0 "misaligned atomic" "$vtegra" run -q -- ./faults atomic
expect "a function of the program that begins with cuda" 0 "cudaDeviceGetHostAtomicCapabilities: not supported by vtegra" "$vtegra" run -q -- ./faults wrapper
expect "a missing instruction" 0 "txq.channel_order" "$vtegra" run -- ./bad
also "a missing instruction" "(function bad<3>)"
not_there "a missing instruction once" "libcudart:"

# NVIDIA's libraries have machine code only, and a static runtime that asks for private tables: named, and the
# program gets the library's own error. A library of ours asks the same way.
cat >jpeg.c <<'end'
#include <dlfcn.h>
int nvjpegCreateSimple(void **handle)
{
    int (*get)(const void **, const void *) = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetExportTable");
    const void *table = 0;
    int refused = get(&table, "0123456789abcdef");
    (void)handle;
    return refused && !table ? 1 /* NVJPEG_STATUS_NOT_INITIALIZED */ : 0;
}
end
printf '#include <stdio.h>\nint nvjpegCreateSimple(void **);\nint main(void)\n{\n    void *h;\n    printf("nvjpeg %%d\\n", nvjpegCreateSimple(&h));\n}\n' >uses_jpeg.c
build libnvjpeg.so.13 cc -shared -fPIC -Wl,-soname,libnvjpeg.so.13 jpeg.c
build uses_jpeg cc uses_jpeg.c ./libnvjpeg.so.13
expect "nvJPEG's own error" 0 "nvjpeg 1" env LD_LIBRARY_PATH=. "$vtegra" run -- ./uses_jpeg
also "nvJPEG by its name" "libnvjpeg.so.13 has machine code only"
not_there "nvJPEG by its name" "cuGetExportTable"

# NVIDIA's own static runtime is refused before the start, with both remedies.
build nvidia_static "$nvcc" "$source/vadd.cu"
expect "NVIDIA's static runtime" 126 "-cudart shared" "$vtegra" run -- ./nvidia_static
also "NVIDIA's static runtime" "-L$lib"
finish
