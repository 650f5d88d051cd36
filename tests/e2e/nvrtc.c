/* SPDX-License-Identifier: MIT */
/* What programs do with NVRTC: size, image, module, launch. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

int nvrtcGetCUBINSize(const char *program, size_t *size);
int nvrtcGetCUBIN(const char *program, char *image);

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    size_t size = 1;
    int seven = 0;
    char *image;
    void *params[] = { &out };

    printf("none: %d %d\n", nvrtcGetCUBINSize(NULL, &size), nvrtcGetCUBIN(NULL, NULL));
    nvrtcGetCUBINSize("virtual", &size);
    printf("virtual: %zu\n", size);
    nvrtcGetCUBINSize("real", &size);
    image = malloc(size);
    nvrtcGetCUBIN("real", image);
    nvrtcGetCUBIN("real", image);
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    printf("load: %d\n", cuModuleLoadData(&module, image));
    cuModuleGetFunction(&function, module, "seven");
    cuMemAlloc(&out, sizeof(seven));
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    cuMemcpyDtoH(&seven, out, sizeof(seven));
    printf("result: %d\n", seven);
    free(image);
    return seven != 7;
}
