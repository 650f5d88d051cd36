/* SPDX-License-Identifier: MIT */
/* Findings about one kernel, from records made by hand: whose places, threads, scopes, bytes and
 * variables they name. What each field of a record is, is trace/events.def; scopes and what makes a
 * race are PTX ISA 8.7.1; EGLImages are CUDA for Tegra 5.2. */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "checker/checker.h"
#include "checker/rules/image_rule.h"
#include "model/values.h"
#include "tests/suite.h"

static struct checker *c;

static void note(const char *line)
{
    struct note n;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    checker_note(c, &n);
}

static void record(const char *line)
{
    struct trace_record t;

    ck_assert_msg(trace_parse(line, &t), "%s", line);
    checker_record(c, &t, 0, true);
}

/* Grid 7 is of code 5, whose files 1 and 2 are a.cu and b.cu; grid 8 of another code. */
static void setup(void)
{
    c = checker_new(NULL, false);
    note("@run soc=orin io_coherent=1 policy=lazy");
    note("@region id=1 kind=device va=0x20000 size=256 len=4096 where=a.cu:1");
    note("@file code=5 number=1 path=a.cu");
    note("@file code=5 number=2 path=b.cu");
    note("@file code=6 number=1 path=other.cu");
    note("@kernel id=7 code=5 name=_Z4scanPi stream=0 grid=4,1,1 block=64,1,1 where=a.cu:50");
    note("@kernel id=8 code=6 name=_Z4fillPi stream=0 grid=2,1,1 block=32,1,1 where=a.cu:60");
}

static void teardown(void)
{
    checker_free(c);
}

static const struct run_finding *only(const char *rule)
{
    const GPtrArray *all = checker_run(c)->findings;
    const struct run_finding *f = all->len ? all->pdata[0] : NULL;

    ck_assert_uint_eq(all->len, 1);
    ck_assert_str_eq(f->rule, rule);
    return f;
}

static void assert_in(const char *text, const char *part)
{
    ck_assert_msg(text && strstr(text, part), "'%s' is not in: %s", part, text ? text : "(null)");
}

/* @at, @other: "0x" numbers of places; @what: as model/values.h packs it */
static void race(const char *at, const char *other, const char *va, uint64_t what)
{
    g_autofree char *line = g_strdup_printf("2 igpu KERNEL_RACE channel=3 grid_id=7 at=%s other=%s "
                                            "va=%s what=0x%" PRIx64,
                                            at, other, va, what);

    record("2 igpu KERNEL_RACE_WHO channel=3 threads=0x2100000003 block=1 other_block=2 times=9");
    record(line);
}

static uint64_t what_of(enum grid_race_kind kind, enum bus_scope scope, enum grid_race_kind other,
                        enum bus_scope other_scope, enum grid_race_relation relation,
                        enum grid_race_missing missing, uint64_t bytes)
{
    return (uint64_t)kind | (uint64_t)scope << KERNEL_RACE_SCOPE |
           (uint64_t)other << KERNEL_RACE_OTHER |
           (uint64_t)other_scope << (KERNEL_RACE_OTHER + KERNEL_RACE_SCOPE) |
           (uint64_t)relation << KERNEL_RACE_RELATION | (uint64_t)missing << KERNEL_RACE_MISSING |
           bytes << KERNEL_RACE_BYTES;
}

START_TEST(both_sides_have_their_own_place_thread_and_kind)
{
    const struct run_finding *f;

    race("0x10000000c", "0x200000009", "0x20010",
         what_of(GRID_RACE_LOAD, BUS_SCOPE_NONE, GRID_RACE_STORE, BUS_SCOPE_GPU, GRID_RACE_GRID,
                 GRID_RACE_MISSING_UNKNOWN, 4));
    f = only("kernel-race-grid");
    ck_assert_str_eq(f->where, "a.cu:12");
    ck_assert_str_eq(f->kernel, "scan");
    ck_assert_uint_eq(f->region, 1);
    assert_in(f->text, "Here a load at a.cu:12 by thread 3 of block 1; before it a volatile or "
                       "atomic store at b.cu:9 by thread 33 of block 2; 4 bytes.");
    assert_in(f->text, "9 such pairs in this launch.");
}
END_TEST

