/* SPDX-License-Identifier: MIT */
/* Kernels whose results golden/sync_oracle.c asks a real GPU for and test_sync_golden.c compares:
 * sequences of mbarrier operations, warp-wide operations with partial masks, asynchronous copies,
 * loads and products of matrices. Needs the C library alone.
 *
 * A kernel has one parameter, the address of the output. Thread t stores its words at 4 *
 * (SYNC_WORDS * t + i); in the second half of the buffer, from SYNC_INPUT on, lie the inputs of
 * sync_input().
 */
#ifndef TESTS_SYNC_FORMS_H
#define TESTS_SYNC_FORMS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYNC_WORDS 64u
#define SYNC_THREADS 128u
#define SYNC_INPUT (SYNC_WORDS * SYNC_THREADS * 4)
#define SYNC_BYTES (2 * SYNC_INPUT)
#define SYNC_MAX 512u

/**
 * struct sync_form
 * @sm: of its .target; @threads: of the one block; @words: that a thread stores
 */
struct sync_form {
    char name[80];
    char body[7000];
    unsigned sm, threads, words;
};

struct sync_forms {
    struct sync_form *form;
    unsigned n;
};

static uint32_t sync_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Small halves (exact sums of products), so that bytes of them are good for every type of matrix */
static uint32_t sync_input(unsigned i)
{
    static const uint16_t half[16] = { 0x0000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0xb800,
                                       0xc000, 0x4200, 0x3e00, 0xc200, 0x4400, 0x3400,
                                       0xbe00, 0x3d00, 0xc400, 0xb400 };
    uint32_t s = i * 2654435761u + 12345;

    return half[sync_random(&s) % 16] | (uint32_t)half[sync_random(&s) % 16] << 16;
}

static struct sync_form *sync_add(struct sync_forms *fs, unsigned sm, unsigned threads,
                                  const char *name)
{
    struct sync_form *f = &fs->form[fs->n++];

    if (fs->n > SYNC_MAX) {
        abort();
    }
    snprintf(f->name, sizeof(f->name), "%s", name);
    f->sm = sm;
    f->threads = threads;
    return f;
}

static void sync_put(struct sync_form *f, const char *format, ...)
{
    size_t at = strlen(f->body);
    va_list args;

    va_start(args, format);
    if (vsnprintf(f->body + at, sizeof(f->body) - at, format, args) >=
        (int)(sizeof(f->body) - at)) {
        abort();
    }
    va_end(args);
}

/* Stores register @reg (of 32 bits) as the thread's next word. */
static void sync_store(struct sync_form *f, const char *reg)
{
    sync_put(f, "st.global.u32 [%%o+%u], %s;\n", 4 * f->words++, reg);
}

static void sync_store_pred(struct sync_form *f, const char *p)
{
    sync_put(f, "selp.u32 %%t, 1, 0, %s;\n", p);
    sync_store(f, "%t");
}

/* mbarrier: one thread, a sequence of operations that PTX defines, by counts kept here. After each
 * arrival its pending count and whether its phase is over; after the others both parities. */
struct sync_barrier {
    unsigned pending, expected, phase;
    unsigned tx;
};

static void sync_complete(struct sync_barrier *b)
{
    if (!b->pending && !b->tx) {
        b->phase ^= 1;
        b->pending = b->expected;
    }
}

static void sync_arrive(struct sync_form *f, struct sync_barrier *b, unsigned drop, unsigned count,
                        unsigned more)
{
    const char *word = drop ? "arrive_drop" : "arrive";

    b->expected -= drop ? count : 0;
    b->pending -= count;
    if (!b->pending && !b->tx) {
        if (count == 1) {
            sync_put(f, "mbarrier.%s.shared.b64 %%s, [b];\n", word);
        } else {
            sync_put(f, "mbarrier.%s.shared.b64 %%s, [b], %u;\n", word, count);
        }
    } else if (more % 3 && f->sm < 90) {
        sync_put(f, "mbarrier.%s.noComplete.shared.b64 %%s, [b], %u;\n", word, count);
    } else if (count == 1) {
        sync_put(f, "mbarrier.%s.release.cta.shared.b64 %%s, [b];\n", word);
    } else {
        sync_put(f, "mbarrier.%s%s.shared.b64 %%s, [b], %u;\n", word,
                 f->sm < 90 ? ".noComplete" : "", count);
    }
    sync_complete(b);
    sync_put(f, "mbarrier.pending_count.b64 %%t, %%s;\n");
    sync_store(f, "%t");
    sync_put(f, "mbarrier.test_wait.shared.b64 %%p, [b], %%s;\n");
    sync_store_pred(f, "%p");
}

