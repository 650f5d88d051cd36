/* SPDX-License-Identifier: MIT */
/* malloc() and free() of device code between threads: a free is ordered with uses as a store is;
 * an allocation begins anew. Each race has its twin. */
#include <check.h>
#include <stdlib.h>

#include "tests/grid_rig.h"

#define HEAP (RIG_BASE + 0x10000)
#define HEAP_BYTES 192u /* one block of 100 bytes at a time, beside the heads */
#define OUT RIG_BASE

/* %p1: thread 0, %p2: thread 32; %d0: a word that both see */
#define BEGIN                                                                                      \
    ".version 8.0\n.target sm_87\n.address_size 64\n"                                              \
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n" \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"                  \
    ".reg .pred %p<4>;\nld.param.u64 %d0, [out];\nmov.u32 %r1, %tid.x;\nmov.u64 %d1, 100;\n"       \
    "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\n"
#define MALLOC                                                                            \
    "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], %d1;\ncall (r), malloc, (n);\n" \
    "ld.param.b64 %d2, [r];\n}\n"
#define FREE "{\n.param .b64 p;\nst.param.b64 [p], %d2;\ncall free, (p);\n}\n"
#define USED "st.u32 [%d2], %r1;\nst.u32 [%d2+96], %r1;\n"
#define BARRIER "bar.sync 0;\n"
#define BY_0 "@!%p1 bra A0;\n"
#define BY_32(label) "@!%p2 bra " label ";\n"
#define GIVEN BY_0 MALLOC "st.volatile.u64 [%d0], %d2;\nA0:\n" BARRIER
#define TAKEN "ld.volatile.u64 %d2, [%d0];\n"
#define END "ret;\n}\n"

static const struct heap_case {
    const char *name, *text;
    bool races;
} cases[] = {
    { "bytes that another thread has used and freed",
      BEGIN BY_0 MALLOC USED FREE "A0:\n" BY_32("B0") MALLOC USED FREE "B0:\n" END, false },
    { "a free while another thread stores",
      BEGIN GIVEN TAKEN BY_32("B0") USED "B0:\n@!%p1 bra C0;\n" FREE "C0:\n" END, true },
    { "a barrier before the free",
      BEGIN GIVEN TAKEN BY_32("B0") USED "B0:\n" BARRIER "@!%p1 bra C0;\n" FREE "C0:\n" END,
      false },
    { "bytes that another thread has not initialised when it gives them away",
      BEGIN BY_0 MALLOC "st.volatile.u64 [%d0], %d2;\n" USED "A0:\n" BY_32("B0") TAKEN USED
      "B0:\n" END,
      true },
};

START_TEST(a_block_belongs_to_one_thread_at_a_time)
{
    const struct heap_case *c = &cases[_i];
    uint64_t out = OUT;
    struct grid_program *p = rig_program(c->text);
    const struct grid_race *rows;
    struct rig rig;
    struct grid *g;

    rig_init(&rig);
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .block = { 64, 1, 1 },
                                       .param = &out,
                                       .param_bytes = sizeof(out),
                                       .heap_va = HEAP,
                                       .heap_bytes = HEAP_BYTES,
                                       .races = GRID_RACES_STRICT });
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    ck_assert_msg((grid_races(g, &rows) > 0) == c->races, "%s", c->name);
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_heap");
    TCase *t = tcase_create("heap");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, a_block_belongs_to_one_thread_at_a_time, 0,
                        (int)(sizeof(cases) / sizeof(cases[0])));
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
