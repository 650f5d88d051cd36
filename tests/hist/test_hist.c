/* SPDX-License-Identifier: MIT */
/* The teaching engine HIST, the second one that a build appends: driven through model/soc.h as by a
 * driver. */
#include <check.h>

#include <string.h>

#include "checker/checker.h"
#include "tests/dla_soc_rig.h"
#include "tests/rows_before.h"
#include "tests/suite.h"

enum {
    START = 0x00,
    STATUS = 0x04,
    SRC_LO = 0x08,
    SRC_HI = 0x0c,
    LEN = 0x10,
    DST_LO = 0x14,
    DST_HI = 0x18
};
enum { DONE = 1, FAULT = 2, BUSY = 4 };

#define BASE UINT64_C(0x15910000)
#define SRC DRIG_DATA
#define DST (DRIG_DATA + 0x8000)

static struct drig rig;

static void setup(void)
{
    drig_open(&rig, "t194", ORDER_OLDEST);
}

static void teardown(void)
{
    drig_close(&rig);
}

static void count(uint64_t src, uint32_t len, uint64_t dst)
{
    drig_write(&rig, BASE + SRC_LO, (uint32_t)src);
    drig_write(&rig, BASE + SRC_HI, (uint32_t)(src >> 32));
    drig_write(&rig, BASE + LEN, len);
    drig_write(&rig, BASE + DST_LO, (uint32_t)dst);
    drig_write(&rig, BASE + DST_HI, (uint32_t)(dst >> 32));
    drig_write(&rig, BASE + START, 1);
}

/* Byte i is i / 3 % 256: 10000 bytes. Counted by hand: 13 rounds of 768 and 16 bytes. */
START_TEST(it_counts_bytes)
{
    uint32_t *counts = (uint32_t *)(void *)drig_at(&rig, DST);

    for (unsigned i = 0; i < 10000; i++) {
        rig.dram[i] = rig.view[i] = (uint8_t)(i / 3); /* SRC: DRAM, and what the CPU sees */
    }
    count(SRC, 10000, DST);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), BUSY);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), DONE);
    ck_assert(soc_irq(rig.soc, UNIT_HIST));
    ck_assert_uint_eq(counts[0], 42);
    ck_assert_uint_eq(counts[5], 40);
    ck_assert_uint_eq(counts[255], 39);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_HIST_DONE], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_HIST_DONE].arg[1], 10000);
    drig_write(&rig, BASE + STATUS, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_HIST));
}
END_TEST

START_TEST(an_address_that_is_not_mapped_is_a_fault)
{
    rig.stream = 0x7e;
    drig_bank(&rig, 1, 0, 2);
    drig_stream(&rig, 1, 1);
    count(0x40000000, 4, DST);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), DONE | FAULT);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SMMU_FAULT].arg[0], 0x7e);
    ck_assert_int_eq(rig.last[TRACE_EVENT_SMMU_FAULT].agent, BUS_AGENT_HIST);
}
END_TEST

/* Nothing but the row names the engine to the checker. */
START_TEST(a_finding_explains_its_fault)
{
    struct checker *c = checker_new(NULL, false);
    const struct run_finding *f;

    rig.stream = 0x7e;
    drig_bank(&rig, 1, 0, 2);
    drig_stream(&rig, 1, 1);
    count(0x40000000, 4, DST);
    drig_run(&rig);
    checker_record(c, &rig.last[TRACE_EVENT_SMMU_FAULT], 0, true);
    ck_assert_uint_eq(checker_run(c)->findings->len, 1);
    f = checker_run(c)->findings->pdata[0];
    ck_assert_ptr_nonnull(strstr(f->text,
                                 "the histogram engine: the SMMU refused a load at IOVA 0x40000000 "
                                 "with StreamID 0x7e: nothing is mapped there"));
    checker_free(c);
}
END_TEST

/* Its last value is in writing in the list of events: new ones come behind those of other builds.
 */
START_TEST(its_row_has_an_event_and_numbers_behind_the_rows_before)
{
    struct rows_before before = rows_before("HIST");

    ck_assert_int_eq(UNIT_HIST, before.units);
    ck_assert_int_eq(QUEUE_HIST, 0x10000 + before.queues);
    ck_assert_int_eq(unit_engine(UNIT_HIST), before.engines);
    ck_assert_str_eq(trace_event_name(TRACE_EVENT_HIST_DONE), "HIST_DONE");
    ck_assert_str_eq(trace_agent_name(BUS_AGENT_HIST), "hist");
}
END_TEST

START_TEST(the_longest_range_is_counted_in_slices)
{
    uint64_t before = soc_work(rig.soc);

    count(SRC, UINT32_MAX, DST);
    ck_assert_int_eq(soc_step(rig.soc, UINT64_MAX), SOC_PROGRESS);
    ck_assert_uint_le(soc_work(rig.soc) - before, 1 << 20);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), BUSY);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hist");
    TCase *tc = tcase_create("hist");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, it_counts_bytes);
    tcase_add_test(tc, an_address_that_is_not_mapped_is_a_fault);
    tcase_add_test(tc, a_finding_explains_its_fault);
    tcase_add_test(tc, its_row_has_an_event_and_numbers_behind_the_rows_before);
    tcase_add_test(tc, the_longest_range_is_counted_in_slices);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
