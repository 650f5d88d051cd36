/* SPDX-License-Identifier: MIT */
/* Instruction forms and their inputs, as one small PTX kernel each: shared by the program that asks
 * a real GPU (golden/ptx_oracle.c) and the test that replays its answers (test_ptx_exec.c). Needs
 * nothing but the C library, so it also compiles where the rest of the tree is not.
 *
 * A form has a destination and up to four sources, a letter each:
 *   h 16 bits, r 32 bits, d 64 bits, f .f32, g .f64, p predicate (0 or 1),
 *   x two halves in 32 bits, y one half in 16 bits, n a small count in 32 bits,
 *   s .f32 in the range where sin and cos have a bound, e .f32 for exponents
 * Thread i of the launch takes the inputs form_input(letter, source, i).
 */
#ifndef TESTS_PTX_FORMS_H
#define TESTS_PTX_FORMS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM_THREADS 128u /* of which the golden file keeps the results */
#define FORM_MAX 2400

/* @bound: 0 exact; else the largest error, in units in the last place, or absolute in 2^-@abs */
struct form {
    char name[96];
    char body[400]; /* empty: "name D, A, B, C, E;" */
    char sig[8];    /* destination, then the sources */
    double ulp;
    int abs_bits;
};

struct forms {
    struct form *form;
    unsigned n;
};

static struct form *form_add(struct forms *fs, const char *sig, const char *name)
{
    struct form *f = &fs->form[fs->n++];

    if (fs->n > FORM_MAX) {
        abort();
    }
    memset(f, 0, sizeof(*f));
    snprintf(f->name, sizeof(f->name), "%s", name);
    snprintf(f->sig, sizeof(f->sig), "%s", sig);
    return f;
}

static void form_body(struct forms *fs, const char *sig, const char *name, const char *body)
{
    snprintf(form_add(fs, sig, name)->body, 400, "%s", body);
}

/* @pattern with one %s, for each word of @words */
static void form_each(struct forms *fs, const char *sig, const char *pattern, const char *words)
{
    char word[32], name[96];
    int used;

    while (sscanf(words, "%31s%n", word, &used) == 1) {
        const char *w = strcmp(word, "-") ? word : "";

        words += used;
        snprintf(name, sizeof(name), pattern, w, w);
        form_add(fs, sig, name);
    }
}

/* The same, replacing | in the pattern by each word of @outer first; "-" is nothing. */
static void form_each2(struct forms *fs, const char *sig, const char *pattern, const char *outer,
                       const char *words)
{
    char word[32], inner[96];
    int used;

    while (sscanf(outer, "%31s%n", word, &used) == 1) {
        const char *bar = strchr(pattern, '|');

        outer += used;
        snprintf(inner, sizeof(inner), "%.*s%s%s", (int)(bar - pattern), pattern,
                 strcmp(word, "-") ? word : "", bar + 1);
        if (strchr(inner, '|')) {
            form_each2(fs, sig, inner, words, "");
        } else if (!*words) {
            form_add(fs, sig, inner);
        } else {
            form_each(fs, sig, inner, words);
        }
    }
}

