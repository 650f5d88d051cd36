/* SPDX-License-Identifier: MIT */
/* herd's AArch64 format: what is read, what each instruction does, and herd's verdicts.
 *
 * The verdicts are typed from what herd publishes: the files kinds.txt of its catalogue
 * (catalogue/aarch64, -pick, -cas) and its logs of herd/tests/instructions/AArch64. The programs
 * are ours: the same shapes, written for this table. scripts/litmus-herd.py compares all of the
 * catalogue. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"
#include "profiles/profile.h"

static struct litmus_test *parse(const char *text, GError **error)
{
    return litmus_parse(text, strlen(text), "t", error);
}

static enum litmus_verdict verdict(const char *text)
{
    struct litmus_options options = { true, 0 };
    struct soc_profile *soc = profile_load("orin", NULL);
    GError *error = NULL;
    struct litmus_test *test = parse(text, &error);
    struct litmus_result *r;
    enum litmus_verdict v;

    ck_assert_msg(test != NULL, "%s\n%s", error ? error->message : "", text);
    r = litmus_explore(test, soc, &options, &error);
    ck_assert_msg(r != NULL && r->exhausted && r->outcomes->len, "%s", text);
    v = r->verdict;
    litmus_result_free(r);
    litmus_free(test);
    profile_free(soc);
    return v;
}

/* --- herd's verdicts -------------------------------------------------------------------------- */

/* Both threads have X1=x, X3=y, X5=z; a row's ";" is a row of the file. */
#define MP "MOV W0,#1 ; STR W0,[X1] ; MOV W2,#1 ; STLR W2,[X3]"
#define MP_ST "MOV W0,#1 ; STR W0,[X1] ; DMB ST ; STR W0,[X3]"
#define LB "LDR W0,[X1] ; MOV W2,#1 ; STLR W2,[X3]"
#define SEEN "exists (1:X0=1 /\\ 1:X2=0)"
#define THIN "exists (0:X0=1 /\\ 1:X0=1)"

