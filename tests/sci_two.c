/* SPDX-License-Identifier: MIT */
/* Two processes on one board: cam fills a buffer with CUDA and signals, app waits, checks each byte
 * and signals back. cam may be killed and started again at any moment: app goes on with the new
 * one, and never sees a byte that is not the frame's.
 *
 *   sci_two cam FRAMES [stall]  FRAMES frames, then it ends; stall: then a fence that it never
 *                               signals, until it is killed
 *   sci_two app FRAMES WAIT   until it has had so many; WAIT: cpu, or gpu (the stream waits)
 *   sci_two init              NvSciIpcInit() alone, before CUDA
 *   sci_two keep 0            has a board and does nothing with it until its input ends
 *   sci_two both FRAMES WAIT  starts cam and app, each with a trace and a report (cam.trace)
 *
 * WITHOUT=frame in the environment: app does not wait for the frame; WITHOUT=done: it only copies
 * it, and cam does not wait for that before the next one. GPU_CAM, GPU_APP: its device, 0 if unset.
 *
 * Status: 1: an error that is none of a killed process's; 3: boards of their own; 4: the board is
 * gone; 7: cudaErrorLaunchTimeout, work of the other process will not come; 9: a wrong byte. */
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "include/cuda.h"
#include "include/nvscibuf.h"
#include "include/nvsciipc.h"
#include "include/nvscisync.h"

enum { SIZE = 16384, FRAME = 4096, SIGNAL = 1, WAIT = 2 /* CUDA_NVSCISYNC_ATTR_ */ };

enum { FAILED = 1, OTHER_BOARD = 3, NO_BOARD = 4, OTHER_GONE = 7, WRONG_BYTE = 9 };

static int status_of_failure(void)
{
    switch (cuCtxSynchronize()) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
        return NO_BOARD;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
        return OTHER_GONE;
    default:
        return FAILED;
    }
}

#define CHECK(call, want)                                                       \
    do {                                                                        \
        long r_ = (long)(call);                                                 \
        if (r_ != (long)(want)) {                                               \
            fprintf(stderr, "%s:%d: %s: %ld\n", __FILE__, __LINE__, #call, r_); \
            exit(status_of_failure());                                          \
        }                                                                       \
    } while (0)
#define OK(call) CHECK(call, NvSciError_Success)
#define CU(call) CHECK(call, CUDA_SUCCESS)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static NvSciSyncCpuWaitContext waits;
static CUdevice device;
static CUstream streams[2], stream;

/* What a process has of one connection. @frame: cam signals; @done: app does. */
static struct {
    NvSciIpcEndpoint end;
    bool reset; /* which is said once */
    NvSciBufAttrList buf_list;
    NvSciSyncAttrList frame_list, done_list;
    NvSciBufObj buf;
    NvSciSyncObj frame, done;
    CUexternalMemory memory;
    CUexternalSemaphore frame_sem, done_sem;
    CUdeviceptr mapped;
} my;

struct message {
    uint32_t number;
    uint8_t byte;
    NvSciSyncFenceIpcExportDescriptor fence;
};

/* --- the channel --- */

/* A process that waits for the other one alone would not see that the board is gone. */
static void board_ask(void)
{
    CUresult result = cuStreamQuery(stream);

    if (result != CUDA_ERROR_NOT_READY) {
        CU(result);
    }
}

/* false: the other end is gone. */
static bool wait_event(uint32_t mask)
{
    struct pollfd fd = { .events = POLLIN };
    uint32_t events;

    OK(NvSciIpcGetLinuxEventFd(my.end, &fd.fd));
    for (;;) {
        OK(NvSciIpcGetEventSafe(my.end, &events));
        my.reset |= (events & NV_SCI_IPC_EVENT_CONN_RESET) != 0;
        if (events & mask) {
            return true;
        }
        if (my.reset) {
            return false;
        }
        if (!poll(&fd, 1, 100)) {
            board_ask();
        }
    }
}

static bool established(void)
{
    OK(NvSciIpcResetEndpointSafe(my.end));
    my.reset = false;
    if (!wait_event(NV_SCI_IPC_EVENT_CONN_EST)) {
        return false;
    }
    fputs("established\n", stderr);
    return true;
}

static bool send_bytes(const void *bytes, size_t len)
{
    char frame[FRAME];
    uint32_t n, total = (uint32_t)len;

    if (len > FRAME - sizeof(total)) {
        fprintf(stderr, "%zu bytes in a frame\n", len);
        exit(1);
    }
    memcpy(frame, &total, sizeof(total));
    memcpy(frame + sizeof(total), bytes, len);
    return wait_event(NV_SCI_IPC_EVENT_WRITE) &&
           NvSciIpcWriteSafe(my.end, frame, (uint32_t)(len + sizeof(total)), &n) ==
               NvSciError_Success;
}

/* Return: its length; 0: the other end is gone. */
static size_t take_bytes(void *bytes)
{
    char frame[FRAME];
    uint32_t n, total;

    if (!wait_event(NV_SCI_IPC_EVENT_READ) ||
        NvSciIpcReadSafe(my.end, frame, FRAME, &n) != NvSciError_Success) {
        return 0;
    }
    memcpy(&total, frame, sizeof(total));
    if (total > FRAME - sizeof(total)) {
        return 0;
    }
    memcpy(bytes, frame + sizeof(total), total);
    return total;
}

/* --- lists and objects --- */

static void lists_make(bool cam)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm =
        cam ? NvSciBufAccessPerm_ReadWrite : NvSciBufAccessPerm_Readonly;
    uint64_t size = SIZE;
    bool yes = true;
    NvSciRmGpuId gpu;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_GpuId, &gpu, sizeof(gpu) },
    };
    NvSciSyncAttrKeyValuePair cpu = { NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) };

    CU(cuDeviceGetUuid((CUuuid *)&gpu, device));
    OK(NvSciBufAttrListCreate(bufs, &my.buf_list));
    OK(NvSciBufAttrListSetAttrs(my.buf_list, pairs, 4));
    OK(NvSciSyncAttrListCreate(syncs, &my.frame_list));
    CU(cuDeviceGetNvSciSyncAttributes(my.frame_list, device, cam ? SIGNAL : WAIT));
    OK(NvSciSyncAttrListCreate(syncs, &my.done_list));
    CU(cuDeviceGetNvSciSyncAttributes(my.done_list, device, cam ? WAIT : SIGNAL));
    OK(NvSciSyncAttrListSetAttrs(cam ? my.done_list : my.frame_list, &cpu, 1));
}

