/* SPDX-License-Identifier: MIT */
/* Where variables and parameters lie, and what their initial bytes are. Rules: PTX ISA 5.1, 5.4;
 * offsets computed by hand from sizes and alignments. */
#include <stdint.h>
#include <stdlib.h>

#include "ptx/shared_names.h"
#include "tests/test_ptx_help.h"

static const struct ptx_var *var_of(const struct ptx_func *func, const char *name)
{
    for (uint32_t i = 0; i < func->n_vars; i++) {
        if (strcmp(func->vars[i]->name, name) == 0) {
            return func->vars[i];
        }
    }
    for (uint32_t i = 0; i < func->n_params; i++) {
        if (strcmp(func->params[i]->name, name) == 0) {
            return func->params[i];
        }
    }
    ck_abort_msg("no variable %s", name);
    return NULL;
}

START_TEST(parameters_are_aligned_each_to_its_own) /* 5.1.6.1 */
{
    struct ptx_module *m = parse(
        PTX_HEAD
        ".entry k(.param .u8 a, .param .u64 .ptr .global .align 64 b, .param .u16 c,\n"
        ".param .align 16 .b8 d[20], .param .f32 e, .param .align 16 .f32 f[4], .param .b8 g[3])"
        "{ ret; }");
    static const struct {
        const char *name;
        uint64_t offset, size;
        uint32_t align;
    } expected[] = {
        { "a", 0, 1, 1 },    { "b", 8, 8, 8 }, /* .align behind .ptr is the pointee's */
        { "c", 16, 2, 2 },   { "d", 32, 20, 16 }, { "e", 52, 4, 4 },
        { "f", 64, 16, 16 }, { "g", 80, 3, 1 },
    };
    const struct ptx_func *k = ptx_func_find(m, "k");

    for (int i = 0; i < 7; i++) {
        ck_assert_str_eq(k->params[i]->name, expected[i].name);
        ck_assert_uint_eq(k->params[i]->offset, expected[i].offset);
        ck_assert_uint_eq(k->params[i]->size, expected[i].size);
        ck_assert_uint_eq(k->params[i]->align, expected[i].align);
    }
    ck_assert_uint_eq(k->param_bytes, 83);
    ck_assert_uint_eq(k->param_align, 16);
    ptx_module_free(m);
}
END_TEST

START_TEST(global_and_const_are_two_segments_in_declaration_order)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .u8 a;\n.const .u8 b;\n.global .u32 c;\n.const .align 256 .b8 d[3];"
                       "\n.extern .global .u64 e;\n.global .align 1 .u64 f;\n.global .b8 "
                       "g[2][3];\n.extern .global .b8 h[];");
    static const struct {
        const char *name;
        uint64_t offset, size;
    } expected[] = { { "a", 0, 1 }, { "b", 0, 1 },  { "c", 4, 4 }, { "d", 256, 3 },
                     { "e", 8, 8 }, { "f", 16, 8 }, { "g", 24, 6 } };

    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const struct ptx_var *var = ptx_var_find(m, expected[i].name);

        ck_assert_uint_eq(var->offset, expected[i].offset);
        ck_assert_uint_eq(var->size, expected[i].size);
    }
    ck_assert_uint_eq(m->global_bytes, 30); /* an extern one of no size takes no room */
    ck_assert_uint_eq(m->const_bytes, 259);
    ptx_module_free(m);
}
END_TEST

START_TEST(local_variables_make_one_frame)
{
    struct ptx_module *m = parse(PTX_HEAD ".entry k() { .local .b8 a; { .local .align 16 .b8 b[8]; "
                                          "} { .local .b32 c; } ret; }");
    const struct ptx_func *k = ptx_func_find(m, "k");

    ck_assert_uint_eq(var_of(k, "a")->offset, 0);
    ck_assert_uint_eq(var_of(k, "b")->offset, 16);
    ck_assert_uint_eq(var_of(k, "c")->offset, 24);
    ck_assert_uint_eq(k->local_bytes, 28);
    ptx_module_free(m);
}
END_TEST

/* --- shared memory ---------------------------------------------------------------------------- */

