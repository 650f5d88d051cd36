/* SPDX-License-Identifier: MIT */
/* The linker: which definition counts, what is renamed, what is refused. PTX ISA 11.6. */
#include <stdbool.h>
#include <stdint.h>

#include "tests/test_ptx_help.h"

static char *linked; /* the last result, for messages and strstr() */

static void teardown(void)
{
    free(linked);
    linked = NULL;
}

static struct ptx_module *link_texts(const char *const *texts, size_t n)
{
    struct ptx_error error = { { 0, 0 }, "" };
    size_t size[8], out_size;
    struct ptx_module *m;

    for (size_t i = 0; i < n; i++) {
        size[i] = strlen(texts[i]);
    }
    ck_assert_msg(ptx_link(texts, size, n, &linked, &out_size, &error), "%u:%u: %s", error.pos.line,
                  error.pos.column, error.text);
    ck_assert_uint_eq(strlen(linked), out_size);
    m = ptx_parse(linked, out_size, &error);
    ck_assert_msg(m != NULL, "%u:%u: %s\n%s", error.pos.line, error.pos.column, error.text, linked);
    return m;
}

static struct ptx_module *link_two(const char *a, const char *b)
{
    const char *texts[] = { a, b };

    return link_texts(texts, 2);
}

static void link_fails(const char *a, const char *b, unsigned line, unsigned column,
                       const char *words)
{
    const char *texts[] = { a, b };
    size_t size[] = { strlen(a), strlen(b) }, out_size = 99;
    struct ptx_error error = { { 0, 0 }, "" };
    char *out = (char *)1;

    ck_assert(!ptx_link(texts, size, 2, &out, &out_size, &error));
    ck_assert_ptr_null(out);
    ck_assert_uint_eq(out_size, 0);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
    ck_assert_msg(error.pos.line == line && error.pos.column == column, "%u:%u: %s", error.pos.line,
                  error.pos.column, error.text);
}

START_TEST(the_highest_version_and_target_win)
{
    struct ptx_module *m = link_two(".version 9.0\n.target sm_75\n.address_size 64\n",
                                    ".version 8.1\n.target sm_110a, debug\n.address_size 64\n");

    ck_assert_uint_eq(m->version, 90);
    ck_assert_uint_eq(m->target_sm, 110);
    ck_assert(m->debug);
    ck_assert_ptr_nonnull(strstr(linked, "sm_110a"));
    ptx_module_free(m);
}
END_TEST

START_TEST(extern_is_bound_to_the_definition_in_either_order)
{
    static const char *const use =
        PTX_HEAD ".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .global .u32 v;\n"
                 ".extern .const .align 4 .b8 c[16];\n"
                 ".entry k() { .reg .b32 r; .reg .b64 d; call (r), f, (1); ld.global.u32 r, [v]; "
                 "ld.const.u32 r, [c]; mov.u64 d, f; }";
    static const char *const define =
        PTX_HEAD ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                 ".visible .global .u32 v = 5;\n.visible .const .align 4 .b8 c[16] = {1};";

    for (int order = 0; order < 2; order++) {
        struct ptx_module *m = order ? link_two(define, use) : link_two(use, define);
        const struct ptx_inst *inst = first(m);

        ck_assert_uint_eq(m->n_funcs, 2);
        ck_assert_uint_eq(m->n_vars, 2);
        ck_assert(!inst[0].call->target->is_extern);
        ck_assert_uint_eq(inst[0].call->target->n_inst, 1);
        ck_assert_uint_eq(inst[1].operand[1].var->init[0], 5);
        ck_assert_uint_eq(inst[2].operand[1].var->init[0], 1);
        ck_assert_ptr_eq(inst[3].operand[1].func, inst[0].call->target);
        ck_assert_uint_eq(m->global_bytes, 4);
        ptx_module_free(m);
        teardown();
    }
}
END_TEST

