/* SPDX-License-Identifier: MIT */
/* An event of CUDA IPC whose recording process is killed: what was done stays so, and a wait for
 * what was not done ends with CUDA's own error. On a board that both share. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/cuda.h"

#define CHECK(call, want)                                                \
    do {                                                                 \
        CUresult r_ = (call);                                            \
        if (r_ != (want)) {                                              \
            fprintf(stderr, "case %u: %s: %d\n", which, #call, (int)r_); \
            _exit(1);                                                    \
        }                                                                \
    } while (0)
#define CU(call) CHECK(call, CUDA_SUCCESS)

/* What the other process does before the recording one is killed. */
enum { NOTHING_DONE, NOTHING, QUERY, STREAM_WAIT, CASES };

static unsigned which;
static CUcontext context;
static CUstream stream;
static CUevent event;

static void begin(void)
{
    alarm(60); /* not inherited */
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static void recorder(int line)
{
    CUipcEventHandle handle;
    CUdeviceptr never;

    begin();
    CU(cuMemAlloc(&never, 4096));
    CU(cuMemsetD32(never, 0, 1024));
    CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    CU(cuIpcGetEventHandle(&handle, event));
    if (which != NOTHING_DONE) {
        CU(cuStreamWaitValue32(stream, never, 1, CU_STREAM_WAIT_VALUE_EQ));
    }
    CU(cuEventRecord(event, stream));
    if (which == NOTHING_DONE) {
        CU(cuStreamSynchronize(stream));
    }
    if (write(line, &handle, sizeof(handle)) != sizeof(handle)) {
        _exit(1);
    }
    pause();
}

static void waiter(int line, pid_t other)
{
    CUipcEventHandle handle;

    if (read(line, &handle, sizeof(handle)) != sizeof(handle)) {
        _exit(1);
    }
    begin();
    CU(cuIpcOpenEventHandle(&event, handle));
    if (which == QUERY) {
        CHECK(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    } else if (which == STREAM_WAIT) {
        CU(cuStreamWaitEvent(stream, event, 0));
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    if (which == NOTHING_DONE) {
        CU(cuEventSynchronize(event));
        CU(cuStreamWaitEvent(stream, event, 0));
        CU(cuStreamSynchronize(stream));
    } else if (which == NOTHING) { /* the board sees the end of a process when it comes to it */
        CUresult result;

        do {
            result = cuEventQuery(event);
        } while (result == CUDA_ERROR_NOT_READY);
        CHECK(result, CUDA_ERROR_LAUNCH_TIMEOUT);
        CU(cuEventRecord(event, stream)); /* it is as good as new */
        CU(cuEventSynchronize(event));
    } else if (which == QUERY) {
        CHECK(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_TIMEOUT);
    } else {
        CHECK(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_TIMEOUT);
    }
    _exit(0);
}

int main(void)
{
    alarm(100);
    for (; which < CASES; which++) {
        int status;
        pid_t pid = fork(); /* each case has two processes of its own */

        if (pid == 0) {
            int ends[2];
            pid_t other;

            if (pipe(ends)) {
                return 1;
            }
            other = fork();
            if (other == 0) {
                recorder(ends[1]);
            }
            close(ends[1]);
            waiter(ends[0], other);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0) {
            printf("case %u: status 0x%x\n", which, (unsigned)status);
            return 1;
        }
    }
    puts("ended");
    return 0;
}
