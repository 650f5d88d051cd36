/* SPDX-License-Identifier: MIT */
#include "tests/race/generator.h"
#include <glib.h>
#include <stdarg.h>

/* %r0 thread of the grid, %r1 of the block, %r2 block; %d0 data, %d1 + 4 * %r0; %s0 shared memory,
 * %s1 + 4 * %r1. %r7: a value that no other store has */
static const char head[] =
    ".version 8.0\n.target sm_87\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<40>;\n.reg .b64 %d<20>;\n.reg .b32 %s<10>;\n.reg .pred %p<10>;\n"
    ".shared .align 16 .b8 sh[32768];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r0, %r2, %r3, %r1;\nld.param.u64 %d0, [out];\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d0, %d1;\n"
    "mov.u32 %s0, sh;\nshl.b32 %s1, %r1, 2;\nadd.u32 %s1, %s0, %s1;\nadd.u32 %r7, %r0, 100;\n";

#define AREA 2048u /* bytes of one exchange: more than all threads of a grid need */

struct gen {
    GString *text;
    uint64_t state;
    unsigned blocks, threads;
    unsigned faults; /* of 100 choices, how many are wrong */
    unsigned area, label;
    unsigned producers; /* each takes four barriers */
};

/* --- choices --- */

static unsigned gen_random(struct gen *g, unsigned n)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (unsigned)(g->state >> 33) % n;
}

static bool gen_wrong(struct gen *g)
{
    return gen_random(g, 100) < g->faults;
}

