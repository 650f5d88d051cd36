// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int refused = 0;

    camera_open(V4L2_MEMORY_MMAP, 2);
    for (unsigned i = 0; i < 2; i++) {
        v4l2_buffer b = buffer(V4L2_MEMORY_MMAP, fixed ? i : 0);

        refused += ioctl(camera, VIDIOC_QBUF, &b) != 0 && errno == EINVAL;
    }
    printf("%d refused\n", refused);
    close(camera);
    return refused;
}
