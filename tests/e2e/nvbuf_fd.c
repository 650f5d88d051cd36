/* SPDX-License-Identifier: MIT */
/* A surface in two processes of one board: the child has its descriptor, and nothing else. */
#include <nvbufsurface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { W = 64, H = 32 };

static int wrong(NvBufSurface *s, uint8_t want)
{
    uint8_t bytes[W * H];
    int n = NvBufSurface2Raw(s, 0, 0, W, H, bytes) != 0;

    for (int i = 0; i < W * H; i++) {
        n += bytes[i] != want;
    }
    return n;
}

static int child(int fd)
{
    void *surf = NULL, *again = NULL;
    int n;

    if (NvBufSurfaceFromFd(fd, &surf) || NvBufSurfaceFromFd(fd, &again) || surf != again) {
        printf("the child has no surface\n");
        return 1;
    }
    n = wrong(surf, 11) + (NvBufSurfaceMemSet(surf, 0, 0, 22) != 0);
    printf("child: %d wrong\n", n);
    return n != 0 || NvBufSurfaceDestroy(surf);
}

int main(int argc, char **argv)
{
    NvBufSurfaceCreateParams p = { .width = W,
                                   .height = H,
                                   .colorFormat = NVBUF_COLOR_FORMAT_NV12,
                                   .memType = NVBUF_MEM_SURFACE_ARRAY };
    NvBufSurface *s;
    char number[16];
    int status = 1;
    pid_t pid;

    if (argc > 1) {
        return child(atoi(argv[1]));
    }
    if (NvBufSurfaceCreate(&s, 1, &p) || NvBufSurfaceMemSet(s, 0, 0, 11)) {
        return 1;
    }
    /* A duplicate is not closed by exec. */
    snprintf(number, sizeof(number), "%d", dup((int)s->surfaceList[0].bufferDesc));
    pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", argv[0], number, (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("parent: %d wrong\n", wrong(s, 22));
    return status != 0 || wrong(s, 22) || NvBufSurfaceDestroy(s);
}