static void forms_integer(struct forms *fs)
{
    const char *op2 = "add sub mul.lo mul.hi div rem min max";

    form_each2(fs, "hhh", "|.%s", op2, "u16 s16");
    form_each2(fs, "rrr", "|.%s", op2, "u32 s32");
    form_each2(fs, "ddd", "|.%s", op2, "u64 s64");
    form_each(fs, "rrr", "%s.sat.s32", "add sub");
    form_each(fs, "rhh", "mul.wide.%s", "u16 s16");
    form_each(fs, "drr", "mul.wide.%s", "u32 s32");
    form_each2(fs, "hhhh", "|.%s", "mad.lo mad.hi sad", "u16 s16");
    form_each2(fs, "rrrr", "|.%s", "mad.lo mad.hi sad mad24.lo mad24.hi", "u32 s32");
    form_each2(fs, "dddd", "|.%s", "mad.lo mad.hi sad", "u64 s64");
    form_each(fs, "rrrr", "%s.sat.s32", "mad.hi mad24.hi");
    form_each(fs, "rhhr", "mad.wide.%s", "u16 s16");
    form_each(fs, "drrd", "mad.wide.%s", "u32 s32");
    form_each2(fs, "rrr", "mul24.|.%s", "lo hi", "u32 s32");
    form_each(fs, "hh", "%s", "abs.s16 neg.s16 not.b16 cnot.b16");
    form_each(fs, "rr", "%s",
              "abs.s32 neg.s32 not.b32 cnot.b32 popc.b32 clz.b32 brev.b32 bfind.u32 "
              "bfind.s32 bfind.shiftamt.u32 bfind.shiftamt.s32");
    form_each(fs, "dd", "%s", "abs.s64 neg.s64 not.b64 cnot.b64 brev.b64");
    form_each(fs, "rd", "%s",
              "popc.b64 clz.b64 bfind.u64 bfind.s64 bfind.shiftamt.u64 "
              "bfind.shiftamt.s64");
    form_each2(fs, "hhh", "|.%s", "and or xor", "b16");
    form_each2(fs, "rrr", "|.%s", "and or xor", "b32");
    form_each2(fs, "ddd", "|.%s", "and or xor", "b64");
    form_each(fs, "hhn", "%s", "shl.b16 shr.u16 shr.s16");
    form_each(fs, "rrn", "%s",
              "shl.b32 shr.u32 shr.s32 szext.clamp.u32 szext.clamp.s32 "
              "szext.wrap.u32 szext.wrap.s32");
    form_each(fs, "ddn", "%s", "shl.b64 shr.u64 shr.s64");
    form_each2(fs, "rrrn", "shf.|.%s.b32", "l r", "clamp wrap");
    form_each(fs, "rrnn", "bfe.%s", "u32 s32");
    form_each(fs, "ddnn", "bfe.%s", "u64 s64");
    form_add(fs, "rrrnn", "bfi.b32");
    form_add(fs, "dddnn", "bfi.b64");
    form_each(fs, "rnn", "bmsk.%s.b32", "clamp wrap");
    form_add(fs, "rrnr", "fns.b32");
    form_each2(fs, "rrrr", "dp4a.|.%s", "u32 s32", "u32 s32");
    form_each2(fs, "rrrr", "dp2a.lo.|.%s", "u32 s32", "u32 s32");
    form_each2(fs, "rrrr", "dp2a.hi.|.%s", "u32 s32", "u32 s32");
    form_each(fs, "rrrr", "prmt.b32%s", "- .f4e .b4e .rc8 .ecl .ecr .rc16");
    form_body(fs, "rrrr", "lop3 0xe8", "lop3.b32 %D, %A, %B, %C, 0xe8;");
    form_body(fs, "rrrr", "lop3 0x1d", "lop3.b32 %D, %A, %B, %C, 0x1d;");
    form_body(fs, "rrrr", "lop3 0x96", "lop3.b32 %D, %A, %B, %C, 0x96;");
    form_body(fs, "rrrr", "carry 32",
              "{ .reg .b32 t; add.cc.u32 t, %A, %B; addc.cc.u32 t, t, %C; addc.u32 %D, t, 0; }");
    form_body(fs, "rrrr", "borrow 32",
              "{ .reg .b32 t; sub.cc.u32 t, %A, %B; subc.cc.u32 t, t, %C; subc.u32 %D, t, 0; }");
    form_body(fs, "dddd", "carry 64",
              "{ .reg .b64 t; add.cc.u64 t, %A, %B; addc.cc.u64 t, t, %C; addc.u64 %D, t, 0; }");
    form_body(fs, "dddd", "borrow 64",
              "{ .reg .b64 t; sub.cc.u64 t, %A, %B; subc.cc.u64 t, t, %C; subc.u64 %D, t, 0; }");
    form_body(fs, "rrrr", "mad carry 32",
              "{ .reg .b32 t; mad.lo.cc.u32 t, %A, %B, %C; madc.hi.cc.u32 t, %A, %B, t; "
              "addc.u32 %D, t, 0; }");
    form_body(fs, "rrrr", "madc carry s32",
              "{ .reg .b32 t; mad.hi.cc.s32 t, %A, %B, %C; madc.lo.cc.s32 t, %A, %C, t; "
              "addc.u32 %D, t, 0; }");
    form_each(fs, "rrrr", "vabsdiff4.%s",
              "u32.u32.u32 u32.s32.s32 add.u32.u32.u32 add.u32.s32.s32");
    form_each(fs, "rrrp", "selp.%s", "b32 s32");
    form_add(fs, "dddp", "selp.b64");
    form_add(fs, "hhhp", "selp.b16");
    form_add(fs, "rrrr", "slct.u32.s32");
    form_add(fs, "dddr", "slct.u64.s32");
    form_each(fs, "rrrf", "slct.%su32.f32", "- ftz.");
    form_body(fs, "dhhhh", "mov pack", "mov.b64 %D, {%A, %B, %C, %E};");
    form_body(fs, "rd", "mov unpack", "{ .reg .b32 t; mov.b64 {t, %D}, %A; add.u32 %D, %D, t; }");
    form_body(fs, "rr", "mov unpack 16",
              "{ .reg .b16 a, b; mov.b32 {a, b}, %A; mov.b32 %D, {b, a}; }");
}

