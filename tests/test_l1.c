/* SPDX-License-Identifier: MIT */
/* What the L1 of an SM answers, by what a kernel's instructions say of it.
 *
 * Two blocks on two SMs: the first loads x, lets the other store 7 there, sees the other's flag,
 * and loads x again. The expected value is what PTX ISA promises (7), or the first one (0) where it
 * promises nothing and the chip's L1 keeps it: 9.7.9.1 cache operators, 8.8 acquire patterns, and
 * the profile's l1_loads. */
#include <check.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "tests/soc_rig.h"
#include "tests/suite.h"

#define X (RIG_VA + 1024)
#define FLAG (RIG_VA + RIG_PAGE)
#define OUT RIG_VA_VOLATILE
#define WEAK "ld.global.u32 "

static const char head[] = ".version 7.4\n.target sm_72\n.address_size 64\n"
                           ".visible .entry k(.param .u64 px, .param .u64 pf, .param .u64 po) {\n"
                           ".reg .pred %p; .reg .u32 %c, %a, %v; .reg .u64 %x, %f, %o;\n"
                           "ld.param.u64 %x, [px]; ld.param.u64 %f, [pf]; ld.param.u64 %o, [po];\n"
                           "mov.u32 %c, %ctaid.x;\nsetp.ne.u32 %p, %c, 0;\n@%p bra OTHER;\n";

static const char other[] =
    "st.global.u32 [%o], %a;\nret;\n"
    "OTHER:\nld.volatile.global.u32 %v, [%f]; setp.eq.u32 %p, %v, 0; @%p bra OTHER;\n"
    "st.global.u32 [%x], 7;\nfence.acq_rel.gpu;\nst.volatile.global.u32 [%f+4], 1;\nret;\n}\n";

static const char meet[] =
    "st.volatile.global.u32 [%f], 1;\n"
    "WAIT: ld.volatile.global.u32 %v, [%f+4]; setp.eq.u32 %p, %v, 0; @%p bra WAIT;\n";

/**
 * struct row
 * @first, @again: the two loads of x; @between: what stands before the second
 * @want: what it gives, by l1_loads
 */
static const struct row {
    const char *first, *between, *again;
    unsigned want[3];
} rows[] = {
    { WEAK, "", WEAK, { 7, 7, 0 } },
    { WEAK, "", "ld.global.ca.u32 ", { 7, 7, 0 } },
    { "ld.global.ca.u32 ", "", "ld.global.ca.u32 ", { 7, 0, 0 } },
    { "ld.global.nc.u32 ", "", "ld.global.nc.u32 ", { 7, 0, 0 } },
    { "ld.relaxed.cta.global.u32 ", "", "ld.relaxed.cta.global.u32 ", { 7, 7, 0 } },
    { "ld.global.ca.u32 ", "", "ld.global.cg.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "", "ld.global.cv.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "", "ld.volatile.global.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "", "ld.relaxed.gpu.global.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "", "ld.acquire.sys.global.u32 ", { 7, 7, 7 } },
    { "ld.global.cg.u32 ", "", "ld.global.ca.u32 ", { 7, 7, 7 } }, /* not kept */
    { "ld.volatile.global.u32 ", "", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "fence.acq_rel.gpu;", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "fence.sc.sys;", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "membar.gl;", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "fence.acq_rel.cta;", "ld.global.ca.u32 ", { 7, 0, 0 } },
    { "ld.global.ca.u32 ", "membar.cta;", "ld.global.ca.u32 ", { 7, 0, 0 } },
    { "ld.global.ca.u32 ",
      "ld.acquire.gpu.global.u32 %v, [%f];",
      "ld.global.ca.u32 ",
      { 7, 7, 7 } },
    { "ld.global.ca.u32 ",
      "ld.acquire.cta.global.u32 %v, [%f];",
      "ld.global.ca.u32 ",
      { 7, 0, 0 } },
    { "ld.global.ca.u32 ",
      "atom.acquire.gpu.global.add.u32 %v, [%f], 1;",
      "ld.global.ca.u32 ",
      { 7, 7, 7 } },
    { "ld.global.ca.u32 ",
      "atom.relaxed.gpu.global.add.u32 %v, [%f], 1;",
      "ld.global.ca.u32 ",
      { 7, 0, 0 } },
    { "ld.global.ca.u32 ", "atom.global.add.u32 %v, [%x], 0;", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "red.global.add.u32 [%x+8], 1;", "ld.global.ca.u32 ", { 7, 7, 7 } },
    { "ld.global.ca.u32 ", "st.global.u32 [%x], 9;", "ld.global.ca.u32 ", { 9, 9, 9 } },
    { "ld.global.ca.u32 ", "st.global.u32 [%x+4], 9;", "ld.global.ca.u32 ", { 7, 0, 0 } },
};

