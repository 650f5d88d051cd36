/* SPDX-License-Identifier: MIT */
#include "tests/native_kernel.h"

#define STATEMENTS_MAX 12
#define DEPTH_MAX 3

struct maker {
    GString *s;
    GRand *rand;
    unsigned labels, left, temporaries; /* %t0 and so on */
    bool calls;
};

static unsigned pick(struct maker *k, unsigned n)
{
    return (unsigned)g_rand_int_range(k->rand, 0, (gint32)n);
}

#define ONE_OF(k, list) (list)[pick(k, G_N_ELEMENTS(list))]

/* Registers that hold data: %r3 to %r9, %rd3 to %rd6, %f0 to %f5, %d0 to %d3, %p0 to %p5. The
 * others are the generator's: %r0 to %r2 who the thread is, %r10 to %r12 counters, the rest
 * addresses. */
static unsigned r(struct maker *k)
{
    return 3 + pick(k, 7);
}

static unsigned rd(struct maker *k)
{
    return 3 + pick(k, 4);
}

static unsigned f(struct maker *k)
{
    return pick(k, 6);
}

static unsigned d(struct maker *k)
{
    return pick(k, 4);
}

static void guard(struct maker *k)
{
    if (pick(k, 5) == 0) {
        g_string_append_printf(k->s, "@%s%%p%u ", pick(k, 2) ? "!" : "", pick(k, 6));
    }
}

static void arithmetic(struct maker *k)
{
    static const char *const two[] = { "add.u32", "sub.s32", "mul.lo.s32",  "mul.hi.u32",
                                       "min.s32", "max.u32", "and.b32",     "or.b32",
                                       "xor.b32", "shl.b32", "shr.u32",     "shr.s32",
                                       "div.u32", "rem.s32", "add.sat.s32", "mul24.lo.s32" };
    static const char *const three[] = { "mad.lo.s32", "mad.hi.u32",     "bfe.u32",     "prmt.b32",
                                         "sad.u32",    "shf.l.wrap.b32", "dp4a.s32.u32" };
    static const char *const floats[] = { "add.f32",     "sub.rn.f32",  "mul.f32",
                                          "add.ftz.f32", "min.f32",     "div.rn.f32",
                                          "mul.rz.f32",  "max.NaN.f32", "div.approx.f32" };
    static const char *const doubles[] = { "add.f64", "mul.f64", "div.rn.f64", "sub.rp.f64",
                                           "max.f64" };
    static const char *const one[] = { "sqrt.rn.f32",     "rcp.rn.f32",      "neg.f32",
                                       "abs.ftz.f32",     "sqrt.approx.f32", "sin.approx.f32",
                                       "rsqrt.approx.f32" };
    static const char *const wide[] = { "add.s64", "mul.lo.s64", "xor.b64", "min.u64", "sub.u64" };

    guard(k);
    switch (pick(k, 12)) {
    case 0:
        g_string_append_printf(k->s, "%s %%r%u, %%r%u, %u;\n", ONE_OF(k, two), r(k), r(k),
                               pick(k, 40));
        break;
    case 1:
        g_string_append_printf(k->s, "%s %%r%u, %%r%u, %%r%u, %%r%u;\n", ONE_OF(k, three), r(k),
                               r(k), r(k), r(k));
        break;
    case 2:
        g_string_append_printf(k->s, "%s %%f%u, %%f%u, %%f%u;\n", ONE_OF(k, floats), f(k), f(k),
                               f(k));
        break;
    case 3:
        g_string_append_printf(k->s, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", f(k), f(k), f(k),
                               f(k));
        break;
    case 4:
        g_string_append_printf(k->s, "%s %%d%u, %%d%u, %%d%u;\n", ONE_OF(k, doubles), d(k), d(k),
                               d(k));
        break;
    case 5:
        g_string_append_printf(k->s, "%s %%f%u, %%f%u;\n", ONE_OF(k, one), f(k), f(k));
        break;
    case 6:
        g_string_append_printf(k->s, "%s %%rd%u, %%rd%u, %%rd%u;\n", ONE_OF(k, wide), rd(k), rd(k),
                               rd(k));
        break;
    case 7:
        g_string_append_printf(k->s, "mad.wide.s32 %%rd%u, %%r%u, %%r%u, %%rd%u;\n", rd(k), r(k),
                               r(k), rd(k));
        break;
    case 8:
        g_string_append_printf(k->s, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", r(k), r(k), r(k),
                               pick(k, 6));
        break;
    case 9:
        g_string_append_printf(k->s, "lop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, %u;\n", r(k), r(k), r(k),
                               r(k), pick(k, 256));
        break;
    default:
        g_string_append_printf(k->s, "%s %%r%u, %%r%u, %%r%u;\n", ONE_OF(k, two), r(k), r(k), r(k));
    }
}