static void forms_compare(struct forms *fs)
{
    const char *order = "eq ne lt le gt ge";
    const char *floats = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan";

    form_each2(fs, "phh", "setp.|.%s", order, "s16 u16");
    form_each2(fs, "prr", "setp.|.%s", order, "s32 u32");
    form_each2(fs, "pdd", "setp.|.%s", order, "s64 u64");
    form_each2(fs, "prr", "setp.|.%s", "lo ls hi hs", "u32");
    form_each2(fs, "pff", "setp.|%s.f32", floats, "- .ftz");
    form_each2(fs, "pgg", "setp.|.%s", floats, "f64");
    form_each2(fs, "pyy", "setp.|%s.f16", floats, "- .ftz");
    form_each2(fs, "pyy", "setp.|.%s", floats, "bf16");
    form_each2(fs, "rrr", "set.|.%s.s32", order, "u32 f32");
    form_each2(fs, "rff", "set.|.%s.f32", floats, "u32");
    form_each2(fs, "yyy", "set.|.%s.f16", "eq lt neu", "f16 u16");
    form_each2(fs, "ryy", "set.|.%s.f16", "ge", "u32");
    form_each2(fs, "xxx", "set.|.%s.f16x2", "eq leu", "f16x2");
    form_each2(fs, "rxx", "set.|.%s.f16x2", "gt", "u32");
    form_each2(fs, "yyy", "set.|.%s.bf16", "lt", "bf16 u16");
    form_each2(fs, "xxx", "set.|.%s.bf16x2", "ne", "bf16x2");
    form_body(fs, "prrp", "setp and p|q",
              "{ .reg .pred q; setp.lt.and.s32 %D|q, %A, %B, %C; xor.pred %D, %D, q; }");
    form_body(fs, "prrp", "setp or q", "{ .reg .pred u; setp.gt.or.u32 u|%D, %A, %B, !%C; }");
    form_body(fs, "prrp", "setp xor", "setp.eq.xor.u32 %D, %A, %B, %C;");
    form_body(fs, "pffp", "setp f32 and", "setp.ltu.and.f32 %D, %A, %B, %C;");
    form_body(fs, "rrrp", "set and", "set.ne.and.u32.s32 %D, %A, %B, %C;");
    form_body(fs, "pxx", "setp f16x2",
              "{ .reg .pred q; setp.lt.f16x2 %D|q, %A, %B; and.pred %D, %D, q; }");
    form_each(fs, "pf", "testp.%s.f32", "finite infinite number notanumber normal subnormal");
    form_each(fs, "pg", "testp.%s.f64", "finite infinite number notanumber normal subnormal");
}

static void forms_float(struct forms *fs)
{
    const char *round = ".rn .rz .rm .rp", *ftzsat = "- .ftz .sat .ftz.sat";

    form_each2(fs, "fff", "add|%s.f32", "- .rn .rz .rm .rp", ftzsat);
    form_each2(fs, "fff", "sub|%s.f32", "- .rn .rz .rm .rp", ftzsat);
    form_each2(fs, "fff", "mul|%s.f32", "- .rn .rz .rm .rp", ftzsat);
    form_each2(fs, "ffff", "fma|%s.f32", round, ftzsat);
    form_each2(fs, "ggg", "|%s.f64", "add sub mul", "- .rn .rz .rm .rp");
    form_each(fs, "gggg", "fma%s.f64", round);
    form_each2(fs, "fff", "div|%s.f32", round, "- .ftz");
    form_each2(fs, "ff", "rcp|%s.f32", round, "- .ftz");
    form_each2(fs, "ff", "sqrt|%s.f32", round, "- .ftz");
    form_each(fs, "ggg", "div%s.f64", round);
    form_each(fs, "gg", "rcp%s.f64", round);
    form_each(fs, "gg", "sqrt%s.f64", round);
    form_each2(fs, "fff", "min|%s.f32", "- .ftz", "- .NaN .xorsign.abs .NaN.xorsign.abs");
    form_each2(fs, "fff", "max|%s.f32", "- .ftz", "- .NaN .xorsign.abs .NaN.xorsign.abs");
    form_each(fs, "ggg", "%s.f64", "min max copysign");
    form_add(fs, "fff", "copysign.f32");
    form_each(fs, "ff", "%s.f32", "abs neg abs.ftz neg.ftz");
    form_each(fs, "gg", "%s.f64", "abs neg");
}