START_TEST(an_entry_pays_for_the_shared_memory_it_reaches_only)
{
    struct ptx_module *m = parse(
        PTX_HEAD ".shared .b8 one[100];\n.shared .align 8 .b8 both[40];\n.shared .b8 nobody[7];\n"
                 ".entry a() { .reg .b32 r; .shared .b8 own[10]; mov.u32 r, one; mov.u32 r, both; }"
                 "\n.entry b() { .reg .b32 r; ld.shared.u32 r, [both]; }\n.entry c() { ret; }");
    const struct ptx_func *a = ptx_func_find(m, "a"), *b = ptx_func_find(m, "b");

    ck_assert_uint_eq(ptx_var_find(m, "one")->offset, 0);
    ck_assert_uint_eq(ptx_var_find(m, "both")->offset, 104); /* one place, whoever runs */
    ck_assert_uint_eq(var_of(a, "own")->offset, 144);
    ck_assert_uint_eq(a->shared_bytes, 154);
    ck_assert_uint_eq(b->shared_bytes, 144);
    ck_assert_uint_eq(ptx_func_find(m, "c")->shared_bytes, 0);
    ptx_module_free(m);
}
END_TEST

START_TEST(entries_of_one_module_do_not_pay_for_each_other)
{
    struct ptx_module *m = parse(PTX_HEAD ".entry a() { .shared .b8 x[40000]; ret; }\n"
                                          ".entry b() { .shared .b8 y[40000]; ret; }");

    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(m->funcs[i]->shared_bytes, 40000);
        ck_assert_uint_eq(m->funcs[i]->vars[0]->offset, 0);
    }
    ptx_module_free(m);
}
END_TEST

START_TEST(shared_memory_of_callees_counts) /* directly, through others, through a pointer */
{
    struct ptx_module *m =
        parse(PTX_HEAD ".func leaf() { .shared .b8 x[100]; ret; }\n.func middle() { call leaf; }\n"
                       ".func taken() { .shared .b8 y[1000]; ret; }\n.global .u64 table = taken;\n"
                       ".entry a() { .shared .b8 z[10]; call middle; }\n"
                       ".entry b() { .reg .b64 d; P: .callprototype _ (); call d, P; }\n"
                       ".entry c() { ret; }");
    static const struct {
        const char *name;
        uint64_t bytes;
    } expected[] = { { "leaf", 100 }, { "middle", 100 }, { "a", 110 }, { "b", 1000 }, { "c", 0 } };

    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(ptx_func_find(m, expected[i].name)->shared_bytes, expected[i].bytes);
    }
    ck_assert_uint_eq(var_of(ptx_func_find(m, "a"), "z")->offset, 100);
    ptx_module_free(m);
}
END_TEST

START_TEST(recursion_ends)
{
    struct ptx_module *m = parse(PTX_HEAD ".func f(); .func g() { call f; }\n"
                                          ".func f() { .shared .b8 x[8]; call g; call f; }\n"
                                          ".entry a() { call g; }");

    ck_assert_uint_eq(ptx_func_find(m, "a")->shared_bytes, 8);
    ptx_module_free(m);
}
END_TEST

START_TEST(shared_variables_of_an_entry_have_names) /* of its callees, too */
{
    struct ptx_module *m = parse(
        PTX_HEAD ".shared .b8 one[100];\n.extern .shared .align 4 .b8 dyn[];\n"
                 ".func f() { .shared .b8 inner[24]; .reg .b32 r; mov.u32 r, inner; ret; }\n"
                 ".entry a() { .reg .b32 r; mov.u32 r, one; mov.u32 r, dyn; call f; call f; }\n"
                 ".entry b() { .reg .b32 r; mov.u32 r, dyn; ret; }");
    struct ptx_shared_name *a, *b;
    uint32_t n = ptx_shared_names(m, ptx_func_find(m, "a"), &a);
    static const struct ptx_shared_name expected[] = { { "one", 0, 100 },
                                                       { "dyn", 128, UINT64_MAX },
                                                       { "inner", 100, 24 } };

    ck_assert_uint_eq(n, 3);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_str_eq(a[i].name, expected[i].name);
        ck_assert_uint_eq(a[i].offset, expected[i].offset);
        ck_assert_uint_eq(a[i].bytes, expected[i].bytes);
    }
    ck_assert_uint_eq(ptx_shared_names(m, ptx_func_find(m, "b"), &b), 1);
    ck_assert_uint_eq(b[0].offset, 0);
    free(a);
    free(b);
    ptx_module_free(m);
}
END_TEST

