/* SPDX-License-Identifier: MIT */
/* Which line of a stack the report names. The functions on it stand at the end of this file: they
 * say that they are in other files, and are never called. */
#include <check.h>
#include <dlfcn.h>
#include <glib.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/user_frame.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/source.h"
#include "tests/emulated.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

typedef void function(void);

/* With lines */
static function app, app_other, in_include, in_lib, in_bin, in_local, in_cuda, in_cpp, in_gcc,
    in_cross, in_clang, in_own_usr, in_own_include, __cudaPushCallConfiguration, __tsan_writes,
    __asan_stores, __interceptor_memcpy, ___interceptor_memcpy, cudart_init, cuMemsetD8, cudaMemset,
    cudacious, cunning, __device_stub__Z3incPi, inc, increase, scale,
    __device_stub__Z5scaleIiEvPT_, __wrapper__device_stub_scale,    linked_inside, cudaFree;

/* Without */
#define UNLINED(name)                                                                   \
    __asm__(".pushsection .text.unlined,\"ax\",%progbits\n.globl " name "\n.type " name \
            ",%function\n" name ": nop\nret\n.size " name ", .-" name "\n.popsection")
UNLINED("unlined");
UNLINED("cuMemAlloc_v2");
UNLINED("cudaMemcpy_ptds");
UNLINED("__cudaLaunchKernel_ptsz");
UNLINED("cudaless");
UNLINED("_Z10cudaMallocIiE9cudaErrorPPT_m");
UNLINED("_Z18__device_stub__incPi");
UNLINED("_Z5plainIiEvPT_");
function unlined, cuMemAlloc_v2, cudaMemcpy_ptds, __cudaLaunchKernel_ptsz, cudaless;
function call_of_a_template __asm__("_Z10cudaMallocIiE9cudaErrorPPT_m"),
    stub_of_clang __asm__("_Z18__device_stub__incPi"), template __asm__("_Z5plainIiEvPT_");

static function *of_the_system(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW), *symbol = handle ? dlsym(handle, name) : NULL;
    function *f;

    ck_assert_ptr_nonnull(symbol);
    memcpy(&f, &symbol, sizeof(f));
    return f;
}

/* A return address: the lookup is of the byte before. */
static uintptr_t in(function *f)
{
    return (uintptr_t)f + 1;
}

#define LIBC ((function *)1)
#define LIBSTDCPP ((function *)2)

