// SPDX-License-Identifier: MIT
// The camera writes memory of the program (V4L2_MEMORY_USERPTR); the CPU reads it before
// VIDIOC_DQBUF, or behind it. Usage: camera_user KIND [fixed]
#include "../../scenarios/v4l2/v4l2.h"
#include <cuda_runtime.h>

static uint8_t *memory_of(const char *kind)
{
    void *at = nullptr;

    if (!strcmp(kind, "pinned")) {
        cudaMallocHost(&at, length());
    } else if (!strcmp(kind, "managed")) {
        cudaMallocManaged(&at, length());
    } else {
        at = aligned_alloc(4096, length());
        OK(!strcmp(kind, "registered") && cudaHostRegister(at, length(), 0) != cudaSuccess);
    }
    return (uint8_t *)at;
}

int main(int argc, char **argv)
{
    bool fixed = argc > 2;
    uint8_t *frame;
    v4l2_buffer b;
    unsigned sum = 0;

    camera_open(V4L2_MEMORY_USERPTR, 1);
    frame = memory_of(argv[1]);
    memset(frame, 0, length());
    b = user_buffer(0, frame);
    OK(ioctl(camera, VIDIOC_QBUF, &b)); // MARK queue
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    if (fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
    }
    for (unsigned i = 0; i < pixels() * 2; i++) {
        sum += frame[i]; // MARK read
    }
    if (!fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
    }
    OK(ioctl(camera, VIDIOC_QBUF, &b));
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    memset(frame, 7, length());
    close(camera);
    printf("sum %u, then %d\n", sum, frame[length() - 1]);
    return 0;
}
