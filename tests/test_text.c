/* SPDX-License-Identifier: MIT */
/* The words of the report, number by number: each line from the values that it stands for. */
#include <check.h>
#include <string.h>

#include "checker/print/group.h"
#include "checker/print/text.h"
#include "checker/rules/memory_kinds.h"
#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

#define HEADER "@run program=app soc=orin module=M cc=87 os=linux policy=lazy evict=never seed=5\n"
#define PINNED \
    "@region id=5 kind=pinned va=0x1000 size=4096 len=4096 api=cudaMallocHost where=a.cu:1\n"
#define CACHED \
    "@region id=5 kind=managed cpu_cached=1 va=0x1000 size=4096 len=4096 api=cudaMallocManaged\n"
#define DEVICE "@region id=5 kind=device va=0x1000 size=4096 len=4096 api=cudaMalloc\n"
#define KERNEL "@kernel id=1 name=k grid=1,1,1 block=32,1,1\n"
#define AUTO                                                                            \
    "@run program=app soc=orin module=M cc=87 os=linux policy=lazy evict=never seed=5 " \
    "kernel_races=1 kernel_races_auto=1\n"
/* A launch of kernel @id that ends; @sampled: a record of it */
#define LAUNCH(id, name, sampled)                                                  \
    "@kernel id=" #id " name=" #name " grid=1,1,1 block=32,1,1\n"                  \
    "1 igpu GRID_BEGIN by=1 channel=1 qmd=0x100 entry=0 grid_id=" #id "\n" sampled \
    "2 igpu GRID_END by=1 channel=1 qmd=0x100 warp_insts=1 ns=1\n"
#define SAMPLED(id, blocks, some) \
    "2 igpu KERNEL_SAMPLED by=1 channel=1 grid_id=" #id " blocks=" #blocks " some=" #some "\n"

static GPtrArray *advice;

static void open_it(void)
{
    setup();
    advice = g_ptr_array_new();
}

static void close_it(void)
{
    g_ptr_array_unref(advice);
    teardown();
}

/* Notes and records, a line each. */
static void tell(const char *lines)
{
    g_auto(GStrv) all = g_strsplit(lines, "\n", -1);

    for (char **line = all; *line; line++) {
        if (**line == '@') {
            note(*line);
        } else if (**line) {
            record(*line);
        }
    }
}

static struct run_count *of(enum bus_agent agent)
{
    return &run_region(run, 5)->agent[agent];
}

static void assert_text(const char *text, const char *has, const char *has_not)
{
    ck_assert_msg(!has || strstr(text, has), "'%s' is not in:\n%s", has, text);
    ck_assert_msg(!has_not || !strstr(text, has_not), "'%s' is in:\n%s", has_not, text);
}

/* Headings begin at the left, names two columns in, what belongs to one further in: always by even
 * steps, so that a column that is one off stands out. */
static char *report_print(void)
{
    char *text = text_report(&(struct report){ .run = run, .advice = advice }, false);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        ck_assert_msg(strspn(line, " ") % 2 == 0, "an odd column:\n%s", line);
    }
    return text;
}

static void assert_report(const char *has, const char *has_not)
{
    g_autofree char *text = report_print();

    assert_text(text, has, has_not);
}

/* As if its lines had no end. */
static void assert_wrapped(const char *has, const char *has_not)
{
    g_autofree char *text = report_print();
    g_autoptr(GRegex) wraps = g_regex_new("\n {4,}", 0, 0, NULL);
    g_autofree char *flat = g_regex_replace_literal(wraps, text, -1, 0, " ", 0, NULL);

    assert_text(flat, has, has_not);
}

/* The lines of the report from @first to @last, without either. */
static char *section(const char *first, const char *last)
{
    g_autofree char *text = text_report(&(struct report){ .run = run, .advice = advice }, false);
    const char *from = strstr(text, first), *to;

    ck_assert_msg(from != NULL, "no '%s' in:\n%s", first, text);
    from = strchr(from, '\n') + 1;
    to = strstr(from, last);
    ck_assert_msg(to != NULL, "no '%s' in:\n%s", last, from);
    return g_strndup(from, (gsize)(to - from));
}

static void assert_section(const char *first, const char *last, const char *wanted)
{
    g_autofree char *got = section(first, last);

    ck_assert_str_eq(got, wanted);
}

/* --- what notes alone say --------------------------------------------------------------------- */