/* A stack from the innermost on; its place, less the folder of the module. */
static const struct {
    function *stack[4];
    const char *text;
    bool foreign;
    const char *api;
} stacks[] = {
    { { app }, "app.cu:41 in app", false, NULL },
    { { app_other, app }, "app.cu:51 in app_other", false, NULL },
    /* headers of the system are not what the developer wrote */
    { { in_include, app }, "app.cu:41 in app", false, NULL },
    { { in_lib, app }, "app.cu:41 in app", false, NULL },
    { { in_bin, app }, "app.cu:41 in app", false, NULL },
    { { in_local, app }, "app.cu:41 in app", false, NULL },
    { { in_cuda, app }, "app.cu:41 in app", false, NULL },
    { { in_cpp, app }, "app.cu:41 in app", false, NULL },
    { { in_gcc, app }, "app.cu:41 in app", false, NULL },
    { { in_cross, app }, "app.cu:41 in app", false, NULL },
    { { in_clang, app }, "app.cu:41 in app", false, NULL },
    { { in_own_usr, app }, "src/own.h:7 in in_own_usr", false, NULL },
    { { in_own_include, app }, "include/own.h:8 in in_own_include", false, NULL },
    /* but are more than nothing */
    { { in_include }, "include/stdlib.h:1 in in_include", true, NULL },
    { { in_include, in_cpp }, "include/stdlib.h:1 in in_include", true, NULL },
    { { unlined, in_include }, "include/stdlib.h:1 in in_include", true, NULL },
    /* without line information: the place in the file */
    { { unlined }, "PROGRAM in unlined", false, NULL },
    { { unlined, template }, "PROGRAM in unlined", false, NULL },
    { { template }, "PROGRAM in plain<int>", false, NULL },
    { { unlined, app }, "app.cu:41 in app", false, NULL },
    /* libraries of the system */
    { { LIBC, app }, "app.cu:41 in app (inside libc.so.6)", false, NULL },
    { { LIBC, unlined }, "PROGRAM in unlined (inside libc.so.6)", false, NULL },
    { { LIBC, in_include, app }, "app.cu:41 in app (inside libc.so.6)", false, NULL },
    { { in_include, LIBC, app }, "app.cu:41 in app", false, NULL },
    { { LIBSTDCPP, app }, "app.cu:41 in app", false, NULL },
    { { app, LIBC }, "app.cu:41 in app", false, NULL },
    { { LIBC }, "in qsort", true, NULL }, /* more is known where its debug information is */
    /* what stands between the developer's line and ours */
    { { __cudaPushCallConfiguration, app }, "app.cu:41 in app", false, NULL },
    { { __tsan_writes, app }, "app.cu:41 in app", false, NULL },
    { { __asan_stores, app }, "app.cu:41 in app", false, NULL },
    { { __interceptor_memcpy, app }, "app.cu:41 in app", false, NULL },
    { { ___interceptor_memcpy, app }, "app.cu:41 in app", false, NULL },
    { { cudart_init, app }, "app.cu:41 in app", false, NULL },
    { { cudacious, app }, "app.cu:61 in cudacious", false, NULL },
    { { cunning, app }, "app.cu:62 in cunning", false, NULL },
    /* the call: the outermost of them */
    { { cuMemsetD8, app }, "app.cu:41 in app", false, "cuMemsetD8" },
    { { cuMemsetD8, cudaMemset, app }, "app.cu:41 in app", false, "cudaMemset" },
    { { app, cudaMemset }, "app.cu:41 in app", false, NULL },
    { { call_of_a_template, app }, "app.cu:41 in app", false, "cudaMalloc" },
    { { __cudaPushCallConfiguration, app }, "app.cu:41 in app", false, NULL },
    /* a runtime that is linked into the program: wherever its code says it is */
    { { linked_inside, cudaFree, app }, "app.cu:41 in app (inside libcudart_static.a)", false,
      "cudaFree" },
    { { linked_inside, app }, "app.cu:41 in app (inside libcudart_static.a)", false, NULL },
    /* the host function of a kernel has the kernel's line */
    { { __device_stub__Z3incPi, inc, app }, "app.cu:41 in app", false, NULL },
    { { __device_stub__Z3incPi, app }, "app.cu:41 in app", false, NULL },
    { { __device_stub__Z3incPi, increase, app }, "app.cu:65 in increase", false, NULL },
    { { inc, app }, "app.cu:64 in inc", false, NULL },
    { { stub_of_clang, inc, app }, "app.cu:41 in app", false, NULL },
    /* nvcc's of a template: stub and wrapper are in a file of its own */
    { { __device_stub__Z5scaleIiEvPT_, __wrapper__device_stub_scale, scale, app },
      "app.cu:41 in app", false, NULL },
    { { __device_stub__Z5scaleIiEvPT_, __wrapper__device_stub_scale, app },
      "app.cu:41 in app", false, NULL },
    { { __wrapper__device_stub_scale, increase, app }, "app.cu:65 in increase", false, NULL },
};

/* "PROGRAM" for the place in it. */
static char *without_offset(const char *text)
{
    g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *name = g_path_get_basename(exe), *start = g_strconcat(name, "+0x", NULL);

    return g_str_has_prefix(text, start) ? g_strconcat("PROGRAM", strchr(text, ' '), NULL)
                                         : g_strdup(text);
}

static struct check_caller caller_of(int row)
{
    struct check_caller caller = { .entry = 0 };

    for (size_t i = 0; i < G_N_ELEMENTS(stacks[row].stack) && stacks[row].stack[i]; i++) {
        function *f = stacks[row].stack[i];

        caller.pc[i] = in(f == LIBC        ? of_the_system("libc.so.6", "qsort")
                          : f == LIBSTDCPP ? of_the_system("libstdc++.so.6", "_ZSt9terminatev")
                                           : f);
    }
    return caller;
}

/* The linker names the ends of a section. */
extern const char __start_own_code[], __stop_own_code[];