/* Arithmetic on NaNs whose results only arithmetic reads, but for one at times: which NaN a result
 * is shows in what reads its bits. */
static void chain(struct maker *k)
{
    static const char *const two[] = { "add.f32", "sub.f32", "mul.f32", "div.rn.f32" };
    static const char *const odd[] = { "0f7fc12345", "0fff812345", "0f7f800000", "0fbf800000" };
    unsigned n = 2 + pick(k, 5), t = k->temporaries;

    k->temporaries += n;
    g_string_append_printf(k->s, "add.f32 %%t%u, %%f%u, %s;\n", t, f(k), ONE_OF(k, odd));
    for (unsigned i = t + 1; i < t + n; i++) {
        switch (pick(k, 4)) {
        case 0:
            g_string_append_printf(k->s, "sqrt.rn.f32 %%t%u, %%t%u;\n", i, i - 1);
            break;
        case 1:
            g_string_append_printf(k->s, "fma.rn.f32 %%t%u, %%t%u, %%f%u, %%t%u;\n", i, i - 1, f(k),
                                   t);
            break;
        default:
            g_string_append_printf(k->s, "%s %%t%u, %%f%u, %%t%u;\n", ONE_OF(k, two), i, f(k),
                                   i - 1);
        }
    }
    if (pick(k, 3)) {
        g_string_append_printf(k->s, "add.f32 %%f%u, %%t%u, %%t%u;\n", pick(k, 4), t + n - 1, t);
    } else {
        g_string_append_printf(k->s, "mov.b32 %%r%u, %%t%u;\n", r(k), t + pick(k, n));
    }
}

/* The carry flag through instructions of both families and widths */
static void carries(struct maker *k)
{
    static const char *const root[2][4] = { { "add", "sub", "mad.lo", "mad.hi" },
                                            { "addc", "subc", "madc.lo", "madc.hi" } };
    unsigned n = 2 + pick(k, 3);

    for (unsigned i = 0; i < n; i++) {
        unsigned kind = pick(k, 4);
        bool wide = pick(k, 2);
        const char *reg = wide ? "rd" : "r";

        guard(k);
        g_string_append_printf(k->s, "%s%s.%s %%%s%u, %%%s%u, %%%s%u", root[i > 0][kind],
                               i + 1 < n ? ".cc" : "", wide ? "u64" : "s32", reg,
                               wide ? rd(k) : r(k), reg, wide ? rd(k) : r(k), reg,
                               wide ? rd(k) : r(k));
        if (kind > 1) {
            g_string_append_printf(k->s, ", %%%s%u", reg, wide ? rd(k) : r(k));
        }
        g_string_append(k->s, ";\n");
    }
}

