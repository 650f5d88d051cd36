/* SPDX-License-Identifier: MIT */
/* Surfaces by their descriptors alone: mmap(), DMA_BUF_IOCTL_SYNC, and the VIC between them.
 *
 * nvbuf_mmap [no-sync-for-device|no-sync-for-cpu|threads] */
#include <errno.h>
#include <linux/dma-buf.h>
#include <nvbufsurftransform.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { W = 256, H = 32, THREADS = 3 };

static _Thread_local unsigned wrong;

#define CHECK(what)                                                   \
    do {                                                              \
        if (!(what)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            wrong++;                                                  \
        }                                                             \
    } while (0)

static NvBufSurface *surface(void)
{
    NvBufSurfaceCreateParams p = { .width = W,
                                   .height = H,
                                   .colorFormat = NVBUF_COLOR_FORMAT_GRAY8,
                                   .memType = NVBUF_MEM_SURFACE_ARRAY };
    NvBufSurface *s = NULL;

    CHECK(!NvBufSurfaceCreate(&s, 1, &p));
    s->numFilled = 1;
    return s;
}

static void *map(int fd, size_t bytes, int flags, off_t offset)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
}

static int sync_with(int fd, uint64_t flags)
{
    struct dma_buf_sync sync = { .flags = flags };

    return ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

/* Codes: dma_buf_mmap_internal() and dma_buf_ioctl() of Linux. */
static void bad_input(int fd, size_t bytes)
{
    char *own = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(map(fd, bytes, MAP_PRIVATE, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(map(fd, bytes + 4096, MAP_SHARED, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(map(fd, bytes, MAP_SHARED, 4096) == MAP_FAILED && errno == EINVAL);
    CHECK(map(fd, 0, MAP_SHARED, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(map(fd, 4096, MAP_SHARED, 100) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(own, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED);
    CHECK(sync_with(fd, 0) && errno == EINVAL);
    CHECK(sync_with(fd, 64 | DMA_BUF_SYNC_READ) && errno == EINVAL);
    CHECK(ioctl(fd, DMA_BUF_IOCTL_SYNC, NULL) && errno == EFAULT);
    CHECK(sync_with(0, DMA_BUF_SYNC_READ) && errno != 0); /* no surface */
    munmap(own, 4096);
}

/* Return: pixels that are wrong */
static unsigned frame(const char *how)
{
    NvBufSurface *src = surface(), *dst = surface();
    int in = (int)src->surfaceList[0].bufferDesc, out = dup((int)dst->surfaceList[0].bufferDesc);
    size_t bytes = src->surfaceList[0].dataSize, pitch = src->surfaceList[0].pitch;
    unsigned char *a = map(in, bytes, MAP_SHARED, 0), *b = map(out, bytes, MAP_SHARED, 0), *page;
    unsigned pixels = 0;

    CHECK(a != MAP_FAILED && b != MAP_FAILED);
    bad_input(in, bytes);
    sync_with(in, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
    for (unsigned i = 0; i < W * H; i++) {
        a[i / W * pitch + i % W] = (unsigned char)(i * 7 + i / W);
    }
    if (strcmp(how, "no-sync-for-device") != 0) {
        CHECK(!sync_with(in, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE));
    }
    CHECK(!NvBufSurfTransform(src, dst, &(NvBufSurfTransformParams){ 0 }));
    if (strcmp(how, "no-sync-for-cpu") != 0) {
        CHECK(!sync_with(out, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
    }
    page = map(out, 4096, MAP_SHARED, 4096); /* the same memory, from its second page on */
    CHECK(page == b + 4096);
    for (unsigned i = 0; i < W * H; i++) {
        pixels += b[i / W * pitch + i % W] != (unsigned char)(i * 7 + i / W);
    }
    CHECK(!munmap(page, 4096));
    CHECK(!munmap(b, bytes));
    CHECK(!munmap(a, bytes));
    close(out);
    CHECK(!NvBufSurfaceDestroy(src) && !NvBufSurfaceDestroy(dst));
    return pixels;
}

static void *frames(void *pixels)
{
    for (unsigned i = 0; i < 4; i++) {
        *(unsigned *)pixels += frame("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    unsigned pixels[THREADS] = { 0 };
    pthread_t thread[THREADS];

    if (strcmp(how, "threads") != 0) {
        pixels[0] = frame(how);
    }
    for (unsigned i = 0; i < THREADS && strcmp(how, "threads") == 0; i++) {
        CHECK(!pthread_create(&thread[i], NULL, frames, &pixels[i]));
    }
    for (unsigned i = 0; i < THREADS && strcmp(how, "threads") == 0; i++) {
        CHECK(!pthread_join(thread[i], NULL));
        pixels[0] += i ? pixels[i] : 0;
    }
    printf("%u pixels are wrong, %u answers\n", pixels[0], wrong);
    return pixels[0] || wrong;
}
