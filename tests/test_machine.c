/* SPDX-License-Identifier: MIT */
/* What a machine reports of its guest: which records are mistakes (Arm ARM D7.5.9; CUDA for
 * Tegra 2.1), what makes two of them one, and the addresses that are told. */
#include <check.h>
#include <string.h>

#include "checker/rules/machine.h"
#include "model/values.h"
#include "tests/suite.h"

static struct machine *m;
static char *text;

static char *line(uint64_t pc)
{
    return pc == 0x400 ? g_strdup("driver.c:40 (start)") : NULL;
}

static uint64_t store_pc(uint64_t pa)
{
    return pa < 0x2000 ? 0x400 : 0;
}

static uint32_t writer(uint64_t pa)
{
    return pa < 0x2000 ? (uint32_t)BUS_AGENT_IGPU : (uint32_t)BUS_AGENT_COUNT;
}

static void setup(void)
{
    m = machine_new(&(struct machine_host){ line, store_pc, writer });
    text = NULL;
}

static void teardown(void)
{
    g_free(text);
    machine_free(m);
}

static void record(const char *of, uint64_t pc)
{
    struct trace_record t;

    ck_assert_msg(trace_parse(of, &t), "%s", of);
    machine_record(m, &t, pc);
}

static void assert_says(const char *part)
{
    g_free(text);
    text = machine_text(m, "xavier", false);
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text);
}

/* Each event that is a mistake, and the row that its text comes from. */
static const struct {
    const char *record, *says;
} mistakes[] = {
    { "1 igpu PORT_READ_STALE pa=0x1000",
      "the iGPU read memory older than what the CPU had stored" },
    { "1 igpu PORT_READ_STALE pa=0x1000", "   where    stored at pc 0x400 driver.c:40 (start)\n" },
    { "1 igpu PORT_READ_STALE pa=0x1000", "Arm ARM D7.5.9, maintenance by address to the point of "
                                          "coherency [documented]\n" },
    { "1 cpu CPU_STALE pa=0x1000", "a line from its cache that the iGPU had changed in memory" },
    { "1 cpu CPU_STALE pa=0x3000", "a line from its cache that an engine had changed in memory" },
    { "1 cpu CPU_STALE pa=0x1000", "   where    loaded at pc 0x500\n" },
    { "1 cpu CPU_OVERWRITE pa=0x1000 bytes=12", "old bytes over 12 that an engine had written" },
    { "1 cpu CPU_DROP pa=0x1000 dirty=1", "[documented]\n" },
    { "1 cpu CPU_DROP pa=0x1000 dirty=1",
      "stored at pc 0x400 driver.c:40 (start), dropped at pc 0x500" },
    { "1 cpu CPU_DROP pa=0x3000 dirty=1", "stored at an unknown place" },
    { "1 cpu CPU_UNCACHED_ATOMIC pa=0x1000 len=4", "exclusives need Normal cacheable memory" },
    { "1 cpu CPU_MISMATCH pa=0x1000 va=0x9000 len=4 write=1", "mismatched memory attributes" },
    { "1 dla SMMU_FAULT stream=0x51 iova=0x1000 fsr=0x2 fsynr=0x10",
      "the DLA: the SMMU refused a store at IOVA 0x1000 with StreamID 0x51: nothing is mapped "
      "there" },
    { "1 vic SMMU_GLOBAL_FAULT stream=0x3 iova=0x1000 gfsr=0x2 write=0",
      "the VIC: the SMMU refused a load at IOVA 0x1000 with StreamID 0x3: no stream mapping" },
    { "1 host CHANNEL_ERROR channel=3 kind=1 method=0x10 data=0x20",
      "record: 1 host CHANNEL_ERROR" },
    { "1 cpu MMIO_UNKNOWN offset=0x44 write=0 value=0x0", "offset 0x44 in its unit, read" },
};

START_TEST(a_mistake_is_reported)
{
    record(mistakes[_i].record, 0x500);
    ck_assert_uint_eq(machine_findings(m), 1);
    assert_says("vtegra: 1 finding on xavier\n1. ");
    assert_says(mistakes[_i].says);
}
END_TEST

