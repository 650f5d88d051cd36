/* SPDX-License-Identifier: MIT */
/* The DLA's task queues, by their effects: bytes copied by a network of BDMA operations, semaphores
 * in memory and syncpoints. Values of registers, actions and errors are written out from the L4T
 * driver's dla_os_interface.h. */
#include "tests/dla_soc_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct drig rig;
static struct drig_task a, b;

#define FROM (DRIG_DATA + 0x0000)
#define TO (DRIG_DATA + 0x4000)
#define SEM (DRIG_DATA + 0x8000)
#define UNMAPPED UINT64_C(0xc0000000)

static void open_chip(const char *chip, enum soc_order order)
{
    drig_open(&rig, chip, order);
    drig_identity(&rig);
    for (unsigned i = 0; i < 0x2000; i++) {
        rig.dram[i] = rig.view[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + 1);
    }
}

static void setup(void)
{
    open_chip("t234", SOC_ORDER_OLDEST);
}

static void setup_newest(void)
{
    open_chip("t234", SOC_ORDER_NEWEST);
}

static void teardown(void)
{
    drig_close(&rig);
}

static bool copied(uint64_t to, uint64_t from, unsigned bytes)
{
    return memcmp(drig_at(&rig, to), drig_at(&rig, from), bytes) == 0;
}

static uint32_t word(uint64_t pa)
{
    uint32_t v;

    memcpy(&v, drig_at(&rig, pa), 4);
    return v;
}

static uint64_t word64(uint64_t pa)
{
    uint64_t v;

    memcpy(&v, drig_at(&rig, pa), 8);
    return v;
}

static void put_word(uint64_t pa, uint32_t v)
{
    soc_cpu_write(rig.soc, pa, &v, 4); /* the DLA is coherent: it sees the CPU's line */
}

/* A copy of 64 bytes in @queue. */
static void copy_task(struct drig_task *t, unsigned index, unsigned queue)
{
    drig_task(&rig, t, index, queue);
    drig_copy(t, TO, FROM, 2, 0);
}

/* --- tasks ----------------------------------------------------------------------------------- */

START_TEST(a_task_runs_when_the_soc_is_stepped)
{
    copy_task(&a, 0, 0);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1040), 2 | 7 << 8); /* CMD_COMPLETE of SUBMIT_TASK */
    ck_assert(!copied(TO, FROM, 64));
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.dram[TO - DRIG_DATA + 64], 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_BEGIN], 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_OP], 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_END], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[4], 0);
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0)); /* its end is told by its post-actions alone */
}
END_TEST

START_TEST(one_operation_a_step)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 1, 0);
    drig_copy(&a, TO + 32, TO, 1, 0);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    soc_step(rig.soc, 1000); /* begins */
    ck_assert(!copied(TO, FROM, 32));
    soc_step(rig.soc, 1000);
    ck_assert(copied(TO, FROM, 32));
    ck_assert(!copied(TO + 32, FROM, 32));
    soc_step(rig.soc, 1000);
    ck_assert(copied(TO + 32, FROM, 32));
}
END_TEST

START_TEST(time_passes_with_the_bytes_moved)
{
    uint64_t t0 = soc_time_ns(rig.soc), t1;

    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 2, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    t1 = soc_time_ns(rig.soc);
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0); /* 8 KiB twice at 1000 MB/s: 16.4 us at least */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_ge(soc_time_ns(rig.soc) - t1, 16384);
    ck_assert_uint_lt(t1 - t0, 16384);
}
END_TEST

START_TEST(what_a_task_did_is_told_by_region)
{
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    soc_counts_flush(rig.soc);
    ck_assert_uint_gt(rig.seen[TRACE_EVENT_SUM_WRITE], 0);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].agent, 4); /* bus_agent: the DLA */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].region, 2);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].arg[0], 64);
    /* queue 0 of DLA 0, plus one */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_OP].channel, 0x10001);
}
END_TEST

static uint64_t sums[8];

