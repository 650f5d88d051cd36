/* SPDX-License-Identifier: MIT */
/* What the tests of ptx/ share: a module around a few lines of code. */
#ifndef TESTS_TEST_PTX_HELP_H
#define TESTS_TEST_PTX_HELP_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

#define PTX_HEAD ".version 8.3\n.target sm_87\n.address_size 64\n" /* lines 1 to 3 */
#define PTX_REGS                                                                                \
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>; " \
    ".reg .f64 %g<10>;\n"
/* The code starts in line 7. */
#define PTX_ENTRY(code) PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n" PTX_REGS code "\n}\n"

static inline struct ptx_module *parse(const char *text)
{
    struct ptx_error error = { { 0, 0 }, "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &error);

    ck_assert_msg(m != NULL, "line %u, column %u: %s", error.pos.line, error.pos.column,
                  error.text);
    return m;
}

static inline void parse_fails(const char *text, unsigned line, unsigned column, const char *words)
{
    struct ptx_error error = { { 0, 0 }, "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &error);

    ck_assert_msg(m == NULL, "parsed, expected: %s", words);
    ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
    ck_assert_msg(error.pos.line == line && error.pos.column == column,
                  "%u:%u instead of %u:%u: %s", error.pos.line, error.pos.column, line, column,
                  error.text);
}

/* The entry's first instruction. */
static inline const struct ptx_inst *first(const struct ptx_module *m)
{
    const struct ptx_func *func = ptx_func_find(m, "k");

    ck_assert_ptr_nonnull(func);
    ck_assert_uint_ge(func->n_inst, 1);
    return &func->inst[0];
}

static inline const char *reg_name(const struct ptx_module *m, const struct ptx_operand *operand)
{
    const struct ptx_func *func = ptx_func_find(m, "k");

    ck_assert(operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS);
    ck_assert_int_ge(operand->reg, 0);
    ck_assert_uint_lt((unsigned)operand->reg, func->n_regs);
    return func->regs[operand->reg].name;
}

static inline char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long n;

    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    n = ftell(file);
    ck_assert_int_ge(n, 0);
    rewind(file);
    text = malloc((size_t)n + 1);
    *size = fread(text, 1, (size_t)n, file);
    text[*size] = 0;
    fclose(file);
    return text;
}

static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