/* The scope of the earlier one is its own, and it is what the finding blames. */
START_TEST(a_scope_that_leaves_the_other_out_is_named)
{
    const struct run_finding *f;

    race("0x10000000c", "0x100000014", "0x20010",
         what_of(GRID_RACE_ATOMIC, BUS_SCOPE_GPU, GRID_RACE_ATOMIC, BUS_SCOPE_CTA, GRID_RACE_GRID,
                 GRID_RACE_MISSING_SCOPE, 4));
    f = only("kernel-race-scope");
    assert_in(f->text, "Here an atomic operation at a.cu:12");
    assert_in(f->text, "before it an atomic operation of block scope at a.cu:20");
    assert_in(f->todo, "Give a.cu:20 the scope of the device");
}
END_TEST

START_TEST(one_byte_and_one_pair_are_told_as_one)
{
    record("2 igpu KERNEL_RACE_WHO channel=3 threads=0x100000000 block=0 other_block=0 times=1");
    record("2 igpu KERNEL_RACE channel=3 grid_id=7 at=0x0 other=0x0 va=0x20010 what=0x100000101");
    assert_in(only("kernel-race-warp")->text,
              "Here a store by thread 0 of block 0; before it a store by thread 1 of block 0; "
              "1 byte. 1 such pair in this launch.");
}
END_TEST

/* Itanium C++ ABI, 5.1.6: a local name, the second of its name, and one that is none. A byte lies
 * in the variable that holds it. */
static const struct {
    const char *va, *said;
} shared[] = {
    { "0x0", "4 bytes from byte 0 of tile in shared memory" },
    { "0x3f", "4 bytes from byte 63 of tile in shared memory" },
    { "0x40", "4 bytes from byte 0 of sums in shared memory" },
    { "0x50", "4 bytes from byte 0 of E1 in shared memory" },
    { "0x5c", "4 bytes from byte 4 of edge in shared memory" },
    { "0x60", "4 bytes from byte 0 of value<ns::a, 3> in shared memory" },
    { "0x70", "4 bytes from byte 0 of a3bE9 in shared memory" },
    { "0x100", "4 bytes from byte 256 of the block's shared memory" },
};

START_TEST(a_variable_in_shared_memory_is_named)
{
    note("@variable code=5 kernel=_Z4scanPi offset=0 bytes=64 name=_ZZ4scanPiE4tile");
    note("@variable code=5 kernel=_Z4scanPi offset=64 bytes=16 name=_ZZ4scanPiE4sums_0");
    note("@variable code=5 kernel=_Z4scanPi offset=80 bytes=8 name=_ZZ4scanPiE2E1");
    note("@variable code=5 kernel=_Z4scanPi offset=88 bytes=8 name=_ZN2ns4edgeE");
    note("@variable code=5 kernel=_Z4scanPi offset=96 bytes=8 name=\"ns::value<ns::a, 3>\"");
    note("@variable code=5 kernel=_Z4scanPi offset=112 bytes=8 name=_ZZ4scanPiE5a3bE9");
    note("@variable code=5 kernel=_Z4scanPi offset=256 bytes=8"); /* without a name: none */
    note("@variable code=6 kernel=_Z4scanPi offset=256 bytes=8 name=_ZZ4scanPiE5wrong");
    note("@variable code=5 kernel=_Z4fillPi offset=256 bytes=8 name=_ZZ4fillPiE5wrong");
    race("0x10000000c", "0x100000014", shared[_i].va,
         what_of(GRID_RACE_STORE, BUS_SCOPE_NONE, GRID_RACE_STORE, BUS_SCOPE_NONE, GRID_RACE_BLOCK,
                 GRID_RACE_MISSING_BARRIER, 4) |
             UINT64_C(1) << KERNEL_RACE_SHARED);
    assert_in(only("kernel-race-block")->text, shared[_i].said);
    ck_assert_uint_eq(only("kernel-race-block")->region, 0);
}
END_TEST

START_TEST(a_split_barrier_names_both_places)
{
    const struct run_finding *f;

    record("2 igpu BARRIER_SPLIT channel=3 grid_id=7 at=0x10000000c other=0x200000009");
    f = only("barrier-divergent");
    ck_assert_str_eq(f->where, "a.cu:12");
    assert_in(f->text, "b.cu:9");
}
END_TEST

