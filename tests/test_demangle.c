/* SPDX-License-Identifier: MIT */
/* Names of kernels as the compiler writes them, and as a person does. */
#include <check.h>
#include <glib.h>

#include "checker/print/demangle.h"
#include "tests/suite.h"

/* Mangled by hand after the Itanium C++ ABI, 5.1; the last ones are no names or beyond the reader.
 */
static const struct {
    const char *mangled, *name;
} names[] = {
    { "k1", "k1" },
    { "_Z2k1Pi", "k1" },
    { "_ZN2ns3addIfEEvPT_", "ns::add<float>" },
    { "_Z3addIfLi4EEvPT_", "add<float, 4>" },
    { "_Z3addIPKcLb1EEvv", "add<const char*, true>" },
    { "_Z1fILin3EEvv", "f<-3>" },
    { "_ZN12_GLOBAL__N_11kEv", "(anonymous namespace)::k" },
    { "_ZL5localPi", "local" },
    { "_ZN12_GLOBAL__N_1L1nILi4EiEEvPT0_", "(anonymous namespace)::n<4, int>" },
    { "_Z1fIN1a1bEEvv", "f<a::b>" },
    { "_Z1fIS_EvT_", "f<...>" },
    { "_Z99short", "_Z99short" },
    { "_Z", "_Z" },
    { "_ZN", "_ZN" },
    { "_Z0", "_Z0" },
    { "_Z99999999999999999999999x", "_Z99999999999999999999999x" },
    { "_Z18446744073709551617x", "_Z18446744073709551617x" }, /* 2^64 + 1 */
    { "_Z1fIPKPKcEvv", "f<const char* const*>" },
    { "_Z1fIKPcEvv", "f<char* const>" },
    { "_Z1fIfdEvv", "f<float, double>" },
    { "_ZN1a1bIiE1cEv", "a::b<int>::c" },
    { "_ZN1a1bIS_E1cEv", "a::b<...>" },
    { "_Z1fI1aILi2EEEvv", "f<a<2>>" },
    { "_Z1fILiEEvv", "f<...>" },
    { "_Z1fILi2", "f<...>" },
    { "_Z1fILi2xEEvv", "f<...>" },
    { "_Z1fILn2EEvv", "f<...>" }, /* __int128 */
    { "_Z1fILb2EEvv", "f<2>" },
    { "", "" },
};

START_TEST(kernel_names_are_demangled)
{
    char *name = demangle(names[_i].mangled);

    ck_assert_str_eq(name, names[_i].name);
    g_free(name);
}
END_TEST

/* Itanium C++ ABI, 5.1.5.2: the builtin types that CUDA has; n and o (128 bits), w, e, g, z are not
 * among them. */
static const struct {
    char letter;
    const char *name;
} builtins[] = {
    { 'v', "void" },
    { 'b', "bool" },
    { 'c', "char" },
    { 'a', "signed char" },
    { 'h', "unsigned char" },
    { 's', "short" },
    { 't', "unsigned short" },
    { 'i', "int" },
    { 'j', "unsigned int" },
    { 'l', "long" },
    { 'm', "unsigned long" },
    { 'x', "long long" },
    { 'y', "unsigned long long" },
    { 'f', "float" },
    { 'd', "double" },
    { 'w', NULL },
    { 'g', NULL },
};

START_TEST(builtin_types_are_those_of_the_abi)
{
    g_autofree char *mangled = g_strdup_printf("_Z1fI%cEvv", builtins[_i].letter);
    g_autofree char *name = demangle(mangled);
    g_autofree char *wanted =
        g_strdup_printf("f<%s>", builtins[_i].name ? builtins[_i].name : "...");

    ck_assert_str_eq(name, wanted);
}
END_TEST

START_TEST(names_in_a_sentence_are_demangled)
{
    char *text = demangle_text("line 4: `x` (function _ZN2ns3badILi3EEEvPi), not a_Z3b of '_Zx'.");

    ck_assert_str_eq(text, "line 4: `x` (function ns::bad<3>), not a_Z3b of '_Zx'.");
    g_free(text);
}
END_TEST

START_TEST(deep_nesting_ends)
{
    GString *s = g_string_new("_Z1fI");
    char *name;

    for (int i = 0; i < 4000000; i++) {
        g_string_append_c(s, 'P');
    }
    name = demangle(s->str);
    ck_assert_str_eq(name, "f<...>");
    g_free(name);
    g_string_free(s, TRUE);
}
END_TEST

/* Forty pointers beside each other are no nesting. */
START_TEST(many_arguments_are_read)
{
    GString *mangled = g_string_new("_Z1fI"), *wanted = g_string_new("f<");
    char *name;

    for (int i = 0; i < 40; i++) {
        g_string_append(mangled, "Pi");
        g_string_append(wanted, i ? ", int*" : "int*");
    }
    g_string_append(mangled, "Evv");
    g_string_append(wanted, ">");
    name = demangle(mangled->str);
    ck_assert_str_eq(name, wanted->str);
    g_free(name);
    g_string_free(mangled, TRUE);
    g_string_free(wanted, TRUE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("demangle");
    TCase *t = tcase_create("demangle");

    tcase_add_loop_test(t, kernel_names_are_demangled, 0, G_N_ELEMENTS(names));
    tcase_add_test(t, deep_nesting_ends);
    tcase_add_test(t, names_in_a_sentence_are_demangled);
    tcase_add_test(t, many_arguments_are_read);
    tcase_add_loop_test(t, builtin_types_are_those_of_the_abi, 0, G_N_ELEMENTS(builtins));
    suite_add_tcase(s, t);
    return suite_main(s);
}
