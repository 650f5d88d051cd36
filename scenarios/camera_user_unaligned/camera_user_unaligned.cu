// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    uint8_t *memory;
    v4l2_buffer b;
    int refused;

    camera_open(V4L2_MEMORY_USERPTR, 1);
    cudaHostAlloc(&memory, length() + 4096, cudaHostAllocMapped);
    b = user_buffer(0, memory + (fixed ? 4096 : 16));
    refused = ioctl(camera, VIDIOC_QBUF, &b) != 0 && errno == EINVAL;
    printf("%d refused\n", refused);
    close(camera);
    return refused;
}
