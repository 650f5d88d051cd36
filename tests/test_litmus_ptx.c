/* SPDX-License-Identifier: MIT */
/* The iGPU of vtegra litmus against the axioms of PTX: on random programs it ends in no way that
 * they forbid.
 *
 * PTX ISA, Memory Consistency Model, on every choice of reads-from, coherence order and Fence-SC
 * order: Coherence, Fence-SC, SC-per-location, No-Thin-Air, Causality. Threads of one SM count as
 * one CTA. The other direction does not hold: PTX allows more than one L2 can show. How much more
 * is counted and bounded, so that a machine which orders everything does not pass. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

#define THREADS 3
#define EVENTS 12
#define LOCS 2
#define PROGRAMS 200 /* unless $LITMUS_PROGRAMS says otherwise */
#define FENCES_SC 3

enum kind { READ, WRITE, FENCE_ACQ_REL, FENCE_SC };
enum scope { WEAK, CTA, GPU, SYS };

struct event {
    enum kind kind;
    int thread; /* -1: first write */
    unsigned loc, value;
    enum scope scope;
    bool acquire, release;
    unsigned data; /* a read that a write takes its place after */
};

struct program {
    struct event e[EVENTS];
    unsigned n, sm[THREADS];
    uint64_t random;
};

static unsigned draw(struct program *p, unsigned n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % n;
}

/* --- programs --------------------------------------------------------------------------------- */

static void event_draw(struct program *p, int thread)
{
    static const enum kind kinds[] = { READ,  READ,  READ,          WRITE,
                                       WRITE, WRITE, FENCE_ACQ_REL, FENCE_SC };
    struct event e = { .kind = kinds[draw(p, G_N_ELEMENTS(kinds))], .thread = thread };
    unsigned pick = draw(p, EVENTS);

    if (e.kind > WRITE) {
        e.scope = (enum scope)(CTA + draw(p, 3));
    } else {
        e.loc = draw(p, LOCS);
        e.value = p->n + 1;
        e.scope = (enum scope)draw(p, 4);
        e.acquire = e.scope != WEAK && e.kind == READ && draw(p, 2);
        e.release = e.scope != WEAK && e.kind == WRITE && draw(p, 2);
        if (e.kind == WRITE && pick < p->n && p->e[pick].thread == thread &&
            p->e[pick].kind == READ) {
            e.data = 1u << pick;
        }
    }
    p->e[p->n++] = e;
}

static void program_draw(struct program *p, unsigned seed)
{
    unsigned threads;

    memset(p, 0, sizeof(*p));
    p->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned l = 0; l < LOCS; l++) {
        p->e[p->n++] = (struct event){ .kind = WRITE, .thread = -1, .loc = l };
    }
    threads = 2 + draw(p, 2);
    p->sm[1] = draw(p, 2);
    p->sm[2] = draw(p, 2);
    for (unsigned t = 0; t < threads; t++) {
        for (unsigned i = 0, n = 1 + draw(p, threads == 2 ? 5 : 3); i < n; i++) {
            event_draw(p, (int)t);
        }
    }
}

static void event_text(GString *s, const struct program *p, unsigned i)
{
    static const char *const scopes[] = { "", ".cta", ".gpu", ".sys" };
    const struct event *e = &p->e[i];
    const char *order = e->scope == WEAK ? ".weak"
                        : e->acquire     ? ".acquire"
                        : e->release     ? ".release"
                                         : ".relaxed";

    switch (e->kind) {
    case READ:
        g_string_append_printf(s, "ld%s%s r%u,[l%u]", order, scopes[e->scope], i, e->loc);
        break;
    case WRITE:
        g_string_append_printf(s, "st%s%s [l%u],%u", order, scopes[e->scope], e->loc, e->value);
        if (e->data) {
            g_string_append_printf(s, " data(r%d)", __builtin_ctz(e->data));
        }
        break;
    case FENCE_ACQ_REL:
    case FENCE_SC:
        g_string_append_printf(s, "fence.%s%s", e->kind == FENCE_SC ? "sc" : "acq_rel",
                               scopes[e->scope]);
        break;
    }
}