static void sync_parities(struct sync_form *f)
{
    for (unsigned k = 0; k < 2; k++) {
        sync_put(f, "mbarrier.%s.parity.shared.b64 %%p, [b], %u;\n",
                 f->sm < 90 || k ? "test_wait" : "try_wait", k);
        sync_store_pred(f, "%p");
    }
}

static void sync_sequence(struct sync_forms *fs, unsigned sm, unsigned seed)
{
    struct sync_barrier b = { 0 };
    struct sync_form *f;
    uint32_t r = seed * 77 + sm;
    char name[80];

    snprintf(name, sizeof(name), "mbarrier sm_%u %u", sm, seed);
    f = sync_add(fs, sm, 1, name);
    b.pending = b.expected = 1 + sync_random(&r) % 7;
    sync_put(f, ".shared .align 8 .b64 b;\n.reg .b64 %%s;\nmbarrier.init.shared.b64 [b], %u;\n",
             b.expected);
    while (f->words < 44) {
        unsigned what = sync_random(&r) % (sm < 90 ? 6 : 9), count = 1 + sync_random(&r) % 3;

        if (what < 3) { /* below sm_90 a count that completes the phase must be 1 */
            count = count > b.pending || (sm < 90 && count == b.pending) ? 1 : count;
            if (b.pending) {
                sync_arrive(f, &b, 0, count, sync_random(&r));
            }
        } else if (what == 3) {
            if (b.pending && b.expected > 1 && sync_random(&r) % 2) {
                sync_arrive(f, &b, 1, 1, 0);
            }
        } else if (what < 6) {
            sync_parities(f);
        } else if (what == 6 && b.tx < 4096) {
            unsigned bytes = 16 + sync_random(&r) % 64;

            sync_put(f, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], %u;\n", bytes);
            b.tx += b.pending ? bytes : 0; /* see below: only while arrivals are pending */
            if (!b.pending) {
                sync_put(f, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], %u;\n", bytes);
            }
        } else if (what == 7 && b.tx) {
            unsigned bytes = sync_random(&r) % 2 ? b.tx : 1 + sync_random(&r) % b.tx;

            sync_put(f, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], %u;\n", bytes);
            b.tx -= bytes;
            sync_complete(&b);
            sync_parities(f);
        } else if (what == 8 && b.pending) {
            sync_put(f, "mbarrier.arrive.expect_tx.shared.b64 %%s, [b], "
                        "32;\nmbarrier.pending_count.b64 %%t, %%s;\n");
            b.tx += 32;
            b.pending--;
            sync_store(f, "%t");
        }
    }
    sync_put(f, "mbarrier.inval.shared.b64 [b];\n");
}

/* All threads of the block, several rounds: what the other half wrote before it arrived. The last
 * arrival is one of cp.async's where @copies. */