static struct rig rig;
static struct soc_profile profile; /* of the rig, before it is opened again with another L1 */

static void setup(void)
{
    rig_open(&rig, true);
    profile = rig.profile;
    rig_close(&rig);
    profile.gpu.l1_bytes = 4096;
    profile.gpu.sm_blocks_max = 2;
}

static void teardown(void)
{
    rig_close(&rig);
}

static void rig_with(unsigned loads, unsigned sms)
{
    profile.gpu.l1_loads = loads;
    profile.gpu.sm_count = sms;
    rig_open_profile(&rig, &profile, EVICT_LRU, 0);
}

/* A block that waits for another one spins until that one has come. */
static void run_through_spins(void)
{
    for (unsigned i = 0; i < 1000 && soc_step(rig.soc, 1000) != SOC_IDLE; i++) {
    }
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_GRID_END], 1);
}

static unsigned row_run(const struct row *r, uint64_t x)
{
    const uint64_t param[] = { x, FLAG, OUT };
    struct qmd q = { .grid = { 2, 1, 1 }, .block = { 1, 1, 1 }, .resident_blocks = 2 };
    char text[4096];
    unsigned out;

    snprintf(text, sizeof(text), "%s%s%%a, [%%x];\n%s%s\n%s%%a, [%%x];\n%s", head, r->first, meet,
             r->between, r->again, other);
    memset(rig.dram, 0, RIG_DATA_BYTES);
    memset(rig.view, 0, RIG_DATA_BYTES);
    rig_launch(&rig, &q, text, param, 3);
    run_through_spins();
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE);
    memcpy(&out, rig.uncached, 4);
    return out;
}

/* @_i: row * 3 + l1_loads. Observers hear of a load that got other bytes than memory has, once a
 * kernel. */
START_TEST(a_load_is_as_old_as_its_instruction_allows)
{
    const struct row *r = &rows[_i / 3];
    unsigned want = r->want[_i % 3];

    rig_with((unsigned)_i % 3, 2);
    ck_assert_msg(row_run(r, X) == want, "%s, %s, %s with l1_loads %d: not %u", r->first,
                  r->between, r->again, _i % 3, want);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_L1_STALE], want == 0);
}
END_TEST

/* Table 1: pinned memory is uncached on the iGPU, whatever the load says. @_i: row */
START_TEST(pinned_memory_never_comes_in)
{
    rig_with(2, 2);
    ck_assert_uint_ne(row_run(&rows[_i], RIG_VA_PINNED + 1024), 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_L1_STALE], 0);
}
END_TEST

/* Both blocks on the one SM: its L1 follows its own stores. @_i: row */
START_TEST(an_sm_sees_its_own_stores)
{
    rig_with(2, 1);
    ck_assert_uint_eq(row_run(&rows[_i], X), rows[_i].want[0]);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_L1_STALE], 0);
}
END_TEST

static const char copy_one[] =
    ".version 7.4\n.target sm_72\n.address_size 64\n"
    ".visible .entry k(.param .u64 px, .param .u64 po) {\n.reg .u32 %a; .reg .u64 %x, %o;\n"
    "ld.param.u64 %x, [px]; ld.param.u64 %o, [po];\nld.global.ca.u32 %a, [%x];\n"
    "st.global.u32 [%o], %a;\nret;\n}\n";

