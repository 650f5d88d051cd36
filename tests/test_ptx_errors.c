/* SPDX-License-Identifier: MIT */
/* Wrong texts: each error says where, what stands there and what was expected. */
#include <stdint.h>

#include "tests/test_ptx_help.h"

#define OPEN PTX_HEAD ".entry k(.param .u64 p)\n{\n" PTX_REGS /* the next line is 7 */

static const struct {
    const char *text;
    unsigned line, column;
    const char *words;
} errors[] = {
    /* characters and constants */
    { PTX_HEAD "  \x01", 4, 3, "character 0x01" },
    { PTX_HEAD ".global .u32 x = 0xG;", 4, 18, "'0xG' is not a constant" },
    { PTX_HEAD ".global .u32 x = 0f3F8;", 4, 18, "'0f3F8' is not a constant" },
    { PTX_HEAD ".global .u32 x = 12ab;", 4, 18, "'12ab' is not a constant" },
    { PTX_HEAD ".global .u32 x = 09;", 4, 18, "'09' is not a constant" },
    { PTX_HEAD ".global .u64 x = 18446744073709551616;", 4, 18, "does not fit into 64 bits" },
    { PTX_HEAD ".global .f64 x = 1e999;", 4, 18, "does not fit" },
    { PTX_HEAD ".global .u32 x = 1 / 0;", 4, 20, "divides by zero" },
    { PTX_HEAD ".global .u32 x = 1.0 << 2;", 4, 22, "takes no such constants" },
    { PTX_HEAD "\n  /* open", 5, 3, "no closing '*/'" },
    { PTX_HEAD ".file 1 \"open\n", 4, 9, "no closing '\"'" },
    /* the module */
    { "", 1, 1, "The text ends here; expected '.version'" },
    { ".target sm_87", 1, 1, "Found '.target'; expected '.version'" },
    { ".version 8\n.target sm_87", 1, 10, "Found '8'; expected a version such as 8.3" },
    { ".version 8.3\n.address_size 64", 2, 1, "Found '.address_size'; expected '.target'" },
    { ".version 8.3\n.target tm_87", 2, 9, "Unknown target 'tm_87'" },
    { ".version 8.3\n.target sm_87x", 2, 9, "Unknown target 'sm_87x'" },
    { ".version 8.3\n.target sm_87\n.address_size 48", 3, 15, "expected 32 or 64" },
    { PTX_HEAD "mov.u32", 4, 1, "Found 'mov'; expected a directive of module scope" },
    { PTX_HEAD ".nonsense", 4, 1, "Found '.nonsense'; expected a directive of module scope" },
    { PTX_HEAD ".visible .reg .b32 x;", 4, 10, "Found '.reg'; expected .entry, .func" },
    { PTX_HEAD ".section .debug_x\n{ .b8 1, {}", 4, 10, "no closing '}'" },
    { PTX_HEAD ".pragma nounroll;", 4, 9, "Found 'nounroll'; expected a string" },
    { PTX_HEAD ".alias a, b;", 4, 8, "'a' cannot be an alias" },
    { PTX_HEAD ".func a();\n.alias a, b;", 5, 11, "'b' is not declared" },
    /* variables */
    { PTX_HEAD ".global x;", 4, 9, "Found 'x'; expected a type" },
    { PTX_HEAD ".global .u32;", 4, 13, "Found ';'; expected the name of a variable" },
    { PTX_HEAD ".global .u32 x", 4, 15, "The text ends here; expected ';' after a variable" },
    { PTX_HEAD ".global .pred x;", 4, 15, ".pred is no type for .global" },
    { PTX_HEAD ".global .e4m3 x;", 4, 15, "expected a type that a variable can have" },
    { PTX_HEAD ".global .align 3 .u32 x;", 4, 16, "alignment 3 is not a power of two" },
    { PTX_HEAD ".global .align 131072 .u32 x;", 4, 16, "131072 is out of range for an alignment" },
    { PTX_HEAD ".global .u32 x;\n.const .f32 x;", 5, 13, "'x' is declared twice" },
    { PTX_HEAD ".global .u32 x;\n.visible .global .u32 x;", 5, 23, "'x' is declared twice" },
    { PTX_HEAD ".global .u32 x[];", 4, 14, "Array 'x' has no size" },
    { PTX_HEAD ".global .u32 x[2][];", 4, 19, "Only the first dimension" },
    { PTX_HEAD ".global .u32 x[-1];", 4, 16, "-1 is out of range for an array dimension" },
    { PTX_HEAD ".global .u64 x[1099511627776];", 4, 14, "'x' is larger than" },
    { PTX_HEAD ".global .u64 x[1048576][1048576][1048576][1048576];", 4, 14, "'x' is larger than" },
    { PTX_HEAD ".global .b8 x[1000000000000];\n.global .b8 y[1000000000000];", 5, 13,
      "The .global segment exceeds" },
    { PTX_HEAD ".global .u32 x[2] = {1, 2, 3};", 4, 28, "Too many initial values for 'x'" },
    { PTX_HEAD ".global .u32 x[2][2] = {{1, 2, 3}};", 4, 32, "Too many initial values" },
    { PTX_HEAD ".global .u32 x[2] = {{1}};", 4, 22, "'x' has fewer dimensions" },
    { PTX_HEAD ".global .u32 x[2] = {1 2};", 4, 24, "Found '2'; expected '}' or ','" },
    { PTX_HEAD ".shared .u32 x = 1;", 4, 16, "'x' cannot have an initial value" },
    { PTX_HEAD ".extern .global .u32 x = 1;", 4, 24, "'x' cannot have an initial value" },
    { PTX_HEAD ".global .u32 x = 1.5;", 4, 18, "'x' has type .u32; expected an integer" },
    { PTX_HEAD ".global .u32 y;\n.global .u32 x = y;", 5, 18, "cannot hold an address" },
    { PTX_HEAD ".global .u64 x = y;", 4, 18, "'y' is not declared" },
    { PTX_HEAD ".global .u8 x = 0x0F(x);", 4, 17, "mask 0xf does not select" },
    { PTX_HEAD ".global .attribute(.foo) .u32 x;", 4, 20, "Unknown attribute '.foo'" },
    { PTX_HEAD ".global .b8 x[400000000] = {1};", 4, 31, "exceed 268435456 bytes" },
    /* functions */
    { PTX_HEAD ".entry k", 4, 9, "The text ends here; expected '{' or ';'" },
    { PTX_HEAD ".entry k() {", 4, 13, "The text ends here" },
    { PTX_HEAD ".entry k(.param .u64 a .param .u64 b) {}", 4, 24, "expected ')' or ','" },
    { PTX_HEAD ".entry k(.param .u64 a, .param .u64 a) {}", 4, 37, "'a' is declared twice" },
    { PTX_HEAD ".entry k(.global .u64 a) {}", 4, 10, "Found '.global'; expected a parameter" },
    { PTX_HEAD ".entry k() {}\n.entry k() {}", 5, 8,
      "'k' is defined twice; the first is in line 4" },
    { PTX_HEAD ".entry k() {}\n.func k() {}", 5, 7, "'k' is declared twice" },
    { PTX_HEAD ".entry k() .maxntid 1,2,3,4 {}", 4, 27, "at most three" },
    { PTX_HEAD ".entry k() .maxntid {}", 4, 21, "Found '{'; expected a number of threads" },
    { OPEN ".tex .u32 x;", 7, 1, "'.tex' is no directive of a function body" },
    { OPEN "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", 7, 64,
      "nested deeper than 63 levels" },
    /* registers, guards, labels */
    { OPEN "mov.u32 %r1, %r77;", 7, 14, "The register '%r77' is not declared" },
    { OPEN "mov.u32 %r1, %r07;", 7, 14, "The register '%r07' is not declared" },
    { OPEN "mov.u32 %r1, %tid.q;", 7, 18, "'.q' is no component of '%tid'" },
    { OPEN "mov.u32 %r1, tmp;\n}", 7, 14, "'tmp' is not declared" },
    { OPEN "{ .reg .b32 tmp; } mov.u32 tmp, 1;\n}", 7, 28, "'tmp' is not declared" },
    { OPEN ".reg .b32 a, a;", 7, 14, "'a' is declared twice" },
    { OPEN ".reg .b32 %r<5>;", 7, 11, "'%r' is declared twice" },
    { OPEN ".reg .b32 %x<-1>;", 7, 14, "-1 is out of range" },
    { OPEN ".reg .v4 .f32 v; mov.f32 %f1, v.q;", 7, 32, "'.q' is no component of 'v'" },
    { OPEN ".reg .v2 .f32 v; mov.f32 %f1, v.z;", 7, 32, "'v' has 2 components" },
    { OPEN "@%r1 ret;", 7, 2, "'%r1' is no .pred register" },
    { OPEN "@%q1 ret;", 7, 2, "predicate '%q1' is not declared" },
    { OPEN "@%p1 .reg .b32 x;", 7, 6, "Found '.reg'; expected an instruction" },
    { OPEN "bra NOWHERE;\n}", 7, 5, "label 'NOWHERE' is not defined in 'k'" },
    { OPEN "{ L: } bra L;\n}", 7, 12, "label 'L' is not defined" },
    { OPEN "L: L: ret;", 7, 4, "'L' is declared twice" },
    { OPEN "bra 12;", 7, 5, "Found '12'; expected a label" },
    { OPEN "L: ret; brx.idx %r1, L; }", 7, 22, "expected '.branchtargets'" },
    { OPEN ".loc 1 2 3, inlined 1 2 3\nret; }", 7, 13, "expected 'function_name' or 'inlined_at'" },
    { OPEN ".loc 1 2 3, function_name 7\nret; }", 7, 27, "expected a label after 'function_name'" },
    { OPEN "T: .branchtargets L, M; L: ret; }", 7, 22, "label 'M' is not defined" },
    { OPEN "T: .branchtargets L; L: bra T; }", 7, 29, "expected an instruction to branch to" },
    /* instructions */
    { OPEN "frobnicate.u32 %r1;", 7, 1, "Unknown instruction 'frobnicate'" },
    { OPEN "add.frob.u32 %r1, %r2, 3;", 7, 4, "Unknown modifier '.frob' of 'add'" },
    { OPEN "add.u33 %r1, %r2, 3;", 7, 4, "Unknown modifier '.u33' of 'add'" },
    { OPEN "add.to.u32 %r1, %r2, 3;", 7, 4, "Unknown modifier '.to' of 'add'" },
    { OPEN "cvt.u32.u32.u32.u32.u32.u32 %r1, %r2;", 7, 24, "one type too many" },
    { OPEN "ld.nc.ca.cg.cs.lu.cv.wb.wt.cta.gpu.sys.u32 %r1, [%d1];", 7, 35,
      "one modifier too many" },
    { OPEN "add.u32 %r1, %r2 %r3;", 7, 18,
      "Found '%r3'; expected ',' or ';' after an operand of 'add'" },
    { OPEN "add.u32 %r1,, %r3;", 7, 13, "Found ','; expected an operand" },
    { OPEN "add.u32 %r1, 1", 7, 15, "The text ends here" },
    { OPEN "add.u32 1,2,3,4,5,6,7,8,9;", 7, 25, "Too many operands for 'add'" },
    { OPEN "ld.u32 %r1, [];", 7, 14, "Found ']'; expected an operand" },
    { OPEN "ld.u32 %r1, [%d1;", 7, 17, "Found ';'; expected ']' after an address" },
    { OPEN "ld.u32 %r1, [%d1+%d2];", 7, 18, "Found '%d2'; expected a constant" },
    { OPEN "ld.u32 %r1, [%d1+1.5];", 7, 17, "floating-point constant" },
    { OPEN "ld.v2.u32 {%r1, %r2, [%d1];", 7, 22, "Found '['; expected an operand" },
    { OPEN "mov.b64 {%r1, {%r2, %r3}}, %d1;", 7, 15, "Found '{'" },
    { OPEN "tex.1d.v4.f32.s32 %r1, [1,2,3,4,5,6,7,8,9];", 7, 39, "Too many operands" },
    /* calls */
    { OPEN "call nothing;\n}", 7, 6, "'nothing' is not declared" },
    { OPEN "call p;", 7, 6, "'p' is no function" },
    { OPEN "call 5;", 7, 6, "Found '5'; expected the function to call" },
    { OPEN "call (%r1) k;", 7, 12, "Found 'k'; expected ',' after the results" },
    { OPEN "call %d1, (%r1), P;\n}", 7, 18, "label 'P' is not defined" },
    { OPEN "P: ret; call %d1, (%r1), P; }", 7, 26, "'.callprototype' or '.calltargets'" },
    { PTX_HEAD ".func f(.param .b32 a);\n.entry k() { call f, (1, 2); }", 5, 14,
      "This call gives 2 arguments to 'f', which is declared with 1" },
    { PTX_HEAD ".func f();\n.entry k() { .reg .b32 r; call (r), f; }", 5, 27,
      "This call takes 1 result from 'f', which is declared with 0" },
    { PTX_HEAD ".entry k() { call f, (1); }\n.func f() { ret; }", 4, 14,
      "This call gives 1 argument to 'f'" },
    { PTX_HEAD ".entry k() { call v; }\n.global .u32 v;", 4, 19, "'v' is no function" },
};

