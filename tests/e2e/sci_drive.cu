/* SPDX-License-Identifier: MIT */
/* NvSci between the two GPUs of a DRIVE: sci_drive CASE. Expected: DRIVE OS 6.0.3 API reference,
 * nvscibuf.h (GpuId, EnableGpuCache, GpuSwNeedCacheCoherency); DriveOS 7.0.3 NvStreams, VidMem
 * Buffers; CUDA for Tegra, Table 1, third column. */
#include "../../scenarios/sci/sci.h"

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value + threadIdx.x;
}

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

enum { DGPU, IGPU };

static NvSciRmGpuId id_of(int device)
{
    struct cudaDeviceProp prop;
    NvSciRmGpuId id;

    OK(cudaGetDeviceProperties(&prop, device));
    memcpy(&id, &prop.uuid, sizeof(id));
    return id;
}

/* A list of one user: GPU @device, or -1: the CPU, -2: an engine of NvMedia. @vidmem: wants that
 * GPU's memory. @cache: of the GPU, -1: no wish. */
static NvSciBufAttrList list_of(int device, int vidmem, int cache)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    uint64_t bytes = COUNT * sizeof(int), align = 4096;
    bool cpu = device == -1;
    NvSciBufPeerHwEngine engine = { NvSciBufHwEngName_Vic, 0 };
    NvSciRmGpuId id = device >= 0 ? id_of(device) : NvSciRmGpuId(),
                 own = vidmem >= 0 ? id_of(vidmem) : NvSciRmGpuId();
    NvSciBufAttrValGpuCache wish = { id, cache == 1 };
    NvSciBufAttrKeyValuePair pairs[9];
    NvSciBufAttrList list;
    size_t n = 0;

    pairs[n++] = { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) };
    pairs[n++] = { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) };
    pairs[n++] = { NvSciBufRawBufferAttrKey_Size, &bytes, sizeof(bytes) };
    pairs[n++] = { NvSciBufRawBufferAttrKey_Align, &align, sizeof(align) };
    pairs[n++] = { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) };
    if (device >= 0) {
        pairs[n++] = { NvSciBufGeneralAttrKey_GpuId, &id, sizeof(id) };
    }
    if (device == -2) {
        pairs[n++] = { NvSciBufGeneralAttrKey_PeerHwEngineArray, &engine, sizeof(engine) };
    }
    if (vidmem >= 0) {
        pairs[n++] = { NvSciBufGeneralAttrKey_VidMem_GpuId, &own, sizeof(own) };
    }
    if (cache >= 0) {
        pairs[n++] = { NvSciBufGeneralAttrKey_EnableGpuCache, &wish, sizeof(wish) };
    }
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, n));
    return list;
}

static void show(NvSciBufAttrList list, const char *name, NvSciBufAttrKey key)
{
    NvSciBufAttrKeyValuePair pair = { key, NULL, 0 };
    const NvSciBufAttrValGpuCache *v;

    OK(NvSciBufAttrListGetAttrs(list, &pair, 1));
    v = (const NvSciBufAttrValGpuCache *)pair.value;
    printf("%s:", name);
    for (int d = DGPU; d <= IGPU; d++) {
        NvSciRmGpuId id = id_of(d);

        for (size_t i = 0; i < pair.len / sizeof(*v); i++) {
            if (!memcmp(&v[i].gpuId, &id, sizeof(id))) {
                printf(" %s %d", d == DGPU ? "dGPU" : "iGPU", v[i].cacheability);
            }
        }
    }
    printf("\n");
}

static NvSciBufObj reconciled(NvSciBufAttrList a, NvSciBufAttrList b)
{
    NvSciBufAttrList both[] = { a, b }, out, conflict = NULL;
    NvSciBufObj object = NULL;
    NvSciError e = NvSciBufAttrListReconcile(both, b ? 2 : 1, &out, &conflict);

    if (e) {
        printf("reconciliation: %s\n", e == NvSciError_ReconciliationFailed
                                           ? "NvSciError_ReconciliationFailed"
                                           : "another error");
        return NULL;
    }
    show(out, "EnableGpuCache", NvSciBufGeneralAttrKey_EnableGpuCache);
    show(out, "GpuSwNeedCacheCoherency", NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency);
    OK(NvSciBufObjAlloc(out, &object));
    return object;
}

/* A sync object that @from signals and @to waits for. */
static NvSciSyncObj sync_between(int from, int to)
{
    NvSciSyncAttrList lists[2], out, conflict = NULL;
    NvSciSyncObj object;

    for (int i = 0; i < 2; i++) {
        OK(NvSciSyncAttrListCreate(syncs, &lists[i]));
        OK(cudaDeviceGetNvSciSyncAttributes(lists[i], i ? to : from,
                                            i ? cudaNvSciSyncAttrWait : cudaNvSciSyncAttrSignal));
    }
    OK(NvSciSyncAttrListReconcile(lists, 2, &out, &conflict));
    OK(NvSciSyncObjAlloc(out, &object));
    return object;
}

