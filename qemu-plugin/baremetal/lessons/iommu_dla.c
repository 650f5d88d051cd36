/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: each engine has a stream ID, and a mapping for one is none for the other.
 *
 * The DLA is a PCI function of its own: its DMA passes QEMU's SMMUv3 with that function's requester
 * ID. A driver maps its buffers for the iGPU's function only and hands them to both engines: the
 * iGPU's copy runs, the DLA's is refused, and the event (F_TRANSLATION, Arm SMMUv3 7.3) names the
 * DLA's stream ID. Corrected: the buffers are mapped for the DLA's function, too, here at other
 * addresses. On a board it is one "iommus" property for each engine's node. Needs -M
 * virt,iommu=smmuv3, -device vtegra, and a chip with a DLA. */
#include "qemu-plugin/baremetal/lesson.h"
#include "qemu-plugin/baremetal/smmu.h"

#define IGPU_SRC 0x10000000u /* what the iGPU's stream has mapped */
#define IGPU_DST 0x10001000u
#define DLA_SRC (FIXED ? 0x30000000u : IGPU_SRC)
#define DLA_DST (FIXED ? 0x30001000u : IGPU_DST)

/* NVDLA's bridge DMA, by registers (NVDLA register description, BDMA and GLB). */
#define BDMA (DLA_NVDLA_BASE + 0x4000u)
#define GLB_STATUS (DLA_NVDLA_BASE + 0xcu)
enum {
    SRC_LOW = 0x00,
    DST_LOW = 0x08,
    LINE = 0x10,
    CMD = 0x14,
    OP = 0x30,
    LAUNCH0 = 0x34,
    DONE0 = 1 << 6,
    LOOKS = 1000, /* the engine runs inside the register write (policy=eager) */
};

static void dla_write(uint32_t offset, uint32_t value)
{
    barrier();
    store32((void *)(vtegra_unit(UNIT_DLA) + offset), value);
}

/* Two atoms of 32 bytes. Return: did it finish? */
static bool dla_copy(uint32_t dst, uint32_t src)
{
    unsigned looks = 0;

    dla_write(BDMA + SRC_LOW, src);
    dla_write(BDMA + DST_LOW, dst);
    dla_write(BDMA + LINE, 1);
    dla_write(BDMA + CMD, 3);
    dla_write(BDMA + OP, 1);
    dla_write(BDMA + LAUNCH0, 1);
    while (!(load32((void *)(vtegra_unit(UNIT_DLA) + GLB_STATUS)) & DONE0) && looks < LOOKS) {
        looks++;
    }
    return looks < LOOKS;
}

int main(void)
{
    struct smmu_event event;
    uint32_t *src, *dst;

    vtegra_open();
    if (!vtegra_unit(UNIT_DLA)) {
        print("this chip has no DLA\n");
        return 2;
    }
    smmu_open(vtegra_stream_id(UNIT_IGPU));
    smmu_map_all(); /* rings and tables of the channel: where they are */
    channel_open();
    src = pages_new(1);
    dst = pages_new(1);
    smmu_map(IGPU_SRC, src, 1, true);
    smmu_map(IGPU_DST, dst, 1, false);
    smmu_stream_add(vtegra_stream_id(UNIT_DLA));
    if (FIXED) {
        smmu_map(DLA_SRC, src, 1, true);
        smmu_map(DLA_DST, dst, 1, false);
    }
    gpu_map(IGPU_SRC, IGPU_SRC, 1, GPU_UNCACHED);
    gpu_map(IGPU_DST, IGPU_DST, 1, GPU_UNCACHED);
    store32(src, 0xbeef);
    copy(IGPU_DST, IGPU_SRC, 64);
    submit();
    if (!finish() || load32(dst) != 0xbeef) {
        print("the iGPU's copy did not run\n");
        return 2;
    }
    store32(src, 0xcafe);
    print("the iGPU (stream 0x%x) has copied; the DLA (stream 0x%x) %s\n",
          vtegra_stream_id(UNIT_IGPU), vtegra_stream_id(UNIT_DLA),
          dla_copy(DLA_DST, DLA_SRC) ? "has, too" : "has not");
    if (smmu_event_next(&event)) {
        print("SMMU event 0x%x stream 0x%x address 0x%lx\n", event.type, event.stream,
              event.address);
    }
    return lesson_end(load32(dst), 0xcafe);
}
