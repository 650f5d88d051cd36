/* SPDX-License-Identifier: MIT */
/* Where a call of the program comes from: the caller, and its line in the sources. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/source.h"
#include "runtime/observe/source_file.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

static const struct {
    const char *path, *comp_dir, *shown;
} paths[] = {
    { "app.cu", NULL, "app.cu" },
    { "/home/u/proj/app.cu", "/home/u/proj", "app.cu" },
    { "/home/u/proj/src/app.cu", "/home/u/proj", "src/app.cu" },
    { "/home/u/proj/a/b/c/app.cu", "/home/u/proj", "c/app.cu" },
    { "/home/u/project2/app.cu", "/home/u/proj", "project2/app.cu" },
    { "./app.cu", "/x", "app.cu" },
    { "/app.cu", NULL, "app.cu" },
    { "", NULL, "" },
};

START_TEST(paths_are_relative_with_one_parent)
{
    char *shown = source_path(paths[_i].path, paths[_i].comp_dir);

    if (strcmp(paths[_i].path, "/app.cu") == 0) {
        ck_assert(strcmp(shown, "app.cu") == 0 || strcmp(shown, "/app.cu") == 0);
    } else {
        ck_assert_str_eq(shown, paths[_i].shown);
    }
    g_free(shown);
}
END_TEST

static const struct {
    const char *from, *path, *way;
} ways[] = {
    { "/home/u/proj", "/home/u/proj/app.cu", "app.cu" },
    { "/home/u/proj", "/home/u/proj/src/filters/cam.cu", "src/filters/cam.cu" },
    { "/home/u/proj/build", "/home/u/proj/src/cam.cu", "../src/cam.cu" },
    { "/home/u/proj", "/home/u/project2/cam.cu", "../project2/cam.cu" },
    { "/home/u/proj", "/usr/include/x.h", NULL },
    { "/home/u/proj", "/cam.cu", NULL },
    { "/home", "/home", NULL },
};

START_TEST(ways_to_files_do_not_begin_at_the_root)
{
    g_autofree char *way = source_relative(ways[_i].from, ways[_i].path);

    ck_assert_pstr_eq(way, ways[_i].way);
}
END_TEST

static unsigned here_line;

static __attribute__((noinline)) struct check_caller captured(void)
{
    here_line = __LINE__ + 1;
    struct check_caller caller = check_caller_get();

    __asm__ volatile("" ::: "memory");
    return caller;
}

START_TEST(caller_is_the_line_of_the_call)
{
    struct check_caller caller = captured();
    const struct source_place *place = source_place(&caller);
    char *suffix = g_strdup_printf("test_caller.c:%u in captured", here_line);

    ck_assert_msg(g_str_has_suffix(place->text, suffix), "%s is not %s", place->text, suffix);
    ck_assert_ptr_eq(source_place(&caller), place); /* cached */
    ck_assert_uint_ne(check_caller_pc(), 0);
    g_free(suffix);
    source_close();
}
END_TEST

/* As the functions of a runtime that is linked into the program. */
#define LINKED __attribute__((section("linked_code"), noinline))
extern const char __start_linked_code[], __stop_linked_code[];

static LINKED struct check_caller linked_inner(void)
{
    struct check_caller caller = check_caller_get();

    __asm__ volatile("" ::: "memory");
    return caller;
}

static LINKED struct check_caller cudaFree(void)
{
    struct check_caller caller = linked_inner();

    __asm__ volatile("" ::: "memory");
    return caller;
}

START_TEST(linked_runtime_is_passed_to_the_call_of_the_program)
{
    check_own_code(__start_linked_code, __stop_linked_code);

    unsigned line = __LINE__ + 1;
    struct check_caller caller = cudaFree();
    const struct source_place *place = source_place(&caller);
    g_autofree char *part = g_strdup_printf("test_caller.c:%u in linked_runtime", line);

    ck_assert_msg(strstr(place->text, part) != NULL, "%s", place->text);
    ck_assert_pstr_eq(place->api, "cudaFree");
    source_close();
}
END_TEST

static inline __attribute__((always_inline)) struct check_caller cudaMallocHost(void)
{
    return check_caller_get();
}

/* As the templates of cuda_runtime.h: the line wanted is the one that calls the wrapper. */
START_TEST(inlined_wrapper_is_not_the_place_but_the_call)
{
    unsigned line = __LINE__ + 1;
    struct check_caller caller = cudaMallocHost();
    const struct source_place *place = source_place(&caller);
    char *part = g_strdup_printf("test_caller.c:%u in inlined_wrapper", line);

    ck_assert_msg(strstr(place->text, part) != NULL, "%s", place->text);
    ck_assert_str_eq(place->api, "cudaMallocHost");
    g_free(part);
    source_close();
}
END_TEST

static __attribute__((noinline)) struct check_caller deeper(unsigned levels)
{
    struct check_caller caller = levels > 0 ? deeper(levels - 1) : check_caller_get();

    __asm__ volatile("" ::: "memory");
    return caller;
}

/* As many frames as there is room for, and none of them ours: nothing is known of the entry. */
START_TEST(deep_stacks_are_cut)
{
    struct check_caller caller = deeper(3 * CHECK_CALLER_DEPTH);

    for (unsigned i = 0; i < CHECK_CALLER_DEPTH; i++) {
        ck_assert_uint_ne(caller.pc[i], 0);
    }
    ck_assert_uint_eq(caller.entry, 0);
}
END_TEST

