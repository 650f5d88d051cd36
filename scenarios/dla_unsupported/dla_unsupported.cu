// SPDX-License-Identifier: MIT
#include "../sci/dla.h"
#include <cuda.h>

static void mapped_memory()
{
    CUmemAllocationProp prop = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle memory;
    CUdeviceptr at;
    uint64_t *dla_at;
    size_t size;

    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&at, size, 0, 0, 0));
    OK(cuMemCreate(&memory, size, &prop, 0));
    OK(cuMemMap(at, size, 0, memory, 0));
    OK(cuMemSetAccess(at, size, &access, 1));
    GIVES(cudlaErrorInvalidAddress, cudlaMemRegister(dla, (uint64_t *)at, TENSOR, &dla_at, 0));
    OK(cuMemUnmap(at, size));
    OK(cuMemRelease(memory));
    OK(cuMemAddressFree(at, size));
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    cudaStream_t stream;
    cudaGraph_t graph;
    int8_t *in, *out;

    dla_open(argv[1], CUDLA_CUDA_DLA);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&in, TENSOR));
    OK(cudaMalloc((void **)&out, TENSOR));
    if (!fixed) {
        mapped_memory();
        dla_reopen(argv[1], CUDLA_CUDA_DLA);
        {
            struct task task(dla_register(in), dla_register(out));

            OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            GIVES(cudlaErrorUnsupportedOperation, task.submit(stream));
            GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
        }
        dla_reopen(argv[1], CUDLA_CUDA_DLA);
        {
            struct task task(dla_register(in), dla_register(out));

            GIVES(cudlaErrorUnsupportedOperation, task.submit(cudaStreamPerThread));
        }
        dla_reopen(argv[1], CUDLA_CUDA_DLA);
    }
    struct task task(dla_register(in), dla_register(out));

    OK(cudaMemsetAsync(in, 1, TENSOR, stream));
    OK(task.submit(stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudlaDestroyDevice(dla));
    return 0;
}