static const struct {
    const char *p0, *p1, *condition;
    bool allowed;
} agreed[] = {
    /* catalogue/aarch64: MP, SB, R, S, 2+2W, LB and their barriers */
    { "MOV W0,#1 ; STR W0,[X1] ; STR W0,[X3]", "LDR W0,[X3] ; LDR W2,[X1]", SEEN, true },
    { MP, "LDAR W0,[X3] ; LDR W2,[X1]", SEEN, false },  /* MP+rel+acq */
    { MP, "LDAPR W0,[X3] ; LDR W2,[X1]", SEEN, false }, /* MP+rel+acqpc */
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; STR W0,[X3]", "LDR W0,[X3] ; DMB SY ; LDR W2,[X1]", SEEN,
      false }, /* MP+dmb.sys */
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; STR W0,[X3]", "LDR W0,[X3] ; LDR W2,[X1]", SEEN,
      true }, /* MP+dmb.sy+po */
    { "MOV W0,#1 ; STR W0,[X1] ; LDR W2,[X3]", "MOV W0,#1 ; STR W0,[X3] ; LDR W2,[X1]",
      "exists (0:X2=0 /\\ 1:X2=0)", true }, /* SB */
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; LDR W2,[X3]",
      "MOV W0,#1 ; STR W0,[X3] ; DMB SY ; LDR W2,[X1]", "exists (0:X2=0 /\\ 1:X2=0)", false },
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; LDR W2,[X3]", "MOV W0,#1 ; STLR W0,[X3] ; LDAR W2,[X1]",
      "exists (0:X2=0 /\\ 1:X2=0)", false }, /* SB+dmb.sy+rel-acq */
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; LDR W2,[X3]", "MOV W0,#1 ; STLR W0,[X3] ; LDAPR W2,[X1]",
      "exists (0:X2=0 /\\ 1:X2=0)", true }, /* SB+dmb.sy+rel-acqpc */
    { "LDR W0,[X1] ; MOV W2,#1 ; STR W2,[X3]", "LDR W0,[X3] ; MOV W2,#1 ; STR W2,[X1]", THIN,
      true }, /* LB */
    { "LDR W0,[X1] ; DMB SY ; MOV W2,#1 ; STR W2,[X3]",
      "LDR W0,[X3] ; DMB SY ; MOV W2,#1 ; STR W2,[X1]", THIN, false }, /* LB+dmb.sys */
    { "MOV W0,#1 ; STR W0,[X1] ; MOV W2,#2 ; STR W2,[X3]",
      "MOV W0,#1 ; STR W0,[X3] ; MOV W2,#2 ; STR W2,[X1]", "exists ([x]=1 /\\ [y]=1)",
      true }, /* 2+2W */
    { "MOV W0,#1 ; STR W0,[X1] ; DMB SY ; MOV W2,#2 ; STR W2,[X3]",
      "MOV W0,#1 ; STR W0,[X3] ; DMB SY ; MOV W2,#2 ; STR W2,[X1]", "exists ([x]=1 /\\ [y]=1)",
      false },                                                                    /* 2+2W+dmb.sys */
    { "LDR W0,[X1] ; MOV W2,#1 ; STR W2,[X1]", "NOP", "exists (0:X0=1)", false }, /* CoRW1 */
    { "MOV W0,#1 ; STR W0,[X1]", "LDR W0,[X1] ; LDR W2,[X1]", SEEN, false },      /* CoRR */
    /* dependencies: catalogue/aarch64 and herd's logs L001 to L027 */
    { MP, "LDR W0,[X3] ; EOR W4,W0,W0 ; LDR W2,[X1,W4,SXTW]", SEEN, false },
    { MP, "LDR W0,[X3] ; CBNZ W0,L ; L: LDR W2,[X1]", SEEN, true },
    { MP, "LDR W0,[X3] ; CBNZ W0,L ; L: ISB ; LDR W2,[X1]", SEEN, false },
    { MP, "LDR W0,[X3] ; CBZ W0,L ; ISB ; LDR W2,[X1] ; L:", SEEN, false }, /* L002 */
    { LB, "LDR W0,[X3] ; CMP W0,#0 ; B.EQ L ; L: MOV W4,#1 ; STR W4,[X1]", THIN, false },
    { LB, "LDR W0,[X3] ; ORR W2,W0,#1 ; STR W2,[X1],#4", THIN, false }, /* LB+rel+data-post */
    { LB, "LDR W0,[X3] ; EOR W2,W0,W0 ; ADD W2,W2,#1 ; STR W2,[X1]", THIN, false },
    { MP,
      "LDR W0,[X3] ; EOR W4,W0,W0 ; LDR W6,[X5,W4,SXTW] ; LDR W7,[X5] ; EOR W8,W7,W7 ; "
      "LDR W2,[X1,W8,SXTW]",
      SEEN, true }, /* MP+rel+addr-po-loc-addr */
    { MP,
      "LDR W0,[X3] ; EOR W4,W0,W0 ; MOV W6,#1 ; STR W6,[X5,W4,SXTW] ; LDAR W7,[X5] ; "
      "LDR W2,[X1]",
      SEEN, false }, /* MP+rel+addr-lrs-acq */
    { MP,
      "LDR W0,[X3] ; CMP W0,#1 ; B.EQ L ; L: MOV W6,#1 ; STR W6,[X5] ; LDAR W7,[X5] ; "
      "LDR W2,[X1]",
      SEEN, true }, /* MP+rel+ctrl-lrs-acq */
    /* atomics */
    { MP, "MOV W6,#2 ; SWPA W6,W0,[X3] ; LDR W2,[X1]", SEEN, false }, /* MP+rel+SWPacq */
    { "MOV W0,#1 ; STR W0,[X1] ; MOV W2,#2 ; STLR W2,[X3]",
      "MOV W6,#3 ; SWPA W6,WZR,[X3] ; LDR W2,[X1]", "exists ([y]=3 /\\ 1:X2=0)",
      true }, /* MP+rel+SWPacq-noret */
    { MP, "MOV W6,#2 ; SWP W6,W0,[X3] ; DMB LD ; LDR W2,[X1]", SEEN, false },
    { MP, "MOV W6,#1 ; LDADD W6,W0,[X3] ; DMB LD ; LDR W2,[X1]", SEEN, false },
    { LB, "LDR W0,[X3] ; EOR W4,W0,W0 ; ADD W4,W4,#1 ; STADD W4,[X1]", THIN, false },
    { MP, "MOV W6,#2 ; SWP W6,W0,[X3] ; LDAR W7,[X3] ; LDR W2,[X1]", SEEN,
      false }, /* MP+rel+rmw-lrs-acq */
    { "MOV W0,#1 ; LDXR W2,[X1] ; STXR W4,W0,[X1]",
      "MOV W0,#2 ; STR W0,[X1] ; MOV W0,#3 ; "
      "STR W0,[X1]",
      "exists (0:X2=0 /\\ 0:X4=0 /\\ [x]=1)", false },
    { "L: LDXR W2,[X1] ; ADD W2,W2,#1 ; STXR W4,W2,[X1] ; CBNZ W4,L",
      "L: LDXR W2,[X1] ; "
      "ADD W2,W2,#1 ; STXR W4,W2,[X1] ; CBNZ W4,L",
      "exists ([x]=1)", false },
    /* catalogue/aarch64-cas */
    { LB,
      "LDR W0,[X3] ; EOR W4,W0,W0 ; CAS W4,W6,[X5] ; EOR W4,W4,W4 ; MOV W7,#1 ; "
      "STR W7,[X1,W4,SXTW]",
      THIN, true }, /* LB+rel+CAS-ok-RsRs-addr */
    { LB, "LDR W0,[X3] ; EOR W4,W0,W0 ; ADD W4,W4,#1 ; CAS W6,W4,[X1]", THIN,
      false }, /* LB+rel+CAS-ok-RtM-data */
    { MP, "MOV W0,#1 ; CAS W0,WZR,[X3] ; EOR W4,W0,W0 ; LDR W2,[X1,W4,SXTW]", SEEN,
      true }, /* MP+rel+CAS-ok-MRs-addr */
    { MP, "MOV W0,#2 ; CAS W0,WZR,[X3] ; EOR W4,W0,W0 ; LDR W2,[X1,W4,SXTW]", SEEN,
      false }, /* MP+rel+CAS-no-MRs-addr */
    /* catalogue/aarch64-pick: what only chooses a value */
    { MP, "LDR W0,[X3] ; CMP W0,#0 ; CSEL W4,W6,W7,EQ ; EOR W4,W4,W4 ; LDR W2,[X1,W4,SXTW]", SEEN,
      true }, /* MP+rel+CSEL-addr */
    { LB, "LDR W0,[X3] ; CMP W0,#1 ; MOV W6,#1 ; MOV W7,#2 ; CSEL W4,W6,W7,EQ ; STR W4,[X1]", THIN,
      false }, /* LB+rel+pick-by-csel */
};