static void sync_block(struct sync_forms *fs, unsigned threads, unsigned rounds, int copies)
{
    struct sync_form *f;
    char name[80];

    snprintf(name, sizeof(name), "mbarrier block %u %u%s", threads, rounds,
             copies == 2 ? " copies noinc"
             : copies    ? " copies"
                         : "");
    f = sync_add(fs, 80, threads, name);
    sync_put(f,
             ".shared .align 8 .b64 b;\n.shared .align 16 .b8 w[2048];\n.reg .b64 %%s, %%c;\n.reg "
             ".b32 %%a, %%z, %%v;\n"
             "setp.ne.u32 %%p, %%id, 0;\n@%%p bra G;\nmbarrier.init.shared.b64 [b], "
             "%u;\nG:\nbar.sync 0;\nmov.u32 %%a, w;\n"
             "shl.b32 %%z, %%id, 4;\nadd.u32 %%z, %%a, %%z;\nmul.wide.u32 %%c, %%id, 4;\nadd.u64 "
             "%%c, %%in, %%c;\n",
             copies == 2 ? 2 * threads : threads);
    for (unsigned k = 0; k < rounds; k++) {
        sync_put(f, "mad.lo.u32 %%v, %%id, 7, %u;\nst.shared.u32 [%%z], %%v;\n", k);
        if (copies) {
            sync_put(f,
                     "cp.async.ca.shared.global [%%z+4], [%%c+%u], "
                     "4;\ncp.async.mbarrier.arrive%s.shared.b64 [b];\n",
                     512 * k, copies == 2 ? ".noinc" : "");
        }
        sync_put(f,
                 "mbarrier.arrive.shared.b64 %%s, [b];\nW%u:\nmbarrier.test_wait.shared.b64 %%p, "
                 "[b], %%s;\n@!%%p bra W%u;\n"
                 "xor.b32 %%v, %%id, %u;\nshl.b32 %%v, %%v, 4;\nadd.u32 %%v, %%v, "
                 "%%a;\nld.shared.u32 %%t, [%%v];\n",
                 k, k, threads / 2);
        sync_store(f, "%t");
        if (copies) {
            sync_put(f, "ld.shared.u32 %%t, [%%v+4];\n");
            sync_store(f, "%t");
        }
        sync_put(f, "bar.sync 0;\n");
    }
}

/* Warp-wide operations; the two halves of a warp, or its lanes by a pattern, take part apart. */
static void sync_warp(struct sync_forms *fs)
{
    static const char *const masks[] = { "-1", "0x55555555", "0x0000ffff", "0x10204080" };
    static const char *const ops[] = {
        "redux.sync.add.s32 %t, %x, %m;",
        "redux.sync.add.u32 %t, %x, %m;",
        "redux.sync.min.s32 %t, %x, %m;",
        "redux.sync.min.u32 %t, %x, %m;",
        "redux.sync.max.s32 %t, %x, %m;",
        "redux.sync.max.u32 %t, %x, %m;",
        "redux.sync.and.b32 %t, %x, %m;",
        "redux.sync.or.b32 %t, %x, %m;",
        "redux.sync.xor.b32 %t, %x, %m;",
        "match.any.sync.b32 %t, %y, %m;",
        "match.any.sync.b64 %t, %l, %m;",
        "vote.sync.ballot.b32 %t, %p, %m;",
        "match.all.sync.b32 %t|%q, %y, %m;",
        "match.all.sync.b64 %t|%q, %l, %m;",
        "match.all.sync.b32 %t|%q, %k, %m;",
        "shfl.sync.bfly.b32 %t|%q, %x, 5, 0x1f, %m;",
        "shfl.sync.idx.b32 %t|%q, %x, 0, 0x181f, %m;",
        "vote.sync.all.pred %q, %p, %m; selp.u32 %t, 3, 0, %q;",
        "vote.sync.any.pred %q, %p, %m; selp.u32 %t, 3, 0, %q;",
        "vote.sync.uni.pred %q, %p, %m; selp.u32 %t, 3, 0, %q;",
        "elect.sync %t|%q, %m;",
    };
    char name[80];

    for (unsigned o = 0; o < sizeof(ops) / sizeof(ops[0]); o++) {
        for (unsigned k = 0; k < 4; k++) {
            struct sync_form *f;

            snprintf(name, sizeof(name), "%.40s mask %s", ops[o], masks[k]);
            f = sync_add(fs, strncmp(ops[o], "elect", 5) ? 80 : 90, 32, name);
            sync_put(
                f,
                ".reg .b32 %%x, %%y, %%k, %%m, %%i;\n.reg .b64 %%l, %%c;\nmul.wide.u32 %%c, %%id, "
                "4;\n"
                "add.u64 %%c, %%in, %%c;\nld.global.u32 %%x, [%%c];\nand.b32 %%y, %%x, 0xc000;\n"
                "cvt.u64.u32 %%l, %%y;\nshl.b64 %%l, %%l, 17;\nmov.u32 %%k, 5;\nmov.u32 %%m, %s;\n"
                "and.b32 %%i, %%x, 0x400;\nsetp.ne.u32 %%p, %%i, 0;\nsetp.ne.u32 %%q, 0, "
                "0;\nmov.u32 %%t, 0;\n"
                "shr.u32 %%i, %%m, %%id;\nand.b32 %%i, %%i, 1;\nsetp.eq.u32 %%r, %%i, 0;\n@%%r "
                "not.b32 %%m, %%m;\n"
                /* lanes apart: each half by itself; shfl reads within its group alone */
                "@%%r bra E;\n%s\nbra F;\nE:\n%s\nF:\nbar.warp.sync -1;\n",
                masks[k], ops[o], k ? ops[o] : "");
            sync_store(f, strstr(ops[o], "shfl") && k ? "%k" : "%t");
            sync_store_pred(f, "%q");
        }
    }
}

