/* SPDX-License-Identifier: MIT */
/* Profile x edition x system over Table 1 and the list of section 3.6 (13.4: 4.7), typed by hand
 * from the editions of CUDA for Tegra: 10.2, 11.4, 11.8 from their own text; 12.6 from what 11.8
 * and 13.4 agree on and from the versions that 13.4 dates (MPS "from 12.5"); 13.4 from its text
 * and, where that lost a cell, 13.2. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "model/rules/features.h"
#include "profiles/profile.h"

/* Words for the features, in the order of the list. */
static const char *const words[] = {
    "host-register", "system-atomics", "managed-dgpu", "prefetch",      "nvml",
    "event-ipc",     "memory-ipc",     "shareable",    "rdma",          "mps",
    "p2p",           "cusolver",       "nvgraph",      "cub",           "safe-jit",
    "platform-sync", "cudla",          "cudla-noop",   "cudla-signals", "cudla-modules",
    "upgrade",       "tracker",        "engine-mode",
};

/* Table 1: five words for device, pageable, pinned, registered, managed memory; in each the CPU,
 * the iGPU, an attached dGPU. N not accessible, U uncached, C cached. */
#define OLD "NCC CNN UUU CUU CCN" /* cc < 7.2 */
#define NEW "NCC CNN CUU CUU CCN" /* I/O coherent */

#define PC                                                                                    \
    "host-register system-atomics managed-dgpu prefetch nvml event-ipc memory-ipc shareable " \
    "mps cusolver cub"

static const struct row {
    const char *edition, *os, *socs, *table1, *there;
} rows[] = {
    { "10.2", "linux", "nano tx2 drive-px2", OLD, "cusolver cub platform-sync" },
    { "10.2", "android", "nano", OLD, "cusolver cub platform-sync" },
    { "10.2", "qnx", "tx2 drive-px2", OLD, "cub platform-sync" },
    { "10.2", "linux", "xavier xavier-nx drive-pegasus", NEW,
      "host-register system-atomics cusolver cub platform-sync" },
    { "10.2", "qnx", "xavier drive-pegasus", NEW, "system-atomics cub platform-sync" },

    { "10.2", "embedded-linux", "xavier drive-pegasus", NEW,
      "host-register system-atomics cusolver cub platform-sync" },

    { "11.4", "linux", "xavier xavier-nx drive-pegasus orin orin-nx orin-nano", NEW,
      "host-register system-atomics cusolver cub platform-sync cudla cudla-noop cudla-signals" },
    { "11.4", "qnx", "xavier drive-pegasus orin", NEW,
      "system-atomics cub platform-sync cudla cudla-noop cudla-signals" },

    { "11.4", "embedded-linux", "xavier drive-pegasus orin", NEW,
      "host-register system-atomics cusolver cub platform-sync cudla cudla-noop cudla-signals" },

    { "11.8", "linux", "xavier xavier-nx drive-pegasus orin orin-nx orin-nano", NEW,
      "host-register system-atomics event-ipc shareable rdma cusolver cub platform-sync cudla "
      "upgrade" },
    { "11.8", "qnx", "xavier drive-pegasus orin", NEW,
      "system-atomics shareable cub platform-sync cudla" },

    { "11.8", "embedded-linux", "xavier drive-pegasus orin", NEW,
      "host-register system-atomics event-ipc shareable rdma cusolver cub platform-sync cudla" },

    { "12.6", "linux", "orin orin-nx orin-nano", NEW,
      "host-register system-atomics event-ipc shareable rdma mps cusolver cub platform-sync cudla "
      "cudla-noop cudla-signals upgrade" },
    { "12.6", "qnx", "orin", NEW,
      "system-atomics shareable cub platform-sync cudla cudla-noop cudla-signals" },

    { "12.6", "embedded-linux", "orin", NEW, /* RDMA: 11.8 has it, 13.4 not */
      "host-register system-atomics event-ipc shareable mps cusolver cub platform-sync cudla "
      "cudla-noop cudla-signals" },

    { "13.4", "linux", "orin orin-nx orin-nano", NEW,
      "host-register system-atomics event-ipc shareable rdma mps cusolver cub platform-sync cudla "
      "cudla-noop cudla-signals cudla-modules upgrade tracker engine-mode" },
    { "13.4", "qnx", "orin", NEW,
      "system-atomics shareable mps cub platform-sync cudla cudla-noop cudla-signals "
      "cudla-modules engine-mode" },
    /* pageableMemoryAccess and concurrentManagedAccess are 1 on L4T (4.1): pageable memory cached
     * by the iGPU, uncached by a dGPU; registered cached (3.2, the NUMA node matches); managed
     * uncached (4.1). */
    { "13.4", "linux", "thor", "NCC CCU CUU CCU CUN",
      "host-register system-atomics prefetch nvml event-ipc memory-ipc shareable rdma mps cusolver "
      "cub platform-sync cudla cudla-noop cudla-signals cudla-modules upgrade tracker "
      "engine-mode" },
    { "13.4", "qnx", "thor", NEW,
      "system-atomics shareable mps cub platform-sync cudla cudla-noop cudla-signals "
      "cudla-modules engine-mode" },
    /* 4.1, 4.7: what L4T alone has is not in embedded Linux: pageable and managed memory of Thor,
     * NVML, IPC of memory, RDMA, the upgrade packages and the instrumented driver. */
    { "13.4", "embedded-linux", "orin thor", NEW,
      "host-register system-atomics event-ipc shareable mps cusolver cub platform-sync cudla "
      "cudla-noop cudla-signals cudla-modules engine-mode" },
    /* A PC, of which no edition speaks: the CUDA C++ Programming Guide. Of the iGPU's column
     * nothing is used; managed memory migrates, pinned and registered memory is across PCIe. */
    { "10.2", "linux", "desktop", "NCC CNN CUU CUU CCU", PC " nvgraph" },
    { "11.4", "linux", "desktop", "NCC CNN CUU CUU CCU", PC },
    { "11.8", "linux", "desktop", "NCC CNN CUU CUU CCU", PC },
    { "12.6", "linux", "desktop", "NCC CNN CUU CUU CCU", PC },
    { "13.4", "linux", "desktop", "NCC CNN CUU CUU CUU", PC },
};