START_TEST(each_stack_has_its_line)
{
    struct check_caller caller = caller_of(_i);
    const struct source_place *place;

    if (stacks[_i].stack[0] == LIBC && emulator_lacks("libc in a folder of the system")) {
        return;
    }
    check_own_code(__start_own_code, __stop_own_code);
    place = source_place(&caller);
    g_autofree char *text = without_offset(place->text);

    if (stacks[_i].stack[0] == LIBC && !stacks[_i].stack[1]) {
        ck_assert_msg(g_str_has_suffix(text, stacks[_i].text), "%s", text);
    } else {
        ck_assert_str_eq(text, stacks[_i].text);
    }
    ck_assert_int_eq(place->foreign, stacks[_i].foreign);
    ck_assert_pstr_eq(place->api, stacks[_i].api);
    source_close();
}
END_TEST

/* The exported function of ours that was called; what stands on the stack knows more. */
static const struct {
    function *entry, *stack;
    const char *api;
} entries[] = {
    { cuMemAlloc_v2, app, "cuMemAlloc" },
    { cudaMemcpy_ptds, app, "cudaMemcpy" },
    { __cudaLaunchKernel_ptsz, app, "cudaLaunchKernel" },
    { cudaless, app, NULL },
    { unlined, app, NULL },
    { cuMemAlloc_v2, cudaMemset, "cudaMemset" },
    { cuMemAlloc_v2, NULL, "cuMemAlloc" },
};

START_TEST(the_call_is_known_by_its_entry)
{
    struct check_caller caller = { .entry = in(entries[_i].entry), .pc = { 0x10 } };
    struct check_caller again;

    if (entries[_i].stack) {
        caller.pc[0] = in(entries[_i].stack);
    }
    again = caller;
    again.entry = 0;
    ck_assert_pstr_eq(source_place(&again)->api,
                      entries[_i].stack == cudaMemset ? "cudaMemset" : NULL);
    ck_assert_pstr_eq(source_place(&caller)->api, entries[_i].api); /* another caller */
    source_close();
}
END_TEST

/* Where it stands. */
#ifdef __x86_64__
#define HERE(pc) __asm__ volatile("lea 0f(%%rip), %0\n0: nop" : "=r"(pc))
#else
#define HERE(pc) __asm__ volatile("adr %0, 0f\n0: nop" : "=r"(pc))
#endif
static uintptr_t inlined[3];

/* Of what was inlined each has its line: of all but the innermost that is where it calls. */
START_TEST(inlined_functions_are_told_apart)
{
    static const char *const places[] = {
        "app.cu:53 in app_other",
        "app.cu:72 in own_inline",
        "app.cu:55 in app_other",
    };
    struct check_caller caller = { .entry = 0 };

    app_other();
    for (size_t i = 0; i < G_N_ELEMENTS(inlined); i++) {
        caller.pc[0] = inlined[i] + 1;
        ck_assert_str_eq(source_place(&caller)->text, places[i]);
        ck_assert(!source_place(&caller)->foreign);
    }
    source_close();
}
END_TEST

/* As addr2line wants it. */
START_TEST(a_place_without_a_line_is_an_offset_in_its_file)
{
    struct check_caller caller = { .pc = { in(unlined) } };
    g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL), *text = NULL;
    g_autofree char *name = g_path_get_basename(exe);
    struct link_map *map = NULL;
    Dl_info info;

    ck_assert_int_ne(dladdr1((void *)(uintptr_t)unlined, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
    text = g_strdup_printf("%s+0x%" PRIx64 " in unlined", name,
                           (uint64_t)((uintptr_t)unlined - map->l_addr));
    ck_assert_str_eq(source_place(&caller)->text, text);
    source_close();
}
END_TEST

START_TEST(libraries_that_came_later_are_known)
{
    struct check_caller caller = { .pc = { in(app) } };
    void *handle;

    ck_assert_str_eq(source_place(&caller)->text, "app.cu:41 in app");
    ck_assert_ptr_null(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD));
    handle = dlopen("libresolv.so.2", RTLD_NOW);
    ck_assert_ptr_nonnull(handle);
    caller.pc[0] = (uintptr_t)dlsym(handle, "ns_samename") + 1;
    ck_assert_msg(strstr(source_place(&caller)->text, "ns_samename") != NULL, "%s",
                  source_place(&caller)->text);
    source_close();
}
END_TEST

