/* SPDX-License-Identifier: MIT */
/* Two GPUs in litmus tests: who reaches what, and random walks of litmus/cache.c beside
 * model/iocoherency with an L2 for each GPU, compared after each step. The cells are typed from
 * CUDA for Tegra, Table 1 and 3.6, and from nvscibuf.h (EnableGpuCache). */
#include <check.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/machine.h"
#include "model/iocoherency/l2.h"
#include "profiles/profile.h"

#define BASE UINT64_C(0x80000000)
#define WALKS 40
#define STEPS 400

enum { NO, UNCACHED, CACHED };

static const struct {
    const char *kind;
    int integrated, discrete;
} cells[] = {
    { "device", CACHED, NO },           { "vidmem", NO, CACHED }, { "pinned", UNCACHED, UNCACHED },
    { "managed", CACHED, NO },          { "pageable", NO, NO },   { "interop", CACHED, UNCACHED },
    { "interop_dgpu", CACHED, CACHED },
};

static struct litmus_test *parsed(const char *text)
{
    GError *error = NULL;
    struct litmus_test *test = litmus_parse(text, strlen(text), "test", &error);

    ck_assert_msg(test != NULL, "%s", error ? error->message : "");
    return test;
}

static int reach(const struct litmus_machine *m, enum litmus_gpu gpu)
{
    return m->closed[gpu] & 1 ? NO : m->cached[gpu] & 1 ? CACHED : UNCACHED;
}

START_TEST(each_gpu_caches_what_the_third_column_says)
{
    static const char *const socs[] = { "drive-px2", "drive-pegasus" };

    for (size_t s = 0; s < G_N_ELEMENTS(socs); s++) {
        struct soc_profile *profile = profile_load(socs[s], NULL);
        char *text =
            g_strdup_printf("tegra cell { %s u8 x; } CPU0 ; exists (true)", cells[_i].kind);
        struct litmus_test *test = parsed(text);
        struct litmus_machine *m = litmus_machine_new(test, profile, true, NULL);

        ck_assert_int_eq(reach(m, LITMUS_GPU_INTEGRATED), cells[_i].integrated);
        ck_assert_int_eq(reach(m, LITMUS_GPU_DISCRETE), cells[_i].discrete);
        g_free(m);
        litmus_free(test);
        g_free(text);
        profile_free(profile);
    }
}
END_TEST

/* --- what a file may say ---------------------------------------------------------------------- */

START_TEST(a_soc_without_a_discrete_gpu_has_no_such_agent)
{
    struct soc_profile *profile = profile_load("orin", NULL);
    struct litmus_test *test =
        parsed("tegra t { pinned x; }\n dGPU0 ;\n ld.weak r0,[x] ;\nexists (dGPU0:r0=0)");
    GError *error = NULL;

    ck_assert_ptr_null(litmus_machine_new(test, profile, true, &error));
    ck_assert_str_eq(error->message, "test:2:2: orin has no discrete GPU beside the integrated one "
                                     "(profile, [dgpu])");
    g_error_free(error);
    litmus_free(test);
    profile_free(profile);
}
END_TEST

START_TEST(operations_are_those_of_the_agents_own_gpu)
{
    struct soc_profile *profile = profile_load("drive-px2", NULL);
    struct litmus_test *test =
        parsed("tegra t { pinned x; }\n dGPU0 ;\n ld.acquire.sys r0,[x] ;\nexists (dGPU0:r0=0)");
    GError *error = NULL;

    ck_assert_ptr_null(litmus_machine_new(test, profile, true, &error));
    ck_assert_msg(strstr(error->message, "has a dGPU of sm_61: ") != NULL, "%s", error->message);
    g_error_free(error);
    litmus_free(test);
    profile_free(profile);
}
END_TEST

static void refused(const char *text, const char *why)
{
    GError *error = NULL;

    ck_assert_ptr_null(litmus_parse(text, strlen(text), "test", &error));
    ck_assert_msg(strstr(error->message, why) != NULL, "%s", error->message);
    g_error_free(error);
}

START_TEST(both_gpus_share_the_places_for_sms)
{
    struct litmus_test *test = parsed("tegra t { device x; } iGPU0@sm1 | dGPU0@sm0 | dGPU1@sm1 ; "
                                      "exists (true)");

    ck_assert_uint_ne(test->thread[0].sm, test->thread[2].sm);
    litmus_free(test);
    refused("tegra t { device x; } iGPU0@sm3 | dGPU0@sm0 ; exists (true)",
            "both GPUs together have 4 SMs");
    refused("tegra t { device x; } dGPU0@sm0 | dGPU1@sm1 | iGPU0@sm2 ; exists (true)",
            "both GPUs together have 4 SMs");
    refused("tegra t { device x; } CPU0 ; dl2 wash ; exists (true)", "clean, invalidate or flush");
}
END_TEST

