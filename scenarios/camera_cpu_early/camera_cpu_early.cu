// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

static int wrong(const uint8_t *frame, unsigned number)
{
    int n = 0;

    for (unsigned i = format.fmt.pix.width * 16; i < pixels(); i++) {
        n += frame[i * 2 + 1] != luma(i, number); // <-- found here
    }
    return n;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    uint8_t *frame;
    v4l2_buffer b = buffer(V4L2_MEMORY_MMAP, 0);
    int bad;

    camera_open(V4L2_MEMORY_MMAP, 1);
    frame = buffer_map(0);
    OK(ioctl(camera, VIDIOC_QBUF, &b));
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    if (fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
    }
    bad = wrong(frame, 0);
    if (!fixed) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
    }
    printf("%d pixels are wrong\n", bad);
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    close(camera);
    return bad != 0;
}