static char *program(const char *p0, const char *p1, const char *condition)
{
    char **a = g_strsplit(p0, ";", -1), **b = g_strsplit(p1, ";", -1);
    unsigned n = MAX(g_strv_length(a), g_strv_length(b));
    GString *text =
        g_string_new("AArch64 t\n{\n0:X1=x; 0:X3=y; 0:X5=z;\n1:X1=x; 1:X3=y; 1:X5=z;\n}\n"
                     " P0 | P1 ;\n");

    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(text, "%s | %s ;\n", i < g_strv_length(a) ? a[i] : "",
                               i < g_strv_length(b) ? b[i] : "");
    }
    g_string_append(text, condition);
    g_strfreev(a);
    g_strfreev(b);
    return g_string_free(text, FALSE);
}

START_TEST(herd_and_we_agree)
{
    char *text = program(agreed[_i].p0, agreed[_i].p1, agreed[_i].condition);

    ck_assert_msg(verdict(text) == (agreed[_i].allowed ? LITMUS_ALLOWED : LITMUS_UNSEEN),
                  "not as herd:\n%s", text);
    g_free(text);
}
END_TEST

/* --- instructions: values by hand from Arm ARM C6 --------------------------------------------- */

/* One thread; x is 5, y is 0x1122334455667788; X1=x, X3=y. */
static const struct {
    const char *program, *condition;
} values[] = {
    { "MOV W0,#-1", "0:X0=4294967295" },
    { "MOV X0,#-1", "0:X0=18446744073709551615" },
    { "MOVZ W0,#1 ; MOV W2,W0", "0:X2=1" },
    { "MOV W0,#7 ; ADD W0,W0,W0,LSL #1", "0:X0=21" },
    { "MOV W0,#3 ; SUB W0,W0,#4", "0:X0=4294967295" },
    { "MOV W0,#3 ; SUB W0,W0,#4 ; SXTW X2,W0", "0:X2=18446744073709551615" },
    { "MOV W0,#12 ; AND W2,W0,#10 ; ORR W4,W0,#1 ; EOR W6,W0,#5 ; BIC W7,W0,W2",
      "0:X2=8 /\\ 0:X4=13 /\\ 0:X6=9 /\\ 0:X7=4" },
    { "MOV W0,#1 ; LSL W0,W0,#4 ; LSR W2,W0,#2", "0:X0=16 /\\ 0:X2=4" },
    { "LDR W0,[X1] ; ADD W2,W0,#2 ; STR W2,[X1] ; LDR W4,[X1]", "0:X4=7 /\\ x=7" },
    { "LDRB W0,[X3] ; LDRH W2,[X3,#2] ; LDR W4,[X3,#4] ; LDR X6,[X3]",
      "0:X0=136 /\\ 0:X2=21862 /\\ 0:X4=287454020 /\\ 0:X6=1234605616436508552" },
    { "MOV W0,#255 ; STRB W0,[X3,#1] ; LDRH W2,[X3]", "0:X2=65416" },
    { "LDR W0,[X3,#4]! ; LDR W2,[X3]", "0:X0=287454020 /\\ 0:X2=287454020" },
    { "LDR W0,[X3],#4 ; LDR W2,[X3]", "0:X0=1432778632 /\\ 0:X2=287454020" },
    { "MOV X0,#4 ; LDR W2,[X3,X0] ; MOV W4,#4 ; LDR W5,[X3,W4,SXTW]",
      "0:X2=287454020 /\\ 0:X5=287454020" },
    { "MOV W0,#1 ; LDR W2,[X3,W0,UXTW #2]", "0:X2=287454020" },
    { "LDUR W0,[X3,#4] ; STUR W0,[X1]", "x=287454020" },
    { "MOV W0,#5 ; MOV W2,#9 ; CAS W0,W2,[X1]", "0:X0=5 /\\ x=9" },
    { "MOV W0,#6 ; MOV W2,#9 ; CASAL W0,W2,[X1]", "0:X0=5 /\\ x=5" },
    { "MOV W0,#9 ; SWPAL W0,W2,[X1]", "0:X2=5 /\\ x=9" },
    { "MOV W0,#2 ; LDADDAL W0,W2,[X1] ; STADD W0,[X1]", "0:X2=5 /\\ x=9" },
    { "MOV W0,#3 ; LDSET W0,W2,[X1] ; LDCLR W0,W4,[X1] ; LDEOR W0,W6,[X1]",
      "0:X2=5 /\\ 0:X4=7 /\\ 0:X6=4 /\\ x=7" },
    { "LDAXR W0,[X1] ; MOV W2,#1 ; STLXR W4,W2,[X1]", "((0:X4=0 /\\ x=1) \\/ (0:X4=1 /\\ x=5))" },
    { "MOV W0,#1 ; STXR W4,W0,[X1]", "0:X4=1 /\\ x=5" }, /* no load-exclusive before it */
    { "LDR W0,[X1] ; CMP W0,#5 ; CSET W2,EQ ; CSET W4,LT ; CSET W6,GE ; CSET W7,HI",
      "0:X2=1 /\\ 0:X4=0 /\\ 0:X6=1 /\\ 0:X7=0" },
    { "MOV W0,#-1 ; CMP W0,#1 ; CSET W2,LT ; CSET W4,CC ; CSET W6,MI ; CSET W7,LS",
      "0:X2=1 /\\ 0:X4=0 /\\ 0:X6=1 /\\ 0:X7=0" },
    { "LDR W0,[X1] ; TST W0,#1 ; B.NE L ; MOV W2,#1 ; B M ; L: MOV W2,#2 ; M: NOP", "0:X2=2" },
    { "LDR W0,[X1] ; CBZ W0,L ; MOV W2,#1 ; L:", "0:X2=1" },
    { "MOV W0,#2 ; L: SUBS W0,W0,#1 ; B.NE L", "0:X0=0" },
    { "STR X1,[X3] ; LDR X0,[X3] ; LDR W2,[X0]", "0:X2=5 /\\ y=x" }, /* a loaded address */
    { "DC CVAC,X1 ; DC CIVAC,X1 ; IC IVAU,X1 ; DSB SY ; ISB ; LDR W0,[X1]", "0:X0=5" },
};

