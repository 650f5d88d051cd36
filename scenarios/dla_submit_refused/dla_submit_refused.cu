// SPDX-License-Identifier: MIT
#include "../sci/dla.h"

static NvSciBufObj in, out;
static NvSciSyncObj to_dla;
static NvSciSyncFence before = NvSciSyncFenceInitializer;
static uint64_t *in_dla, *out_dla;

static void imports()
{
    in_dla = dla_import(in);
    out_dla = dla_import(out);
    dla_import_sync(to_dla);
}

static void refused(const char *loadable)
{
    CudlaFence twice[] = { { &before, CUDLA_NVSCISYNC_FENCE }, { &before, CUDLA_NVSCISYNC_FENCE } };
    cudlaWaitEvents both = { twice, 2 };
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
        struct task task(in_dla, out_dla);

        GIVES(cudlaErrorInvalidParam, task.submit(stream));
    }
    dla_reopen(loadable, CUDLA_STANDALONE);
    imports();
    {
        struct task task(in_dla, out_dla);

        task.t.waitEvents = &both;
        GIVES(cudlaErrorUnsupportedOperation, task.submit());
    }
    OK(cudlaDestroyDevice(dla));
    OK(cudlaCreateDevice(0, &dla, CUDLA_STANDALONE));
    OK(cudlaModuleLoadFromMemory(dla, nullptr, 0, &module, CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS));
    imports();
    {
        struct task task(nullptr, nullptr, &before);

        task.t.inputTensor = nullptr;
        task.t.outputTensor = nullptr;
        GIVES(cudlaErrorUnsupportedOperation, task.submit(nullptr, CUDLA_SUBMIT_DIAGNOSTICS_TASK));
    }
    dla_reopen(loadable, CUDLA_STANDALONE);
    imports();
    {
        struct task task(in_dla, out_dla);

        task.t.outputTensor = nullptr;
        GIVES(cudlaErrorUnsupportedOperation, task.submit());
    }
    dla_reopen(loadable, CUDLA_STANDALONE);
    imports();
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    NvSciSyncFence done = NvSciSyncFenceInitializer;
    NvSciSyncObj from_dla;
    struct users users;

    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    users.bytes = TENSOR;
    users.gpu = false;
    users.engine = NvSciBufHwEngName_DLA;
    in = buffer_new(users);
    out = buffer_new(users);
    to_dla = sync_new(cpu_list(SIGNALS), dla_list(WAITS));
    from_dla = sync_new(dla_list(SIGNALS), cpu_list(WAITS));
    OK(NvSciSyncObjGenerateFence(to_dla, &before));
    imports();
    if (!fixed) {
        refused(argv[1]);
    }
    { // as the task should be: one fence to wait for, one to signal, both tensors, no stream
        struct task task(in_dla, out_dla, &before, dla_import_sync(from_dla), &done);

        OK(task.submit());
        OK(NvSciSyncObjSignal(to_dla));
        OK(NvSciSyncFenceWait(&done, context, -1));
    }
    OK(cudlaGetLastError(dla));
    NvSciSyncFenceClear(&before);
    NvSciSyncFenceClear(&done);
    OK(cudlaDestroyDevice(dla));
    NvSciBufObjFree(in);
    NvSciBufObjFree(out);
    NvSciSyncObjFree(to_dla);
    NvSciSyncObjFree(from_dla);
    sci_close();
    return 0;
}