static const struct {
    const char *told, *has, *has_not;
} notes[] = {
    /* the head */
    { HEADER, "  program       app\n", NULL },
    { HEADER, "orin: M, compute capability 8.7, not I/O coherent\n", NULL },
    { "@run soc=orin io_coherent=1\n", "I/O coherent (one way: the iGPU snoops", "not I/O" },
    { "@run soc=thor io_coherent=1 cpu_snoops_l2=1\n", "coherent both ways", "one way" },
    { "@run soc=orin safety=1 seed=5\n", "seed 5, safety context\n", NULL },
    { HEADER, "seed 5\n", "safety" },
    /* code without hooks is named, six of each */
    { HEADER "@hooks\n@object name=app hooks=some\n@without-hooks object=app file=a.c\n"
             "@without-hooks object=app file=b.c\n@without-hooks object=app file=c.c\n"
             "@without-hooks object=app file=d.c\n@without-hooks object=app file=e.c\n"
             "@without-hooks object=app file=f.c\n",
      "without hooks of app a.c, b.c, c.c, d.c, e.c, f.c\n", NULL },
    { HEADER "@hooks\n@object name=app hooks=some\n@without-hooks object=app file=a.c\n"
             "@without-hooks object=app file=b.c\n@without-hooks object=app file=c.c\n"
             "@without-hooks object=app file=d.c\n@without-hooks object=app file=e.c\n"
             "@without-hooks object=app file=f.c\n@without-hooks object=app file=g.c\n"
             "@without-hooks object=app file=h.c\n",
      "without hooks of app a.c, b.c, c.c, d.c, e.c, f.c and 2 more\n", NULL },
    { HEADER "@hooks\n@object name=app hooks=some\n@without-hooks object=app function=f\n"
             "@without-hooks object=app function=g\n",
      "without hooks of app what was compiled without -g: f, g\n", NULL },
    { HEADER "@hooks\n@object name=app hooks=some\n@without-hooks object=app file=a.c\n"
             "@object name=b.so hooks=none\n@object name=c.so hooks=all\n",
      "without hooks of app a.c; b.so\n", "c.so" },
    { HEADER "@object name=b.so hooks=none\n", NULL, "without hooks" }, /* nobody has any */
    /* what was not checked */
    { HEADER PINNED, "no access was checked", "atomics of the CPU" },
    { HEADER "@hooks\n@object name=app hooks=all\n" PINNED, NULL, "not checked" },
    { HEADER "@region id=5 kind=pinned cpu_cached=1 size=64\n", NULL, "not checked" },
    { HEADER KERNEL, "not checked   races between the threads of one kernel",
      "atomics of the CPU" },
    { AUTO LAUNCH(1, scan, "") LAUNCH(2, scan, ""),
      "threads       races between the threads of each launch were looked for\n", "whole" },
    { AUTO LAUNCH(1, scan, "") LAUNCH(2, scan, SAMPLED(2, 0, 0)),
      "races inside kernels were looked for in scan: 1 of 2 launches (--races on checks\n",
      "whole" },
    { AUTO LAUNCH(1, scan, SAMPLED(1, 3, 1)) LAUNCH(2, sum, ""),
      "looked for in 1 kernel whole; scan: 0 of 1 launches, a\n", NULL },
    { AUTO LAUNCH(1, a, SAMPLED(1, 0, 0)) LAUNCH(2, b, SAMPLED(2, 0, 0))
          LAUNCH(3, c, SAMPLED(3, 0, 0)) LAUNCH(4, d, SAMPLED(4, 0, 0))
              LAUNCH(5, e, SAMPLED(5, 0, 0)) LAUNCH(6, f, SAMPLED(6, 0, 0)),
      "d: 0 of 1 launches; 2 more kernels in part", "e: 0" },
    { HEADER PINNED, NULL, "whether the CPU waits" },
    { HEADER "@free_threads threads=2 explore=\"vtegra explore -- ./app\"\n",
      "  CPU threads   2 made calls of CUDA", "NOT CHECKED" },
    { HEADER "@free_threads threads=1 explore=\"vtegra explore -- ./app\"\n", NULL, "CPU threads" },
    { HEADER "@hooks\n@region id=5 kind=pageable cpu_cached=1\n", NULL, "races in pageable" },
    /* buffers */
    { HEADER PINNED, "  #1  pinned         4.0 KiB   CPU uncached    iGPU uncached\n", NULL },
    { HEADER CACHED, "  #1  managed        4.0 KiB   CPU cached      iGPU cached\n", NULL },
    { HEADER DEVICE, "  #1  device         4.0 KiB   CPU no access   iGPU cached\n", NULL },
    { HEADER "@region id=5 kind=managed size=64 attached=host\n", "iGPU cached, attached host\n",
      "allocated" },
    { HEADER PINNED, "      allocated     cudaMallocHost at a.cu:1\n", NULL },
    { HEADER PINNED "@free id=5\n"
                    "@region id=6 kind=pinned va=0x1000 size=4096 len=4096 api=cudaMallocHost "
                    "where=a.cu:1\n",
      "      allocated     cudaMallocHost at a.cu:1, 2 times\n", "#2" },
    { HEADER PINNED, "      use           no access was observed\n", "driver's own" },
    { HEADER PINNED "@site region=5 where=a.cu:3 loads=1\n@end time_ns=1\n", NULL, "nobody" },
    { HEADER "0 driver REGION_ADD region=9 pa=0x80000000 len=4096 cpu_cached=0\n"
             "0 driver REGION_ADD region=8 pa=0x80001000 len=8192 cpu_cached=0\n" PINNED,
      "  and 12.0 KiB of the driver's own (command buffers, page tables, code)\n", NULL },
    /* places: the three busiest */
    { HEADER PINNED "@site region=5 where=a.cu:3 loads=1 stores=1 atomics=1\n",
      "                    1 load, 1 store, 1 atomic at a.cu:3\n", "more lines" },
    { HEADER PINNED "@site region=5 where=a.cu:3 loads=3 stores=2 atomics=2\n"
                    "@site region=5 where=a.cu:4 loads=3\n@site region=5 stores=2\n",
      "                    3 loads, 2 stores, 2 atomics at a.cu:3\n"
      "                    3 loads at a.cu:4\n                    2 stores at ?\n",
      "more lines" },
    { HEADER PINNED "@site region=5 where=a.cu:3 loads=3\n@site region=5 where=a.cu:4 loads=3\n"
                    "@site region=5 where=a.cu:5 loads=3\n@site region=5 where=a.cu:6 loads=3\n"
                    "@site region=5 where=a.cu:7 loads=3\n",
      "                    and at 2 more lines\n", "a.cu:6" },
    /* kernels */
    { HEADER "@kernel id=1 name=k grid=2,1,1 block=32,1,1\n",
      "  k                       2           32           1       0 ns        -        0 B        "
      "0 "
      "B\n"
      "                          1 of them did not end\n",
      NULL },
    { HEADER "@kernel id=1 name=k grid=2,3,1 block=32,1,2\n",
      "  k                       2x3         32x1x2       1 ", NULL },
    { HEADER "@kernel id=1 name=a_kernel_of_23_letters_ grid=2,1,1 block=32,1,1\n",
      "  a_kernel_of_23_letters_ 2           32 ", NULL },
    { HEADER "@kernel id=1 name=a_kernel_of_24_letters__ grid=2,1,1 block=32,1,1\n",
      "  a_kernel_of_24_letters__\n                          2           32 ", NULL },
    { HEADER, NULL, "Kernels" },
    /* copies */
    { HEADER PINNED "@copy api=cudaMemcpy dst=5 src=0 bytes=64\n",
      "  pageable -> #1             64 B in 1 call of cudaMemcpy\n", NULL },
    { HEADER PINNED "@copy api=cudaMemcpy dst=5 src=9 bytes=64 where=a.cu:2\n"
                    "@copy api=cudaMemcpy dst=5 src=9 bytes=64 where=a.cu:2\n",
      "    driver -> #1            128 B in 2 calls of cudaMemcpy at a.cu:2\n", NULL },
    { HEADER, NULL, "Copies" },
    /* calls that failed */
    { HEADER "@error api=cudaMalloc detail=cudaErrorX section=\"a section\" where=a.cu:6\n",
      "\nCalls that returned an error\n"
      "  cudaMalloc returned cudaErrorX (a section), 1 time, at a.cu:6\n",
      "not support" },
    { HEADER "@error api=cudaMalloc detail=cudaErrorMemoryAllocation section=\"what is longer than "
             "the rest of the line has room for\"\n",
      "line has\n    room for), 1 time\n", NULL },
    { HEADER "@hooks\n@object name=app hooks=unknown\n", "\n  hooks unknown ", NULL },
    { HEADER "@unsupported api=cudaX\n@unsupported api=cudaX\n",
      "\nCalls that this board does not support\n  cudaX: an error, 2 times\n", "returned" },
    /* findings */
    { HEADER "@finding rule=r severity=error text=\"It was.\"\n",
      "  1. error: It was.\n      rule          r (documented: ours)\n\nAdvice", NULL },
    { HEADER "@finding rule=r severity=warning standing=measured section=s\n",
      "  1. warning: r\n      rule          r (measured: s)\n\nAdvice", NULL },
    { HEADER PINNED KERNEL "@finding rule=r severity=error text=T standing=inferred section=s "
                           "where=a.cu:7 region=5 offset=0x10 kernel=k other=O todo=D\n",
      "  1. error: T\n"
      "      where         a.cu:7\n"
      "      buffer        #1 (cudaMallocHost 4.0 KiB at a.cu:1), offset 0x10\n"
      "      kernel        k\n"
      "      against       O\n"
      "      rule          r (inferred: s)\n"
      "      what to do    D\n"
      "\nAdvice",
      NULL },
    { HEADER PINNED "@finding rule=r severity=error text=T region=5\n",
      "      buffer        #1 (cudaMallocHost 4.0 KiB at a.cu:1)\n", "offset" },
    /* findings are read with the policy in mind */
    { HEADER "@finding rule=r severity=error text=T\n",
      "policy lazy (queued work runs as late as the API allows)", NULL },
    { HEADER, "linux, policy lazy, evictions never, seed 5\n", "queued work" },
    /* a command is for a shell: one line */
    { HEADER "@finding rule=r severity=error text=T run=\"vtegra run --soc orin --policy seeded "
             "--seed 1234567890 --evict random -- ./a_program_of_a_long_name with arguments\"\n",
      "      seen with     vtegra run --soc orin --policy seeded --seed 1234567890 --evict random "
      "-- ./a_program_of_a_long_name with arguments\n",
      NULL },
    { HEADER "@finding rule=r severity=error text=T count=2\n", "  1. error: T (2 times)\n", NULL },
    { HEADER "@finding rule=r severity=error text=T\n", "  1. error: T\n", "times" },
    { HEADER "@region id=5 kind=pinned size=64 len=64 api=m where=a.cu:1\n"
             "@region id=6 kind=pinned size=64 len=64 api=m where=a.cu:1\n"
             "@finding rule=r severity=error text=T pair=p region=5\n"
             "@finding rule=r severity=error text=T pair=p region=6\n",
      "T (2 times, in 2 buffers; what follows is the first)\n", NULL },
    { HEADER "@finding rule=r severity=error text=T pair=p streams=2\n"
             "@finding rule=r severity=error text=T pair=p streams=3 count=2\n",
      "T (3 times, in 2 streams; what follows is the first)\n", "pairs" },
    { HEADER "@finding rule=r severity=error text=T pair=p streams=2,5\n"
             "@finding rule=r severity=error text=T pair=p streams=3,5\n",
      "T (2 times, in 2 pairs of streams; what follows is the first)\n", NULL },
    { HEADER, "\nFindings\n  none; no access was checked for races", NULL },
    { "@run soc=orin hb=1\n", "\nFindings\n  none\n", NULL },
    { HEADER, "\nAdvice\n  none follows from this run's numbers\n", NULL },
    /* of each word the next line if it would end behind column 96 */
    { HEADER "@finding rule=r severity=error text=\"a23456789012345678901234567890 "
             "b23456789012345678901234567890 c2345678901234567890 d\"\n",
      "  1. error: a23456789012345678901234567890 b23456789012345678901234567890 "
      "c2345678901234567890 d\n",
      NULL },
    { HEADER "@finding rule=r severity=error text=\"a23456789012345678901234567890 "
             "b23456789012345678901234567890 c23456789012345678901 d\"\n",
      "c23456789012345678901\n      d\n", NULL },
    { HEADER "@finding rule=r severity=error text=\"a23456789012345678901234567890 "
             "b23456789012345678901234567890 c23456789012345678901234567890 "
             "d23456789012345678901234567890 e234567890123456789012345678 f\"\n",
      "      c23456789012345678901234567890 d23456789012345678901234567890 "
      "e234567890123456789012345678\n      f\n",
      NULL },
    { HEADER "@finding rule=r severity=error text=\"a  b   c\"\n", "  1. error: a b c\n", NULL },
};

