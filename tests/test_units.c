/* SPDX-License-Identifier: MIT */
/* Which code has no hooks: of this program, which has functions of many names and, made by hand,
 * the debug information of a few source files. */
#include <check.h>
#include <glib.h>

#include "checker/print/demangle.h"
#include "runtime/observe/source.h"
#include "runtime/observe/units.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

/* Outside of what the compiler knows of this file. */
#define CODE(text) __asm__(".pushsection .text.units,\"ax\",%progbits\n" text "\n.popsection\n")
#define FUNCTION(scope, name) \
    CODE(scope " " name "\n.type " name ",%function\n" name ": ret\n.size " name ", .-" name)
#define GLOBAL(name) FUNCTION(".globl", name)

GLOBAL("of_the_later_file");
GLOBAL("behind_the_later_file");
GLOBAL("of_the_hooked_file");
GLOBAL("of_the_former_file");
GLOBAL("plain_c");
GLOBAL("_Z8plain_cci"); /* plain_cc(int) */
GLOBAL("_ZThn8_N1B1fEv");
GLOBAL("_ZNSt6vectorIiSaIiEE5clearEv");
GLOBAL("_ZNKSt6vectorIiSaIiEE4sizeEv");
GLOBAL("_ZSt4sortIPiEvT_S1_");
GLOBAL("_ZNSsC2Ev"); /* std::string of the old ABI */
GLOBAL("_ZN9__gnu_cxx13new_allocatorIiEC2Ev");
GLOBAL("_ZNK9__gnu_cxx13new_allocatorIiE8max_sizeEv");
GLOBAL("cudaMallocManyThings");
GLOBAL("_reserved");
GLOBAL("_Z27__device_stub__some_kernelPi");
FUNCTION(".local", "a_local_one");
FUNCTION(".hidden a_hidden_one\n.globl", "a_hidden_one");
FUNCTION(".weak", "a_weak_one");
CODE(".globl without_size\n.type without_size,%function\nwithout_size: ret");
#define DATA(name) \
    CODE(".globl " name "\n.type " name ",%object\n" name ": ret\n.size " name ", .-" name)
DATA("some_data");
DATA("more_data");

/* A compilation unit: producer, name, folder, code from one label to another */
__asm__(".pushsection .debug_abbrev,\"\",%progbits\n"
        ".Lunits_abbrev: .uleb128 1, 0x11\n.byte 0\n"            /* DW_TAG_compile_unit */
        ".uleb128 0x25, 8, 0x03, 8, 0x1b, 8, 0x11, 1, 0x12, 7\n" /* producer ... high_pc */
        ".byte 0, 0, 0\n"
        ".popsection\n");
#define UNIT(producer, name, folder, from, to)                                    \
    __asm__(".pushsection .debug_info,\"\",%progbits\n"                           \
            ".4byte 1f - 0f\n0: .2byte 4\n.4byte .Lunits_abbrev\n.byte 8\n"       \
            ".uleb128 1\n.asciz \"" producer "\", \"" name "\", \"" folder "\"\n" \
            ".8byte " from ", " to " - " from "\n1:\n"                            \
            ".popsection\n")
#define BARE "GNU C17 -O2 -g"

UNIT(BARE, "/src/lib/former.c", "/src", "of_the_former_file", "plain_c");
UNIT(BARE, "later.c", "/src", "of_the_later_file", "behind_the_later_file");
UNIT("clang -O2 -fsanitize=thread", "hooked.c", "/src", "of_the_hooked_file", "of_the_former_file");
UNIT(BARE, "empty.c", "/src", "plain_c", "plain_c");
UNIT(BARE, "/vtegra/runtime/track/track.c", "/vtegra", "some_data", "some_data + 1");
UNIT(BARE, "../runtime/api/cudart/memory.c", "/vtegra/build", "some_data", "some_data + 1");

UNIT(BARE, "/tmp/tmpxft_00006f4a_00000000-6_by_nvcc.cudafe1.cpp", "/src", "some_data",
     "some_data + 1");