static void sum_up(void *opaque, const struct trace_record *r)
{
    unsigned base = r->event == TRACE_EVENT_SUM_READ    ? 0
                    : r->event == TRACE_EVENT_SUM_WRITE ? 2
                    : r->event == TRACE_EVENT_SUM_PORT  ? 4
                                                        : 6;

    (void)opaque;
    if (r->agent == 4 && base < 6) { /* the DLA */
        sums[base] += r->arg[0];
        sums[base + 1] += r->arg[1];
    }
}

/* Line by line when each access is wanted, page by page else: the same bytes, sums and time. */
START_TEST(who_looks_changes_nothing)
{
    static const unsigned masks[] = { TRACE_ALL, TRACE_SUM };
    uint64_t seen[2][8], ns[2];

    for (unsigned i = 0; i < 2; i++) {
        teardown();
        setup();
        memset(sums, 0, sizeof(sums));
        soc_observe(rig.soc, masks[i], sum_up, NULL);
        drig_task(&rig, &a, 0, 0);
        drig_copy(&a, TO + 0x60, FROM + 0xfa0, 131, 0);
        drig_submit(&rig, &a);
        drig_run(&rig);
        ck_assert(copied(TO + 0x60, FROM + 0xfa0, 131 * 32));
        memcpy(seen[i], sums, sizeof(sums));
        ns[i] = soc_time_ns(rig.soc);
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof(seen[0]));
    ck_assert_uint_ge(seen[0][0], 131 * 32);
    ck_assert_uint_eq(seen[0][2], 131 * 32);
    ck_assert_uint_eq(ns[0], ns[1]);
}
END_TEST

START_TEST(a_bypass_does_its_actions_and_no_network)
{
    copy_task(&a, 0, 0);
    a.desc.flags = 1;
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
}
END_TEST

/* --- what a task waits for ------------------------------------------------------------------- */

START_TEST(a_task_waits_for_a_syncpoint)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, drig_shim(&rig, 5), 2);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].arg[1], 5);
}
END_TEST

/* Value, opcode, threshold: goes or waits. GE compares as host1x does, over the wrap. */
START_TEST(a_semaphore_is_compared_as_its_action_says)
{
    static const struct {
        uint32_t value, threshold;
        uint8_t opcode;
        bool goes;
    } cases[] = {
        { 7, 7, 0x90, true },          { 8, 7, 0x90, false },          { 6, 7, 0x90, false },
        { 7, 7, 0x92, true },          { 8, 7, 0x92, true },           { 6, 7, 0x92, false },
        { 1, 0xfffffffe, 0x92, true }, { 0xfffffffe, 1, 0x92, false },
    };

    put_word(SEM, cases[_i].value);
    copy_task(&a, 0, 0);
    drig_pre(&a, cases[_i].opcode, SEM, cases[_i].threshold);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64) == cases[_i].goes);
}
END_TEST

START_TEST(pre_actions_are_satisfied_one_after_the_other)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x90, SEM, 1);
    drig_pre(&a, 0x90, SEM, 2);
    drig_submit(&rig, &a);
    put_word(SEM, 2);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    put_word(SEM, 1);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    put_word(SEM, 2); /* the first stays satisfied */
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(a_task_goes_on_with_the_status_it_wants)
{
    const uint16_t status = 3;

    memcpy(drig_at(&rig, SEM) + 14, &status, 2); /* struct dla_task_status.status_task */
    memcpy(rig.view + (SEM - DRIG_DATA) + 14, &status, 2);
    copy_task(&a, 0, 0);
    drig_pre(&a, 0xc0, SEM, 3);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(another_status_ends_the_task)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0xc0, SEM, 3);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_error(&rig).error, 14); /* TASK_STATUS_MISMATCH */
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
}
END_TEST

/* --- what it leaves behind ------------------------------------------------------------------- */

START_TEST(writing_a_syncpoint_increments_it_by_one)
{
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_post(&a, 0x80, drig_shim(&rig, 6), 99); /* whatever is written */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 4), 0);
    ck_assert_uint_eq(drig_syncpt(&rig, 7), 0);
}
END_TEST