START_TEST(each_note_has_its_words)
{
    tell(notes[_i].told);
    if (strstr(notes[_i].told, "hb=1")) {
        run->checked = run->hooks = true;
    }
    assert_report(notes[_i].has, notes[_i].has_not);
}
END_TEST

/* Columns are letters, not bytes. */
START_TEST(letters_of_two_bytes_are_one_column)
{
    tell(HEADER "@finding rule=r severity=error text=\"a23456789012345678901234567890 "
                "b23456789012345678901234567890 c2345678901234567\303\2440\303\244 d\"\n");
    assert_report("c2345678901234567\303\2440\303\244 d\n", NULL);
}
END_TEST

/* --- what was counted ------------------------------------------------------------------------- */

START_TEST(the_cpus_accesses_are_told)
{
    tell(HEADER "@hooks\n" CACHED);
    *of(BUS_AGENT_CPU) = (struct run_count){
        .read_ops = 1, .read_bytes = 8, .write_ops = 2, .write_bytes = 16, .atomics = 1
    };
    assert_report("      CPU           1 load, read 8 B, 2 stores, wrote 16 B, 1 of them atomic\n",
                  "nobody");
    of(BUS_AGENT_CPU)->read_hits = 10;
    of(BUS_AGENT_CPU)->write_hits = 20;
    of(BUS_AGENT_CPU)->read_misses = 3;
    of(BUS_AGENT_CPU)->write_misses = 4;
    assert_report("; cache hits 30,\n                    misses 7\n", "uncached");
    run_region(run, 5)->cpu_cached = false;
    assert_report("1 of them atomic; all 3 uncached\n", "cache hits");
    *of(BUS_AGENT_CPU) = (struct run_count){ .write_ops = 1, .write_bytes = 4 };
    assert_report("      CPU           1 store, wrote 4 B; all 1 uncached\n", "load");
    *of(BUS_AGENT_CPU) = (struct run_count){ 0 };
    assert_report("no access was observed", "      CPU  ");
}
END_TEST

