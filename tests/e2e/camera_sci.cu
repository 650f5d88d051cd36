/* SPDX-License-Identifier: MIT */
/* The camera with NvSciBuf and NvSciSync: it signals at each frame's end, CUDA waits in a stream
 * and compares, the CPU waits for CUDA before it queues the buffer again. camera_sci [early]:
 * early: the stream does not wait */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vtegra/camera_sci.h>

#define W 64
#define H 64
#define BUFFERS 3
#define FRAMES 7
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static vtegraCameraSci camera;
static NvSciBufObj buf[BUFFERS];
static NvSciSyncObj sync_obj;
static uint64_t offset[2], bytes;
static uint32_t pitch[2];

/* Bytes below the strip with the number that are not frame @n's (docs/frames.md). */
__global__ void compare(const unsigned char *at, uint64_t chroma, unsigned pitch, unsigned pitch2,
                        unsigned n, unsigned *wrong)
{
    unsigned x = threadIdx.x, y = blockIdx.x + 16;

    if (at[y * pitch + x] != 16 + (x + y + 4 * n) % 220) {
        atomicAdd(wrong, 1);
    }
    if (x % 2 == 0 && at[chroma + y / 2 * pitch2 + x] != 96 + x / 2 % 64) {
        atomicAdd(wrong, 1);
    }
}

static void buffers_make(void)
{
    NvSciBufAttrList lists[2], reconciled, conflict;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    NvSciBufType type = NvSciBufType_Image;
    CUuuid gpu;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_GpuId, &gpu, sizeof(gpu) },
    };
    NvSciBufAttrKeyValuePair shape[] = { { NvSciBufImageAttrKey_PlaneOffset, NULL, 0 },
                                         { NvSciBufImageAttrKey_PlanePitch, NULL, 0 },
                                         { NvSciBufImageAttrKey_Size, NULL, 0 } };

    CHECK(cuDeviceGetUuid(&gpu, 0));
    CHECK(NvSciBufAttrListCreate(bufs, &lists[0]));
    CHECK(NvSciBufAttrListCreate(bufs, &lists[1]));
    CHECK(vtegraCameraSciBufAttrs(camera, lists[0]));
    CHECK(vtegraCameraSciBufAttrs(camera, lists[0]) != CUDA_ERROR_INVALID_VALUE);
    CHECK(NvSciBufAttrListSetAttrs(lists[1], pairs, 3));
    CHECK(NvSciBufAttrListReconcile(lists, 2, &reconciled, &conflict));
    for (unsigned i = 0; i < BUFFERS; i++) {
        CHECK(NvSciBufObjAlloc(reconciled, &buf[i]));
    }
    CHECK(NvSciBufAttrListGetAttrs(reconciled, shape, 3));
    memcpy(offset, shape[0].value, sizeof(offset));
    memcpy(pitch, shape[1].value, sizeof(pitch));
    bytes = *(const uint64_t *)shape[2].value;
    NvSciBufAttrListFree(lists[0]);
    NvSciBufAttrListFree(lists[1]);
    NvSciBufAttrListFree(reconciled);
}

static void sync_make(void)
{
    NvSciSyncAttrList lists[2], reconciled, conflict;

    CHECK(NvSciSyncAttrListCreate(syncs, &lists[0]));
    CHECK(NvSciSyncAttrListCreate(syncs, &lists[1]));
    CHECK(vtegraCameraSciSyncAttrs(camera, lists[0]));
    CHECK(vtegraCameraSciSyncAttrs(camera, NULL) != CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetNvSciSyncAttributes(lists[1], 0, CUDA_NVSCISYNC_ATTR_WAIT));
    CHECK(NvSciSyncAttrListReconcile(lists, 2, &reconciled, &conflict));
    CHECK(NvSciSyncObjAlloc(reconciled, &sync_obj));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    NvSciSyncAttrListFree(reconciled);
}

static cudaExternalMemory_t memory[BUFFERS];
static cudaExternalSemaphore_t waits;

