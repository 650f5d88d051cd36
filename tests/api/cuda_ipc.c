/* SPDX-License-Identifier: MIT */
/* CUDA IPC and shareable handles between two processes: prints what each call answers, as
 * cuda_codes.c. The two take turns, so that the lines have one order; the parent imports. NVIDIA's
 * driver's answers are tests/golden/cuda_ipc_<driver>.txt. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_codes.h"

enum { BYTES = 1 << 20, AT = 4096, HANG_S = 120 };

struct message {
    CUipcMemHandle mem, mem_inside, mem_kept, mem_gone, mem_late;
    CUipcEventHandle event, event_kept, event_gone, event_late;
};

static int line; /* to the other process */
static struct message m;
static CUdevice device;
static CUcontext context;
static CUstream stream;

void code_before(const char *call)
{
    printf("%s: ", call);
    fflush(stdout);
}

CUresult code_after(CUresult code)
{
    const char *name = NULL;

    if (cuGetErrorName(code, &name) == CUDA_SUCCESS && name) {
        printf("%s\n", strcmp(name, "CUDA_SUCCESS") ? name + strlen("CUDA_ERROR_") : "OK");
    } else {
        printf("code %d\n", (int)code);
    }
    fflush(stdout);
    return code;
}

void value_print(const char *what, long long value)
{
    printf("    %s = %lld\n", what, value);
    fflush(stdout);
}

static void section(const char *name)
{
    printf("\n[%s]\n", name);
    fflush(stdout);
}

/* --- turns --- */

static void pass_fd(int fd)
{
    char byte = 'T', control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    struct cmsghdr *head;

    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(fd));
        memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    }
    if (sendmsg(line, &message, MSG_NOSIGNAL) != 1) {
        _exit(3);
    }
}

/* Return: what came with it; -1. */
static int take_turn(void)
{
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec part = { &byte, 1 };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    int fd = -1;

    if (recvmsg(line, &message, 0) != 1) {
        return -1; /* the other one has ended */
    }
    if (message.msg_controllen) {
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
    }
    return fd;
}

static void begin(void)
{
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)) {
        printf("no context\n");
        _exit(2);
    }
}

static unsigned char byte_at(CUdeviceptr p)
{
    unsigned char byte = 0;

    return cuMemcpyDtoH(&byte, p, 1) ? 255 : byte;
}

/* --- the exporter --- */

static CUdeviceptr p, kept;
static CUevent event, event_kept;

