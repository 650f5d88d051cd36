/* SPDX-License-Identifier: MIT */
/* The CPUs of vtegra litmus against Arm's axioms: random programs, the same outcomes from both.
 *
 * The axioms (Arm ARM, B2.3, in the names of herd's aarch64.cat) are checked here on every choice
 * of reads-from and coherence order: no machine, no steps, no stores on their way. internal po-loc,
 * rf, co, fr have no cycle external  ordered-before has none: rfe, coe, fre; dependency-,
 * barrier-ordered-before; local writes */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

#define THREADS 3
#define EVENTS 12 /* with the first write of each location */
#define LOCS 2
#define PROGRAMS 3000 /* unless $LITMUS_PROGRAMS says otherwise */

enum kind { READ, WRITE, DMB_SY, DMB_LD, DMB_ST, DSB_SY, DSB_LD, DSB_ST, ISB };

struct event {
    enum kind kind;
    int thread; /* -1: first write */
    unsigned loc, value;
    bool acquire, pc, release;
    unsigned addr, data, ctrl; /* reads of the thread that it depends on: event bits */
};

struct program {
    struct event e[EVENTS];
    unsigned n;
    uint64_t random;
};

static unsigned draw(struct program *p, unsigned n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % n;
}

/* --- programs --------------------------------------------------------------------------------- */

static unsigned reads_before(const struct program *p, int thread)
{
    unsigned mask = 0;

    for (unsigned i = 0; i < p->n; i++) {
        mask |= (p->e[i].thread == thread && p->e[i].kind == READ) ? 1u << i : 0;
    }
    return mask;
}

/* At most one of the earlier reads. */
static unsigned some_read(struct program *p, int thread)
{
    unsigned mask = reads_before(p, thread), pick = draw(p, EVENTS);

    return mask >> pick & 1 ? 1u << pick : 0;
}

static void event_draw(struct program *p, int thread)
{
    static const enum kind kinds[] = { READ,   READ,   READ,   WRITE,  WRITE,  WRITE, DMB_SY,
                                       DMB_LD, DMB_ST, DSB_SY, DSB_LD, DSB_ST, ISB,   ISB };
    struct event e = { .kind = kinds[draw(p, G_N_ELEMENTS(kinds))], .thread = thread };

    if (e.kind == READ || e.kind == WRITE) {
        e.loc = draw(p, LOCS);
        e.value = p->n + 1;
        e.addr = some_read(p, thread);
        e.ctrl = some_read(p, thread);
        e.data = e.kind == WRITE ? some_read(p, thread) : 0;
        e.acquire = e.kind == READ && draw(p, 3) == 0;
        e.pc = e.acquire && draw(p, 2) == 0;
        e.release = e.kind == WRITE && draw(p, 3) == 0;
    } else if (e.kind == ISB) {
        e.ctrl = some_read(p, thread);
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
    for (unsigned t = 0; t < threads; t++) {
        for (unsigned i = 0, n = 1 + draw(p, threads == 2 ? 5 : 3); i < n; i++) {
            event_draw(p, (int)t);
        }
    }
}

static void depends_text(GString *s, const char *name, unsigned mask)
{
    if (mask) {
        g_string_append_printf(s, " %s(W%d)", name, __builtin_ctz(mask));
    }
}

static void event_text(GString *s, const struct program *p, unsigned i)
{
    static const char *const barriers[] = {
        [DMB_SY] = "DMB SY", [DMB_LD] = "DMB LD", [DMB_ST] = "DMB ST", [ISB] = "ISB",
        [DSB_SY] = "DSB SY", [DSB_LD] = "DSB LD", [DSB_ST] = "DSB ST"
    };
    const struct event *e = &p->e[i];

    if (e->kind > WRITE) {
        g_string_append(s, barriers[e->kind]);
        depends_text(s, "ctrl", e->ctrl);
        return;
    }
    if (e->kind == READ) {
        g_string_append_printf(s, "%s W%u,[l%u]",
                               e->pc        ? "LDAPR"
                               : e->acquire ? "LDAR"
                                            : "LDR",
                               i, e->loc);
    } else {
        g_string_append_printf(s, "%s #%u,[l%u]", e->release ? "STLR" : "STR", e->value, e->loc);
    }
    depends_text(s, "addr", e->addr);
    depends_text(s, "data", e->data);
    depends_text(s, "ctrl", e->ctrl);
}

static char *program_text(const struct program *p)
{
    GString *s = g_string_new("tegra random { pageable l0; pageable l1; }\nCPU0 | CPU1 | CPU2 ;\n");

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
            g_string_append_printf(s, "CPU%d:W%u; ", p->e[i].thread, i);
        }
    }
    g_string_append(s, "l0; l1;]\nexists (true)\n");
    return g_string_free(s, FALSE);
}

