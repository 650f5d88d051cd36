/* SPDX-License-Identifier: MIT */
/* The litmus format and the explorer: errors say line, column and what was expected; the same text
 * gives the same outcomes, counts and witnesses. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"
#include "profiles/profile.h"

static struct litmus_test *parse(const char *text, GError **error)
{
    return litmus_parse(text, strlen(text), "t", error);
}

static struct litmus_result *run(const char *text, const char *soc, bool reduce, uint64_t limit)
{
    struct litmus_options options = { reduce, limit };
    struct litmus_test *test;
    struct soc_profile *profile = profile_load(soc, NULL);
    struct litmus_result *r;
    GError *error = NULL;

    test = parse(text, &error);
    ck_assert_msg(test != NULL, "%s", error ? error->message : "");
    ck_assert(profile != NULL);
    r = litmus_explore(test, profile, &options, &error);
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    profile_free(profile);
    litmus_free(test);
    return r;
}

static enum litmus_verdict verdict(const char *text, const char *soc)
{
    struct litmus_result *r = run(text, soc, true, 0);
    enum litmus_verdict v = r->verdict;

    ck_assert(r->exhausted);
    litmus_result_free(r);
    return v;
}

static const struct {
    const char *text, *message;
} errors[] = {
    { "", "t:1:1: expected \"tegra\", \"AArch64\" or \"PTX\" and the name of the test, found the "
          "end of the file" },
    { "tegra ", "t:1:7: expected the name of the test, found the end of the file" },
    { "tegra t\n\"no end", "t:2:2: this text has no end; expected '\"'" },
    { "tegra t\n(* no end", "t:2:1: this comment has no end; expected \"*)\"" },
    { "tegra t\nCPU0 ;", "t:2:1: expected \"{\" and the memory, found \"CPU0\"" },
    { "tegra t { global x; }",
      "t:1:11: expected a kind of memory (device, pinned, managed, pageable, interop), same, "
      "or \"}\", found \"global\"" },
    { "tegra t { pinned ; }", "t:1:18: expected the name of a location, found \";\"" },
    { "tegra t { pinned x }", "t:1:20: expected \";\" after a location, found \"}\"" },
    { "tegra t { pinned x; pinned x; }", "t:1:28: x is there already" },
    { "tegra t { pinned x = y; }", "t:1:22: expected a number, found \"y\"" },
    { "tegra t { pinned x; same page x x; }",
      "t:1:26: expected sector, line or l2, found \"page\"" },
    { "tegra t { pinned x; device y; same line x y; }",
      "t:1:44: x and y are of two kinds: no allocation holds both" },
    { "tegra t { pinned x; } GPU0 ;", "t:1:23: expected an agent with its number, 0 to 9 (CPU0, "
                                      "iGPU0, CE0, DLA0, DMA0, dGPU0, dCE0), "
                                      "found \"GPU0\"" },
    { "tegra t { pinned x; } CPU0 | CPU0 ;", "t:1:30: CPU0 is there already" },
    { "tegra t { pinned x; } iGPU0@sm9 ;", "t:1:29: SMs are sm0 to sm3" },
    { "tegra t { pinned x; } CPU0 job=K ;", "t:1:28: jobs run on engines, not on a CPU" },
    { "tegra t { pinned x; } CPU0 ;\n MOV W0,#1 ;",
      "t:2:2: expected an operation of a CPU (LDR, LDAR, LDAPR, STR, STLR, LDADD, SWP, CAS, DMB, "
      "DSB, ISB, DC, l2, dl2, "
      "submit, launch, wait, sync, doorbell, signal, await), found \"MOV\"" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,[x] ;\nexists (CPU0:W0=0)\nteach A word.\nexpect "
      "orin forbidden",
      "t:5:1: expected a sentence for the reader: expect and source stand before teach, whose text "
      "is the rest of the file, found \"expect\"" },
    { "tegra t { pinned x; } CPU0 ;\n LDR r0,[x] ;",
      "t:2:6: expected a register (W0 to W30, X0 to X30), found \"r0\"" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,[z] ;",
      "t:2:10: no location \"z\" in { }: expected a location that is declared there" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,x ;",
      "t:2:9: expected \"[\" before a location, found \"x\"" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,[x ;",
      "t:2:12: expected \"]\" after the location, found \";\"" },
    { "tegra t { pinned x; } CPU0 ;\n LDR X0,[x] ;",
      "t:2:10: 8 bytes at offset 0 leave x (4 bytes), or are not aligned: expected an aligned "
      "access inside it" },
    { "tegra t { pinned x; } CPU0 ;\n LDRH W0,[x+1] ;",
      "t:2:11: 2 bytes at offset 1 leave x (4 bytes), or are not aligned: expected an aligned "
      "access inside it" },
    { "tegra t { pinned x; } CPU0 ;\n STR W0,[x] ;", "t:2:6: W0 has no value yet: load it first" },
    { "tegra t { pinned x; } CPU0 ;\n DMB NSH ;",
      "t:2:6: expected SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD or OSHST, found \"NSH\"" },
    { "tegra t { pinned x; } CPU0 ;\n DC ZVA,[x] ;",
      "t:2:5: expected CVAC, CIVAC or IVAC, found \"ZVA\"" },
    { "tegra t { pinned x; } CPU0 | CPU1 ;\n STR #1,[x] ;",
      "t:2:13: expected \"|\" and the next agent's operation, "
      "found \";\"" },
    { "tegra t { pinned x; } CPU0 ;\n STR #1,[x] LDR W0,[x] ;",
      "t:2:13: expected \";\" after the operation of the last agent, found \"LDR\"" },
    { "tegra t { pinned x; } CPU0 ;\n STR #1,[x] \n\n LDR W0,[x] ;",
      "t:4:2: expected \";\" after the operation of the last agent (line 2 may lack it), "
      "found \"LDR\"" },
    { "tegra t { pinned x\n}", "t:2:1: expected \";\" after a location (line 1 may lack it), "
                               "found \"}\"" },
    { "tegra t { pinned x; } iGPU0 ;\n ld.relaxed r0,[x] ;",
      "t:2:2: expected .cta, .gpu or .sys with .relaxed, .acquire and .release, and only with "
      "them" },
    { "tegra t { pinned x; } iGPU0 ;\n ld.global r0,[x] ;",
      "t:2:2: unknown qualifier \".global\" of ld: expected an order, a scope and a type of PTX" },
    { "tegra t { pinned x; } iGPU0 ;\n st.acquire.gpu [x],1 ;",
      "t:2:2: a load cannot release, a store cannot acquire" },
    { "tegra t { pinned x; } iGPU0 ;\n fence.sc ;", "t:2:2: expected a scope: .cta, .gpu or .sys" },
    { "tegra t { pinned x; } CE0 ;\n fill [x],1 ;",
      "t:2:2: expected an operation of an engine (read, write, copy, signal, await), found "
      "\"fill\"" },
    { "tegra t { pinned x; } CPU0 ;\n STR #1,[x] ;\nexist (x=1)",
      "t:3:1: expected an operation of a CPU (LDR, LDAR, LDAPR, STR, STLR, LDADD, SWP, CAS, DMB, "
      "DSB, ISB, DC, l2, dl2, "
      "submit, launch, wait, sync, doorbell, signal, await), found \"exist\"" },
    { "tegra t { pinned x; } CPU0 ;\n STR #1,[x] ;\nexists (CPU0:W0=1)",
      "t:3:14: CPU0 never loads W0: expected a register that one of its operations loads" },
    { "tegra t { pinned x; } CPU0 ;\nexists (y=1)",
      "t:2:9: expected a location, cpu.x, igpu.x, dgpu.x, dram.x, a register (CPU0:W0), "
      "fault(CPU0) or "
      "blocked(CPU0), found "
      "\"y\"" },
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1 /\\ )",
      "t:2:16: expected a register (CPU0:W0) or a location, found \")\"" },
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1",
      "t:2:12: expected \")\" after the condition, found the end of the file" },
    { "tegra t { pinned x; } CPU0 ;\nexists ([x=1)",
      "t:2:11: expected \"]\" after the location, found \"=\"" },
    { "tegra t { pinned x; } CPU0 ;\nexists\n"
      "((((((((((((((((((((((((((((((((((((((((((x=1",
      "t:3:42: more than 40 levels of ( and ~: write fewer" },
    { "tegra t { pinned a; pinned b; pinned c; pinned d; pinned e; pinned f; } CPU0 ;\n"
      "locations [cpu.a; igpu.a; dram.a; cpu.b; igpu.b; dram.b; cpu.c; igpu.c; dram.c; cpu.d; "
      "igpu.d; dram.d; cpu.e; igpu.e; dram.e;\ncpu.f; cpu.a; igpu.f;] exists (true)",
      "t:3:21: the condition names more than 16 registers and locations: split the test" },
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1)\nexpect orin holds",
      "t:3:13: expected allowed, forbidden or unseen, found \"holds\"" },
    { "tegra t { pinned x; } CPU0 ;\nforall (x=1)\nexpect orin allowed",
      "t:3:13: expected holds or fails, found \"allowed\"" },
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1)\nexpected",
      "t:3:1: expected expect, source, teach or the end of the "
      "file, found \"expected\"" },
    { "tegra t { pinned x; } CPU0 | iGPU0 job=K ;\nexists (x=1)",
      "t:1:40: nothing starts job K: expected a submit, launch or doorbell" },
    { "tegra t { pinned x; } CPU0 ;\nawait S ;\nexists (x=1)", "t:2:7: nothing signals S" },
    /* names: held whole or refused, never cut */
    { "tegra t { pinned a123456789012345678901234567890b; }",
      "t:1:18: \"a12345678901...\" has 32 characters: 31 at most" },
    { "tegra t { pinned x; } CPU0 ;\nsignal a123456789012345678901234567890b ;",
      "t:2:8: \"a12345678901...\" has 32 characters: 31 at most" },
    { "tegra t { pinned x; } iGPU0 job=a123456789012345678901234567890b ;",
      "t:1:33: \"a12345678901...\" has 32 characters: 31 at most" },
    /* one expectation a SoC */
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1)\nexpect tx2 allowed, orin allowed\nexpect tx2 "
      "forbidden",
      "t:4:8: tx2 is expected to be allowed already, at 3:8" },
    { "tegra t { pinned x; } CPU0 ;\nexists (x=1)\nexpect tx2 unseen, tx2 unseen",
      "t:3:20: tx2 is expected to be unseen already, at 3:8" },
    /* where: the name, not the end of the file or of the word */
    { "tegra t { pinned x; } CPU0 ;\nLDR W0,[x] ;\n LDR W0,[x] ;",
      "t:3:6: a register is loaded once a thread: take another one" },
    { "tegra t { pinned a; pinned b; pinned c; pinned d; pinned e; pinned f; pinned g; pinned h;\n"
      " pinned i; }",
      "t:2:9: more than 8 locations: split the test" },
    { "tegra t { pinned x; }\nCPU0|CPU1|CPU2|CPU3|CPU4|CPU5| CPU6 ;",
      "t:2:32: more than 6 agents: split the test" },
    { "tegra t { pinned x; } iGPU0@smX ;", "t:1:29: expected an SM (@sm0)" },
    { "tegra t { pinned x; } iGPU0@sm12 ;", "t:1:29: SMs are sm0 to sm3" },
    { "tegra t { pinned x; }\niGPU0|iGPU1|iGPU2|iGPU3|iGPU4 ;", "t:2:30: SMs are sm0 to sm3" },
    { "tegra t { pinned x; } CPU10 ;", "t:1:23: expected an agent with its number, 0 to 9 (CPU0, "
                                       "iGPU0, CE0, DLA0, DMA0, dGPU0, dCE0), found "
                                       "\"CPU10\"" },
    /* jobs: an agent has them, one operation starts them */
    { "tegra t { pinned x; } CPU0 ;\n launch ZZ ;", "t:2:9: no agent of the table has job=ZZ" },
    { "tegra t { pinned x; } CPU0 | iGPU0 job=K ;\n sync k | ;",
      "t:2:7: no agent of the table has job=k" },
    { "tegra t { pinned x; } CPU0 | iGPU0 job=K ;\n launch K | ;\n doorbell K | ;",
      "t:3:11: job K is started already, at 2:2" },
    { "tegra t { pinned x; } CPU0 ;\nexpect tx2 allowed",
      "t:2:1: expected a row of operations or the condition (exists, ~exists, never or forall), "
      "found \"expect\"" },
    { "tegra t { pinned x; } CPU0 ;\nSTR #1,[x] ;\n",
      "t:3:1: expected a row of operations or the condition (exists, ~exists, never or forall), "
      "found the end of the file" },
    /* numbers: they fit */
    { "tegra t { pinned u8 x = 256; }", "t:1:25: 256 does not fit 1 byte: 0 to 255" },
    { "tegra t { pinned u64 x = 18446744073709551616; }",
      "t:1:26: 18446744073709551616 takes more than 64 bits" },
    { "tegra t { pinned x = 0x10000000000000000; }",
      "t:1:22: 0x10000000000000000 takes more than 64 bits" },
    { "tegra t { pinned x; } CPU0 ;\n STRB #256,[x] ;",
      "t:2:8: 256 does not fit 1 byte: 0 to 255" },
    { "tegra t { pinned x; } CPU0 ;\n CAS #4294967296,#1,W0,[x] ;",
      "t:2:7: 4294967296 does not fit 4 bytes: 0 to 4294967295" },
    { "tegra t { pinned x; } iGPU0 ;\n st.u16 [x],65536 ;",
      "t:2:13: 65536 does not fit 2 bytes: 0 to 65535" },
    { "tegra t { pinned x; } DMA0 ;\n write [x],4294967296 ;",
      "t:2:12: 4294967296 does not fit 4 bytes: 0 to 4294967295" },
    { "tegra t { pinned u8 x; } CPU0 ;\n exists (x=256)",
      "t:2:12: 256 does not fit 1 byte: 0 to 255" },
    { "tegra t { pinned x; } CPU0 ;\n LDRH W0,[x] ; exists (CPU0:W0=65536)",
      "t:2:32: 65536 does not fit 2 bytes: 0 to 65535" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,[x+4294967296] ;",
      "t:2:10: 4 bytes at offset 4294967296 leave x (4 bytes), or are not aligned: expected an "
      "aligned access inside it" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W31,[x] ;",
      "t:2:6: expected a register (W0 to W30, X0 to X30), found \"W31\"" },
    { "tegra t { pinned x; pinned y; same sector x x; }", "t:1:45: x is named twice" },
    { "tegra t { pinned x; } iGPU0 ;\n ld.relaxed.gpu.sys r0,[x] ;", "t:2:2: ld has two scopes" },
    { "\xef\xbb\xbfherd", "t:1:1: expected \"tegra\", \"AArch64\" or \"PTX\" and the name of the "
                          "test, found \"herd\"" },
    { "tegra t { pinned x; } CPU0 ;\n\001", "t:2:1: expected an operation, \"|\" or \";\", found "
                                            "byte 0x01: save the file as plain text" },
    { "tegra t { pinned x; } CPU0 ;\n LDR W0,[x] ;\nexists (CPU0:W0=0 &and; x=0)",
      "t:3:19: expected \")\" after the condition, found markup (&): save the file as plain text" },
    { "tegra t { pinned x; } CPU0 ;\n<b>LDR</b> W0,[x] ;",
      "t:2:1: expected an operation, \"|\" or \";\", found markup (<): save the file as plain "
      "text" },
    { "```\ntegra t", "t:1:1: expected \"tegra\", \"AArch64\" or \"PTX\" and the name of the test, "
                      "found markup (`): save the file as plain text" },
};