static void forms_half(struct forms *fs)
{
    const char *kind = ".f16 .ftz.f16 .sat.f16";

    form_each2(fs, "yyy", "|%s", "add sub mul", kind);
    form_each2(fs, "xxx", "|%s", "add sub mul", ".f16x2 .ftz.f16x2 .sat.f16x2");
    form_each(fs, "yyyy", "fma.rn%s", ".f16 .ftz.f16 .sat.f16 .relu.f16 .bf16 .relu.bf16");
    form_each(fs, "xxxx", "fma.rn%s", ".f16x2 .ftz.f16x2 .bf16x2");
    form_each2(fs, "yyy", "|%s", "add sub mul", ".rn.bf16");
    form_each2(fs, "xxx", "|%s", "add sub mul", ".rn.bf16x2");
    form_each(fs, "yy", "%s", "neg.f16 neg.ftz.f16 abs.f16 abs.ftz.f16 neg.bf16 abs.bf16");
    form_each(fs, "xx", "%s", "neg.f16x2 abs.f16x2 neg.bf16x2 abs.bf16x2");
    form_each2(fs, "yyy", "|%s", "min max",
               ".f16 .ftz.f16 .NaN.f16 .xorsign.abs.f16 .bf16 .NaN.bf16");
    form_each2(fs, "xxx", "|%s", "min max", ".f16x2 .NaN.f16x2 .bf16x2");
}

static char type_form_letter(const char *t)
{
    int bits = atoi(t + (t[0] == 'b') + 1);

    return t[0] == 'f' || t[0] == 'b' ? (bits == 16   ? 'y'
                                         : bits == 32 ? 'f'
                                                      : 'g')
                                      : (bits <= 8    ? 'r'
                                         : bits == 16 ? 'h'
                                         : bits == 32 ? 'r'
                                                      : 'd');
}

static void forms_cvt(struct forms *fs)
{
    static const char *const ints[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
    static const char *const floats[] = { "f16", "bf16", "f32", "f64" };
    static const char *const rnd[] = { ".rn", ".rz", ".rm", ".rp" };
    static const char *const ird[] = { ".rni", ".rzi", ".rmi", ".rpi" };
    char name[64], sig[4] = "";

    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            for (int s = 0; s < 2; s++) {
                sig[0] = type_form_letter(ints[a]);
                sig[1] = type_form_letter(ints[b]);
                snprintf(name, sizeof(name), "cvt%s.%s.%s", s ? ".sat" : "", ints[a], ints[b]);
                form_add(fs, sig, name);
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int f = 0; f < 4; f++) {
            for (int r = 0; r < 4; r++) {
                sig[0] = type_form_letter(floats[f]);
                sig[1] = type_form_letter(ints[i]);
                snprintf(name, sizeof(name), "cvt%s.%s.%s", rnd[r], floats[f], ints[i]);
                form_add(fs, sig, name);
                sig[0] = type_form_letter(ints[i]);
                sig[1] = type_form_letter(floats[f]);
                snprintf(name, sizeof(name), "cvt%s.%s.%s", ird[r], ints[i], floats[f]);
                form_add(fs, sig, name);
            }
        }
        sig[0] = type_form_letter(ints[i]);
        sig[1] = 'f';
        snprintf(name, sizeof(name), "cvt.rzi.ftz.%s.f32", ints[i]);
        form_add(fs, sig, name);
    }
    form_each(fs, "fg", "cvt%s.f32.f64", ".rn .rz .rm .rp .rn.ftz .rn.sat .rz.ftz .rn.ftz.sat");
    form_each(fs, "gf", "cvt%s.f64.f32", "- .ftz .sat");
    form_each(fs, "fy", "cvt%s.f32.f16", "- .ftz .sat");
    form_add(fs, "fy", "cvt.f32.bf16");
    form_add(fs, "gy", "cvt.f64.f16");
    form_each(fs, "yf", "cvt%s.f16.f32", ".rn .rz .rm .rp .rn.ftz .rn.sat .rn.relu");
    form_each(fs, "yf", "cvt%s.bf16.f32", ".rn .rz .rn.relu .rz.relu");
    form_each(fs, "yg", "cvt%s.f16.f64", ".rn .rz .rm .rp");
    form_each(fs, "xff", "cvt%s.f16x2.f32", ".rn .rz .rn.relu");
    form_each(fs, "xff", "cvt%s.bf16x2.f32", ".rn .rz .rn.relu");
    form_each(fs, "ff", "cvt%s.f32.f32",
              ".rni .rzi .rmi .rpi .rni.ftz .rzi.sat .sat .ftz .ftz.sat");
    form_each(fs, "gg", "cvt%s.f64.f64", ".rni .rzi .rmi .rpi .sat");
    form_each(fs, "yy", "cvt%s.f16.f16", ".rni .rzi .rmi .rpi");
}