/* Without hooks all that is known of the CPU are lines that others found changed. */
START_TEST(pages_tell_which_lines_the_cpu_wrote)
{
    tell(HEADER CACHED);
    assert_report(NULL, "      CPU  ");
    run_region(run, 5)->clean.lines = 1;
    run_region(run, 5)->clean_invalidate.lines = 20;
    run_region(run, 5)->invalidate.lines = 4000; /* dropped, whatever was in them */
    of(BUS_AGENT_IGPU)->snooped_lines = 300;
    assert_report(
        "      CPU           wrote: 21 dirty lines written back, 300 lines taken from the "
        "CPU's cache by\n                    engines (snoop hits)\n",
        "nobody");
    of(BUS_AGENT_CPU)->read_ops = 1; /* each access is known */
    assert_report("1 load", "dirty lines");
    of(BUS_AGENT_CPU)->read_ops = 0;
    run->hooks = true;
    assert_report(NULL, "dirty lines");
}
END_TEST

START_TEST(pages_do_not_show_uncached_memory)
{
    static const char unseen[] =
        "CPU           accesses to uncached memory are not seen per page\n";

    tell(HEADER PINNED);
    assert_report(unseen, NULL);
    run_region(run, 5)->cpu_cached = true;
    assert_report(NULL, unseen);
    run_region(run, 5)->cpu_cached = false;
    run_region(run, 5)->kind = RUN_DEVICE; /* which the CPU cannot touch at all */
    assert_report(NULL, unseen);
}
END_TEST

/* Memory that stays open to the CPU while engines use it: a line for each such buffer, in the
 * findings. */
static const struct {
    const char *told;
    bool hooks, written, says;
} open_outputs[] = {
    { HEADER PINNED, false, true, true },
    { HEADER PINNED, true, true, false },
    { HEADER PINNED, false, false, false },
    { HEADER PINNED "@watched id=5\n", false, true, false },
    { HEADER PINNED "@watched id=5\n@unseen by=io_uring\n", false, true, true },
    { HEADER CACHED, false, true, false },
    { HEADER DEVICE, false, true, false },
    { HEADER "@region id=5 kind=pinned registered=1 cpu_cached=1 size=64\n", false, true, true },
    { HEADER "@region id=5 kind=shared cpu_cached=1 size=64\n", false, true, true },
    { "@run soc=thor hb=1 cpu_snoops_l2=1\n" CACHED, false, true, true },
    { "@run soc=thor hb=1 cpu_snoops_l2=1\n" DEVICE, false, true, false },
};

START_TEST(buffers_whose_accesses_are_not_seen_are_named)
{
    static const char wait[] = "whether the CPU waits before it touches what an engine";

    tell(open_outputs[_i].told);
    run->checked = true;
    run->hooks = open_outputs[_i].hooks;
    for (unsigned how = 0; how < 4; how++) {
        of(BUS_AGENT_IGPU)->write_bytes = of(BUS_AGENT_IGPU)->port_write_bytes =
            of(BUS_AGENT_IGPU)->atomics = of(BUS_AGENT_CE)->write_bytes = 0;
        *(how == 0   ? &of(BUS_AGENT_IGPU)->write_bytes
          : how == 1 ? &of(BUS_AGENT_IGPU)->port_write_bytes
          : how == 2 ? &of(BUS_AGENT_IGPU)->atomics
                     : &of(BUS_AGENT_CE)->write_bytes) = open_outputs[_i].written;
        assert_wrapped(open_outputs[_i].says ? wait : NULL, open_outputs[_i].says ? NULL : wait);
    }
}
END_TEST

