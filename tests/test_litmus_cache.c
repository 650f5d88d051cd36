/* SPDX-License-Identifier: MIT */
/* litmus/cache.c says the same as model/iocoherency: random walks through both, compared after each
 * step.
 *
 * Seen after every step: the value read, each CPU line's valid and dirty, each valid CPU line's
 * bytes, DRAM, and what the L2 holds and has dirty. L2 evictions come from the model's own
 * geometry: an L2 of one line, so that each access to another line evicts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/machine.h"
#include "model/iocoherency/l2.h"

#define STEPS 400
#define WALKS 60
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
    bool one_line; /* the L2 holds one line only */
    int in_l2;     /* which, -1: none */
    uint64_t random;
};

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

static void walk_open(struct walk *w, bool io_coherent, bool snoops, bool one_line, unsigned seed)
{
    struct ioc_config ioc = { .io_coherent = io_coherent, .cpu_snoops_l2 = snoops };
    struct l2_config l2 = { .bytes = one_line ? BUS_LINE : 4096,
                            .ways = 1,
                            .evict = one_line ? IOC_EVICT_LRU : IOC_EVICT_NEVER,
                            .cpu_snoops = snoops };
    struct soc_profile profile;

    memset(w, 0, sizeof(*w));
    memset(&profile, 0, sizeof(profile));
    profile.soc.io_coherent = io_coherent;
    profile.rules.cpu_snoops_l2 = snoops;
    profile.gpu.sm_count = LITMUS_SMS;
    w->test = litmus_parse(layout, strlen(layout), "walk", NULL);
    ck_assert(w->test != NULL);
    w->m = machine_new(w->test, &profile, false, NULL);
    ck_assert(w->m != NULL);
    machine_init(w->m, &w->s);
    w->ioc = ioc_new(&ioc, &w->trace);
    w->l2 = l2_new(&l2, w->ioc, &w->trace);
    for (unsigned k = 0; k < KINDS; k++) {
        bool view =
            k == LITMUS_PINNED ? io_coherent : k != LITMUS_DEVICE; /* CUDA for Tegra, Table 1 */

        w->region[k] = ioc_region_add(w->ioc, k + 1, BASE + (uint64_t)k * IOC_PAGE, IOC_PAGE,
                                      w->dram[k], view ? w->view[k] : NULL, false);
    }
    w->one_line = one_line;
    w->in_l2 = -1;
    w->random = seed;
}

static void walk_close(struct walk *w)
{
    l2_free(w->l2);
    ioc_free(w->ioc);
    g_free(w->m);
    litmus_free(w->test);
}

static struct ioc_page *page_of(struct walk *w, const struct litmus_loc *loc)
{
    return ioc_page_find(w->ioc, pa_of(loc));
}

/* Check notes every assertion in a file; millions of them take longer than the walk. */
static void same(uint64_t a, uint64_t b)
{
    if (a != b) {
        ck_assert_uint_eq(a, b);
    }
}

/* --- one operation in both -------------------------------------------------------------------- */

static uint64_t cpu_access(struct walk *w, const struct litmus_loc *loc, bool store, uint64_t value)
{
    uint8_t *image = viewed(w, loc) ? w->view[loc->kind] : w->dram[loc->kind];

    ioc_cpu_access(w->ioc, pa_of(loc), 0, loc->size, store ? IOC_STORE : IOC_LOAD);
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
        cache_l2_evict(w->m, &w->s, (unsigned)w->in_l2);
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
        cache_l2_store(w->m, &w->s, loc->byte, loc->size, value);
    } else {
        memcpy(&read,
               l2_load(w->l2, page_of(w, loc), off - at, 1u << at / BUS_SECTOR, BUS_AGENT_IGPU) +
                   at,
               loc->size);
        same(cache_l2_load(w->m, &w->s, loc->byte, loc->size), read);
    }
}

/* Read-modify-write in the L2; a snooping CPU's memory goes through the port instead (gpu_port.c).
 */
static void l2_add(struct walk *w, const struct litmus_loc *loc)
{
    uint64_t old = 0, sum;
    uint8_t *at;

    make_room(w, loc);
    at = l2_modify(w->l2, page_of(w, loc), page_offset(loc), loc->size, BUS_AGENT_IGPU);
    memcpy(&old, at, loc->size);
    same(cache_l2_load(w->m, &w->s, loc->byte, loc->size), old);
    sum = old + 1;
    memcpy(at, &sum, loc->size);
    cache_l2_store(w->m, &w->s, loc->byte, loc->size, sum);
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
            l2_add(w, loc);
        }
        break;
    default:
        if (draw(w, 4) == 0) {
            l2_invalidate(w->l2, BUS_AGENT_DRIVER);
            cache_l2_invalidate(w->m, &w->s);
            w->in_l2 = -1;
        } else {
            l2_clean(w->l2, BUS_AGENT_DRIVER);
            cache_l2_clean(w->m, &w->s);
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
        same((w->s.l2_valid & w->m->l2_mask[w->m->l2_line[loc->byte]]) != 0, in);
    }
    same((unsigned)__builtin_popcount(w->s.l2_dirty & w->m->l2_mask[w->m->l2_line[loc->byte]]),
         dirty);
}

static void walks(bool io_coherent, bool snoops, bool one_line)
{
    static struct walk w;

    for (unsigned seed = 1; seed <= WALKS; seed++) {
        walk_open(&w, io_coherent, snoops, one_line, seed);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&w);
            for (unsigned k = 0; k < w.test->locs; k++) {
                loc_compare(&w, &w.test->loc[k]);
            }
        }
        walk_close(&w);
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
    TCase *tc = tcase_create("walks");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_step_agrees_with_the_model, 0, 6);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
