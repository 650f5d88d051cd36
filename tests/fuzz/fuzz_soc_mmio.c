/* SPDX-License-Identifier: MIT */
/* Bytes -> what software can do to the board: registers, pushbuffers, CPU accesses, steps. */
#include <string.h>

#include "tests/soc_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint32_t take32(const uint8_t **data, size_t *len)
{
    uint32_t v = 0;
    size_t n = *len < 4 ? *len : 4;

    memcpy(&v, *data, n);
    *data += n;
    *len -= n;
    return v;
}

/* Registers where something is, more often than where nothing is. */
static uint64_t some_register(const struct rig *rig, uint32_t pick)
{
    static const uint32_t igpu[] = { IGPU_FLUSH_L2_FLUSH_DIRTY, IGPU_FLUSH_L2_SYSTEM_INVALIDATE,
                                     IGPU_USERMODE_NOTIFY_CHANNEL_PENDING, IGPU_INTR,
                                     IGPU_MMU_INVALIDATE };

    switch (pick % 5) {
    case 4: /* both SMMUs: global spaces and the first context banks */
        return soc_unit_base(rig->soc, UNIT_SMMU0 + (pick / 5 & 1), NULL) +
               (pick / 10 & 1 ? 0x800000u : 0) + pick / 20 % 0x20000 / 4 * 4;
    case 0:
        return rig->igpu + igpu[pick / 5 % (sizeof(igpu) / sizeof(*igpu))];
    case 1:
        return rig->igpu + IGPU_CHAN_BASE + pick / 5 % (4 * CHAN_WINDOW) / 4 * 4;
    case 2:
        return rig->host1x + 0x6000 + pick / 5 % 0x8000 / 4 * 4;
    default:
        return rig->igpu + pick / 5 % 0x1000000 / 4 * 4;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rig rig;
    uint32_t head = take32(&data, &len), value;
    uint8_t bytes[64] = { 0 };
    unsigned steps = 0;

    rig_open(&rig, head & 1);
    while (len > 0 && steps < 64) {
        uint32_t op = take32(&data, &len), arg = take32(&data, &len);

        switch (op % 8) {
        case 0:
            soc_mmio_write32(rig.soc, some_register(&rig, op / 8), arg);
            break;
        case 1:
            soc_mmio_read32(rig.soc, some_register(&rig, op / 8), &value);
            break;
        case 2:
            rig.pb[rig.pb_words++] = arg;
            break;
        case 3: /* a well-formed method with any data */
            rig_method(&rig, op / 8 % 8, op / 64 % 0x1000 / 4 * 4, arg);
            break;
        case 4:
            rig_copy(&rig, RIG_VA + arg % 0x500000, RIG_VA + op / 8 % 0x500000, arg % 9000);
            rig_submit(&rig);
            break;
        case 5:
            soc_cpu_write(rig.soc, RIG_KERNEL + op / 8 % 0x300000, bytes, arg % sizeof(bytes));
            break;
        case 6:
            soc_cpu_clean_invalidate(rig.soc, RIG_KERNEL + op / 8 % 0x300000, arg);
            break;
        default:
            rig_submit(&rig);
            soc_step(rig.soc, 100);
            steps++;
        }
        if (rig.pb_words > 1000) {
            rig_submit(&rig);
        }
    }
    rig_run(&rig);
    rig_close(&rig);
    return 0;
}