static const char *const others[] = {
    "1 cpu CPU_DROP pa=0x1000 dirty=0", /* the line was clean: nothing is lost */
    "1 cpu CPU_FILL pa=0x1000",
    "1 igpu PORT_WRITE_UNSEEN pa=0x1000 dirty=1", /* only a later load would see older bytes */
    "1 cpu CPU_CLEAN pa=0x1000 len=64 lines=1",
};

START_TEST(other_records_are_none)
{
    record(others[_i], 0x500);
    ck_assert_uint_eq(machine_findings(m), 0);
}
END_TEST

START_TEST(one_instruction_is_one_finding_with_all_its_addresses)
{
    record("1 cpu CPU_STALE pa=0x1040", 0x500);
    record("2 cpu CPU_STALE pa=0x1080", 0x500);
    record("3 cpu CPU_STALE pa=0x1000", 0x500);
    ck_assert_uint_eq(machine_findings(m), 1);
    assert_says("   address  0x1000 .. 0x1080, 3 times\n");
    record("4 cpu CPU_STALE pa=0x1000", 0x504);
    ck_assert_uint_eq(machine_findings(m), 2);
    assert_says("vtegra: 2 findings on xavier\n");
    assert_says("2. the CPU loaded");
    assert_says("   address  0x1000\n");
}
END_TEST

START_TEST(a_channel_has_no_address)
{
    record("1 host CHANNEL_ERROR channel=3 kind=1 method=0x10 data=0x20", 0);
    record("2 host CHANNEL_ERROR channel=3 kind=1 method=0x10 data=0x20", 0);
    assert_says("an engine stopped with an error\n   2 times\n   where ");
    ck_assert_ptr_null(strstr(text, "address"));
}
END_TEST

START_TEST(a_thousand_are_kept)
{
    for (unsigned i = 0; i < 1003; i++) {
        record("1 cpu CPU_STALE pa=0x1000", 0x1000 + 4 * i);
    }
    record("1 cpu CPU_STALE pa=0x1000", 0x1000); /* one that was kept */
    ck_assert_uint_eq(machine_findings(m), 1000);
    assert_says("and 3 more that were not kept\n");
}
END_TEST

START_TEST(what_no_record_shows_is_a_finding_too)
{
    machine_l2_newer(m, 0x500, 0x1000);
    machine_set_way(m, 0x504, "set/way");
    machine_no_dsb(m, 0x508);
    machine_window_access(m, 0x50c, 0x10, 8, true);
    machine_dma_refused(m, 1, 0x7000, true, " (PCI function 1)", "no page");
    ck_assert_uint_eq(machine_findings(m), 5);
    assert_says("the iGPU's L2 holds newer bytes");
    assert_says("2. set/way\n");
    assert_says("no dsb between dc and the register write");
    assert_says("a store of 8 bytes to a register of 32 bits");
    assert_says("bus address 0x7000 (PCI function 1): no page");
    assert_says("qemu-plugin/README.md, the window [invented]\n");
}
END_TEST

START_TEST(nothing_is_said_where_nothing_was_found)
{
    text = machine_text(m, "xavier", false);
    ck_assert_str_eq(text, "");
    g_free(text);
    text = machine_text(m, "xavier", true);
    ck_assert_str_eq(text, "vtegra: 0 findings on xavier\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("machine");
    TCase *t = tcase_create("machine");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_mistake_is_reported, 0, G_N_ELEMENTS(mistakes));
    tcase_add_loop_test(t, other_records_are_none, 0, G_N_ELEMENTS(others));
    tcase_add_test(t, one_instruction_is_one_finding_with_all_its_addresses);
    tcase_add_test(t, a_channel_has_no_address);
    tcase_add_test(t, a_thousand_are_kept);
    tcase_add_test(t, what_no_record_shows_is_a_finding_too);
    tcase_add_test(t, nothing_is_said_where_nothing_was_found);
    suite_add_tcase(s, t);
    return suite_main(s);
}