/* FILE:LINE:COLUMN, and what was expected there. */
#define SAYS_WHAT "^t:[0-9]+:[0-9]+: .*expected "

START_TEST(an_error_says_line_column_and_what_was_expected)
{
    GError *error = NULL;

    ck_assert_ptr_null(parse(errors[_i].text, &error));
    ck_assert_str_eq(error->message, errors[_i].message);
    g_error_free(error);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_an_error_or_a_test)
{
    static const char text[] =
        "tegra t \"d\" { pinned u8 x = 0x1; pinned y; same line x y; device z; }\n"
        "CPU0 | iGPU0@sm1 job=K | CE0 ;\n"
        "LDADDAL #1,W0,[x] | ld.acquire.sys.u32 r0,[y] | copy [z],[y] ;\n"
        "launch K | atom.cas.acq_rel.sys r1,[y],0,1 | signal S ;\n"
        "DC CIVAC,[x] | __threadfence_system() | ;\n"
        "locations [cpu.x; dram.y;] exists ~(1:r0=1 \\/ [z]=2) expect orin allowed\n";

    for (size_t n = 0; n < sizeof(text); n++) {
        GError *error = NULL;
        struct litmus_test *test = litmus_parse(text, n, "t", &error);

        ck_assert((test == NULL) == (error != NULL));
        ck_assert_msg(!error || g_regex_match_simple(SAYS_WHAT, error->message, 0, 0), "%s",
                      error->message);
        litmus_free(test);
        g_clear_error(&error);
    }
}
END_TEST

