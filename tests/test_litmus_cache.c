/* SPDX-License-Identifier: MIT */
/* litmus/cache.c says the same as model/iocoherency: every operation in every state that one line
 * can reach, and random walks over several lines, through both, compared after each step.
 *
 * Seen after every step: the value read, each CPU line's valid and dirty, each valid CPU line's
 * bytes, DRAM, and what the L2 holds and has dirty. L2 evictions come from the model's own
 * geometry: an L2 of one line, so that each access to another line evicts. */
#include <check.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/machine.h"
#include "model/iocoherency/l2.h"

#define STEPS 400
/* Unless $LITMUS_CACHE is "all". A sanitizer makes each step ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define WALKS 10
#define LINES 3
#else
#define WALKS 20
#define LINES G_N_ELEMENTS(lines)
#endif
#define ALL_WALKS 60
#define BASE UINT64_C(0x80000000)
#define KINDS 5

static const char layout[] = "tegra walk { pageable a; pinned u8 p; pinned u16 q; same line p q;\n"
                             "managed m; managed u8 n; same sector m n; managed u16 o;\n"
                             "interop i; device d; same l2 m o; } CPU0 ; exists (true)";

struct walk {
    struct litmus_test *test;
    struct litmus_machine *m;
    struct litmus_state s;
    struct trace trace;
    struct ioc *ioc;
    struct l2 *l2;
    struct ioc_region *region[KINDS];
    uint8_t dram[KINDS][IOC_PAGE], view[KINDS][IOC_PAGE];
    bool io_coherent, snoops;
    bool one_line; /* the L2 holds one line only */
    int in_l2;     /* which, -1: none */
    uint64_t random;
};

/* What was done so far, for the message of a difference. */
static char *(*doing)(void);

static unsigned draw(struct walk *w, unsigned n)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->random >> 33) % MAX(n, 1);
}

static unsigned page_offset(const struct litmus_loc *loc)
{
    return loc->line * BUS_LINE + loc->offset;
}

static uint64_t pa_of(const struct litmus_loc *loc)
{
    return BASE + (uint64_t)loc->kind * IOC_PAGE + page_offset(loc);
}

static bool viewed(const struct walk *w, const struct litmus_loc *loc)
{
    return w->m->view >> loc->byte & 1;
}

static void machine_open(struct walk *w, const char *text)
{
    struct soc_profile profile;

    memset(&profile, 0, sizeof(profile));
    profile.soc.io_coherent = w->io_coherent;
    profile.rules.cpu_snoops_l2 = profile.gpu.pageable_memory_access = w->snoops;
    profile.gpu.sm_count = LITMUS_SMS;
    w->test = litmus_parse(text, strlen(text), "walk", NULL);
    ck_assert(w->test != NULL);
    w->m = litmus_machine_new(w->test, &profile, false, NULL);
    ck_assert(w->m != NULL);
}

static void machine_close(struct walk *w)
{
    g_free(w->m);
    litmus_free(w->test);
}

/* Both from their first state. */
static void board_open(struct walk *w)
{
    struct ioc_config ioc = { .snoops = w->io_coherent ? UINT_MAX : 0 };
    struct l2_config l2 = { .bytes = w->one_line ? BUS_LINE : 4096,
                            .ways = 1,
                            .evict = w->one_line ? EVICT_LRU : EVICT_NEVER,
                            .cpu_snoops = w->snoops };

    machine_init(w->m, &w->s);
    memset(w->dram, 0, sizeof(w->dram));
    memset(w->view, 0, sizeof(w->view));
    w->ioc = ioc_new(&ioc, &w->trace);
    w->l2 = l2_new(&l2, w->ioc, &w->trace);
    for (unsigned k = 0; k < KINDS; k++) {
        bool view =
            k == LITMUS_PINNED ? w->io_coherent : k != LITMUS_DEVICE; /* CUDA for Tegra, Table 1 */

        w->region[k] = ioc_region_add(w->ioc, k + 1, BASE + (uint64_t)k * IOC_PAGE, IOC_PAGE,
                                      w->dram[k], view ? w->view[k] : NULL, false);
    }
    w->in_l2 = -1;
}