static void gen_line(struct gen *g, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void gen_line(struct gen *g, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_string_append_vprintf(g->text, format, args);
    va_end(args);
    g_string_append(g->text, ";\n");
}

static void gen_label(struct gen *g, unsigned label)
{
    g_string_append_printf(g->text, "L%u:\n", label);
}

static void gen_value(struct gen *g)
{
    gen_line(g, "add.u32 %%r7, %%r7, 1009");
}

/* A new part of memory, or by mistake one that is in use */
static unsigned gen_area(struct gen *g)
{
    if (g->area && gen_wrong(g)) {
        return gen_random(g, g->area) * AREA;
    }
    return g->area++ % 15 * AREA;
}

static const char *gen_scope(struct gen *g, bool grid)
{
    if (gen_wrong(g)) {
        grid = !grid;
    }
    return grid ? (gen_random(g, 3) ? "gpu" : "sys") : (gen_random(g, 2) ? "cta" : "gpu");
}

static bool gen_grid(const struct gen *g)
{
    return g->blocks > 1;
}

static void gen_fence(struct gen *g, bool grid)
{
    if (!gen_wrong(g)) {
        gen_line(g, "fence.acq_rel.%s", gen_scope(g, grid));
    }
}

/* A barrier of the block, or with @warp one that is enough inside a warp */
static void gen_barrier(struct gen *g, bool warp)
{
    if (gen_wrong(g)) {
        warp = !warp;
    }
    if (gen_wrong(g)) {
        gen_line(g, "activemask.b32 %%r20");
    } else if (warp) {
        gen_line(g, "bar.warp.sync 0xffffffff");
    } else if (gen_random(g, 4) == 0) {
        gen_line(g, "bar.red.popc.u32 %%r20, 0, %%p0");
    } else {
        gen_line(g, "bar.sync %u", gen_random(g, 3) ? 0 : 4 + gen_random(g, 4));
    }
}

/* --- what a kernel does --- */

/* Each thread stores its own word and loads another one of its block. */
static void part_exchange(struct gen *g)
{
    bool shared = gen_random(g, 2), across = g->threads > 32 && gen_random(g, 2);
    unsigned area = gen_area(g), other = across ? 32 : 1 + gen_random(g, 31);

    if (across && g->threads == 96) {
        gen_line(g, "add.u32 %%r10, %%r1, 32");
        gen_line(g, "rem.u32 %%r10, %%r10, 96");
    } else {
        gen_line(g, "xor.b32 %%r10, %%r1, %u", other);
    }
    if (shared) {
        gen_line(g, "shl.b32 %%r11, %%r10, 2");
        gen_line(g, "add.u32 %%s3, %%s0, %%r11");
    } else {
        gen_line(g, "mad.lo.u32 %%r10, %%r2, %%r3, %%r10");
        gen_line(g, "mul.wide.u32 %%d3, %%r10, 4");
        gen_line(g, "add.u64 %%d3, %%d0, %%d3");
    }
    for (unsigned round = 0; round < 1 + gen_random(g, 2); round++) {
        gen_value(g);
        gen_line(g, "st.%s.u32 [%s+%u], %%r7", shared ? "shared" : "global", shared ? "%s1" : "%d1",
                 area);
        gen_barrier(g, !across);
        gen_line(g, "ld.%s.u32 %%r12, [%s+%u]", shared ? "shared" : "global",
                 shared ? "%s3" : "%d3", area);
        gen_barrier(g, !across);
    }
}

/* The first thread of all publishes a word; a thread of the last warp looks once. */
static void part_flag(struct gen *g)
{
    unsigned area = gen_area(g), reader = g->blocks * g->threads - 1 - gen_random(g, 8);
    bool grid = gen_grid(g), release = gen_random(g, 3) == 0, acquire = gen_random(g, 3) == 0;

    gen_line(g, "setp.eq.u32 %%p1, %%r0, 0");
    gen_line(g, "setp.eq.u32 %%p2, %%r0, %u", reader);
    gen_value(g);
    gen_line(g, "@%%p1 st.global.u32 [%%d0+%u], %%r7", area);
    if (release && !gen_wrong(g)) {
        gen_line(g, "@%%p1 st.release.%s.global.u32 [%%d0+%u], 1", gen_scope(g, grid), area + 64);
    } else {
        gen_fence(g, grid);
        gen_line(g, "@%%p1 %s.global.u32 [%%d0+%u], 1",
                 gen_wrong(g)       ? "st"
                 : gen_random(g, 3) ? "st.relaxed.gpu"
                                    : "st.volatile",
                 area + 64);
    }
    gen_line(g, "mov.u32 %%r12, 0");
    if (acquire && !gen_wrong(g)) {
        gen_line(g, "@%%p2 ld.acquire.%s.global.u32 %%r12, [%%d0+%u]", gen_scope(g, grid),
                 area + 64);
    } else {
        gen_line(g, "@%%p2 %s.global.u32 %%r12, [%%d0+%u]",
                 gen_wrong(g)       ? "ld"
                 : gen_random(g, 3) ? "ld.relaxed.gpu"
                                    : "ld.volatile",
                 area + 64);
        gen_fence(g, grid);
    }
    gen_line(g, "setp.ne.u32 %%p3, %%r12, 0");
    gen_line(g, "@%%p3 ld.global.u32 %%r13, [%%d0+%u]", area);
    if (gen_random(g, 3) == 0) { /* 8.9.5: it has observed the flag */
        gen_line(g, "@%%p%u st.global.u32 [%%d0+%u], 0", gen_wrong(g) ? 2u : 3u, area + 64);
    }
}

/* All count; behind a barrier, or by a strong load, the sum is read. */
static void part_counter(struct gen *g)
{
    bool shared = gen_random(g, 2), grid = !shared && gen_grid(g), atom = gen_random(g, 2);
    const char *space = shared ? "shared" : "global", *base = shared ? "%s0" : "%d0";
    unsigned area = gen_area(g);

    gen_line(g, "%s.%s.%s.add.u32 %s[%s+%u], 1", atom ? "atom.relaxed" : "red.relaxed",
             gen_scope(g, grid), space, atom ? "%r12, " : "", base, area);
    if (!grid && gen_random(g, 2)) {
        gen_barrier(g, false);
        gen_line(g, "ld.%s.u32 %%r12, [%s+%u]", space, base, area);
        gen_barrier(g, false);
    } else {
        gen_line(g, "ld.%s%s.u32 %%r12, [%s+%u]",
                 gen_wrong(g) ? ""
                 : grid       ? "relaxed.gpu."
                              : "volatile.",
                 space, base, area);
    }
}

/* Two warps, by named barriers: the first fills, the second takes. */
static void part_producer(struct gen *g)
{
    unsigned area = gen_area(g), label = g->label, full = 8 + 4 * g->producers++;
    bool skip = gen_wrong(g), early = gen_wrong(g);

    g->label += 2;
    gen_line(g, "setp.ge.u32 %%p1, %%r1, 32");
    gen_line(g, "setp.ge.u32 %%p2, %%r1, 64");
    gen_line(g, "@%%p2 bra L%u", label + 1);
    gen_line(g, "@%%p1 bra L%u", label);
    for (unsigned round = 0; round < 2; round++) {
        gen_value(g);
        if (early) {
            gen_line(g, "bar.arrive %u, 64", full + round);
        }
        gen_line(g, "st.shared.u32 [%%s1+%u], %%r7", area);
        if (!early) {
            gen_line(g, "bar.%s %u, 64", gen_random(g, 3) ? "arrive" : "sync", full + round);
        }
        if (!skip) {
            gen_line(g, "bar.sync %u, 64", full + 2 + round);
        }
    }
    gen_line(g, "bra.uni L%u", label + 1);
    gen_label(g, label);
    for (unsigned round = 0; round < 2; round++) {
        gen_line(g, "bar.sync %u, 64", full + round);
        gen_line(g, "ld.shared.u32 %%r12, [%%s1+%d]", (int)area - 128);
        if (!skip) {
            gen_line(g, "bar.sync %u, 64", full + 2 + round);
        }
    }
    gen_label(g, label + 1);
}

/* Each block stores, fences, counts; the last one reads what all have stored. */
static void part_last(struct gen *g)
{
    unsigned area = gen_area(g), label = g->label++;

    gen_line(g, "setp.ne.u32 %%p1, %%r1, 0");
    gen_line(g, "@%%p1 bra L%u", label);
    gen_value(g);
    gen_line(g, "mul.wide.u32 %%d3, %%r2, 4");
    gen_line(g, "add.u64 %%d3, %%d0, %%d3");
    gen_line(g, "st.global.u32 [%%d3+%u], %%r7", area);
    gen_fence(g, gen_grid(g));
    gen_line(g, "atom%s.global.add.u32 %%r12, [%%d0+%u], 1", gen_wrong(g) ? ".relaxed.cta" : "",
             area + 64);
    gen_line(g, "setp.ne.u32 %%p1, %%r12, %u", g->blocks - 1);
    gen_line(g, "@%%p1 bra L%u", label);
    gen_fence(g, gen_grid(g));
    for (unsigned i = 0; i < g->blocks; i++) {
        gen_line(g, "ld.global.u32 %%r13, [%%d0+%u]", area + 4 * i);
    }
    gen_label(g, label);
}

/* Halves or quarters of a warp meet for themselves. */
static void part_halves(struct gen *g)
{
    unsigned area = gen_area(g), label = g->label, other = 1 + gen_random(g, 15);

    g->label += 2;
    gen_line(g, "and.b32 %%r10, %%r1, 16");
    gen_line(g, "setp.ne.u32 %%p1, %%r10, 0");
    gen_line(g, "xor.b32 %%r10, %%r1, %u", gen_wrong(g) ? 16 + other : other);
    gen_line(g, "shl.b32 %%r11, %%r10, 2");
    gen_line(g, "add.u32 %%s3, %%s0, %%r11");
    gen_line(g, "@%%p1 bra L%u", label);
    for (unsigned half = 0; half < 2; half++) {
        bool none = gen_wrong(g);

        gen_value(g);
        gen_line(g, "st.shared.u32 [%%s1+%u], %%r7", area);
        gen_line(g, "bar.warp.sync 0x%x", (none ? 0xffu : 0xffffu) << 16 * half);
        if (none) {
            gen_line(g, "bar.warp.sync 0x%x", 0xff00u << 16 * half);
        }
        gen_line(g, "ld.shared.u32 %%r12, [%%s3+%u]", area);
        if (half == 0) {
            gen_line(g, "bra.uni L%u", label + 1);
            gen_label(g, label);
        }
    }
    gen_label(g, label + 1);
}

/* A byte for each thread, summed by words */
static void part_bytes(struct gen *g)
{
    unsigned area = gen_area(g);

    gen_value(g);
    gen_line(g, "add.u32 %%s3, %%s0, %%r1");
    gen_line(g, "st.shared.u8 [%%s3+%u], %%r7", area);
    gen_barrier(g, false);
    gen_line(g, "and.b32 %%r10, %%r1, %u", 28u);
    gen_line(g, "add.u32 %%s4, %%s0, %%r10");
    gen_line(g, "ld.shared.u32 %%r12, [%%s4+%u]", area);
    gen_barrier(g, false);
}

/* The first thread of each warp enters once. */
static void part_lock(struct gen *g)
{
    unsigned area = gen_area(g), label = g->label;
    unsigned lock = 65536 + 4 * g->label; /* which nothing else stores to */
    bool grid = gen_grid(g), order = gen_random(g, 2);

    g->label += 2;
    gen_line(g, "and.b32 %%r10, %%r1, 31");
    gen_line(g, "setp.ne.u32 %%p1, %%r10, 0");
    gen_line(g, "@%%p1 bra L%u", label + 1);
    gen_label(g, label);
    gen_line(g, "atom.%s.%s.global.cas.b32 %%r12, [%%d0+%u], 0, 1",
             order && !gen_wrong(g) ? "acquire" : "relaxed", gen_scope(g, grid), lock);
    gen_line(g, "setp.ne.u32 %%p2, %%r12, 0");
    gen_line(g, "@%%p2 bra L%u", label);
    if (!order) {
        gen_fence(g, grid);
    }
    gen_line(g, "ld.global.u32 %%r13, [%%d0+%u]", area);
    gen_line(g, "add.u32 %%r13, %%r13, %%r7");
    gen_line(g, "st.global.u32 [%%d0+%u], %%r13", area);
    if (!order) {
        gen_fence(g, grid);
    }
    gen_line(g, "atom.%s.%s.global.exch.b32 %%r12, [%%d0+%u], 0",
             order && !gen_wrong(g) ? "release" : "relaxed", gen_scope(g, grid), lock);
    gen_label(g, label + 1);
}

/* A copy of one's own word, read by another thread of the block */
static void part_copy(struct gen *g)
{
    unsigned area = gen_area(g), source = 32768 + 4096;

    gen_line(g, "xor.b32 %%r10, %%r1, %u", 1 + gen_random(g, 31));
    gen_line(g, "shl.b32 %%r11, %%r10, 2");
    gen_line(g, "add.u32 %%s3, %%s0, %%r11");
    gen_line(g, "cp.async.ca.shared.global [%%s1+%u], [%%d1+%u], 4", area, source);
    if (gen_random(g, 3)) {
        if (!gen_wrong(g)) {
            gen_line(g, "cp.async.commit_group");
        }
        gen_line(g, "cp.async.wait_group %u", gen_wrong(g) ? 1u : 0u);
    } else if (!gen_wrong(g)) {
        gen_line(g, "cp.async.wait_all");
    }
    gen_barrier(g, true);
    gen_line(g, "ld.shared.u32 %%r12, [%%s3+%u]", area);
    gen_barrier(g, true);
}

/* Release through a barrier of the block, acquire through another one: blocks 0 and 1 */
static void part_cumulative(struct gen *g)
{
    unsigned area = gen_area(g);

    gen_line(g, "setp.eq.u32 %%p1, %%r0, 0");
    gen_line(g, "setp.eq.u32 %%p2, %%r0, %u", g->threads);
    gen_line(g, "setp.eq.u32 %%p4, %%r2, 0");
    gen_value(g);
    gen_line(g, "@%%p4 st.global.u32 [%%d1+%u], %%r7", area);
    gen_barrier(g, false);
    gen_line(g, "@%%p1 fence.acq_rel.gpu");
    gen_line(g, "@%%p1 st.relaxed.gpu.global.u32 [%%d0+%u], 1", area + 1536);
    gen_line(g, "mov.u32 %%r12, 0");
    gen_line(g, "@%%p2 ld.relaxed.gpu.global.u32 %%r12, [%%d0+%u]", area + 1536);
    gen_fence(g, true);
    gen_line(g, "setp.ne.u32 %%p3, %%r12, 0");
    gen_line(g, "bar.red.or.pred %%p3, 0, %%p3");
    gen_line(g, "sub.u32 %%r10, %%r0, %%r3");
    gen_line(g, "mul.wide.u32 %%d3, %%r10, 4");
    gen_line(g, "add.u64 %%d3, %%d0, %%d3");
    gen_line(g, "@%%p3 ld.global.u32 %%r13, [%%d3+%u]", area);
}

/* Accesses of any kind by some threads to a few words */
static void part_anything(struct gen *g)
{
    static const char *const loads[] = {
        "ld", "ld", "ld.volatile", "ld.relaxed.gpu", "ld.acquire.gpu", "ld.relaxed.cta"
    };
    static const char *const stores[] = {
        "st", "st", "st.volatile", "st.relaxed.gpu", "st.release.gpu", "st.release.cta"
    };
    static const char *const atomics[] = { "atom", "atom.relaxed.cta", "atom.acq_rel.gpu",
                                           "atom.release.sys" };
    unsigned area = gen_area(g);

    for (unsigned i = 0; i < 3 + gen_random(g, 5); i++) {
        bool shared = gen_random(g, 3) == 0;
        const char *space = shared ? "shared" : "global", *base = shared ? "%s0" : "%d0";
        unsigned at = area + 4 * gen_random(g, 3), n = g->blocks * g->threads;

        gen_line(g, "setp.eq.u32 %%p1, %s, %u", gen_random(g, 2) ? "%r0" : "%r1",
                 gen_random(g, gen_random(g, 2) ? n : 3));
        gen_value(g);
        switch (gen_random(g, 6)) {
        case 0:
        case 1:
            gen_line(g, "@%%p1 %s.%s.u32 %%r12, [%s+%u]", loads[gen_random(g, 6)], space, base, at);
            break;
        case 2:
        case 3:
            gen_line(g, "@%%p1 %s.%s.u32 [%s+%u], %%r7", stores[gen_random(g, 6)], space, base, at);
            break;
        case 4:
            gen_line(g, "@%%p1 %s.%s.exch.b32 %%r12, [%s+%u], %%r7", atomics[gen_random(g, 4)],
                     space, base, at);
            break;
        default:
            gen_line(g, "fence.acq_rel.%s", gen_random(g, 2) ? "gpu" : "cta");
        }
        if (gen_random(g, 4) == 0) {
            gen_barrier(g, gen_random(g, 2));
        }
    }
}

static void gen_part(struct gen *g)
{
    static void (*const parts[])(struct gen *) = {
        part_exchange, part_exchange, part_flag,  part_flag, part_counter,
        part_last,     part_halves,   part_bytes, part_lock, part_copy,
    };
    unsigned which = gen_random(g, 13);

    if (which == 10 && g->threads > 32 && g->producers < 2) {
        part_producer(g);
    } else if (which == 11 && g->blocks > 1) {
        part_cumulative(g);
    } else if (which == 12 && g->faults) {
        part_anything(g);
    } else {
        parts[which % G_N_ELEMENTS(parts)](g);
    }
}

char *race_generate(uint32_t seed, struct rig_launch *l, bool *faultless)
{
    struct gen g = { .text = g_string_new(head),
                     .state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) };

    for (unsigned i = 0; i < 8; i++) {
        gen_random(&g, 2);
    }
    g.blocks = 1 + gen_random(&g, 3);
    g.threads = 32 * (1 + gen_random(&g, 3));
    g.faults = gen_random(&g, 4) ? 4 + gen_random(&g, 12) : 0;
    *faultless = g.faults == 0;
    gen_line(&g, "setp.gt.u32 %%p0, %%r1, 3");
    for (unsigned i = 2 + gen_random(&g, 4); i > 0; i--) {
        gen_part(&g);
    }
    g_string_append(g.text, "ret;\n}\n");
    *l = (struct rig_launch){
        .grid = { g.blocks }, .block = { g.threads }, .resident_blocks = 3, .step_limit = 1u << 20
    };
    return g_string_free(g.text, FALSE);
}
