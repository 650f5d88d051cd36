/* SPDX-License-Identifier: MIT */
/* The rows of checker/rules/rules.def are well formed: docs/add-a-rule.md says what they have. */
#include <check.h>
#include <string.h>

#include <glib.h>

#include "checker/rules/rules.h"
#include "tests/suite.h"

/* Programs read it: small letters, digits and single hyphens. */
START_TEST(a_name_is_one_word)
{
    const char *name = check_rules[_i].name;

    ck_assert_ptr_nonnull(name);
    ck_assert_msg(*name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0',
                  "'%s'", name);
    ck_assert_msg(!strstr(name, "--") && !g_str_has_prefix(name, "-") &&
                      !g_str_has_suffix(name, "-"),
                  "'%s'", name);
}
END_TEST

START_TEST(a_rule_has_a_section)
{
    const char *section = check_rules[_i].section;

    ck_assert_msg(section && *section, "%s", check_rules[_i].name);
}
END_TEST

/* Literals of several lines easily lose a blank between two words, or get two. */
START_TEST(words_are_single_spaced)
{
    const struct check_rule *r = &check_rules[_i];
    const char *const words[] = { r->section, r->text, r->todo };

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *w = words[i];

        ck_assert_msg(!w || (*w && !strstr(w, "  ") && *w != ' ' && w[strlen(w) - 1] != ' '),
                      "%s: '%s'", r->name, w);
        ck_assert_msg(!w || !strpbrk(w, "\n\t\""), "%s: '%s'", r->name, w);
        for (const char *c = w ? strchr(w, '.') : NULL; c; c = strchr(c + 1, '.')) {
            ck_assert_msg(!g_ascii_isupper(c[1]), "%s: no blank behind a sentence: '%s'", r->name,
                          w);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rules");
    TCase *t = tcase_create("rules");

    tcase_add_loop_test(t, a_name_is_one_word, 0, CHECK_RULE_COUNT);
    tcase_add_loop_test(t, a_rule_has_a_section, 0, CHECK_RULE_COUNT);
    tcase_add_loop_test(t, words_are_single_spaced, 0, CHECK_RULE_COUNT);
    suite_add_tcase(s, t);
    return suite_main(s);
}
