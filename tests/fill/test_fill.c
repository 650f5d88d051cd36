/* SPDX-License-Identifier: MIT */
/* The teaching engine FILL in a second build of model/ that appends its row (engines.def): what a
 * row alone brings. Driven through model/soc.h as by a driver; values of registers are typed from
 * fill.def's text. */
#include <check.h>
#include <string.h>

#include "tests/dla_soc_rig.h"
#include "tests/rows_before.h"
#include "tests/suite.h"

enum {
    CTRL = 0x00,
    STATUS = 0x04,
    DST_LO = 0x08,
    DST_HI = 0x0c,
    LEN = 0x10,
    PATTERN = 0x14,
    DELAY_NS = 0x18
};
enum { START = 1, IRQ_EN = 2, DONE = 1, FAULT = 2 };

static struct rows_before first; /* engines of the product come in front of it */

#define STREAM 0x7fu
#define BASE UINT64_C(0x15900000)
#define IOVA UINT64_C(0x40000000)

static struct drig rig;

static void setup(void)
{
    drig_open(&rig, "t194", ORDER_OLDEST);
    first = rows_before("FILL");
}

static void teardown(void)
{
    drig_close(&rig);
}

static void reg(unsigned offset, uint32_t value)
{
    drig_write(&rig, BASE + offset, value);
}

static void fill(uint64_t iova, uint32_t len, uint32_t pattern)
{
    reg(DST_LO, (uint32_t)iova);
    reg(DST_HI, (uint32_t)(iova >> 32));
    reg(LEN, len);
    reg(PATTERN, pattern);
    reg(CTRL, START | IRQ_EN);
}

/* Bank 1 translates the stream of the row. */
static void stream_to_bank(void)
{
    drig_map(&rig, 0, IOVA, DRIG_DATA, DRIG_RW);
    drig_bank(&rig, 1, 0, 2);
    rig.stream = STREAM;
    drig_stream(&rig, 1, 1);
}

START_TEST(a_row_makes_a_window_a_stream_and_an_interrupt_line)
{
    enum unit_id smmu;
    uint32_t stream;
    uint64_t size;

    ck_assert_uint_eq(soc_unit_base(rig.soc, UNIT_FILL, &size), BASE);
    ck_assert_uint_eq(size, 0x1c);
    ck_assert_int_eq(soc_unit_smmu(rig.soc, UNIT_FILL, &smmu, &stream), 0);
    ck_assert_int_eq(smmu, UNIT_SMMU0);
    ck_assert_uint_eq(stream, STREAM);
    ck_assert(!soc_irq(rig.soc, UNIT_FILL));
    fill(DRIG_DATA, 4, 1);
    drig_run(&rig);
    ck_assert(soc_irq(rig.soc, UNIT_FILL));
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
    reg(STATUS, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_FILL));
}
END_TEST

START_TEST(the_other_rows_keep_their_numbers)
{
    ck_assert_int_eq(UNIT_HOST1X, 0);
    ck_assert_int_eq(UNIT_IGPU, 1);
    ck_assert_int_eq(UNIT_DLA, 2);
    ck_assert_int_eq(UNIT_SMMU0, 4);
    ck_assert_int_eq(UNIT_VIC, 6);
    ck_assert_int_eq(UNIT_FILL, first.units);
    ck_assert_int_eq(QUEUE_DLA, 0x10000);
    ck_assert_int_eq(QUEUE_FILL, 0x10000 + first.queues);
    ck_assert_int_eq(unit_engine(UNIT_DLA + 1), 1);
    ck_assert_int_eq(unit_engine(UNIT_FILL), first.engines);
    ck_assert_int_eq(unit_engine(UNIT_SMMU1), -1);
    ck_assert_uint_eq(unit_doorbell(UNIT_FILL), CTRL);
    ck_assert_uint_eq(unit_doorbell(UNIT_DLA), 0x44);
}
END_TEST

/* Two operations: 4096 bytes each. */
START_TEST(work_happens_in_steps_alone_and_passes_the_smmu)
{
    stream_to_bank();
    fill(IOVA + 4, 4092, 0xa5a5a5a5);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), 0);
    ck_assert_uint_eq(*drig_at(&rig, DRIG_DATA + 4), 0);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), DONE);
    ck_assert_uint_eq(*drig_at(&rig, DRIG_DATA + 3), 0);
    ck_assert_uint_eq(*drig_at(&rig, DRIG_DATA + 4), 0xa5);
    ck_assert_uint_eq(*drig_at(&rig, DRIG_DATA + 4095), 0xa5);
    ck_assert_uint_eq(*drig_at(&rig, DRIG_DATA + 4096), 0);
}
END_TEST

START_TEST(a_page_that_is_not_mapped_is_a_fault_of_its_stream)
{
    stream_to_bank();
    fill(IOVA + 0x1000, 4, 1);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), DONE | FAULT);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SMMU_FAULT], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SMMU_FAULT].arg[0], STREAM);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SMMU_FAULT].arg[1], IOVA + 0x1000);
}
END_TEST

