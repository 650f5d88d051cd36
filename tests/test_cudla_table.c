/* SPDX-License-Identifier: MIT */
/* The table of cudlaGetExternalExportTable(): a statistics tensor as text. */
#include <cudlaExternalEtbl.hpp>

#include "tests/cudla_board.h"

static struct board b;

/* NVIDIA's samples ask so; the text is ours (docs/dla-cudla.md). */
START_TEST(statistics_become_text)
{
    const cudlaExternalEtbl *table = NULL;
    uint64_t times[2] = { 5000, 8500 };
    cudlaTranslateCsvAttribute a;
    char text[128];

    GIVES(cudlaGetExternalExportTable(NULL, 0), InvalidParam);
    GIVES(cudlaGetExternalExportTable(&table, 1), InvalidParam);
    OK(cudlaGetExternalExportTable(&table, 0));
    GIVES(table->etiTranslateStats((cudlaDevHandle)(void *)&b, times, 1000, 0, CUDLA_GET_CSV_LENGTH,
                                   &a),
          InvalidDevice);
    board_open(&b);
    OK(table->etiTranslateStats(b.dev, times, 1000, 0, CUDLA_GET_CSV_LENGTH, &a));
    ck_assert_uint_eq(a.csvStreamLength, 41 + 22 + 1);
    a.csvStreamStats = text;
    OK(table->etiTranslateStats(b.dev, times, 1000, 0, CUDLA_GET_CSV_STATS, &a));
    ck_assert_str_eq(text, "index,begin_ns,end_ns,duration_ns,cycles\n0,5000,8500,3500,3500\n");
    GIVES(table->etiTranslateStats(b.dev, NULL, 1000, 0, CUDLA_GET_CSV_LENGTH, &a), InvalidParam);
    GIVES(table->etiTranslateStats(b.dev, times, 1000, 1, CUDLA_GET_CSV_LENGTH, &a), InvalidParam);
    GIVES(table->etiTranslateStats(b.dev, times, 1000, 0, 3, &a), InvalidParam);
    a.csvStreamStats = NULL;
    GIVES(table->etiTranslateStats(b.dev, times, 1000, 0, CUDLA_GET_CSV_STATS, &a), InvalidParam);
    times[1] = 4999;
    GIVES(table->etiTranslateStats(b.dev, times, 1000, 0, CUDLA_GET_CSV_LENGTH, &a), InvalidParam);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_table");
    TCase *t = tcase_create("cudla_table");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_test(t, statistics_become_text);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