START_TEST(an_instruction_does_what_arm_says)
{
    char **rows = g_strsplit(values[_i].program, ";", -1), *body = g_strjoinv(" ;\n", rows);
    char *text = g_strdup_printf("AArch64 t\n{ int x=5; uint64_t y=0x1122334455667788; 0:X1=x; "
                                 "0:X3=y; }\nP0 ;\n%s ;\nforall (%s)",
                                 body, values[_i].condition);

    ck_assert_msg(verdict(text) == LITMUS_HOLDS, "not so:\n%s", text);
    g_free(text);
    g_free(body);
    g_strfreev(rows);
}
END_TEST

/* --- PTX -------------------------------------------------------------------------------------- */

/* Verdicts by hand from herd's model of PTX, catalogue/demo/cats/ptx.cat: without fences stores and
 * loads are not ordered; a fence orders among the threads of its scope. */
static const struct {
    const char *p0, *p1, *scopes, *condition;
    bool allowed;
} ptx[] = {
    { "st.cg.s32 [x],1 ; st.cg.s32 [y],1", "ld.cg.s32 r1,[y] ; ld.cg.s32 r2,[x]",
      "(grid(cta(warp T0))(cta(warp T1)))", "exists (1:r1=1 /\\ 1:r2=0)", true },
    { "st.cg.s32 [x],1 ; membar.gl ; st.cg.s32 [y],1",
      "ld.cg.s32 r1,[y] ; membar.gl ; ld.cg.s32 r2,[x]", "(grid(cta(warp T0))(cta(warp T1)))",
      "exists (1:r1=1 /\\ 1:r2=0)", false },
    { "mov.s32 r0,1 ; st.cg.s32 [r5],r0 ; membar.cta ; st.cg.s32 [r6],r0",
      "ld.cg.s32 r1,[r6] ; membar.cta ; ld.cg.s32 r2,[r5]", "(grid(cta(warp T0)(warp T1)))",
      "exists (1:r1=1 /\\ 1:r2=0)", false },
    { "st.cg.s32 [x],1 ; ld.cg.s32 r1,[y]", "st.cg.s32 [y],1 ; ld.cg.s32 r2,[x]",
      "(grid(cta(warp T0))(cta(warp T1)))", "exists (0:r1=0 /\\ 1:r2=0)", true },
    { "st.global.ca.s32 [x],1 ; atom.exch.b32 r1,[y],1", "atom.cas.b32 r2,[y],1,2",
      "(grid(cta(warp T0))(cta(warp T1)))", "exists (1:r2=1 /\\ y=2)", true },
};