START_TEST(what_engines_only_read_may_change_too_early)
{
    tell(HEADER "@region id=5 kind=pinned cpu_cached=1 size=64\n");
    run->checked = true;
    assert_wrapped("  none\n", "not checked");
    ck_assert(!run_unchecked_any(run));
    of(BUS_AGENT_CE)->port_read_bytes = 64;
    assert_wrapped("whether the CPU waits before it changes what an engine reads;", "  none\n");
    assert_wrapped("none in what was checked", NULL);
    ck_assert(run_unchecked_any(run));
}
END_TEST

START_TEST(atomics_of_uncached_memory_are_seen_where_it_is_watched)
{
    static const char atomics[] =
        "not checked   #1 (cudaMallocHost 4.0 KiB at a.cu:1): atomics of the CPU, which this board";

    tell(HEADER PINNED);
    ck_assert(run_unchecked_any(run)); /* nothing was */
    run->checked = true;
    assert_wrapped(atomics, "whether the CPU");
    tell("@watched id=5\n");
    assert_wrapped("  none\n", "not checked");
    ck_assert(!run_unchecked_any(run));
    run->hooks = true;
    tell("@object name=app hooks=some\n");
    ck_assert(run_unchecked_any(run));
}
END_TEST

static struct run_use use;

static void use_it(struct run_count sum)
{
    use = (struct run_use){ .kernel = run->kernels->pdata[0], .sum = sum };
    g_ptr_array_set_free_func(run_region(run, 5)->uses, NULL);
    g_ptr_array_add(run_region(run, 5)->uses, &use);
}

START_TEST(pageable_memory_that_kernels_use_is_not_looked_at)
{
    tell(HEADER "@hooks\n@region id=5 kind=pageable cpu_cached=1\n" KERNEL);
    use_it((struct run_count){ .read_bytes = 4 });
    assert_report("  not checked   races in pageable memory", NULL);
    run_region(run, 5)->kind = RUN_MANAGED;
    assert_report(NULL, "races in pageable");
    run_region(run, 5)->kind = RUN_PAGEABLE;
    run->hooks = false;
    assert_report(NULL, "races in pageable");
}
END_TEST

START_TEST(what_each_kernel_did_is_told)
{
    tell(HEADER "@hooks\n" CACHED KERNEL);
    of(BUS_AGENT_IGPU)->read_bytes = 96;
    assert_report("      iGPU          read 96 B\n", NULL); /* no kernel is known */
    use_it((struct run_count){ .read_bytes = 96,
                               .write_bytes = 32,
                               .atomics = 2,
                               .read_hits = 1,
                               .read_misses = 2,
                               .snooped_lines = 1 });
    assert_report("      k             read 96 B, wrote 32 B, 2 atomics; L2 hits 1 of 3 sectors "
                  "read, 1 snoop hit\n                    in the CPU caches\n",
                  "      iGPU  ");
    use.sum = (struct run_count){ 0 };
    assert_report(NULL, "      k  ");
    use.sum.snooped_lines = 2;
    assert_report("      k             2 snoop hits in the CPU caches\n", NULL);
}
END_TEST

/* The line is the name's alone where it does not fit before the values. */
START_TEST(a_kernel_of_a_long_name_has_the_line)
{
    tell(HEADER CACHED "@kernel id=1 name=thirteen_long grid=1,1,1 block=1,1,1\n");
    use_it((struct run_count){ .atomics = 1 });
    assert_report("      thirteen_long 1 atomic\n", NULL);
    g_free(use.kernel->name);
    use.kernel->name = g_strdup("fourteen__long");
    assert_report("      fourteen__long\n                    1 atomic\n", NULL);
}
END_TEST

/* What bypasses the L2 is counted at its port. */
START_TEST(engines_are_told_by_what_they_moved)
{
    tell(HEADER CACHED);
    *of(BUS_AGENT_CE) = (struct run_count){ .read_bytes = 64,
                                            .port_read_bytes = 128,
                                            .write_bytes = 32,
                                            .port_write_bytes = 96,
                                            .snooped_lines = 1 };
    *of(BUS_AGENT_DLA) = (struct run_count){ .read_bytes = 160, .port_write_bytes = 1024 };
    assert_report("      copy engine   read 64 B, wrote 32 B, 1 snoop hit in the CPU caches\n"
                  "      L2 wrote back 1.1 KiB\n"
                  "      DLA           read 160 B\n",
                  "nobody");
    *of(BUS_AGENT_DLA) = (struct run_count){ .write_bytes = 1000, .port_write_bytes = 1024 };
    assert_report("      L2 wrote back 120 B\n" /* what it stored went past the L2 */
                  "      DLA           wrote 1000 B\n",
                  NULL);
    run_region(run, 5)->kind = RUN_PINNED; /* uncached */
    assert_report("      copy engine   read 128 B, wrote 96 B, 1 snoop hit in the CPU caches\n",
                  "L2 wrote back");
}
END_TEST

START_TEST(maintenance_of_a_buffer_is_told)
{
    struct run_region *region;

    tell(HEADER CACHED);
    region = run_region(run, 5);
    region->clean = (struct run_maint){ 1, 2, 0 };
    region->clean_invalidate = (struct run_maint){ 2, 1, 0 };
    assert_report("      maintenance   CPU clean 1 time, 2 lines; CPU clean+invalidate 2 times, "
                  "1 line\n",
                  NULL);
    region->clean = region->clean_invalidate = (struct run_maint){ 0 };
    region->invalidate = (struct run_maint){ 1, 1, 0 };
    region->attach_gpu = 1;
    assert_report("maintenance   CPU invalidate 1 time, 1 line, 1 hint moved it to the GPU\n",
                  "clean");
    region->invalidate.ops = 0;
    region->attach_gpu = 0;
    region->attach_cpu = 2;
    region->stale_lines = 1;
    region->lost_bytes = 3;
    assert_report(
        "maintenance   2 hints moved it to the CPU, 1 stale line read by the CPU, 3 dirty "
        "bytes\n                    lost\n",
        NULL);
    region->attach_cpu = region->stale_lines = region->lost_bytes = 0;
    assert_report(NULL, "      maintenance");
}
END_TEST