START_TEST(post_actions_write_what_they_say)
{
    uint64_t before = soc_time_ns(rig.soc), after;

    put_word(SEM + 4, 40);
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, SEM, 7);
    drig_post(&a, 0x82, SEM + 4, 2);
    drig_post(&a, 0x83, SEM + 16, 9); /* value, and the time 8 bytes behind it */
    drig_post(&a, 0x87, SEM + 40, 0); /* the time */
    drig_post(&a, 0xc1, SEM + 64, 5); /* struct dla_task_status */
    drig_submit(&rig, &a);
    drig_run(&rig);
    after = soc_time_ns(rig.soc);
    ck_assert_uint_eq(word(SEM), 7);
    ck_assert_uint_eq(word(SEM + 4), 42);
    ck_assert_uint_eq(word(SEM + 16), 9);
    ck_assert(word64(SEM + 24) > before && word64(SEM + 24) <= after);
    ck_assert(word64(SEM + 40) > before && word64(SEM + 40) <= after);
    ck_assert(word64(SEM + 64) > before && word64(SEM + 64) <= after);
    ck_assert_uint_eq(word(SEM + 72), 0);             /* status_engine */
    ck_assert_uint_eq(drig_at(&rig, SEM + 78)[0], 5); /* status_task */
}
END_TEST

/* --- queues ---------------------------------------------------------------------------------- */

START_TEST(a_queue_holds_32_tasks)
{
    for (unsigned i = 0; i < 32; i++) {
        copy_task(&a, i, 3);
        drig_pre(&a, 0x92, drig_shim(&rig, 5), 1);
        ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    }
    copy_task(&a, 32, 3);
    ck_assert_uint_eq(drig_submit(&rig, &a), 12); /* PROCESSOR_BUSY */
    copy_task(&a, 33, 4);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0); /* another queue has room */
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_END], 33);
}
END_TEST

/* Two tasks write the same place from two queues: the last one wins. */
static void two_queues(unsigned queue_a, unsigned queue_b)
{
    drig_task(&rig, &a, 0, queue_a);
    drig_copy(&a, TO, FROM, 1, 0);
    drig_task(&rig, &b, 1, queue_b);
    drig_copy(&b, TO, FROM + 0x100, 1, 0);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
}

START_TEST(the_oldest_task_goes_first)
{
    two_queues(9, 2);
    ck_assert(copied(TO, FROM + 0x100, 32));
}
END_TEST

START_TEST(the_newest_task_goes_first)
{
    two_queues(2, 9);
    ck_assert(copied(TO, FROM, 32));
}
END_TEST

/* Which queue wins under each seed, as bits. */
static unsigned winners(void)
{
    unsigned bits = 0;

    for (unsigned seed = 0; seed < 16; seed++) {
        drig_close(&rig);
        drig_open_with(&rig, "t234", SOC_ORDER_SEEDED, true, seed);
        drig_identity(&rig);
        rig.dram[0] = rig.view[0] = 1;
        two_queues(2, 9);
        bits |= (unsigned)copied(TO, FROM, 32) << seed;
    }
    return bits;
}

START_TEST(the_seed_decides_and_decides_the_same_again)
{
    unsigned first = winners();

    ck_assert_uint_ne(first, 0);
    ck_assert_uint_ne(first, 0xffff);
    ck_assert_uint_eq(winners(), first);
}
END_TEST

START_TEST(inside_a_queue_tasks_keep_their_order)
{
    two_queues(2, 2);
    ck_assert(copied(TO, FROM + 0x100, 32));
}
END_TEST

START_TEST(a_queue_that_waits_does_not_hold_another)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_task(&rig, &b, 1, 1);
    drig_copy(&b, TO + 0x100, FROM, 1, 0);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 32));
    ck_assert(copied(TO + 0x100, FROM, 32));
}
END_TEST

START_TEST(a_queue_is_suspended_resumed_and_flushed)
{
    ck_assert_uint_eq(drig_command(&rig, 12, 0), 0);
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_command(&rig, 13, 0), 0);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    drig_command(&rig, 12, 0);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    ck_assert_uint_eq(drig_command(&rig, 14, 0), 0);
    drig_command(&rig, 13, 0);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 0); /* dropped: not even its actions are done */
    ck_assert_uint_eq(drig_command(&rig, 14, 16), 5);
}
END_TEST

