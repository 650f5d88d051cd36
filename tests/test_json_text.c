/* SPDX-License-Identifier: MIT */
/* A user's JSON before json-glib sees it: nesting, ends, and what JSON has not (RFC 8259). */
#include "tools/json_text.h"

#include <check.h>
#include <string.h>

/* What is said of @text; "" if it is accepted. */
static const char *said(const char *text, gssize len)
{
    static char message[300];
    JsonParser *parser = json_parser_new();
    GError *error = NULL;

    *message = '\0';
    if (!json_text_load(parser, "net.json", text, len, &error)) {
        g_strlcpy(message, error->message, sizeof(message));
        g_error_free(error);
    }
    g_object_unref(parser);
    return message;
}

/* @n times @open, @inside, @n times @close. */
static char *nested(const char *open, unsigned n, const char *inside, const char *close)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < n; i++) {
        g_string_append(s, open);
    }
    g_string_append(s, inside);
    for (unsigned i = 0; i < n; i++) {
        g_string_append(s, close);
    }
    return g_string_free(s, FALSE);
}

START_TEST(a_hundred_brackets_are_read_and_one_more_is_refused)
{
    static const struct {
        const char *open, *inside, *close;
    } kinds[] = { { "[", "1", "]" }, { "{\"a\":", "1", "}" } };
    char *good = nested(kinds[_i].open, 100, kinds[_i].inside, kinds[_i].close);
    char *deep = nested(kinds[_i].open, 101, kinds[_i].inside, kinds[_i].close);
    char *open = nested(kinds[_i].open, 1000000, "", "");

    ck_assert_str_eq(said(good, -1), "");
    ck_assert_str_eq(said(deep, -1), "net.json:1: more than 100 brackets inside each other");
    ck_assert_str_eq(said(open, -1), "net.json:1: more than 100 brackets inside each other");
    g_free(good);
    g_free(deep);
    g_free(open);
}
END_TEST

START_TEST(brackets_beside_each_other_and_in_texts_are_no_nesting)
{
    char *beside = nested("[],", 1000, "", "");
    char *list = g_strdup_printf("[%s1]", beside);
    char *brackets = nested("[{\\\"", 1000, "", "");
    char *text = g_strdup_printf("{\"comment\": \"// ' # %s\"}", brackets);

    ck_assert_str_eq(said(list, -1), "");
    ck_assert_str_eq(said(text, -1), "");
    g_free(beside);
    g_free(list);
    g_free(brackets);
    g_free(text);
}
END_TEST

/* json-glib takes comments: a quotation mark in one must not hide brackets. */
START_TEST(comments_hide_nothing)
{
    static const char *const begin[] = { "// \"\n", "/* \" */", "# \"\n", "'\"'" };
    char *deep = nested("[", 100000, "", "");
    char *text = g_strconcat(begin[_i], deep, NULL);

    ck_assert_str_eq(said(text, -1), "net.json:1: JSON has texts in \" \" only, and no comments");
    g_free(deep);
    g_free(text);
}
END_TEST

START_TEST(the_line_is_named_where_a_text_or_a_bracket_does_not_end)
{
    ck_assert_str_eq(said("{\n \"a\": [\n 1,\n", -1),
                     "net.json:4: the text ends before the bracket of line 2 is closed");
    ck_assert_str_eq(said("{\n \"a\n\n", -1), "net.json:2: the text that begins here does not end");
    ck_assert_str_eq(said("{\n \"a\\", -1), "net.json:2: the text that begins here does not end");
}
END_TEST

/* The parser's own sentence, with the file's name once. */
START_TEST(what_the_parser_says_has_the_name_once)
{
    const char *text = said("{ \"a\" 3 }", -1);

    ck_assert_msg(g_str_has_prefix(text, "net.json:1:"), "%s", text);
    ck_assert_ptr_null(strstr(text + 1, "net.json"));
    ck_assert_ptr_null(strstr(text, "<data>"));
}
END_TEST

/* What stands behind @len is not looked at. */
START_TEST(the_length_is_the_end)
{
    ck_assert_str_eq(said("[1][", 3), "");
    ck_assert_str_eq(said("", 0), "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("json_text");
    TCase *t = tcase_create("text");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, a_hundred_brackets_are_read_and_one_more_is_refused, 0, 2);
    tcase_add_test(t, brackets_beside_each_other_and_in_texts_are_no_nesting);
    tcase_add_loop_test(t, comments_hide_nothing, 0, 4);
    tcase_add_test(t, the_line_is_named_where_a_text_or_a_bracket_does_not_end);
    tcase_add_test(t, what_the_parser_says_has_the_name_once);
    tcase_add_test(t, the_length_is_the_end);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