START_TEST(places_that_are_not_wanted_are_not_looked_for)
{
    struct check_caller caller = { .entry = in(cuMemAlloc_v2), .pc = { in(app) } };

    g_setenv("VTEGRA_PLACES", "0", TRUE);
    ck_assert_str_eq(source_place(&caller)->text, "");
    ck_assert_ptr_null(source_place(&caller)->api);
    ck_assert_ptr_null(source_module(in(app)));
    source_close();
    g_setenv("VTEGRA_PLACES", "1", TRUE);
    ck_assert_str_eq(source_place(&caller)->text, "app.cu:41 in app");
    ck_assert_ptr_nonnull(source_module(in(app)));
    source_close();
}
END_TEST

static const struct {
    const char *path;
    bool system;
} paths[] = {
    { "/usr/lib/libz.so.1", true },           { "/lib/x86_64-linux-gnu/libc.so.6", true },
    { "/lib64/ld-linux-x86-64.so.2", true },  { "[vdso: 12]", true },
    { "/opt/vtegra/lib/libvtegra.so", true }, { "/home/u/lib/libown.so", false },
    { "/usrlocal/libown.so", false },         { "", false },
};

START_TEST(libraries_of_the_system_are_known_by_their_place)
{
    ck_assert_int_eq(source_is_system(paths[_i].path), paths[_i].system);
}
END_TEST

/* For the scheduler: a place in words; nothing where nobody looks, or nothing is known. */
START_TEST(a_place_for_others_is_a_copy)
{
    struct soc_profile profile = { .soc = { .name = "orin" } };
    struct check_caller caller = { .pc = { in(app) } };
    g_autofree char *text = NULL;
    struct check *c;

    ck_assert_ptr_null(check_place(NULL, &caller));
    c = check_open(&(struct check_config){ .profile = &profile, .program = "p", .quiet = true });
    text = check_place(c, &caller);
    ck_assert_pstr_eq(text, "app.cu:41 in app");
    ck_assert_ptr_ne(text, source_place(&caller)->text);
    caller.pc[0] = 0;
    ck_assert_ptr_null(check_place(c, &caller));
    check_close(c);
    check_free(c);
}
END_TEST

static struct check *live;
static bool many;

/* As a hook: of an access in who calls. */
static __attribute__((noinline)) uintptr_t user_frame_of_the_caller(void)
{
    uintptr_t pc = user_frame_pc(live, (uintptr_t)__builtin_return_address(0), &many);

    __asm__ volatile("" : "+r"(pc));
    return pc;
}

typedef uintptr_t access_in(unsigned depth);
static access_in former, latter, own;

static void assert_outer(access_in *f, unsigned depth, const char *text)
{
    struct check_caller caller = { .pc = { f(depth) } };

    ck_assert_str_eq(source_place(&caller)->text, text);
}

/* Through @depth calls inside of a header, and from one line as from another at the same depth. */
static const unsigned depths[] = { 0, 5, 9, 10, 11, 12, 20, 61 };

START_TEST(an_access_in_a_header_is_of_who_called)
{
    struct soc_profile profile = { .soc = { .name = "orin" } };

    live = check_open(&(struct check_config){ .profile = &profile, .program = "p", .quiet = true });
    for (unsigned i = 0; i < 3; i++) { /* what was found is remembered */
        assert_outer(former, depths[_i], "app.cu:81 in former");
        ck_assert(many);
        assert_outer(latter, depths[_i], "app.cu:82 in latter");
        ck_assert(many);
    }
    assert_outer(own, 0, "app.cu:83 in own"); /* the program's, whoever called */
    ck_assert(!many);
    assert_outer(former, 80, "include/deep.h:2 in deep"); /* endless */
    ck_assert(many);
    check_close(live);
    check_free(live);
    live = NULL;
    assert_outer(former, 5, "include/deep.h:2 in deep"); /* nobody looks */
    ck_assert(!many);
    source_close();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("source");
    TCase *t = tcase_create("source");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, each_stack_has_its_line, 0, G_N_ELEMENTS(stacks));
    tcase_add_loop_test(t, the_call_is_known_by_its_entry, 0, G_N_ELEMENTS(entries));
    tcase_add_test(t, inlined_functions_are_told_apart);
    tcase_add_test(t, a_place_without_a_line_is_an_offset_in_its_file);
    tcase_add_test(t, libraries_that_came_later_are_known);
    tcase_add_test(t, places_that_are_not_wanted_are_not_looked_for);
    tcase_add_loop_test(t, libraries_of_the_system_are_known_by_their_place, 0,
                        G_N_ELEMENTS(paths));
    tcase_add_test(t, a_place_for_others_is_a_copy);
    tcase_add_loop_test(t, an_access_in_a_header_is_of_who_called, 0, G_N_ELEMENTS(depths));
    suite_add_tcase(s, t);
    return suite_main(s);
}