static __attribute__((noinline)) uintptr_t innermost(void)
{
    uintptr_t pc = check_caller_pc();

    __asm__ volatile("" ::: "memory");
    return pc;
}

START_TEST(innermost_caller_is_the_first_of_all)
{
    struct check_caller caller = { .pc = { innermost() } };

    ck_assert_msg(g_str_has_suffix(source_place(&caller)->text, " in innermost"), "%s",
                  source_place(&caller)->text);
    source_close();
}
END_TEST

static __attribute__((noinline)) struct check_caller inner(uintptr_t back[2])
{
    struct check_caller caller = check_caller_get();

    back[0] = (uintptr_t)__builtin_return_address(0);
    __asm__ volatile("" ::: "memory");
    return caller;
}

static __attribute__((noinline)) struct check_caller outer(uintptr_t back[2], bool first)
{
    struct check_caller caller;

    back[1] = (uintptr_t)__builtin_return_address(0);
    if (first) {
        caller = inner(back);
        __asm__ volatile("" ::: "memory");
    } else {
        caller = inner(back);
        __asm__ volatile("nop" ::: "memory");
    }
    return caller;
}

/* The stack is as deep each time; which lines it came through is another thing. */
START_TEST(a_stack_known_before_is_not_another_as_deep)
{
    uintptr_t back[4][2];

    for (unsigned i = 0; i < 12; i++) {
        struct check_caller caller;

        switch (i % 4) {
        case 0:
            caller = outer(back[0], true);
            break;
        case 1:
            caller = outer(back[1], false);
            break;
        case 2:
            caller = outer(back[2], true);
            break;
        default:
            caller = outer(back[3], false);
        }
        ck_assert_uint_eq(caller.pc[1], back[i % 4][0]);
        ck_assert_uint_eq(caller.pc[2], back[i % 4][1]);
    }
    ck_assert_uint_ne(back[0][0], back[1][0]);
    ck_assert_uint_eq(back[0][0], back[2][0]);
    ck_assert_uint_ne(back[0][1], back[2][1]);
}
END_TEST

static __attribute__((noinline)) struct check_caller interrupted(uintptr_t *pc)
{
    struct check_caller caller;

    pc[0] = (uintptr_t)__builtin_return_address(0);
    pc[1] = check_caller_get().pc[2]; /* behind this function and its caller */
    caller = caller_from_signal(pc[0]);
    __asm__ volatile("" ::: "memory");
    return caller;
}

/* Places are looked up one byte before a return address: of what was interrupted it is one more.
 * What stands inside that is the handler's. */
START_TEST(interrupted_place_is_the_instruction_itself)
{
    uintptr_t pc[2];
    struct check_caller caller = interrupted(pc);

    ck_assert_uint_eq(caller.pc[0], pc[0] + 1);
    ck_assert_uint_ne(pc[1], 0);
    ck_assert_uint_eq(caller.pc[1], pc[1]);
    caller = caller_from_signal(0x10); /* nowhere on the stack */
    ck_assert_uint_eq(caller.pc[0], 0x11);
    ck_assert_uint_eq(caller.pc[1], 0);
}
END_TEST

static const struct {
    const char *path;
    bool ours;
} libraries[] = {
    { "/opt/vtegra/lib/libvtegra.so", true },
    { "/usr/lib/libvtegra-preload.so.1", true },
    { "libcuda.so.1", true },
    { "/x/libcudart.so.13", true },
    { "/x/libcudla.so.1", true },
    { "/x/libnvscibuf.so.1", true },
    { "/x/libnvscisync.so.1", true },
    { "/lib/x86_64-linux-gnu/libc.so.6", false },
    { "/home/u/libvtegra/app", false },
    { "/home/u/mylibcuda.so", false },
    { "/usr/lib/libcudadebugger.so.1", false },
    { "", false }, /* the program itself */
};

START_TEST(our_libraries_are_known_by_name)
{
    ck_assert_msg(caller_name_is_ours(libraries[_i].path) == libraries[_i].ours, "%s",
                  libraries[_i].path);
}
END_TEST

START_TEST(unknown_addresses_have_no_place)
{
    struct check_caller nowhere = { .pc = { 0x10 } }, none = { .pc = { 0 } };

    ck_assert_str_eq(source_place(&nowhere)->text, "");
    ck_assert_str_eq(source_place(&none)->text, "");
    source_close();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("caller");
    TCase *t = tcase_create("caller");

    tcase_add_test(t, deep_stacks_are_cut);
    tcase_add_test(t, innermost_caller_is_the_first_of_all);
    tcase_add_test(t, a_stack_known_before_is_not_another_as_deep);
    tcase_add_test(t, interrupted_place_is_the_instruction_itself);
    tcase_add_loop_test(t, our_libraries_are_known_by_name, 0, G_N_ELEMENTS(libraries));
    tcase_add_loop_test(t, paths_are_relative_with_one_parent, 0, G_N_ELEMENTS(paths));
    tcase_add_loop_test(t, ways_to_files_do_not_begin_at_the_root, 0, G_N_ELEMENTS(ways));
    tcase_add_test(t, caller_is_the_line_of_the_call);
    tcase_add_test(t, inlined_wrapper_is_not_the_place_but_the_call);
    tcase_add_test(t, linked_runtime_is_passed_to_the_call_of_the_program);
    tcase_add_test(t, unknown_addresses_have_no_place);
    suite_add_tcase(s, t);
    return suite_main(s);
}
