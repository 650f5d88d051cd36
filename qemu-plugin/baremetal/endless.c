/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/bad.sh: work without end in every engine. The CPU continues meanwhile and sees
 * that nothing is done; QEMU ends by SIGTERM. */
#include "qemu-plugin/baremetal/vtegra.h"

#define BDMA (DLA_NVDLA_BASE + 0x4000u)

static const char loop[] =
    ".version 7.0\n.target sm_53\n.address_size 64\n"
    ".visible .entry k() {\n.reg .u32 %r;\nL:\nadd.u32 %r, %r, 1;\nbra L;\n}\n";

/* NVDLA register description: lines of 8192 atoms, repeated as often as the fields hold. */
static void dla_begin(unsigned unit, const void *data)
{
    uintptr_t bdma = vtegra_unit(unit) + BDMA;

    store32((void *)bdma, (uint32_t)(uintptr_t)data);
    store32((void *)(bdma + 0x08), (uint32_t)(uintptr_t)data);
    store32((void *)(bdma + 0x10), 0x1fff);
    store32((void *)(bdma + 0x14), 3);
    store32((void *)(bdma + 0x18), 0xffffff);
    store32((void *)(bdma + 0x24), 0xffffff);
    store32((void *)(bdma + 0x30), 1);
    store32((void *)(bdma + 0x34), 1);
}

static void copy_begin(const void *data)
{
    gpu_map((uintptr_t)data, (uintptr_t)data, 64, GPU_CACHED);
    method(SUBCH_COPY, CE_OFFSET_IN_UPPER, 0);
    method(SUBCH_COPY, CE_OFFSET_IN_LOWER, (uint32_t)(uintptr_t)data);
    method(SUBCH_COPY, CE_OFFSET_OUT_UPPER, 0);
    method(SUBCH_COPY, CE_OFFSET_OUT_LOWER, (uint32_t)(uintptr_t)data);
    method(SUBCH_COPY, CE_PITCH_IN, 0);
    method(SUBCH_COPY, CE_PITCH_OUT, 0);
    method(SUBCH_COPY, CE_LINE_LENGTH_IN, 64 * PAGE_BYTES);
    method(SUBCH_COPY, CE_LINE_COUNT, UINT32_MAX);
    method(SUBCH_COPY, CE_LAUNCH_DMA,
           CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH | CE_LAUNCH_MULTI_LINE);
}

int main(void)
{
    void *data;
    uint64_t end;
    unsigned looks = 0;

    vtegra_open();
    data = pages_new(64);
    channel_open();
    if (KERNEL) {
        launch(loop, NULL, 0, 1, 32);
    } else {
        copy_begin(data);
    }
    submit();
    for (unsigned unit = UNIT_DLA; unit <= UNIT_DLA_LAST; unit++) {
        if (vtegra_unit(unit)) {
            dla_begin(unit, data);
        }
    }
    end = clock_ticks() + clock_hz();
    while (clock_ticks() < end || looks < 100) {
        looks++;
        if ((vtegra_unit(UNIT_DLA) &&
             load32((void *)(vtegra_unit(UNIT_DLA) + DLA_NVDLA_BASE + 0xc))) ||
            load32((void *)(vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + CHAN_STATUS)) == CHAN_IDLE) {
            print("done: that cannot be\n");
            return 1;
        }
    }
    print("alive\n");
    for (;;) {
        (void)control_get(CONTROL_INTR);
    }
}
