/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/iommu.sh: what the device may reach follows the SMMU's tables from the moment
 * software has invalidated the old translation: mapped, elsewhere, read-only, gone. Needs -M
 * virt,iommu=smmuv3 and -device vtegra. */
#include "qemu-plugin/baremetal/smmu.h"
#include "qemu-plugin/baremetal/vtegra.h"

#define IOVA 0x20000000u

static uint32_t *src, failures;

static void remap_check(const char *what, bool ok)
{
    if (!ok) {
        print("FAILED: %s\n", what);
        failures++;
    }
}

/* Copies @value to IOVA. Return: did it run? The channel is alive afterwards. */
static bool write_value(uint32_t value)
{
    bool ok;

    store32(src, value);
    copy(IOVA, (uintptr_t)src, 64);
    submit();
    ok = finish();
    if (!ok) {
        channel_open();
        gpu_map(IOVA, IOVA, 1, GPU_UNCACHED);
        gpu_map((uintptr_t)src, (uintptr_t)src, 1, GPU_UNCACHED);
    }
    return ok;
}

static __attribute__((noinline)) void touch(uint32_t *p)
{
    store32(p, 1);
}

/* A function that ran before the first TRACK is seen when it runs again. */
static void remap_watched(void)
{
    uint32_t *page = pages_new(1);

    touch(page);
    track(page, 1);
    touch(page);
    remap_check("old code is observed", line_state(page) & 2);
    line_evict(page);
    touch(page); /* the same value: a comparison would not find it */
    remap_check("a store after an eviction makes the line dirty", line_state(page) & 2);
}

/* Who takes a function away switches its bus master off: its tracked pages are plain memory then,
 * with what the CPU has stored, and those of another function stay tracked. */
static void master_off(void)
{
    uint32_t *page = pages_new(1), *other = pages_new(1), before = control_get(CONTROL_TRACK_COUNT);

    track(page, 1);
    smmu_stream_add(vtegra_stream_id(UNIT_DLA));
    smmu_map(IOVA, other, 1, false);
    control_set(CONTROL_FUNCTION, vtegra_function(UNIT_DLA));
    remap_check("the DLA's function tracks", track_try(IOVA, 1) == TRACK_OK);
    control_set(CONTROL_FUNCTION, 0);
    store32(page, 0x1234);
    vtegra_bus_master(UNIT_DLA, false);
    remap_check("the DLA's page is forgotten", control_get(CONTROL_TRACK_COUNT) == before + 1);
    remap_check("function 0's is not", line_state(page) & 2);
    vtegra_bus_master(UNIT_IGPU, false);
    remap_check("bus master off: nothing is tracked", control_get(CONTROL_TRACK_COUNT) == 0);
    remap_check("what the CPU has stored is there", load32(page) == 0x1234);
    vtegra_bus_master(UNIT_IGPU, true);
    remap_check("and on: still nothing", control_get(CONTROL_TRACK_COUNT) == 0);
    track(page, 1);
}

int main(void)
{
    struct smmu_event event;
    uint32_t *a, *b;

    vtegra_open();
    smmu_open(vtegra_stream_id(UNIT_IGPU));
    smmu_map_all();
    channel_open();
    src = pages_new(1);
    a = pages_new(1);
    b = pages_new(1);
    gpu_map(IOVA, IOVA, 1, GPU_UNCACHED);
    gpu_map((uintptr_t)src, (uintptr_t)src, 1, GPU_UNCACHED);

    smmu_map(IOVA, a, 1, false);
    remap_check("a mapped page is written", write_value(1) && load32(a) == 1);
    if (control_get(CONTROL_FEATURES) & 2) { /* from here on the CPU's accesses are observed */
        remap_watched();
    }
    remap_check("and again", write_value(2) && load32(a) == 2);
    smmu_map(IOVA, b, 1, false);
    remap_check("after a new mapping the new page is written",
                write_value(3) && load32(b) == 3 && load32(a) == 2);
    remap_check("no event so far", !smmu_event_next(&event));
    smmu_unmap(IOVA, 1);
    remap_check("an unmapped page is not", !write_value(4) && load32(b) == 3);
    remap_check("F_TRANSLATION", smmu_event_next(&event) && event.type == 0x10 &&
                                     event.address == IOVA &&
                                     event.stream == vtegra_stream_id(UNIT_IGPU));
    smmu_map(IOVA, a, 1, true);
    remap_check("a read-only page is not", !write_value(5) && load32(a) == 2);
    remap_check("F_PERMISSION",
                smmu_event_next(&event) && event.type == 0x13 && event.address == IOVA);
    smmu_map(IOVA, a, 1, false);
    remap_check("a writable one is", write_value(6) && load32(a) == 6);
    if (control_get(CONTROL_FEATURES) & 2 && vtegra_unit(UNIT_DLA)) {
        master_off();
    }
    print("%u failures\n", failures);
    return failures != 0;
}
