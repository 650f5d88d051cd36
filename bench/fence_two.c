/* SPDX-License-Identifier: MIT */
/* From the signal of a fence in one process to the return of its wait in another, on one board,
 * against a round trip through pipes between the same two. At most 3 times that.
 *
 *   vtegra run --shared -- bench_fence_two
 *
 * The fences are deterministic: each side makes its own from the object and a number, and no fence
 * travels. The last figure, which has no limit, is with a fence sent by NvSciIpc for each signal.
 */
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "include/nvsciipc.h"
#include "include/nvscisync.h"

enum { ROUNDS = 1000, PASSES = 5, LIMIT = 3, FRAME = 4096 };

/* Side 0 signals object 0 and waits for object 1. */
static NvSciSyncModule module;
static NvSciSyncObj object[2];
static NvSciSyncCpuWaitContext context;
static NvSciIpcEndpoint end;
static int from_other, to_other; /* pipes */
static int side;

static void ok(NvSciError error)
{
    if (error != NvSciError_Success) {
        fprintf(stderr, "fence_two: error 0x%x\n", error);
        exit(2);
    }
}

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(2);
    }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- NvSciIpc --- */

static void wait_event(uint32_t mask)
{
    struct pollfd fd = { .events = POLLIN };
    uint32_t events;

    ok(NvSciIpcGetLinuxEventFd(end, &fd.fd));
    for (;;) {
        ok(NvSciIpcGetEventSafe(end, &events));
        if (events & mask) {
            return;
        }
        if (events & NV_SCI_IPC_EVENT_CONN_RESET) {
            fputs("fence_two: the other process has ended\n", stderr);
            exit(2);
        }
        poll(&fd, 1, -1);
    }
}

static void send_frame(const void *bytes, size_t len)
{
    char frame[FRAME] = { 0 };
    uint32_t n, total = (uint32_t)len;

    must(len <= FRAME - sizeof(total), "a frame");
    memcpy(frame, &total, sizeof(total));
    memcpy(frame + sizeof(total), bytes, len);
    wait_event(NV_SCI_IPC_EVENT_WRITE);
    ok(NvSciIpcWriteSafe(end, frame, (uint32_t)(len + sizeof(total)), &n));
}

static size_t take_frame(void *bytes)
{
    char frame[FRAME];
    uint32_t n, total;

    wait_event(NV_SCI_IPC_EVENT_READ);
    ok(NvSciIpcReadSafe(end, frame, FRAME, &n));
    memcpy(&total, frame, sizeof(total));
    must(total <= FRAME - sizeof(total), "a frame");
    memcpy(bytes, frame + sizeof(total), total);
    return total;
}

/* --- objects: side 0 allocates both --- */

static NvSciSyncAttrList list_of(NvSciSyncAccessPerm perm)
{
    bool yes = true;
    NvSciSyncAttrKeyValuePair pairs[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciSyncAttrKey_RequireDeterministicFences, &yes, sizeof(yes) },
    };
    NvSciSyncAttrList list;

    ok(NvSciSyncAttrListCreate(module, &list));
    ok(NvSciSyncAttrListSetAttrs(list, pairs, 3));
    return list;
}

static NvSciSyncObj object_make(NvSciSyncAttrList mine)
{
    char bytes[FRAME];
    size_t len = take_frame(bytes);
    NvSciSyncAttrList lists[2] = { mine }, conflict;
    NvSciSyncObj o;
    void *desc;

    ok(NvSciSyncAttrListIpcImportUnreconciled(module, end, bytes, len, &lists[1]));
    ok(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &o, &conflict));
    NvSciSyncAttrListFree(lists[1]);
    ok(NvSciSyncIpcExportAttrListAndObj(o, NvSciSyncAccessPerm_Auto, end, &desc, &len));
    send_frame(desc, len);
    NvSciSyncAttrListAndObjFreeDesc(desc);
    return o;
}

static NvSciSyncObj object_take(NvSciSyncAttrList mine)
{
    char bytes[FRAME];
    NvSciSyncObj o;
    void *desc;
    size_t len;

    ok(NvSciSyncAttrListIpcExportUnreconciled(&mine, 1, end, &desc, &len));
    send_frame(desc, len);
    NvSciSyncAttrListFreeDesc(desc);
    len = take_frame(bytes);
    ok(NvSciSyncIpcImportAttrListAndObj(module, end, bytes, len, &mine, 1, NvSciSyncAccessPerm_Auto,
                                        0, &o));
    return o;
}

static void objects_open(void)
{
    ok(NvSciSyncModuleOpen(&module));
    ok(NvSciSyncCpuWaitContextAlloc(module, &context));
    ok(NvSciIpcInit());
    ok(NvSciIpcOpenEndpoint(side ? "there" : "here", &end));
    ok(NvSciIpcResetEndpointSafe(end));
    wait_event(NV_SCI_IPC_EVENT_CONN_EST);
    for (int i = 0; i < 2; i++) {
        NvSciSyncAttrList list =
            list_of(i == side ? NvSciSyncAccessPerm_SignalOnly : NvSciSyncAccessPerm_WaitOnly);

        object[i] = side ? object_take(list) : object_make(list);
        NvSciSyncAttrListFree(list);
    }
}

