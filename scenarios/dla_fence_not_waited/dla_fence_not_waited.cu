// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

static long sum_of(const int8_t *bytes)
{
    long sum = 0;

    for (int i = 0; i < TENSOR; i++) {
        sum += bytes[i]; // <-- found here
    }
    return sum;
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    NvSciSyncFence done = NvSciSyncFenceInitializer;
    NvSciBufObj in, out;
    NvSciSyncObj from_dla;
    struct users users;
    uint64_t *in_dla, *out_dla, *done_dla;
    int8_t *pixels, *result;
    long sum, right;

    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    users.bytes = TENSOR;
    users.gpu = false;
    users.engine = NvSciBufHwEngName_DLA;
    in = buffer_new(users);
    out = buffer_new(users);
    pixels = (int8_t *)buffer_cpu(in);
    result = (int8_t *)buffer_cpu(out);
    in_dla = dla_import(in);
    out_dla = dla_import(out);
    from_dla = sync_new(dla_list(SIGNALS), cpu_list(WAITS));
    done_dla = dla_import_sync(from_dla);
    for (int i = 0; i < TENSOR; i++) {
        pixels[i] = (int8_t)(i * 29 % 256 - 128);
    }
    {
        struct task task(in_dla, out_dla, nullptr, done_dla, &done);

        OK(task.submit()); // <-- found here
    }
    if (fixed) {
        OK(NvSciSyncFenceWait(&done, context, -1));
    }
    sum = sum_of(result);
    OK(NvSciSyncFenceWait(&done, context, -1));
    right = sum_of(result);
    printf("%ld, %ld\n", sum, right);
    NvSciSyncFenceClear(&done);
    OK(cudlaDestroyDevice(dla));
    NvSciBufObjFree(in);
    NvSciBufObjFree(out);
    NvSciSyncObjFree(from_dla);
    sci_close();
    return sum != right;
}