START_TEST(ptx_is_read_as_herd_has_it)
{
    char **a = g_strsplit(ptx[_i].p0, ";", -1), **b = g_strsplit(ptx[_i].p1, ";", -1);
    unsigned n = MAX(g_strv_length(a), g_strv_length(b));
    GString *text = g_string_new("GPU_PTX t\n{ 0:.reg .s32 r1; 1:.reg .s32 r2; 0:.reg .b64 r5=x;\n"
                                 "0:r6=y; 1:r5=x; 1:r6=y; x=0; y=0; }\n T0 | T1 ;\n");

    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(text, "%s | %s ;\n", i < g_strv_length(a) ? a[i] : "",
                               i < g_strv_length(b) ? b[i] : "");
    }
    g_string_append_printf(text, "ScopeTree%s\nx: global, y: global\n%s\n", ptx[_i].scopes,
                           ptx[_i].condition);
    ck_assert_msg(verdict(text->str) == (ptx[_i].allowed ? LITMUS_ALLOWED : LITMUS_UNSEEN),
                  "not as herd:\n%s", text->str);
    g_string_free(text, TRUE);
    g_strfreev(a);
    g_strfreev(b);
}
END_TEST

/* --- ours as herd's --------------------------------------------------------------------------- */

static GHashTable *outcomes(const struct litmus_test *test)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct litmus_options options = { true, 0 };
    struct soc_profile *soc = profile_load("orin", NULL);
    struct litmus_result *r = litmus_explore(test, soc, &options, NULL);

    ck_assert(r && r->exhausted && r->outcomes->len);
    for (guint i = 0; i < r->outcomes->len; i++) {
        const struct litmus_outcome *o = &g_array_index(r->outcomes, struct litmus_outcome, i);
        GString *s = g_string_new(o->matches ? "*" : "");

        for (unsigned k = 0; k < test->items; k++) {
            g_string_append_printf(s, " %" G_GUINT64_FORMAT, o->value[k]);
        }
        g_hash_table_add(set, g_string_free(s, FALSE));
    }
    litmus_result_free(r);
    profile_free(soc);
    return set;
}