static void objects_close(void)
{
    NvSciSyncObjFree(object[0]);
    NvSciSyncObjFree(object[1]);
    NvSciSyncCpuWaitContextFree(context);
    NvSciIpcCloseEndpoint(end);
    NvSciIpcDeinit();
    NvSciSyncModuleClose(module);
}

/* --- hand-overs: @give lets the other side's @take return --- */

static void pipe_give(uint64_t value)
{
    char byte = (char)value;

    must(write(to_other, &byte, 1) == 1, "write");
}

static void pipe_take(uint64_t value)
{
    char byte;

    must(read(from_other, &byte, 1) == 1 && byte == (char)value, "read");
}

static void fence_give(uint64_t value)
{
    (void)value;
    ok(NvSciSyncObjSignal(object[side]));
}

static void fence_take(uint64_t value)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    ok(NvSciSyncFenceUpdateFence(object[!side], 0, value, &fence));
    ok(NvSciSyncFenceWait(&fence, context, -1));
    NvSciSyncFenceClear(&fence);
}

static void sent_give(uint64_t value)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncFenceIpcExportDescriptor desc;

    ok(NvSciSyncFenceUpdateFence(object[side], 0, value, &fence));
    ok(NvSciSyncIpcExportFence(&fence, end, &desc));
    NvSciSyncFenceClear(&fence);
    send_frame(&desc, sizeof(desc));
    ok(NvSciSyncObjSignal(object[side]));
}

static void sent_take(uint64_t value)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncFenceIpcExportDescriptor desc;

    (void)value;
    must(take_frame(&desc) == sizeof(desc), "a fence");
    ok(NvSciSyncIpcImportFence(object[!side], &desc, &fence));
    ok(NvSciSyncFenceWait(&fence, context, -1));
    NvSciSyncFenceClear(&fence);
}

struct way {
    void (*give)(uint64_t value), (*take)(uint64_t value);
    uint64_t value; /* of the last round */
    double s;       /* of all rounds */
};

static void rounds(struct way *way)
{
    double start = now();

    for (int i = 0; i < ROUNDS; i++) {
        way->value++;
        if (side) {
            way->take(way->value);
        }
        way->give(way->value);
        if (!side) {
            way->take(way->value);
        }
    }
    way->s += now() - start;
}

/* Pipe and fence take turns, so that other work on the machine slows both. Return: too slow. */
static bool measure(void)
{
    struct way pipe = { pipe_give, pipe_take, 0, 0 }, fence = { fence_give, fence_take, 0, 0 };
    struct way sent = { sent_give, sent_take, (uint64_t)PASSES * ROUNDS, 0 };
    double trip_us, us, sent_us;

    for (int i = 0; i < PASSES; i++) {
        rounds(&pipe);
        rounds(&fence);
    }
    rounds(&sent);
    trip_us = pipe.s / (PASSES * ROUNDS) * 1e6;
    us = fence.s / (2 * PASSES * ROUNDS) * 1e6;
    sent_us = sent.s / (2 * ROUNDS) * 1e6;
    if (!side) {
        printf("fence, signal to wait across processes: %.1f us, pipe there and back %.1f us: %.1f "
               "x (at most %d); with a fence by NvSciIpc each time %.1f x\n",
               us, trip_us, us / trip_us, LIMIT, sent_us / trip_us);
    }
    return us / trip_us > LIMIT;
}

static void config_write(char *dir)
{
    char path[64];
    FILE *file;

    must(mkdtemp(dir) != NULL, "mkdtemp");
    snprintf(path, sizeof(path), "%s/cfg", dir);
    file = fopen(path, "w");
    must(file != NULL, path);
    fprintf(file, "INTER_PROCESS here there 16 %d\n", FRAME);
    fclose(file);
    setenv("VTEGRA_NVSCIIPC_CFG", path, 1);
}

static void config_remove(const char *dir)
{
    unlink(getenv("VTEGRA_NVSCIIPC_CFG"));
    rmdir(dir);
}

/* The other process: this program again, with its ends of the pipes. */
static pid_t other_start(char *program)
{
    extern char **environ;
    char in[16], out[16], *argv[] = { program, in, out, NULL };
    int there[2], back[2];
    pid_t child;

    must(pipe(there) == 0 && pipe(back) == 0, "pipe");
    snprintf(in, sizeof(in), "%d", there[0]);
    snprintf(out, sizeof(out), "%d", back[1]);
    must(posix_spawn(&child, program, NULL, NULL, argv, environ) == 0, program);
    close(there[0]);
    close(back[1]);
    to_other = there[1];
    from_other = back[0];
    return child;
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/fence_two_XXXXXX";
    pid_t other = 0;
    int status = 0;
    bool slow;

    side = argc == 3;
    if (side) {
        from_other = atoi(argv[1]);
        to_other = atoi(argv[2]);
    } else {
        config_write(dir);
        other = other_start(argv[0]);
    }
    objects_open();
    slow = measure();
    objects_close();
    if (other) {
        waitpid(other, &status, 0);
        config_remove(dir);
    }
    return status ? 2 : !side && slow;
}