/* --- the axioms ------------------------------------------------------------------------------- */

typedef uint16_t relation[EVENTS]; /* row i: events after i */

static bool is_access(const struct event *e)
{
    return e->kind <= WRITE;
}

static bool po(const struct program *p, unsigned i, unsigned j)
{
    return p->e[i].thread >= 0 && p->e[i].thread == p->e[j].thread && i < j;
}

static bool same_loc(const struct program *p, unsigned i, unsigned j)
{
    return is_access(&p->e[i]) && is_access(&p->e[j]) && p->e[i].loc == p->e[j].loc;
}

static bool cyclic(const relation r, unsigned n)
{
    relation t;

    memcpy(t, r, sizeof(t));
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = 0; i < n; i++) {
            t[i] |= t[i] >> k & 1 ? t[k] : 0;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (t[i] >> i & 1) {
            return true;
        }
    }
    return false;
}

/* Where the branch on @i stands that event @k states: before @k itself, but before the ISB if @k is
 * a load and an ISB is between (docs/litmus.md): no other branch would order a load. */
static unsigned branch_place(const struct program *p, unsigned i, unsigned k)
{
    for (unsigned isb = k; p->e[k].kind == READ && isb-- > i + 1;) {
        if (p->e[isb].kind == ISB && po(p, i, isb)) {
            return isb;
        }
    }
    return k;
}

/* A branch on @i stands before j or earlier. */
static bool ctrl_to(const struct program *p, unsigned i, unsigned j)
{
    for (unsigned k = i + 1; k < p->n; k++) {
        if (po(p, i, k) && p->e[k].ctrl >> i & 1 && branch_place(p, i, k) <= j) {
            return true;
        }
    }
    return false;
}

static bool addr_po(const struct program *p, unsigned i, unsigned j)
{
    for (unsigned k = i + 1; k < j; k++) {
        if (po(p, i, k) && p->e[k].addr >> i & 1) {
            return true;
        }
    }
    return false;
}

static bool dob(const struct program *p, unsigned i, unsigned j)
{
    const struct event *b = &p->e[j];

    if ((b->addr | b->data) >> i & 1 ||
        (b->kind == WRITE && (ctrl_to(p, i, j) || addr_po(p, i, j)))) {
        return true;
    }
    for (unsigned k = i + 1; k < j; k++) {
        if (p->e[k].kind == ISB && p->e[k].thread == b->thread && b->kind == READ &&
            (ctrl_to(p, i, k) || addr_po(p, i, k))) {
            return true;
        }
    }
    return false;
}

static bool bob(const struct program *p, unsigned i, unsigned j)
{
    const struct event *a = &p->e[i], *b = &p->e[j];

    for (unsigned k = i + 1; k < j; k++) {
        if (p->e[k].thread == a->thread &&
            (p->e[k].kind == DMB_SY || (p->e[k].kind == DMB_LD && a->kind == READ) ||
             (p->e[k].kind == DMB_ST && a->kind == WRITE && b->kind == WRITE) ||
             p->e[k].kind == DSB_SY || (p->e[k].kind == DSB_LD && a->kind == READ) ||
             (p->e[k].kind == DSB_ST && a->kind == WRITE))) {
            return true;
        }
    }
    return a->acquire || b->release || (a->release && b->acquire && !b->pc);
}

/* Local order, without what depends on reads-from. */
static void local_order(const struct program *p, relation lob)
{
    memset(lob, 0, sizeof(relation));
    for (unsigned i = LOCS; i < p->n; i++) {
        for (unsigned j = i + 1; j < p->n; j++) {
            bool lws = same_loc(p, i, j) && p->e[j].kind == WRITE;

            if (po(p, i, j) && is_access(&p->e[i]) && is_access(&p->e[j]) &&
                (lws || dob(p, i, j) || bob(p, i, j))) {
                lob[i] |= (uint16_t)(1u << j);
            }
        }
    }
}

/* One candidate: where each read reads from, and each write's place in its location's order. */
struct candidate {
    int rf[EVENTS];
    unsigned place[EVENTS];
};

