/* SPDX-License-Identifier: MIT */
/* A command as a line: what the shell makes of it are the words again. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "runtime/observe/shell.h"
#include "tests/suite.h"

static const char *const words[] = {
    "./app", "a b", "",    "it's", "$HOME", "`id`", "a\\b",     "a;b",      "a&b",
    "a|b",   "*",   "?",   "[a]",  "{a,b}", "~",    "#a",       "a\nb",     "a\tb",
    "!x",    "a>b", "a<b", "(a)",  "\"a\"", "a=b",  "\xc3\xa4", "--seed=7", "a.b:c,d@e%f^g+h",
};

START_TEST(the_shell_reads_the_words_back)
{
    const char *line_of[] = { "printf", "%s\\n", words[_i], "end", NULL };
    g_autofree char *line = shell_line(line_of), *out = NULL;
    g_autofree char *wanted = g_strdup_printf("%s\nend\n", words[_i]);
    char *argv[] = { "/bin/sh", "-c", line, NULL };

    ck_assert(g_spawn_sync("/", argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL, NULL));
    ck_assert_str_eq(out, wanted);
}
END_TEST

/* A line to read and copy: words that need no quotes have none. */
START_TEST(words_that_the_shell_leaves_alone_stay)
{
    static const char *const plain[] = { "vtegra", "run", "--seed", "7", "./a-b_c", "x=1,2", NULL };
    g_autofree char *line = shell_line(plain);

    ck_assert_str_eq(line, "vtegra run --seed 7 ./a-b_c x=1,2");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shell");
    TCase *t = tcase_create("shell");

    tcase_add_loop_test(t, the_shell_reads_the_words_back, 0, G_N_ELEMENTS(words));
    tcase_add_test(t, words_that_the_shell_leaves_alone_stay);
    suite_add_tcase(s, t);
    return suite_main(s);
}
