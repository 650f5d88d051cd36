/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: coherency is one way.
 *
 * A kernel stores through the iGPU's cached aperture: the bytes are in its L2. The CPU's caches are
 * right and the SoC is I/O coherent, and still the CPU reads old bytes, because no load of the CPU
 * looks into that L2. The driver must clean it first (as CUDA does when it synchronises). The
 * kernel runs by registers alone: page tables, launch descriptor, pushbuffer, doorbell. */
#include "qemu-plugin/baremetal/lesson.h"

static const char kernel[] = ".version 7.0\n.target sm_72\n.address_size 64\n"
                             ".visible .entry add_index(.param .u64 out)\n{\n"
                             ".reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n"
                             "ld.param.u64 %rd1, [out];\n"
                             "mov.u32 %r1, %tid.x;\n"
                             "mul.wide.u32 %rd2, %r1, 4;\n"
                             "add.s64 %rd3, %rd1, %rd2;\n"
                             "add.u32 %r2, %r1, 1000;\n"
                             "st.global.u32 [%rd3], %r2;\n"
                             "ret;\n}\n";

int main(void)
{
    uint64_t va = 0x200000000;
    uint32_t *out;

    lesson_open();
    out = engine_buffer(1);
    gpu_map(va, (uintptr_t)out, 1, GPU_CACHED);
    launch(kernel, &va, sizeof(va), 1, 64);
    submit();
    finish();
    if (FIXED) {
        l2_clean();
        cache_invalidate(out, 256);
    }
    return lesson_end(load32(out + 63), 1063);
}