START_TEST(file_local_names_stay_apart)
{
#define LOCAL(n, name)                                                        \
    PTX_HEAD ".global .u32 v = " n                                            \
             ";\n.func f();\n.func f() { .reg .b32 r; ld.global.u32 r, [v]; " \
             "}\n.global .u64 p = v;\n.visible .entry " name                  \
             "() { .reg .b32 r; call f; ld.global.u32 r, [v+4]; }"
    struct ptx_module *m = link_two(LOCAL("1", "k"), LOCAL("2", "k2"));
    const struct ptx_func *k[] = { ptx_func_find(m, "k"), ptx_func_find(m, "k2") };

    for (unsigned i = 0; i < 2; i++) {
        const struct ptx_func *f = k[i]->inst[0].call->target;

        ck_assert_uint_eq(k[i]->inst[1].operand[1].var->init[0], i + 1);
        ck_assert_uint_eq(f->inst[0].operand[1].var->init[0], i + 1);
    }
    ck_assert_ptr_ne(k[0]->inst[0].call->target, k[1]->inst[0].call->target);
    ck_assert_ptr_nonnull(ptx_var_find(m, "v")); /* the first keeps its name */
    ck_assert_uint_eq(ptx_var_find(m, "v")->init[0], 1);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_file_local_name_gives_way_to_a_visible_one)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".global .u32 v = 1;\n.entry k() { .reg .b32 r; ld.global.u32 r, [v]; }",
                 PTX_HEAD ".visible .global .u32 v = 2;");

    ck_assert_uint_eq(first(m)->operand[1].var->init[0], 1);
    ck_assert_uint_eq(ptx_var_find(m, "v")->init[0], 2);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_name_no_other_text_has_is_kept) /* a program may ask for it by name */
{
    struct ptx_module *m = link_two(PTX_HEAD ".global .u32 only_here = 1;", PTX_HEAD);

    ck_assert_ptr_nonnull(ptx_var_find(m, "only_here"));
    ptx_module_free(m);
}
END_TEST

START_TEST(an_opcode_is_not_renamed_like_a_function_of_its_name)
{
#define TRAP(name)                                                \
    PTX_HEAD ".func trap() { trap; ret; }\n.visible .entry " name \
             "() { .reg .pred p; { call trap; } trap; @!p trap; trap: bra trap; }"
    struct ptx_module *m = link_two(TRAP("a"), TRAP("k"));
    const struct ptx_inst *inst = first(m);

    ck_assert_str_eq(inst[0].call->target->name, "trap$2");
    ck_assert_int_eq(inst[0].call->target->inst[0].op, PTX_OP_TRAP);
    ck_assert_int_eq(inst[1].op, PTX_OP_TRAP);
    ck_assert_int_eq(inst[2].op, PTX_OP_TRAP);
    ck_assert_uint_eq(inst[3].operand[0].label, 3);
    ptx_module_free(m);
}
END_TEST

START_TEST(weak_definitions_are_folded_and_give_way_to_a_strong_one)
{
    static const char *const weak = PTX_HEAD ".weak .func f() { ret; }\n.weak .global .u32 v = 1;\n.entry k() { call f; }";
    static const char *const weak2 =
        PTX_HEAD ".weak .func f() { ret; ret; }\n.weak .global .u32 v = 2;";
    static const char *const strong =
        PTX_HEAD ".visible .func f() { ret; ret; ret; }\n.visible .global .u32 v = 3;";
    struct ptx_module *m = link_two(weak, weak2);

    ck_assert_uint_eq(m->n_funcs, 2);
    ck_assert_uint_eq(m->funcs[0]->n_inst, 1);
    ck_assert_int_eq(m->funcs[0]->linkage, PTX_LINK_WEAK);
    ck_assert_uint_eq(ptx_var_find(m, "v")->init[0], 1);
    ptx_module_free(m);
    for (int order = 0; order < 2; order++) {
        teardown();
        m = order ? link_two(strong, weak) : link_two(weak, strong);
        ck_assert_uint_eq(m->funcs[0]->n_inst, 3);
        ck_assert_uint_eq(ptx_var_find(m, "v")->init[0], 3);
        ck_assert_uint_eq(m->n_vars, 1);
        ptx_module_free(m);
    }
}
END_TEST

START_TEST(the_largest_common_variable_counts)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".common .global .b8 v[4];\n.common .global .b8 w[40];",
                 PTX_HEAD ".common .global .b8 v[32];\n.common .global .b8 w[20];");

    ck_assert_uint_eq(ptx_var_find(m, "v")->size, 32);
    ck_assert_uint_eq(ptx_var_find(m, "w")->size, 40);
    ck_assert_uint_eq(m->n_vars, 2);
    ptx_module_free(m);
}
END_TEST

START_TEST(extern_shared_needs_no_definition_and_takes_the_larger_alignment)
{
    struct ptx_module *m = link_two(
        PTX_HEAD ".extern .shared .align 4 .b8 s[];\n.entry k() { .reg .b32 r; mov.u32 r, s; }",
        PTX_HEAD ".extern .shared .align 32 .b8 s[];\n.entry l() { .reg .b32 r; mov.u32 r, s; }");

    ck_assert_uint_eq(m->n_vars, 1);
    ck_assert_uint_eq(m->vars[0]->align, 32);
    ptx_module_free(m);
}
END_TEST