/* ldmatrix, movmatrix, stmatrix */
static void sync_matrix(struct sync_forms *fs)
{
    static const char *const regs[] = { "", "{%r0}", "{%r0,%r1}", "", "{%r0,%r1,%r2,%r3}" };
    char name[80];

    for (unsigned n = 1; n <= 4; n *= 2) {
        for (unsigned k = 0; k < 4; k++) {
            struct sync_form *f;
            int store = k > 1, trans = k & 1;

            snprintf(name, sizeof(name), "%smatrix x%u%s", store ? "st" : "ld", n,
                     trans ? " trans" : "");
            f = sync_add(fs, store ? 90 : 80, 32, name);
            sync_put(f, ".shared .align 16 .b8 w[1024];\n.reg .b32 %%r<4>, %%a, %%z;\n.reg .b64 "
                        "%%c;\nmov.u32 %%a, w;\n"
                        "mul.wide.u32 %%c, %%id, 16;\nadd.u64 %%c, %%in, %%c;\nld.global.v4.u32 "
                        "{%%r0,%%r1,%%r2,%%r3}, [%%c];\n"
                        "shl.b32 %%z, %%id, 4;\nadd.u32 %%z, %%a, %%z;\nst.shared.v4.u32 [%%z], "
                        "{%%r0,%%r1,%%r2,%%r3};\nbar.sync 0;\n"
                        "xor.b32 %%z, %%id, 5;\nshl.b32 %%z, %%z, 4;\nadd.u32 %%z, %%a, %%z;\n");
            if (store) {
                sync_put(f,
                         "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%z], %s;\nbar.sync "
                         "0;\nshl.b32 %%z, %%id, 4;\n"
                         "add.u32 %%z, %%a, %%z;\nld.shared.v4.u32 {%%r0,%%r1,%%r2,%%r3}, [%%z];\n",
                         n, trans ? ".trans" : "", regs[n]);
            } else {
                sync_put(f, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%%z];\n", n,
                         trans ? ".trans" : "", regs[n]);
            }
            sync_store(f, "%r0");
            sync_store(f, "%r1");
            sync_store(f, "%r2");
            sync_store(f, "%r3");
        }
    }
    {
        struct sync_form *f = sync_add(fs, 80, 32, "movmatrix");

        sync_put(
            f,
            ".reg .b64 %%c;\n.reg .b32 %%r0;\nmul.wide.u32 %%c, %%id, 4;\nadd.u64 %%c, %%in, %%c;\n"
            "ld.global.u32 %%r0, [%%c];\nmovmatrix.sync.aligned.m8n8.trans.b16 %%t, %%r0;\n");
        sync_store(f, "%t");
    }
}

/**
 * struct sync_wmma - @types: of d, a, b, c as the instruction names them; @regs: of a, b, c (d has
 * as many as c);
 * @wide: registers of 64 bits
 */
struct sync_wmma {
    const char *shape, *d, *ab, *c, *after;
    unsigned a, b, n, wide;
};

static void sync_list(struct sync_form *f, char letter, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        sync_put(f, "%s%%%c%u", i ? "," : "{", letter, i);
    }
    sync_put(f, "}");
}

