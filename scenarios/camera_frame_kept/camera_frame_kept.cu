// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

__global__ void luma_copy(const uint8_t *frame, uint8_t *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        out[i] = frame[i * 2 + 1];
    }
}

static int wrong(const uint8_t *out, unsigned frame)
{
    int n = 0;

    for (unsigned i = format.fmt.pix.width * 16; i < pixels(); i++) {
        n += out[i] != luma(i, frame);
    }
    return n;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    uint8_t *frame, *out;
    v4l2_buffer b;
    unsigned first;

    camera_open(V4L2_MEMORY_USERPTR, 1);
    cudaHostAlloc(&frame, length(), cudaHostAllocMapped);
    cudaMallocManaged(&out, pixels());
    b = user_buffer(0, frame);
    OK(ioctl(camera, VIDIOC_QBUF, &b));
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    OK(ioctl(camera, VIDIOC_DQBUF, &b));
    first = b.sequence;
    luma_copy<<<pixels() / 256, 256>>>(frame, out, pixels()); // <-- found here
    if (fixed) {
        cudaDeviceSynchronize();
    }
    OK(ioctl(camera, VIDIOC_QBUF, &b)); // <-- found here
    OK(ioctl(camera, VIDIOC_DQBUF, &b));
    cudaDeviceSynchronize();
    int bad = wrong(out, first);

    printf("%d pixels are wrong\n", bad);
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    close(camera);
    return bad != 0;
}