static char *program_text(const struct program *p, const char *memory)
{
    GString *s = g_string_new("tegra random {");

    g_string_append_printf(s, " %s l0; %s l1; }\n iGPU0@sm%u | iGPU1@sm%u | iGPU2@sm%u ;\n", memory,
                           memory, p->sm[0], p->sm[1], p->sm[2]);
    for (unsigned i = LOCS; i < p->n; i++) {
        for (int t = 0; t < THREADS; t++) {
            if (t == p->e[i].thread) {
                event_text(s, p, i);
            }
            g_string_append(s, t < THREADS - 1 ? " | " : " ;\n");
        }
    }
    g_string_append(s, "locations [");
    for (unsigned i = LOCS; i < p->n; i++) {
        if (p->e[i].kind == READ) {
            g_string_append_printf(s, "iGPU%d:r%u; ", p->e[i].thread, i);
        }
    }
    g_string_append(s, "igpu.l0; igpu.l1;]\nexists (true)\n");
    return g_string_free(s, FALSE);
}

/* --- the axioms ------------------------------------------------------------------------------- */

typedef uint16_t relation[EVENTS]; /* row i: events after i */

struct candidate {
    int rf[EVENTS];
    unsigned place[EVENTS]; /* in the coherence order of its location */
    unsigned sc[EVENTS];    /* in the Fence-SC order */
};

static void add(relation r, unsigned i, unsigned j)
{
    r[i] |= (uint16_t)(1u << j);
}

static bool po(const struct program *p, unsigned i, unsigned j)
{
    return p->e[i].thread >= 0 && p->e[i].thread == p->e[j].thread && i < j;
}

static bool overlap(const struct program *p, unsigned i, unsigned j)
{
    return p->e[i].kind <= WRITE && p->e[j].kind <= WRITE && p->e[i].loc == p->e[j].loc;
}

static bool scope_includes(const struct program *p, const struct event *e, int thread)
{
    return e->scope >= GPU || (e->scope == CTA && p->sm[e->thread] == p->sm[thread]);
}

static bool strong(const struct program *p, unsigned i, unsigned j)
{
    const struct event *a = &p->e[i], *b = &p->e[j];

    if (a->thread < 0 || b->thread < 0 || a->thread == b->thread) {
        return true;
    }
    return scope_includes(p, a, b->thread) && scope_includes(p, b, a->thread);
}

static void closure(relation r, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = 0; i < n; i++) {
            r[i] |= r[i] >> k & 1 ? r[k] : 0;
        }
    }
}

static bool reflexive(const relation r, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (r[i] >> i & 1) {
            return true;
        }
    }
    return false;
}

static bool is_fence(const struct event *e)
{
    return e->kind > WRITE;
}

/* First operation @f of a release pattern whose write is w. */
static bool release_pattern(const struct program *p, unsigned f, unsigned w)
{
    const struct event *a = &p->e[f], *b = &p->e[w];

    if (b->kind != WRITE || b->scope == WEAK) {
        return false;
    }
    return (f == w && b->release) ||
           (po(p, f, w) && (is_fence(a) || (a->kind == WRITE && a->release && a->loc == b->loc)));
}

/* Last operation @f of an acquire pattern whose read is r. */
static bool acquire_pattern(const struct program *p, unsigned r, unsigned f)
{
    const struct event *a = &p->e[f], *b = &p->e[r];

    if (b->kind != READ || b->scope == WEAK) {
        return false;
    }
    return (f == r && b->acquire) ||
           (po(p, r, f) && (is_fence(a) || (a->kind == READ && a->acquire && a->loc == b->loc)));
}

/* w, read by r, joins a release pattern and an acquire pattern. */
static void synchronize(const struct program *p, unsigned w, unsigned r, relation sync)
{
    for (unsigned x = LOCS; x < p->n; x++) {
        for (unsigned y = LOCS; y < p->n; y++) {
            if (p->e[w].thread >= 0 && strong(p, w, r) && release_pattern(p, x, w) &&
                acquire_pattern(p, r, y) && strong(p, x, y)) {
                add(sync, x, y);
            }
        }
    }
}

/* Causality: synchronizes-with or Fence-SC, with program order before and after it; then
 * observation first. */
