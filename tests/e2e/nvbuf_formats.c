/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform from 4:4:4 to each other format of YUV and back, against the bytes by hand. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nvbufsurface.h"
#include "nvbufsurftransform.h"

enum { W = 64, H = 32 };

/* @packed: where Y, U and V of the first pixel lie in four bytes */
static const struct format {
    const char *name;
    NvBufSurfaceColorFormat color;
    int planes, sub_x, sub_y, deep, packed[3];
} formats[] = {
    { "UYVY", NVBUF_COLOR_FORMAT_UYVY, 1, 2, 1, 0, { 1, 0, 2 } },
    { "VYUY", NVBUF_COLOR_FORMAT_VYUY, 1, 2, 1, 0, { 1, 2, 0 } },
    { "YUYV", NVBUF_COLOR_FORMAT_YUYV, 1, 2, 1, 0, { 0, 1, 3 } },
    { "YVYU", NVBUF_COLOR_FORMAT_YVYU, 1, 2, 1, 0, { 0, 3, 1 } },
    { "NV16", NVBUF_COLOR_FORMAT_NV16, 2, 2, 1, 0, { 0 } },
    { "NV24", NVBUF_COLOR_FORMAT_NV24, 2, 1, 1, 0, { 0 } },
    { "NV12", NVBUF_COLOR_FORMAT_NV12, 2, 2, 2, 0, { 0 } },
    { "YUV422", NVBUF_COLOR_FORMAT_YUV422, 3, 2, 1, 0, { 0 } },
    { "YUV444", NVBUF_COLOR_FORMAT_YUV444, 3, 1, 1, 0, { 0 } },
    { "NV12_10LE", NVBUF_COLOR_FORMAT_NV12_10LE, 2, 2, 2, 1, { 0 } },
};

static int wrong;

static void check(int ok, const char *name, const char *what)
{
    if (!ok) {
        printf("%s: %s\n", name, what);
        wrong++;
    }
}

static NvBufSurface *surface_new(NvBufSurfaceColorFormat color)
{
    NvBufSurfaceCreateParams p = { .width = W,
                                   .height = H,
                                   .colorFormat = color,
                                   .layout = NVBUF_LAYOUT_PITCH,
                                   .memType = NVBUF_MEM_SURFACE_ARRAY };
    NvBufSurface *s = NULL;

    if (NvBufSurfaceCreate(&s, 1, &p) || NvBufSurfaceMap(s, 0, -1, NVBUF_MAP_READ_WRITE)) {
        return NULL;
    }
    s->numFilled = 1;
    return s;
}

static uint8_t *row(const NvBufSurface *s, int plane, int y)
{
    const NvBufSurfaceParams *p = s->surfaceList;

    return (uint8_t *)p->mappedAddr.addr[plane] + (size_t)y * p->planeParams.pitch[plane];
}

/* Component @k of pixel @x, @y of the picture in 4:4:4 */
static int pixel(int k, int x, int y)
{
    return k == 0 ? 16 + (x + 2 * y) % 200 : k == 1 ? (x * 3 + y * 5) % 256 : (x * 7 + y) % 256;
}

/* Of 10 bits: chroma is the mean of the pixels that share it. */
static int value(const struct format *f, int k, int x, int y)
{
    int sub_x = k ? f->sub_x : 1, sub_y = k ? f->sub_y : 1, sum = 0;

    for (int i = 0; i < sub_y; i++) {
        for (int j = 0; j < sub_x; j++) {
            sum += 4 * pixel(k, x / sub_x * sub_x + j, y / sub_y * sub_y + i);
        }
    }
    return (sum + sub_x * sub_y / 2) / (sub_x * sub_y);
}