static void form_bounded(struct forms *fs, const char *sig, const char *pattern, const char *words,
                         double ulp, int abs_bits)
{
    unsigned first = fs->n;

    form_each(fs, sig, pattern, words);
    for (; first < fs->n; first++) {
        fs->form[first].ulp = ulp;
        fs->form[first].abs_bits = abs_bits;
    }
}

/* PTX ISA 9.7.3: bounds of the approximations */
static void forms_approx(struct forms *fs)
{
    form_bounded(fs, "ff", "rcp.approx%s.f32", "- .ftz", 1, 0);
    form_bounded(fs, "ff", "sqrt.approx%s.f32", "- .ftz", 2, 0);
    form_bounded(fs, "ff", "rsqrt.approx%s.f32", "- .ftz", 2.2, 0);
    form_bounded(fs, "fff", "div.approx%s.f32", "- .ftz", 2, 0);
    form_bounded(fs, "fff", "div.full%s.f32", "- .ftz", 2, 0);
    form_bounded(fs, "fe", "ex2.approx%s.f32", "- .ftz", 2.5, 0);
    form_bounded(fs, "ff", "lg2.approx%s.f32", "- .ftz", 3, 22);
    form_bounded(fs, "fs", "sin.approx%s.f32", "- .ftz", 0, 20);
    form_bounded(fs, "fs", "cos.approx%s.f32", "- .ftz", 0, 20);
    form_bounded(fs, "fe", "tanh.approx%s.f32", "-", 8192, 0);
    form_bounded(fs, "gg", "rsqrt.approx%s.f64", "-", 2, 0);
    form_bounded(fs, "gg", "rcp.approx.ftz%s.f64", "-", 4294967296.0 * 2, 0);
    form_bounded(fs, "gg", "rsqrt.approx.ftz%s.f64", "-", 4294967296.0 * 2, 0);
    form_bounded(fs, "yy", "ex2.approx%s", ".f16 .ftz.bf16", 8, 0);
    form_bounded(fs, "yy", "tanh.approx%s", ".f16 .bf16", 4, 0);
}

static void forms_warp(struct forms *fs)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    char name[64], body[400];

    for (int m = 0; m < 4; m++) {
        snprintf(name, sizeof(name), "shfl.sync.%s", modes[m]);
        snprintf(body, sizeof(body),
                 "{ .reg .pred q; .reg .b32 t, c; and.b32 c, %%C, 0x1f1f;"
                 " shfl.sync.%s.b32 t|q, %%A, %%B, c, -1; selp.b32 %%D, t, 0x5a5a, q;"
                 " xor.b32 %%D, %%D, t; }",
                 modes[m]);
        form_body(fs, "rrnr", name, body);
    }
    form_body(fs, "rp", "vote.sync.ballot", "vote.sync.ballot.b32 %D, %A, -1;");
    form_body(fs, "pp", "vote.sync.any", "vote.sync.any.pred %D, !%A, -1;");
    form_body(fs, "pp", "vote.sync.all", "vote.sync.all.pred %D, %A, -1;");
    form_body(fs, "pp", "vote.sync.uni", "vote.sync.uni.pred %D, %A, -1;");
    form_body(fs, "rn", "match.any.sync", "match.any.sync.b32 %D, %A, -1;");
    form_body(fs, "rn", "match.all.sync",
              "{ .reg .pred q; .reg .b32 t; and.b32 t, %A, 0; match.all.sync.b32 %D|q, t, -1;"
              " @!q mov.b32 %D, 77; }");
    form_each(fs, "rr", "redux %s",
              "add.s32 add.u32 min.s32 min.u32 max.s32 max.u32 and.b32 or.b32 "
              "xor.b32");
    for (unsigned i = fs->n - 9; i < fs->n; i++) {
        snprintf(fs->form[i].body, 400, "redux.sync.%s %%D, %%A, -1;", fs->form[i].name + 6);
    }
}

