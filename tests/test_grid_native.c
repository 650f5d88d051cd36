/* SPDX-License-Identifier: MIT */
/* Where compiled code may begin, and what the interpreter does there without it. The compiled code
 * is this file's own: a micro-op by its usual handler. test_native.c has a compiler's. */
#include "model/igpu/native.h"

#include <check.h>
#include <glib.h>
#include <string.h>

#include "tests/grid_rig.h"
#include "tests/test_grid.h"

/* out[tid] = 1 + ... + 5 */
#define LOOP                                                                                      \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .pred " \
         "%p<2>;\n"                                                                               \
         "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"            \
         "add.u64 %d0, %d0, %d1;\nmov.u32 %r1, 5;\nmov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, %r1;\n" \
         "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%d0], "     \
         "%r2;\nret;\n}\n"

static unsigned entered;

static const struct ptx_uop *run(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                 const struct native_calls *calls)
{
    const struct native_code *n = native_code_of(w);

    entered++;
    ck_assert_uint_eq(w->active, LANES_ALL);
    ck_assert_uint_eq(w->n_fragments, 0);
    return calls->handlers[n->op[u - w->code]](w, u, rf, LANES_ALL);
}

static uintptr_t door(uint32_t index)
{
    return index == 0 ? (uintptr_t)run : 0;
}

/* Return: instructions; the results are checked. */
static uint64_t loop_run(unsigned threads, bool compiled)
{
    static const uint64_t base = RIG_BASE;
    struct rig_launch l = { .block = { threads }, .param = &base, .param_bytes = 8 };
    struct grid_program *p = rig_program(LOOP);
    struct rig rig;
    struct grid *g;
    uint64_t insts;

    rig_init(&rig);
    if (compiled) {
        char *text = grid_program_text(p, 0);

        ck_assert_ptr_nonnull(text);
        ck_assert_ptr_nonnull(strstr(text, "native_0"));
        g_free(text);
        grid_program_native(p, door);
    }
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    insts = grid_stats(g)->warp_insts;
    for (unsigned i = 0; i < threads; i++) {
        uint32_t v;

        memcpy(&v, rig_at(&rig, RIG_BASE + 4 * i), 4);
        ck_assert_uint_eq(v, 15);
    }
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
    return insts;
}

START_TEST(whole_warps_enter_compiled_code)
{
    uint64_t insts = loop_run(64, false);

    ck_assert_uint_eq(entered, 0);
    ck_assert_uint_eq(loop_run(64, true), insts);
    ck_assert_uint_ge(entered, 2 * 5); /* the loop of two warps, each round */
}
END_TEST

START_TEST(other_warps_do_not)
{
    ck_assert_uint_eq(loop_run(31, true), loop_run(31, false));
    ck_assert_uint_eq(entered, 0);
}
END_TEST

START_TEST(a_program_asks_once_when_it_has_run_for_long_enough)
{
    struct grid_program *p = rig_program(LOOP);

    if (grid_compile_flags()) {
        ck_assert(!grid_program_asks(p, 1));
        ck_assert(grid_program_asks(p, 0));
        ck_assert(!grid_program_asks(p, 0));
    }
    grid_program_unref(p);
}
END_TEST

/* More would take a compiler longer than they save. */
START_TEST(so_many_loads_of_a_function_become_vectors)
{
    GString *ptx = g_string_new(HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n"
                                     ".reg .b64 %d<4>;\nld.param.u64 %d0, [out];\n"
                                     "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"
                                     "add.u64 %d0, %d0, %d1;\nmov.u32 %r2, 0;\n");
    struct grid_program *p;
    unsigned vectors = 0, handlers = 0;
    char *text;

    for (unsigned i = 0; i < 70; i++) {
        g_string_append_printf(ptx, "ld.global.u32 %%r1, [%%d0+%u];\nadd.u32 %%r2, %%r2, %%r1;\n",
                               128 * i);
    }
    g_string_append(ptx, "st.global.u32 [%d0], %r2;\nret;\n}\n");
    p = rig_program(ptx->str);
    text = grid_program_text(p, 0);
    for (const char *at = text; (at = strstr(at, "native_load(")); at++) {
        vectors++;
    }
    for (const char *at = text; (at = strstr(at, "HANDLER_OF(")); at++) {
        handlers++;
    }
    ck_assert_uint_eq(vectors, 64);
    ck_assert_uint_ge(handlers, 71);
    g_free(text);
    grid_program_unref(p);
    g_string_free(ptx, TRUE);
}
END_TEST

static void setup(void)
{
    entered = 0;
}

Suite *native_suite(void)
{
    Suite *s = suite_create("native");
    TCase *t = tcase_create("native");

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, whole_warps_enter_compiled_code);
    tcase_add_test(t, other_warps_do_not);
    tcase_add_test(t, so_many_loads_of_a_function_become_vectors);
    tcase_add_test(t, a_program_asks_once_when_it_has_run_for_long_enough);
    suite_add_tcase(s, t);
    return s;
}