static void board_close(struct walk *w)
{
    l2_free(w->l2);
    ioc_free(w->ioc);
}

static struct ioc_page *page_of(struct walk *w, const struct litmus_loc *loc)
{
    return ioc_page_find(w->ioc, pa_of(loc));
}

/* Check notes every assertion in a file; millions of them take longer than the walk. */
static void same(uint64_t a, uint64_t b)
{
    if (a != b) {
        ck_abort_msg("litmus 0x%" PRIx64 ", model 0x%" PRIx64 "%s", a, b, doing ? doing() : "");
    }
}

/* --- one operation in both -------------------------------------------------------------------- */

static uint64_t cpu_access(struct walk *w, const struct litmus_loc *loc, bool store, uint64_t value)
{
    uint8_t *image = viewed(w, loc) ? w->view[loc->kind] : w->dram[loc->kind];

    ioc_cpu_access(w->ioc, pa_of(loc), 0, loc->size, store ? ACCESS_STORE : ACCESS_LOAD);
    if (store) {
        memcpy(image + page_offset(loc), &value, loc->size);
        cache_cpu_store(w->m, &w->s, loc->byte, loc->size, value);
        return value;
    }
    value = 0;
    memcpy(&value, image + page_offset(loc), loc->size);
    same(cache_cpu_load(w->m, &w->s, loc->byte, loc->size), value);
    return value;
}

static void cpu_maintain(struct walk *w, const struct litmus_loc *loc, unsigned what)
{
    unsigned line = w->m->cpu_line[loc->byte];

    switch (what) {
    case 0:
        ioc_cpu_clean(w->ioc, pa_of(loc), 1);
        break;
    case 1:
        ioc_cpu_clean_invalidate(w->ioc, pa_of(loc), 1);
        break;
    case 2:
        ioc_cpu_invalidate(w->ioc, pa_of(loc), 1);
        break;
    default:
        if (page_of(w, loc)->valid >> page_offset(loc) / IOC_LINE & 1) {
            ioc_cpu_line_evict(w->ioc, page_of(w, loc), page_offset(loc) / IOC_LINE);
        }
        cache_cpu_evict(w->m, &w->s, line);
        return;
    }
    cache_cpu_maintain(w->m, &w->s, line,
                       (enum litmus_dc[]){ LITMUS_CVAC, LITMUS_CIVAC, LITMUS_IVAC }[what]);
}

static void port_access(struct walk *w, const struct litmus_loc *loc, bool store, uint64_t value)
{
    uint8_t data[LITMUS_BYTES] = { 0 };
    uint64_t read = 0;

    if (store) {
        ioc_port_write(w->ioc, page_of(w, loc), page_offset(loc), (const uint8_t *)&value,
                       loc->size, NULL, BUS_AGENT_DLA);
        bytes_set(data, loc->byte, loc->size, value);
        cache_port_store(w->m, &w->s, data, bytes_mask(loc->byte, loc->size));
    } else {
        ioc_port_read(w->ioc, page_of(w, loc), page_offset(loc), &read, loc->size, BUS_AGENT_DLA);
        same(cache_port_load(w->m, &w->s, loc->byte, loc->size), read);
    }
}

/* An L2 of one line: another one has to leave first. */
static void make_room(struct walk *w, const struct litmus_loc *loc)
{
    int line = w->m->l2_line[loc->byte];

    if (w->one_line && w->in_l2 >= 0 && w->in_l2 != line) {
        cache_l2_evict(w->m, &w->s, LITMUS_GPU_INTEGRATED, (unsigned)w->in_l2);
    }
    w->in_l2 = line;
}