static void convert(struct maker *k)
{
    guard(k);
    switch (pick(k, 9)) {
    case 0:
        g_string_append_printf(k->s, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", f(k), r(k));
        break;
    case 1:
        g_string_append_printf(k->s, "cvt.rzi.s32.f32 %%r%u, %%f%u;\n", r(k), f(k));
        break;
    case 2:
        g_string_append_printf(k->s, "cvt.f64.f32 %%d%u, %%f%u;\n", d(k), f(k));
        break;
    case 3:
        g_string_append_printf(k->s, "cvt.rn.f32.f64 %%f%u, %%d%u;\n", f(k), d(k));
        break;
    case 4:
        g_string_append_printf(k->s, "cvt.s64.s32 %%rd%u, %%r%u;\n", rd(k), r(k));
        break;
    case 5:
        g_string_append_printf(k->s, "cvt.u32.u64 %%r%u, %%rd%u;\n", r(k), rd(k));
        break;
    case 6:
        g_string_append_printf(k->s, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", rd(k), r(k), r(k));
        break;
    case 7:
        g_string_append_printf(k->s, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", 3 + pick(k, 3),
                               6 + pick(k, 4), rd(k));
        break;
    default:
        g_string_append_printf(k->s, "cvt.sat.s8.s32 %%r%u, %%r%u;\n", r(k), r(k));
    }
}

static void compare(struct maker *k)
{
    static const char *const op[] = { "eq.s32", "ne.u32",  "lt.s32", "ge.u32",
                                      "lt.f32", "geu.f32", "gt.s64" };
    unsigned i = pick(k, G_N_ELEMENTS(op));
    const char *reg = i < 4 ? "r" : i < 6 ? "f" : "rd";
    unsigned a = i < 4 ? r(k) : i < 6 ? f(k) : rd(k), b = i < 4 ? r(k) : i < 6 ? f(k) : rd(k);

    guard(k);
    g_string_append_printf(k->s, "setp.%s %%p%u, %%%s%u, %%%s%u;\n", op[i], pick(k, 6), reg, a, reg,
                           b);
}

/* %r13: a byte offset below @limit, a multiple of @align: scattered, in a row, or one for all */
static void offset(struct maker *k, unsigned limit, unsigned align)
{
    unsigned mask = (limit - 1) & ~(align - 1);

    switch (pick(k, 4)) {
    case 0:
        g_string_append_printf(k->s, "and.b32 %%r13, %%r%u, %u;\n", r(k), mask);
        break;
    case 1:
        g_string_append_printf(k->s, "mov.u32 %%r13, %u;\n", pick(k, limit) & mask);
        break;
    default:
        g_string_append_printf(k->s, "mul.lo.u32 %%r13, %%r%u, %u;\nand.b32 %%r13, %%r13, %u;\n",
                               pick(k, 3), align, mask);
    }
}

static void value(struct maker *k, unsigned kind)
{
    switch (kind) {
    case 0:
        g_string_append_printf(k->s, "%%r%u", r(k));
        break;
    case 1:
        g_string_append_printf(k->s, "%%rd%u", rd(k));
        break;
    case 2:
        g_string_append_printf(k->s, "%%f%u", f(k));
        break;
    case 3:
        g_string_append_printf(k->s, "{%%r%u, %%r%u}", 3 + pick(k, 3), 6 + pick(k, 4));
        break;
    default:
        g_string_append(k->s, "{%f0, %f1, %f2, %f3}");
    }
}

static const struct {
    const char *type;
    unsigned bytes, kind;
} forms[] = { { "u32", 4, 0 }, { "u32", 4, 0 },    { "f32", 4, 2 },
              { "u64", 8, 1 }, { "u8", 1, 0 },     { "s16", 2, 0 },
              { "s8", 1, 0 },  { "v2.u32", 8, 3 }, { "v4.f32", 16, 4 } };

static void memory(struct maker *k)
{
    unsigned i = pick(k, G_N_ELEMENTS(forms)), space = pick(k, 3);
    bool store = pick(k, 2);
    const char *name = space == 0 ? ".shared" : space == 1 ? ".global" : "";

    offset(k, space == 0 ? 512 : 1024, forms[i].bytes);
    if (space == 0) {
        g_string_append(k->s, "mov.u32 %r14, sh;\nadd.u32 %r14, %r14, %r13;\n");
    } else {
        g_string_append(k->s, "cvt.u64.u32 %rd2, %r13;\nadd.s64 %rd2, %rd1, %rd2;\n");
    }
    guard(k);
    g_string_append_printf(k->s, "%s%s.%s ", store ? "st" : "ld", name, forms[i].type);
    if (store) {
        g_string_append_printf(k->s, "[%%%s+%u], ", space == 0 ? "r14" : "rd2", 16 * pick(k, 3));
        value(k, forms[i].kind);
    } else {
        value(k, forms[i].kind);
        g_string_append_printf(k->s, ", [%%%s+%u]", space == 0 ? "r14" : "rd2", 16 * pick(k, 3));
    }
    g_string_append(k->s, ";\n");
}

static void atomic(struct maker *k)
{
    static const char *const op[] = { "add.u32", "min.s32", "xor.b32", "exch.b32", "inc.u32" };
    bool shared = pick(k, 2);

    offset(k, 256, 4);
    if (shared) {
        g_string_append(k->s, "mov.u32 %r14, sh;\nadd.u32 %r14, %r14, %r13;\n");
    } else {
        g_string_append(k->s, "cvt.u64.u32 %rd2, %r13;\nadd.s64 %rd2, %rd1, %rd2;\n");
    }
    guard(k);
    if (pick(k, 2)) {
        g_string_append_printf(k->s, "atom.%s.%s %%r%u, [%%%s], %%r%u;\n",
                               shared ? "shared" : "global", ONE_OF(k, op), r(k),
                               shared ? "r14" : "rd2", r(k));
    } else {
        g_string_append_printf(k->s, "red.%s.add.u32 [%%%s], %%r%u;\n",
                               shared ? "shared" : "global", shared ? "r14" : "rd2", r(k));
    }
}

/* Where all threads are; elsewhere they would wait for each other for ever. */
static void together(struct maker *k)
{
    switch (pick(k, 5)) {
    case 0:
        g_string_append(k->s, "bar.sync 0;\n");
        break;
    case 1:
        g_string_append_printf(k->s, "shfl.sync.bfly.b32 %%r%u|%%p%u, %%r%u, %u, 31, -1;\n", r(k),
                               pick(k, 6), r(k), 1u << pick(k, 5));
        break;
    case 2:
        g_string_append_printf(k->s, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", r(k), pick(k, 6));
        break;
    case 3:
        g_string_append_printf(k->s, "mov.u32 %%r%u, %%clock;\n", r(k));
        break;
    default:
        k->calls = true;
        g_string_append_printf(
            k->s,
            "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r%u; call (b), fn, (a); "
            "ld.param.b32 %%r%u, [b]; }\n",
            r(k), r(k));
    }
}

static void statements(struct maker *k, unsigned n, unsigned depth);

static void loop(struct maker *k, unsigned depth)
{
    unsigned label = k->labels++;
    bool is_long = depth == 0 && pick(k, 4) == 0;

    if (is_long) { /* longer than a warp's turn, and than its fragments' quotas */
        g_string_append_printf(k->s, "mov.u32 %%r10, %u;\n", 1000 + pick(k, 1000));
    } else if (pick(k, 3) == 0) { /* as many rounds as the thread's own data say */
        g_string_append_printf(k->s, "and.b32 %%r%u, %%r%u, 7;\n", 10 + depth, r(k));
    } else {
        g_string_append_printf(k->s, "mov.u32 %%r%u, %u;\n", 10 + depth, pick(k, 12));
    }
    g_string_append_printf(k->s, "L%u:\n", label);
    if (is_long) {
        memory(k);
        arithmetic(k);
    } else {
        statements(k, 1 + pick(k, 4), depth + 1);
    }
    g_string_append_printf(
        k->s, "sub.s32 %%r%u, %%r%u, 1;\nsetp.gt.s32 %%p7, %%r%u, 0;\n@%%p7 bra L%u;\n", 10 + depth,
        10 + depth, 10 + depth, label);
}

static void branch(struct maker *k, unsigned depth)
{
    unsigned label = k->labels++;

    g_string_append_printf(k->s, "@%s%%p%u bra L%u;\n", pick(k, 2) ? "!" : "", pick(k, 6), label);
    statements(k, 1 + pick(k, 3), depth + 1);
    g_string_append_printf(k->s, "L%u:\n", label);
}

/* An access that is refused in the lanes of a predicate: no memory there, or not aligned */
static void fault(struct maker *k)
{
    g_string_append_printf(
        k->s, "@%%p%u add.s64 %%rd2, %%rd1, %s;\n@%%p%u ld.global.u32 %%r%u, [%%rd2];\n",
        pick(k, 6), pick(k, 2) ? "0x400000" : "2", pick(k, 6), r(k));
}

/* Loads at several offsets from one register, each half of a warp of which has one address or words
 * in a row: at the start of a line, across its end, not aligned, sometimes where the second half
 * has no memory. */
static void rows(struct maker *k)
{
    static const unsigned far[] = { 0, 64, 128, 132, 512, 1000 };

    g_string_append_printf(k->s, "and.b32 %%r13, %%r0, 15;\nmul.lo.u32 %%r13, %%r13, %u;\n",
                           pick(k, 8) ? 4 * pick(k, 2) : 8);
    g_string_append(k->s, "bfe.u32 %r14, %r0, 4, 1;\n");
    if (pick(k, 3) == 0) { /* the halves differ */
        g_string_append(k->s, "mul.lo.u32 %r13, %r13, %r14;\n");
    }
    g_string_append_printf(k->s, "mul.lo.u32 %%r14, %%r14, %u;\n",
                           pick(k, 20) ? ONE_OF(k, far) : 0x400000);
    g_string_append(k->s, "add.u32 %r13, %r13, %r14;\ncvt.u64.u32 %rd2, %r13;\n"
                          "add.s64 %rd2, %rd1, %rd2;\n");
    if (pick(k, 4) == 0) {
        g_string_append_printf(k->s, "@%%p%u add.s64 %%rd2, %%rd2, 4;\n", pick(k, 6));
    }
    for (unsigned n = 1 + pick(k, 4); n; n--) {
        guard(k);
        g_string_append_printf(k->s, "ld.global.u32 %%r%u, [%%rd2+%u];\n", 3 + pick(k, 7),
                               pick(k, 30) ? 4 * pick(k, 64) : 2);
    }
}

static void statements(struct maker *k, unsigned n, unsigned depth)
{
    while (n-- > 0 && k->left > 0) {
        unsigned what = pick(k, 40);

        k->left--;
        if (what < 3) {
            chain(k);
        } else if (what < 13) {
            arithmetic(k);
        } else if (what < 14) {
            carries(k);
        } else if (what < 17) {
            convert(k);
        } else if (what < 21) {
            compare(k);
        } else if (what < 25) {
            memory(k);
        } else if (what < 27) {
            rows(k);
        } else if (what < 29) {
            atomic(k);
        } else if (what < 31 && depth == 0) {
            together(k);
        } else if (what < 35 && depth < DEPTH_MAX) {
            loop(k, depth);
        } else if (what < 39 && depth < DEPTH_MAX) {
            branch(k, depth);
        } else if (what == 39 && pick(k, 3) == 0) {
            fault(k);
        }
    }
}

/* Data comes from memory: a compiler takes its time for arithmetic. */
static void begin(struct maker *k)
{
    g_string_append(
        k->s,
        ".visible .entry k(.param .u64 out, .param .u64 buf)\n{\n.reg .b32 %r<16>;\n.reg .b64 "
        "%rd<8>;\n"
        ".reg .f32 %f<6>;\n.reg .f32 %t<100>;\n.reg .f64 %d<4>;\n.reg .pred %p<8>;\n.shared .align "
        "16 .b8 sh[1024];\n"
        "ld.param.u64 %rd0, [out];\nld.param.u64 %rd1, [buf];\nmov.u32 %r0, %tid.x;\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r2, %r1, %r2, %r0;\n"
        "and.b32 %r13, %r0, 63;\nmad.wide.u32 %rd2, %r13, 32, %rd1;\n"
        "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2];\n"
        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd2+16];\nld.global.v2.u64 {%rd3, %rd4}, "
        "[%rd2+1024];\n"
        "ld.global.v2.f64 {%d0, %d1}, [%rd2+1040];\nmov.u32 %r7, %r0;\nmov.u32 %r8, %r2;\n");
    for (unsigned i = 0; i < 4; i++) {
        g_string_append_printf(k->s, "setp.lt.u32 %%p%u, %%r%u, %u;\n", i, pick(k, 2) ? 0 : 3 + i,
                               pick(k, 3) ? pick(k, 80) : g_rand_int(k->rand));
    }
}

static void end(struct maker *k)
{
    g_string_append_printf(k->s, "mad.wide.u32 %%rd2, %%r2, %u, %%rd0;\n", NATIVE_OUT);
    g_string_append(
        k->s,
        "st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6};\nst.global.v2.u32 [%rd2+16], {%r7, %r8};\n"
        "st.global.u32 [%rd2+24], %r9;\nst.global.v4.f32 [%rd2+32], {%f0, %f1, %f2, %f3};\n"
        "st.global.u64 [%rd2+48], %rd3;\nst.global.f64 [%rd2+56], %d0;\nret;\n}\n");
}

/* A function is in every text, so that the entry has the same number; worth compiling where it is
 * called. */
static const char function[] =
    ".version 7.8\n.target sm_87\n.address_size 64\n"
    ".func (.param .b32 out) fn(.param .b32 in)\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n";
static const char function_body[] =
    "ld.param.b32 %r1, [in];\nmov.u32 %r2, 3;\nF:\nmad.lo.s32 %r1, %r1, %r2, 7;\nsub.s32 %r2, %r2, "
    "1;\n"
    "setp.gt.s32 %p1, %r2, 0;\n@%p1 bra F;\nst.param.b32 [out], %r1;\n";

void native_kernel_make(struct native_kernel *out, uint32_t seed)
{
    struct maker k = { .s = g_string_new(NULL), .rand = g_rand_new_with_seed(seed) };

    k.left = 3 + pick(&k, STATEMENTS_MAX - 3);
    begin(&k);
    while (k.left > 0) {
        statements(&k, k.left, 0);
    }
    end(&k);
    g_string_prepend(k.s, "ret;\n}\n");
    g_string_prepend(k.s, k.calls ? function_body : "");
    g_string_prepend(k.s, function);
    out->block = pick(&k, 3) ? 32 * (1 + pick(&k, 3)) : 1 + pick(&k, 70);
    out->grid = 1 + pick(&k, 2);
    out->text = g_string_free(k.s, FALSE);
    g_rand_free(k.rand);
}
