/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's own walk of a guest's page tables. Tables and addresses are written by hand from the
 * Arm ARM, D8.2 (translation process) and D8.3 (descriptors). */
#include <check.h>
#include <string.h>

#include "qemu-plugin/board.h"
#include "qemu-plugin/walk.h"

#define RAM UINT64_C(0x40000000)
#define TABLE_3 3 /* valid, table or page */
#define BLOCK_1 1 /* valid, block */
#define ATTR(n) ((uint64_t)(n) << 2)

struct board board;
static uint8_t *ram;
static struct {
    uint64_t sctlr, tcr, ttbr0, ttbr1, cpsr;
} cpu;

/* --- QEMU's part: registers by name --- */

static const char *const names[] = { "pc",        "SCTLR",    "TCR_EL1", "TTBR0_EL1",
                                     "TTBR1_EL1", "MAIR_EL1", "cpsr" };
static const char *hidden;

GArray *qemu_plugin_get_registers(void)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct reg_descriptor));

    for (uintptr_t i = 0; i < G_N_ELEMENTS(names) + 31; i++) {
        g_autofree char *x = g_strdup_printf("x%u", (unsigned)(i - G_N_ELEMENTS(names)));
        const char *name = i < G_N_ELEMENTS(names) ? names[i] : g_intern_string(x);
        struct reg_descriptor d = { (void *)(i + 1), name, "" };

        if (!hidden || strcmp(name, hidden) != 0) {
            g_array_append_val(all, d);
        }
    }
    return all;
}

int qemu_plugin_read_register(void *handle, GByteArray *bytes)
{
    uintptr_t i = (uintptr_t)handle - 1;
    const uint64_t values[] = { 0,         cpu.sctlr, cpu.tcr,
                                cpu.ttbr0, cpu.ttbr1, UINT64_C(0xff4400bb04),
                                cpu.cpsr };
    uint64_t value = i < G_N_ELEMENTS(values) ? values[i] : 0x1000 + (i - G_N_ELEMENTS(values));
    guint len = i == 6 ? 4 : 8; /* cpsr has 32 bits */

    g_byte_array_append(bytes, (const guint8 *)&value, len);
    return (int)len;
}

static void put(uint64_t pa, uint64_t value)
{
    memcpy(ram + (pa - RAM), &value, sizeof(value));
}

static void setup(void)
{
    ram = g_malloc0(1 << 20);
    board.ram = ram;
    board.ram_pa = RAM;
    board.ram_bytes = 1 << 20;
    memset(&cpu, 0, sizeof(cpu));
    cpu.sctlr = 1;
    cpu.cpsr = 0x3c5; /* EL1h */
    hidden = NULL;
    ck_assert(walk_registers_find());
}

static void teardown(void)
{
    g_free(ram);
}

static void expect(uint64_t va, uint64_t right, unsigned right_attr)
{
    uint64_t pa = 0;
    uint8_t attr = 0;

    ck_assert(walk_tables(va, &pa, &attr));
    ck_assert_uint_eq(pa, right);
    ck_assert_uint_eq(attr, right_attr);
}

static void expect_fault(uint64_t va)
{
    uint64_t pa;
    uint8_t attr;

    ck_assert(!walk_tables(va, &pa, &attr));
}

/* 4 KiB, T0SZ 16: levels 0 to 3, nine bits each. */
START_TEST(four_levels_of_4k)
{
    cpu.tcr = 16;
    cpu.ttbr0 = RAM | UINT64_C(0x1234) << 48 | 1; /* an ASID and CnP */
    put(RAM + 8 * 1, (RAM + 0x1000) | TABLE_3);
    put(RAM + 0x1000 + 8 * 2, (RAM + 0x2000) | TABLE_3);
    put(RAM + 0x2000 + 8 * 3, (RAM + 0x3000) | TABLE_3);
    put(RAM + 0x3000 + 8 * 4, UINT64_C(0x8765432000) | ATTR(4) | TABLE_3 | UINT64_C(0x60) << 48);
    put(RAM + 0x2000 + 8 * 5, UINT64_C(0x12400000) | ATTR(1) | BLOCK_1);
    put(RAM + 0x1000 + 8 * 6, UINT64_C(0x1c0000000) | ATTR(0) | BLOCK_1);
    expect(0x8080604123, 0x8765432000, 0xff);
    expect(0x8080bff123, 0x125ff000, 0xbb);  /* 2 MiB */
    expect(0x81bfffe123, 0x1ffffe000, 0x04); /* 1 GiB */
    expect_fault(0x8080605000);              /* no entry */
    put(RAM + 0x3000 + 8 * 4, UINT64_C(0x8765432000) | BLOCK_1);
    expect_fault(0x8080604000); /* at level 3 bit 1 must be 1 */
}
END_TEST

