/* SPDX-License-Identifier: MIT */
/* Any register writes: nothing outside the memory that is mapped is touched, reads never change
 * what they read, and a fault stays until reset. Input: a configuration byte, then writes of five
 * bytes (a register number among the known ones, a value). */
#include "model/dla/regs.h"
#include "tests/dla/rig.h"

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
    rig.budget = 200000; /* a layer as large as the registers allow takes hours */
    rig_map(&rig, 0, 0x20000);
    regs = dla_regs_new(dla_config_at(data[0] % CONFIGS), &rig.port);
    for (size_t i = 1; i + 6 <= size; i += 6) {
        uint32_t at = known->offset[(data[i] | (unsigned)data[i + 1] << 8) % known->count], value;

        memcpy(&value, data + i + 2, 4);
        dla_regs_write(regs, at, value);
        if (dla_regs_read(regs, at) != dla_regs_read(regs, at) && at % 0x1000 != 0xc) {
            abort(); /* only the table port counts reads */
        }
    }
    dla_regs_free(regs);
    rig_free(&rig);
    return 0;
}