static const char *form_reg_type(char letter);

/* The value that an atomic leaves and the one that it found, in memory and in the block's shared
 * memory */
static void form_atom(struct forms *fs, const char *sig, const char *op, const char *type,
                      const char *more)
{
    static const char *const place[] = { "global", "shared" };
    const char *reg = form_reg_type(sig[0]);
    char name[96], body[400];

    for (int k = 0; k < 4; k++) {
        const char *at = place[k & 1];

        snprintf(name, sizeof(name), "%s.%s.%s", k & 2 ? "red" : "atom", at, op);
        if (k & 2 && (strstr(op, "exch") || strstr(op, "cas"))) {
            continue;
        }
        snprintf(body, sizeof(body),
                 "{ .shared .align 8 .b64 s[128]; .reg .b64 p; .reg .%s o; mov.u64 p, s;"
                 " mul.wide.u32 %%l5, %%i2, 8; add.u64 p, p, %%l5;%s st.%s.%s [p], %%A;"
                 " %s.%s %s[p], %%B%s; ld.%s.%s %%D, [p]; }",
                 reg, k & 1 ? "" : " mov.u64 p, %l0;", at, reg, name, type, k & 2 ? "" : "o, ",
                 more, at, reg);
        form_body(fs, sig, name, body);
        snprintf(strchr(fs->form[fs->n - 1].name, '\0'), 20, ".%s", type);
        if (!(k & 2)) { /* the old value in place of the new */
            strcpy(strstr(fs->form[fs->n - 1].body, "ld."), "mov.");
            snprintf(strchr(fs->form[fs->n - 1].body, '\0'), 40, "%s %%D, o; }", reg);
            form_body(fs, sig, name, body);
            snprintf(strchr(fs->form[fs->n - 1].name, '\0'), 30, ".%s then ld", type);
        }
    }
}

static void forms_atom(struct forms *fs)
{
    static const char *const types[] = { "u32 rrr", "s32 rrr", "u64 ddd", "s64 ddd" };

    form_atom(fs, "fff", "add", "f32", "");
    form_atom(fs, "ggg", "add", "f64", "");
    form_atom(fs, "xxx", "add.noftz", "f16x2", "");
    form_atom(fs, "yyy", "add.noftz", "f16", "");
    form_atom(fs, "rrr", "inc", "u32", "");
    form_atom(fs, "rrr", "dec", "u32", "");
    form_atom(fs, "rrr", "and", "b32", "");
    form_atom(fs, "rrr", "or", "b32", "");
    form_atom(fs, "ddd", "xor", "b64", "");
    form_atom(fs, "ddd", "exch", "b64", "");
    form_atom(fs, "rrrr", "cas", "b32", ", %C");
    form_atom(fs, "dddd", "cas", "b64", ", %C");
    form_atom(fs, "hhhh", "cas", "b16", ", %C");
    for (unsigned i = 0; i < 4; i++) {
        char type[4] = { types[i][0], types[i][1], types[i][2], 0 };

        form_atom(fs, types[i] + 4, "min", type, "");
        form_atom(fs, types[i] + 4, "max", type, "");
    }
    form_atom(fs, "rrr", "add", "u32", "");
    form_atom(fs, "ddd", "add", "u64", "");
}

static struct forms forms_build(void)
{
    struct forms fs = { calloc(FORM_MAX + 1, sizeof(struct form)), 0 };

    forms_integer(&fs);
    forms_compare(&fs);
    forms_float(&fs);
    forms_half(&fs);
    forms_cvt(&fs);
    forms_approx(&fs);
    forms_warp(&fs);
    forms_atom(&fs);
    return fs;
}

/* Inputs */

