/* SPDX-License-Identifier: MIT */
/* Frames of the camera into memory of CUDA (V4L2_MEMORY_USERPTR), and a kernel on each.
 * v4l2_cuda managed | pinned [early] [touch]: early: the kernel runs before VIDIOC_DQBUF; touch: the CPU reads a queued buffer */
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BUFFERS 2
#define FRAMES 4

/* Y of UYVY, the other way round. */
__global__ void invert(const unsigned char *in, unsigned char *out, unsigned pixels)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pixels) {
        out[i] = 255 - in[i * 2 + 1];
    }
}

int main(int argc, char **argv)
{
    bool managed = argc < 2 || strcmp(argv[1], "managed") == 0;
    bool early = argc > 2 && strcmp(argv[2], "early") == 0, touch = argc > 2 && strcmp(argv[2], "touch") == 0;
    int camera = open("/dev/video0", O_RDWR), type = V4L2_BUF_TYPE_VIDEO_CAPTURE, wrong = 0;
    v4l2_format f = {};
    v4l2_requestbuffers r = {};
    unsigned char *at[BUFFERS], *out;
    unsigned pixels, length;

    f.type = r.type = type;
    r.count = BUFFERS;
    r.memory = V4L2_MEMORY_USERPTR;
    if (camera < 0 || ioctl(camera, VIDIOC_G_FMT, &f) || ioctl(camera, VIDIOC_REQBUFS, &r)) {
        perror("/dev/video0");
        return 2;
    }
    pixels = f.fmt.pix.width * f.fmt.pix.height;
    length = (f.fmt.pix.sizeimage + 4095) & ~4095u;
    cudaMallocManaged(&out, pixels);
    for (int i = 0; i < BUFFERS; i++) {
        v4l2_buffer b = {};

        if (managed) {
            cudaMallocManaged(&at[i], length);
        } else {
            cudaHostAlloc(&at[i], length, cudaHostAllocMapped);
        }
        memset(at[i], 1, length);
        b.index = i;
        b.type = type;
        b.memory = V4L2_MEMORY_USERPTR;
        b.m.userptr = (unsigned long)at[i];
        b.length = length;
        if (ioctl(camera, VIDIOC_QBUF, &b)) {
            perror("VIDIOC_QBUF");
            return 2;
        }
    }
    ioctl(camera, VIDIOC_STREAMON, &type);
    for (int i = 0; i < FRAMES; i++) {
        v4l2_buffer b = {};

        b.type = type;
        b.memory = V4L2_MEMORY_USERPTR;
        if (early) {
            invert<<<(pixels + 255) / 256, 256>>>(at[i % BUFFERS], out, pixels);
            cudaDeviceSynchronize();
        }
        if (touch) {
            wrong += at[i % BUFFERS][1] == 99;
        }
        if (ioctl(camera, VIDIOC_DQBUF, &b)) {
            perror("VIDIOC_DQBUF");
            return 2;
        }
        if (!early) {
            invert<<<(pixels + 255) / 256, 256>>>(at[b.index], out, pixels);
            cudaDeviceSynchronize();
        }
        for (unsigned p = f.fmt.pix.width * 16; p < pixels; p++) {
            unsigned x = p % f.fmt.pix.width, y = p / f.fmt.pix.width;

            wrong += out[p] != 255 - (16 + (x + y + 4 * b.sequence) % 220);
        }
        if (ioctl(camera, VIDIOC_QBUF, &b)) {
            perror("VIDIOC_QBUF");
            return 2;
        }
    }
    ioctl(camera, VIDIOC_STREAMOFF, &type);
    close(camera);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