static struct rules_facts facts_of(const char *soc, const char *edition, const char *os)
{
    GError *error = NULL;
    struct soc_profile *p = profile_load(soc, &error);
    struct rules_facts facts;

    ck_assert_msg(p != NULL, "%s", error ? error->message : "");
    ck_assert_msg(profile_edition_set(p, edition, &error), "%s", error ? error->message : "");
    profile_system_set(p, os);
    facts = rules_facts_of(p);
    facts.os = rules_os_find(os);
    profile_free(p);
    return facts;
}

static gboolean has_word(const char *list, const char *word)
{
    char **each = g_strsplit(list, " ", -1);
    gboolean has = g_strv_contains((const char *const *)each, word);

    g_strfreev(each);
    return has;
}

START_TEST(features_are_those_of_the_edition)
{
    const struct row *r = &rows[_i];
    char **socs = g_strsplit(r->socs, " ", -1);

    ck_assert_uint_eq(G_N_ELEMENTS(words), RULES_FEATURE_COUNT);
    for (char **soc = socs; *soc; soc++) {
        struct rules_facts facts = facts_of(*soc, r->edition, r->os);

        for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
            ck_assert_msg(rules_support(&facts, f)->there == has_word(r->there, words[f]),
                          "%s %s %s: %s", *soc, r->edition, r->os, words[f]);
        }
    }
    g_strfreev(socs);
}
END_TEST

START_TEST(table_1_is_that_of_the_edition)
{
    static const enum rules_kind kinds[] = { RULES_DEVICE, RULES_PAGEABLE, RULES_PINNED,
                                             RULES_REGISTERED, RULES_MANAGED };
    const struct row *r = &rows[_i];
    char **socs = g_strsplit(r->socs, " ", -1);

    for (char **soc = socs; *soc; soc++) {
        struct rules_facts facts = facts_of(*soc, r->edition, r->os);
        GString *got = g_string_new(NULL);

        for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
            g_string_append(got, k ? " " : "");
            for (enum rules_side side = 0; side < RULES_SIDE_COUNT; side++) {
                g_string_append_c(got, "NUC"[rules_caching(&facts, kinds[k], side)]);
            }
        }
        ck_assert_msg(strcmp(got->str, r->table1) == 0, "%s %s %s: %s, the note has %s", *soc,
                      r->edition, r->os, got->str, r->table1);
        g_string_free(got, TRUE);
    }
    g_strfreev(socs);
}
END_TEST