static void causality(const struct program *p, const struct candidate *c, relation cause)
{
    relation sync = { 0 }, base = { 0 };

    for (unsigned i = LOCS; i < p->n; i++) {
        if (p->e[i].kind == READ) {
            synchronize(p, (unsigned)c->rf[i], i, sync);
        }
        for (unsigned j = LOCS; j < p->n; j++) {
            if (p->e[i].kind == FENCE_SC && p->e[j].kind == FENCE_SC && strong(p, i, j) &&
                c->sc[i] < c->sc[j]) {
                add(sync, i, j);
            }
        }
    }
    for (unsigned x = LOCS; x < p->n; x++) {
        for (unsigned a = LOCS; a < p->n; a++) {
            for (unsigned b = LOCS; b < p->n; b++) {
                if (sync[a] >> b & 1 && (x == a || po(p, x, a))) {
                    add(base, x, b);
                    for (unsigned y = b + 1; y < p->n; y++) {
                        if (po(p, b, y)) {
                            add(base, x, y);
                        }
                    }
                }
            }
        }
    }
    closure(base, p->n);
    memcpy(cause, base, sizeof(relation));
    for (unsigned r = LOCS; r < p->n; r++) {
        if (p->e[r].kind == READ && strong(p, (unsigned)c->rf[r], r) &&
            p->e[c->rf[r]].thread >= 0) {
            cause[c->rf[r]] |= base[r];
        }
    }
}

static bool communicates(const struct program *p, const struct candidate *c, unsigned i, unsigned j)
{
    if (i == j || !overlap(p, i, j)) {
        return false;
    }
    if (p->e[j].kind == READ) {
        return c->rf[j] == (int)i;
    }
    return c->place[p->e[i].kind == WRITE ? i : (unsigned)c->rf[i]] < c->place[j];
}

static bool allowed(const struct program *p, const struct candidate *c)
{
    relation cause, location = { 0 }, thin = { 0 };

    causality(p, c, cause);
    if (reflexive(cause, p->n)) { /* Fence-SC */
        return false;
    }
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned j = 0; j < p->n; j++) {
            if (p->e[j].kind == READ && c->rf[j] == (int)i) {
                add(thin, i, j);
            }
            if (p->e[j].data >> i & 1) {
                add(thin, i, j);
            }
            if (overlap(p, i, j) &&
                (po(p, i, j) || (strong(p, i, j) && communicates(p, c, i, j)))) {
                add(location, i, j);
            }
            if (!(cause[i] >> j & 1) || !overlap(p, i, j)) {
                continue;
            }
            if (p->e[i].kind == WRITE && p->e[j].kind == WRITE && c->place[i] > c->place[j]) {
                return false; /* Coherence */
            }
            if (p->e[i].kind == READ && p->e[j].kind == WRITE && c->rf[i] == (int)j) {
                return false; /* Causality */
            }
            if (p->e[i].kind == WRITE && p->e[j].kind == READ && c->place[c->rf[j]] < c->place[i]) {
                return false; /* Causality */
            }
        }
    }
    closure(thin, p->n);
    closure(location, p->n);
    return !reflexive(thin, p->n) && !reflexive(location, p->n); /* No-Thin-Air, SC-per-location */
}

static void outcome_note(const struct program *p, const struct candidate *c, GHashTable *set)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = LOCS; i < p->n; i++) {
        if (p->e[i].kind == READ) {
            g_string_append_printf(s, "%u ", p->e[c->rf[i]].value);
        }
    }
    for (unsigned l = 0; l < LOCS; l++) {
        unsigned last = l;

        for (unsigned i = LOCS; i < p->n; i++) {
            last = p->e[i].kind == WRITE && p->e[i].loc == l && c->place[i] > c->place[last] ? i
                                                                                             : last;
        }
        g_string_append_printf(s, "%u ", p->e[last].value);
    }
    g_hash_table_add(set, g_string_free(s, FALSE));
}

