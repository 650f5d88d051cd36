// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

static cudaError_t map_levels(cudaExternalMemory_t memory, unsigned levels,
                              cudaMipmappedArray_t *array)
{
    struct cudaExternalMemoryMipmappedArrayDesc desc;

    memset(&desc, 0, sizeof(desc));
    desc.formatDesc = cudaCreateChannelDesc<int>();
    desc.extent = make_cudaExtent(16, 16, 0);
    desc.numLevels = levels;
    return cudaExternalMemoryGetMappedMipmappedArray(array, memory, &desc);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaMipmappedArray_t array;
    cudaExternalMemory_t memory;
    struct users users;
    NvSciBufObj buffer;
    int *gpu;

    sci_open();
    buffer = buffer_new(users);
    if (!fixed) {
        GIVES(cudaErrorInvalidValue, buffer_import(buffer, users.bytes + 1, &memory));
    }
    OK(buffer_import(buffer, users.bytes, &memory));
    if (!fixed) {
        GIVES(cudaErrorInvalidValue, buffer_map(memory, users.bytes / 2, users.bytes, &gpu));
        GIVES(cudaErrorInvalidValue, map_levels(memory, 2, &array));
    }
    OK(buffer_map(memory, users.bytes / 2, users.bytes / 2, &gpu));
    OK(map_levels(memory, 1, &array));
    OK(cudaFreeMipmappedArray(array));
    OK(cudaFree(gpu));
    OK(cudaDestroyExternalMemory(memory));
    NvSciBufObjFree(buffer);
    sci_close();
    return 0;
}
