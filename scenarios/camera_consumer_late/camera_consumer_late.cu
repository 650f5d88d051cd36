// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

// Several frames long.
__global__ void work(uint32_t *out)
{
    uint32_t x = 1;

    for (int i = 0; i < 400000; i++) {
        x = x * 1664525 + 1013904223;
    }
    *out = x;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    unsigned buffers = fixed ? 4 : 1, last = 0, lost = 0;
    uint32_t *out;

    camera_open(V4L2_MEMORY_MMAP, buffers);
    cudaMallocManaged(&out, 4);
    for (unsigned i = 0; i < buffers; i++) {
        v4l2_buffer b = buffer(V4L2_MEMORY_MMAP, i);

        OK(ioctl(camera, VIDIOC_QBUF, &b));
    }
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    for (int i = 0; i < 3; i++) {
        v4l2_buffer b = buffer(V4L2_MEMORY_MMAP, 0);

        OK(ioctl(camera, VIDIOC_DQBUF, &b));
        work<<<1, 1>>>(out);
        cudaDeviceSynchronize();
        lost += i ? b.sequence - last - 1 : 0;
        last = b.sequence;
        OK(ioctl(camera, VIDIOC_QBUF, &b));
    }
    printf("%u frames are lost\n", lost);
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    close(camera);
    return lost != 0;
}
