/* SPDX-License-Identifier: MIT */
/* Two engines that a second build appends one after the other, HIST with one queue and SUMS with
 * two instances of four, at work at the same time. Values of registers are typed from the texts of
 * hist.def and sums.def. */
#include <check.h>
#include <string.h>

#include "checker/checker.h"
#include "tests/dla_soc_rig.h"
#include "tests/suite.h"

#define HIST UINT64_C(0x15910000)
enum { H_START = 0x00, H_STATUS = 0x04, H_SRC = 0x08, H_LEN = 0x10, H_DST = 0x14 };
enum { DONE = 1, FAULT = 2, HIST_STREAM = 0x7e };

#define SUMS UINT64_C(0x15920000)
enum { S_SRC = 0x00, S_WORDS = 0x04, S_DST = 0x08, S_STATUS = 0x0c, S_START = 0x10 };
enum { SUMS_QUEUES = 8, SUMS_STREAM = 0x7c };

#define BYTES DRIG_DATA             /* that HIST counts */
#define WORDS (DRIG_DATA + 0x4000)  /* that SUMS adds */
#define COUNTS (DRIG_DATA + 0x8000) /* of HIST */
#define RESULTS (DRIG_DATA + 0x10000)

static struct drig rig;
static uint64_t written[BUS_AGENT_COUNT];
static struct trace_record fault[8];
static unsigned faults;

static void sink(void *opaque, const struct trace_record *t)
{
    (void)opaque;
    if (t->event == TRACE_EVENT_SUM_WRITE) {
        written[t->agent] += t->arg[0];
    }
    if (t->event == TRACE_EVENT_SMMU_FAULT && faults < 8) {
        fault[faults++] = *t;
    }
}

static void open_order(enum order order)
{
    drig_open(&rig, "t194", order);
    memset(written, 0, sizeof(written));
    faults = 0;
    soc_observe(rig.soc, TRACE_ALL, sink, NULL);
    for (unsigned i = 0; i < 10000; i++) {
        rig.dram[i] = rig.view[i] = (uint8_t)(i / 3);
    }
    for (uint32_t i = 0; i < 4096; i++) {
        memcpy(rig.dram + 0x4000 + 4 * i, &i, 4);
        memcpy(rig.view + 0x4000 + 4 * i, &i, 4);
    }
}

static void teardown(void)
{
    drig_close(&rig);
}

static void hist_start(uint64_t src, uint32_t len, uint64_t dst)
{
    drig_write(&rig, HIST + H_SRC, (uint32_t)src);
    drig_write(&rig, HIST + H_SRC + 4, (uint32_t)(src >> 32));
    drig_write(&rig, HIST + H_LEN, len);
    drig_write(&rig, HIST + H_DST, (uint32_t)dst);
    drig_write(&rig, HIST + H_DST + 4, (uint32_t)(dst >> 32));
    drig_write(&rig, HIST + H_START, 1);
}

/* Queue @k % 4 of instance @k / 4. */
static uint64_t queue(unsigned k)
{
    return SUMS + k / 4 * 0x10000 + k % 4 * 0x20;
}

static void sums_start(unsigned k, uint64_t src, uint32_t words, uint64_t dst)
{
    drig_write(&rig, queue(k) + S_SRC, (uint32_t)src);
    drig_write(&rig, queue(k) + S_WORDS, words);
    drig_write(&rig, queue(k) + S_DST, (uint32_t)dst);
    drig_write(&rig, queue(k) + S_START, 1);
}

static uint32_t word(uint64_t pa)
{
    uint32_t value;

    memcpy(&value, drig_at(&rig, pa), sizeof(value));
    return value;
}

/* Byte i is i / 3 % 256: 13 rounds of 768 bytes, then 16 more. 0 + 1 + ... + n - 1 = n (n - 1) / 2.
 */