/* 4 KiB, T0SZ 25: 39 bits, so the walk starts at level 1. */
START_TEST(three_levels_of_4k)
{
    cpu.tcr = 25;
    cpu.ttbr0 = RAM;
    put(RAM + 8 * 511, UINT64_C(0x40000000) | ATTR(4) | BLOCK_1);
    expect(0x7fc0abcdef, 0x40abc000, 0xff);
    expect_fault(0x7f80000000);
}
END_TEST

/* The upper half has its own table, size and granule: TG1 2 is 4 KiB, 1 is 16 KiB, 3 is 64 KiB. */
START_TEST(upper_half)
{
    cpu.tcr = UINT64_C(25) << 16 | UINT64_C(2) << 30 | 16;
    cpu.ttbr0 = RAM;
    cpu.ttbr1 = RAM + 0x5000;
    put(RAM + 0x5000 + 8 * 256, UINT64_C(0x80000000) | ATTR(4) | BLOCK_1);
    expect(UINT64_C(0xffffffc000345678), 0x80345000, 0xff);
    cpu.tcr |= 1 << 23; /* EPD1 */
    expect_fault(UINT64_C(0xffffffc000345678));
}
END_TEST

/* 64 KiB, T0SZ 22: 42 bits, levels 2 and 3, thirteen bits each. */
START_TEST(two_levels_of_64k)
{
    cpu.tcr = 22 | 1 << 14;
    cpu.ttbr0 = RAM;
    put(RAM + 8 * 7, (RAM + 0x10000) | TABLE_3);
    put(RAM + 0x10000 + 8 * 9, UINT64_C(0x99990000) | ATTR(3) | TABLE_3);
    put(RAM + 8 * 8, UINT64_C(0x60000000) | ATTR(4) | BLOCK_1);
    expect(0xe0099abc, 0x99999000, 0x44);
    expect(0x103456789, 0x63456000, 0xff); /* 512 MiB */
}
END_TEST

/* 16 KiB, T0SZ 28: 36 bits, levels 2 and 3, eleven bits each. */
START_TEST(two_levels_of_16k)
{
    cpu.tcr = 28 | 2 << 14;
    cpu.ttbr0 = RAM;
    put(RAM + 8 * 2, (RAM + 0x4000) | TABLE_3);
    put(RAM + 0x4000 + 8 * 3, UINT64_C(0x7000c000) | ATTR(4) | TABLE_3);
    expect(0x400f123, 0x7000f000, 0xff);
}
END_TEST

START_TEST(what_is_not_walked)
{
    cpu.sctlr = 0; /* MMU off: identity, Device-nGnRnE (D8.2.12) */
    expect(0x9000123, 0x9000000, 0);
    cpu.cpsr = 0x3c9; /* EL2h */
    expect_fault(0x9000123);
    cpu.cpsr = 0x3c5;
    cpu.sctlr = 1;
    cpu.ttbr0 = RAM;
    put(RAM, RAM | TABLE_3); /* whatever the level */
    cpu.tcr = 16;
    expect(0x123, RAM, 0x04);
    cpu.tcr = 12; /* 52 bits */
    expect_fault(0x123);
    cpu.tcr = 63; /* 1 bit */
    expect_fault(0x123);
    cpu.tcr = 25;
    cpu.ttbr0 = 0x9000000; /* tables that are no RAM */
    expect_fault(0x9000123);
    cpu.ttbr0 = RAM + (1 << 20) - 0x1000;
    expect_fault(0x9000123);
}
END_TEST

START_TEST(registers)
{
    ck_assert_uint_eq(walk_register(0), 0x1000);
    ck_assert_uint_eq(walk_register(30), 0x101e);
    ck_assert_uint_eq(walk_register(31), 0); /* XZR */
    hidden = "TTBR1_EL1";
    ck_assert(!walk_registers_find());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("qemu_walk");
    TCase *tc = tcase_create("walk");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, four_levels_of_4k);
    tcase_add_test(tc, three_levels_of_4k);
    tcase_add_test(tc, upper_half);
    tcase_add_test(tc, two_levels_of_64k);
    tcase_add_test(tc, two_levels_of_16k);
    tcase_add_test(tc, what_is_not_walked);
    tcase_add_test(tc, registers);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
