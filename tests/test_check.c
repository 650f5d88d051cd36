/* SPDX-License-Identifier: MIT */
/* The parts of the checker: names, places, notes, and what records and notes add up to. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/check/advice.h"
#include "runtime/check/caller.h"
#include "runtime/check/demangle.h"
#include "runtime/check/group.h"
#include "runtime/check/note.h"
#include "runtime/check/run.h"
#include "runtime/check/source.h"
#include "tests/hal_none.h"

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
    char *suffix = g_strdup_printf("test_check.c:%u in captured", here_line);

    ck_assert_msg(g_str_has_suffix(place->text, suffix), "%s is not %s", place->text, suffix);
    ck_assert_ptr_eq(source_place(&caller), place); /* cached */
    ck_assert_uint_ne(check_caller_pc(), 0);
    g_free(suffix);
    source_close();
}
END_TEST

static inline __attribute__((always_inline)) struct check_caller cudaInlineWrapper(void)
{
    return check_caller_get();
}

/* As the templates of cuda_runtime.h: the line wanted is the one that calls the wrapper. */
START_TEST(inlined_wrapper_is_not_the_place_but_the_call)
{
    unsigned line = __LINE__ + 1;
    struct check_caller caller = cudaInlineWrapper();
    const struct source_place *place = source_place(&caller);
    char *part = g_strdup_printf("test_check.c:%u in inlined_wrapper", line);

    ck_assert_msg(strstr(place->text, part) != NULL, "%s", place->text);
    ck_assert_str_eq(place->api, "cudaInlineWrapper");
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

START_TEST(notes_survive_any_text)
{
    static const char nasty[] = "a \"b\" \\ \n\t\x01\xff = c=d @";
    struct note n, back;
    char *line;

    note_init(&n, "region");
    note_str(&n, "text", nasty);
    note_str(&n, "empty", "");
    note_str(&n, "absent", NULL);
    note_u64(&n, "big", UINT64_MAX);
    note_hex(&n, "va", 0x7f00);
    line = note_format(&n);
    ck_assert_ptr_null(strchr(line, '\n'));
    ck_assert(note_parse(line, &back));
    ck_assert_str_eq(back.name, "region");
    ck_assert_str_eq(note_get(&back, "text"), nasty);
    ck_assert_str_eq(note_get(&back, "empty"), "");
    ck_assert_ptr_null(note_get(&back, "absent"));
    ck_assert(note_num(&back, "big") == UINT64_MAX);
    ck_assert_uint_eq(note_num(&back, "va"), 0x7f00);
    g_free(line);
    note_clear(&n);
    note_clear(&back);
}
END_TEST

static const char *const no_notes[] = {
    "",      "region id=1", "@",       "@ x=1",       "@r x",
    "@r =1", "@r x=\"open", "@r x=1 ", "@r x=\"a\"b", "@r x=\"\\"
};

START_TEST(malformed_notes_are_refused)
{
    struct note n;

    ck_assert_msg(!note_parse(no_notes[_i], &n), "%s", no_notes[_i]);
}
END_TEST

START_TEST(too_many_keys_are_refused)
{
    GString *s = g_string_new("@r");
    struct note n;

    for (int i = 0; i <= NOTE_KEYS; i++) {
        g_string_append(s, " k=1");
    }
    ck_assert(!note_parse(s->str, &n));
    g_string_free(s, TRUE);
}
END_TEST

/* --- adding up
 * ------------------------------------------------------------------------------------ */

static struct run *run;

static void setup(void)
{
    run = run_new();
}

static void teardown(void)
{
    run_free(run);
}

static void note(const char *line)
{
    struct note n;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    run_note(run, &n);
    note_clear(&n);
}

static void record(const char *line)
{
    struct trace_record r;

    ck_assert_msg(trace_parse(line, &r), "%s", line);
    run_record(run, &r);
}

/* Two kernels at once on channels 1 and 2 (by = channel + 1): each gets its own bytes. */
START_TEST(sums_belong_to_the_grid_of_their_channel)
{
    const struct run_region *region;
    const struct run_use *use;

    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=1");
    note("@region id=5 kind=managed cpu_cached=1 va=0x1000 size=4000 len=4096 "
         "api=cudaMallocManaged");
    note("@kernel id=1 name=_Z1aPi stream=0 grid=1,1,1 block=32,1,1");
    note("@kernel id=2 name=_Z1bPi stream=1 grid=1,1,1 block=32,1,1");
    record("100 igpu GRID_BEGIN by=2 channel=1 qmd=0x100 entry=0 grid_id=1");
    record("200 igpu GRID_BEGIN by=3 channel=2 qmd=0x200 entry=0 grid_id=2");
    record("300 igpu SUM_READ region=5 by=2 bytes=64 sectors=2 l2_hits=1 l2_misses=1");
    record("300 igpu SUM_WRITE region=5 by=3 bytes=32 lines=1 l2_hits=0 l2_misses=1");
    record("400 igpu GRID_END by=3 channel=2 qmd=0x200 warp_insts=7 ns=200");
    record("450 igpu SUM_READ region=5 by=2 bytes=64 sectors=2 l2_hits=2 l2_misses=0");
    record("500 igpu GRID_END by=2 channel=1 qmd=0x100 warp_insts=9 ns=300");
    region = run_region(run, 5);
    ck_assert_uint_eq(region->uses->len, 2);
    use = region->uses->pdata[0];
    ck_assert_str_eq(use->kernel->name, "a");
    ck_assert_uint_eq(use->sum.read_bytes, 128);
    ck_assert_uint_eq(use->sum.read_hits, 3);
    ck_assert_uint_eq(use->sum.write_bytes, 0);
    ck_assert_uint_eq(use->kernel->time_ns, 400);
    use = region->uses->pdata[1];
    ck_assert_str_eq(use->kernel->name, "b");
    ck_assert_uint_eq(use->sum.write_bytes, 32);
    ck_assert_uint_eq(use->kernel->time_ns, 200);
    ck_assert_uint_eq(region->agent[BUS_AGENT_IGPU].read_bytes, 128);
    ck_assert_uint_eq(run->time_ns, 500);
}
END_TEST

START_TEST(launches_of_one_shape_are_one_row)
{
    note("@kernel id=1 name=k grid=4,1,1 block=32,1,1");
    note("@kernel id=2 name=k grid=4,1,1 block=32,1,1");
    note("@kernel id=3 name=k grid=8,1,1 block=32,1,1");
    ck_assert_uint_eq(run->kernels->len, 2);
    ck_assert_uint_eq(((struct run_kernel *)run->kernels->pdata[0])->launches, 2);
    ck_assert_uint_eq(run->launches, 3);
}
END_TEST

START_TEST(evictions_are_no_use_of_a_region)
{
    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=0");
    note("@region id=5 kind=device va=0x1000 size=4096 len=4096");
    note("@kernel id=1 name=k");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
    record(
        "2 igpu SUM_PORT region=5 by=1 read_bytes=0 written_bytes=128 snooped_lines=0 atomics=0");
    ck_assert_uint_eq(run_region(run, 5)->uses->len, 0);
    record("2 igpu SUM_PORT region=5 by=1 read_bytes=0 written_bytes=0 snooped_lines=0 atomics=3");
    ck_assert_uint_eq(run_region(run, 5)->uses->len, 1);
}
END_TEST

START_TEST(maintenance_counts_operations_that_found_nothing)
{
    const struct run_region *region;

    record("0 driver REGION_ADD region=3 pa=0x80000000 len=4096 cpu_cached=1");
    record("1 cpu CPU_CLEAN region=3 pa=0x80000000 len=4096 lines=12");
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=4096 lines=0");
    record("3 cpu CPU_INVALIDATE region=3 pa=0x80000000 len=4096 lines=64 lost=0");
    record("4 host L2_CLEAN lines=2 bytes=100");
    region = run_region(run, 3);
    ck_assert_uint_eq(region->clean.ops, 2);
    ck_assert_uint_eq(region->clean.lines, 12);
    ck_assert_uint_eq(region->clean.empty, 1);
    ck_assert_uint_eq(region->invalidate.lines, 64);
    ck_assert_uint_eq(run->l2_clean.lines, 2);
    ck_assert_uint_eq(run->l2_clean_bytes, 100);
    ck_assert_uint_eq(region->number, 0); /* nobody announced it: driver memory */
}
END_TEST

/* A buffer that is allocated and freed once a frame is one buffer, with all that happened to it. */
START_TEST(buffer_of_one_line_freed_and_made_again_is_one)
{
    const struct run_region *region;

    for (int frame = 1; frame <= 3; frame++) {
        char *add = g_strdup_printf("@region id=%d kind=pinned va=0x%d000 size=4096 len=4096 "
                                    "api=cudaMallocHost where=a.cu:5",
                                    frame, frame);
        char *sum = g_strdup_printf(
            "1 cpu SUM_READ region=%d bytes=10 sectors=2 l2_hits=0 l2_misses=0", frame);
        char *site = g_strdup_printf("@site region=%d where=a.cu:6 loads=2 bytes=10", frame);
        char *copy = g_strdup_printf("@copy api=c dst=%d src=0 bytes=8", frame);
        char *gone = g_strdup_printf("@free id=%d", frame);

        note(add), record(sum), note(site), note(copy), note(gone);
        g_free(add), g_free(sum), g_free(site), g_free(copy), g_free(gone);
    }
    note("@region id=9 kind=pinned va=0x9000 size=4096 len=4096 api=cudaMallocHost where=a.cu:5");
    note("@region id=10 kind=pinned va=0xa000 size=4096 len=4096 api=cudaMallocHost where=a.cu:5");
    note("@end time_ns=5");
    ck_assert_uint_eq(run->regions->len, 2); /* the tenth lives beside the ninth */
    region = run->regions->pdata[0];
    ck_assert_uint_eq(region->times, 4);
    ck_assert_uint_eq(region->agent[BUS_AGENT_CPU].read_ops, 6);
    ck_assert_uint_eq(region->sites->len, 1);
    ck_assert_uint_eq(((struct run_site *)region->sites->pdata[0])->loads, 6);
    ck_assert_uint_eq(run->copies->len, 1);
    ck_assert_uint_eq(((struct run_copy *)run->copies->pdata[0])->count, 3);
    ck_assert_ptr_eq(run_region_at(run, 0x9004), region);
    ck_assert_uint_eq(run_region(run, 10)->number, 2);
}
END_TEST

START_TEST(same_finding_at_the_same_place_is_counted)
{
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:1 region=1");
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:1 region=1");
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:2 region=1");
    note("@finding rule=r where=a.cu:1 region=1 count=10");
    ck_assert_uint_eq(run->findings->len, 2);
    ck_assert_uint_eq(((struct run_finding *)run->findings->pdata[0])->count, 12);
}
END_TEST

START_TEST(sizes_and_times_read_well)
{
    static const struct {
        uint64_t value;
        const char *size, *time;
    } t[] = {
        { 0, "0 B", "0 ns" },
        { 999, "999 B", "999 ns" },
        { 1023, "1023 B", "1.0 us" },
        { 1024, "1.0 KiB", "1.0 us" },
        { 1536000, "1.5 MiB", "1.54 ms" },
        { UINT64_C(3) << 30, "3.0 GiB", "3.221 s" },
        { UINT64_MAX, "16777216.0 TiB", "18446744073.710 s" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(t); i++) {
        char *size = run_size_text(t[i].value), *time = run_time_text(t[i].value);

        ck_assert_str_eq(size, t[i].size);
        ck_assert_str_eq(time, t[i].time);
        g_free(size);
        g_free(time);
    }
}
END_TEST

/* --- advice: each with the numbers just below and just above -------------------------------------
 */

static const char tx2[] =
    "@run program=p soc=tx2 cc=62 io_coherent=0 os=linux cpu_hit_ps=1000 cpu_miss_ps=16000 "
    "cpu_uncached_ps=47900 cpu_line=64";
static const char orin[] =
    "@run program=p soc=orin cc=87 io_coherent=1 os=linux cpu_hit_ps=910 cpu_miss_ps=8500 "
    "cpu_uncached_ps=47900 cpu_line=64";

static const struct run_finding *advice_find(GPtrArray *advice, const char *rule)
{
    for (guint i = 0; i < advice->len; i++) {
        const struct run_finding *f = advice->pdata[i];

        if (strcmp(f->rule, rule) == 0) {
            return f;
        }
    }
    return NULL;
}

static void assert_advice(const char *rule, bool wanted)
{
    GPtrArray *advice = advice_make(run);

    ck_assert_msg((advice_find(advice, rule) != NULL) == wanted, "%s %s", rule,
                  wanted ? "missing" : "given");
    g_ptr_array_free(advice, TRUE);
}

static void assert_advice_says(const char *rule, const char *part)
{
    GPtrArray *advice = advice_make(run);
    const struct run_finding *f = advice_find(advice, rule);

    ck_assert_msg(f != NULL, "%s missing", rule);
    ck_assert_msg(strstr(f->text, part) || strstr(f->todo, part) || strstr(f->section, part),
                  "'%s' is not in: %s / %s", part, f->text, f->todo);
    g_ptr_array_free(advice, TRUE);
}

static void buffers(void)
{
    note("@region id=1 kind=pinned va=0x100000 size=1048576 len=1048576 api=cudaMallocHost");
    note("@region id=2 kind=device va=0x200000 size=1048576 len=1048576 api=cudaMalloc");
    note("@region id=3 kind=managed cpu_cached=1 va=0x300000 size=1048576 len=1048576 "
         "api=cudaMallocManaged");
    note("@kernel id=1 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
}

START_TEST(copy_between_pinned_and_device_is_unneeded)
{
    note(orin);
    buffers();
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=1048576 where=a.cu:9");
    record("2 igpu SUM_READ region=2 by=1 bytes=1048576 sectors=32768 l2_hits=0 l2_misses=32768");
    assert_advice_says("copy-unneeded", "cudaMemcpy copied 1.0 MiB in 1 call from #1");
    assert_advice_says("copy-unneeded", "1.0 times its size (k)");
    assert_advice_says("copy-unneeded", "cudaMallocHost"); /* used once: pinned will do */
    record("2 igpu SUM_READ region=2 by=1 bytes=4194304 sectors=1 l2_hits=0 l2_misses=0");
    assert_advice_says("copy-unneeded", "cudaMallocManaged"); /* five times: cached is better */
}
END_TEST

START_TEST(copies_that_move_nothing_needless_get_no_advice)
{
    note(orin);
    buffers();
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=65535");   /* small */
    note("@copy api=cudaMemcpy dst=2 src=2 bytes=1048576"); /* inside the device */
    note("@copy api=cudaMemcpy dst=3 src=0 bytes=1048576"); /* pageable to managed */
    assert_advice("copy-unneeded", false);
    note("@copy api=cudaMemcpy dst=2 src=0 bytes=1048576"); /* pageable to device */
    assert_advice_says("copy-unneeded", "from pageable memory to #2");
}
END_TEST

/* 3.2, readImage(). 2087 accesses * 47.9 ns = 99.97 us, 2088: 100.02 us, against 2.1 us + 130 * 16
 * ns. */
START_TEST(uncached_cpu_accesses_from_100_us_on)
{
    note(tx2);
    buffers();
    record("2 cpu SUM_WRITE region=1 bytes=8348 lines=2087 l2_hits=0 l2_misses=0");
    assert_advice("pinned-uncached-cpu", false);
    record("2 cpu SUM_WRITE region=1 bytes=4 lines=1 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-uncached-cpu", "2088 accesses to pinned #1");
    assert_advice_says("pinned-uncached-cpu", "about 100.0 us, against 4.2 us");
    assert_advice_says("pinned-uncached-cpu", "CUDA for Tegra 3.2");
}
END_TEST

START_TEST(cached_pinned_memory_is_no_matter)
{
    note(orin);
    note("@region id=1 kind=pinned cpu_cached=1 va=0x100000 size=1048576 len=1048576");
    record("2 cpu SUM_WRITE region=1 bytes=8348000 lines=2087000 l2_hits=0 l2_misses=0");
    assert_advice("pinned-uncached-cpu", false);
}
END_TEST

/* @n buffers of 100 bytes that one line made, each read by a kernel; ids from @first. */
static void pool(unsigned first, unsigned n, unsigned line)
{
    char text[200];

    for (unsigned i = first; i < first + n; i++) {
        g_snprintf(
            text, sizeof(text),
            "@region id=%u kind=pinned va=0x%x size=100 len=4096 api=cudaMallocHost where=a.cu:%u",
            i, 0x100000 * i, line);
        note(text);
        g_snprintf(text, sizeof(text),
                   "2 igpu SUM_READ region=%u by=1 bytes=64 sectors=2 l2_hits=0 l2_misses=0", i);
        record(text);
    }
}

/* Five and more of one line are one entry with the sums of all; four are four. JSON keeps each. */
START_TEST(buffers_of_one_line_are_told_together)
{
    const struct group *g;
    GPtrArray *groups;

    note(orin);
    note("@kernel id=1 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
    pool(10, 4, 7);
    pool(20, 2, 9);
    pool(30, 3, 9);
    groups = groups_make(run);
    ck_assert_uint_eq(groups->len, 5);
    g = groups->pdata[4];
    ck_assert_uint_eq(g->members->len, 5);
    ck_assert_uint_eq(g->sum.number, 5);
    ck_assert_uint_eq(g->same_size, 100);
    ck_assert_uint_eq(g->sum.size, 500);
    ck_assert_uint_eq(g->sum.agent[BUS_AGENT_IGPU].read_bytes, 5 * 64);
    ck_assert_uint_eq(g->sum.uses->len, 1);
    ck_assert_uint_eq(((struct run_use *)g->sum.uses->pdata[0])->sum.read_ops, 5 * 2);
    ck_assert_uint_eq(((struct group *)groups->pdata[0])->members->len, 1);
    ck_assert_uint_eq(run_region(run, 20)->agent[BUS_AGENT_IGPU].read_bytes, 64);
    g_ptr_array_unref(groups);
}
END_TEST

/* A line that makes a buffer again is not the same buffer that a kernel used before. */
START_TEST(the_newest_kernel_that_used_a_buffer_is_known)
{
    note(orin);
    note("@kernel id=4 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=4");
    pool(10, 2, 7);
    ck_assert_uint_eq(run_region(run, 11)->last_grid, 4);
    note("@free id=11");
    note("@region id=12 kind=pinned va=0xc00000 size=100 len=4096 api=cudaMallocHost where=a.cu:7");
    ck_assert_ptr_eq(run_region(run, 12), run_region(run, 11));
    ck_assert_uint_eq(run_region(run, 12)->last_grid, 0);
    ck_assert_uint_eq(run_region(run, 10)->last_grid, 4);
}
END_TEST

START_TEST(pinned_memory_read_more_than_twice_by_kernels)
{
    note(orin);
    buffers();
    record("2 igpu SUM_READ region=1 by=1 bytes=2097152 sectors=65536 l2_hits=0 l2_misses=0");
    assert_advice("pinned-gpu-repeat", false);
    record("2 igpu SUM_READ region=1 by=1 bytes=2097152 sectors=65536 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-gpu-repeat", "k read 4.0 MiB from pinned #1");
    assert_advice_says("pinned-gpu-repeat", "4.0 times its size");
}
END_TEST

START_TEST(managed_memory_of_the_igpu_alone_should_be_device_memory)
{
    note(orin);
    buffers();
    record("2 igpu SUM_WRITE region=3 by=1 bytes=1024 lines=8 l2_hits=0 l2_misses=0");
    assert_advice("device-memory-fits", false); /* the CPU is seen per page only: who knows */
    note("@hooks");
    assert_advice_says("device-memory-fits", "only the iGPU touched it (k)");
    record("3 cpu SUM_READ region=3 bytes=4 sectors=1 l2_hits=0 l2_misses=1");
    assert_advice("device-memory-fits", false);
}
END_TEST

START_TEST(hint_where_maintenance_found_nothing_eight_times)
{
    note(orin);
    buffers();
    for (int i = 0; i < 7; i++) {
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    }
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=9");
    assert_advice("managed-hint", false);
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    assert_advice_says("managed-hint", "maintained 9 times");
    assert_advice_says("managed-hint", "8 of them found no line");
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice("managed-hint", false); /* it gives hints */
}
END_TEST

START_TEST(safety_context_wants_pinned_memory)
{
    note("@run program=p soc=orin cc=87 os=qnx safety=1");
    buffers();
    assert_advice_says("managed-safety", "#3");
    assert_advice_says("managed-safety", "CUDA for Tegra 3.1, Note");
}
END_TEST

/* 3.1 and 3.2: which of the two kinds replaces the copy. */
static const struct {
    const char *run, *record, *todo;
} instead[] = {
    { "@run program=p soc=orin cc=87 io_coherent=1 os=qnx safety=1 cpu_line=64", NULL,
      "allocate one pinned buffer" },
    { orin, NULL, "give the kernels a pinned buffer" },
    { orin, "2 igpu SUM_READ region=2 by=1 bytes=3145728 sectors=98304 l2_hits=0 l2_misses=0",
      "and the kernels use it repeatedly" },
    { tx2, "2 cpu SUM_READ region=1 bytes=1048576 sectors=16385 l2_hits=0 l2_misses=0",
      "Pinned memory would not do" },
    { tx2, "2 cpu SUM_READ region=1 bytes=1048576 sectors=16384 l2_hits=0 l2_misses=0",
      "give the kernels a pinned buffer" },
    { orin, "2 cpu SUM_READ region=1 bytes=1048576 sectors=16385 l2_hits=0 l2_misses=0",
      "give the kernels a pinned buffer" },
};

START_TEST(what_replaces_a_copy_depends_on_who_comes_back_to_it)
{
    note(instead[_i].run);
    buffers();
    if (instead[_i].record) {
        record(instead[_i].record);
    }
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=1048576");
    assert_advice_says("copy-unneeded", instead[_i].todo);
}
END_TEST

START_TEST(many_small_copies_are_small)
{
    note(orin);
    buffers();
    for (int i = 0; i < 64; i++) {
        note("@copy api=cudaMemcpy dst=2 src=1 bytes=65535");
    }
    assert_advice("copy-unneeded", false);
}
END_TEST

START_TEST(hints_are_of_no_use_on_qnx)
{
    note("@run program=p soc=orin cc=87 os=qnx");
    buffers();
    for (int i = 0; i < 8; i++) {
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    }
    assert_advice("managed-hint", false);
    assert_advice("qnx-hints", false);
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice_says("qnx-hints", "1 attachment hints");
}
END_TEST

START_TEST(small_managed_buffers_should_be_pinned)
{
    note(_i ? "@run program=p soc=orin cc=87 os=qnx safety=1" : orin);
    buffers();
    note("@region id=4 kind=managed cpu_cached=1 va=0x500000 size=65535 len=65536 "
         "api=cudaMallocManaged");
    for (int i = 0; i < 8; i++) {
        assert_advice("small-pinned", false);
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=1");
        record("2 cpu CPU_CLEAN region=4 pa=0x80200000 len=65536 lines=1");
    }
    if (_i) { /* there it is managed-safety */
        assert_advice("small-pinned", false);
    } else {
        assert_advice_says("small-pinned", "#4");
        assert_advice("managed-safety", false);
    }
}
END_TEST

START_TEST(unsupported_calls_get_the_way_that_the_note_names)
{
    note(tx2);
    note("@unsupported api=cudaMemPrefetchAsync detail=cudaErrorInvalidDevice where=a.cu:3");
    note("@unsupported api=cudaHostRegister detail=cudaErrorNotSupported");
    assert_advice_says("prefetch-unsupported", "cudaStreamAttachMemAsync");
    assert_advice_says("host-register-unsupported", "cudaMallocHost");
}
END_TEST

START_TEST(attach_to_host_right_after_a_launch)
{
    note(orin);
    buffers(); /* ends in a launch */
    note("@sync stream=0");
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice("attach-after-launch", false);
    note("@kernel id=2 name=k grid=1,1,1 block=32,1,1");
    note("@attach region=3 state=host prefetch=none stream=0");
    assert_advice_says("attach-after-launch", "1 attachment to the host");
}
END_TEST

static void add_units(Suite *s)
{
    TCase *t = tcase_create("units");

    tcase_add_loop_test(t, kernel_names_are_demangled, 0, G_N_ELEMENTS(names));
    tcase_add_test(t, deep_nesting_ends);
    tcase_add_test(t, many_arguments_are_read);
    tcase_add_loop_test(t, builtin_types_are_those_of_the_abi, 0, G_N_ELEMENTS(builtins));
    tcase_add_test(t, deep_stacks_are_cut);
    tcase_add_test(t, innermost_caller_is_the_first_of_all);
    tcase_add_test(t, interrupted_place_is_the_instruction_itself);
    tcase_add_loop_test(t, our_libraries_are_known_by_name, 0, G_N_ELEMENTS(libraries));
    tcase_add_loop_test(t, paths_are_relative_with_one_parent, 0, G_N_ELEMENTS(paths));
    tcase_add_test(t, caller_is_the_line_of_the_call);
    tcase_add_test(t, inlined_wrapper_is_not_the_place_but_the_call);
    tcase_add_test(t, unknown_addresses_have_no_place);
    tcase_add_test(t, notes_survive_any_text);
    tcase_add_loop_test(t, malformed_notes_are_refused, 0, G_N_ELEMENTS(no_notes));
    tcase_add_test(t, too_many_keys_are_refused);
    tcase_add_test(t, sizes_and_times_read_well);
    suite_add_tcase(s, t);
}

static void add_sums(Suite *s)
{
    TCase *t = tcase_create("sums");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, sums_belong_to_the_grid_of_their_channel);
    tcase_add_test(t, launches_of_one_shape_are_one_row);
    tcase_add_test(t, evictions_are_no_use_of_a_region);
    tcase_add_test(t, maintenance_counts_operations_that_found_nothing);
    tcase_add_test(t, buffer_of_one_line_freed_and_made_again_is_one);
    tcase_add_test(t, same_finding_at_the_same_place_is_counted);
    suite_add_tcase(s, t);
}

static void add_advice(Suite *s)
{
    TCase *t = tcase_create("advice");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, copy_between_pinned_and_device_is_unneeded);
    tcase_add_test(t, copies_that_move_nothing_needless_get_no_advice);
    tcase_add_test(t, uncached_cpu_accesses_from_100_us_on);
    tcase_add_test(t, cached_pinned_memory_is_no_matter);
    tcase_add_test(t, buffers_of_one_line_are_told_together);
    tcase_add_test(t, the_newest_kernel_that_used_a_buffer_is_known);
    tcase_add_test(t, pinned_memory_read_more_than_twice_by_kernels);
    tcase_add_test(t, managed_memory_of_the_igpu_alone_should_be_device_memory);
    tcase_add_test(t, hint_where_maintenance_found_nothing_eight_times);
    tcase_add_loop_test(t, what_replaces_a_copy_depends_on_who_comes_back_to_it, 0,
                        G_N_ELEMENTS(instead));
    tcase_add_test(t, many_small_copies_are_small);
    tcase_add_test(t, hints_are_of_no_use_on_qnx);
    tcase_add_loop_test(t, small_managed_buffers_should_be_pinned, 0, 2);
    tcase_add_test(t, safety_context_wants_pinned_memory);
    tcase_add_test(t, unsupported_calls_get_the_way_that_the_note_names);
    tcase_add_test(t, attach_to_host_right_after_a_launch);
    suite_add_tcase(s, t);
}

int main(void)
{
    Suite *s = suite_create("check");
    SRunner *runner;
    int failed;

    add_units(s);
    add_sums(s);
    add_advice(s);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