START_TEST(each_dla_has_queues_of_its_own)
{
    uint64_t dla1 = soc_unit_base(rig.soc, SOC_UNIT_DLA1, NULL);

    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_command(&rig, 14, 0); /* takes it back from DLA 0; its memory stays */
    /* DLA 1 is behind the other SMMU, which passes everything after reset. */
    drig_write(&rig, dla1 + 0x40, 7);
    drig_write(&rig, dla1 + 0x44, (uint32_t)(a.at >> 8));
    ck_assert_uint_eq(drig_read(&rig, dla1 + 0x1040), 2 | 7 << 8);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[0], 1);
}
END_TEST

/* --- a machine whose own IOMMU tells engines apart ---------------------------------------------
 */

static struct {
    unsigned calls[SOC_UNIT_COUNT];
    enum soc_unit refused;
} machine;

static bool machine_translate(void *opaque, enum soc_unit engine, uint64_t bus, bool write,
                              uint64_t *pa)
{
    (void)opaque;
    (void)write;
    machine.calls[engine]++;
    *pa = bus;
    return engine != machine.refused;
}

START_TEST(the_machines_iommu_hears_whose_access_it_is)
{
    memset(&machine, 0, sizeof(machine));
    machine.refused = SOC_UNIT_COUNT;
    soc_dma_hook(rig.soc, machine_translate, NULL);
    ck_assert_uint_eq(drig_ping(&rig, FROM), 0);
    ck_assert_uint_ge(machine.calls[SOC_UNIT_DLA0], 1);
    ck_assert_uint_ge(machine.calls[SOC_UNIT_SMMU1],
                      4); /* T234: NISO1 reads four levels of tables */
    for (unsigned u = 0; u < SOC_UNIT_COUNT; u++) {
        ck_assert(u == SOC_UNIT_DLA0 || u == SOC_UNIT_SMMU1 || machine.calls[u] == 0);
    }
}
END_TEST

/* T194: one SMMU, here one bank, so one translation for both. */
START_TEST(what_one_dla_may_reach_another_may_not)
{
    uint64_t dla1;

    drig_close(&rig);
    open_chip("t194", SOC_ORDER_OLDEST);
    dla1 = soc_unit_base(rig.soc, SOC_UNIT_DLA1, NULL);
    drig_write(&rig, rig.smmu + SMMU_S2CR + 4, 0);
    drig_write(&rig, rig.smmu + SMMU_SMR + 4, 0x80000000u | 0x52);
    machine.refused = SOC_UNIT_DLA1;
    soc_dma_hook(rig.soc, machine_translate, NULL);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(drig_ping(&rig, FROM), 0);
        drig_write(&rig, dla1 + 0x40, 1);
        drig_write(&rig, dla1 + 0x44, (uint32_t)(FROM >> 8));
        ck_assert_uint_ne(drig_read(&rig, dla1 + 0x1040) >> 16 & 0xff, 0);
    }
}
END_TEST

/* --- commands and descriptors that are refused ----------------------------------------------- */

START_TEST(a_bad_descriptor_is_refused_by_field)
{
    static const struct {
        uint8_t at, value;
        unsigned error;
        const char *text;
    } cases[] = {
        { 8, 3, 9, "task_desc.version = 3: the firmware takes version 2" },
        { 9, 0x45, 10, "task_desc.engine_id = 0x45: a DLA's is 0x44" },
        { 10, 20, 2, "task_desc.size = 20: at least " },
        { 20, 16, 5, "task_desc.queue_id = 16: queues are 0 to 15" },
        { 29, 0, 3, "task_desc.num_addresses = 0: 1 to 6144" },
        { 30, 0xff, 3, "task_desc.num_addresses = 65" },
        { 16, 0xf0, 6, "task_desc.preactions = 240: 1 lists lie inside the descriptor" },
        { 14, 0xff, 6, "255 lists lie inside the descriptor" },
        { 18, 0xf0, 7, "task_desc.postactions = 240: 1 lists lie inside the descriptor" },
    };
    struct dla_error_record e;

    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_command(&rig, 14, 0);
    a.memory[cases[_i].at] = cases[_i].value;
    if (cases[_i].at == 10) {
        a.memory[11] = 0;
    } else if (cases[_i].at == 29) {
        a.memory[30] = 0;
    }
    ck_assert_uint_eq(drig_command(&rig, 7, (uint32_t)(a.at >> 8)), cases[_i].error);
    e = drig_error(&rig);
    ck_assert_uint_eq(e.msg, 1); /* CMD_ERROR */
    ck_assert_uint_eq(e.error, cases[_i].error);
    ck_assert_uint_eq(e.task, a.at);
    ck_assert_msg(strstr(e.text, cases[_i].text), "%s", e.text);
}
END_TEST