/* A comment with a byte 0 has an end. */
START_TEST(a_byte_0_is_named_and_ends_no_comment)
{
    static const char text[] = "(* \0 *) tegra t { \0 }";
    GError *error = NULL;

    ck_assert_ptr_null(litmus_parse(text, sizeof(text) - 1, "t", &error));
    ck_assert_str_eq(error->message, "t:1:19: expected a kind of memory (device, pinned, managed, "
                                     "pageable, interop), same, or \"}\", found byte 0x00: save "
                                     "the file as plain text");
    g_error_free(error);
}
END_TEST

static const char sb[] = "tegra sb { managed x; managed y; } CPU0 | iGPU0 ;\n"
                         "STR #1,[x] | st.volatile [y],1 ; DMB SY | membar.sys ;\n"
                         "LDR W0,[y] | ld.volatile r0,[x] ;\n"
                         "locations [cpu.x; igpu.y; dram.x;] exists (CPU0:W0=0 /\\ 1:r0=0)";

static char *everything(const struct litmus_result *r)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < r->outcomes->len; i++) {
        const struct litmus_outcome *o = &g_array_index(r->outcomes, struct litmus_outcome, i);

        g_string_append_printf(text, "%" G_GUINT64_FORMAT " %d:", o->states, o->matches);
        for (unsigned k = 0; k < 5; k++) {
            g_string_append_printf(text, " %" G_GUINT64_FORMAT, o->value[k]);
        }
        for (guint k = 0; k < o->witness->len; k++) {
            g_string_append_printf(text, "\n  %s", (const char *)o->witness->pdata[k]);
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

START_TEST(the_same_text_gives_the_same_outcomes_counts_and_witnesses)
{
    struct litmus_result *a = run(sb, "tx2", true, 0), *b = run(sb, "tx2", true, 0);
    char *x = everything(a), *y = everything(b);

    ck_assert_uint_ge(a->outcomes->len, 4);
    ck_assert_str_eq(x, y);
    ck_assert_uint_eq(a->states, b->states);
    g_free(x);
    g_free(y);
    litmus_result_free(a);
    litmus_result_free(b);
}
END_TEST

/* By hand: x is stored, its line is not written back, the kernel reads DRAM; nothing shorter ends
 * so. */
START_TEST(a_witness_is_a_shortest_way_and_tells_what_was_seen)
{
    struct litmus_result *r =
        run("tegra t { interop x; } CPU0 | DMA0 job=D ; STR #1,[x] | read r0,[x] ;\n"
            "submit D | ; exists (DMA0:r0=0)",
            "tx2", true, 0);
    const struct litmus_outcome *o = &g_array_index(r->outcomes, struct litmus_outcome, 0);
    static const char *const steps[] = { "CPU0     STR #1,[x]", "CPU0     submit D",
                                         "DMA0     job D starts", "DMA0     read r0,[x]" };

    ck_assert(o->matches);
    ck_assert_uint_eq(o->witness->len, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_msg(g_str_has_prefix(o->witness->pdata[i], steps[i]), "%s",
                      (char *)o->witness->pdata[i]);
    }
    ck_assert_ptr_nonnull(strstr(o->witness->pdata[3], "= 0, through the port"));
    litmus_result_free(r);
}
END_TEST

static void witness_is(const char *text, const char *soc, unsigned outcome,
                       const char *const *lines, unsigned n)
{
    struct litmus_result *r = run(text, soc, true, 0);
    const struct litmus_outcome *o;
    GString *all = g_string_new(NULL);

    ck_assert_uint_lt(outcome, r->outcomes->len);
    o = &g_array_index(r->outcomes, struct litmus_outcome, outcome);
    for (guint i = 0; i < o->witness->len; i++) {
        g_string_append_printf(all, "%s\n", (const char *)o->witness->pdata[i]);
    }
    ck_assert_msg(o->witness->len == n, "%s", all->str);
    for (unsigned i = 0; i < n; i++) {
        GString *line = g_string_new(o->witness->pdata[i]);

        while (g_string_replace(line, "  ", " ", 0)) {
        }
        ck_assert_str_eq(line->str, lines[i]);
        g_string_free(line, TRUE);
    }
    g_string_free(all, TRUE);
    litmus_result_free(r);
}

/* A barrier is told where it is over: before the first operation that it holds back. */
START_TEST(a_witness_tells_the_barriers)
{
    static const char *const st[] = { "CPU0 STR #1,[x]", "CPU0 DMB ISHST earlier stores are out",
                                      "CPU0 STR #1,[y]" };
    static const char *const ld[] = { "CPU0 LDR W0,[x] = 0, memory",
                                      "CPU0 DMB LD earlier loads have their values",
                                      "CPU0 STR #1,[x]" };
    static const char *const load[] = { "CPU0 STR #1,[x]", "CPU0 LDR W0,[y] = 0, memory",
                                        "CPU0 DMB ST earlier stores are out" };
    static const char *const sy[] = { "CPU0 STR #1,[x]", "CPU0 DSB SY all before it is done" };
    static const char *const isb[] = {
        "CPU0 LDR W0,[x] = 0, memory", "CPU0 STR #1,[y] ctrl(W0)",
        "CPU0 ISB what branches and addresses before it depend on is loaded",
        "CPU0 LDR W1,[y] = 1, memory"
    };
    static const char *const none[] = { "CPU0 LDR W0,[x] = 0, memory",
                                        "CPU0 ISB no branch or address before it: it orders "
                                        "nothing" };

    witness_is("tegra t { pageable x; pageable y; } CPU0 ; STR #1,[x] ; DMB ISHST ; STR #1,[y] ; "
               "exists (y=1)",
               "orin", 0, st, 3);
    witness_is("tegra t { pageable x; } CPU0 ; LDR W0,[x] ; DMB LD ; STR #1,[x] ; exists (x=1)",
               "orin", 0, ld, 3);
    witness_is("tegra t { pageable x; } CPU0 ; STR #1,[x] ; DSB SY ; exists (x=1)", "orin", 0, sy,
               2);
    witness_is(
        "tegra t { pageable x; pageable y; } CPU0 ; LDR W0,[x] ; STR #1,[y] ctrl(W0) ; ISB ; "
        "LDR W1,[y] ; locations [CPU0:W1;] exists (CPU0:W0=0)",
        "orin", 0, isb, 4);
    witness_is("tegra t { pageable x; } CPU0 ; LDR W0,[x] ; ISB ; exists (x=0)", "orin", 0, none,
               2);
    witness_is("tegra t { pageable x; pageable y; } CPU0 ; STR #1,[x] ; DMB ST ; LDR W0,[y] ; "
               "exists (x=1)",
               "orin", 0, load, 3);
}
END_TEST

/* Arm ARM, DSB: no instruction behind it is executed before it is complete, whatever its access
 * types; B2.3, dependency-ordered-before: a branch, then ISB, then a load. */
static const struct {
    const char *p0, *p1;
    enum litmus_verdict verdict;
} arm_rules[] = {
    /* store buffering */
    { "STR #1,[x] ; DSB ST ; LDR W0,[y]", "STR #1,[y] ; DSB ISHST ; LDR W0,[x]", LITMUS_UNSEEN },
    { "STR #1,[x] ; DMB ST ; LDR W0,[y]", "STR #1,[y] ; DMB ST ; LDR W0,[x]", LITMUS_ALLOWED },
    { "STR #1,[x] ; DSB LD ; LDR W0,[y]", "STR #1,[y] ; DSB SY ; LDR W0,[x]", LITMUS_ALLOWED },
    /* message passing: CPU0 sees y and not x */
    { "LDR W1,[y] ; ISB ; LDR W0,[x] ctrl(W1)", "STR #1,[x] ; DMB ST ; STR #1,[y]", LITMUS_UNSEEN },
    { "LDR W1,[y] ; ISB ctrl(W1) ; LDR W0,[x]", "STR #1,[x] ; DSB ST ; STR #1,[y]", LITMUS_UNSEEN },
    { "LDR W1,[y] ; LDR W0,[x] ctrl(W1) ; ISB", "STR #1,[x] ; DMB ST ; STR #1,[y]",
      LITMUS_ALLOWED },
    { "LDR W1,[y] ; ISB ; LDR W0,[x]", "STR #1,[x] ; DMB ST ; STR #1,[y]", LITMUS_ALLOWED },
    { "ISB ; LDR W1,[y] ; LDR W0,[x] ctrl(W1)", "STR #1,[x] ; DMB ST ; STR #1,[y]",
      LITMUS_ALLOWED },
    { "LDR W1,[y] ; DSB LD ; LDR W0,[x]", "STR #1,[x] ; DSB ST ; STR #1,[y]", LITMUS_UNSEEN },
    { "LDR W1,[y] ; DSB ST ; LDR W0,[x]", "STR #1,[x] ; DSB ST ; STR #1,[y]", LITMUS_ALLOWED },
};

START_TEST(dsb_and_isb_order_what_arm_says)
{
    char **a = g_strsplit(arm_rules[_i].p0, ";", -1), **b = g_strsplit(arm_rules[_i].p1, ";", -1);
    GString *text = g_string_new("tegra t { pageable x; pageable y; } CPU0 | CPU1 ;\n");
    bool mp = strstr(arm_rules[_i].p0, "W1") != NULL;

    ck_assert_uint_eq(g_strv_length(a), 3);
    for (unsigned i = 0; i < 3; i++) {
        g_string_append_printf(text, "%s | %s ;\n", a[i], b[i]);
    }
    g_string_append(text,
                    mp ? "exists (CPU0:W1=1 /\\ CPU0:W0=0)" : "exists (CPU0:W0=0 /\\ CPU1:W0=0)");
    ck_assert_int_eq(verdict(text->str, "orin"), arm_rules[_i].verdict);
    g_string_free(text, TRUE);
    g_strfreev(a);
    g_strfreev(b);
}
END_TEST

/* By hand from the table of runtime/driver/memory/coherency.c: CPU lines below cc 7.2, L2 but on
 * Thor. */
START_TEST(a_witness_tells_what_the_driver_did)
{
    static const char text[] =
        "tegra t { managed x; } CPU0 | iGPU0 job=K ; launch K | ; sync K | ; exists (true)";
    static const char interop[] =
        "tegra t { interop x; } CPU0 | iGPU0 job=K ; launch K | ; sync K | ; exists (true)";
    static const char bare[] = "tegra t { pinned x; } CPU0 | iGPU0 job=J | iGPU1 job=K ;\n"
                               "doorbell J | | ; wait J | | ; submit K | | ; wait K | | ; "
                               "exists (true)";
    static const char *const tx2[] = {
        "CPU0 launch K CPU lines of managed memory cleaned, L2 cleaned and invalidated, managed "
        "memory closed to CPUs",
        "iGPU0 job K starts",
        "CPU0 sync K L2 cleaned, CPU lines of managed memory invalidated, managed memory open to "
        "CPUs"
    };
    static const char *const orin[] = {
        "CPU0 launch K L2 cleaned and invalidated, managed memory closed to CPUs",
        "iGPU0 job K starts", "CPU0 sync K L2 cleaned, managed memory open to CPUs"
    };
    static const char *const thor[] = { "CPU0 launch K no maintenance", "iGPU0 job K starts",
                                        "CPU0 sync K no maintenance" };
    static const char *const shared[] = { "CPU0 launch K L2 cleaned and invalidated",
                                          "iGPU0 job K starts", "CPU0 sync K L2 cleaned" };
    static const char *const edges[] = { "CPU0 doorbell J no barrier, no maintenance",
                                         "iGPU0 job J starts",
                                         "CPU0 wait J complete, no maintenance",
                                         "CPU0 submit K a barrier, no maintenance",
                                         "iGPU1 job K starts",
                                         "CPU0 wait K complete, no maintenance" };

    witness_is(text, "tx2", 0, tx2, 3);
    witness_is(text, "orin", 0, orin, 3);
    witness_is(text, "thor", 0, thor, 3);
    witness_is(interop, "tx2", 0, shared, 3);
    witness_is(bare, "tx2", 0, edges, 6);
}
END_TEST

START_TEST(a_limit_makes_the_answer_unknown)
{
    struct litmus_result *r = run(sb, "tx2", true, 10);

    ck_assert(!r->exhausted);
    litmus_result_free(r);
}
END_TEST

/* Twenty characters and more, alike up to the last: two locations, two jobs, two edges. */
START_TEST(long_names_are_names_of_their_own)
{
    ck_assert_int_eq(
        verdict(
            "tegra t { pinned the_message_of_the_day_is_1; pinned the_message_of_the_day_is_2; }\n"
            "CPU0 | DMA0 job=the_very_long_job_1 | DMA1 job=the_very_long_job_2 | CPU1 ;\n"
            "STR #7,[the_message_of_the_day_is_1] | write [the_message_of_the_day_is_2],1 | "
            "write [the_message_of_the_day_is_2],2 | await a_very_long_edge_2 ;\n"
            "submit the_very_long_job_2 | | | ; wait the_very_long_job_2 | | | ;\n"
            "submit the_very_long_job_1 | | | ; wait the_very_long_job_1 | | | ;\n"
            "signal a_very_long_edge_1 | | | signal a_very_long_edge_2 ;\n"
            "forall (the_message_of_the_day_is_1=7 /\\ the_message_of_the_day_is_2=1 /\\\n"
            "blocked(CPU1))",
            "orin"),
        LITMUS_HOLDS);
}
END_TEST

START_TEST(a_byte_order_mark_is_no_character)
{
    ck_assert_int_eq(verdict("\xef\xbb\xbftegra t { pageable x; } CPU0 ; forall (x=0)", "orin"),
                     LITMUS_HOLDS);
}
END_TEST

/* PTX ISA, Target ISA Notes: orders, and scopes of ld and st, from sm_70; scopes of atom and red
 * from sm_60. Arm: LDADD and its like are Armv8.1, LDAPR is Armv8.3. SMs: the boards' own. */
static const struct {
    const char *soc, *agent, *operation, *message; /* NULL: it has it */
} absent[] = {
    { "thor", "DLA0", "write [x],1", "t:2:1: thor has no DLA (profile, dla.cores = 0)" },
    { "orin-nano", "DLA0", "write [x],1", "t:2:1: orin-nano has no DLA (profile, dla.cores = 0)" },
    { "desktop", "iGPU0", "ld.weak r0,[x]",
      "t:1:1: desktop has an x86 CPU and a discrete GPU: litmus tests are of Tegras" },
    { "xavier", "DLA0", "write [x],1", NULL },
    { "nano", "iGPU0@sm1", "ld.weak r0,[x]",
      "t:2:1: nano has 1 SM (profile, gpu.sm_count), and iGPU0 stands on SM 1; threads on one SM: "
      "@sm0" },
    { "tx2", "iGPU0@sm1", "ld.weak r0,[x]", NULL },
    { "tx2", "iGPU0@sm2", "ld.weak r0,[x]",
      "t:2:1: tx2 has 2 SMs (profile, gpu.sm_count), and iGPU0 stands on SM 2; threads on one SM: "
      "@sm0" },
    { "xavier", "iGPU0@sm3", "ld.weak r0,[x]", NULL },
    { "tx2", "iGPU0", "ld.acquire.gpu r0,[x]",
      "t:3:2: tx2 has an iGPU of sm_62: \"ld.acquire.gpu r0,[x]\" takes sm_70 (PTX ISA, Target ISA "
      "Notes)" },
    { "nano", "iGPU0", "ld.relaxed.sys r0,[x]",
      "t:3:2: nano has an iGPU of sm_53: \"ld.relaxed.sys r0,[x]\" takes sm_70 (PTX ISA, Target "
      "ISA "
      "Notes)" },
    { "tx2", "iGPU0", "st.release.gpu [x],1",
      "t:3:2: tx2 has an iGPU of sm_62: \"st.release.gpu [x],1\" takes sm_70 (PTX ISA, Target ISA "
      "Notes)" },
    { "tx2", "iGPU0", "fence.acq_rel.gpu",
      "t:3:2: tx2 has an iGPU of sm_62: \"fence.acq_rel.gpu (acquire)\" takes sm_70 (PTX ISA, "
      "Target "
      "ISA Notes)" },
    { "tx2", "iGPU0", "fence.sc.cta",
      "t:3:2: tx2 has an iGPU of sm_62: \"fence.sc.cta\" takes sm_70 (PTX ISA, Target ISA Notes)" },
    { "tx2", "iGPU0", "atom.acq_rel.gpu.add r0,[x],1",
      "t:3:2: tx2 has an iGPU of sm_62: \"atom.acq_rel.gpu.add r0,[x],1\" takes sm_70 (PTX ISA, "
      "Target ISA Notes)" },
    { "tx2", "iGPU0", "red.relaxed.gpu.add [x],1",
      "t:3:2: tx2 has an iGPU of sm_62: \"red.relaxed.gpu.add [x],1\" takes sm_70 (PTX ISA, Target "
      "ISA Notes)" },
    { "nano", "iGPU0", "atom.gpu.add r0,[x],1",
      "t:3:2: nano has an iGPU of sm_53: \"atom.gpu.add r0,[x],1\" takes sm_60 (PTX ISA, Target "
      "ISA "
      "Notes)" },
    { "tx2", "iGPU0", "atom.cta.add r0,[x],1", NULL },
    { "nano", "iGPU0", "atom.add r0,[x],1", NULL },
    { "nano", "iGPU0", "ld.volatile r0,[x]", NULL },
    { "nano", "iGPU0", "membar.sys", NULL },
    { "nano", "iGPU0", "__threadfence_system()", NULL },
    { "xavier", "iGPU0", "fence.sc.sys", NULL },
    { "tx2", "CPU0", "LDADDAL #1,W0,[x]",
      "t:3:2: tx2 has no Armv8.1 atomics (FEAT_LSE; profile, cpu.lse = 0): \"LDADDAL #1,W0,[x]\"" },
    { "nano", "CPU0", "CAS #0,#1,W0,[x]",
      "t:3:2: nano has no Armv8.1 atomics (FEAT_LSE; profile, cpu.lse = 0): \"CAS #0,#1,W0,[x]\"" },
    { "xavier", "CPU0", "SWPL #1,W0,[x]", NULL },
    { "xavier", "CPU0", "LDAPR W0,[x]",
      "t:3:2: xavier has no LDAPR (FEAT_LRCPC; profile, cpu.lrcpc = 0): \"LDAPR W0,[x]\"" },
    { "orin", "CPU0", "LDAPR W0,[x]", NULL },
    { "tx2", "CPU0", "LDAR W0,[x]", NULL },
};

START_TEST(what_a_soc_does_not_have_is_named)
{
    struct litmus_options options = { true, 0 };
    char *text = g_strdup_printf("tegra t { interop x; }\n%s ;\n %s ;\nexists (x=1)",
                                 absent[_i].agent, absent[_i].operation);
    struct litmus_test *test = parse(text, NULL);
    struct soc_profile *soc = profile_load(absent[_i].soc, NULL);
    GError *error = NULL;
    struct litmus_result *r = litmus_explore(test, soc, &options, &error);

    ck_assert_int_eq(r == NULL, absent[_i].message != NULL);
    if (error) {
        ck_assert(g_error_matches(error, LITMUS_ERROR, LITMUS_ERROR_SOC));
        ck_assert_str_eq(error->message, absent[_i].message);
    }
    g_clear_error(&error);
    litmus_result_free(r);
    profile_free(soc);
    litmus_free(test);
    g_free(text);
}
END_TEST

/* CUDA for Tegra 3.2. No board has both: where pinned memory is uncached the CPUs are of Armv8.0.
 */
START_TEST(an_atomic_on_uncached_memory_faults)
{
    struct litmus_options options = { true, 0 };
    struct litmus_test *test = parse("tegra t { pinned x; pageable y; } CPU0 | CPU1 ;\n"
                                     "LDADD #1,W0,[x] | LDADD #1,W0,[y] ;\n"
                                     "forall (fault(CPU0) /\\ ~fault(CPU1) /\\ x=0 /\\ y=1)",
                                     NULL);
    struct soc_profile *soc = profile_load("tx2", NULL);
    struct litmus_result *r;

    soc->cpu.lse = true;
    r = litmus_explore(test, soc, &options, NULL);
    ck_assert_int_eq(r->verdict, LITMUS_HOLDS);
    litmus_result_free(r);
    profile_free(soc);
    litmus_free(test);
}
END_TEST

/* What is found is that no run ends so; "forbidden" is a document's word. */
START_TEST(exploring_forbids_nothing)
{
    ck_assert_int_eq(verdict("tegra t { pageable x; } CPU0 ; exists (x=1)", "orin"), LITMUS_UNSEEN);
    ck_assert(litmus_verdict_meets(LITMUS_UNSEEN, LITMUS_UNSEEN));
    ck_assert(litmus_verdict_meets(LITMUS_UNSEEN, LITMUS_FORBIDDEN));
    ck_assert(!litmus_verdict_meets(LITMUS_UNSEEN, LITMUS_ALLOWED));
    ck_assert(!litmus_verdict_meets(LITMUS_ALLOWED, LITMUS_FORBIDDEN));
    ck_assert(!litmus_verdict_meets(LITMUS_ALLOWED, LITMUS_UNSEEN));
    ck_assert(litmus_verdict_meets(LITMUS_ALLOWED, LITMUS_ALLOWED));
}
END_TEST

START_TEST(a_wait_that_never_ends_is_an_outcome)
{
    static const char text[] =
        "tegra t { managed x; } CPU0 | iGPU0 job=J | CPU1 ;\n"
        "launch J | st.weak [x],1 | await S ; LDR W0,[x] | | ; signal S | | ;\n"
        "exists (blocked(CPU1) /\\ fault(CPU0))";

    ck_assert_int_eq(verdict(text, "orin"), LITMUS_ALLOWED); /* the fault comes before the signal */
    ck_assert_int_eq(verdict(text, "thor"), LITMUS_UNSEEN);
}
END_TEST

START_TEST(what_is_named_twice_is_looked_at_once)
{
    struct litmus_test *test =
        parse("tegra t { pageable x; } CPU0 ; LDR W0,[x] ;\n"
              "locations [x; cpu.x;] exists (x=1 \\/ x=2 \\/ 0:W0=1 \\/ CPU0:W0=2)",
              NULL);

    ck_assert_ptr_nonnull(test);
    ck_assert_uint_eq(test->items, 3);
    litmus_free(test);
}
END_TEST

/* The letters behind an atomic's name are its order (Arm ARM, C6.2, LDADD): here in MP. */
START_TEST(an_atomic_has_the_order_of_its_letters)
{
    static const struct {
        const char *write, *read;
        enum litmus_verdict verdict;
    } of[] = {
        { "LDADD", "LDADDA", LITMUS_ALLOWED },
        { "LDADDL", "LDADD", LITMUS_ALLOWED },
        { "LDADDL", "LDADDA", LITMUS_UNSEEN },
        { "LDADDAL", "LDADDAL", LITMUS_UNSEEN },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(of); i++) {
        char *text = g_strdup_printf("tegra t { pageable x; pageable y; } CPU0 | CPU1 ;\n"
                                     "STR #1,[x] | %s #0,W1,[y] ;\n"
                                     "%s #1,W0,[y] | LDR W2,[x] ;\n"
                                     "exists (CPU1:W1=1 /\\ CPU1:W2=0)",
                                     of[i].read, of[i].write);

        ck_assert_msg(verdict(text, "orin") == of[i].verdict, "%s", text);
        g_free(text);
    }
}
END_TEST

START_TEST(quantifiers_mean_what_they_say)
{
    static const char race[] =
        "tegra t { pageable x; } CPU0 | CPU1 ; STR #1,[x] | STR #2,[x] ; forall (x=1)";

    ck_assert_int_eq(verdict(race, "orin"), LITMUS_FAILS);
    ck_assert_int_eq(verdict("tegra t { pageable x; } CPU0 ; STR #1,[x] ; forall (x=1)", "orin"),
                     LITMUS_HOLDS);
    ck_assert_int_eq(verdict("tegra t { pageable x; } CPU0 ; STR #1,[x] ; ~exists (x=0)", "orin"),
                     LITMUS_HOLDS);
    ck_assert_int_eq(verdict("tegra t { pageable x; } CPU0 ; STR #1,[x] ; never (x=1)", "orin"),
                     LITMUS_FAILS);
    ck_assert_int_eq(
        verdict("tegra t { pageable x; } CPU0 ; STR #1,[x] ; forall (x=1 /\\ ~(x=1))", "orin"),
        LITMUS_FAILS);
    ck_assert_int_eq(
        verdict("tegra t { pageable x = 3; } CPU0 ; LDR W0,[x] ; exists (0:W0=4 \\/ 0:W0=3)",
                "orin"),
        LITMUS_ALLOWED);
    ck_assert_int_eq(verdict("tegra t { pageable x; } CPU0 ; exists (true)", "orin"),
                     LITMUS_ALLOWED);
}
END_TEST

/* Four CPUs, five loads each, in order (acquire): six places each can stand at. */
START_TEST(every_interleaving_is_seen_once)
{
    GString *text = g_string_new("tegra t { pageable x; } CPU0 | CPU1 | CPU2 | CPU3 ;\n");
    struct litmus_result *r;

    for (unsigned i = 0; i < 5; i++) {
        for (unsigned t = 0; t < 4; t++) {
            g_string_append_printf(text, "LDAR W%u,[x] %c ", i, t < 3 ? '|' : ';');
        }
    }
    g_string_append(text, "exists (x=1)");
    r = run(text->str, "orin", true, 0);
    ck_assert_uint_eq(r->states, 1296 /* 6 to the 4th */);
    ck_assert_uint_eq(r->outcomes->len, 1);
    ck_assert_uint_eq(g_array_index(r->outcomes, struct litmus_outcome, 0).states, 1);
    litmus_result_free(r);
    g_string_free(text, TRUE);
}
END_TEST

/* The same values with and without a fault are two outcomes. */
START_TEST(a_fault_makes_another_outcome)
{
    struct litmus_result *r = run("tegra t { managed x; managed y; } CPU0 | iGPU0 job=J | CPU1 ;\n"
                                  "launch J | ld.weak r0,[x] | STR #1,[y] ; exists (iGPU0:r0=0)",
                                  "orin", true, 0);

    ck_assert_uint_eq(r->outcomes->len, 2);
    ck_assert_uint_eq(g_array_index(r->outcomes, struct litmus_outcome, 0).fault, 0);
    ck_assert_uint_eq(g_array_index(r->outcomes, struct litmus_outcome, 1).fault, 1u << 2);
    litmus_result_free(r);
}
END_TEST

/* Little endian; a byte store changes its byte only. */
START_TEST(sizes_and_offsets_name_bytes)
{
    ck_assert_int_eq(
        verdict("tegra t { pageable u64 x = 0x1122334455667788; } CPU0 ; LDRB W0,[x+7] ;\n"
                "STRH #0xaaaa,[x+2] ; LDR W1,[x] ; LDR X2,[x] ;\n"
                "forall (CPU0:W0=0x11 /\\ CPU0:W1=0xaaaa7788 /\\ CPU0:X2=0x11223344aaaa7788)",
                "orin"),
        LITMUS_HOLDS);
}
END_TEST

START_TEST(atomics_do_what_their_names_say)
{
    ck_assert_int_eq(
        verdict("tegra t { pageable x = 5; } CPU0 ; LDADD #2,W0,[x] ; SWP #9,W1,[x] ;\n"
                "CAS #8,#1,W2,[x] ; CAS #9,#4,W3,[x] ;\n"
                "forall (0:W0=5 /\\ 0:W1=7 /\\ 0:W2=9 /\\ 0:W3=9 /\\ x=4)",
                "orin"),
        LITMUS_HOLDS);
    ck_assert_int_eq(verdict("tegra t { device u8 x = 255; } iGPU0 ; atom.add.gpu r0,[x],2 ; "
                             "atom.exch.gpu r1,[x],7 ;\n"
                             "atom.cas.gpu r2,[x],7,3 ; red.add.gpu [x],1 ;\n"
                             "forall (0:r0=255 /\\ 0:r1=1 /\\ 0:r2=7 /\\ x=4)",
                             "orin"),
                     LITMUS_HOLDS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus");
    TCase *tc = tcase_create("litmus");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(tc, an_error_says_line_column_and_what_was_expected, 0,
                        (int)G_N_ELEMENTS(errors));
    tcase_add_test(tc, a_file_cut_anywhere_is_an_error_or_a_test);
    tcase_add_test(tc, a_byte_0_is_named_and_ends_no_comment);
    tcase_add_test(tc, the_same_text_gives_the_same_outcomes_counts_and_witnesses);
    tcase_add_test(tc, a_witness_is_a_shortest_way_and_tells_what_was_seen);
    tcase_add_test(tc, a_witness_tells_the_barriers);
    tcase_add_loop_test(tc, dsb_and_isb_order_what_arm_says, 0, G_N_ELEMENTS(arm_rules));
    tcase_add_test(tc, a_witness_tells_what_the_driver_did);
    tcase_add_test(tc, a_limit_makes_the_answer_unknown);
    tcase_add_test(tc, long_names_are_names_of_their_own);
    tcase_add_test(tc, a_byte_order_mark_is_no_character);
    tcase_add_loop_test(tc, what_a_soc_does_not_have_is_named, 0, (int)G_N_ELEMENTS(absent));
    tcase_add_test(tc, an_atomic_on_uncached_memory_faults);
    tcase_add_test(tc, exploring_forbids_nothing);
    tcase_add_test(tc, a_wait_that_never_ends_is_an_outcome);
    tcase_add_test(tc, quantifiers_mean_what_they_say);
    tcase_add_test(tc, every_interleaving_is_seen_once);
    tcase_add_test(tc, a_fault_makes_another_outcome);
    tcase_add_test(tc, sizes_and_offsets_name_bytes);
    tcase_add_test(tc, atomics_do_what_their_names_say);
    tcase_add_test(tc, an_atomic_has_the_order_of_its_letters);
    tcase_add_test(tc, what_is_named_twice_is_looked_at_once);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
