/* SPDX-License-Identifier: MIT */
/* A warp's loads of 32 bits by the shape of its addresses: values, lines and sectors are worked out
 * here lane by lane. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <string.h>

#define DATA 4096u /* of the memory that is loaded from, in the rig's */
#define RESULT 65536u

static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

/* Lane l loads the word at DATA + the l-th word of the first line; that load is one line of four
 * sectors. The result goes to RESULT. */
static const char load_by_table[] =
    ENTRY "ld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, "
          "%d2, %d3;\n"
          "ld.global.u32 %r2, [%d3];\ncvt.u64.u32 %d4, %r2;\nadd.u64 %d4, %d2, %d4;\n"
          "ld.global.u32 %r3, [%d4+4096];\nst.global.u32 [%d3+65536], %r3;\nret;\n}\n";

/* Two halves, each @first + @step * lane; @odd: a lane that is elsewhere, 4 further. -1: none */
static const struct {
    int first[2], step[2], odd;
} shapes[] = {
    { { 0, 64 }, { 4, 4 }, -1 },     /* one line */
    { { 0, 0 }, { 4, 4 }, -1 },      /* half a line twice */
    { { 0, 0 }, { 0, 0 }, -1 },      /* one word */
    { { 124, 128 }, { 0, 0 }, -1 },  /* the last of a line and the first of the next */
    { { 1024, 0 }, { 0, 0 }, -1 },   /* the later line first */
    { { 256, 32 }, { 4, 0 }, -1 },   /* a row and a word */
    { { 96, 352 }, { 0, 4 }, -1 },   /* a word and a row */
    { { 4, 200 }, { 4, 0 }, -1 },    /* a row in three sectors */
    { { 60, 128 }, { 4, 4 }, -1 },   /* up to the line's last byte */
    { { 64, 128 }, { 4, 4 }, -1 },   /* as far */
    { { 68, 256 }, { 4, 4 }, -1 },   /* a row across two lines */
    { { 256, 124 }, { 4, 4 }, -1 },  /* the second one does */
    { { 512, 576 }, { 4, 4 }, 15 },  /* the last of the first half is the first of the second */
    { { 512, 576 }, { 4, 4 }, 31 },  /* the last of the second is in the next line */
    { { 512, 512 }, { 0, 0 }, 7 },   /* one of many is elsewhere */
    { { 512, 512 }, { 0, 0 }, 24 },  /* of the second half */
    { { 640, 1280 }, { 8, 4 }, -1 }, /* every second word */
    { { 124, 764 }, { -4, -4 }, -1 } /* from the last to the first */
};

static uint32_t shape_offset(int i, int lane)
{
    int half = lane / 16;

    return (uint32_t)(shapes[i].first[half] + shapes[i].step[half] * (lane % 16) +
                      (shapes[i].odd == lane ? 4 : 0));
}

/* Different ones among n values */
static unsigned count_different(const uint32_t *v, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;

        while (v[k] != v[i]) {
            k++;
        }
        count += k == i;
    }
    return count;
}

static void memory_fill(int i)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t offset = shape_offset(i, (int)lane);

        memcpy(rig_at(&rig, RIG_BASE + 4 * lane), &offset, 4);
    }
    for (uint32_t at = 0; at < 4096; at += 4) {
        uint32_t v = at * 2654435761u + 7;

        memcpy(rig_at(&rig, RIG_BASE + DATA + at), &v, 4);
    }
}

static void shape_check(int i, unsigned threads)
{
    struct rig_launch l = { .block = { threads }, .param = &out, .param_bytes = 8 };
    uint32_t line[32], sector[32], got;

    rig.loads = rig.sectors = 0;
    memory_fill(i);
    rig_launch(&rig, load_by_table, &l);
    for (uint32_t lane = 0; lane < threads; lane++) {
        uint32_t at = shape_offset(i, (int)lane);

        line[lane] = at / 128;
        sector[lane] = at / 32;
        memcpy(&got, rig_at(&rig, RIG_BASE + RESULT + 4 * lane), 4);
        ck_assert_msg(got == at * 2654435761u + 7, "shape %d, lane %u: %08x", i, lane, got);
    }
    ck_assert_msg(rig.loads == 1 + count_different(line, threads), "shape %d, %u threads: %u loads",
                  i, threads, (unsigned)rig.loads);
    ck_assert_msg(rig.sectors == (threads * 4 + 31) / 32 + count_different(sector, threads),
                  "shape %d, %u threads: %u sectors", i, threads, (unsigned)rig.sectors);
}

static void shapes_check(const char *isa)
{
    if (!sm_select_named(isa)) {
        return; /* not on this host */
    }
    for (int i = 0; i < (int)(sizeof(shapes) / sizeof(shapes[0])); i++) {
        shape_check(i, 32);
        shape_check(i, 31);
    }
}

START_TEST(loads_of_every_shape_touch_their_lines_alone)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };

    shapes_check(isas[_i]);
}
END_TEST

static uint64_t order[8];
static unsigned n_order;

static void order_keep(struct rig *r, uint64_t va, bool write)
{
    if (!write && n_order < 8) {
        order[n_order++] = va - (RIG_BASE + DATA);
    }
    (void)r;
}

/* exec_global.c: lines go to the port in the order of the lowest lane that needs each */
START_TEST(lines_are_loaded_in_the_order_of_lanes)
{
    struct rig_launch l = { .block = { 32 }, .param = &out, .param_bytes = 8 };

    memory_fill(4);
    n_order = 0;
    rig.on_access = order_keep;
    rig_launch(&rig, load_by_table, &l);
    ck_assert_uint_eq(n_order, 3); /* the table's first */
    ck_assert_uint_eq(order[1], 1024);
    ck_assert_uint_eq(order[2], 0);
}
END_TEST

/* The rig's memory ends after RIG_BYTES: the second half's row lies behind it, and its first lane
 * is named. */
START_TEST(a_fault_names_the_first_lane_of_its_line)
{
    static const char ptx[] = ENTRY "ld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, "
                                    "%r1, 4;\nmul.wide.u32 %d3, %r2, 128;\n"
                                    "and.b32 %r1, %r1, 15;\nmul.wide.u32 %d4, %r1, 4;\nadd.u64 "
                                    "%d3, %d3, %d4;\nadd.u64 %d2, %d2, %d3;\n"
                                    "ld.global.u32 %r4, [%d2+4194176];\nret;\n}\n";
    struct rig_launch l = { .block = { 32 }, .param = &out, .param_bytes = 8 };
    struct grid_program *p = rig_program(ptx);
    struct grid *g = rig_grid(&rig, p, &l);

    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_uint_eq(grid_fault(g)->thread[0], 16);
    ck_assert_uint_eq(grid_fault(g)->va, RIG_BASE + RIG_BYTES);
    ck_assert_uint_eq(grid_fault(g)->size, 4);
    ck_assert(!grid_fault(g)->write);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

Suite *rows_suite(void)
{
    Suite *s = suite_create("rows");
    TCase *t = tcase_create("rows");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, loads_of_every_shape_touch_their_lines_alone, 0, 3);
    tcase_add_test(t, lines_are_loaded_in_the_order_of_lanes);
    tcase_add_test(t, a_fault_names_the_first_lane_of_its_line);
    suite_add_tcase(s, t);
    return s;
}