START_TEST(a_bad_action_is_refused_by_its_place)
{
    static const struct {
        bool before;
        uint8_t opcode;
        unsigned error;
        const char *text;
    } cases[] = {
        { true, 0x80, 6, "preactions[0].opcode = 0x80: not an action that may stand there" },
        { true, 0xb2, 6, "preactions[0].opcode = 0xb2: grids of semaphores are not in this model" },
        { false, 0x92, 7, "postactions[0].opcode = 0x92: not an action that may stand there" },
        { false, 0xa0, 7,
          "postactions[0].opcode = 0xa0: grids of semaphores are not in this model" },
        { false, 0x55, 7, "postactions[0].opcode = 0x55: not an action that may stand there" },
    };

    copy_task(&a, 0, 0);
    if (cases[_i].before) {
        drig_pre(&a, cases[_i].opcode, SEM, 0);
    } else {
        drig_post(&a, cases[_i].opcode, SEM, 0);
    }
    ck_assert_uint_eq(drig_submit(&rig, &a), cases[_i].error);
    ck_assert_str_eq(drig_error(&rig).text, cases[_i].text);
}
END_TEST

START_TEST(an_action_that_its_list_cuts_off_is_refused)
{
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, SEM, 1);
    a.post_bytes -= 5;
    ck_assert_uint_eq(drig_submit(&rig, &a), 7);
    ck_assert_str_eq(drig_error(&rig).text,
                     "postactions[0].size = 9: an action ends behind its list");
}
END_TEST

START_TEST(a_descriptor_that_is_not_mapped_is_refused)
{
    ck_assert_uint_eq(drig_command(&rig, 7, (uint32_t)(UNMAPPED >> 8)), 4); /* INVALID_FALC_DMA */
    ck_assert_uint_eq(drig_error(&rig).iova, UNMAPPED);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x402);
}
END_TEST

START_TEST(a_command_that_is_not_there_is_named)
{
    ck_assert_uint_eq(drig_command(&rig, 10, 0), 1); /* SET_DEBUG: INVALID_METHOD */
    ck_assert_str_eq(drig_error(&rig).text, "command 10 is not in this model");
    ck_assert_uint_eq(drig_command(&rig, 11, 0), 11); /* SET_REGIONS: INVALID_REGION */
}
END_TEST

START_TEST(a_command_interrupts_when_it_is_asked_to)
{
    drig_command(&rig, 14 | 1 << 9, 0); /* on error: there is none */
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0));
    drig_command(&rig, 14 | 1 << 8, 0); /* on completion */
    ck_assert(soc_irq(rig.soc, SOC_UNIT_DLA0));
    drig_dla_write(&rig, 0x1004, 0x80); /* FALCON_IRQSCLR */
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0));
    drig_command(&rig, 99 | 1 << 9, 0);
    ck_assert(soc_irq(rig.soc, SOC_UNIT_DLA0));
    drig_dla_write(&rig, 0x1014, 0x80); /* FALCON_IRQMCLR */
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0));
}
END_TEST

/* --- tasks that fail ------------------------------------------------------------------------- */

static void unmapped_task(struct drig_task *t, unsigned index, uint64_t to)
{
    drig_task(&rig, t, index, 0);
    drig_copy(t, to, FROM, 1, 0);
    drig_post(t, 0x80, drig_shim(&rig, 5), 1);
    drig_post(t, 0xc1, SEM, 7);
}

