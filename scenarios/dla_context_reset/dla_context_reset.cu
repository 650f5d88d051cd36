// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

int main(int argc, char **argv)
{
    bool fixed = argc > 2;

    OK(cudaFree(nullptr)); // brings the primary context up
    dla_open(argv[1], CUDLA_CUDA_DLA);
    if (fixed) {
        OK(cudlaDestroyDevice(dla));
    }
    OK(cudaDeviceReset()); // <-- found here
    if (!fixed) {
        OK(cudlaDestroyDevice(dla));
    }
    return 0;
}