/* What is read back has the same outcomes. */
static const char *const written[] = {
    "STR #1,[x] | LDR W0,[y] ; DMB ST | ISB ; STR #1,[y] | LDR W1,[x] ctrl(W0) ;\n"
    "exists (1:W0=1 /\\ CPU1:W1=0)",
    "LDR W0,[x] | LDR W0,[y] ; STR #1,[y] data(W0) addr(W0) | STR W0,[x] ;\n"
    "exists ~(0:W0=1 \\/ ~x=0)",
    "LDAPR W7,[x] | STLR #3,[y] ; LDADDAL #2,W8,[y] | CAS #0,#4,W3,[x] ; SWPL W7,W9,[x] | DSB LD "
    ";\n"
    "locations [0:W7; 0:W8; 0:W9; 1:W3; x; y;] forall (true)",
    "STRB #7,[x+1] | LDRH W0,[x] ; DC CVAC,[x] | LDAR W1,[x] addr(W0) ;\n"
    "~exists (1:W0=0 /\\ 1:W1=1792)",
    "LDR W0,[x] | STR #1,[x] ; LDR W1,[y] | STR #1,[y] ; STR #5,[x] data(W0) data(W1) | ;\n"
    "exists (x=1 /\\ 0:W0=1)",
};

START_TEST(ours_written_as_herd_has_the_same_outcomes)
{
    char *text = g_strdup_printf("tegra t \"two\" { pageable x; pageable y; } CPU0 | CPU1 ;\n%s",
                                 written[_i]);
    struct litmus_test *a = parse(text, NULL), *b;
    GError *error = NULL;
    char *theirs = litmus_herd_text(a, &error);
    GHashTable *x, *y;
    GHashTableIter iter;
    gpointer key;

    ck_assert_msg(theirs != NULL, "%s", error ? error->message : "");
    b = parse(theirs, &error);
    ck_assert_msg(b != NULL, "%s\n%s", error ? error->message : "", theirs);
    x = outcomes(a);
    y = outcomes(b);
    ck_assert_msg(g_hash_table_size(x) == g_hash_table_size(y), "%u and %u outcomes:\n%s",
                  g_hash_table_size(x), g_hash_table_size(y), theirs);
    g_hash_table_iter_init(&iter, x);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        ck_assert_msg(g_hash_table_contains(y, key), "no %s:\n%s", (char *)key, theirs);
    }
    g_hash_table_unref(x);
    g_hash_table_unref(y);
    litmus_free(a);
    litmus_free(b);
    g_free(theirs);
    g_free(text);
}
END_TEST

