/* SPDX-License-Identifier: MIT */
/* What the decoder refuses, and how it says so. */
#include "ptx/decode.h"
#include "tests/test_grid.h"
#include <glib.h>
#include <string.h>

/* The error of a kernel whose instructions are @body, on line 9; NULL if there is none */
static const char *error_of(const char *body)
{
    static struct ptx_error error;
    static char lacks[200];
    char *text = g_strdup_printf(HEAD ".visible .entry kern(.param .u64 p)\n{\n.reg .b32 %%r<8>;\n"
                                      ".reg .b64 %%d<8>; .reg .pred %%p<4>; .reg .b16 %%h<4>;\n"
                                      ".reg .f32 %%f<8>; .reg .f64 %%g<4>;\n%s\nret;\n}\n",
                                 body);
    struct ptx_module *m = ptx_parse(text, strlen(text), &error);
    struct ptx_program *p;

    ck_assert_msg(m != NULL, "%s: %s", body, error.text);
    p = ptx_decode(m, &error);
    if (!p) {
        ck_assert_uint_eq(error.pos.line, 9);
    }
    g_strlcpy(lacks, p && p->code[0].lacks ? p->code[0].lacks : "", sizeof(lacks));
    ck_assert(!*lacks || p->code[0].lacks_pos.line == 9);
    ptx_program_free(p);
    ptx_module_free(m);
    g_free(text);
    return !p ? error.text : *lacks ? lacks : NULL;
}

START_TEST(what_cannot_run_is_named_with_its_line)
{
    const char *e = error_of("istypep.texref %p0, %d0;");

    ck_assert_ptr_nonnull(e);
    ck_assert_ptr_nonnull(strstr(e, "line 9"));
    ck_assert_ptr_nonnull(strstr(e, "istypep"));
    ck_assert_ptr_nonnull(strstr(e, "not supported"));
    ck_assert_ptr_nonnull(strstr(e, "kern"));
}
END_TEST

/* Forms that PTX does not have, or that the SMs leave out, must not pass as their neighbours. */
START_TEST(odd_forms_are_refused)
{
    static const char *const bodies[] = {
        "add.sat.u32 %r0, %r1, %r2;",
        "mul.lo.sat.s32 %r0, %r1, %r2;",
        "min.ftz.f64 %g0, %g1, %g2;",
        "cvt.f32.s32 %f0, %r0;",    /* may round: a rounding is required */
        "cvt.rn.s32.f32 %r0, %f0;", /* integers take .rni */
        "setp.nan.s32 %p0, %r0, %r1;",
        "atom.global.min.b32 %r0, [%d1], %r1;",
        "atom.global.cas.b128 %r0, [%d1], %r1, %r2;",
        "ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%d0];",
        "fence.proxy.async;",
        "barrier.cluster.arrive;",
        "shfl.sync.idx.b64 %d0, %d1, 0, 31, -1;",
        "tex.2d.v2.f32.f32 {%f0,%f1}, [%d0, {%f4, %f5}];",
        "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%d0, {%f4}];",
        "txq.channel_order.b32 %r0, [%d0];", /* not of objects (measured) */
        "suld.b.2d.v4.b64.trap {%d1,%d2,%d3,%d4}, [%d0, {%r1, %r2}];",
        "st.param.u64 [p], %d0;",
        "sin.f32 %f0, %f1;",
    };

    ck_assert_ptr_nonnull(error_of(bodies[_i]));
}
END_TEST

#define N_ODD 18

START_TEST(registers_must_fit_the_instruction)
{
    const char *e = error_of("add.u64 %d0, %d1, %r2;");

    ck_assert_ptr_nonnull(e);
    ck_assert_ptr_nonnull(strstr(e, "add.u64"));
    ck_assert_ptr_nonnull(error_of("add.u32 %r0, %p1, %r2;"));
    ck_assert_ptr_nonnull(error_of("selp.b32 %r0, %r1, %r2, %r3;"));
    ck_assert_ptr_nonnull(error_of("mov.b64 %d0, {%d1, %d2};"));
}
END_TEST

/* A developer looks for the words in the PTX, so they come as they stand there. */
START_TEST(instructions_are_printed_as_written)
{
    static const char *const written[] = {
        "cp.async.cg.shared.global",        "ld.volatile.global.v2.u32", "vadd4.u32.u32.b32",
        "atom.acq_rel.gpu.global.cas.b128", "fma.rn.ftz.sat.f64",
    };
    g_autofree char *body = g_strconcat(written[_i], " %r0;", NULL);
    g_autofree char *quoted = g_strconcat("`", written[_i], "`", NULL);
    const char *e = error_of(body);

    ck_assert_ptr_nonnull(e);
    ck_assert_msg(strstr(e, quoted) != NULL, "no %s in: %s", quoted, e);
}
END_TEST

#define N_WRITTEN 5