/* @used: places taken, a mask a location; the last one is the Fence-SC order's. */
static void candidates(const struct program *p, struct candidate *c, unsigned i,
                       const unsigned used[LOCS + 1], GHashTable *set)
{
    const struct event *e = &p->e[i];
    unsigned order = e->kind == FENCE_SC ? LOCS : e->loc, members = 0, *place;

    if (i == p->n) {
        if (allowed(p, c)) {
            outcome_note(p, c, set);
        }
        return;
    }
    if (e->kind == READ) {
        for (unsigned w = 0; w < p->n; w++) {
            if (p->e[w].kind == WRITE && p->e[w].loc == e->loc) {
                c->rf[i] = (int)w;
                candidates(p, c, i + 1, used, set);
            }
        }
        return;
    }
    if (e->kind == FENCE_ACQ_REL || e->thread < 0) {
        candidates(p, c, i + 1, used, set);
        return;
    }
    for (unsigned k = LOCS; k < p->n; k++) {
        members += p->e[k].kind == e->kind && (e->kind == FENCE_SC || p->e[k].loc == e->loc);
    }
    place = e->kind == FENCE_SC ? &c->sc[i] : &c->place[i];
    for (*place = 1; *place <= members; ++*place) {
        unsigned next[LOCS + 1];

        if (!(used[order] >> *place & 1)) {
            memcpy(next, used, sizeof(next));
            next[order] |= 1u << *place;
            candidates(p, c, i + 1, next, set);
        }
    }
}

static GHashTable *axioms(const struct program *p)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct candidate c = { { 0 }, { 0 }, { 0 } };
    unsigned used[LOCS + 1] = { 0 };

    candidates(p, &c, 0, used, set);
    return set;
}

/* --- the machine ------------------------------------------------------------------------------ */

static GHashTable *machine(const char *text)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct litmus_options options = { true, 0 };
    struct soc_profile soc = { 0 };
    GError *error = NULL;
    struct litmus_test *test = litmus_parse(text, strlen(text), "random", &error);
    struct litmus_result *r;

    ck_assert_msg(test != NULL, "%s\n%s", error ? error->message : "", text);
    soc.soc.io_coherent = true;
    soc.gpu.sm_count = LITMUS_SMS;
    soc.gpu.cc_major = 7;
    soc.gpu.global_l1_cache = true;
    r = litmus_explore(test, &soc, &options, NULL);
    ck_assert(r->exhausted);
    for (guint i = 0; i < r->outcomes->len; i++) {
        const struct litmus_outcome *o = &g_array_index(r->outcomes, struct litmus_outcome, i);
        GString *s = g_string_new(NULL);

        for (unsigned k = 0; k < test->items; k++) {
            g_string_append_printf(s, "%u ", (unsigned)o->value[k]);
        }
        g_hash_table_add(set, g_string_free(s, FALSE));
    }
    litmus_result_free(r);
    litmus_free(test);
    return set;
}

static unsigned fences_sc(const struct program *p)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++) {
        n += p->e[i].kind == FENCE_SC;
    }
    return n;
}

static unsigned programs(void)
{
    const char *n = g_getenv("LITMUS_PROGRAMS");

    return n ? (unsigned)g_ascii_strtoull(n, NULL, 10) : PROGRAMS;
}

/* Device memory (through L1 and L2), pinned memory (through the queue to the port). */
START_TEST(the_machine_keeps_every_promise_of_ptx)
{
    unsigned found_all = 0, allowed_all = 0;

    for (unsigned seed = 1; seed <= programs(); seed++) {
        struct program p;
        GHashTable *ptx, *found;
        GHashTableIter iter;
        gpointer key;
        char *text;

        program_draw(&p, seed + (unsigned)_i * programs());
        if (fences_sc(&p) > FENCES_SC) {
            continue;
        }
        text = program_text(&p, _i ? "pinned" : "device");
        ptx = axioms(&p);
        found = machine(text);
        g_hash_table_iter_init(&iter, found);
        while (g_hash_table_iter_next(&iter, &key, NULL)) {
            if (!g_hash_table_contains(ptx, key)) {
                ck_abort_msg("seed %u: the machine allows what PTX forbids: %s in\n%s", seed,
                             (char *)key, text);
            }
        }
        found_all += g_hash_table_size(found);
        allowed_all += g_hash_table_size(ptx);
        g_hash_table_unref(ptx);
        g_hash_table_unref(found);
        g_free(text);
    }
    ck_assert_msg(found_all * 100 > allowed_all * 70, "only %u of %u outcomes that PTX allows",
                  found_all, allowed_all);
    if (g_getenv("LITMUS_SHOW")) {
        printf("%u of %u outcomes that PTX allows\n", found_all, allowed_all);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_ptx");
    TCase *tc = tcase_create("axioms");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 900);
    tcase_add_loop_test(tc, the_machine_keeps_every_promise_of_ptx, 0, 2);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