static const struct {
    const char *text, *message;
} unwritten[] = {
    { "tegra t { pinned x; } iGPU0 ; exists (x=0)", "t: herd has no form for iGPU0" },
    { "tegra t { device x; } CPU0 ; exists (x=0)", "t: herd has no form for device memory" },
    { "tegra t { pinned x; } CPU0 ; l2 flush ; exists (x=0)", "t: herd has no form for l2 flush" },
    { "tegra t { pinned x; } CPU0 ; exists (dram.x=0)",
      "t: herd has no form for this condition: registers and locations only" },
    { "AArch64 t\n{ x=0; }\nP0 ;\nexists (x=0)",
      "t: herd has no form for a file that is herd's already" },
};

START_TEST(what_herd_cannot_say_is_named)
{
    struct litmus_test *test = parse(unwritten[_i].text, NULL);
    GError *error = NULL;

    ck_assert_ptr_null(litmus_herd_text(test, &error));
    ck_assert_str_eq(error->message, unwritten[_i].message);
    g_error_free(error);
    litmus_free(test);
}
END_TEST

/* --- bad input -------------------------------------------------------------------------------- */

#define HEAD "AArch64 t\n{ 0:X1=x; }\nP0 ;\n"

static const struct {
    const char *text, *message; /* the beginning of it */
} errors[] = {
    { "AArch64 ", "t:1:9: expected the name of the test, found the end of the file" },
    { "AArch64 t\nhello\n{", "t:2:1: expected a text in \"\", a line Key=value, or \"{\"" },
    { "AArch64 t\n", "t:2:1: expected \"{\" and the registers, found the end of the file" },
    { "AArch64 t\n{ 0:X1=x", "t:2:9: expected \";\" or \"}\" after a value" },
    { "AArch64 t\n{ 0:X31=x; }", "t:2:5: expected a register (W0 to W30, X0 to X30, WZR, XZR)" },
    { "AArch64 t\n{ 9:X1=x; }", "t:2:3: threads are 0 to 5" },
    { "AArch64 t\n{ int x[2]={1,2}; }", "t:2:8: expected \"=\" or \";\": arrays, tags and page" },
    { "AArch64 t\n{ 0:X1=PTE(x); }", "t:2:8: expected a number or a location: page tables" },
    { "AArch64 t\n{ }\nP1 ;", "t:3:1: expected the thread P0" },
    { HEAD "TLBI VAAE1IS,X1 ;", "t:4:1: expected an instruction that is read (MOV, ADD," },
    { HEAD "LDR W0,[X1,X2 ;", "t:4:15: expected \"]\" after the address, found \";\"" },
    { HEAD "LDAR W0,[X1,#4] ;", "t:4:12: expected \"]\" after the register: this instruction" },
    { HEAD "LDR W0,[W1] ;", "t:4:11: an address is in an X register, X0 to X30" },
    { HEAD "LDR W0,[X2] ;\nexists (x=0)", "t:4:1: X2 holds no location here: expected 0:X2=x;" },
    { HEAD "LDR X0,[X1,#4] ;\nexists (x=0)", "t:4:1: 8 bytes at offset 4 of x: expected an" },
    { HEAD "B.XX L ;", "t:4:1: \"XX\" is no condition: expected EQ, NE," },
    { HEAD "B L ;\nexists (x=0)", "t:4:3: P0 has no label L" },
    { HEAD "L: NOP ;\nL: NOP ;", "t:5:1: label L is there already" },
    { HEAD "DMB NSH ;", "t:4:5: expected SY, LD, ST, ISH," },
    { HEAD "DC ZVA,X1 ;", "t:4:4: expected CVAC, CVAU, CIVAC or IVAC" },
    { HEAD "MOV W0,#1 | NOP ;", "t:4:11: expected \";\" after the instruction of the last thread" },
    { HEAD "MOV W0,#1 ;", "t:4:12: expected a row of instructions or the condition" },
    { HEAD "MOV W0,#1 ;\nexists (1:X0=0)", "t:5:9: no such agent in the table" },
    { HEAD "MOV W0,#1 ;\nexists (0:X0=0) more", "t:5:17: expected the end of the file" },
    { HEAD "L: B L ;\nexists (x=0)", "t:5:13: no thread comes to its end: 0 ways" },
    { "PTX t\n{ 0:r40=1; }", "t:2:5: expected a register (r0 to r31)" },
    { "PTX t\n{ x=0; }\nT1 ;", "t:3:1: expected the thread T0" },
    { "PTX t\n{ x=0; }\nT0 ;\nsetp.eq r0,[x] ;", "t:4:1: " },
    { "PTX t\n{ x=0; }\nT0 ;\nld.cg.s32 r0,[x] ;\nScopeTree(grid(cta(warp T3)))", "t:5:27: " },
    { "PTX t\n{ x=0; }\nT0 ;\nScopeTree(grid(cta(warp T0)))\nx: shared",
      "t:5:4: expected global:" },
    { HEAD "LDR W0,[X1] ;\nexists (0:X0=1 &and; x=1)",
      "t:5:16: expected \")\" after the condition, found markup (&): save the file as plain text" },
    { HEAD "NOP ;\nexists (x=0)\n</pre>", "t:6:1: expected the end of the file, found markup (<)" },
    { "PPC t\n{}", "t:1:1: a litmus file of PPC: expected \"tegra\", \"AArch64\" or \"PTX\"" },
    { "<html>", "t:1:1: this is markup: expected \"tegra\", \"AArch64\" or \"PTX\"; save the" },
};