START_TEST(dynamic_shared_memory_starts_behind_the_static_part)
{
    struct ptx_module *m = parse(
        PTX_HEAD ".extern .shared .align 4 .b8 dyn[];\n.extern .shared .align 4 .b8 same[];\n"
                 ".extern .shared .align 64 .b8 wide[];\n"
                 ".entry a() { .reg .b32 r; .shared .b8 x[20]; mov.u32 r, dyn; mov.u32 r, same; }\n"
                 ".entry b() { .reg .b32 r; mov.u32 r, wide; .shared .b8 y[20]; }\n"
                 ".entry c() { .shared .b8 z[20]; ret; }");
    const struct ptx_func *a = ptx_func_find(m, "a"), *b = ptx_func_find(m, "b"),
                          *c = ptx_func_find(m, "c");

    ck_assert_uint_eq(ptx_var_find(m, "dyn")->size, 0);
    ck_assert_uint_eq(ptx_var_find(m, "dyn")->offset, 0);
    ck_assert_uint_eq(ptx_var_find(m, "same")->offset, 0); /* all of them start together */
    ck_assert_uint_eq(a->shared_bytes, 32);                /* 20 rounded up to 16 */
    ck_assert_uint_eq(a->static_shared_bytes, 20);
    ck_assert_uint_eq(b->shared_bytes, 64); /* or to the variable's own alignment */
    ck_assert_uint_eq(c->shared_bytes, 20); /* it has no dynamic part */
    ptx_module_free(m);
}
END_TEST

/* CUDA C++ Programming Guide, __shared__: the launch gives each kernel its dynamic part. */
START_TEST(dynamic_shared_memory_starts_where_each_entry_needs_it)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".extern .shared .b8 x[];\n.extern .shared .b8 y[];\n"
                       ".entry a() { .reg .b32 r; mov.u32 r, x; }\n"
                       ".entry b() { .reg .b32 r; mov.u32 r, x; mov.u32 r, y; }\n"
                       ".entry c() { .reg .b32 r; .shared .b8 z[100]; mov.u32 r, y; }");

    ck_assert_uint_eq(ptx_func_find(m, "a")->shared_bytes, 0);
    ck_assert_uint_eq(ptx_func_find(m, "b")->shared_bytes, 0);
    ck_assert_uint_eq(ptx_func_find(m, "c")->shared_bytes, 112);
    ck_assert_uint_eq(ptx_func_find(m, "c")->static_shared_bytes, 100);
    ptx_module_free(m);
}
END_TEST

/* One body, one address in it. */
START_TEST(entries_that_share_a_function_share_its_dynamic_memory)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".extern .shared .b8 x[];\n"
                       ".func uses() { .reg .b32 r; mov.u32 r, x; }\n"
                       ".func middle() { call uses; }\n"
                       ".entry a() { .reg .b32 r; mov.u32 r, x; call middle; }\n"
                       ".entry b() { .shared .b8 z[100]; call uses; }\n"
                       ".entry c() { .reg .b32 r; .shared .b8 z[10]; mov.u32 r, x; }");
    static const struct {
        const char *name;
        uint64_t bytes, own;
    } expected[] = { { "uses", 112, 0 },
                     { "middle", 112, 0 },
                     { "a", 112, 0 },
                     { "b", 112, 100 },
                     { "c", 16, 10 } };

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const struct ptx_func *f = ptx_func_find(m, expected[i].name);

        ck_assert_uint_eq(f->shared_bytes, expected[i].bytes);
        ck_assert_uint_eq(f->static_shared_bytes, expected[i].own);
    }
    ptx_module_free(m);
}
END_TEST

/* --- initial values --------------------------------------------------------------------------- */