static void l2_access(struct walk *w, const struct litmus_loc *loc, bool store, uint64_t value)
{
    unsigned off = page_offset(loc), at = off % BUS_LINE;
    uint8_t line[BUS_LINE] = { 0 };
    struct bus_mask mask = bus_mask_range(at, loc->size);
    uint64_t read = 0;

    make_room(w, loc);
    if (store) {
        memcpy(line + at, &value, loc->size);
        l2_store(w->l2, page_of(w, loc), off - at, line, &mask, BUS_AGENT_IGPU);
        cache_l2_store(w->m, &w->s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size, value);
    } else {
        memcpy(&read,
               l2_load(w->l2, page_of(w, loc), off - at, 1u << at / BUS_SECTOR, BUS_AGENT_IGPU) +
                   at,
               loc->size);
        same(cache_l2_load(w->m, &w->s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size), read);
    }
}

/* Read-modify-write in the L2; a snooping CPU's memory goes through the port instead (gpu_port.c).
 */
static void l2_add(struct walk *w, const struct litmus_loc *loc, uint64_t wrap)
{
    uint64_t old = 0, sum;
    uint8_t *at;

    make_room(w, loc);
    at = l2_modify(w->l2, page_of(w, loc), page_offset(loc), loc->size, BUS_AGENT_IGPU);
    memcpy(&old, at, loc->size);
    same(cache_l2_load(w->m, &w->s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size), old);
    sum = (old + 1) % wrap;
    memcpy(at, &sum, loc->size);
    cache_l2_store(w->m, &w->s, LITMUS_GPU_INTEGRATED, loc->byte, loc->size, sum);
}

static void step(struct walk *w)
{
    const struct litmus_loc *loc = &w->test->loc[draw(w, w->test->locs)];
    bool l2 = loc->kind != LITMUS_PINNED;
    uint64_t value = draw(w, 200) + 1;

    switch (draw(w, 12)) {
    case 0:
    case 1:
        cpu_access(w, loc, true, value);
        break;
    case 2:
    case 3:
        cpu_access(w, loc, false, 0);
        break;
    case 4:
        if (viewed(w, loc)) {
            cpu_maintain(w, loc, draw(w, 4));
        }
        break;
    case 5:
        port_access(w, loc, draw(w, 2), value);
        break;
    case 6:
    case 7:
        if (l2) {
            l2_access(w, loc, true, value);
        }
        break;
    case 8:
    case 9:
        if (l2) {
            l2_access(w, loc, false, 0);
        }
        break;
    case 10:
        if (l2 && !(w->m->snooped >> loc->byte & 1)) {
            l2_add(w, loc, UINT64_C(1) << 32);
        }
        break;
    default:
        if (draw(w, 4) == 0) {
            l2_invalidate(w->l2, BUS_AGENT_DRIVER);
            cache_l2_invalidate(&w->s, LITMUS_GPU_INTEGRATED);
            w->in_l2 = -1;
        } else {
            l2_clean(w->l2, BUS_AGENT_DRIVER);
            cache_l2_clean(w->m, &w->s, LITMUS_GPU_INTEGRATED);
        }
    }
}

static void loc_compare(struct walk *w, const struct litmus_loc *loc)
{
    struct ioc_page *p = page_of(w, loc);
    unsigned off = page_offset(loc), line = off / IOC_LINE, n = w->m->cpu_line[loc->byte];
    uint64_t value = 0;
    unsigned dirty;
    bool in;

    memcpy(&value, w->dram[loc->kind] + off, loc->size);
    same(bytes_get(w->s.dram, loc->byte, loc->size), value);
    if (viewed(w, loc)) {
        same(w->s.cpu_valid >> n & 1, p->valid >> line & 1);
        same(w->s.cpu_dirty >> n & 1, p->dirty >> line & 1);
        value = 0;
        memcpy(&value, w->view[loc->kind] + off, loc->size);
        if (w->s.cpu_valid >> n & 1) {
            same(bytes_get(w->s.view, loc->byte, loc->size), value);
        }
    }
    in = l2_line_state(w->l2, pa_of(loc), &dirty);
    if (!(w->m->snooped >> loc->byte & 1)) {
        same((w->s.l2_valid[0] & w->m->l2_mask[w->m->l2_line[loc->byte]]) != 0, in);
    }
    same((unsigned)__builtin_popcount(w->s.l2_dirty[0] & w->m->l2_mask[w->m->l2_line[loc->byte]]),
         dirty);
}