/* Of 10 bits, as it lies in the surface; of 8 bits the lower two are 0 */
static int stored(const struct format *f, const NvBufSurface *s, int k, int x, int y)
{
    int plane = k && f->planes == 3 ? k : k ? 1 : 0, cx = k ? x / f->sub_x : x;
    int i = k && f->planes == 2 ? cx * 2 + k - 1 : cx;
    const uint8_t *at = row(s, f->planes == 1 ? 0 : plane, k ? y / f->sub_y : y);

    if (f->planes == 1) {
        return at[x / 2 * 4 + f->packed[k] + (k ? 0 : x % 2 * 2)] << 2;
    }
    return f->deep ? (at[i * 2] | at[i * 2 + 1] << 8) >> 6 : at[i] << 2;
}

static int transform(NvBufSurface *from, NvBufSurface *to)
{
    NvBufSurfTransformParams p = { .transform_flag = NVBUFSURF_TRANSFORM_FILTER,
                                   .transform_filter = NvBufSurfTransformInter_Nearest };

    return NvBufSurfaceSyncForDevice(from, 0, -1) || NvBufSurfTransform(from, to, &p) ||
           NvBufSurfaceSyncForCpu(to, 0, -1);
}

static void format_try(const struct format *f, NvBufSurface *full)
{
    NvBufSurface *s = surface_new(f->color), *back = surface_new(NVBUF_COLOR_FORMAT_NV24);
    int bits = f->deep ? 0 : 3, bad = 0, bad_back = 0;

    if (!s || !back || transform(full, s) || transform(s, back)) {
        check(0, f->name, "refused");
        return;
    }
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            for (int k = 0; k < 3; k++) {
                int want = value(f, k, x, y);

                bad += stored(f, s, k, x, y) != (want & ~bits);
                bad_back += (k ? row(back, 1, y)[x * 2 + k - 1] : row(back, 0, y)[x]) != want >> 2;
            }
        }
    }
    check(!bad, f->name, "its bytes");
    check(!bad_back, f->name, "its bytes in 4:4:4");
    NvBufSurfaceDestroy(s);
    NvBufSurfaceDestroy(back);
}

/* A quarter turn: columns become rows, and share chroma as rows do. */
static void turn_try(const struct format *f, NvBufSurface *full)
{
    NvBufSurfaceCreateParams p = {
        .width = H, .height = W, .colorFormat = f->color, .memType = NVBUF_MEM_SURFACE_ARRAY
    };
    NvBufSurfTransformParams t = { .transform_flag = NVBUFSURF_TRANSFORM_FLIP,
                                   .transform_flip = NvBufSurfTransform_Transpose };
    NvBufSurface *s = NULL;
    int bad = 0;

    if (NvBufSurfaceCreate(&s, 1, &p) || NvBufSurfaceMap(s, 0, -1, NVBUF_MAP_READ) ||
        NvBufSurfTransform(full, s, &t) || NvBufSurfaceSyncForCpu(s, 0, -1)) {
        check(0, f->name, "is not turned");
        return;
    }
    for (int y = 0; y < W; y++) {
        for (int x = 0; x < H; x++) {
            bad += stored(f, s, 0, x, y) >> 2 != pixel(0, y, x);
        }
        if (f->sub_x == 1) {
            bad += stored(f, s, 1, 5, y) >> 2 != pixel(1, y, 5);
        } else if (f->sub_y == 1) { /* of pixels 4 and 5 of the row */
            bad += stored(f, s, 1, 4, y) >> 2 != (pixel(1, y, 4) + pixel(1, y, 5)) / 2;
        }
    }
    check(!bad, f->name, "its bytes when it is turned");
    NvBufSurfaceDestroy(s);
}

int main(void)
{
    NvBufSurface *full = surface_new(NVBUF_COLOR_FORMAT_NV24);

    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            row(full, 0, y)[x] = (uint8_t)pixel(0, x, y);
            row(full, 1, y)[x * 2] = (uint8_t)pixel(1, x, y);
            row(full, 1, y)[x * 2 + 1] = (uint8_t)pixel(2, x, y);
        }
    }
    for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        format_try(&formats[i], full);
        turn_try(&formats[i], full);
    }
    printf("formats: %d wrong\n", wrong);
    return wrong != 0;
}