START_TEST(a_refused_access_ends_the_task_and_names_it)
{
    struct dla_error_record e;

    unmapped_task(&a, 3, UNMAPPED);
    drig_submit(&rig, &a);
    drig_run(&rig);
    e = drig_error(&rig);
    ck_assert_uint_eq(e.msg, 3);    /* EXCEPTION */
    ck_assert_uint_eq(e.error, 15); /* ENGINE_TIMEOUT: it does not go on */
    ck_assert_uint_eq(e.iova, UNMAPPED);
    ck_assert_uint_eq(e.write, 1);
    ck_assert_uint_eq(e.sequence, 3);
    ck_assert_str_eq(
        e.text,
        "operation_list[0]: the DLA cannot write 0xc0000000, 32 bytes: no such access is mapped");
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x402);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x60), (uint32_t)UNMAPPED);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1040), 3 | 7 << 8 | 15 << 16);
    ck_assert(soc_irq(rig.soc, SOC_UNIT_DLA0));
    ck_assert(soc_irq(rig.soc, SOC_UNIT_SMMU1));
    /* who waits for it is released and can see that it failed */
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(word(SEM + 8), 15);
    ck_assert_uint_eq(drig_at(&rig, SEM + 14)[0], 1);
}
END_TEST

START_TEST(the_next_task_runs_after_one_that_failed)
{
    unmapped_task(&a, 0, UNMAPPED);
    copy_task(&b, 1, 0);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(failures_are_told_one_after_the_other)
{
    unmapped_task(&a, 1, UNMAPPED);
    unmapped_task(&b, 2, UNMAPPED + 0x1000);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).sequence, 1);
    drig_dla_write(&rig, 0x1004, 0x40); /* taken */
    ck_assert_uint_eq(drig_error(&rig).sequence, 2);
    ck_assert(soc_irq(rig.soc, SOC_UNIT_DLA0));
    /* a command that fails in between takes the place; the task's message comes again */
    drig_command(&rig, 99, 0);
    ck_assert_uint_eq(drig_error(&rig).msg, 1);
    drig_dla_write(&rig, 0x1004, 0x40);
    ck_assert_uint_eq(drig_error(&rig).sequence, 2);
    drig_dla_write(&rig, 0x1004, 0x40);
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0));
}
END_TEST

START_TEST(a_semaphore_that_is_not_mapped_ends_the_task)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, UNMAPPED + 8, 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_error(&rig).error, 4); /* INVALID_FALC_DMA */
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, UNMAPPED + 8, 1);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1); /* the others are done */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[4], 4);
}
END_TEST

START_TEST(descriptors_of_another_version_are_refused_by_name)
{
    copy_task(&a, 0, 0);
    a.desc.blob_version = 1 << 8 | 3;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).error, 3); /* INVALID_INPUT */
    ck_assert_str_eq(drig_error(&rig).text,
                     "descriptors of blob version 1.3: this DLA takes 0.10 to 0.12 (DLA 1)");
    ck_assert(!copied(TO, FROM, 64));
}
END_TEST

START_TEST(a_network_that_is_wrong_is_refused_by_blob_and_field)
{
    copy_task(&a, 0, 0);
    a.memory[0x1000 + 4] = 77; /* surface_list[0].source_address */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_str_eq(drig_error(&rig).text,
                     "surface_list[0].source_address = 77: an address of the task");
}
END_TEST

/* --- tasks that hang ------------------------------------------------------------------------- */

START_TEST(a_task_that_hangs_ends_with_its_timeout)
{
    uint64_t before = soc_time_ns(rig.soc);

    drig_dla_write(&rig, DLA_HANG, 2); /* the second from now on */
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_task(&rig, &b, 1, 0);
    drig_copy(&b, TO + 0x100, FROM, 1, 0);
    b.desc.timeout = 5000; /* us */
    drig_post(&b, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert(!copied(TO + 0x100, FROM, 32));
    ck_assert_uint_eq(drig_error(&rig).msg, 8); /* TASK_TIMEOUT */
    ck_assert_uint_eq(drig_error(&rig).error, 15);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_ge(soc_time_ns(rig.soc) - before, 5000000);
    ck_assert_uint_lt(soc_time_ns(rig.soc) - before, 5100000);
}
END_TEST

START_TEST(a_task_that_takes_too_long_is_stopped)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0); /* 16 us of traffic */
    drig_copy(&a, TO + 0x3000, FROM, 1, 0);
    a.desc.timeout = 10;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 8);
    ck_assert(!copied(TO + 0x3000, FROM, 32));
}
END_TEST

