#!/bin/sh
# SPDX-License-Identifier: MIT
# What nvcc's options make of device code. Usage: nvcc_forms.sh BUILD_DIR WORK_DIR; 77: no nvcc
. "$(dirname "$0")/lib.sh"
need_nvcc
for mode in none speed balance size; do
    by_nvcc_shared vadd_$mode --compress-mode=$mode "$source/vadd.cu"
    expect "--compress-mode=$mode" 0 "sum 12500000.0" "$vtegra" run -q -- ./vadd_$mode
done

by_nvcc_shared rdc -rdc=true "$source/rdc_main.cu" "$source/rdc_other.cu"
by_nvcc_static rdc_static -rdc=true "$source/rdc_main.cu" "$source/rdc_other.cu"
for soc in nano tx2 orin; do
    # 2 (0 + ... + 31) + 32 * 100 and 3 (0 + ... + 31) - 32 * 100
    expect "-rdc=true, shared, $soc" 0 "cudaSuccess 2480" "$vtegra" run -q --soc $soc -- ./rdc
    expect "-rdc=true, static, $soc" 0 "cudaSuccess 2480" "$vtegra" run -q --soc $soc -- ./rdc_static
done

# Machine code alone cannot run: the documented code, and the flag that mends it.
by_nvcc_shared machine -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
for run in "tx2 75" "orin 87"; do # nvcc 13 knows nothing below compute_75; the model runs it on every board
    soc=${run% *}
    cc=compute_${run#* }
    expect "machine code, $soc" 1 "cudaErrorNoKernelImageForDevice" "$vtegra" run --soc "$soc" -- ./machine
    also "machine code's remedy, $soc" "NVCC_APPEND_FLAGS=\"-gencode arch=$cc,code=$cc\""
done
NVCC_APPEND_FLAGS="-gencode arch=compute_87,code=compute_87" by_nvcc_shared mended \
    -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
expect "machine code mended" 0 "sum 12500000.0" "$vtegra" run -q -- ./mended
by_nvcc_shared several -gencode arch=compute_75,code=compute_75 -gencode arch=compute_87,code=compute_87 \
    -gencode arch=compute_87,code=sm_87 "$source/vadd.cu"
expect "several targets" 0 "sum 12500000.0" "$vtegra" run -q -- ./several

# Dynamic parallelism is refused by its name, before the run and in it.
by_nvcc_shared device_launch -rdc=true "$source/device_launch.cu" -lcudadevrt
expect "device launch" 0 "cudaErrorInvalidPtx" "$vtegra" run -- ./device_launch
also "device launch's reason" "launches a kernel from a kernel (dynamic parallelism)"
expect "check-app of a device launch" 1 "a kernel launches kernels (dynamic parallelism)" "$vtegra" check-app ./device_launch

# NVIDIA's own static runtime is refused before the start, with both remedies.
build nvidia_static "$nvcc" "$source/vadd.cu"
expect "NVIDIA's static runtime" 126 "-cudart shared" "$vtegra" run -- ./nvidia_static
also "NVIDIA's static runtime" "-L$lib"
finish
