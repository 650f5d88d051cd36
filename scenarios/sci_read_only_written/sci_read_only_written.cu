// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i + 1; // <-- found here
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciBufObj buffer, sealed;
    struct users users;
    imported at;

    sci_open();
    buffer = buffer_new(users);
    OK(NvSciBufObjDupWithReducePerm(buffer, NvSciBufAccessPerm_Readonly, &sealed));
    at = buffer_gpu(fixed ? buffer : sealed);
    fill<<<COUNT / 256, 256>>>(at.gpu);
    GIVES(fixed ? cudaSuccess : cudaErrorIllegalAddress, cudaDeviceSynchronize());
    if (fixed) {
        imported_free(at);
    } else {
        cudaDeviceReset(); // the context is lost, and with it what was imported
    }
    NvSciBufObjFree(sealed);
    NvSciBufObjFree(buffer);
    sci_close();
    return 0;
}
