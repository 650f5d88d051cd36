/* SPDX-License-Identifier: MIT */
/* Any register writes: nothing outside the memory that is mapped is touched, reads never change
 * what they read, and a fault stays until reset. Input: a configuration byte, then writes of six
 * bytes (a register number among the known ones, a value). Numbers from START on enable a whole
 * chain of units at once: one by one, chance hardly ever completes a convolution's six. */
#include "model/dla/regs.h"
#include "tests/dla/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OFFSETS 1024u
#define CONFIGS 7

struct known {
    uint32_t offset[OFFSETS];
    unsigned count;
    int complete;
};

#define START 0xff00u

/* OP_ENABLE of the units that one operation needs. */
static void start(const struct dla_config *cfg, struct dla_regs *regs, unsigned chain)
{
    static const char *const units[][8] = {
        { "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP" },
        { "SDP_RDMA", "SDP" },
        { "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "PDP", "SDP_RDMA", "SDP" },
        { "PDP_RDMA", "PDP" },
        { "CDP_RDMA", "CDP" },
        { "RBK" },
    };
    char name[48];
    uint32_t offset;

    for (unsigned i = 0; i < 8 && units[chain % 6][i]; i++) {
        snprintf(name, sizeof(name), "NVDLA_%s.D_OP_ENABLE_0", units[chain % 6][i]);
        if (dla_regs_find(cfg, name, &offset)) {
            dla_regs_write(regs, offset, 1);
        }
    }
}

static const struct known *registers_of(size_t config)
{
    static struct known lists[CONFIGS];
    struct known *k = &lists[config];
    const char *unit, *name;

    for (uint32_t at = 0; !k->complete && at < 0x12000 && k->count < OFFSETS; at += 4) {
        if (dla_regs_name(dla_config_at(config), at, &unit, &name)) {
            k->offset[k->count++] = at;
        }
    }
    k->complete = 1;
    return k;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct known *known;
    struct dla_regs *regs;
    struct rig rig;

    if (size < 1) {
        return 0;
    }
    known = registers_of(data[0] % CONFIGS);
    rig_init(&rig);
    rig.budget = 50000; /* accesses of all layers: one of CDP costs 70 us here */
    rig_map(&rig, 0, 0x20000);
    regs = dla_regs_new(dla_config_at(data[0] % CONFIGS), &rig.port);
    for (size_t i = 1; i + 6 <= size; i += 6) {
        unsigned number = data[i] | (unsigned)data[i + 1] << 8;
        uint32_t at = known->offset[number % known->count], value;

        memcpy(&value, data + i + 2, 4);
        if (number >= START) {
            start(dla_config_at(data[0] % CONFIGS), regs, value);
            continue;
        }
        dla_regs_write(regs, at, value);
        if (dla_regs_read(regs, at) != dla_regs_read(regs, at) && at % 0x1000 != 0xc) {
            abort(); /* only the table port counts reads */
        }
    }
    dla_regs_free(regs);
    rig_free(&rig);
    return 0;
}