START_TEST(an_error_says_where_and_what)
{
    parse_fails(errors[_i].text, errors[_i].line, errors[_i].column, errors[_i].words);
}
END_TEST

START_TEST(an_error_is_one_printable_line_that_fits)
{
    char text[2000] = PTX_HEAD ".entry k() { mov.u32 %";
    struct ptx_error error;

    memset(text + strlen(text), 'a', 1000);
    ck_assert_ptr_null(ptx_parse(text, sizeof(text), &error));
    ck_assert_uint_lt(strlen(error.text), sizeof(error.text));
    ck_assert_ptr_nonnull(strstr(error.text, "is not declared"));
    for (const char *c = error.text; *c != 0; c++) {
        ck_assert(*c >= ' ' && *c <= '~');
    }
}
END_TEST

START_TEST(the_error_may_be_left_out)
{
    ck_assert_ptr_null(ptx_parse("x", 1, NULL));
}
END_TEST

/* Cut anywhere, a text is an error or a shorter module, never a crash. */
START_TEST(every_prefix_of_a_text_is_survived)
{
    static const char text[] = OPEN
        "L: @!%p1 ld.global.nc.L2::128B.v2.f32 {%f1,%f2}, [%d1+-8]; .loc 1 2 3\n"
        "{ .param .b32 x; call.uni (x), k, (x), L; } /* c */ .reg .v2 .f32 v; T: .branchtargets L;"
        "mov.f32 %f1, v.x; brx.idx %r1, T; mov.f64 %g1, -1.5e-3; mov.u32 %r1, (1 ? 2 : 3); }\n"
        ".global .u64 g[2][2] = {{generic(g)+1, 0f00000000}, {0xFF(g)}};\n.alias k, k;\n"
        ".section .debug_str { .b8 1 }\n.file 1 \"a\", 1, 2\n.pragma \"x\";";

    for (size_t n = 0; n < sizeof(text); n++) {
        char *copy = malloc(n + 1);
        struct ptx_error error = { { 0, 0 }, "" };
        struct ptx_module *m;

        memcpy(copy, text, n);
        m = ptx_parse(copy, n, &error);
        ck_assert(m != NULL || (error.pos.line != 0 && error.text[0] != 0));
        ptx_module_free(m);
        free(copy);
    }
}
END_TEST

