/* SPDX-License-Identifier: MIT */
/* A program of the driver API for tests/compare/compare.sh. Its argument says what it does beyond
 * the calls on which the model and the stand-in agree. */
#include <cuda.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same(void)
{
    CUdevice device = 0;
    CUcontext context = NULL;
    CUdeviceptr memory = 0;
    int n = 0;

    cuInit(0);
    cuDeviceGetCount(&n);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuMemAlloc(&memory, 4096);
    cuMemFree(memory);
    printf("devices %d\n", n);
    return n;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "same";
    CUdeviceptr memory = 0;
    char name[64] = "";

    same();
    if (strcmp(what, "code") == 0) { /* more than an Orin has, no more than the stand-in has */
        printf("before\n");
        cuMemAlloc(&memory, (size_t)1 << 40);
        printf("behind\n");
    } else if (strcmp(what, "name") == 0) {
        cuDeviceGetName(name, sizeof(name), 0);
        printf("before\n%s\nbehind\n", name);
    } else if (strcmp(what, "stderr") == 0) {
        cuDeviceGetName(name, sizeof(name), 0);
        fprintf(stderr, "on %s\n", name);
    } else if (strcmp(what, "more") == 0) { /* one side makes another call */
        cuDeviceGetName(name, sizeof(name), 0);
        if (strcmp(name, "stand-in") == 0) {
            cuMemAlloc(&memory, 4096);
        }
    } else if (strcmp(what, "status") == 0) {
        cuDeviceGetName(name, sizeof(name), 0);
        return strcmp(name, "stand-in") == 0 ? raise(SIGTERM) : 3;
    } else if (strcmp(what, "input") == 0) {
        int c = getchar();

        printf("read %c\n", c == EOF ? '-' : c);
    }
    return 0;
}