static void exporter_handles(void)
{
    CUipcMemHandle other;
    CUipcEventHandle other_event;
    CUdeviceptr managed = 0, freed = 0, q = 0;
    CUevent plain = NULL, again = NULL;
    void *host = NULL;

    section("export");
    C(cuMemAlloc(&p, BYTES));
    C(cuMemAlloc(&kept, BYTES));
    C(cuMemsetD8(p, 5, BYTES));
    C(cuMemsetD8(kept, 9, BYTES));
    C(cuCtxSynchronize());
    C(cuIpcGetMemHandle(&m.mem, p));
    C(cuIpcGetMemHandle(&other, p));
    V(!memcmp(&other, &m.mem, sizeof(other)));
    C(cuIpcGetMemHandle(&m.mem_inside, p + AT));
    C(cuIpcGetMemHandle(&m.mem_kept, kept));
    C(cuIpcGetMemHandle(NULL, p));
    C(cuIpcGetMemHandle(&other, 0));
    C(cuIpcGetMemHandle(&other, (CUdeviceptr)(uintptr_t)&p));
    cuMemHostAlloc(&host, 4096, 0);
    C(cuIpcGetMemHandle(&other, (CUdeviceptr)(uintptr_t)host));
    cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL);
    C(cuIpcGetMemHandle(&other, managed));
    cuMemAlloc(&freed, BYTES);
    cuMemFree(freed);
    C(cuIpcGetMemHandle(&other, freed));
    C(cuIpcCloseMemHandle(p));
    C(cuIpcCloseMemHandle(0));
    C(cuEventCreate(&plain, CU_EVENT_INTERPROCESS));
    C(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    C(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    C(cuEventCreate(&event_kept, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    C(cuIpcGetEventHandle(&m.event, event));
    C(cuIpcGetEventHandle(&other_event, event));
    V(!memcmp(&other_event, &m.event, sizeof(other_event)));
    C(cuIpcGetEventHandle(&m.event_kept, event_kept));
    C(cuIpcGetEventHandle(&other_event, plain));
    C(cuIpcGetEventHandle(NULL, event));
    C(cuIpcGetEventHandle(&other_event, NULL));
    C(cuMemAlloc(&freed, BYTES));
    C(cuIpcGetMemHandle(&m.mem_gone, freed));
    C(cuMemFree(freed));
    C(cuMemAlloc(&freed, BYTES));
    C(cuIpcGetMemHandle(&m.mem_late, freed));
    C(cuEventCreate(&plain, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    C(cuIpcGetEventHandle(&m.event_gone, plain));
    C(cuEventDestroy(plain));
    C(cuEventCreate(&plain, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    C(cuIpcGetEventHandle(&m.event_late, plain));
    section("own");
    C(cuIpcOpenMemHandle(&q, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenEventHandle(&again, m.event));
}

static void exporter_orders(void)
{
    section("record");
    C(cuMemsetD8Async(p, 6, BYTES, stream));
    C(cuEventRecord(event, stream));
    C(cuEventRecord(event_kept, stream));
}

static void exporter_reads(void)
{
    section("record of the importer");
    C(cuEventSynchronize(event));
    V(byte_at(p));
    C(cuStreamSynchronize(stream));
    section("freed by the exporter");
    C(cuEventDestroy(event));
    C(cuMemFree(p));
}

static CUmemGenericAllocationHandle physical;
static size_t granularity;

static CUdeviceptr mapped(CUmemGenericAllocationHandle handle)
{
    CUmemAccessDesc all = { .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
                            .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUdeviceptr at = 0;

    C(cuMemAddressReserve(&at, granularity, 0, 0, 0));
    C(cuMemMap(at, granularity, 0, handle, 0));
    C(cuMemSetAccess(at, granularity, &all, 1));
    return at;
}

static CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
                                    .requestedHandleTypes =
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR };

static int exporter_shares(void)
{
    CUdeviceptr at;
    int fd = -1;

    section("shareable");
    cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    C(cuMemCreate(&physical, granularity, &prop, 0));
    C(cuMemExportToShareableHandle(&fd, physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    at = mapped(physical);
    C(cuMemsetD8(at, 11, granularity));
    C(cuCtxSynchronize());
    return fd;
}

static int exporter(void)
{
    begin();
    exporter_handles();
    if (write(line, &m, sizeof(m)) != sizeof(m)) {
        return 3;
    }
    take_turn();
    exporter_orders();
    pass_fd(-1);
    take_turn();
    exporter_reads();
    pass_fd(-1);
    take_turn();
    pass_fd(exporter_shares());
    take_turn();
    C(cuMemRelease(physical));
    fflush(stdout);
    _exit(0); /* with all that it has exported */
}

/* --- the importer --- */

static CUdeviceptr q;
static CUevent theirs, theirs_kept;

static void importer_opens(void)
{
    CUipcMemHandle zero, other;
    CUipcEventHandle zero_event;
    CUdeviceptr again = 0, base = 0;
    CUevent none = NULL;
    size_t size = 0;
    float ms;

    memset(&zero, 0, sizeof(zero));
    memset(&zero_event, 0, sizeof(zero_event));
    section("import");
    C(cuIpcOpenMemHandle(&q, m.mem, 0));
    C(cuIpcOpenMemHandle(&q, m.mem, 2));
    C(cuIpcOpenMemHandle(NULL, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenMemHandle(&q, zero, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenMemHandle(&q, m.mem_gone, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenMemHandle(&q, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenMemHandle(&again, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    V(again == q);
    C(cuIpcOpenMemHandle(&again, m.mem_inside, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    V(again == q);
    V(again == q + AT);
    V(byte_at(q + AT));
    C(cuMemGetAddressRange(&base, &size, q + 8));
    V(base == q);
    V(size == BYTES);
    C(cuIpcGetMemHandle(&other, q));
    C(cuMemFree(q));
    C(cuIpcCloseMemHandle(q + 8));
    C(cuIpcCloseMemHandle(q));
    V(byte_at(q));
    C(cuIpcCloseMemHandle(q));
    C(cuIpcCloseMemHandle(q));
    C(cuIpcCloseMemHandle(q));
    C(cuMemcpyDtoH(&ms, q, 4));
    C(cuIpcOpenMemHandle(&q, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    section("events");
    C(cuIpcOpenEventHandle(&none, zero_event));
    C(cuIpcOpenEventHandle(NULL, m.event));
    C(cuIpcOpenEventHandle(&none, m.event_gone));
    C(cuIpcOpenEventHandle(&theirs, m.event));
    C(cuIpcOpenEventHandle(&none, m.event));
    V(none != theirs);
    C(cuEventQuery(none));
    C(cuEventSynchronize(none));
    C(cuStreamWaitEvent(stream, none, 0));
    C(cuEventElapsedTime(&ms, none, none));
    C(cuIpcGetEventHandle(&zero_event, theirs));
    C(cuEventDestroy(none));
    C(cuIpcOpenEventHandle(&theirs_kept, m.event_kept));
}

static void importer_orders(void)
{
    section("wait");
    C(cuStreamWaitEvent(stream, theirs, 0));
    C(cuMemsetD8Async(q + AT, 7, 1, stream));
    C(cuStreamSynchronize(stream));
    V(byte_at(q));
    V(byte_at(q + AT));
    C(cuEventQuery(theirs));
    C(cuMemsetD8Async(q, 8, BYTES, stream));
    C(cuEventRecord(theirs, stream));
}

static void importer_too_late(void)
{
    CUdeviceptr again = 0;
    CUevent none = NULL;

    C(cuEventQuery(theirs));
    C(cuStreamWaitEvent(stream, theirs, 0));
    C(cuEventRecord(theirs, stream));
    C(cuStreamSynchronize(stream));
    C(cuEventDestroy(theirs));
    C(cuIpcOpenMemHandle(&again, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcCloseMemHandle(q));
    C(cuIpcOpenMemHandle(&again, m.mem, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenEventHandle(&none, m.event));
}

static void importer_shares(int fd)
{
    CUmemGenericAllocationHandle handle = 0, twice = 0;
    CUmemAllocationProp got;
    CUdeviceptr at;
    int none = open("/dev/null", O_RDWR), ends[2];

    if (pipe(ends)) {
        _exit(3);
    }
    cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    C(cuMemImportFromShareableHandle(&handle, (void *)(uintptr_t)none,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemImportFromShareableHandle(&handle, (void *)(uintptr_t)ends[0],
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemImportFromShareableHandle(&handle, (void *)(uintptr_t)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemImportFromShareableHandle(&twice, (void *)(uintptr_t)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemGetAllocationPropertiesFromHandle(&got, handle));
    V(got.requestedHandleTypes);
    V(got.location.type);
    at = mapped(handle);
    V(byte_at(at + AT));
    C(cuMemRelease(handle));
    C(cuMemRelease(twice));
    C(cuMemUnmap(at, granularity));
}

static void importer_alone(int fd)
{
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr at = 0;
    CUevent none = NULL;

    section("after the exporter");
    C(cuEventQuery(theirs_kept));
    C(cuEventSynchronize(theirs_kept));
    C(cuStreamWaitEvent(stream, theirs_kept, 0));
    C(cuStreamSynchronize(stream));
    C(cuIpcOpenEventHandle(&none, m.event_kept));
    C(cuIpcOpenMemHandle(&at, m.mem_kept, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    V(byte_at(q));
    C(cuIpcOpenMemHandle(&at, m.mem_late, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    C(cuIpcOpenEventHandle(&none, m.event_late));
    C(cuIpcCloseMemHandle(q));
    C(cuMemImportFromShareableHandle(&handle, (void *)(uintptr_t)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}

static int importer(pid_t other)
{
    int fd;

    if (read(line, &m, sizeof(m)) != sizeof(m)) {
        return 3;
    }
    begin();
    importer_opens();
    pass_fd(-1);
    take_turn();
    importer_orders();
    pass_fd(-1);
    take_turn();
    importer_too_late();
    C(cuIpcOpenMemHandle(&q, m.mem_kept, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    pass_fd(-1);
    fd = take_turn();
    importer_shares(fd);
    pass_fd(-1);
    waitpid(other, NULL, 0);
    importer_alone(fd);
    fflush(stdout);
    return 0;
}

int main(void)
{
    int ends[2];
    pid_t other;

    alarm(HANG_S);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
        return 3;
    }
    other = fork(); /* before either has a driver */
    line = ends[other != 0];
    close(ends[other == 0]);
    return other ? importer(other) : exporter();
}