static unsigned char *import(unsigned i)
{
    cudaExternalMemoryHandleDesc desc;
    cudaExternalMemoryBufferDesc range;
    void *at;

    memset(&desc, 0, sizeof(desc));
    memset(&range, 0, sizeof(range));
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    desc.handle.nvSciBufObject = buf[i];
    desc.size = bytes;
    range.size = bytes;
    CHECK(cudaImportExternalMemory(&memory[i], &desc));
    CHECK(cudaExternalMemoryGetMappedBuffer(&at, memory[i], &range));
    return (unsigned char *)at;
}

static void wait(NvSciSyncFence *fence, cudaStream_t s)
{
    cudaExternalSemaphoreWaitParams params;

    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = fence;
    CHECK(cudaWaitExternalSemaphoresAsync(&waits, &params, 1, s));
}

int main(int argc, char **argv)
{
    bool early = argc > 1 && strcmp(argv[1], "early") == 0;
    NvSciSyncFence fence[BUFFERS] = {};
    cudaExternalSemaphoreHandleDesc desc;
    unsigned char *at[BUFFERS];
    unsigned *wrong;
    cudaStream_t s;

    CHECK(cudaMallocManaged(&wrong, sizeof(*wrong)));
    *wrong = 0;
    CHECK(cudaStreamCreate(&s));
    CHECK(NvSciBufModuleOpen(&bufs));
    CHECK(NvSciSyncModuleOpen(&syncs));
    CHECK(vtegraCameraSciOpen(&camera, W, 3) != CUDA_ERROR_INVALID_VALUE);
    CHECK(vtegraCameraSciOpen(&camera, W, H));
    buffers_make();
    sync_make();
    CHECK(vtegraCameraSciRegister(camera, buf, BUFFERS, NULL) != CUDA_ERROR_INVALID_VALUE);
    CHECK(vtegraCameraSciQueue(camera, 0, &fence[0]) != CUDA_ERROR_INVALID_VALUE);
    CHECK(vtegraCameraSciRegister(camera, buf, BUFFERS, sync_obj));
    CHECK(vtegraCameraSciRegister(camera, buf, BUFFERS, sync_obj) != CUDA_ERROR_INVALID_VALUE);
    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    desc.handle.nvSciSyncObj = sync_obj;
    CHECK(cudaImportExternalSemaphore(&waits, &desc));
    for (unsigned i = 0; i < BUFFERS; i++) {
        at[i] = import(i);
        CHECK(vtegraCameraSciQueue(camera, i, &fence[i]));
    }
    CHECK(vtegraCameraSciQueue(camera, BUFFERS, &fence[0]) != CUDA_ERROR_INVALID_VALUE);
    for (unsigned n = 0; n < FRAMES; n++) {
        unsigned i = n % BUFFERS;
        vtegraCameraFrame info;

        if (!early) {
            wait(&fence[i], s);
        }
        compare<<<H - 16, W, 0, s>>>(at[i], offset[1], pitch[0], pitch[1], n, wrong);
        CHECK(cudaStreamSynchronize(s));
        if (!early) {
            CHECK(vtegraCameraSciFrameGet(camera, i, &info));
            CHECK(info.number != n);
            CHECK(vtegraCameraSciQueue(camera, i, &fence[i]));
        }
    }
    printf("%u wrong\n", *wrong);
    CHECK(vtegraCameraSciClose(camera));
    CHECK(vtegraCameraSciClose(camera) != CUDA_ERROR_INVALID_HANDLE);
    CHECK(cudaDestroyExternalSemaphore(waits));
    for (unsigned i = 0; i < BUFFERS; i++) {
        NvSciSyncFenceClear(&fence[i]);
        CHECK(cudaFree(at[i]));
        CHECK(cudaDestroyExternalMemory(memory[i]));
        NvSciBufObjFree(buf[i]);
    }
    NvSciSyncObjFree(sync_obj);
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
    return *wrong != 0;
}
