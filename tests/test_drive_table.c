/* SPDX-License-Identifier: MIT */
/* Table 1 of CUDA for Tegra with its three columns, and 3.6, on the boards with two GPUs. Typed by
 * hand from edition 11.8 (DRIVE's; 13.4's Table 1 for registered memory):
 *
 *   Device memory          Not directly accessible          Cached                   Cached
 *   Pageable host memory   Cached                           Not directly accessible  Not directly
 *                                                                                    accessible
 *   Pinned host memory     Uncached below compute           Uncached                 Uncached
 *                          capability 7.2, else cached
 *   Unified memory         Cached                           Cached                   Not supported
 *   Registered memory      Cached                           Uncached                 Uncached */
#include <check.h>
#include <stdlib.h>

#include "model/rules/features.h"
#include "model/rules/kinds.h"
#include "profiles/profile.h"

#define NO RULES_NO_ACCESS
#define UN RULES_UNCACHED
#define CA RULES_CACHED

static const char *const boards[] = { "drive-px2", "drive-pegasus" };

static const struct {
    enum rules_kind kind;
    enum rules_caching cpu[2]; /* by board */
    enum rules_caching igpu, dgpu;
} rows[] = {
    { RULES_DEVICE, { NO, NO }, CA, CA },     { RULES_PAGEABLE, { CA, CA }, NO, NO },
    { RULES_PINNED, { UN, CA }, UN, UN },     { RULES_MANAGED, { CA, CA }, CA, NO },
    { RULES_REGISTERED, { CA, CA }, UN, UN },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What each GPU's driver reads: the board's own facts, and those of the discrete GPU. */
static void facts_of(const char *soc, struct rules_facts facts[2])
{
    struct soc_profile *p = profile_load(soc, NULL), second;

    ck_assert_msg(p != NULL, "%s", soc);
    ck_assert_uint_eq(soc_profile_gpus(p), 2);
    second = soc_profile_gpu(p, 1);
    facts[0] = rules_facts_of(p);
    facts[1] = rules_facts_of(&second);
    profile_free(p);
}

START_TEST(the_three_columns_are_those_of_the_note)
{
    struct rules_facts facts[2];

    facts_of(boards[_i], facts);
    ck_assert_int_eq(rules_gpu_side(&facts[0]), RULES_IGPU);
    ck_assert_int_eq(rules_gpu_side(&facts[1]), RULES_DGPU);
    for (size_t r = 0; r < ROWS; r++) {
        for (int f = 0; f < 2; f++) {
            ck_assert_int_eq(rules_caching(&facts[f], rows[r].kind, RULES_CPU), rows[r].cpu[_i]);
        }
        ck_assert_int_eq(rules_caching(&facts[0], rows[r].kind, RULES_IGPU), rows[r].igpu);
        ck_assert_int_eq(rules_caching(&facts[1], rows[r].kind, RULES_DGPU), rows[r].dgpu);
    }
}
END_TEST

/* 3.6, by board and GPU; "Linux" where the text distinguishes systems. Host registration and system
 * atomics: of compute capability 7.2 of the SoC, and of the GPU. Events: "L4T and embedded Linux
 * Tegra devices with compute capability 7.x and higher", since 11.5. */
static const struct {
    enum rules_feature feature;
    bool there[2][2]; /* [board][0: integrated, 1: discrete] */
} features[] = {
    { RULES_FEATURE_HOST_REGISTER, { { false, false }, { true, true } } },
    { RULES_FEATURE_MANAGED_DGPU, { { false, false }, { false, false } } },
    { RULES_FEATURE_PREFETCH, { { false, false }, { false, false } } },
    { RULES_FEATURE_NVML, { { false, false }, { false, false } } },
    { RULES_FEATURE_MEMORY_IPC, { { false, false }, { false, false } } },
    { RULES_FEATURE_MPS, { { false, false }, { false, false } } },
    { RULES_FEATURE_P2P, { { false, false }, { false, false } } },
    { RULES_FEATURE_NVGRAPH, { { false, false }, { false, false } } },
    { RULES_FEATURE_SAFE_JIT, { { false, false }, { false, false } } },
};

START_TEST(what_tegra_does_not_support_neither_gpu_has)
{
    struct rules_facts facts[2];

    facts_of(boards[_i], facts);
    for (size_t r = 0; r < sizeof(features) / sizeof(features[0]); r++) {
        for (int gpu = 0; gpu < 2; gpu++) {
            ck_assert_msg(rules_support(&facts[gpu], features[r].feature)->there ==
                              features[r].there[_i][gpu],
                          "%s, GPU %d: %s", boards[_i], gpu,
                          rules_feature_title(features[r].feature));
        }
    }
    ck_assert_int_eq(rules_support(&facts[0], RULES_FEATURE_SYSTEM_ATOMICS)->there, _i == 1);
    ck_assert_int_eq(rules_support(&facts[0], RULES_FEATURE_EVENT_IPC)->there, _i == 1);
    ck_assert(!rules_support(&facts[1], RULES_FEATURE_CUDLA)->there);
}
END_TEST

/* 3.6: "not supported on QNX systems", "only on Tegra devices running L4T or embedded-linux", "not
 * supported on Tegra systems running QNX". */
START_TEST(qnx_lacks_what_the_note_says)
{
    static const enum rules_feature missing[] = { RULES_FEATURE_HOST_REGISTER, RULES_FEATURE_RDMA,
                                                  RULES_FEATURE_CUSOLVER };
    struct rules_facts facts[2];

    facts_of(boards[_i], facts);
    for (size_t r = 0; r < sizeof(missing) / sizeof(missing[0]); r++) {
        for (int gpu = 0; gpu < 2; gpu++) {
            facts[gpu].os = RULES_QNX;
            ck_assert(!rules_support(&facts[gpu], missing[r])->there);
        }
    }
}
END_TEST

static Suite *drive_table_suite(void)
{
    Suite *suite = suite_create("drive_table");
    TCase *t = tcase_create("drive_table");

    tcase_add_loop_test(t, the_three_columns_are_those_of_the_note, 0, 2);
    tcase_add_loop_test(t, what_tegra_does_not_support_neither_gpu_has, 0, 2);
    tcase_add_loop_test(t, qnx_lacks_what_the_note_says, 0, 2);
    suite_add_tcase(suite, t);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(drive_table_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
