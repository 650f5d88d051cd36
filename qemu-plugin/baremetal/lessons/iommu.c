/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: the SMMU says no.
 *
 * The PCI function's DMA passes QEMU's SMMUv3 with its own stream ID. The source page is mapped,
 * the destination is not: the copy's write is refused, the SMMU writes an event record
 * (F_TRANSLATION, Arm SMMUv3 7.3) with the stream ID and the address, and the channel dies with
 * CHAN_ERROR_BUS. Corrected: the destination is mapped too. Needs -M virt,iommu=smmuv3 and -device
 * vtegra. */
#include "qemu-plugin/baremetal/lesson.h"
#include "qemu-plugin/baremetal/smmu.h"

#define SRC_IOVA 0x10000000u
#define DST_IOVA 0x20000000u

int main(void)
{
    struct smmu_event event;
    uint32_t *src, *dst;
    bool ok;

    vtegra_open();
    smmu_open(vtegra_stream_id(UNIT_IGPU));
    smmu_map_all(); /* rings and tables of the channel: where they are */
    channel_open();
    src = pages_new(1);
    dst = pages_new(1);
    smmu_map(SRC_IOVA, src, 1, true);
    if (FIXED) {
        smmu_map(DST_IOVA, dst, 1, false);
    }
    gpu_map(SRC_IOVA, SRC_IOVA, 1, GPU_UNCACHED);
    gpu_map(DST_IOVA, DST_IOVA, 1, GPU_UNCACHED);
    store32(src, 0xbeef);
    copy(DST_IOVA, SRC_IOVA, 64);
    submit();
    ok = finish();
    if (smmu_event_next(&event)) {
        print("SMMU event 0x%x stream 0x%x address 0x%lx\n", event.type, event.stream,
              event.address);
    }
    if (!ok) {
        print("channel error %u at 0x%lx\n", channel_error().kind, channel_error().va);
    }
    return lesson_end(load32(dst), 0xbeef);
}