START_TEST(functions_of_the_system_stay_open)
{
    struct ptx_module *m = link_two(
        PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".extern .func (.param .b32 r) __nv_sinf(.param .b32 a);\n"
                 ".entry k() { .reg .b32 r; call (r), vprintf, (1, 2); call (r), __nv_sinf, (1); }",
        PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".entry l() { .reg .b32 r; call (r), vprintf, (1, 2); }");

    ck_assert_uint_eq(m->n_funcs, 4);
    ck_assert(ptx_func_find(m, "vprintf")->is_extern);
    ptx_module_free(m);
}
END_TEST

START_TEST(an_alias_counts_as_a_definition)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".func f() { ret; ret; }\n.visible .func g();\n.alias g, f;",
                 PTX_HEAD ".func f() { ret; }\n.extern .func g();\n.entry k() { call g; }");

    ck_assert_uint_eq(first(m)->call->target->n_inst, 2);
    ptx_module_free(m);
}
END_TEST

START_TEST(source_files_are_numbered_anew)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".file 1 \"a.cu\"\n.entry a() { .loc 1 5 1\nret; }",
                 PTX_HEAD ".file 1 \"b.cu\"\n.file 2 \"c.h\"\n.entry k() { .file 3 \"d.h\"\n"
                          ".loc 2 6 1, function_name $L__x+3, inlined_at 1 9 4\nret; "
                          ".loc 3 7 1, inlined_at 1 2 3, function_name f\nret; }");
    const struct ptx_inst *inst = first(m), *other = ptx_func_find(m, "a")->inst;

    ck_assert_str_eq(m->files[other->file], "a.cu");
    ck_assert_uint_eq(other->source_line, 5);
    ck_assert_uint_eq(ptx_func_find(m, "k")->n_inst, 2);
    ck_assert_str_eq(m->files[inst[0].file], "c.h");
    ck_assert_uint_eq(inst[0].source_line, 6);
    ck_assert_str_eq(m->files[inst[1].file], "d.h");
    ptx_module_free(m);
}
END_TEST

START_TEST(debug_sections_are_left_out)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".entry k() { ret; }\n.section .debug_str { .b8 1 }", PTX_HEAD);

    ck_assert_ptr_null(strstr(linked, "debug_str"));
    ptx_module_free(m);
}
END_TEST

START_TEST(one_text_links_to_itself)
{
    const char *text = PTX_HEAD ".visible .entry k(.param .u64 p) .maxntid 3 { ret; }";
    struct ptx_module *m = link_texts(&text, 1);

    ck_assert_uint_eq(ptx_func_find(m, "k")->maxntid[0], 3);
    ck_assert_int_eq(ptx_func_find(m, "k")->linkage, PTX_LINK_VISIBLE);
    ptx_module_free(m);
}
END_TEST

START_TEST(linking_is_refused_by_name_and_place)
{
    link_fails(PTX_HEAD ".visible .func f() { ret; }", PTX_HEAD "\n.visible .func f() { ret; }", 5,
               16, "'f' is defined in text 1 and again in text 2");
    link_fails(PTX_HEAD, PTX_HEAD ".extern .func f();\n.entry k() { call f; }", 4, 15,
               "'f' is declared in line 4 of text 2 and used there");
    link_fails(PTX_HEAD,
               PTX_HEAD ".extern .func cudaLaunchDeviceV2();\n.entry k() { call cudaLaunchDeviceV2; }",
               4, 15, "dynamic parallelism");
    link_fails(PTX_HEAD ".extern .global .u32 v;\n.global .u64 p = v;", PTX_HEAD, 4, 22,
               "'v' is declared");
    link_fails(PTX_HEAD ".visible .func f() { ret; }",
               PTX_HEAD ".extern .global .u32 f;\n.global .u64 p = f;", 4, 22,
               "another kind of thing");
    link_fails(PTX_HEAD ".visible .global .u32 v;", PTX_HEAD ".extern .const .u32 v;", 4, 21,
               "another kind of thing");
    link_fails(PTX_HEAD, PTX_HEAD ".entry k() { foo; }", 4, 14, "Text 2: Unknown instruction");
    link_fails(PTX_HEAD, ".version 8.3\n.target sm_87\n.address_size 32", 3, 15, ".address_size 32");
    link_fails(PTX_HEAD ".global .u32 a, b;", PTX_HEAD, 4, 14, "shares its declaration");
}
END_TEST

START_TEST(an_unused_extern_declaration_does_no_harm)
{
    struct ptx_module *m =
        link_two(PTX_HEAD ".extern .func f();\n.extern .global .u32 v;", PTX_HEAD);

    ck_assert_uint_eq(m->n_funcs, 0);
    ptx_module_free(m);
}
END_TEST

/* nvcc links libcudadevrt, whose functions call some that the driver alone has, into every -rdc=true
 * program: what no kernel reaches is left out, by a call, an address or an initial value. */