START_TEST(undefined_functions_are_named)
{
    static const char text[] =
        HEAD ".extern .func nothere(.param .b32 a);\n.visible .entry k()\n{\n"
             "{\n.param .b32 x;\nst.param.b32 [x], 1;\ncall nothere, (x);\n}\n"
             "ret;\n}\n";
    struct ptx_error e = { .text = "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &e);

    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_ptr_null(ptx_decode(m, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "nothere"));
    ck_assert_uint_eq(e.pos.line, 10);
    ptx_module_free(m);
}
END_TEST

START_TEST(intrinsics_are_checked_against_their_parameters)
{
    static const char text[] =
        HEAD ".extern .func (.param .b32 r) __nv_sinf(.param .b32 a, .param .b32 b);\n.visible "
             ".entry k()\n{\n"
             "{\n.param .b32 x;\n.param .b32 y;\ncall (y), __nv_sinf, (x, x);\n}\nret;\n}\n";
    struct ptx_error e = { .text = "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &e);

    ck_assert_msg(m != NULL, "%s", e.text);
    ck_assert_ptr_null(ptx_decode(m, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "__nv_sinf"));
    ptx_module_free(m);
}
END_TEST

/* A module in which one function of four has an instruction that the SMs lack: @names can run or
 * cannot, as a driver would run all of them (ptxas 13.0 takes the text). */
static const char lacking_text[] =
    HEAD ".func bad()\n{\n.reg .pred %p<2>;\n.reg .b64 %d<2>;\n"
         "istypep.texref %p0, %d0;\nret;\n}\n"
         ".func middle()\n{\ncall bad;\nret;\n}\n"
         ".visible .entry reaches()\n{\ncall middle;\nret;\n}\n"
         ".visible .entry good(.param .u64 out)\n{\n.reg .b64 %d<2>;\nld.param.u64 %d0, [out];\n"
         "st.global.u32 [%d0], 7;\nret;\n}\n"
         ".visible .entry points()\n{\n.reg .b64 %d<2>;\nmov.u64 %d0, bad;\n"
         "proto: .callprototype _ ();\ncall %d0, (), proto;\nret;\n}\n";

START_TEST(what_does_not_reach_a_lacking_instruction_runs)
{
    struct ptx_error e = { .text = "" };
    struct ptx_module *m = ptx_parse(lacking_text, strlen(lacking_text), &e);
    struct ptx_program *p;
    const struct ptx_code *lack;

    ck_assert_msg(m != NULL, "%s", e.text);
    p = ptx_decode(m, &e);
    ck_assert_msg(p != NULL, "%s", e.text);
    lack = ptx_program_lack(p, ptx_func_find(m, "reaches"));
    ck_assert_ptr_nonnull(lack);
    ck_assert_str_eq(lack->func->name, "bad");
    ck_assert_uint_eq(lack->lacks_pos.line, 8);
    ck_assert_ptr_nonnull(strstr(lack->lacks, "istypep.texref"));
    ck_assert_ptr_null(ptx_program_lack(p, ptx_func_find(m, "good")));
    ck_assert_ptr_null(ptx_program_lack(p, ptx_func_find(m, "points")));
    ptx_program_free(p);
    ptx_module_free(m);
}
END_TEST

/* ptxas refuses the module for the second instruction, whatever the first one is. */
START_TEST(an_invalid_instruction_behind_a_lacking_one_refuses)
{
    const char *e = error_of("istypep.texref %p0, %d0;"
                             "fma.f32 %f0, %f1, %f2, %f3;");

    ck_assert_ptr_nonnull(strstr(e, "fma.f32"));
}
END_TEST

/* No spelling is claimed by two micro-ops; the second would never be reached. */
START_TEST(spellings_are_unique)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (int i = 0; i < PTX_UOP_COUNT; i++) {
        char **words = g_strsplit(ptx_uop_spellings((enum ptx_uop_op)i), " ", -1);

        for (char **w = words; *w; w++) {
            if (**w) {
                ck_assert_msg(g_hash_table_add(seen, g_strdup(*w)), "%s twice", *w);
            }
        }
        g_strfreev(words);
    }
    g_hash_table_destroy(seen);
}
END_TEST

/* Values that never live together share a slot: 300 registers in a chain need but a few. */
START_TEST(dead_registers_give_their_slots_away)
{
    GString *s = g_string_new(HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<302>;\n"
                                   ".reg .b64 %d<2>;\nld.param.u64 %d0, [out];\nmov.u32 %r0, 1;\n");
    struct ptx_error e = { .text = "" };
    struct ptx_module *m;
    struct ptx_program *p;

    for (int i = 1; i <= 300; i++) {
        g_string_append_printf(s, "add.u32 %%r%d, %%r%d, %%r%d;\n", i, i - 1, i - 1);
    }
    g_string_append(s, "st.global.u32 [%d0], %r300;\nret;\n}\n");
    m = ptx_parse(s->str, s->len, &e);
    ck_assert_msg(m != NULL, "%s", e.text);
    p = ptx_decode(m, &e);
    ck_assert_msg(p != NULL, "%s", e.text);
    ck_assert_uint_le(p->code[0].register_bytes, 64 + 256 + 2 * 128);
    ptx_program_free(p);
    ptx_module_free(m);
    g_string_free(s, TRUE);
}
END_TEST

Suite *decode_suite(void)
{
    Suite *s = suite_create("decode");
    TCase *t = tcase_create("decode");

    tcase_add_test(t, what_cannot_run_is_named_with_its_line);
    tcase_add_loop_test(t, odd_forms_are_refused, 0, N_ODD);
    tcase_add_test(t, registers_must_fit_the_instruction);
    tcase_add_loop_test(t, instructions_are_printed_as_written, 0, N_WRITTEN);
    tcase_add_test(t, undefined_functions_are_named);
    tcase_add_test(t, intrinsics_are_checked_against_their_parameters);
    tcase_add_test(t, what_does_not_reach_a_lacking_instruction_runs);
    tcase_add_test(t, an_invalid_instruction_behind_a_lacking_one_refuses);
    tcase_add_test(t, spellings_are_unique);
    tcase_add_test(t, dead_registers_give_their_slots_away);
    suite_add_tcase(s, t);
    return s;
}