static char *repeat(const char *before, const char *piece, size_t n, const char *after)
{
    size_t length = strlen(piece), at = strlen(before);
    char *text = malloc(at + n * length + strlen(after) + 1);

    memcpy(text, before, at);
    for (size_t i = 0; i < n; i++, at += length) {
        memcpy(text + at, piece, length);
    }
    strcpy(text + at, after);
    return text;
}

/* Recursion and sizes have limits of their own, not the stack's or the memory's. */
START_TEST(deep_and_long_texts_end_in_an_error)
{
    static const struct {
        const char *before, *piece, *after, *words;
    } cases[] = {
        { PTX_HEAD ".global .u32 x = ", "(", "", "nested deeper" },
        { PTX_HEAD ".global .u32 x = ", "- ", "", "nested deeper" },
        { PTX_HEAD ".global .u32 x = ", "1?", "", "nested deeper" },
        { PTX_HEAD ".global .u32 x = ", "{", "", "fewer dimensions" },
        { PTX_HEAD ".global .u32 x", "[1]", ";", "more than 16 dimensions" },
        { PTX_HEAD ".entry k() { ", "{", "", "nested deeper" },
        { OPEN "mov.b64 {", "%r1,", "%r1}, %d1; }", "the limit is 256" },
        { PTX_HEAD, ".version 8.3\n", "?", "Found '?'" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = repeat(cases[i].before, cases[i].piece, 100000, cases[i].after);
        struct ptx_error error = { { 0, 0 }, "" };

        ck_assert_ptr_null(ptx_parse(text, strlen(text), &error));
        ck_assert_msg(strstr(error.text, cases[i].words) != NULL, "%s", error.text);
        free(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx_errors");
    TCase *table = tcase_create("table"), *limits = tcase_create("limits");

    tcase_add_loop_test(table, an_error_says_where_and_what, 0,
                        (int)(sizeof(errors) / sizeof(errors[0])));
    tcase_add_test(table, an_error_is_one_printable_line_that_fits);
    tcase_add_test(table, the_error_may_be_left_out);
    tcase_add_test(limits, every_prefix_of_a_text_is_survived);
    tcase_add_test(limits, deep_and_long_texts_end_in_an_error);
    tcase_set_timeout(limits, 60);
    suite_add_tcase(suite, table);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
