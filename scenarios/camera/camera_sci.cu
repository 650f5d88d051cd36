// SPDX-License-Identifier: MIT
// Camera, CUDA filter, CUDA consumer with NvSciBuf and NvSciSync in place of EGLStreams; README.md
// says what the argument leaves out.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vtegra/camera_sci.h>

enum { W = 64, H = 64, TOP = 16, FRAMES = 5, BUFFERS = 2 };

#define OK(call)                                                      \
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
static uint64_t offset[2], bytes;
static uint32_t pitch[2];

// Below the strip with the frame's number.
__global__ void filter(const unsigned char *in, unsigned pitch, unsigned char *out)
{
    unsigned x = threadIdx.x, y = blockIdx.x + TOP;

    out[y * W + x] = 255 - in[y * pitch + x];
}

__global__ void sum(const unsigned char *in, unsigned *out)
{
    atomicAdd(out, in[(blockIdx.x + TOP) * W + threadIdx.x]);
}

static unsigned expected(unsigned number)
{
    unsigned s = 0;

    for (unsigned y = TOP; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            s += 255 - (16 + (x + y + 4 * number) % 220);
        }
    }
    return s;
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

    OK(cuDeviceGetUuid(&gpu, 0));
    OK(NvSciBufAttrListCreate(bufs, &lists[0]));
    OK(NvSciBufAttrListCreate(bufs, &lists[1]));
    OK(vtegraCameraSciBufAttrs(camera, lists[0]));
    OK(NvSciBufAttrListSetAttrs(lists[1], pairs, 3));
    OK(NvSciBufAttrListReconcile(lists, 2, &reconciled, &conflict));
    for (unsigned i = 0; i < BUFFERS; i++) {
        OK(NvSciBufObjAlloc(reconciled, &buf[i]));
    }
    OK(NvSciBufAttrListGetAttrs(reconciled, shape, 3));
    memcpy(offset, shape[0].value, sizeof(offset));
    memcpy(pitch, shape[1].value, sizeof(pitch));
    bytes = *(const uint64_t *)shape[2].value;
    NvSciBufAttrListFree(lists[0]);
    NvSciBufAttrListFree(lists[1]);
    NvSciBufAttrListFree(reconciled);
}

// The camera signals, or CUDA (@by_cuda); CUDA waits.
static NvSciSyncObj sync_make(bool by_cuda)
{
    NvSciSyncAttrList lists[2], reconciled, conflict;
    NvSciSyncObj obj;

    OK(NvSciSyncAttrListCreate(syncs, &lists[0]));
    OK(NvSciSyncAttrListCreate(syncs, &lists[1]));
    OK(by_cuda ? (int)cuDeviceGetNvSciSyncAttributes(lists[0], 0, CUDA_NVSCISYNC_ATTR_SIGNAL)
               : (int)vtegraCameraSciSyncAttrs(camera, lists[0]));
    OK(cuDeviceGetNvSciSyncAttributes(lists[1], 0, CUDA_NVSCISYNC_ATTR_WAIT));
    OK(NvSciSyncAttrListReconcile(lists, 2, &reconciled, &conflict));
    OK(NvSciSyncObjAlloc(reconciled, &obj));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    NvSciSyncAttrListFree(reconciled);
    return obj;
}

static cudaExternalSemaphore_t semaphore_of(NvSciSyncObj obj)
{
    cudaExternalSemaphoreHandleDesc desc;
    cudaExternalSemaphore_t s;

    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    desc.handle.nvSciSyncObj = obj;
    OK(cudaImportExternalSemaphore(&s, &desc));
    return s;
}

static unsigned char *memory_of(NvSciBufObj obj)
{
    cudaExternalMemoryHandleDesc desc;
    cudaExternalMemoryBufferDesc range;
    cudaExternalMemory_t memory;
    void *at;

    memset(&desc, 0, sizeof(desc));
    memset(&range, 0, sizeof(range));
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    desc.handle.nvSciBufObject = obj;
    desc.size = range.size = bytes;
    OK(cudaImportExternalMemory(&memory, &desc));
    OK(cudaExternalMemoryGetMappedBuffer(&at, memory, &range));
    return (unsigned char *)at;
}

static void wait(cudaExternalSemaphore_t semaphore, NvSciSyncFence *fence, cudaStream_t s)
{
    cudaExternalSemaphoreWaitParams params;

    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = fence;
    OK(cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, s));
}

static void signal(cudaExternalSemaphore_t semaphore, NvSciSyncFence *fence, cudaStream_t s)
{
    cudaExternalSemaphoreSignalParams params;

    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = fence;
    OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, s));
}

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    NvSciSyncFence captured[BUFFERS] = {}, filtered = {};
    NvSciSyncObj by_camera, by_filter;
    cudaExternalSemaphore_t from_camera, from_filter;
    unsigned char *in[BUFFERS], *out;
    cudaStream_t filters, consumes, other;
    unsigned *total, bad = 0;

    OK(cudaHostAlloc(&total, FRAMES * sizeof(*total), cudaHostAllocMapped));
    memset(total, 0, FRAMES * sizeof(*total));
    OK(cudaMalloc(&out, W * H));
    OK(cudaMemset(out, 0, W * H));
    OK(cudaStreamCreateWithFlags(&filters, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&consumes, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(vtegraCameraSciOpen(&camera, W, H));
    buffers_make();
    by_camera = sync_make(false);
    by_filter = sync_make(true);
    from_camera = semaphore_of(by_camera);
    from_filter = semaphore_of(by_filter);
    OK(vtegraCameraSciRegister(camera, buf, BUFFERS, by_camera));
    for (unsigned i = 0; i < BUFFERS; i++) {
        in[i] = memory_of(buf[i]);
        OK(vtegraCameraSciQueue(camera, i, &captured[i]));
    }
    for (unsigned n = 0; n < FRAMES; n++) {
        unsigned i = n % BUFFERS;

        if (strcmp(without, "camera")) {
            wait(from_camera, &captured[i], filters);
        }
        filter<<<H - TOP, W, 0, filters>>>(in[i], pitch[0], out);
        signal(from_filter, &filtered, filters);
        if (strcmp(without, "filter")) {
            wait(from_filter, &filtered, consumes);
        }
        NvSciSyncFenceClear(&filtered);
        sum<<<H - TOP, W, 0, consumes>>>(out, &total[n]);
        if (strcmp(without, "queue")) {
            OK(cudaStreamSynchronize(filters));
        } else { // waits for the camera alone
            wait(from_camera, &captured[i], other);
            OK(cudaStreamSynchronize(other));
        }
        if (n + BUFFERS < FRAMES) {
            OK(vtegraCameraSciQueue(camera, i, &captured[i]));
        }
        if (strcmp(without, "wait")) {
            OK(cudaStreamSynchronize(consumes));
        }
        bad += total[n] != expected(n);
    }
    OK(cudaDeviceSynchronize());
    printf("%u of %d frames wrong\n", bad, FRAMES);
    OK(vtegraCameraSciClose(camera));
    OK(cudaDestroyExternalSemaphore(from_camera));
    OK(cudaDestroyExternalSemaphore(from_filter));
    for (unsigned i = 0; i < BUFFERS; i++) {
        NvSciSyncFenceClear(&captured[i]);
    }
    NvSciSyncObjFree(by_camera);
    NvSciSyncObjFree(by_filter);
    return bad != 0;
}