/* --- one line: every operation in every state ------------------------------------------------- */

/* Pairs of CPU line (absent, clean, dirty) x L2 line (absent, clean, dirty) that can occur, by
 * Table 1: an uncached side is absent; where the CPU sees the L2 (Thor) no line there stays dirty.
 */
#define PAIR(cpu, l2) (1u << ((cpu) * 3 + (l2)))
#define CPU_ONLY (PAIR(0, 0) | PAIR(1, 0) | PAIR(2, 0))
#define L2_ONLY (PAIR(0, 0) | PAIR(0, 1) | PAIR(0, 2))
#define ALL_PAIRS 0x1ffu
#define L2_NOT_DIRTY (ALL_PAIRS & ~(PAIR(0, 2) | PAIR(1, 2) | PAIR(2, 2)))
#define BOTH_CACHE { ALL_PAIRS, ALL_PAIRS, L2_NOT_DIRTY }
#define CPU_CACHES { PAIR(0, 0), CPU_ONLY, CPU_ONLY }
#define L2_CACHES { L2_ONLY, L2_ONLY, L2_ONLY }

/* A line of each kind; bytes of two owners in one sector, in two. `z` is another line of the L2:
 * its load evicts. */
static const struct {
    const char *text;
    unsigned pairs[3]; /* TX2, Orin, Thor */
} lines[] = {
    { "tegra line { managed u8 x; device z; } CPU0 ; exists (true)", BOTH_CACHE },
    { "tegra line { pageable u8 x; device z; } CPU0 ; exists (true)", BOTH_CACHE },
    { "tegra line { interop u8 x; device z; } CPU0 ; exists (true)", BOTH_CACHE },
    { "tegra line { pinned u8 x; device z; } CPU0 ; exists (true)", CPU_CACHES },
    { "tegra line { device u8 x; managed z; } CPU0 ; exists (true)", L2_CACHES },
    { "tegra line { managed u8 x; managed u8 y; same sector x y; device z; } CPU0 ; exists (true)",
      BOTH_CACHE },
    { "tegra line { managed u8 x; managed u8 y; same line x y; device z; } CPU0 ; exists (true)",
      BOTH_CACHE },
    { "tegra line { pinned u8 x; pinned u8 y; same line x y; device z; } CPU0 ; exists (true)",
      CPU_CACHES },
};

static const char *const op_names[] = { "CPU store",     "CPU load",  "DC CVAC",    "DC CIVAC",
                                        "DC IVAC",       "CPU evict", "port store", "port load",
                                        "L2 store",      "L2 load",   "L2 add",     "L2 clean",
                                        "L2 invalidate", "L2 evict" };
#define OPS G_N_ELEMENTS(op_names)

/* @from, @op: how the state was first reached; @op: location * OPS + operation */
struct node {
    unsigned from, op;
};

struct search {
    struct walk w;
    unsigned locs; /* of the line */
    GArray *nodes;
    GHashTable *known;
    unsigned at, op; /* tried now */
    unsigned seen;   /* pairs */
};

static struct search search;

/* What an agent stores: its own value, so that a byte shows who wrote it; of two bytes it is seen
 * in their order, and all store 1: that leaves few enough states. */
enum { BY_CPU = 1, BY_PORT, BY_L2, VALUES };

static uint64_t stored(unsigned by)
{
    return search.locs == 1 ? by : 1;
}

