// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

__global__ void make_input(int8_t *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    in[i] = (int8_t)(i * 29 % 256 - 128); // <-- found here
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    NvSciSyncFence made = NvSciSyncFenceInitializer, done = NvSciSyncFenceInitializer;
    NvSciBufObj in, out;
    NvSciSyncObj to_dla, from_dla;
    cudaExternalSemaphore_t semaphore;
    static int first[TENSOR / sizeof(int)];
    struct users users;
    uint64_t *in_dla, *out_dla, *done_dla;
    imported at;
    int *cpu;

    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    users.bytes = TENSOR;
    users.engine = NvSciBufHwEngName_DLA;
    in = buffer_new(users);
    out = buffer_new(users);
    cpu = buffer_cpu(out);
    at = buffer_gpu(in, TENSOR);
    in_dla = dla_import(in);
    out_dla = dla_import(out);
    to_dla = sync_new(cuda_list(SIGNALS), dla_list(WAITS));
    from_dla = sync_new(dla_list(SIGNALS), cpu_list(WAITS));
    semaphore = sync_import(to_dla);
    dla_import_sync(to_dla);
    done_dla = dla_import_sync(from_dla);
    make_input<<<TENSOR / 256, 256>>>((int8_t *)at.gpu); // <-- found here
    if (fixed) {
        OK(cuda_signal(semaphore, &made));
    }
    {
        struct task task(in_dla, out_dla, fixed ? &made : nullptr, done_dla, &done);

        OK(task.submit()); // <-- found here
    }
    OK(NvSciSyncFenceWait(&done, context, -1));
    memcpy(first, cpu, TENSOR);
    if (!fixed) { // once more, now in order
        struct task task(in_dla, out_dla, &made, done_dla, &done);

        OK(cuda_signal(semaphore, &made));
        OK(task.submit());
        OK(NvSciSyncFenceWait(&done, context, -1));
    }
    OK(cudaDeviceSynchronize());
    NvSciSyncFenceClear(&made);
    NvSciSyncFenceClear(&done);
    int differs = memcmp(first, cpu, TENSOR);
    printf("%s\n", differs ? "an old picture" : "right");
    OK(cudlaDestroyDevice(dla));
    imported_free(at);
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciBufObjFree(in);
    NvSciBufObjFree(out);
    NvSciSyncObjFree(to_dla);
    NvSciSyncObjFree(from_dla);
    sci_close();
    return differs != 0;
}
