#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that compile at run time: the PTX of the compilation in place of its machine code. First with a stand-in for libnvrtc, then,
# where it is installed, with NVIDIA's. Usage: nvrtc.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
build libnvrtc.so cc -shared -fPIC "$source/nvrtc_stand_in.c"
build nvrtc cc -I"$lib/../include" "$source/nvrtc.c" ./libnvrtc.so -L"$lib" -lcuda -Wl,-rpath,"$work"
expect stand_in 0 "result: 7" "$vtegra" run -q -- ./nvrtc
also stand_in "none: 4 4"
also stand_in "virtual: 0"
also stand_in "load: 0"
also stand_in "vtegra: nvrtcGetCUBIN: the virtual iGPU executes PTX"
[ "$(grep -c 'nvrtcGetCUBIN: the virtual' out)" = 1 ] || fail "it is said more than once"

nvrtc=$(ls /usr/local/cuda/lib*/libnvrtc.so 2>/dev/null | head -1)
if [ -z "$nvrtc" ]; then
    echo "left out: there is no libnvrtc of NVIDIA's in /usr/local/cuda"
    finish
fi
cat >real.c <<'C'
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const char *options[] = { argv[1] };
    nvrtcProgram program;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    size_t size = 0;
    int seven = 0;
    void *params[] = { &out };
    char *image;
    nvrtcCreateProgram(&program, "extern \"C\" __global__ void seven(int *out) { *out = 7; }", "seven.cu", 0, NULL, NULL);
    if (argc != 2 || nvrtcCompileProgram(program, 1, options) || nvrtcGetCUBINSize(program, &size)) return 2;
    image = malloc(size);
    nvrtcGetCUBIN(program, image);
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuModuleLoadData(&module, image);
    cuModuleGetFunction(&function, module, "seven");
    cuMemAlloc(&out, sizeof(seven));
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    cuMemcpyDtoH(&seven, out, sizeof(seven));
    printf("result: %d\n", seven);
    return seven != 7;
}
C
build real cc -I/usr/local/cuda/include "$work/real.c" "$nvrtc" -L"$lib" -lcuda -Wl,-rpath,"$(dirname "$nvrtc")"
expect real 0 "result: 7" "$vtegra" run -q --soc orin -- ./real --gpu-architecture=sm_87
finish