START_TEST(an_access_beside_a_buffer_is_a_load_or_a_store)
{
    g_autofree char *line = g_strdup_printf(
        "2 igpu GPU_BESIDE channel=3 grid_id=7 at=0x10000000c va=0x20104 write=%d", _i);
    const struct run_finding *f;

    record(line);
    f = only("kernel-beside-buffer");
    assert_in(f->text, _i ? "Out-of-bounds store of a kernel." : "Out-of-bounds load of a kernel.");
    assert_in(f->text, "it lies 4 bytes behind the end of");
    ck_assert_str_eq(f->where, "a.cu:12");
    ck_assert_uint_eq(f->region, 1);
}
END_TEST

/* --- EGLImages: 5.2, synchronise before the other side uses it -------------------------------- */

#define RUNS "1 igpu GRID_BEGIN by=4 channel=3 qmd=0x0 entry=0 grid_id=7"
#define READS "2 igpu SUM_READ region=1 by=4 bytes=64 sectors=2 l2_hits=0 l2_misses=2"
#define WRITES "2 igpu SUM_WRITE region=1 by=4 bytes=64 lines=1 l2_hits=0 l2_misses=1"

static void image_used(bool writes, uint32_t pending)
{
    checker_image(c, &(struct image_turn){ .kind = IMAGE_USED,
                                           .region = 1,
                                           .grids = 7,
                                           .number = 2,
                                           .width = 64,
                                           .height = 32,
                                           .call = "glTexSubImage2D",
                                           .writes = writes,
                                           .pending = &pending,
                                           .n_pending = 1 });
}

/* Bit 0: OpenGL writes; bit 1: the kernel does; bit 2: OpenGL comes first; bit 3: another kernel is
 * the one that was not waited for. Two readers do not disturb each other. */
START_TEST(opengl_and_a_kernel_that_nothing_waited_for)
{
    bool gl_writes = _i & 1, kernel_writes = _i & 2, gl_first = _i & 4, other = _i & 8;

    /* the image is known from its first use on */
    image_used(false, 999);
    record(RUNS);
    if (gl_first) {
        image_used(gl_writes, other ? 8 : 7);
    }
    record(kernel_writes ? WRITES : READS);
    if (!gl_first) {
        image_used(gl_writes, other ? 8 : 7);
    }
    if ((gl_writes || kernel_writes) && !other) {
        const struct run_finding *f = only("egl-image-cuda-pending");

        assert_in(f->text, gl_writes ? "glTexSubImage2D draws into EGLImage 2 (64 x 32), which"
                                     : "glTexSubImage2D reads EGLImage 2 (64 x 32), which");
        assert_in(f->text, kernel_writes ? "scan writes: nothing has waited"
                                         : "scan reads: nothing has waited");
    } else {
        ck_assert_uint_eq(checker_run(c)->findings->len, 0);
    }
}
END_TEST

/* No kernel can use memory that is gone: what was known of its image goes, too. */
START_TEST(an_image_ends_with_its_memory)
{
    record(RUNS);
    image_used(true, 7);
    record("2 driver REGION_REMOVE region=1 pa=0x80000000 len=8192");
    record(WRITES);
    ck_assert_uint_eq(checker_run(c)->findings->len, 0);
}
END_TEST

/* So many uses are forgotten half at a time: the newer half is still compared. */
START_TEST(the_newest_uses_of_an_image_are_kept)
{
    image_used(false, 999);
    record(RUNS);
    for (int i = 0; i < 1500; i++) {
        image_used(true, i == 900 ? 7 : 8);
    }
    record(READS);
    only("egl-image-cuda-pending");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kernel_rules");
    TCase *t = tcase_create("kernel_rules");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, both_sides_have_their_own_place_thread_and_kind);
    tcase_add_test(t, a_scope_that_leaves_the_other_out_is_named);
    tcase_add_test(t, one_byte_and_one_pair_are_told_as_one);
    tcase_add_loop_test(t, a_variable_in_shared_memory_is_named, 0, G_N_ELEMENTS(shared));
    tcase_add_test(t, a_split_barrier_names_both_places);
    tcase_add_loop_test(t, an_access_beside_a_buffer_is_a_load_or_a_store, 0, 2);
    tcase_add_loop_test(t, opengl_and_a_kernel_that_nothing_waited_for, 0, 16);
    tcase_add_test(t, an_image_ends_with_its_memory);
    tcase_add_test(t, the_newest_uses_of_an_image_are_kept);
    suite_add_tcase(s, t);
    return suite_main(s);
}
