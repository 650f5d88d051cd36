/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: dc ivac throws away.
 *
 * Before an engine writes a buffer, a driver that only invalidates loses what the CPU had stored
 * into the same lines and not written back: here a header in front of a payload that does not begin
 * at a line. Arm lets dc ivac lose dirty bytes. dc civac keeps them; aligned buffers avoid the
 * question. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *message;

    lesson_open();
    message = buffer(1);
    store32(message, 0xcafe0001); /* header, the CPU's own */
    if (FIXED) {
        cache_clean_invalidate(message + 4, 48); /* payload: 48 bytes of the same line */
    } else {
        cache_invalidate(message + 4, 48);
    }
    fill32((uintptr_t)(message + 4), 0xdadadada, 12);
    submit();
    finish();
    cache_invalidate(message + 4, 48);
    return lesson_end(load32(message), 0xcafe0001);
}