/* One operation that copies 8 KiB 65535 times. */
START_TEST(a_task_is_stopped_inside_an_operation)
{
    uint64_t before = soc_time_ns(rig.soc);

    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0);
    a.memory[0x1000 + 12] = 0xff; /* lines: 65535 of them, all over the first (strides are 0) */
    a.memory[0x1000 + 13] = 0xff;
    a.desc.timeout = 5000;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 8);
    ck_assert_uint_lt(soc_time_ns(rig.soc) - before, 10000000); /* the whole takes a second */
}
END_TEST

START_TEST(a_hang_without_timeout_lasts_until_reset)
{
    char *dump;

    drig_dla_write(&rig, DLA_HANG, 1);
    copy_task(&a, 0, 4);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_int_eq(soc_step(rig.soc, 1000), SOC_IDLE);
    dump = soc_dump(rig.soc);
    ck_assert_msg(strstr(dump, "dla0 queue 4: 1 tasks, the first (0 at 0x") &&
                      strstr(dump, "hangs"),
                  "%s", dump);
    free(dump);
    drig_dla_write(&rig, DLA_RESET, 1);
    ck_assert_int_eq(soc_step(rig.soc, 1000), SOC_IDLE);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

/* --- the second memory interface, and NVDLA's registers -------------------------------------- */

START_TEST(cvsram_is_reached_by_physical_address)
{
    uint8_t got[32];

    drig_close(&rig);
    open_chip("t194", SOC_ORDER_OLDEST);
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, 0x50000000 + 0x3fffe0, FROM, 1, 2); /* no mapping of the SMMU says so */
    drig_copy(&a, TO, 0x50000000 + 0x3fffe0, 1, 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 0);
    ck_assert(copied(TO, FROM, 32));
    ck_assert_int_eq(soc_cpu_read(rig.soc, SOC_CVSRAM_BASE + 0x3fffe0, got, 32), 0);
    ck_assert_mem_eq(got, drig_at(&rig, FROM), 32);
    drig_task(&rig, &a, 1, 0);
    drig_copy(&a, 0x50000000 + 0x400000, FROM, 1, 2); /* behind its end */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).iova, 0x50400000);
}
END_TEST

START_TEST(a_chip_without_cvsram_refuses_it)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, 0x50000000, FROM, 1, 2);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 3);
}
END_TEST

/* nvdla/hw spec/manual: BDMA at 0x4000 and GLB at 0x1000 of the full configuration; the place of
 * the register file in the window is ours. */
START_TEST(nvdla_registers_lie_in_the_window)
{
    static const struct {
        uint32_t offset, value;
    } program[] = {
        { 0x4000, (uint32_t)FROM },
        { 0x4004, 0 }, /* source */
        { 0x4008, (uint32_t)TO },
        { 0x400c, 0 }, /* destination */
        { 0x4010, 1 }, /* line: 2 atoms */
        { 0x4014, 3 }, /* both in DRAM */
        { 0x4018, 0 },
        { 0x401c, 64 }, /* lines, strides */
        { 0x4020, 64 },
        { 0x4024, 0 },
        { 0x4028, 64 },
        { 0x402c, 64 },
        { 0x4030, 1 }, /* queue it */
        { 0x1004, 0 }, /* no interrupt masked */
        { 0x4034, 1 }, /* launch */
    };

    for (unsigned i = 0; i < sizeof(program) / sizeof(*program); i++) {
        drig_dla_write(&rig, 0x20000 + program[i].offset, program[i].value);
    }
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_dla_read(&rig, 0x2000c + 0x1000) & 1u << 6,
                      1u << 6); /* BDMA done, group 0 */
    ck_assert(soc_irq(rig.soc, SOC_UNIT_DLA0));
    drig_dla_write(&rig, 0x2000c + 0x1000, UINT32_MAX);
    ck_assert(!soc_irq(rig.soc, SOC_UNIT_DLA0));
}
END_TEST