START_TEST(what_is_not_read_is_named_with_line_and_column)
{
    GError *error = NULL;

    ck_assert_ptr_null(parse(errors[_i].text, &error));
    ck_assert_msg(g_str_has_prefix(error->message, errors[_i].message), "%s\nexpected\n%s",
                  error->message, errors[_i].message);
    g_error_free(error);
}
END_TEST

/* 7 branches on loaded values: 128 ways. */
START_TEST(a_test_that_explodes_is_an_error_with_a_cure)
{
    GString *text = g_string_new(HEAD);
    GError *error = NULL;

    for (unsigned i = 0; i < 7; i++) {
        g_string_append_printf(text, "LDR W2,[X1] ;\nCBNZ W2,L%u ;\nL%u: ;\n", i, i);
    }
    g_string_append(text, "exists (x=0)");
    ck_assert_ptr_null(parse(text->str, &error));
    ck_assert_str_eq(error->message,
                     "t:4:1: P0 has more than 64 ways through its branches, atomics "
                     "and loaded addresses: make it shorter");
    g_error_free(error);
    g_string_free(text, TRUE);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_an_error_or_a_test)
{
    char *text = program(MP_ST, "L: LDXR W0,[X3] ; STXR W4,W0,[X3] ; CBNZ W4,L ; CAS W0,W2,[X1]",
                         "locations [0:X0; x;]\nexists (1:X0=1 /\\ not ([x]=x \\/ y=1))");

    for (size_t n = 0; n <= strlen(text); n++) {
        GError *error = NULL;
        struct litmus_test *test = litmus_parse(text, n, "t", &error);

        ck_assert((test == NULL) == (error != NULL));
        ck_assert_msg(
            !error || g_regex_match_simple("^t:[0-9]+:[0-9]+: .*expected ", error->message, 0, 0),
            "%s", error->message);
        litmus_free(test);
        g_clear_error(&error);
    }
    g_free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_herd");
    TCase *tc = tcase_create("herd");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, herd_and_we_agree, 0, G_N_ELEMENTS(agreed));
    tcase_add_loop_test(tc, an_instruction_does_what_arm_says, 0, G_N_ELEMENTS(values));
    tcase_add_loop_test(tc, what_is_not_read_is_named_with_line_and_column, 0,
                        G_N_ELEMENTS(errors));
    tcase_add_loop_test(tc, ptx_is_read_as_herd_has_it, 0, G_N_ELEMENTS(ptx));
    tcase_add_loop_test(tc, ours_written_as_herd_has_the_same_outcomes, 0, G_N_ELEMENTS(written));
    tcase_add_loop_test(tc, what_herd_cannot_say_is_named, 0, G_N_ELEMENTS(unwritten));
    tcase_add_test(tc, a_test_that_explodes_is_an_error_with_a_cure);
    tcase_add_test(tc, a_file_cut_anywhere_is_an_error_or_a_test);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