/* Each is a use, whoever made it. */
START_TEST(a_buffer_that_was_used_is_not_untouched)
{
    struct run_region *region;
    uint64_t *uses[9];

    tell(HEADER CACHED);
    region = run_region(run, 5);
    uses[0] = &region->clean.lines;
    uses[1] = &region->clean_invalidate.lines;
    uses[2] = &of(BUS_AGENT_CPU)->read_bytes;
    uses[3] = &of(BUS_AGENT_DLA)->write_bytes;
    uses[4] = &of(BUS_AGENT_CE)->port_read_bytes;
    uses[5] = &of(BUS_AGENT_CE)->port_write_bytes;
    uses[6] = &of(BUS_AGENT_IGPU)->atomics;
    uses[7] = &of(BUS_AGENT_IGPU)->snooped_lines;
    uses[8] = &of(BUS_AGENT_CPU)->write_bytes;
    assert_report("no access was observed\n", NULL);
    *uses[_i] = 1;
    assert_report(NULL, "no access was observed");
}
END_TEST

START_TEST(device_memory_of_the_igpu_alone_is_right)
{
    tell(HEADER DEVICE KERNEL);
    use_it((struct run_count){ .read_bytes = 4 });
    of(BUS_AGENT_IGPU)->read_bytes = 4;
    assert_report("      use           only the iGPU touched it: device memory is right (3.1)\n",
                  NULL);
    run_region(run, 5)->kind = RUN_MANAGED;
    assert_report(NULL, "device memory is right");
}
END_TEST

/* --- buffers of one line ---------------------------------------------------------------------- */

/* @skip: one in between is of another line. */
static void pool(unsigned n, unsigned skip, unsigned size_of_last)
{
    tell(HEADER);
    for (unsigned i = 1; i <= n; i++) {
        g_autofree char *line = g_strdup_printf(
            "@region id=%u kind=pinned va=0x%x size=%u len=4096 api=cudaMallocHost where=a.cu:%u",
            i, 0x10000 * i, i == n ? size_of_last : 64, i == skip ? 9 : 1);

        note(line);
    }
}

START_TEST(buffers_of_one_line_have_their_numbers)
{
    pool(5, 0, 64);
    assert_report("  #1 to #5 pinned           320 B   CPU uncached    iGPU uncached\n"
                  "      buffers       5 of 64 B, reported together\n"
                  "      allocated     cudaMallocHost at a.cu:1\n",
                  "times");
}
END_TEST

START_TEST(buffers_with_another_between_say_how_many)
{
    pool(6, 3, 65);
    assert_report("  #1 and 4 more pinned           321 B   ", "#1 to");
    assert_report("      buffers       5 of several sizes, reported together\n", NULL);
    assert_report("  #3  pinned ", NULL);
}
END_TEST

START_TEST(buffers_of_one_line_made_again_say_how_often)
{
    pool(5, 0, 64);
    run_region(run, 2)->times = 3; /* 7 of 5 */
    assert_report("      allocated     cudaMallocHost at a.cu:1, 7 times\n", NULL);
}
END_TEST

/* Every number of the group is that of all of its buffers, 1 + 2 + 4 + 8 + 16 of each. */
START_TEST(a_group_has_the_sums_of_all)
{
    GPtrArray *groups;
    const struct run_region *sum;
    const uint64_t *counts;

    pool(5, 0, 64);
    tell(KERNEL "0 driver REGION_ADD region=9 pa=0x80000000 len=4096 cpu_cached=0\n");
    for (uint32_t i = 1; i <= 5; i++) {
        struct run_region *r = run_region(run, i);
        uint64_t n = UINT64_C(1) << (i - 1);
        struct run_use *u = g_new0(struct run_use, 1);
        g_autofree char *site =
            g_strdup_printf("@site region=%u where=a.cu:%u loads=%u stores=%u atomics=%u bytes=%u",
                            i, i == 5 ? 8 : 7, (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n);

        note(site);
        for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
            r->agent[agent] = (struct run_count){ n, n, n, n, n, n, n, n, n, n, n, n };
        }
        *u = (struct run_use){ .kernel = run->kernels->pdata[0], .sum = r->agent[0] };
        g_ptr_array_add(r->uses, u);
        r->clean = r->clean_invalidate = r->invalidate = (struct run_maint){ n, n, n };
        r->len = r->times = r->spared.snoops = r->stale_lines = r->cpu_fills = r->cpu_evicts = n;
        r->spared.fills = r->spared.evicts = r->lost_bytes = r->attach_cpu = r->attach_gpu = n;
        r->copied_in = r->copied_out = n;
    }
    groups = groups_make(run);
    ck_assert_uint_eq(groups->len, 1); /* the driver's own is none */
    sum = &((struct group *)groups->pdata[0])->sum;
    for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
        counts = &sum->agent[agent].read_bytes;
        for (unsigned k = 0; k < 12; k++) {
            ck_assert_uint_eq(counts[k], 31);
        }
    }
    for (unsigned which = 0; which < 3; which++) {
        const struct run_maint *m = which == 0   ? &sum->clean
                                    : which == 1 ? &sum->clean_invalidate
                                                 : &sum->invalidate;

        ck_assert_uint_eq(m->ops, 31);
        ck_assert_uint_eq(m->lines, 31);
        ck_assert_uint_eq(m->empty, 31);
    }
    ck_assert_uint_eq(sum->size, 5 * 64);
    ck_assert_uint_eq(sum->len, 31);
    ck_assert_uint_eq(sum->times, 31);
    ck_assert_uint_eq(sum->spared.snoops, 31);
    ck_assert_uint_eq(sum->stale_lines, 31);
    ck_assert_uint_eq(sum->cpu_fills, 31);
    ck_assert_uint_eq(sum->cpu_evicts, 31);
    ck_assert_uint_eq(sum->spared.fills, 31);
    ck_assert_uint_eq(sum->spared.evicts, 31);
    ck_assert_uint_eq(sum->lost_bytes, 31);
    ck_assert_uint_eq(sum->attach_cpu, 31);
    ck_assert_uint_eq(sum->attach_gpu, 31);
    ck_assert_uint_eq(sum->copied_in, 31);
    ck_assert_uint_eq(sum->copied_out, 31);
    ck_assert_uint_eq(sum->uses->len, 1);
    ck_assert_uint_eq(((struct run_use *)sum->uses->pdata[0])->sum.write_hits, 31);
    ck_assert_uint_eq(sum->sites->len, 2);
    ck_assert_uint_eq(((struct run_site *)sum->sites->pdata[0])->loads, 15);
    ck_assert_uint_eq(((struct run_site *)sum->sites->pdata[0])->stores, 15);
    ck_assert_uint_eq(((struct run_site *)sum->sites->pdata[0])->atomics, 15);
    ck_assert_uint_eq(((struct run_site *)sum->sites->pdata[0])->bytes, 15);
    ck_assert_uint_eq(((struct run_site *)sum->sites->pdata[1])->loads, 16);
    g_ptr_array_unref(groups);
}
END_TEST

