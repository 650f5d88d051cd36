// SPDX-License-Identifier: MIT
// What both versions of the image pipeline share: three filters, PPM files, and the CPU's own result.
#ifndef SCENARIOS_IMAGE_PIPELINE_PIPELINE_H
#define SCENARIOS_IMAGE_PIPELINE_PIPELINE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_)); \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

// A pixel is an int, 0xrrggbb, as in the note's listing (4 MB for 1024 x 1024).
__host__ __device__ static inline int channel(int pixel, int shift)
{
    return pixel >> shift & 255;
}

__host__ __device__ static inline int clamp_at(int v, int limit)
{
    return v < 0 ? 0 : v >= limit ? limit - 1 : v;
}

// Filter 1: 3 x 3 binomial blur.
__host__ __device__ static inline int blur_at(const int *in, int x, int y, int width, int height)
{
    int out = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        int sum = 0;

        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int weight = (2 - dx * dx) * (2 - dy * dy);

                sum += weight * channel(in[clamp_at(y + dy, height) * width + clamp_at(x + dx, width)],
                                        shift);
            }
        }
        out |= sum / 16 << shift;
    }
    return out;
}

__host__ __device__ static inline int luma(int pixel)
{
    return (77 * channel(pixel, 16) + 150 * channel(pixel, 8) + 29 * channel(pixel, 0)) >> 8;
}

// Filter 2: strength of the edge (Sobel), kept in the top byte beside the colour.
__host__ __device__ static inline int edge_at(const int *in, int x, int y, int width, int height)
{
    int gx = 0, gy = 0, strength;

    for (int d = -1; d <= 1; d++) {
        int weight = 2 - d * d;
        int row = clamp_at(y + d, height) * width, column = clamp_at(x + d, width);

        gx += weight * (luma(in[row + clamp_at(x + 1, width)]) - luma(in[row + clamp_at(x - 1, width)]));
        gy += weight * (luma(in[clamp_at(y + 1, height) * width + column]) -
                        luma(in[clamp_at(y - 1, height) * width + column]));
    }
    strength = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
    strength = strength > 127 ? 127 : strength;
    return (in[y * width + x] & 0xffffff) | strength << 24;
}

// Some operation on image data: ink the edges.
__host__ __device__ static inline int ink(int pixel)
{
    int keep = 127 - (pixel >> 24), out = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        out |= channel(pixel, shift) * keep / 127 << shift;
    }
    return out;
}

__global__ void k1(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        out[y * width + x] = blur_at(in, x, y, width, height);
    }
}

__global__ void k2(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        out[y * width + x] = edge_at(in, x, y, width, height);
    }
}

__global__ void k3(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        out[y * width + x] = ink(in[y * width + x]);
    }
}

struct photo {
    FILE *file;
    int width, height;
};

static struct photo photo_open(const char *path)
{
    struct photo p;
    int max = 0;

    p.file = fopen(path, "rb");
    if (!p.file || fscanf(p.file, "P6 %d %d %d", &p.width, &p.height, &max) != 3 || max != 255 ||
        fgetc(p.file) == EOF || p.width < 1 || p.height < 1 || p.width > 8192 || p.height > 8192) {
        fprintf(stderr, "%s: not a binary PPM (P6, 255 levels, at most 8192 x 8192)\n", path);
        exit(2);
    }
    return p;
}

// Reads the pixels and stretches the contrast in place: the CPU goes over the buffer twice, which is
// what hurts where the buffer is not cached (CUDA for Tegra 3.2).
static void readImage(struct photo *p, int *image)
{
    int n = p->width * p->height, low = 255, high = 0;

    for (int i = 0; i < n; i++) {
        unsigned char rgb[3];

        if (fread(rgb, 1, 3, p->file) != 3) {
            fprintf(stderr, "the picture ends early, at pixel %d of %d\n", i, n);
            exit(2);
        }
        image[i] = rgb[0] << 16 | rgb[1] << 8 | rgb[2];
    }
    fclose(p->file);
    for (int i = 0; i < n; i++) {
        int l = luma(image[i]);

        low = l < low ? l : low;
        high = l > high ? l : high;
    }
    for (int i = 0; high > low && i < n; i++) {
        int out = 0;

        for (int shift = 0; shift <= 16; shift += 8) {
            int v = (channel(image[i], shift) - low) * 255 / (high - low);

            out |= (v < 0 ? 0 : v > 255 ? 255 : v) << shift;
        }
        image[i] = out;
    }
}

static void writeImage(const char *path, const int *image, int width, int height)
{
    FILE *f = fopen(path, "wb");

    if (!f) {
        perror(path);
        exit(2);
    }
    fprintf(f, "P6\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; i++) {
        int pixel = image[i];

        fputc(channel(pixel, 16), f);
        fputc(channel(pixel, 8), f);
        fputc(channel(pixel, 0), f);
    }
    if (fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

#endif