static const struct {
    const char *declaration;
    uint64_t size;
    char bytes[16]; /* zeros at the end left out */
} images[] = {
    { ".global .u32 x = 0x01020304;", 4, "\4\3\2\1" },
    { ".global .s16 x = -2;", 2, "\xfe\xff" },
    { ".global .u8 x = 258;", 1, "\2" },
    { ".global .b64 x = 0x8877665544332211;", 8, "\x11\x22\x33\x44\x55\x66\x77\x88" },
    { ".global .f32 x = 1.0;", 4, "\0\0\x80\x3f" },
    { ".global .f32 x = 0f40490fdb;", 4, "\xdb\x0f\x49\x40" },
    { ".global .f32 x = 2;", 4, "\0\0\0\x40" },
    { ".global .f64 x = -2.0;", 8, "\0\0\0\0\0\0\0\xc0" },
    { ".global .f64 x = 0f3F800000;", 8, "\0\0\0\0\0\0\xf0\x3f" },
    { ".const .b8 x[6] = {1, 2, 3};", 6, "\1\2\3" },
    { ".const .b8 x[] = {1, 2, 3};", 3, "\1\2\3" },
    { ".const .u16 x[][2] = {{1, 2}, {3}, {4, 5}};", 12, "\1\0\2\0\3\0\0\0\4\0\5" },
    { ".const .u8 x[2][3] = {1, 2, 3, 4};", 6, "\1\2\3\4" },
    { ".const .u8 x[2][3] = {{1}, 9};", 6, "\1\0\0\x09" },
    { ".const .u8 x[2][2][2] = {{{1}, {2, 3}}, {{}, {4}}};", 8, "\1\0\2\3\0\0\4" },
    { ".global .v2 .u16 x = {1, 2};", 4, "\1\0\2" },
    { ".global .v2 .u16 x[] = {{1, 2}, {3, 4}};", 8, "\1\0\2\0\3\0\4" },
    { ".global .u32 x[1] = {WARP_SZ + 1,};", 4, "\x21" },
};

START_TEST(initial_values_are_these_bytes)
{
    char text[400] = PTX_HEAD;
    struct ptx_module *m;
    const struct ptx_var *x;
    uint8_t expected[64] = { 0 };

    memcpy(expected, images[_i].bytes, sizeof(images[_i].bytes));
    strcat(text, images[_i].declaration);
    m = parse(text);
    x = ptx_var_find(m, "x");
    ck_assert_uint_eq(x->size, images[_i].size);
    ck_assert_ptr_nonnull(x->init);
    ck_assert_mem_eq(x->init, expected, images[_i].size);
    ptx_module_free(m);
}
END_TEST

START_TEST(what_an_initial_value_leaves_out_is_zero)
{
    struct ptx_module *m = parse(PTX_HEAD ".global .u8 x[4] = {1, 2, 3, 4};\n"
                                          ".global .u8 y[2][2] = {{}, {9}};");

    ck_assert_mem_eq(ptx_var_find(m, "y")->init, "\0\0\x09", 4);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_variable_without_initial_value_has_no_image)
{
    struct ptx_module *m = parse(PTX_HEAD ".global .b8 x[1000000000];\n.global .attribute(.managed)"
                                          " .u32 y;\n.weak .const .u32 z;");

    ck_assert_ptr_null(ptx_var_find(m, "x")->init);
    ck_assert(!ptx_var_find(m, "x")->managed);
    ck_assert(ptx_var_find(m, "y")->managed);
    ck_assert_int_eq(ptx_var_find(m, "z")->linkage, PTX_LINK_WEAK);
    ck_assert_int_eq(ptx_var_find(m, "z")->space, PTX_SPACE_CONST);
    ptx_module_free(m);
}
END_TEST

