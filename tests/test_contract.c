/* SPDX-License-Identifier: MIT */
/* Who is told to be older, and that the same sources fit whenever they were committed. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "contract/contract.h"

static const struct contract_side mine = { "this runtime", "build the runtime" };
static const struct contract_side theirs = { "the plugin", "build the plugin" };

static char *refusal(uint64_t a, uint32_t a_time, uint64_t b, uint32_t b_time)
{
    return contract_refusal(&(struct contract){ a, a_time }, &mine, &(struct contract){ b, b_time },
                            &theirs);
}

START_TEST(the_same_sources_fit)
{
    ck_assert_ptr_null(refusal(7, 1, 7, 2));
    ck_assert_ptr_null(refusal(7, 0, 7, 0));
    ck_assert_ptr_null(contract_refusal(&contract_here, &mine, &contract_here, &theirs));
    ck_assert_uint_ne(contract_here.hash, 0);
}
END_TEST

/* 1763800000 and 1763803600: date -u -d @N says 2025-11-22 08:26 and 09:26. */
START_TEST(the_older_one_is_named_with_what_to_do)
{
    static const struct {
        uint64_t a;
        uint32_t a_time;
        uint64_t b;
        uint32_t b_time;
        const char *says;
    } cases[] = {
        { UINT64_C(0x1122334455667788), 1763800000, UINT64_C(0xaabbccdd00000000), 1763803600,
          "this runtime (11223344 of 2025-11-22 08:26) and the plugin (aabbccdd of 2025-11-22 "
          "09:26) are of different sources: this runtime is older; build the runtime" },
        { 1, 1763803600, 2, 1763800000, "the plugin is older; build the plugin" },
        { 1, 1763803600, 0, 0, "the plugin (without a number)" },
        { 1, 0, 0, 0, "the plugin is older; build the plugin" },
        { 0, 0, 1, 5, "this runtime is older; build the runtime" },
        { 1, 0, 2, 5, "which is older is not known: build the runtime, build the plugin" },
        { 1, 5, 2, 5, "which is older is not known: build the runtime, build the plugin" },
        { 0, 0, 0, 0, "which is older is not known" },
    };
    char *text = refusal(cases[_i].a, cases[_i].a_time, cases[_i].b, cases[_i].b_time);

    ck_assert_ptr_nonnull(text);
    ck_assert_msg(strstr(text, cases[_i].says) != NULL, "%s", text);
    ck_assert_uint_lt(strlen(text), 208); /* a board in another process has room for so much */
    g_free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contract");
    TCase *tcase = tcase_create("contract");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, the_same_sources_fit);
    tcase_add_loop_test(tcase, the_older_one_is_named_with_what_to_do, 0, 8);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