static bool allowed(const struct program *p, const struct candidate *c, const relation lob)
{
    relation in = { 0 }, ob;

    memcpy(ob, lob, sizeof(ob));
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned j = 0; j < p->n; j++) {
            bool external = p->e[i].thread != p->e[j].thread, edge;

            if (i == j || !same_loc(p, i, j)) {
                continue;
            }
            edge =
                (p->e[j].kind == READ && c->rf[j] == (int)i) ||
                (p->e[j].kind == WRITE && p->e[i].kind == WRITE && c->place[i] < c->place[j]) ||
                (p->e[j].kind == WRITE && p->e[i].kind == READ && c->place[c->rf[i]] < c->place[j]);
            in[i] |= (uint16_t)((unsigned)(edge || po(p, i, j)) << j);
            ob[i] |= (uint16_t)((unsigned)(edge && external) << j);
            if (p->e[j].kind == READ && c->rf[j] == (int)i && !external) { /* (addr | data); rfi */
                for (unsigned k = LOCS; k < i; k++) {
                    ob[k] |= (uint16_t)((p->e[i].addr | p->e[i].data) >> k & 1 ? 1u << j : 0);
                }
            }
        }
    }
    return !cyclic(in, p->n) && !cyclic(ob, p->n);
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

/* Every way to fill the rest of the candidate, from event @i on; @used: places taken, a mask a
 * location. */
static void candidates(const struct program *p, struct candidate *c, unsigned i,
                       const unsigned used[LOCS], const relation lob, GHashTable *set)
{
    const struct event *e = &p->e[i];

    if (i == p->n) {
        if (allowed(p, c, lob)) {
            outcome_note(p, c, set);
        }
        return;
    }
    if (e->kind == READ) {
        for (unsigned w = 0; w < p->n; w++) {
            if (p->e[w].kind == WRITE && p->e[w].loc == e->loc) {
                c->rf[i] = (int)w;
                candidates(p, c, i + 1, used, lob, set);
            }
        }
    } else if (e->kind == WRITE && e->thread >= 0) {
        unsigned writes = 0;

        for (unsigned w = LOCS; w < p->n; w++) {
            writes += p->e[w].kind == WRITE && p->e[w].loc == e->loc;
        }
        for (unsigned place = 1; place <= writes; place++) {
            unsigned next[LOCS];

            if (used[e->loc] >> place & 1) {
                continue;
            }
            memcpy(next, used, sizeof(next));
            next[e->loc] |= 1u << place;
            c->place[i] = place;
            candidates(p, c, i + 1, next, lob, set);
        }
    } else {
        candidates(p, c, i + 1, used, lob, set);
    }
}

static GHashTable *axioms(const struct program *p)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct candidate c = { 0 };
    unsigned used[LOCS] = { 0 };
    relation lob;

    local_order(p, lob);
    candidates(p, &c, 0, used, lob, set);
    return set;
}

/* --- the machine ------------------------------------------------------------------------------ */

static GHashTable *machine(const char *text, bool io_coherent)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct litmus_options options = { true, 0 };
    struct soc_profile soc = { 0 };
    GError *error = NULL;
    struct litmus_test *test = litmus_parse(text, strlen(text), "random", &error);
    struct litmus_result *r;

    ck_assert_msg(test != NULL, "%s\n%s", error ? error->message : "", text);
    soc.soc.io_coherent = io_coherent;
    soc.cpu.lse = soc.cpu.lrcpc = true;
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

/* Every member of @a is in @b. */
static void subset(GHashTable *a, GHashTable *b, const char *what, const char *text)
{
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, a);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        if (!g_hash_table_contains(b, key)) {
            ck_abort_msg("%s: %s in\n%s", what, (char *)key, text);
        }
    }
}

static unsigned programs(void)
{
    const char *n = g_getenv("LITMUS_PROGRAMS");

    return n ? (unsigned)g_ascii_strtoull(n, NULL, 10) : PROGRAMS;
}

START_TEST(machine_and_axioms_agree)
{
    for (unsigned seed = 1; seed <= programs(); seed++) {
        struct program p;
        char *text;
        GHashTable *arm, *found;

        program_draw(&p, seed + (unsigned)_i * programs());
        text = program_text(&p);
        arm = axioms(&p);
        found = machine(text, _i);
        subset(found, arm, "the machine allows what Arm forbids", text);
        subset(arm, found, "the machine has no way to an allowed outcome", text);
        g_hash_table_unref(arm);
        g_hash_table_unref(found);
        g_free(text);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_arm");
    TCase *tc = tcase_create("axioms");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 900);
    tcase_add_loop_test(tc, machine_and_axioms_agree, 0, 2);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