static bool lists_send(void)
{
    void *bytes;
    size_t len;
    bool sent;

    OK(NvSciBufAttrListIpcExportUnreconciled(&my.buf_list, 1, my.end, &bytes, &len));
    sent = send_bytes(bytes, len);
    NvSciBufAttrListFreeDesc(bytes);
    OK(NvSciSyncAttrListIpcExportUnreconciled(&my.frame_list, 1, my.end, &bytes, &len));
    sent = sent && send_bytes(bytes, len);
    NvSciSyncAttrListFreeDesc(bytes);
    OK(NvSciSyncAttrListIpcExportUnreconciled(&my.done_list, 1, my.end, &bytes, &len));
    sent = sent && send_bytes(bytes, len);
    NvSciSyncAttrListFreeDesc(bytes);
    return sent;
}

static bool sync_make(NvSciSyncAttrList mine, NvSciSyncObj *obj)
{
    char bytes[FRAME];
    size_t len = take_bytes(bytes);
    NvSciSyncAttrList list[2] = { mine }, conflict;
    void *desc;

    if (!len) {
        return false;
    }
    OK(NvSciSyncAttrListIpcImportUnreconciled(syncs, my.end, bytes, len, &list[1]));
    OK(NvSciSyncAttrListReconcileAndObjAlloc(list, 2, obj, &conflict));
    NvSciSyncAttrListFree(list[1]);
    OK(NvSciSyncIpcExportAttrListAndObj(*obj, NvSciSyncAccessPerm_Auto, my.end, &desc, &len));
    len = send_bytes(desc, len);
    NvSciSyncAttrListAndObjFreeDesc(desc);
    return len;
}

/* cam: reconciles, allocates and exports. */
static bool objects_make(void)
{
    char bytes[FRAME];
    size_t len = take_bytes(bytes);
    NvSciBufAttrList list[2] = { my.buf_list }, conflict;
    void *desc;
    bool sent;

    if (!len) {
        return false;
    }
    OK(NvSciBufAttrListIpcImportUnreconciled(bufs, my.end, bytes, len, &list[1]));
    OK(NvSciBufAttrListReconcileAndObjAlloc(list, 2, &my.buf, &conflict));
    NvSciBufAttrListFree(list[1]);
    OK(NvSciBufIpcExportAttrListAndObj(my.buf, NvSciBufAccessPerm_Auto, my.end, &desc, &len));
    sent = send_bytes(desc, len);
    NvSciBufAttrListAndObjFreeDesc(desc);
    return sent && sync_make(my.frame_list, &my.frame) && sync_make(my.done_list, &my.done);
}

/* An exporter that has been killed takes what was not imported with it. */
static bool taken(NvSciError error)
{
    if (error == NvSciError_NotSupported) {
        exit(OTHER_BOARD);
    }
    return error == NvSciError_Success;
}