/* --- beside the model ------------------------------------------------------------------------- */

#define LOCS G_N_ELEMENTS(cells)

struct walk {
    struct litmus_test *test;
    struct litmus_machine *m;
    struct litmus_state s;
    struct trace trace;
    struct ioc *ioc;
    struct l2 *l2[LITMUS_GPUS];
    struct ioc_region *region[LOCS];
    uint8_t dram[LOCS][IOC_PAGE], view[LOCS][IOC_PAGE];
    uint64_t random;
};

static const uint32_t agents[] = { BUS_AGENT_IGPU, BUS_AGENT_DGPU };

static unsigned draw(struct walk *w, unsigned n)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->random >> 33) % n;
}

static uint64_t pa_of(const struct litmus_loc *loc, unsigned n)
{
    return BASE + (uint64_t)n * IOC_PAGE + loc->line * BUS_LINE + loc->offset;
}

static void walk_open(struct walk *w, const char *soc, uint64_t seed)
{
    static const char text[] =
        "tegra walk { device a; vidmem b; pinned c; managed d; pageable e; interop u16 f; "
        "interop_dgpu u16 g; } dGPU0 | iGPU0 ; exists (true)";
    struct soc_profile *profile = profile_load(soc, NULL);
    struct ioc_config ioc = { .snoops = profile->soc.io_coherent ? UINT_MAX : 0 };
    struct l2_config l2 = { .bytes = 4096, .ways = 1, .evict = EVICT_NEVER };

    memset(w, 0, sizeof(*w));
    w->random = seed;
    w->test = parsed(text);
    w->m = litmus_machine_new(w->test, profile, false, NULL);
    machine_init(w->m, &w->s);
    w->ioc = ioc_new(&ioc, &w->trace);
    for (unsigned gpu = 0; gpu < LITMUS_GPUS; gpu++) {
        w->l2[gpu] = l2_new(&l2, w->ioc, &w->trace);
    }
    for (unsigned n = 0; n < LOCS; n++) {
        bool viewed = w->m->view >> w->test->loc[n].byte & 1;

        w->region[n] = ioc_region_add(w->ioc, n + 1, BASE + (uint64_t)n * IOC_PAGE, IOC_PAGE,
                                      w->dram[n], viewed ? w->view[n] : NULL, false);
    }
    profile_free(profile);
}

static void walk_close(struct walk *w)
{
    for (unsigned gpu = 0; gpu < LITMUS_GPUS; gpu++) {
        l2_free(w->l2[gpu]);
    }
    ioc_free(w->ioc);
    g_free(w->m);
    litmus_free(w->test);
}

static void cpu_access(struct walk *w, unsigned n, bool store, uint64_t value)
{
    const struct litmus_loc *loc = &w->test->loc[n];
    bool viewed = w->m->view >> loc->byte & 1;
    uint8_t *image = (viewed ? w->view[n] : w->dram[n]) + pa_of(loc, n) % IOC_PAGE;
    uint64_t read = 0;

    ioc_cpu_access(w->ioc, pa_of(loc, n), 0, loc->size, store ? ACCESS_STORE : ACCESS_LOAD);
    if (store) {
        memcpy(image, &value, loc->size);
        cache_cpu_store(w->m, &w->s, loc->byte, loc->size, value);
    } else {
        memcpy(&read, image, loc->size);
        ck_assert_uint_eq(cache_cpu_load(w->m, &w->s, loc->byte, loc->size), read);
    }
}

static void cpu_maintain(struct walk *w, unsigned n, bool invalidate)
{
    const struct litmus_loc *loc = &w->test->loc[n];

    if (!(w->m->view >> loc->byte & 1)) {
        return;
    }
    if (invalidate) {
        ioc_cpu_clean_invalidate(w->ioc, pa_of(loc, n), 1);
    } else {
        ioc_cpu_clean(w->ioc, pa_of(loc, n), 1);
    }
    cache_cpu_maintain(w->m, &w->s, w->m->cpu_line[loc->byte],
                       invalidate ? LITMUS_CIVAC : LITMUS_CVAC);
}