/* --- the functions on the stacks: nothing of this file may follow ------------------------------
 */

/* clang-format off */
#ifdef __clang__
#define KEPT static __attribute__((noinline, used))
#else
#define KEPT static __attribute__((noinline, used, noipa)) /* alike, and yet several */
#endif
#define FUNCTION KEPT void
#define LINKED __attribute__((section("own_code")))
#line 70 "/usr/include/inline.h"
static __attribute__((always_inline)) inline void header_inline(void) { HERE(inlined[0]); }
static __attribute__((always_inline)) inline void inner_inline(void) { HERE(inlined[2]); }
static __attribute__((always_inline)) inline void user_frame_inline(void) { inner_inline(); }
#line 71 "app.cu"
static __attribute__((always_inline)) inline void own_inline(void) {
    HERE(inlined[1]); }
#line 41 "app.cu"
FUNCTION app(void) {}
#line 51 "app.cu"
FUNCTION app_other(void) { __asm__ volatile("nop");

    header_inline();
    own_inline();
    user_frame_inline(); }
#line 61 "app.cu"
FUNCTION cudacious(void) {}
FUNCTION cunning(void) {}
FUNCTION __device_stub__Z3incPi(void) {}
FUNCTION inc(void) {}
FUNCTION increase(void) {}
FUNCTION scale(void) {}
FUNCTION __cudaPushCallConfiguration(void) {}
FUNCTION __tsan_writes(void) {}
FUNCTION __asan_stores(void) {}
FUNCTION __interceptor_memcpy(void) {}
FUNCTION ___interceptor_memcpy(void) {}
FUNCTION cudart_init(void) {}
FUNCTION cuMemsetD8(void) {}
FUNCTION cudaMemset(void) {}
#line 20 "/src/runtime/api/cudart/copy.c"
LINKED FUNCTION linked_inside(void) {}
LINKED FUNCTION cudaFree(void) {}
#line 4 "/tmp/tmpxft_00006f4a_00000000-6_app.cudafe1.stub.c"
FUNCTION __device_stub__Z5scaleIiEvPT_(void) {}
FUNCTION __wrapper__device_stub_scale(void) {}
#line 1 "/usr/include/stdlib.h"
FUNCTION in_include(void) {}
#line 1 "/usr/lib/llvm/omp.h"
FUNCTION in_lib(void) {}
#line 1 "/usr/bin/../lib/c.h"
FUNCTION in_bin(void) {}
#line 1 "/usr/local/include/boost.h"
FUNCTION in_local(void) {}
#line 1 "/usr/local/cuda-12.6/include/crt.h"
FUNCTION in_cuda(void) {}
#line 1 "/opt/gcc/include/c++/12/algorithm"
FUNCTION in_cpp(void) {}
#line 1 "/opt/lib/gcc/x86/12/arm_neon.h"
FUNCTION in_gcc(void) {}
#line 1 "/opt/lib/gcc-cross/aarch64/12/arm_neon.h"
FUNCTION in_cross(void) {}
#line 1 "/opt/lib/clang/19/cuda.h"
FUNCTION in_clang(void) {}
#define ACCESS KEPT uintptr_t
#define KEEP(x) uintptr_t pc = x; __asm__ volatile("" : "+r"(pc)); return pc
#line 1 "/usr/include/deep.h"
ACCESS deep(unsigned n) {
    KEEP(n ? deep(n - 1) : user_frame_of_the_caller()); }
#line 81 "app.cu"
ACCESS former(unsigned n) { KEEP(deep(n)); }
ACCESS latter(unsigned n) { KEEP(deep(n)); }
ACCESS own(unsigned n) { (void)n; KEEP(user_frame_of_the_caller()); }
#line 7 "/usr/src/own.h"
FUNCTION in_own_usr(void) {}
#line 8 "/home/u/include/own.h"
FUNCTION in_own_include(void) {}
