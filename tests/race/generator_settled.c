/* SPDX-License-Identifier: MIT */
/* Random kernels whose threads only barriers of the block order: loads, stores and atomic
 * operations of shared memory between them, in one arm or two, in loops. */
#include "tests/race/generator.h"
#include <glib.h>
#include <stdarg.h>

/* %s1: shared memory + 4 * thread, %s2: of a thread of the next warp or lane, %s0: the first words,
 * which red and atom use; %d1: the thread's own word of global memory. %p1: not of the first warp
 */
static const char head[] =
    ".version 8.0\n.target sm_87\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<40>;\n.reg .b64 %d<20>;\n.reg .b32 %s<10>;\n.reg .pred %p<10>;\n"
    ".shared .align 16 .b8 sh[1024];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r0, %r2, %r3, %r1;\nld.param.u64 %d0, [out];\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d0, %d1;\nmov.u32 %r30, 0;\n"
    "mov.u32 %s0, sh;\nshl.b32 %s1, %r1, 2;\nadd.u32 %s1, %s0, %s1;\nadd.u32 %r7, %r0, 100;\n"
    "add.u32 %r10, %r1, 32;\nrem.u32 %r10, %r10, %r3;\nxor.b32 %r10, %r10, 1;\nshl.b32 %r10, %r10, "
    "2;\n"
    "add.u32 %s2, %s0, %r10;\nsetp.ge.u32 %p1, %r1, 32;\nsetp.eq.u32 %p2, %r1, 5;\n"
    "setp.lt.u32 %p4, %r1, 40;\n";

struct gen {
    GString *text;
    uint64_t state;
    unsigned threads, label;
};

static unsigned gen_random(struct gen *g, unsigned n)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (unsigned)(g->state >> 33) % n;
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

static const char *gen_guard(struct gen *g)
{
    static const char *const guards[] = { "", "", "", "@%p2 ", "@%p4 " };

    return guards[gen_random(g, G_N_ELEMENTS(guards))];
}

enum access { LOADS, STORES, ATOMICS, GLOBALS, ACCESSES };

static void access_add(struct gen *g, enum access of)
{
    static const char *const bases[] = { "%s1", "%s1", "%s2", "%s0", "%s1+64" };
    const char *guard = gen_guard(g), *base = bases[gen_random(g, G_N_ELEMENTS(bases))];
    unsigned word = 8 * gen_random(g, 2);

    switch (of) {
    case LOADS:
        gen_line(g, "%sld.shared.u32 %%r12, [%s]", guard, base);
        break;
    case STORES:
        gen_line(g, "add.u32 %%r7, %%r7, 1009");
        gen_line(g, "%sst.shared.u32 [%s], %%r7", guard, base);
        break;
    case ATOMICS:
        if (gen_random(g, 8) == 0) {
            gen_line(g, "%sred.shared.add.u64 [%%s0+%u], 1", guard, word);
        } else {
            gen_line(g, "%satom.shared.add.u32 %%r30, [%%s0+%u], 1", guard, word);
        }
        break;
    default:
        gen_line(g, "%sst.global.u32 [%%d1], %%r7", guard);
        gen_line(g, "%sld.global.u32 %%r12, [%%d1]", guard);
    }
}

/* Mostly of one kind */
static void region_add(struct gen *g)
{
    enum access of = (enum access)gen_random(g, ACCESSES);

    for (unsigned n = 1 + gen_random(g, 3); n; n--) {
        access_add(g, gen_random(g, 5) ? of : (enum access)gen_random(g, ACCESSES));
    }
}

static void barrier_add(struct gen *g)
{
    if (gen_random(g, 8)) {
        gen_line(g, "bar.sync 0");
    }
}

static void part_arms(struct gen *g)
{
    unsigned label = g->label++;
    bool barriers = gen_random(g, 2);

    gen_line(g, "@%%p1 bra U%u", label);
    if (barriers) {
        gen_line(g, "bar.sync 0");
    }
    region_add(g);
    gen_line(g, "bra.uni E%u", label);
    g_string_append_printf(g->text, "U%u:\n", label);
    if (barriers) {
        gen_line(g, "bar.sync 0");
    }
    region_add(g);
    g_string_append_printf(g->text, "E%u:\n", label);
}

static void part_loop(struct gen *g)
{
    unsigned label = g->label++;

    gen_line(g, "mov.u32 %%r21, 0");
    g_string_append_printf(g->text, "L%u:\n", label);
    region_add(g);
    barrier_add(g);
    region_add(g);
    if (gen_random(g, 2)) {
        barrier_add(g);
    }
    gen_line(g, "add.u32 %%r21, %%r21, 1");
    gen_line(g, "setp.lt.u32 %%p3, %%r21, %u", 2 + gen_random(g, 2));
    gen_line(g, "@%%p3 bra L%u", label);
}

char *race_generate_settled(uint32_t seed, struct rig_launch *l, bool *faultless)
{
    struct gen g = { .text = g_string_new(head),
                     .state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) };
    unsigned blocks;

    for (unsigned i = 0; i < 8; i++) {
        gen_random(&g, 2);
    }
    blocks = 1 + gen_random(&g, 2);
    g.threads = 32 * (1 + gen_random(&g, 3));
    *faultless = false; /* the oracle decides */
    for (unsigned i = 1 + gen_random(&g, 3); i > 0; i--) {
        switch (gen_random(&g, 4)) {
        case 0:
            part_arms(&g);
            break;
        case 1:
            part_loop(&g);
            break;
        default:
            region_add(&g);
        }
        barrier_add(&g);
    }
    if (gen_random(&g, 4) == 0) {
        gen_line(&g, "st.global.u32 [%%d1], %%r30"); /* what an atomic operation has read is used */
    }
    g_string_append(g.text, "ret;\n}\n");
    *l = (struct rig_launch){
        .grid = { blocks }, .block = { g.threads }, .resident_blocks = 3, .step_limit = 1u << 20
    };
    return g_string_free(g.text, FALSE);
}