START_TEST(each_is_right_while_the_other_works)
{
    open_order((enum order)_i);
    for (unsigned k = 0; k < SUMS_QUEUES; k++) {
        sums_start(k, WORDS, 100 + 400 * k, RESULTS + 4 * k);
        if (k == 3) {
            hist_start(BYTES, 10000, COUNTS);
        }
    }
    drig_run(&rig);
    ck_assert_uint_eq(word(COUNTS), 42);
    ck_assert_uint_eq(word(COUNTS + 4 * 5), 40);
    ck_assert_uint_eq(word(COUNTS + 4 * 255), 39);
    for (unsigned k = 0; k < SUMS_QUEUES; k++) {
        uint32_t n = 100 + 400 * k;

        ck_assert_uint_eq(word(RESULTS + 4 * k), n * (n - 1) / 2);
        ck_assert_uint_eq(drig_read(&rig, queue(k) + S_STATUS), DONE);
    }
    ck_assert_uint_eq(drig_read(&rig, HIST + H_STATUS), DONE);
    ck_assert_uint_eq(written[BUS_AGENT_HIST], 256 * 4);
    ck_assert_uint_eq(written[BUS_AGENT_SUMS], SUMS_QUEUES * 4);
}
END_TEST

START_TEST(each_has_an_interrupt_line_of_its_own)
{
    open_order(ORDER_OLDEST);
    hist_start(BYTES, 4, COUNTS);
    sums_start(0, WORDS, 4, RESULTS);
    sums_start(4, WORDS, 4, RESULTS + 4);
    drig_run(&rig);
    ck_assert(soc_irq(rig.soc, UNIT_HIST) && soc_irq(rig.soc, UNIT_SUMS));
    ck_assert(soc_irq(rig.soc, UNIT_SUMS_LAST));
    drig_write(&rig, HIST + H_STATUS, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_HIST) && soc_irq(rig.soc, UNIT_SUMS));
    drig_write(&rig, queue(0) + S_STATUS, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_SUMS) && soc_irq(rig.soc, UNIT_SUMS_LAST));
    drig_write(&rig, queue(4) + S_STATUS, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_SUMS_LAST));
}
END_TEST

static const struct trace_record *fault_of(uint32_t stream)
{
    for (unsigned i = 0; i < faults; i++) {
        if (fault[i].arg[0] == stream) {
            return &fault[i];
        }
    }
    return NULL;
}

static void explained(const struct trace_record *t, const char *text)
{
    struct checker *c = checker_new(NULL, false);
    const struct run_finding *f;

    checker_record(c, t, 0, true);
    ck_assert_uint_eq(checker_run(c)->findings->len, 1);
    f = checker_run(c)->findings->pdata[0];
    ck_assert_msg(strstr(f->text, text) != NULL, "%s", f->text);
    checker_free(c);
}

/* Each reads what only the other's tables map; the second instance of SUMS goes on. */
START_TEST(a_fault_is_of_the_engine_whose_stream_it_has)
{
    open_order(ORDER_OLDEST);
    drig_map(&rig, 0, 0x40000000, BYTES, DRIG_RW);
    drig_map(&rig, 1, 0x50000000, WORDS, DRIG_RW);
    drig_bank(&rig, 1, 0, 2);
    drig_bank(&rig, 2, 1, 3);
    for (unsigned i = 0; i < 3; i++) {
        rig.stream = i == 0 ? HIST_STREAM : SUMS_STREAM + i - 1;
        drig_stream(&rig, 1 + i, i == 0 ? 1 : 2);
    }
    hist_start(0x50000000, 4, 0x40000800);
    sums_start(0, 0x40000000, 4, 0x50000800);
    sums_start(4, 0x50000000, 4, 0x50000800);
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, HIST + H_STATUS), DONE | FAULT);
    ck_assert_uint_eq(drig_read(&rig, queue(0) + S_STATUS), DONE | FAULT);
    ck_assert_uint_eq(drig_read(&rig, queue(4) + S_STATUS), DONE);
    ck_assert_uint_eq(word(WORDS + 0x800), 0 + 1 + 2 + 3);
    ck_assert_uint_eq(faults, 2);
    ck_assert_ptr_nonnull(fault_of(HIST_STREAM));
    ck_assert_ptr_nonnull(fault_of(SUMS_STREAM));
    explained(fault_of(HIST_STREAM), "the histogram engine: the SMMU refused a load at IOVA "
                                     "0x50000000 with StreamID 0x7e: nothing is mapped there");
    explained(fault_of(SUMS_STREAM), "the summing engine: the SMMU refused a load at IOVA "
                                     "0x40000000 with StreamID 0x7c: nothing is mapped there");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("engines_together");
    TCase *tc = tcase_create("engines_together");

    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_loop_test(tc, each_is_right_while_the_other_works, 0, 3);
    tcase_add_test(tc, each_has_an_interrupt_line_of_its_own);
    tcase_add_test(tc, a_fault_is_of_the_engine_whose_stream_it_has);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