static char *search_path(void)
{
    GString *path = g_string_new(NULL);

    for (unsigned n = search.at; n; n = g_array_index(search.nodes, struct node, n).from) {
        unsigned op = g_array_index(search.nodes, struct node, n).op;
        char *word = g_strdup_printf(" %s %c,", op_names[op % OPS], "xy"[op / OPS]);

        g_string_prepend(path, word);
        g_free(word);
    }
    g_string_prepend(path, " after");
    g_string_append_printf(path, " %s %c", op_names[search.op % OPS], "xy"[search.op / OPS]);
    return g_string_free(path, FALSE);
}

/* Return: false, and nothing was done, where this memory or SoC has no such operation. */
static bool operate(struct walk *w, unsigned op)
{
    const struct litmus_loc *loc = &w->test->loc[op / OPS];
    bool l2 = loc->kind != LITMUS_PINNED;

    switch (op % OPS) {
    case 0:
    case 1:
        cpu_access(w, loc, op % OPS == 0, stored(BY_CPU));
        return true;
    case 2:
    case 3:
    case 4:
    case 5:
        if (viewed(w, loc)) {
            cpu_maintain(w, loc, (unsigned[]){ 0, 1, 2, 3 }[op % OPS - 2]);
        }
        return viewed(w, loc);
    case 6:
    case 7:
        port_access(w, loc, op % OPS == 6, stored(BY_PORT));
        return true;
    case 8:
    case 9:
        if (l2) {
            l2_access(w, loc, op % OPS == 8, stored(BY_L2));
        }
        return l2;
    case 10:
        l2 = l2 && !(w->m->snooped >> loc->byte & 1);
        if (l2) {
            l2_add(w, loc, search.locs == 1 ? VALUES : 2);
        }
        return l2;
    case 11:
        l2_clean(w->l2, BUS_AGENT_DRIVER);
        cache_l2_clean(w->m, &w->s, LITMUS_GPU_INTEGRATED);
        return true;
    case 12:
        l2_invalidate(w->l2, BUS_AGENT_DRIVER);
        cache_l2_invalidate(&w->s, LITMUS_GPU_INTEGRATED);
        w->in_l2 = -1;
        return true;
    default:
        l2_access(w, &w->test->loc[search.locs], false, 0);
        return true;
    }
}

/* Everything of both that can be seen, as one key; and which pair of cache states it is. */
static GBytes *state_key(struct walk *w, unsigned *pair)
{
    const struct litmus_loc *loc = &w->test->loc[0];
    unsigned line = page_offset(loc) / IOC_LINE, dirty, cpu, l2;
    GByteArray *key = g_byte_array_new();
    struct ioc_page *p = page_of(w, loc);
    bool in = l2_line_state(w->l2, pa_of(loc), &dirty);

    cpu = !(p->valid >> line & 1) ? 0 : p->dirty >> line & 1 ? 2 : 1;
    l2 = !in ? 0 : dirty ? 2 : 1;
    *pair = cpu * 3 + l2;
    g_byte_array_append(key, (const uint8_t *)&w->s, sizeof(w->s));
    g_byte_array_append(key, (const uint8_t *)pair, sizeof(*pair));
    g_byte_array_append(key, (const uint8_t *)&w->in_l2, sizeof(w->in_l2));
    for (unsigned i = 0; i < search.locs; i++) {
        unsigned off = page_offset(&w->test->loc[i]);

        g_byte_array_append(key, &w->dram[loc->kind][off], 1);
        g_byte_array_append(key, &w->view[loc->kind][off], 1);
    }
    return g_byte_array_free_to_bytes(key);
}

static void replay(struct walk *w, unsigned node)
{
    unsigned path[64], n = 0;

    for (; node; node = g_array_index(search.nodes, struct node, node).from) {
        g_assert(n < G_N_ELEMENTS(path)); /* no note in a file, as same() */
        path[n++] = g_array_index(search.nodes, struct node, node).op;
    }
    board_open(w);
    while (n > 0) {
        operate(w, path[--n]);
    }
}

