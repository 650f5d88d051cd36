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

    camera_open(V4L2_MEMORY_USERPTR, 1);
    cudaMallocManaged(&frame, length());
    cudaMallocManaged(&out, pixels());
    memset(frame, 0, length());
    b = user_buffer(0, frame);
    OK(ioctl(camera, VIDIOC_QBUF, &b)); // <-- found here
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    if (fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
    }
    luma_copy<<<pixels() / 256, 256>>>(frame, out, pixels()); // <-- found here
    cudaDeviceSynchronize();
    if (!fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b)); // <-- found here
    }
    int bad = wrong(out, b.sequence);

    printf("%d pixels are wrong\n", bad);
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    close(camera);
    return bad != 0;
}
