/* SPDX-License-Identifier: MIT */
/* A program of the runtime API whose calls are known: two threads, an error, structs by value. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>

static void *other(void *none)
{
    cudaSetDevice(7);
    return none;
}

int main(void)
{
    struct cudaPitchedPtr p = { 0 };
    cudaArray_t array;
    struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    pthread_t thread;
    unsigned char row[64];

    cudaSetDevice(0);
    cudaMalloc3D(&p, (struct cudaExtent){ 64, 4, 2 });
    cudaMemset3D(p, 0x5a, (struct cudaExtent){ 64, 4, 2 }); /* both structs lie on the stack */
    cudaMemcpy(row, (char *)p.ptr + p.pitch * 7, sizeof(row), cudaMemcpyDeviceToHost);
    printf("%x %x\n", row[0], row[63]);
    cudaMallocArray(&array, &desc, 16, 16, 0);
    cudaFreeArray(array);
    cudaFree(p.ptr);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    cudaGetLastError();
    return 0;
}