START_TEST(records_carry_its_agent_and_its_queue)
{
    fill(DRIG_DATA, 128, 1);
    drig_run(&rig);
    ck_assert_str_eq(trace_agent_name(BUS_AGENT_FILL), "fill");
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].agent, BUS_AGENT_FILL);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].arg[0], 128);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].channel, 0x10000 + first.queues + 1);
}
END_TEST

/* CUDA for Tegra 2.1: an I/O-coherent engine's write reaches the CPU, another's leaves it a stale
 * line. */
START_TEST(its_port_is_coherent_as_the_row_says)
{
    uint32_t seen = 1;

    drig_close(&rig);
    drig_open_with(&rig, "t194", ORDER_OLDEST, false,
                   1); /* the DLAs are not coherent here, and FILL is */
    soc_cpu_read(rig.soc, DRIG_DATA, &seen, sizeof(seen));
    ck_assert_uint_eq(seen, 0);
    fill(DRIG_DATA, 4, 7);
    drig_run(&rig);
    soc_cpu_read(rig.soc, DRIG_DATA, &seen, sizeof(seen));
    ck_assert_uint_eq(seen, 7);
}
END_TEST

START_TEST(what_begins_by_itself_lets_time_pass)
{
    uint64_t before = soc_time_ns(rig.soc);

    reg(DELAY_NS, 500000);
    fill(DRIG_DATA, 4, 9);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + STATUS), DONE);
    ck_assert_uint_ge(rig.last[TRACE_EVENT_SUM_WRITE].time_ns, before + 500000);
}
END_TEST

/* 1000 MB/s: 8192 bytes take 8192 ns, and a copy of the DLA reads and writes 8192 each. Both are
 * there at time 0: neither waits for the other, whichever runs first. */
START_TEST(engines_overlap_in_time)
{
    static const enum order orders[] = { ORDER_OLDEST, ORDER_NEWEST };
    struct drig_task task;
    uint64_t dla_ns, fill_ns;

    drig_close(&rig);
    drig_open(&rig, "t194", orders[_i]);
    drig_task(&rig, &task, 0, 0);
    drig_copy(&task, DRIG_DATA + 0x8000, DRIG_DATA + 0x4000, 256, 0);
    drig_post(&task, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &task);
    fill(DRIG_DATA, 8192, 3);
    drig_run(&rig);
    fill_ns = drig_read(&rig, BASE + STATUS) == DONE ? rig.last[TRACE_EVENT_SUM_WRITE].time_ns : 0;
    dla_ns = rig.last[TRACE_EVENT_DLA_TASK_END].time_ns;
    ck_assert_uint_ge(fill_ns, 8192);
    ck_assert_uint_ge(dla_ns, 16384);
    ck_assert_uint_lt(dla_ns, 16384 + 8192);

    /* The CPU has waited for nothing yet, and then for the task's syncpoint. */
    ck_assert_uint_lt(soc_time_ns(rig.soc), 8192);
    ck_assert(!soc_syncpt_reached(rig.soc, 5, 2));
    ck_assert_uint_lt(soc_time_ns(rig.soc), 8192);
    ck_assert(soc_syncpt_reached(rig.soc, 5, 1));
    ck_assert_uint_eq(soc_time_ns(rig.soc), rig.last[TRACE_EVENT_SYNCPT_INCR].time_ns);
    ck_assert_uint_ge(soc_time_ns(rig.soc), 16384);
}
END_TEST

static uint32_t offered[4];
static unsigned n_offered;

static int choose(void *opaque, const uint32_t *agent, unsigned n)
{
    (void)opaque;
    for (n_offered = 0; n_offered < n && n_offered < 4; n_offered++) {
        offered[n_offered] = agent[n_offered];
    }
    return 0;
}

START_TEST(the_seeded_order_chooses_among_its_queues_too)
{
    struct soc *soc = soc_new(
        &(struct soc_config){ .profile = &rig.profile, .order = ORDER_SEEDED, .choose = choose });

    soc_mmio_write32(soc, BASE + LEN, 4);
    soc_mmio_write32(soc, BASE + CTRL, START);
    ck_assert_int_eq(soc_step(soc, 1), SOC_PROGRESS);
    ck_assert_uint_eq(n_offered, 1);
    ck_assert_uint_eq(offered[0], QUEUE_FILL);
    soc_free(soc);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fill");
    TCase *row = tcase_create("row");

    tcase_add_checked_fixture(row, setup, teardown);
    tcase_add_test(row, a_row_makes_a_window_a_stream_and_an_interrupt_line);
    tcase_add_test(row, the_other_rows_keep_their_numbers);
    tcase_add_test(row, work_happens_in_steps_alone_and_passes_the_smmu);
    tcase_add_test(row, a_page_that_is_not_mapped_is_a_fault_of_its_stream);
    tcase_add_test(row, records_carry_its_agent_and_its_queue);
    tcase_add_test(row, its_port_is_coherent_as_the_row_says);
    tcase_add_test(row, what_begins_by_itself_lets_time_pass);
    tcase_add_test(row, the_seeded_order_chooses_among_its_queues_too);
    tcase_add_loop_test(row, engines_overlap_in_time, 0, 2);
    suite_add_tcase(s, row);
    return suite_main(s);
}
