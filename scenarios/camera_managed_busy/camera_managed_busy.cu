// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

__global__ void work(unsigned *out)
{
    *out = 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    unsigned *out;
    uint8_t *frame;
    v4l2_buffer b;
    int refused;

    camera_open(V4L2_MEMORY_USERPTR, 1);
    cudaMalloc(&out, sizeof(*out));
    cudaMallocManaged(&frame, length());
    work<<<1, 1>>>(out);
    if (fixed) {
        cudaDeviceSynchronize();
    }
    b = user_buffer(0, frame);
    refused = ioctl(camera, VIDIOC_QBUF, &b) != 0 && errno == EFAULT;
    printf("%d refused\n", refused);
    cudaDeviceSynchronize();
    close(camera);
    return refused;
}