static cudaExternalSemaphore_t semaphore(NvSciSyncObj object)
{
    struct cudaExternalSemaphoreHandleDesc d;
    cudaExternalSemaphore_t s;

    memset(&d, 0, sizeof(d));
    d.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    d.handle.nvSciSyncObj = object;
    OK(cudaImportExternalSemaphore(&s, &d));
    return s;
}

/* @from fills the buffer, signals, and @to waits, doubles and reads it. */
static void hand_over(NvSciBufObj object, int from, int to)
{
    struct cudaExternalSemaphoreSignalParams signal;
    struct cudaExternalSemaphoreWaitParams wait;
    cudaExternalSemaphore_t s[2];
    cudaStream_t work[2];
    imported in[2];
    int *host, wrong = 0;
    NvSciSyncObj sync = sync_between(from, to);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    memset(&signal, 0, sizeof(signal));
    memset(&wait, 0, sizeof(wait));
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i ? to : from));
        OK(cudaStreamCreateWithFlags(&work[i], cudaStreamNonBlocking));
        in[i] = buffer_gpu(object);
        s[i] = semaphore(sync);
    }
    OK(cudaMallocHost((void **)&host, COUNT * sizeof(int)));
    OK(cudaSetDevice(from));
    fill<<<1, COUNT, 0, work[0]>>>(in[0].gpu, 5);
    signal.params.nvSciSync.fence = &fence;
    OK(cudaSignalExternalSemaphoresAsync(&s[0], &signal, 1, work[0]));
    OK(cudaSetDevice(to));
    wait.params.nvSciSync.fence = &fence;
    OK(cudaWaitExternalSemaphoresAsync(&s[1], &wait, 1, work[1]));
    twice<<<1, COUNT, 0, work[1]>>>(in[1].gpu);
    OK(cudaMemcpyAsync(host, in[1].gpu, COUNT * sizeof(int), cudaMemcpyDefault, work[1]));
    OK(cudaStreamSynchronize(work[1]));
    for (int i = 0; i < COUNT; i++) {
        wrong += host[i] != 2 * (5 + i);
    }
    printf("%d to %d: %d wrong\n", from, to, wrong);
}

/* The memory is the discrete GPU's own: its pointer says so, and the bytes count there. */
static void vidmem(void)
{
    size_t before, after, total;
    cudaPointerAttributes a;
    cudaExternalMemory_t m;
    NvSciBufObj object;
    imported in;
    int *host;

    OK(cudaSetDevice(DGPU));
    OK(cudaFree(NULL));
    OK(cudaMemGetInfo(&before, &total));
    object = reconciled(list_of(DGPU, DGPU, -1), NULL);
    OK(cudaMemGetInfo(&after, &total));
    printf("bytes of the discrete GPU: %d\n", before - after >= COUNT * sizeof(int));
    in = buffer_gpu(object);
    OK(cudaPointerGetAttributes(&a, in.gpu));
    printf("device %d\n", a.device);
    OK(cudaMallocHost((void **)&host, COUNT * sizeof(int)));
    fill<<<1, COUNT>>>(in.gpu, 1);
    OK(cudaMemcpy(host, in.gpu, COUNT * sizeof(int), cudaMemcpyDefault));
    printf("last %d\n", host[COUNT - 1]);
    imported_free(in);
    OK(cudaSetDevice(IGPU));
    printf("import there: %s\n", cudaGetErrorName(buffer_import(object, COUNT * sizeof(int), &m)));
    NvSciBufObjFree(object);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    setvbuf(stdout, NULL, _IOLBF, 0);
    sci_open();
    if (!strcmp(what, "there")) {
        hand_over(reconciled(list_of(DGPU, -1, -1), list_of(IGPU, -1, -1)), IGPU, DGPU);
    } else if (!strcmp(what, "back")) {
        hand_over(reconciled(list_of(DGPU, -1, -1), list_of(IGPU, -1, -1)), DGPU, IGPU);
    } else if (!strcmp(what, "cached")) {
        hand_over(reconciled(list_of(DGPU, -1, 1), list_of(IGPU, -1, 1)), DGPU, IGPU);
    } else if (!strcmp(what, "vidmem")) {
        vidmem();
    } else if (!strcmp(what, "vidmem_media")) {
        reconciled(list_of(DGPU, DGPU, -1), list_of(-2, -1, -1));
    } else if (!strcmp(what, "vidmem_cpu")) {
        reconciled(list_of(DGPU, DGPU, -1), list_of(-1, -1, -1));
    } else if (!strcmp(what, "vidmem_two")) {
        reconciled(list_of(DGPU, DGPU, -1), list_of(IGPU, -1, -1));
    } else {
        reconciled(list_of(IGPU, IGPU, -1), NULL);
    }
    return 0;
}