/* app */
static bool objects_take(void)
{
    char bytes[FRAME];
    size_t len = take_bytes(bytes);

    if (!len || !taken(NvSciBufIpcImportAttrListAndObj(bufs, my.end, bytes, len, &my.buf_list, 1,
                                                       NvSciBufAccessPerm_Auto, 0, &my.buf))) {
        return false;
    }
    len = take_bytes(bytes);
    if (!len ||
        !taken(NvSciSyncIpcImportAttrListAndObj(syncs, my.end, bytes, len, &my.frame_list, 1,
                                                NvSciSyncAccessPerm_Auto, 0, &my.frame))) {
        return false;
    }
    len = take_bytes(bytes);
    return len && taken(NvSciSyncIpcImportAttrListAndObj(syncs, my.end, bytes, len, &my.done_list,
                                                         1, NvSciSyncAccessPerm_Auto, 0, &my.done));
}

static void import(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                                .handle.nvSciBufObject = my.buf,
                                                .size = SIZE };
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole = { .size = SIZE };
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC sync = { .type =
                                                     CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC };

    CU(cuImportExternalMemory(&my.memory, &memory));
    CU(cuExternalMemoryGetMappedBuffer(&my.mapped, my.memory, &whole));
    sync.handle.nvSciSyncObj = my.frame;
    CU(cuImportExternalSemaphore(&my.frame_sem, &sync));
    sync.handle.nvSciSyncObj = my.done;
    CU(cuImportExternalSemaphore(&my.done_sem, &sync));
}

static void give_back(void)
{
    if (my.mapped) {
        CU(cuStreamSynchronize(stream));
        CU(cuMemFree(my.mapped));
        CU(cuDestroyExternalMemory(my.memory));
        CU(cuDestroyExternalSemaphore(my.frame_sem));
        CU(cuDestroyExternalSemaphore(my.done_sem));
    }
    NvSciBufObjFree(my.buf);
    NvSciSyncObjFree(my.frame);
    NvSciSyncObjFree(my.done);
    NvSciBufAttrListFree(my.buf_list);
    NvSciSyncAttrListFree(my.frame_list);
    NvSciSyncAttrListFree(my.done_list);
    my.buf = NULL;
    my.frame = my.done = NULL;
    my.mapped = 0;
}

/* --- frames --- */

static bool signal_send(CUexternalSemaphore sem, struct message *m)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = { .params.nvSciSync.fence = &fence };

    CU(cuSignalExternalSemaphoresAsync(&sem, &signal, 1, stream));
    OK(NvSciSyncIpcExportFence(&fence, my.end, &m->fence));
    NvSciSyncFenceClear(&fence);
    return send_bytes(m, sizeof(*m));
}

/* The mistake that the environment asks for: a wait is left out. */
static bool without(const char *what)
{
    const char *wrong = getenv("WITHOUT");

    return wrong && !strcmp(wrong, what);
}

static void stream_wait(CUexternalSemaphore sem, NvSciSyncFence *fence)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { .params.nvSciSync.fence = fence };

    CU(cuWaitExternalSemaphoresAsync(&sem, &wait, 1, stream));
}

static void stall(void)
{
    NvSciSyncFence never = NvSciSyncFenceInitializer;
    struct message m = { .number = UINT32_MAX };

    OK(NvSciSyncFenceUpdateFence(my.frame, 0, 1000000, &never));
    OK(NvSciSyncIpcExportFence(&never, my.end, &m.fence));
    NvSciSyncFenceClear(&never);
    send_bytes(&m, sizeof(m));
    puts("stalls");
    fflush(stdout);
    pause();
}

/* Another one in each process; where they take turns, the same in each run. */
static uint32_t clock_salt(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint32_t)(now.tv_nsec / 1000);
}

static int cam(uint32_t frames, bool stalls)
{
    NvSciSyncFence done = NvSciSyncFenceInitializer;
    uint32_t salt = clock_salt();
    struct message m;

    if (!established()) {
        return 0;
    }
    lists_make(true);
    if (!objects_make()) {
        return 0;
    }
    import();
    for (uint32_t i = 1; i <= frames; i++) {
        m = (struct message){ .number = i, .byte = (uint8_t)(i * 7 + salt) };
        CU(cuMemsetD8Async(my.mapped, m.byte, SIZE, stream));
        if (!signal_send(my.frame_sem, &m) || take_bytes(&m) != sizeof(m)) {
            return 0;
        }
        OK(NvSciSyncIpcImportFence(my.done, &m.fence, &done));
        stream = streams[i % 2]; /* ordered with the other one by the app alone */
        if (without("done") && i < frames) {
            continue;
        }
        if (i < frames || frames % 2) {
            stream_wait(my.done_sem, &done); /* before the next frame overwrites this one */
        } else {
            OK(NvSciSyncFenceWait(&done, waits, -1)); /* before the buffer is given back */
        }
    }
    NvSciSyncFenceClear(&done);
    if (stalls) {
        stall();
    }
    give_back();
    return 0;
}

