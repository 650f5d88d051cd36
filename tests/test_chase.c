/* SPDX-License-Identifier: MIT */
/* Which kernels may access memory that no parameter points to: chase.h. PTX ISA 9.7.9.8 (ld). */
#include "runtime/driver/module/chase.h"

#include <glib.h>

#include "suite.h"
#include "test_ptx_help.h"

static const struct {
    const char *code;
    bool chases;
} cases[] = {
    /* the parameter's own memory */
    { "ld.param.u64 %d1, [p]; ld.global.f32 %f1, [%d1]; st.global.f32 [%d1+4], %f1; ret;", false },
    { "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d2, %d1; st.global.u32 [%d2], 1; ret;", false },
    /* 64-bit integers that are data */
    { "ld.param.u64 %d1, [p]; ld.global.u64 %d2, [%d1]; add.s64 %d2, %d2, 1; "
      "st.global.u64 [%d1], %d2; ret;",
      false },
    { "ld.param.u64 %d1, [p]; ld.global.f64 %g1, [%d1]; st.global.f64 [%d1+8], %g1; ret;", false },
    /* a pointer in memory */
    { "ld.param.u64 %d1, [p]; ld.global.u64 %d2, [%d1]; st.global.u32 [%d2], 1; ret;", true },
    { "ld.param.u64 %d1, [p]; ld.u64 %d2, [%d1]; ld.f32 %f1, [%d2]; ret;", true },
    { "ld.const.u64 %d1, [table]; cvta.to.global.u64 %d2, %d1; add.s64 %d3, %d2, 16; "
      "atom.global.add.u32 %r1, [%d3], 1; ret;",
      true },
    { "ld.global.v2.u64 {%d1, %d2}, [variable]; red.global.add.u32 [%d2], 1; ret;", true },
    /* known after what uses it: a loop */
    { "ld.param.u64 %d1, [p]; mov.u64 %d2, %d1; L: mov.u64 %d3, %d2; ld.global.u32 %r1, [%d3]; "
      "ld.global.u64 %d2, [%d1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ret;",
      true },
    /* by way of local and shared memory */
    { "ld.global.u64 %d1, [variable]; st.local.u64 [stack], %d1; ld.local.u64 %d2, [stack]; "
      "st.global.u32 [%d2], 1; ret;",
      true },
    { "ld.param.u64 %d1, [p]; st.local.u64 [stack], %d1; ld.local.u64 %d2, [stack]; "
      "st.global.u32 [%d2], 1; ret;",
      false },
    { "ld.shared.b64 %d1, [kept]; st.global.u32 [%d1], 1; ret;", true },
    /* what another function does */
    { "call by_address; ret;", true },
};

#define HEAD                                                                               \
    PTX_HEAD ".global .align 16 .u64 variable[2]; .const .u64 table; .shared .b64 kept;\n" \
             ".func by_address() { .reg .b64 %d<3>; ld.global.u64 %d1, [variable]; "       \
             "st.global.u32 [%d1], 1; ret; }\n"

START_TEST(an_address_that_is_loaded)
{
    g_autofree char *text =
        g_strconcat(HEAD ".visible .entry k(.param .u64 p)\n{\n.local .b64 stack;\n" PTX_REGS,
                    cases[_i].code, "\n}\n", NULL);
    struct ptx_module *m = parse(text);

    ck_assert_msg(chase_may(m, ptx_func_find(m, "k")) == cases[_i].chases, "%s", cases[_i].code);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_function_without_such_a_load)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                       ".func leaf() { .reg .f32 %f1; mov.f32 %f1, 0f00000000; ret; }\n"
                       ".visible .entry k(.param .u64 p)\n{\ncall leaf; ret;\n}\n");

    ck_assert(!chase_may(m, ptx_func_find(m, "k")));
    ptx_module_free(m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("chase");
    TCase *t = tcase_create("chase");

    tcase_add_loop_test(t, an_address_that_is_loaded, 0, G_N_ELEMENTS(cases));
    tcase_add_test(t, a_function_without_such_a_load);
    suite_add_tcase(s, t);
    return suite_main(s);
}