START_TEST(addresses_in_initial_values_are_relocations)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .u32 v;\n.func f() { ret; }\n.global .u64 x[5] = "
                       "{v, 7, generic(v), f, generic(v+4)+8};\n.global .u64 y = x+16;");
    const struct ptx_var *x = ptx_var_find(m, "x"), *v = ptx_var_find(m, "v");
    static const uint64_t offset[] = { 0, 16, 24, 32 };
    static const int64_t addend[] = { 0, 0, 0, 12 };

    ck_assert_uint_eq(x->n_relocs, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(x->relocs[i].offset, offset[i]);
        ck_assert_int_eq(x->relocs[i].addend, addend[i]);
        ck_assert_int_eq(x->relocs[i].generic, i == 1 || i == 3);
        ck_assert_uint_eq(x->relocs[i].first_byte, 0);
        ck_assert_uint_eq(x->relocs[i].bytes, 8);
        ck_assert_ptr_eq(x->relocs[i].var, i == 2 ? NULL : v);
    }
    ck_assert_ptr_eq(x->relocs[2].func, ptx_func_find(m, "f"));
    ck_assert_uint_eq(x->init[8], 7);
    ck_assert_ptr_eq(ptx_var_find(m, "y")->relocs[0].var, x);
    ck_assert_int_eq(ptx_var_find(m, "y")->relocs[0].addend, 16);
    ptx_module_free(m);
}
END_TEST

START_TEST(
    masked_bytes_of_one_address_are_one_relocation) /* as compilers write packed structures */
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .u32 v;\n.global .u8 x[11] = {97, 0XFF(generic(v)+4), "
                       "0xFF00(generic(v)+4), 0xFF0000(generic(v)+4), 0xFF000000(generic(v)+4), "
                       "0xFF00000000(generic(v)+4), 0xFF0000000000(generic(v)+4), "
                       "0xFF000000000000(generic(v)+4), 0xFF00000000000000(generic(v)+4), 7, 0};\n"
                       ".global .u8 y[3] = {0xFF00(v), 0xFF0000(v), 0xFF(v)};");
    const struct ptx_var *x = ptx_var_find(m, "x"), *y = ptx_var_find(m, "y");

    ck_assert_uint_eq(x->n_relocs, 1);
    ck_assert_uint_eq(x->relocs[0].offset, 1);
    ck_assert_uint_eq(x->relocs[0].first_byte, 0);
    ck_assert_uint_eq(x->relocs[0].bytes, 8);
    ck_assert_int_eq(x->relocs[0].addend, 4);
    ck_assert(x->relocs[0].generic);
    ck_assert_uint_eq(x->init[0], 97);
    ck_assert_uint_eq(x->init[9], 7);
    ck_assert_uint_eq(y->n_relocs, 2);
    ck_assert_uint_eq(y->relocs[0].first_byte, 1);
    ck_assert_uint_eq(y->relocs[0].bytes, 2);
    ck_assert_uint_eq(y->relocs[1].offset, 2);
    ck_assert_uint_eq(y->relocs[1].first_byte, 0);
    ck_assert_uint_eq(y->relocs[1].bytes, 1);
    ptx_module_free(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx_layout");
    TCase *place = tcase_create("places"), *shared = tcase_create("shared"),
          *init = tcase_create("initial values");

    tcase_add_test(place, parameters_are_aligned_each_to_its_own);
    tcase_add_test(place, global_and_const_are_two_segments_in_declaration_order);
    tcase_add_test(place, local_variables_make_one_frame);
    tcase_add_test(shared, an_entry_pays_for_the_shared_memory_it_reaches_only);
    tcase_add_test(shared, entries_of_one_module_do_not_pay_for_each_other);
    tcase_add_test(shared, shared_memory_of_callees_counts);
    tcase_add_test(shared, recursion_ends);
    tcase_add_test(shared, shared_variables_of_an_entry_have_names);
    tcase_add_test(shared, dynamic_shared_memory_starts_behind_the_static_part);
    tcase_add_test(shared, dynamic_shared_memory_starts_where_each_entry_needs_it);
    tcase_add_test(shared, entries_that_share_a_function_share_its_dynamic_memory);
    tcase_add_loop_test(init, initial_values_are_these_bytes, 0,
                        (int)(sizeof(images) / sizeof(images[0])));
    tcase_add_test(init, what_an_initial_value_leaves_out_is_zero);
    tcase_add_test(init, a_variable_without_initial_value_has_no_image);
    tcase_add_test(init, addresses_in_initial_values_are_relocations);
    tcase_add_test(init, masked_bytes_of_one_address_are_one_relocation);
    suite_add_tcase(suite, place);
    suite_add_tcase(suite, shared);
    suite_add_tcase(suite, init);
    return run_suite(suite);
}