static unsigned copied(void)
{
    const uint64_t param[] = { X, OUT };
    struct qmd q = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    unsigned out;

    rig_launch(&rig, &q, copy_one, param, 2);
    rig_run(&rig);
    memcpy(&out, rig.uncached, 4);
    return out;
}

START_TEST(a_kernel_begins_with_it_empty)
{
    rig_with(2, 2);
    memset(rig.dram, 0, RIG_DATA_BYTES);
    memset(rig.view, 0, RIG_DATA_BYTES);
    ck_assert_uint_eq(copied(), 0);
    memset(rig.uncached + RIG_PAGE, 5, 4);
    rig_copy(&rig, X, RIG_VA_VOLATILE + RIG_PAGE, 4);
    ck_assert_uint_eq(copied(), 0x05050505);
}
END_TEST

/* Loads of the lines in one kernel, twice: the second time the L2 is not asked. 4 KiB hold 32
 * lines; EVICT_NEVER holds all. @_i: lines = 8, 128; with never */
static const char twice[] =
    ".version 7.4\n.target sm_72\n.address_size 64\n"
    ".visible .entry k(.param .u64 px, .param .u32 pn) {\n.reg .pred %p; .reg .u32 %a, %i, %n, %r; "
    ".reg .u64 %x, %y;\n"
    "ld.param.u64 %x, [px]; ld.param.u32 %n, [pn]; mov.u32 %r, 0;\n"
    "AGAIN: mov.u32 %i, 0; mov.u64 %y, %x;\n"
    "NEXT: ld.global.u32 %a, [%y]; add.u64 %y, %y, 128; add.u32 %i, %i, 1;\n"
    "setp.lt.u32 %p, %i, %n; @%p bra NEXT;\n"
    "add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 2; @%p bra AGAIN;\nret;\n}\n";

START_TEST(what_was_loaded_is_not_asked_for_again)
{
    static const struct {
        unsigned lines, fills;
        enum evict evict;
    } of[] = { { 8, 8, EVICT_LRU }, { 64, 128, EVICT_LRU }, { 64, 64, EVICT_NEVER } };
    const uint64_t param[] = { RIG_VA, of[_i].lines };
    struct qmd q = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };

    profile.gpu.l1_loads = 2;
    rig_open_profile(&rig, &profile, of[_i].evict, 0);
    rig.read_l2 = 0;
    rig_launch(&rig, &q, twice, param, 2);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE);
    ck_assert_uint_eq(rig.read_l2, of[_i].fills);
    ck_assert_uint_ge(rig.seen[TRACE_EVENT_GPU_LOAD], 2 * of[_i].lines); /* seen all the same */
}
END_TEST

/* The CPU's cache holds newer bytes than DRAM, and the port looks there (CUDA for Tegra 2.1): a
 * load whose line has left the L2 meanwhile got no old bytes. */
START_TEST(what_a_snooped_cpu_cache_has_is_not_old)
{
    const uint64_t param[] = { RIG_VA, 64 };
    struct qmd q = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };

    profile.gpu.l1_loads = 2;
    profile.gpu.l1_bytes = 65536;
    rig_open_profile(&rig, &profile, EVICT_LRU, 0);
    memset(rig.dram, 0, RIG_DATA_BYTES);
    memset(rig.view, 5, RIG_DATA_BYTES);
    rig.read_l2 = 0;
    rig_launch(&rig, &q, twice, param, 2);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE);
    ck_assert_uint_eq(rig.read_l2, 64); /* the second time its L1 answered */
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_L1_STALE], 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l1");
    TCase *t = tcase_create("loads");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_load_is_as_old_as_its_instruction_allows, 0, 3 * G_N_ELEMENTS(rows));
    tcase_add_loop_test(t, pinned_memory_never_comes_in, 0, G_N_ELEMENTS(rows));
    tcase_add_loop_test(t, an_sm_sees_its_own_stores, 0, G_N_ELEMENTS(rows));
    tcase_add_test(t, a_kernel_begins_with_it_empty);
    tcase_add_loop_test(t, what_was_loaded_is_not_asked_for_again, 0, 3);
    tcase_add_test(t, what_a_snooped_cpu_cache_has_is_not_old);
    suite_add_tcase(s, t);
    return suite_main(s);
}