static const uint32_t form_ints[] = {
    0,          1,          2,      3,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
    0xfffffffe, 0xffff,     0x8000, 0x7fff,     0x10000,    0xff00ff,   0x55555555, 0xaaaaaaaa,
    31,         32,         33,     0xffff8000, 0x7f,       0x80,       0xff,       0xffffff80,
    0xffffff7f, 0x12345678, 0x100,  0x3210,     0x7654,     0xfb73,
};
static const uint32_t form_floats[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x00800000, 0x007fffff, 0x00000001, 0x80000001, 0x807fffff, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff, 0xffc12345, 0x7f800001, 0x4f000000, 0xcf000000,
    0x4f800000, 0x4effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x437f0000, 0x42fe0000, 0xc3000000,
    0x47800000, 0x477fe000, 0x33800000, 0x3effffff, 0x40490fdb, 0x4b000001, 0x7e800000, 0x7f000000,
};
static const uint64_t form_doubles[] = {
    0,
    UINT64_C(0x8000000000000000),
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x3fe0000000000000),
    UINT64_C(0x4004000000000000),
    UINT64_C(0xc004000000000000),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x0000000000000001),
    UINT64_C(0x8000000000000001),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0xffefffffffffffff),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0xfff8000012345678),
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0x41e0000000000000),
    UINT64_C(0xc1e0000000000000),
    UINT64_C(0x41efffffffe00000),
    UINT64_C(0x43e0000000000000),
    UINT64_C(0xc3e0000000000000),
    UINT64_C(0x43f0000000000000),
    UINT64_C(0x47efffffe0000000),
    UINT64_C(0x47efffffefffffff),
    UINT64_C(0x47effffff0000000),
    UINT64_C(0x380fffffffffffff),
    UINT64_C(0x36a0000000000000),
    UINT64_C(0x3690000000000001),
    UINT64_C(0x406fe00000000000),
    UINT64_C(0x400921fb54442d18),
    UINT64_C(0x3fdfffffffffffff),
    UINT64_C(0x4330000000000001),
};
static const uint16_t form_halves[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x4100, 0xc100, 0x0400, 0x03ff, 0x0001, 0x8001,
    0x83ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe12, 0x7c01, 0x3f80, 0x0080,
    0x007f, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x4300, 0x5bf8, 0x6400, 0x4f00, 0x3555,
};

