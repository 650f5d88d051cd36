/* SPDX-License-Identifier: MIT */
/* model/soc/l1.c says the same as litmus/gpu.c: every sequence of a few operations of two SMs, and
 * random walks, through both. Compared after each step: the value read, and which sectors each L1
 * holds, with what in them.
 *
 * A store leaves its queue at once on the litmus side: the model has no queues. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "litmus/agent.h"
#include "model/soc/soc_internal.h"
#include "tests/soc_rig.h"
#include "tests/suite.h"

#define WALKS 200
#define STEPS 300
#ifdef __SANITIZE_ADDRESS__
#define DEEP 3
#else
#define DEEP 4
#endif

static const char text[] =
    "tegra walk { device x; device y; device z; same sector x z; pinned p; }\n"
    "iGPU0@sm0 | iGPU1@sm1 ;\n"
    "ld r0,[x] | ld r0,[x] ;\n"
    "ld r1,[z] | ld r1,[y] ;\n"
    "ld.relaxed.cta r2,[x] | ld.relaxed.gpu r2,[x] ;\n"
    "ld.acquire.gpu r3,[y] | ld.acquire.cta r3,[x] ;\n"
    "ld r4,[p] | ld r4,[p] ;\n"
    "st [x],1 | st.release.gpu [x],2 ;\n"
    "st [z],3 | st [p],4 ;\n"
    "atom.add.relaxed.gpu r5,[x],16 | atom.add.acquire.gpu r5,[y],16 ;\n"
    "fence.acq_rel.cta | fence.acq_rel.gpu ;\n"
    "fence.sc.sys | fence.sc.cta ;\n"
    "exists (true)\n";

static struct {
    struct rig rig;
    struct bus_port *port;
    struct litmus_test *test;
    struct litmus_machine *m;
    struct litmus_state s;
    uint64_t random;
    GString *done;
} w;

static void setup(void)
{
    struct soc_profile profile;
    GError *error = NULL;

    rig_open(&w.rig, true);
    profile = w.rig.profile;
    rig_close(&w.rig);
    profile.gpu.l1_bytes = 4096;
    profile.gpu.l1_loads = 2;
    rig_open_profile(&w.rig, &profile, EVICT_LRU, 0);
    soc_observe(w.rig.soc, 0, NULL, NULL);
    w.port = &w.rig.soc->gpu[0].port.port;
    w.port->agent = BUS_AGENT_IGPU;
    profile.gpu.sm_count = LITMUS_SMS;
    w.test = litmus_parse(text, strlen(text), "walk", &error);
    ck_assert_msg(w.test != NULL, "%s", error ? error->message : "");
    w.m = litmus_machine_new(w.test, &profile, false, &error);
    ck_assert_msg(w.m != NULL, "%s", error ? error->message : "");
    w.done = g_string_new(NULL);
    w.random = 1;
}

static void teardown(void)
{
    g_string_free(w.done, TRUE);
    g_free(w.m);
    litmus_free(w.test);
    rig_close(&w.rig);
}

static unsigned draw(unsigned n)
{
    w.random = w.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w.random >> 33) % n;
}

static void same(uint64_t litmus, uint64_t model)
{
    if (litmus != model) { /* Check notes each assertion in a file */
        ck_abort_msg("litmus %#lx, model %#lx, after%s", (unsigned long)litmus,
                     (unsigned long)model, w.done->str);
    }
}

/* --- memory of the model ---------------------------------------------------------------------- */

static uint64_t va_of(const struct litmus_loc *loc)
{
    uint64_t base = loc->kind == LITMUS_PINNED ? RIG_VA_PINNED + RIG_PAGE : RIG_VA;

    return base + loc->line * BUS_LINE + loc->offset;
}

static const uint8_t *model_load(uint64_t va, unsigned how)
{
    const uint8_t *line;

    ck_assert_int_eq(w.port->ops->load(w.port, va & ~(uint64_t)(BUS_LINE - 1),
                                       1u << va % BUS_LINE / BUS_SECTOR, how, &line),
                     BUS_OK);
    return line + va % BUS_LINE;
}

static void model_store(uint64_t va, uint64_t value, unsigned size)
{
    struct bus_mask mask = bus_mask_range(va % BUS_LINE, size);
    uint8_t data[BUS_LINE];

    memcpy(data + va % BUS_LINE, &value, size);
    ck_assert_int_eq(
        w.port->ops->store(w.port, va & ~(uint64_t)(BUS_LINE - 1), data, &mask, BUS_SCOPE_NONE),
        BUS_OK);
}