/* --- kernels and maintenance of all ----------------------------------------------------------- */

START_TEST(kernels_have_their_hits)
{
    struct run_kernel *k;

    tell(HEADER KERNEL KERNEL);
    k = run->kernels->pdata[0];
    k->ended = 2;
    k->time_ns = 4000;
    k->sum = (struct run_count){
        .read_bytes = 96, .write_bytes = 64, .read_hits = 1, .read_misses = 2, .write_misses = 7
    };
    assert_section("  name  ", "\nFindings",
                   "  k                       1           32           2     4.0 us   33.3 %       "
                   "96 B       64 B\n");
    k->launches = 5;
    assert_report("                          3 of them did not end\n", NULL);
}
END_TEST

START_TEST(maintenance_of_all_buffers_is_summed)
{
    struct run_region *other;

    tell(HEADER CACHED "@region id=6 kind=pinned size=4096 len=4096\n");
    assert_report(NULL, "Cache maintenance");
    other = run_region(run, 6);
    run_region(run, 5)->clean = (struct run_maint){ 1, 20, 0 };
    other->clean = (struct run_maint){ 2, 30, 1 };
    run_region(run, 5)->clean_invalidate = (struct run_maint){ 1, 6, 1 };
    other->invalidate = (struct run_maint){ 4, 7, 2 };
    run->l2_clean = (struct run_maint){ 2, 8, 1 };
    run->l2_clean_bytes = 2048;
    run->l2_invalidate = (struct run_maint){ 1, 9, 0 };
    assert_section(
        "Cache maintenance", "\nFindings",
        "  CPU clean                  3 times         50 lines; 1 found nothing to do\n"
        "  CPU clean+invalidate       1 time           6 lines; 1 found nothing to do\n"
        "  CPU invalidate             4 times          7 lines; 2 found nothing to do\n"
        "  L2 clean                   2 times          8 lines, 2.0 KiB; 1 found nothing "
        "to do\n"
        "  L2 invalidate              1 time\n");
    run->l2_invalidate.ops = 2;
    assert_report("  L2 invalidate              2 times\n", NULL);
}
END_TEST

/* One operation of any kind is enough for the section. */
START_TEST(any_maintenance_is_told)
{
    tell(HEADER CACHED);
    *(_i == 0   ? &run_region(run, 5)->clean.ops
      : _i == 1 ? &run_region(run, 5)->clean_invalidate.ops
      : _i == 2 ? &run_region(run, 5)->invalidate.ops
      : _i == 3 ? &run->l2_clean.ops
                : &run->l2_invalidate.ops) = 1;
    assert_report("\nCache maintenance by the driver\n", NULL);
}
END_TEST

START_TEST(what_is_kept_no_longer_is_not_checked)
{
    static const char *const text[RUN_FORGOTS] = {
        [RUN_FORGOT_ACCESSES] = "  NOT CHECKED   7 times to a line of 64 bytes",
        [RUN_FORGOT_WAITS] = "  NOT CHECKED   7 waits for a point",
        [RUN_FORGOT_WORK] = "  NOT CHECKED   7 kernels, copies and fills",
        [RUN_FORGOT_FRAMES] = "  NOT CHECKED   7 kernels that ran after",
    };

    tell(HEADER);
    assert_report(NULL, "NOT CHECKED");
    run->forgot[_i] = 7;
    assert_report(text[_i], NULL);
    ck_assert(run_forgot_any(run));
}
END_TEST

/* Buffers without an answer of their own are counted: those that may stay, and those whose accesses
 * by the CPU were not seen. Of an engine's buffers a frame is the unit. */
START_TEST(kinds_of_memory_count_what_has_no_answer)
{
    struct memory_kinds m = { g_array_new(FALSE, FALSE, sizeof(struct memory_kind)),
                              g_array_new(FALSE, FALSE, sizeof(struct memory_way)) };
    struct memory_kind k = { .launches = 2 };
    struct memory_way way = { .shared = { .frames = (uint64_t)_i } };
    g_autofree char *text = NULL;

    tell(HEADER PINNED);
    k.region = way.region = run_region(run, 5);
    k.answer.best = k.answer.now;
    g_array_append_val(m.kinds, k);
    g_array_append_val(m.kinds, k);
    k.answer.best = CHARGE_KINDS;
    g_array_append_val(m.kinds, k);
    g_array_append_val(m.ways, way);
    text = text_report(&(struct report){ .run = run, .advice = advice, .kinds = &m }, false);
    assert_text(text, "\n  2 buffers: no kind saves more than the error", NULL);
    assert_text(text, "\n  1 buffer: no answer, because the CPU's accesses were not seen", NULL);
    assert_text(text, _i == 1 ? ", 1 frame, a frame: " : ", 0 frames, a frame: ", NULL);
    g_array_unref(m.kinds);
    g_array_unref(m.ways);
}
END_TEST