static uint64_t form_random(unsigned source, unsigned i)
{
    uint64_t x = ((uint64_t)source << 32 | i) * UINT64_C(0x9e3779b97f4a7c15) + 0x1234567;

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#define FORM_PICK(table, r) table[(r) % (sizeof(table) / sizeof(table[0]))]

static uint64_t form_float_random(uint64_t r)
{
    switch (r >> 60 & 3) {
    case 0: /* any bits */
        return (uint32_t)r;
    case 1: /* near one */
        return (uint32_t)((r & 0x83ffffff) | 0x3e000000);
    default: /* a wide middle */
        return (uint32_t)((r & 0x8fffffff) | 0x38000000);
    }
}

static uint64_t form_small_float(uint64_t r, float range)
{
    float v = ((float)(r & 0xffffff) / 8388608.0f - 1.0f) * range;
    uint32_t b;

    memcpy(&b, &v, 4);
    return b;
}

static uint64_t form_input(char letter, unsigned source, unsigned i)
{
    uint64_t r = form_random(source, i), pick = form_random(source + 16, i);
    int edge = (pick >> 40) % 3 != 0;

    switch (letter) {
    case 'h':
        return (edge ? FORM_PICK(form_ints, pick) : r) & 0xffff;
    case 'r':
        return edge ? FORM_PICK(form_ints, pick) : (uint32_t)r;
    case 'd':
        if (!edge) {
            return r;
        }
        return pick >> 50 & 1
                   ? (uint64_t)(int64_t)(int32_t)FORM_PICK(form_ints, pick)
                   : (uint64_t)FORM_PICK(form_ints, pick) << 32 | FORM_PICK(form_ints, pick >> 20);
    case 'f':
        return edge ? FORM_PICK(form_floats, pick) : form_float_random(r);
    case 'g':
        return edge          ? FORM_PICK(form_doubles, pick)
               : r >> 60 & 1 ? r
                             : (r & UINT64_C(0x83ffffffffffffff)) | UINT64_C(0x3c00000000000000);
    case 'p':
        return r & 1;
    case 'x':
        return form_input('y', source, i) | form_input('y', source + 5, i) << 16;
    case 'y':
        return edge ? FORM_PICK(form_halves, pick) : r & 0xffff;
    case 'n':
        return pick >> 45 & 7 ? pick % 70 : FORM_PICK(form_ints, pick);
    case 's':
        return (pick >> 40) % 8 == 0 ? FORM_PICK(form_floats, pick % 8)
                                     : form_small_float(r, 6.28f);
    default: /* e */
        return (pick >> 40) % 4 == 0 ? FORM_PICK(form_floats, pick)
                                     : form_small_float(r, pick & 1 ? 140.0f : 2.0f);
    }
}

/* The kernel */

static const char *form_reg_type(char letter)
{
    return letter == 'h' || letter == 'y'                    ? "b16"
           : letter == 'd'                                   ? "b64"
           : letter == 'f' || letter == 's' || letter == 'e' ? "f32"
           : letter == 'g'                                   ? "f64"
           : letter == 'p'                                   ? "pred"
                                                             : "b32";
}

static size_t form_append(char *out, size_t at, size_t size, const char *text)
{
    int n = snprintf(out + at, size - at, "%s", text);

    return at + (size_t)n;
}

/* %D %A %B %C %E of a body become registers. */
static size_t form_expand(char *out, size_t at, size_t size, const char *body)
{
    for (; *body && at + 4 < size; body++) {
        if (*body == '%' && strchr("DABCE", body[1])) {
            at = form_append(out, at, size, "%v");
            out[at++] = body[1];
            body++;
        } else {
            out[at++] = *body;
        }
    }
    out[at] = '\0';
    return at;
}

static void form_ptx(const struct form *f, char *out, size_t size)
{
    static const char names[] = "DABCE";
    size_t at = 0;
    char line[256];

    at = form_append(
        out, at, size,
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, "
        ".param .u64 out)\n{\n.reg .b32 %i<4>;\n.reg .b64 %l<8>;\n.reg .pred %q;\n");
    for (unsigned k = 0; f->sig[k]; k++) {
        snprintf(line, sizeof(line), ".reg .%s %%v%c;\n", form_reg_type(f->sig[k]), names[k]);
        at = form_append(out, at, size, line);
    }
    at =
        form_append(out, at, size,
                    "mov.u32 %i0, %ctaid.x;\nmov.u32 %i1, %ntid.x;\nmov.u32 %i2, %tid.x;\n"
                    "mad.lo.u32 %i0, %i0, %i1, %i2;\nld.param.u64 %l0, [in];\n"
                    "ld.param.u64 %l1, [out];\nmul.wide.u32 %l2, %i0, 32;\nadd.u64 %l0, %l0, %l2;\n"
                    "mul.wide.u32 %l3, %i0, 8;\nadd.u64 %l1, %l1, %l3;\n");
    for (unsigned k = 1; f->sig[k]; k++) {
        if (f->sig[k] == 'p') {
            snprintf(line, sizeof(line),
                     "ld.global.u32 %%i3, [%%l0+%u];\nsetp.ne.u32 %%v%c, %%i3, 0;\n", (k - 1) * 8,
                     names[k]);
        } else {
            snprintf(line, sizeof(line), "ld.global.%s %%v%c, [%%l0+%u];\n",
                     form_reg_type(f->sig[k]), names[k], (k - 1) * 8);
        }
        at = form_append(out, at, size, line);
    }
    if (f->body[0]) {
        at = form_expand(out, at, size, f->body);
    } else {
        at = form_append(out, at, size, f->name);
        for (unsigned k = 0; f->sig[k]; k++) {
            snprintf(line, sizeof(line), "%s%%v%c", k ? ", " : " ", names[k]);
            at = form_append(out, at, size, line);
        }
        at = form_append(out, at, size, ";");
    }
    if (f->sig[0] == 'p') {
        at = form_append(out, at, size, "\nselp.u32 %i3, 1, 0, %vD;\nst.global.u32 [%l1], %i3;\n");
    } else {
        snprintf(line, sizeof(line), "\nst.global.%s [%%l1], %%vD;\n", form_reg_type(f->sig[0]));
        at = form_append(out, at, size, line);
    }
    form_append(out, at, size, "ret;\n}\n");
}

static unsigned form_result_bytes(const struct form *f)
{
    return f->sig[0] == 'p' ? 1 : strchr("hy", f->sig[0]) ? 2 : strchr("dg", f->sig[0]) ? 8 : 4;
}

#endif