/* Both from their first state. */
static void begin(void)
{
    machine_init(w.m, &w.s);
    w.port->sm = BUS_NO_SM;
    for (unsigned i = 0; i < w.test->locs; i++) {
        model_store(va_of(&w.test->loc[i]), 0, w.test->loc[i].size);
    }
    w.port->ops->l1_empty(w.port, BUS_ALL_SMS);
    g_string_truncate(w.done, 0);
}

/* --- one operation in both -------------------------------------------------------------------- */

static unsigned how_of(const struct litmus_event *e)
{
    static const unsigned scope[] = { BUS_SCOPE_NONE, BUS_SCOPE_CTA, BUS_SCOPE_GPU, BUS_SCOPE_SYS };

    return scope[e->scope] | (e->acquire && e->scope >= LITMUS_GPU ? (unsigned)BUS_HOW_ACQUIRE : 0);
}

static uint64_t model_does(const struct litmus_event *e)
{
    uint64_t va = e->loc < 0 ? 0 : va_of(&w.test->loc[e->loc]), value = 0;

    switch (e->op) {
    case LITMUS_LOAD:
        memcpy(&value, model_load(va, how_of(e)), e->size);
        break;
    case LITMUS_STORE:
        model_store(va, e->value, e->size);
        break;
    case LITMUS_ATOMIC:
        ck_assert_int_eq(w.port->ops->atomic(w.port, va, BUS_ATOMIC_ADD, e->size, e->value, 0,
                                             how_of(e), &value),
                         BUS_OK);
        break;
    default: /* of a fence.acq_rel its first half */
        if (e->op != LITMUS_FENCE_REL && e->scope >= LITMUS_GPU) {
            w.port->ops->l1_empty(w.port, w.port->sm);
        }
    }
    return value;
}

static void litmus_does(unsigned thread, unsigned code)
{
    unsigned sm = w.test->thread[thread].sm;

    (void)gpu_perform(w.m, &w.s, thread, code);
    while (w.s.sm_n[sm]) {
        gpu_sm_drain(w.m, &w.s, sm, 0);
    }
    while (w.s.gpu_n[0]) {
        gpu_drain(w.m, &w.s, LITMUS_GPU_INTEGRATED, 0);
    }
}

/* What an L1 holds of a location */
static void l1_compare(unsigned sm, const struct litmus_loc *loc)
{
    struct l1 *l1 = &w.rig.soc->gpu[0].port.l1;
    uint64_t va = va_of(loc), mine = 0, theirs;
    struct l1_line *line = l1_find(l1, sm, l1_tag(w.port->context, va & ~(uint64_t)(BUS_LINE - 1)));
    bool there = line && line->sectors >> va % BUS_LINE / BUS_SECTOR & 1;

    same(w.s.l1_valid[sm] >> loc->byte & 1, there);
    if (there) {
        memcpy(&mine, l1_bytes(l1, sm, line) + va % BUS_LINE, loc->size);
        theirs = bytes_get(w.s.l1[sm], loc->byte, loc->size);
        same(theirs, mine);
    }
}

static void both(unsigned thread, unsigned code)
{
    const struct litmus_event *e = &w.test->thread[thread].event[code];
    uint64_t value;

    g_string_append_printf(w.done, "\n  %u: %s", thread, e->text);
    w.port->sm = w.test->thread[thread].sm;
    litmus_does(thread, code);
    value = model_does(e);
    if (e->op == LITMUS_LOAD || e->op == LITMUS_ATOMIC) {
        same(w.s.reg[thread][e->reg], value);
    }
    for (unsigned sm = 0; sm < 2; sm++) {
        for (unsigned i = 0; i < w.test->locs; i++) {
            l1_compare(sm, &w.test->loc[i]);
        }
    }
}

/* The operation of a number, counted over both threads but for what each begins with */
static unsigned operations(void)
{
    return w.test->thread[0].n + w.test->thread[1].n;
}

static void operation(unsigned n)
{
    unsigned first = w.test->thread[0].n;

    both(n >= first, n >= first ? n - first : n);
}

START_TEST(every_short_sequence)
{
    unsigned n = operations(), total = 1;

    for (unsigned i = 0; i < DEEP; i++) {
        total *= n;
    }
    for (unsigned k = 0; k < total; k++) {
        begin();
        for (unsigned i = 0, left = k; i < DEEP; i++, left /= n) {
            operation(left % n);
        }
    }
}
END_TEST

START_TEST(random_walks)
{
    for (unsigned k = 0; k < WALKS; k++) {
        begin();
        for (unsigned i = 0; i < STEPS; i++) {
            operation(draw(operations()));
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l1 as litmus has it");
    TCase *t = tcase_create("walks");

    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_short_sequence);
    tcase_add_test(t, random_walks);
    suite_add_tcase(s, t);
    return suite_main(s);
}