static void state_add(struct walk *w, unsigned from, unsigned op)
{
    unsigned pair;
    GBytes *key = state_key(w, &pair);
    struct node node = { from, op };

    search.seen |= 1u << pair;
    if (g_hash_table_add(search.known, key)) { /* takes the key */
        g_array_append_val(search.nodes, node);
    }
}

/* What each reader finds now, in both; the bytes of a cache cannot be seen otherwise. */
static void readers_compare(struct walk *w)
{
    for (unsigned i = 0; i < search.locs; i++) {
        operate(w, i * OPS + 7);
        operate(w, i * OPS + 9);
        operate(w, i * OPS + 1);
    }
}

static void search_line(const char *text, bool io_coherent, bool snoops)
{
    struct walk *w = &search.w;

    memset(&search, 0, sizeof(search));
    w->io_coherent = io_coherent;
    w->snoops = snoops;
    w->one_line = true;
    machine_open(w, text);
    search.locs = w->test->locs - 1;
    search.nodes = g_array_new(FALSE, FALSE, sizeof(struct node));
    search.known =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    doing = search_path;
    board_open(w);
    state_add(w, 0, 0);
    board_close(w);
    for (search.at = 0; search.at < search.nodes->len; search.at++) {
        for (search.op = 0; search.op < search.locs * OPS; search.op++) {
            replay(w, search.at);
            if (operate(w, search.op)) {
                for (unsigned k = 0; k < w->test->locs; k++) {
                    loc_compare(w, &w->test->loc[k]);
                }
                state_add(w, search.at, search.op);
                readers_compare(w);
            }
            board_close(w);
        }
    }
    machine_close(w);
}

static void search_close(void)
{
    g_array_free(search.nodes, TRUE);
    g_hash_table_destroy(search.known);
    doing = NULL;
}

static bool is_all(void)
{
    const char *words = getenv("LITMUS_CACHE");

    return words && strcmp(words, "all") == 0;
}

/* Each text on each SoC (TX2, Orin, Thor), or on one of them. */
START_TEST(every_operation_agrees_in_every_state_of_a_line)
{
    unsigned soc = (unsigned)_i % 3, text = (unsigned)(is_all() ? _i / 3 : _i);

    search_line(lines[text].text, soc > 0, soc > 1);
    ck_assert_uint_eq(search.seen, lines[text].pairs[soc]);
    search_close();
}
END_TEST

/* --- several lines ---------------------------------------------------------------------------- */

static void walks(bool io_coherent, bool snoops, bool one_line)
{
    static struct walk w;

    for (unsigned seed = 1; seed <= (is_all() ? ALL_WALKS : WALKS); seed++) {
        w = (struct walk){
            .io_coherent = io_coherent, .snoops = snoops, .one_line = one_line, .random = seed
        };
        machine_open(&w, layout);
        board_open(&w);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&w);
            for (unsigned k = 0; k < w.test->locs; k++) {
                loc_compare(&w, &w.test->loc[k]);
            }
        }
        board_close(&w);
        machine_close(&w);
    }
}

/* TX2, Orin, Thor; with an L2 that never evicts and with one that always does. */
START_TEST(every_step_agrees_with_the_model)
{
    walks(_i / 2 > 0, _i / 2 > 1, _i % 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_cache");
    TCase *tc = tcase_create("walks"), *line = tcase_create("line");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_step_agrees_with_the_model, 0, 6);
    suite_add_tcase(s, tc);
    tcase_set_timeout(line, 120);
    tcase_add_loop_test(line, every_operation_agrees_in_every_state_of_a_line, 0,
                        is_all() ? 3 * (int)G_N_ELEMENTS(lines) : (int)LINES);
    suite_add_tcase(s, line);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
