/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: NVDLA by registers, and a length that counts from zero.
 *
 * The DLA's bridge DMA copies lines of memory; on a board the DLA's own firmware writes these
 * registers, here they are open (offset DLA_NVDLA_BASE of the unit's window). CFG_LINE.SIZE is the
 * number of 32-byte atoms minus one, as every size in NVDLA. A driver that writes the number itself
 * copies 32 bytes too many, over its neighbour; no error is raised, because nothing is wrong for
 * the hardware (NVDLA register description, BDMA). */
#include "qemu-plugin/baremetal/lesson.h"

/* The full configuration; the small ones have no BDMA. */
#define BDMA (DLA_NVDLA_BASE + 0x4000u)
#define GLB_STATUS (DLA_NVDLA_BASE + 0xcu)
enum {
    SRC_LOW = 0x00,
    SRC_HIGH = 0x04,
    DST_LOW = 0x08,
    DST_HIGH = 0x0c,
    LINE = 0x10,
    CMD = 0x14, /* both sides: main memory */
    LINE_REPEAT = 0x18,
    SURF_REPEAT = 0x24,
    OP = 0x30,
    LAUNCH0 = 0x34,
    DONE0 = 1 << 6, /* GLB: BDMA, group 0 */
};

static void dla_write(uint32_t offset, uint32_t value)
{
    barrier();
    store32((void *)(vtegra_unit(UNIT_DLA) + offset), value);
}

static void copy_atoms(void *dst, const void *src, uint32_t atoms)
{
    dla_write(BDMA + SRC_LOW, (uint32_t)(uintptr_t)src);
    dla_write(BDMA + SRC_HIGH, 0);
    dla_write(BDMA + DST_LOW, (uint32_t)(uintptr_t)dst);
    dla_write(BDMA + DST_HIGH, 0);
    dla_write(BDMA + LINE, FIXED ? atoms - 1 : atoms);
    dla_write(BDMA + CMD, 3);
    dla_write(BDMA + LINE_REPEAT, 0);
    dla_write(BDMA + SURF_REPEAT, 0);
    dla_write(BDMA + OP, 1);
    dla_write(BDMA + LAUNCH0, 1);
    while (!(load32((void *)(vtegra_unit(UNIT_DLA) + GLB_STATUS)) & DONE0)) {
    }
    dla_write(GLB_STATUS, DONE0);
}

int main(void)
{
    uint32_t *src, *dst;

    lesson_open();
    if (!vtegra_unit(UNIT_DLA)) {
        print("this chip has no DLA\n");
        return 2;
    }
    src = engine_buffer(1);
    dst = engine_buffer(1);
    for (unsigned i = 0; i < 32; i++) {
        store32(src + i, 100 + i);
        store32(dst + i, 7);
    }
    cache_clean(src, 128);
    cache_clean_invalidate(dst, 128);
    copy_atoms(dst, src, 2);
    cache_invalidate(dst, 128);
    if (load32(dst) != 100 || load32(dst + 15) != 115) {
        print("nothing was copied\n");
        return 2;
    }
    return lesson_end(load32(dst + 16), 7); /* the neighbour */
}