/* Both layouts of a, b and the accumulators: load, multiply, store. */
static void sync_wmma_form(struct sync_forms *fs, const struct sync_wmma *w, unsigned layouts)
{
    const char *la = layouts & 1 ? "col" : "row", *lb = layouts & 2 ? "row" : "col",
               *lc = layouts & 4 ? "col" : "row";
    const char *reg = w->wide ? "f64" : "b32", *creg = !strcmp(w->c, "f32") ? "f32" : reg;
    unsigned m = (unsigned)atoi(w->shape + 1), n = (unsigned)atoi(strchr(w->shape, 'n') + 1);
    unsigned k = (unsigned)atoi(strchr(w->shape, 'k') + 1);
    unsigned lda = layouts & 1 ? m : k, ldb = layouts & 2 ? n : k, ldc = layouts & 4 ? m : n;
    int f16 = !strcmp(w->ab, "f16");
    struct sync_form *f;
    char name[80], types[40];

    snprintf(name, sizeof(name), "wmma %s %s.%s.%s %s%s %s %s", w->shape, w->d, w->ab, w->c,
             w->after, la, lb, lc);
    f = sync_add(fs, 80, 32, name);
    sync_put(f, ".reg .%s %%a<8>, %%b<8>;\n.reg .%s %%c<8>, %%d<8>;\n.reg .b64 %%e;\n", reg, creg);
    if (f16) {
        snprintf(types, sizeof(types), "%s.%s", w->d, w->c);
    } else {
        snprintf(types, sizeof(types), "%s.%s.%s.%s", w->d, w->ab, w->ab, w->c);
    }
    for (unsigned part = 0; part < 3; part++) {
        sync_put(f, "wmma.load.%c.sync.aligned.%s.%s.global.%s ", "abc"[part],
                 part == 0   ? la
                 : part == 1 ? lb
                             : lc,
                 w->shape, part == 2 ? w->c : w->ab);
        sync_list(f, "abc"[part], part == 0 ? w->a : part == 1 ? w->b : w->n);
        sync_put(f, ", [%%in+%u], %u;\n", part * 4096, part == 0 ? lda : part == 1 ? ldb : ldc);
    }
    sync_put(f, "wmma.mma%s.sync.aligned.%s.%s.%s.%s ", w->after, la, lb, w->shape, types);
    sync_list(f, 'd', w->n);
    sync_put(f, ", ");
    sync_list(f, 'a', w->a);
    sync_put(f, ", ");
    sync_list(f, 'b', w->b);
    sync_put(f, ", ");
    sync_list(f, 'c', w->n);
    sync_put(f, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%in+12288], ", lc, w->shape, w->d);
    sync_list(f, 'd', w->n);
    sync_put(f, ", %u;\nbar.sync 0;\nmul.wide.u32 %%e, %%id, 64;\nadd.u64 %%e, %%in, %%e;\n", ldc);
    for (unsigned i = 0; i < 16; i++) {
        sync_put(f, "ld.volatile.global.u32 %%t, [%%e+%u];\n", 12288 + 4 * i);
        sync_store(f, "%t");
    }
}

static void sync_wmma_all(struct sync_forms *fs)
{
    static const struct sync_wmma rows[] = {
        { "m16n16k16", "f32", "f16", "f32", "", 8, 8, 8, 0 },
        { "m16n16k16", "f16", "f16", "f16", "", 8, 8, 4, 0 },
        { "m8n32k16", "f32", "f16", "f32", "", 8, 8, 8, 0 },
        { "m32n8k16", "f32", "f16", "f32", "", 8, 8, 8, 0 },
        { "m8n32k16", "f16", "f16", "f16", "", 8, 8, 4, 0 },
        { "m32n8k16", "f16", "f16", "f16", "", 8, 8, 4, 0 },
        { "m16n16k16", "f32", "bf16", "f32", "", 4, 4, 8, 0 },
        { "m8n32k16", "f32", "bf16", "f32", "", 2, 8, 8, 0 },
        { "m32n8k16", "f32", "bf16", "f32", "", 8, 2, 8, 0 },
        { "m16n16k8", "f32", "tf32", "f32", "", 4, 4, 8, 0 },
        { "m8n8k4", "f64", "f64", "f64", "", 1, 1, 2, 1 },
        { "m16n16k16", "s32", "s8", "s32", "", 2, 2, 8, 0 },
        { "m16n16k16", "s32", "u8", "s32", "", 2, 2, 8, 0 },
        { "m8n32k16", "s32", "s8", "s32", "", 1, 4, 8, 0 },
        { "m32n8k16", "s32", "u8", "s32", "", 4, 1, 8, 0 },
        { "m8n8k32", "s32", "s4", "s32", "", 1, 1, 2, 0 },
        { "m8n8k32", "s32", "u4", "s32", "", 1, 1, 2, 0 },
        { "m8n8k128", "s32", "b1", "s32", ".xor.popc", 1, 1, 2, 0 },
        { "m8n8k128", "s32", "b1", "s32", ".and.popc", 1, 1, 2, 0 },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int narrow = strchr(rows[i].ab, '4') == rows[i].ab + 1 || !strcmp(rows[i].ab, "b1");

        for (unsigned layouts = 0; layouts < 8; layouts++) {
            if (!narrow || !(layouts & 3)) {
                sync_wmma_form(fs, &rows[i], layouts);
            }
        }
    }
}