START_TEST(functions_that_nothing_uses_are_left_out)
{
    struct ptx_module *m = link_two(
        PTX_HEAD ".extern .func f();\n.entry k() { .reg .b64 r; call f; mov.u64 r, p; }\n"
                 ".func p() { ret; }\n.func t() { ret; }\n.global .u64 table[] = {t};",
        PTX_HEAD ".extern .func cnpGetLastError();\n.func g() { ret; }\n"
                 ".visible .func f() { call g; }\n.func h() { call i; }\n"
                 ".visible .func cudaGetLastError() { call cnpGetLastError; }\n"
                 ".func i() { call h; }\n.visible .func j();\n.alias j, i;");
    static const char *const kept[] = { "k", "f", "g", "p", "t" };

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        ck_assert_msg(ptx_func_find(m, kept[i]) != NULL, "no %s", kept[i]);
    }
    ck_assert_uint_eq(m->n_funcs, 5);
    ptx_module_free(m);
    teardown();
    link_fails(PTX_HEAD ".extern .func f();\n.entry k() { call f; }",
               PTX_HEAD ".extern .func cnpGetLastError();\n.visible .func f() { call cnpGetLastError; }",
               4, 15, "'cnpGetLastError' is declared");
}
END_TEST

START_TEST(no_text_is_an_error)
{
    struct ptx_error error = { { 0, 0 }, "" };
    size_t size;
    char *out;

    ck_assert(!ptx_link(NULL, NULL, 0, &out, &size, &error));
    ck_assert_str_eq(error.text, "There is no text to link.");
}
END_TEST

START_TEST(the_corpus_pair_is_one_program)
{
    size_t size[2], out_size;
    char *texts[] = { read_file(PTX_CORPUS_DIR "/link_a.ptx", &size[0]),
                      read_file(PTX_CORPUS_DIR "/link_b.ptx", &size[1]) };
    struct ptx_error error = { { 0, 0 }, "" };
    struct ptx_module *m;
    const struct ptx_func *a, *scale;

    ck_assert_msg(ptx_link((const char *const *)texts, size, 2, &linked, &out_size, &error), "%s",
                  error.text);
    m = ptx_parse(linked, out_size, &error);
    ck_assert_msg(m != NULL, "%s", error.text);
    a = ptx_func_find(m, "kernel_a");
    scale = ptx_func_find(m, "scale");
    ck_assert_ptr_eq(a->inst[2].call->target, scale);
    ck_assert_str_eq(a->inst[3].call->target->name, "helper");
    ck_assert_ptr_ne(scale->inst[2].call->target, a->inst[3].call->target);
    ck_assert_uint_eq(ptx_var_find(m, "option")->init[0], 20);
    ck_assert_uint_eq(ptx_var_find(m, "area")->size, 32);
    ck_assert_str_eq(m->files[scale->inst[0].file], "b.cu");
    ck_assert_uint_eq(ptx_func_find(m, "kernel_b")->static_shared_bytes, 100);
    ptx_module_free(m);
    free(texts[0]);
    free(texts[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx_link");
    TCase *link = tcase_create("link");

    tcase_add_checked_fixture(link, NULL, teardown);
    tcase_add_test(link, the_highest_version_and_target_win);
    tcase_add_test(link, extern_is_bound_to_the_definition_in_either_order);
    tcase_add_test(link, file_local_names_stay_apart);
    tcase_add_test(link, a_file_local_name_gives_way_to_a_visible_one);
    tcase_add_test(link, a_name_no_other_text_has_is_kept);
    tcase_add_test(link, an_opcode_is_not_renamed_like_a_function_of_its_name);
    tcase_add_test(link, weak_definitions_are_folded_and_give_way_to_a_strong_one);
    tcase_add_test(link, the_largest_common_variable_counts);
    tcase_add_test(link, extern_shared_needs_no_definition_and_takes_the_larger_alignment);
    tcase_add_test(link, functions_of_the_system_stay_open);
    tcase_add_test(link, an_alias_counts_as_a_definition);
    tcase_add_test(link, source_files_are_numbered_anew);
    tcase_add_test(link, debug_sections_are_left_out);
    tcase_add_test(link, one_text_links_to_itself);
    tcase_add_test(link, linking_is_refused_by_name_and_place);
    tcase_add_test(link, an_unused_extern_declaration_does_no_harm);
    tcase_add_test(link, functions_that_nothing_uses_are_left_out);
    tcase_add_test(link, no_text_is_an_error);
    tcase_add_test(link, the_corpus_pair_is_one_program);
    suite_add_tcase(suite, link);
    return run_suite(suite);
}
