/* SPDX-License-Identifier: MIT */
/* Bytes -> what software can do to a DLA and its SMMU: registers, tables, tasks with anything in
 * them, steps. After each input the engine still runs a good task. */
#include "tests/dla_soc_rig.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
static uint64_t some_register(const struct drig *r, uint32_t pick)
{
    static const uint32_t dla[] = { DLA_THI_METHOD_ID,  DLA_THI_METHOD_DATA, DLA_FALCON_IRQSCLR,
                                    DLA_FALCON_IRQMSET, DLA_FALCON_IRQMCLR,  DLA_FALCON_MAILBOX0,
                                    DLA_HANG,           DLA_RESET,           DLA_ERROR_LO };

    switch (pick % 5) {
    case 0:
        return r->dla + dla[pick / 5 % (sizeof(dla) / sizeof(*dla))];
    case 1:
        return r->smmu + pick / 5 % 0x1000 / 4 * 4;
    case 2:
        return r->smmu + 0x10000 + pick / 5 % 0x1000 / 4 * 4;
    case 3:
        return r->banks + pick / 5 % 3 * 0x10000 + pick / 15 % 0x800 / 4 * 4;
    default:
        return r->dla + pick / 5 % 0x20000 / 4 * 4; /* not NVDLA's own: fuzz_dla_regs */
    }
}

/* A copy in a task; then @damage bytes of its two pages are other ones. */
static void some_task(struct drig *r, uint32_t pick, const uint8_t **data, size_t *len)
{
    struct drig_task t;

    drig_task(r, &t, pick % 16, pick / 16 % 18);
    drig_copy(&t, DRIG_DATA + 0x4000, DRIG_DATA, 1 + pick / 512 % 8, pick / 4096 % 4);
    if (pick & 1u << 20) {
        drig_pre(&t, (uint8_t)(pick >> 21 | 0x80), drig_shim(r, pick >> 24 & 7), pick >> 28);
    }
    drig_post(&t, (uint8_t)(pick & 2 ? 0x80 : pick >> 16), drig_shim(r, pick >> 24 & 7), 1);
    t.desc.timeout = 10;
    drig_submit(r, &t);
    for (unsigned damage = pick >> 30; damage > 0; damage--) {
        uint32_t where = take32(data, len);

        t.memory[where % (2 * DRIG_PAGE)] = (uint8_t)(where >> 16);
    }
    memcpy(t.memory + offsetof(struct dla_task_desc, timeout), &t.desc.timeout,
           8); /* nothing runs for long */
    drig_command(r, 7, (uint32_t)(t.at >> 8));
}

/* The memory of the rig is what it is: a good task works after a reset of everything it needs. */
static void check_alive(struct drig *r, bool groups_changed)
{
    struct drig_task t;
    uint32_t before;

    drig_dla_write(r, DLA_RESET, 1);
    drig_kernel_clear(r);
    r->next_table = 2 * DRIG_PAGE;
    for (unsigned i = 0; groups_changed && i < 128; i++) {
        drig_write(r, r->smmu + SMMU_SMR + i * 4, 0);
    }
    drig_write(r, r->smmu + SMMU_CBAR + 0x10000, 0);
    drig_write(r, r->smmu + SMMU_TLBIALLNSNH, 0);
    drig_identity(r);
    before = drig_syncpt(r, 40);
    drig_task(r, &t, 0, 0);
    drig_copy(&t, DRIG_DATA + 0x4000, DRIG_DATA, 1, 0);
    drig_post(&t, 0x80, drig_shim(r, 40), 1);
    if (drig_submit(r, &t) != 0) {
        abort();
    }
    drig_run(r);
    if (drig_syncpt(r, 40) != before + 1) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint32_t head = take32(&data, &len), value;
    struct drig r;
    unsigned steps = 0;
    bool groups_changed = false; /* of the SMMU's streams, perhaps */

    drig_open_small(&r, head & 1 ? "t194" : "t234", (enum order)(head / 2 % 3));
    if (head & 8) {
        drig_identity(&r);
    }
    while (len > 0 && steps < 64) {
        uint32_t op = take32(&data, &len), arg = take32(&data, &len);

        switch (op % 8) {
        case 0:
        case 1:
            soc_mmio_write32(r.soc, some_register(&r, op / 8), arg);
            groups_changed = true;
            break;
        case 2:
            soc_mmio_read32(r.soc, some_register(&r, op / 8), &value);
            break;
        case 3:
            r.kernel[op / 8 % DRIG_KERNEL_BYTES] = (uint8_t)arg;
            break;
        case 4:
            drig_ping(&r, DRIG_DATA + (arg % 0x100000 << 8));
            break;
        case 5:
        case 6:
            some_task(&r, arg, &data, &len);
            break;
        default:
            soc_step(r.soc, 100);
            steps++;
        }
    }
    drig_run(&r);
    check_alive(&r, groups_changed);
    drig_close(&r);
    return 0;
}