START_TEST(registers_that_are_not_there_are_told)
{
    drig_dla_write(&rig, 0x3000, 1);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x3000), 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 2);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1080), 0x10000); /* OS_VERSION */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine");
    TCase *t = tcase_create("engine"), *newest = tcase_create("newest");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_task_runs_when_the_soc_is_stepped);
    tcase_add_test(t, one_operation_a_step);
    tcase_add_test(t, time_passes_with_the_bytes_moved);
    tcase_add_test(t, what_a_task_did_is_told_by_region);
    tcase_add_test(t, who_looks_changes_nothing);
    tcase_add_test(t, a_bypass_does_its_actions_and_no_network);
    tcase_add_test(t, a_task_waits_for_a_syncpoint);
    tcase_add_loop_test(t, a_semaphore_is_compared_as_its_action_says, 0, 8);
    tcase_add_test(t, pre_actions_are_satisfied_one_after_the_other);
    tcase_add_test(t, a_task_goes_on_with_the_status_it_wants);
    tcase_add_test(t, another_status_ends_the_task);
    tcase_add_test(t, writing_a_syncpoint_increments_it_by_one);
    tcase_add_test(t, post_actions_write_what_they_say);
    tcase_add_test(t, a_queue_holds_32_tasks);
    tcase_add_test(t, the_oldest_task_goes_first);
    tcase_add_test(t, a_queue_that_waits_does_not_hold_another);
    tcase_add_test(t, a_queue_is_suspended_resumed_and_flushed);
    tcase_add_test(t, each_dla_has_queues_of_its_own);
    tcase_add_loop_test(t, a_bad_descriptor_is_refused_by_field, 0, 9);
    tcase_add_loop_test(t, a_bad_action_is_refused_by_its_place, 0, 5);
    tcase_add_test(t, an_action_that_its_list_cuts_off_is_refused);
    tcase_add_test(t, a_descriptor_that_is_not_mapped_is_refused);
    tcase_add_test(t, a_command_that_is_not_there_is_named);
    tcase_add_test(t, a_command_interrupts_when_it_is_asked_to);
    tcase_add_test(t, a_refused_access_ends_the_task_and_names_it);
    tcase_add_test(t, the_next_task_runs_after_one_that_failed);
    tcase_add_test(t, failures_are_told_one_after_the_other);
    tcase_add_test(t, a_semaphore_that_is_not_mapped_ends_the_task);
    tcase_add_test(t, descriptors_of_another_version_are_refused_by_name);
    tcase_add_test(t, a_network_that_is_wrong_is_refused_by_blob_and_field);
    tcase_add_test(t, a_task_that_hangs_ends_with_its_timeout);
    tcase_add_test(t, a_task_that_takes_too_long_is_stopped);
    tcase_add_test(t, a_task_is_stopped_inside_an_operation);
    tcase_add_test(t, a_hang_without_timeout_lasts_until_reset);
    tcase_add_test(t, cvsram_is_reached_by_physical_address);
    tcase_add_test(t, a_chip_without_cvsram_refuses_it);
    tcase_add_test(t, nvdla_registers_lie_in_the_window);
    tcase_add_test(t, registers_that_are_not_there_are_told);
    tcase_add_test(t, the_machines_iommu_hears_whose_access_it_is);
    tcase_add_test(t, what_one_dla_may_reach_another_may_not);
    tcase_add_checked_fixture(newest, setup_newest, teardown);
    tcase_add_test(newest, the_newest_task_goes_first);
    tcase_add_test(newest, the_seed_decides_and_decides_the_same_again);
    tcase_add_test(newest, inside_a_queue_tasks_keep_their_order);
    suite_add_tcase(s, t);
    suite_add_tcase(s, newest);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