/* --- advice, single findings, terminals ------------------------------------------------------- */

START_TEST(advice_is_numbered_and_has_its_place)
{
    struct run_finding first = { .text = "T", .section = "s", .standing = CHECK_INFERRED },
                       second = { .text = "U", .section = "t", .where = "a.cu:3", .todo = "D" };

    tell(HEADER);
    g_ptr_array_add(advice, &first);
    g_ptr_array_add(advice, &second);
    assert_report("\nAdvice\n"
                  "  1. [inferred: s] T\n"
                  "  2. [documented: t] U\n"
                  "      where         a.cu:3\n"
                  "      what to do    D\n",
                  "none follows");
}
END_TEST

START_TEST(a_finding_as_it_happens_is_a_message_of_ours)
{
    g_autofree char *text = NULL;

    tell(HEADER "@finding rule=r severity=warning text=T where=a.cu:7 todo=D\n"
                "@finding rule=q severity=error\n");
    text = text_finding_live(run, run->findings->pdata[0]);
    ck_assert_str_eq(text, "vtegra: warning: T\n"
                           "        where         a.cu:7\n"
                           "        rule          r (documented: ours)\n"
                           "        what to do    D\n");
    g_free(text);
    text = text_finding_live(run, run->findings->pdata[1]);
    ck_assert_str_eq(text, "vtegra: error: q\n"
                           "        rule          q (documented: ours)\n");
}
END_TEST

/* The report follows, and says the rest. */
START_TEST(a_finding_before_its_report_is_one_line)
{
    g_autofree char *first = NULL, *second = NULL, *third = NULL;

    tell(HEADER "@finding rule=r severity=warning text=T where=\"a.cu:7 in main\" todo=D\n");
    first = text_finding_short(run, run->findings->pdata[0]);
    ck_assert_str_eq(first, "vtegra: warning: r at a.cu:7 in main: finding 1 of the report\n");
    tell("@finding rule=q severity=error kernel=k text=T\n");
    second = text_finding_short(run, run->findings->pdata[1]);
    ck_assert_str_eq(second, "vtegra: error: q in kernel k: finding 2 of the report\n");
    tell("@finding rule=s severity=error text=T\n");
    third = text_finding_short(run, run->findings->pdata[2]);
    ck_assert_str_eq(third, "vtegra: error: s: finding 3 of the report\n");
}
END_TEST

START_TEST(headings_are_bold_on_a_terminal)
{
    g_autofree char *text = NULL;

    tell(HEADER);
    text = text_report(&(struct report){ .run = run, .advice = advice }, true);
    assert_text(text, "\033[1mvtegra report\033[0m\n", NULL);
    assert_text(text, "\n\033[1mFindings\033[0m\n", NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("text");
    TCase *t = tcase_create("text");

    tcase_add_checked_fixture(t, open_it, close_it);
    tcase_add_loop_test(t, each_note_has_its_words, 0, G_N_ELEMENTS(notes));
    tcase_add_test(t, letters_of_two_bytes_are_one_column);
    tcase_add_test(t, the_cpus_accesses_are_told);
    tcase_add_test(t, pages_tell_which_lines_the_cpu_wrote);
    tcase_add_test(t, pages_do_not_show_uncached_memory);
    tcase_add_loop_test(t, buffers_whose_accesses_are_not_seen_are_named, 0,
                        G_N_ELEMENTS(open_outputs));
    tcase_add_test(t, what_engines_only_read_may_change_too_early);
    tcase_add_test(t, atomics_of_uncached_memory_are_seen_where_it_is_watched);
    tcase_add_test(t, pageable_memory_that_kernels_use_is_not_looked_at);
    tcase_add_test(t, what_each_kernel_did_is_told);
    tcase_add_test(t, a_kernel_of_a_long_name_has_the_line);
    tcase_add_test(t, engines_are_told_by_what_they_moved);
    tcase_add_test(t, maintenance_of_a_buffer_is_told);
    tcase_add_loop_test(t, a_buffer_that_was_used_is_not_untouched, 0, 9);
    tcase_add_test(t, device_memory_of_the_igpu_alone_is_right);
    tcase_add_test(t, buffers_of_one_line_have_their_numbers);
    tcase_add_test(t, buffers_with_another_between_say_how_many);
    tcase_add_test(t, buffers_of_one_line_made_again_say_how_often);
    tcase_add_test(t, a_group_has_the_sums_of_all);
    tcase_add_test(t, kernels_have_their_hits);
    tcase_add_test(t, maintenance_of_all_buffers_is_summed);
    tcase_add_loop_test(t, any_maintenance_is_told, 0, 5);
    tcase_add_loop_test(t, what_is_kept_no_longer_is_not_checked, 0, RUN_FORGOTS);
    tcase_add_loop_test(t, kinds_of_memory_count_what_has_no_answer, 0, 2);
    tcase_add_test(t, advice_is_numbered_and_has_its_place);
    tcase_add_test(t, a_finding_as_it_happens_is_a_message_of_ours);
    tcase_add_test(t, a_finding_before_its_report_is_one_line);
    tcase_add_test(t, headings_are_bold_on_a_terminal);
    suite_add_tcase(s, t);
    return suite_main(s);
}