static void port_access(struct walk *w, enum litmus_gpu gpu, unsigned n, bool store, uint64_t value)
{
    const struct litmus_loc *loc = &w->test->loc[n];
    struct ioc_page *page = ioc_page_find(w->ioc, pa_of(loc, n));
    unsigned off = pa_of(loc, n) % IOC_PAGE;
    uint8_t data[LITMUS_BYTES] = { 0 };
    uint64_t read = 0;

    if (store) {
        ioc_port_write(w->ioc, page, off, (const uint8_t *)&value, loc->size, NULL, agents[gpu]);
        bytes_set(data, loc->byte, loc->size, value);
        cache_port_store(w->m, &w->s, data, bytes_mask(loc->byte, loc->size));
    } else {
        ioc_port_read(w->ioc, page, off, &read, loc->size, agents[gpu]);
        ck_assert_uint_eq(cache_port_load(w->m, &w->s, loc->byte, loc->size), read);
    }
}

static void l2_access(struct walk *w, enum litmus_gpu gpu, unsigned n, bool store, uint64_t value)
{
    const struct litmus_loc *loc = &w->test->loc[n];
    struct ioc_page *page = ioc_page_find(w->ioc, pa_of(loc, n));
    unsigned off = pa_of(loc, n) % IOC_PAGE, at = off % BUS_LINE;
    struct bus_mask mask = bus_mask_range(at, loc->size);
    uint8_t line[BUS_LINE] = { 0 };
    uint64_t read = 0;

    if (store) {
        memcpy(line + at, &value, loc->size);
        l2_store(w->l2[gpu], page, off - at, line, &mask, agents[gpu]);
        cache_l2_store(w->m, &w->s, gpu, loc->byte, loc->size, value);
    } else {
        memcpy(&read, l2_load(w->l2[gpu], page, off - at, 1u << at / BUS_SECTOR, agents[gpu]) + at,
               loc->size);
        ck_assert_uint_eq(cache_l2_load(w->m, &w->s, gpu, loc->byte, loc->size), read);
    }
}

/* A GPU's access, by the way that Table 1 gives it. */
static void gpu_access(struct walk *w, unsigned n, bool store, uint64_t value)
{
    enum litmus_gpu gpu = draw(w, LITMUS_GPUS);

    switch (gpu ? cells[n].discrete : cells[n].integrated) {
    case CACHED:
        l2_access(w, gpu, n, store, value);
        break;
    case UNCACHED:
        port_access(w, gpu, n, store, value);
        break;
    default:
        break;
    }
}

static void l2_maintain(struct walk *w)
{
    enum litmus_gpu gpu = draw(w, LITMUS_GPUS);

    if (draw(w, 3)) {
        l2_clean(w->l2[gpu], BUS_AGENT_DRIVER);
        cache_l2_clean(w->m, &w->s, gpu);
    } else {
        l2_invalidate(w->l2[gpu], BUS_AGENT_DRIVER);
        cache_l2_invalidate(&w->s, gpu);
    }
}

static void step(struct walk *w)
{
    unsigned n = draw(w, LOCS), what = draw(w, 12);
    uint64_t value = draw(w, 200) + 1;

    if (what < 3) {
        cpu_access(w, n, what == 0, value);
    } else if (what < 5) {
        cpu_maintain(w, n, what == 3);
    } else if (what < 11) {
        gpu_access(w, n, what < 8, value);
    } else {
        l2_maintain(w);
    }
}

static void compare(struct walk *w)
{
    for (unsigned n = 0; n < LOCS; n++) {
        const struct litmus_loc *loc = &w->test->loc[n];
        uint32_t line = w->m->l2_mask[w->m->l2_line[loc->byte]];

        ck_assert_int_eq(
            memcmp(&w->s.dram[loc->byte], &w->dram[n][pa_of(loc, n) % IOC_PAGE], loc->size), 0);
        for (unsigned gpu = 0; gpu < LITMUS_GPUS; gpu++) {
            unsigned dirty;
            bool in = l2_line_state(w->l2[gpu], pa_of(loc, n), &dirty);

            ck_assert_int_eq((w->s.l2_valid[gpu] & line) != 0, in);
            ck_assert_uint_eq((unsigned)__builtin_popcount(w->s.l2_dirty[gpu] & line), dirty);
        }
    }
}

START_TEST(two_l2s_agree_with_the_model)
{
    static struct walk w;

    for (uint64_t seed = 1; seed <= WALKS; seed++) {
        walk_open(&w, _i ? "drive-pegasus" : "drive-px2", seed);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&w);
            compare(&w);
        }
        walk_close(&w);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_gpus");
    TCase *tc = tcase_create("gpus");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_gpu_caches_what_the_third_column_says, 0, (int)LOCS);
    tcase_add_test(tc, a_soc_without_a_discrete_gpu_has_no_such_agent);
    tcase_add_test(tc, operations_are_those_of_the_agents_own_gpu);
    tcase_add_test(tc, both_gpus_share_the_places_for_sms);
    tcase_add_loop_test(tc, two_l2s_agree_with_the_model, 0, 2);
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