static unsigned rows_of(const char *soc, const char *edition, const char *os)
{
    unsigned n = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        n += strcmp(rows[i].edition, edition) == 0 && strcmp(rows[i].os, os) == 0 &&
             has_word(rows[i].socs, soc);
    }
    return n;
}

START_TEST(each_soc_edition_and_system_has_one_row)
{
    char **socs = profile_list(NULL);

    ck_assert_uint_ge(g_strv_length(socs), 8);
    for (char **soc = socs; *soc; soc++) {
        struct soc_profile *p = profile_load(*soc, NULL);
        char **editions = g_strsplit(p->soc.editions, ",", -1);
        char **systems = g_strsplit(p->soc.os, ",", -1);

        for (char **e = editions; *e; e++) {
            for (char **os = systems; *os; os++) {
                ck_assert_msg(rows_of(*soc, *e, *os) == 1, "%s %s %s", *soc, *e, *os);
            }
        }
        g_strfreev(systems);
        g_strfreev(editions);
        profile_free(p);
    }
    g_strfreev(socs);
}
END_TEST

/* Default: the newest that the SoC has had. JetPack 4 ends with CUDA 10.2, JetPack 5 with CUDA 11
 * editions, JetPack 7 has Orin and Thor (13.4, 8.2.1). */
START_TEST(the_newest_edition_is_in_force)
{
    static const char *const newest[][2] = {
        { "nano", "10.2" },      { "tx2", "10.2" },  { "xavier", "11.8" },
        { "xavier-nx", "11.8" }, { "orin", "13.4" }, { "orin-nano", "13.4" },
        { "orin-nx", "13.4" },   { "thor", "13.4" }, { "desktop", "13.4" },
    };
    struct soc_profile *p = profile_load(newest[_i][0], NULL);

    ck_assert_str_eq(p->soc.edition, newest[_i][1]);
    profile_free(p);
}
END_TEST

START_TEST(an_edition_that_is_not_there_is_named_with_those_that_are)
{
    struct soc_profile *p = profile_load("thor", NULL);
    GError *error = NULL;

    ck_assert(!profile_edition_set(p, "12.7", &error));
    ck_assert_int_eq(error->code, PROFILE_ERROR_EDITION);
    ck_assert_ptr_nonnull(strstr(error->message, "known: 10.2, 11.4, 11.8, 12.6, 13.4"));
    g_clear_error(&error);
    ck_assert(!profile_edition_set(p, "11.4", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "thor never had edition 11.4"));
    ck_assert_ptr_nonnull(strstr(error->message, "it has had 13.4"));
    g_clear_error(&error);
    ck_assert_str_eq(p->soc.edition, "13.4");
    profile_free(p);
}
END_TEST

START_TEST(the_environment_chooses_the_edition)
{
    GError *error = NULL;
    struct soc_profile *p;

    g_setenv("VTEGRA_EDITION", "11.8", TRUE);
    p = profile_load("orin", &error);
    ck_assert_str_eq(p->soc.edition, "11.8");
    profile_free(p);
    ck_assert_ptr_null(profile_load("nano", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "nano never had edition 11.8"));
    g_clear_error(&error);
    g_unsetenv("VTEGRA_EDITION");
}
END_TEST

/* 3.2: the NUMA node of the first page must be the GPU's, else the L2 does not cache it. */
START_TEST(registered_memory_of_another_node_is_uncached)
{
    struct soc_profile *p = profile_load("thor", NULL);
    struct rules_facts facts = rules_facts_of(p);

    ck_assert_int_eq(rules_caching(&facts, RULES_REGISTERED, RULES_IGPU), RULES_CACHED);
    p->gpu.host_numa_node = 1;
    facts = rules_facts_of(p);
    ck_assert_int_eq(rules_caching(&facts, RULES_REGISTERED, RULES_IGPU), RULES_UNCACHED);
    profile_free(p);
}
END_TEST