/* Bytes that cp.async writes and leaves */
static void sync_copies(struct sync_forms *fs)
{
    static const char *const rows[] = {
        "ca.shared.global [%z], [%c], 4",      "ca.shared.global [%z], [%c], 8",
        "ca.shared.global [%z], [%c], 16",     "cg.shared.global [%z], [%c], 16",
        "ca.shared.global [%z], [%c], 4, 0",   "ca.shared.global [%z], [%c], 4, 3",
        "ca.shared.global [%z], [%c], 8, 5",   "cg.shared.global [%z], [%c], 16, 1",
        "cg.shared.global [%z], [%c], 16, 15", "cg.shared.global [%z], [%c], 16, %id",
        "ca.shared.global [%z], [%c], 8, %p",  "cg.shared.global.L2::128B [%z], [%c], 16, %p",
    };
    char name[80];

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sync_form *f;

        snprintf(name, sizeof(name), "cp.async.%s", rows[i]);
        f = sync_add(fs, 80, 16, name);
        sync_put(
            f,
            ".shared .align 16 .b8 w[512];\n.reg .b32 %%a, %%z, %%r<4>;\n.reg .b64 %%c;\nmov.u32 "
            "%%a, w;\n"
            "shl.b32 %%z, %%id, 4;\nadd.u32 %%z, %%a, %%z;\nmul.wide.u32 %%c, %%id, 16;\nadd.u64 "
            "%%c, %%in, %%c;\n"
            "mov.u32 %%t, 0x77777777;\nst.shared.v4.u32 [%%z], {%%t,%%t,%%t,%%t};\nsetp.lt.u32 "
            "%%p, %%id, 7;\n"
            "cp.async.%s;\ncp.async.wait_all;\nld.shared.v4.u32 {%%r0,%%r1,%%r2,%%r3}, [%%z];\n",
            rows[i]);
        sync_store(f, "%r0");
        sync_store(f, "%r1");
        sync_store(f, "%r2");
        sync_store(f, "%r3");
    }
}

static struct sync_forms sync_build(void)
{
    struct sync_forms fs = { (struct sync_form *)calloc(SYNC_MAX, sizeof(*fs.form)), 0 };

    for (unsigned i = 0; i < 40; i++) {
        sync_sequence(&fs, 80, i);
        sync_sequence(&fs, 90, i);
    }
    for (unsigned i = 1; i <= 4; i *= 2) {
        sync_block(&fs, 32 * i, 3, 0);
        sync_block(&fs, 32 * i, 3, 1);
        sync_block(&fs, 32 * i, 3, 2);
    }
    sync_warp(&fs);
    sync_matrix(&fs);
    sync_wmma_all(&fs);
    sync_copies(&fs);
    return fs;
}

static void sync_ptx(const struct sync_form *f, char *text, size_t size)
{
    snprintf(
        text, size,
        ".version 8.0\n.target sm_%u\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %%p, %%q, %%r;\n.reg .b32 %%id, %%t;\n.reg .b64 %%in, %%o, %%w;\nld.param.u64 "
        "%%o, [out];\n"
        "add.u64 %%in, %%o, %u;\nmov.u32 %%id, %%tid.x;\nmul.wide.u32 %%w, %%id, %u;\nadd.u64 %%o, "
        "%%o, %%w;\n%sret;\n}\n",
        f->sm, SYNC_INPUT, 4 * SYNC_WORDS, f->body);
}

#endif
