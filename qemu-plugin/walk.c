/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu-plugin/walk.h"

#include <stdio.h>
#include <string.h>

#include "qemu-plugin/board.h"

enum reg { SCTLR, TCR, TTBR0, TTBR1, MAIR, CPSR, X0, REGS = X0 + 31 };

static void *handle[REGS];

static bool reg_find(enum reg reg, const char *name, const GArray *all)
{
    for (guint i = 0; i < all->len; i++) {
        const struct reg_descriptor *d = &g_array_index(all, struct reg_descriptor, i);

        if (strcmp(d->name, name) == 0) {
            handle[reg] = d->handle;
            return true;
        }
    }
    fprintf(stderr,
            "vtegra: this QEMU does not show the CPU's register %s; use cpu=off to run without the "
            "caches\n",
            name);
    return false;
}

bool walk_registers_find(void)
{
    static const char *const names[] = { "SCTLR",     "TCR_EL1",  "TTBR0_EL1",
                                         "TTBR1_EL1", "MAIR_EL1", "cpsr" };
    g_autoptr(GArray) all = qemu_plugin_get_registers();
    bool ok = true;

    for (unsigned i = 0; ok && i < REGS; i++) {
        char x[8];

        snprintf(x, sizeof(x), "x%u", i - X0);
        ok = reg_find((enum reg)i, i < X0 ? names[i] : x, all);
    }
    return ok;
}

static uint64_t reg_get(enum reg reg)
{
    static GByteArray *bytes;
    uint64_t value = 0;

    bytes = bytes ? bytes : g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    if (qemu_plugin_read_register(handle[reg], bytes) > 0) {
        memcpy(&value, bytes->data, MIN(bytes->len, sizeof(value)));
    }
    return value;
}

uint64_t walk_register(unsigned n)
{
    return n < 31 ? reg_get((enum reg)(X0 + n)) : 0;
}

/* --- tables (Arm ARM D8.2, D8.3) --- */

#define BITS(value, low, width) ((value) >> (low) & ((UINT64_C(1) << (width)) - 1))

static bool ram_read64(uint64_t pa, uint64_t *value)
{
    if (pa - board.ram_pa > board.ram_bytes - sizeof(*value)) { /* in front: a large number */
        return false;
    }
    memcpy(value, board.ram + (pa - board.ram_pa), sizeof(*value));
    return true;
}

/* @bits: of the input address; @granule: log2 of a table's bytes. Return: the last descriptor. */
static bool descriptor_find(uint64_t table, uint64_t va, unsigned bits, unsigned granule,
                            uint64_t *descriptor, unsigned *shift)
{
    unsigned stride = granule - 3, levels = (bits - granule + stride - 1) / stride;
    uint64_t addresses = BITS(UINT64_MAX, 0, 48) & ~BITS(UINT64_MAX, 0, granule);

    va = BITS(va, 0, bits);
    for (unsigned left = levels; left > 0; left--) {
        *shift = granule + stride * (left - 1);
        if (!ram_read64(table + BITS(va, *shift, stride) * 8, descriptor) || !(*descriptor & 1)) {
            return false;
        }
        if (left == 1 || !(*descriptor & 2)) {
            return left > 1 || *descriptor & 2; /* a block, or a page */
        }
        table = *descriptor & addresses;
    }
    return false;
}

bool walk_tables(uint64_t va, uint64_t *pa, uint8_t *attr)
{
    static const unsigned granules[2][4] = { { 12, 16, 14, 0 }, { 0, 14, 12, 16 } };
    uint64_t tcr = reg_get(TCR), descriptor;
    unsigned high = BITS(va, 55, 1), bits, granule, shift;

    if (BITS(reg_get(CPSR), 2, 2) > 1) { /* CurrentEL */
        return false;
    }
    if (!(reg_get(SCTLR) & 1)) {
        *pa = va & ~(uint64_t)(PAGE - 1);
        *attr = 0; /* Device-nGnRnE */
        return true;
    }
    bits = 64 - (unsigned)BITS(tcr, high ? 16 : 0, 6);
    granule = granules[high][BITS(tcr, high ? 30 : 14, 2)];
    if (granule == 0 || bits > 48 || bits <= granule || BITS(tcr, high ? 23 : 7, 1)) { /* EPDn */
        return false;
    }
    if (!descriptor_find(BITS(reg_get(high ? TTBR1 : TTBR0), 1, 47) << 1, va, bits, granule,
                         &descriptor, &shift)) {
        return false;
    }
    *pa = BITS(descriptor, shift, 48 - shift) << shift | BITS(va, 12, shift - 12) << 12;
    *attr = (uint8_t)(reg_get(MAIR) >> BITS(descriptor, 2, 3) * 8);
    return true;
}