START_TEST(what_no_text_says_is_no_document)
{
    struct rules_facts orin = facts_of("orin", "12.6", "linux");
    struct rules_facts later = orin;
    const struct rules_support *mps = rules_support(&orin, RULES_FEATURE_MPS);

    ck_assert_int_eq(rules_standing_in(&orin, mps->standing), RULES_INTERPOLATED);
    orin.edition = RULES_EDITION_13_4;
    ck_assert_int_eq(rules_standing_in(&orin, mps->standing), RULES_DOCUMENTED);
    /* A device with concurrent managed access under 12.x: 11.8 and 13.4 differ. */
    later.concurrent_managed = later.pageable_access = later.full_coherent = true;
    ck_assert_int_eq(rules_cell(&later, RULES_MANAGED, RULES_IGPU)->standing, RULES_UNKNOWN);
    ck_assert_int_eq(rules_cell(&later, RULES_PAGEABLE, RULES_IGPU)->standing, RULES_UNKNOWN);
    ck_assert_int_eq(rules_cell(&later, RULES_REGISTERED, RULES_IGPU)->standing, RULES_UNKNOWN);
    ck_assert_int_eq(rules_support(&later, RULES_FEATURE_PREFETCH)->standing, RULES_UNKNOWN);
    /* 13.4 lost the cell of managed memory on a dGPU. */
    ck_assert_int_eq(rules_cell(&orin, RULES_MANAGED, RULES_DGPU)->standing, RULES_UNKNOWN);
}
END_TEST

START_TEST(every_answer_is_there_with_its_source)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        for (unsigned os = 0; os < RULES_OS_COUNT; os++) {
            struct rules_facts facts = {
                .edition = (enum rules_edition)_i,
                .os = os,
                .cc = bits & 16  ? 110
                      : bits & 1 ? 87
                                 : 62,
                .io_coherent = bits & 1,
                .full_coherent = bits & 2,
                .concurrent_managed = bits & 4,
                .pageable_access = bits & 8,
            };

            for (unsigned f = 0; f < RULES_FEATURE_COUNT; f++) {
                ck_assert_ptr_nonnull(rules_support(&facts, f));
                ck_assert(*rules_support(&facts, f)->source);
            }
        }
    }
}
END_TEST

START_TEST(entry_points_have_their_feature)
{
    ck_assert_int_eq(rules_feature_of("cuIpcOpenMemHandle_v2"), RULES_FEATURE_MEMORY_IPC);
    ck_assert_int_eq(rules_feature_of("cuIpcGetEventHandle"), RULES_FEATURE_EVENT_IPC);
    ck_assert_int_eq(rules_feature_of("cuMemHostRegister"), RULES_FEATURE_HOST_REGISTER);
    ck_assert_int_eq(rules_feature_of("cuMemHostRegisterX"), RULES_FEATURE_COUNT);
    ck_assert_int_eq(rules_feature_of("cuMemAlloc"), RULES_FEATURE_COUNT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("editions");
    TCase *t = tcase_create("editions");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, features_are_those_of_the_edition, 0, G_N_ELEMENTS(rows));
    tcase_add_loop_test(t, table_1_is_that_of_the_edition, 0, G_N_ELEMENTS(rows));
    tcase_add_test(t, each_soc_edition_and_system_has_one_row);
    tcase_add_loop_test(t, the_newest_edition_is_in_force, 0, 8);
    tcase_add_test(t, an_edition_that_is_not_there_is_named_with_those_that_are);
    tcase_add_test(t, the_environment_chooses_the_edition);
    tcase_add_test(t, registered_memory_of_another_node_is_uncached);
    tcase_add_test(t, what_no_text_says_is_no_document);
    tcase_add_loop_test(t, every_answer_is_there_with_its_source, 0, RULES_EDITION_COUNT);
    tcase_add_test(t, entry_points_have_their_feature);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