UNIT(BARE, "keep/kept.cudafe1.cpp", "/src", "some_data", "some_data + 1");
UNIT(BARE, "/usr/local/cuda/bin/crt/link.stub", "/src", "some_data", "some_data + 1");

extern char plain_c[];

static GPtrArray *files, *functions;
static bool says;

static void look(void)
{
    files = g_ptr_array_new_with_free_func(g_free);
    functions = g_ptr_array_new_with_free_func(g_free);
    says = units_without((uintptr_t)plain_c, files, functions);
}

static void forget(void)
{
    g_ptr_array_unref(files);
    g_ptr_array_unref(functions);
    source_close();
}

static unsigned times(const GPtrArray *list, const char *name)
{
    unsigned n = 0;

    for (guint i = 0; i < list->len; i++) {
        n += g_strcmp0(list->pdata[i], name) == 0;
    }
    return n;
}

/* Sources without hooks that have code, and are not ours. */
static const struct {
    const char *name;
    unsigned times;
} sources[] = {
    { "lib/former.c", 1 }, { "later.c", 1 },       { "hooked.c", 0 },
    { "empty.c", 0 },      { "track/track.c", 0 }, { "cudart/memory.c", 0 },
    { "by_nvcc", 1 },      { "kept", 1 },          { "crt/link.stub", 0 },
};

START_TEST(sources_without_hooks_are_named)
{
    ck_assert(says); /* hooked.c does */
    ck_assert_msg(times(files, sources[_i].name) == sources[_i].times, "%s", sources[_i].name);
}
END_TEST

/* Global functions of the program's own that no source stands for, as they were written. */
static const struct {
    const char *name;
    unsigned times;
} names[] = {
    { "plain_c", 1 },
    { "plain_cc", 1 },
    { "a_weak_one", 1 },
    { "of_the_former_file", 0 },
    { "of_the_later_file", 0 },
    { "of_the_hooked_file", 0 },
    { "behind_the_later_file", 1 },
    { "a_local_one", 0 },
    { "a_hidden_one", 0 },
    { "without_size", 0 },
    { "some_data", 0 },
    { "more_data", 0 },
    { "malloc", 0 }, /* another's */
    { "_reserved", 0 },
    { "cudaMallocManyThings", 0 },
};

START_TEST(functions_without_a_source_are_named)
{
    ck_assert_msg(times(functions, names[_i].name) == names[_i].times, "%s", names[_i].name);
}
END_TEST

/* What compilers and the libraries of the language make is nobody's to rebuild. */
static const char *const others[] = {
    "_ZThn8_N1B1fEv",
    "_ZNSt6vectorIiSaIiEE5clearEv",
    "_ZNKSt6vectorIiSaIiEE4sizeEv",
    "_ZSt4sortIPiEvT_S1_",
    "_ZNSsC2Ev",
    "_ZN9__gnu_cxx13new_allocatorIiEC2Ev",
    "_ZNK9__gnu_cxx13new_allocatorIiE8max_sizeEv",
    "_Z27__device_stub__some_kernelPi",
};

START_TEST(functions_of_the_language_are_not_named)
{
    g_autofree char *name = demangle(others[_i]);

    ck_assert_msg(times(functions, name) == 0, "%s", name);
}
END_TEST

/* Of nothing nothing is said. */
START_TEST(an_address_of_nobody_has_no_units)
{
    GPtrArray *none = g_ptr_array_new();

    ck_assert(!units_without(0x10, none, none));
    ck_assert_uint_eq(none->len, 0);
    g_ptr_array_unref(none);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("units");
    TCase *t = tcase_create("units");

    tcase_add_checked_fixture(t, look, forget);
    tcase_add_loop_test(t, sources_without_hooks_are_named, 0, G_N_ELEMENTS(sources));
    tcase_add_loop_test(t, functions_without_a_source_are_named, 0, G_N_ELEMENTS(names));
    tcase_add_loop_test(t, functions_of_the_language_are_not_named, 0, G_N_ELEMENTS(others));
    tcase_add_test(t, an_address_of_nobody_has_no_units);
    suite_add_tcase(s, t);
    return suite_main(s);
}