static void bytes_check(const struct message *m)
{
    static uint8_t got[SIZE];

    CU(cuMemcpyDtoHAsync(got, my.mapped, SIZE, stream));
    CU(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < SIZE; i++) {
        if (got[i] != m->byte && !getenv("WITHOUT")) {
            fprintf(stderr, "frame %u: byte %u is 0x%x, not 0x%x\n", m->number, i, got[i], m->byte);
            exit(WRONG_BYTE);
        }
    }
}

/* For work that is not done when the other process learns of its fence. */
static void bytes_copy(void)
{
    static CUdeviceptr copy;

    if (!copy) {
        CU(cuMemAlloc(&copy, SIZE));
    }
    CU(cuMemcpyDtoDAsync(copy, my.mapped, SIZE, stream));
}

/* Return: frames that were good, until the other end went. */
static uint32_t session(uint32_t most, bool gpu)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    struct message m;
    uint32_t n = 0;

    if (!established()) {
        return 0;
    }
    lists_make(false);
    if (lists_send() && objects_take()) {
        import();
        while (n < most && take_bytes(&m) == sizeof(m)) {
            OK(NvSciSyncIpcImportFence(my.frame, &m.fence, &fence));
            if (without("frame")) {
                NvSciSyncFenceClear(&fence);
            } else if (gpu) {
                stream_wait(my.frame_sem, &fence);
            } else if (NvSciSyncFenceWait(&fence, waits, -1) != NvSciError_Success) {
                break; /* it was killed before its work had run */
            }
            if (gpu && m.number == UINT32_MAX) {
                CUresult result = cuStreamSynchronize(stream);

                printf("%u frames, then %d\n", n, (int)result);
                fflush(stdout);
                _exit(0);
            }
            if (without("done")) {
                bytes_copy();
            } else {
                bytes_check(&m);
            }
            n++;
            if (!signal_send(my.done_sem, &m)) {
                break;
            }
        }
    }
    NvSciSyncFenceClear(&fence);
    give_back();
    return n;
}

static int app(uint32_t frames, bool gpu)
{
    uint32_t good = 0, sessions = 0;

    while (good < frames) {
        uint32_t n = session(frames - good, gpu);

        good += n;
        sessions += n > 0;
    }
    printf("%u frames, %u sessions\n", good, sessions);
    fflush(stdout);
    return 0;
}

static pid_t start(char *program, char *role, char *frames, char *wait)
{
    char *argv[] = { program, role, frames, role[0] == 'a' ? wait : NULL, NULL }, path[32];
    extern char **environ;
    pid_t child;

    snprintf(path, sizeof(path), "%s.trace", role);
    setenv("VTEGRA_TRACE", path, 1);
    snprintf(path, sizeof(path), "%s.report", role);
    setenv("VTEGRA_REPORT", path, 1);
    CHECK(posix_spawn(&child, program, NULL, NULL, argv, environ), 0);
    return child;
}

static int both(char **argv)
{
    pid_t cam = start(argv[0], "cam", argv[2], argv[3]);
    pid_t app = start(argv[0], "app", argv[2], argv[3]);
    int status[2];

    CHECK(waitpid(cam, &status[0], 0), cam);
    CHECK(waitpid(app, &status[1], 0), app);
    return status[0] || status[1];
}

int main(int argc, char **argv)
{
    bool is_cam = argc > 2 && !strcmp(argv[1], "cam");
    const char *gpu = getenv(is_cam ? "GPU_CAM" : "GPU_APP");
    uint32_t frames = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    CUcontext context;
    int status;

    if (argc == 4 && !strcmp(argv[1], "both")) {
        return both(argv);
    }
    if (argc > 1 && !strcmp(argv[1], "init")) {
        return NvSciIpcInit() != NvSciError_Success;
    }
    CU(cuInit(0));
    CU(cuDeviceGet(&device, gpu ? atoi(gpu) : 0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    CU(cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    stream = streams[0];
    if (argc > 1 && !strcmp(argv[1], "keep")) {
        puts("kept");
        fflush(stdout);
        getchar();
        return 0;
    }
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(NvSciSyncCpuWaitContextAlloc(syncs, &waits));
    OK(NvSciIpcInit());
    OK(NvSciIpcOpenEndpoint(is_cam ? "cam" : "app", &my.end));
    status = is_cam ? cam(frames, argc > 3) : app(frames, argc > 3 && !strcmp(argv[3], "gpu"));
    if (!is_cam && argc > 4) { /* for who counts what is left */
        getchar();
    }
    NvSciIpcCloseEndpoint(my.end);
    return status;
}
