/* SPDX-License-Identifier: MIT */
/* Files of the program's source: the short name that places have, and where a file is, from where
 * it was compiled. Paths are worked out by hand. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "runtime/observe/source.h"
#include "runtime/observe/source_file.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

static const struct {
    const char *path, *comp_dir, *name;
} names[] = {
    { "a.cu", "/home/u/app", "a.cu" },
    { "./a.cu", "/home/u/app", "a.cu" },
    { "././src/a.cu", NULL, "src/a.cu" },
    { "/home/u/app/src/deep/a.cu", "/home/u/app", "deep/a.cu" },
    { "/home/u/app/a.cu", "/home/u/app", "a.cu" },
    { "/home/u/apple/a.cu", "/home/u/app", "apple/a.cu" },
    { "/a.cu", NULL, "/a.cu" },
};

START_TEST(a_place_has_the_file_and_one_folder)
{
    g_autofree char *name = source_path(names[_i].path, names[_i].comp_dir);

    ck_assert_str_eq(name, names[_i].name);
}
END_TEST

static const struct {
    const char *from, *path, *way;
} ways[] = {
    { "/home/u/app", "/home/u/app/a.cu", "a.cu" },
    { "/home/u/app/build", "/home/u/app/src/a.cu", "../src/a.cu" },
    { "/home/u/app/build/x", "/home/u/other/a.cu", "../../../other/a.cu" },
    { "/home/u/a.cu", "/home/u/a.cu", "../a.cu" }, /* the last part is a file's name, no folder */
    { "/home/u", "/opt/a.cu", NULL },              /* nothing in common but / */
};

START_TEST(a_relative_path_leads_from_the_folder_to_the_file)
{
    g_autofree char *way = source_relative(ways[_i].from, ways[_i].path);

    ck_assert_pstr_eq(way, ways[_i].way);
}
END_TEST

static GString *taken;

static void take(void *opaque, const char *name, const char *relative, const char *absolute)
{
    (void)opaque;
    g_string_append_printf(taken, "%s=%s=%s ", name, relative ? relative : "-",
                           absolute ? absolute : "-");
}

/* By name, in order; two files of one name are nobody's place, wherever the third one is. */
START_TEST(files_are_given_where_the_name_says_which_it_is)
{
    taken = g_string_new(NULL);
    source_file_add("src/b.cu", "/home/u/app/build");
    source_file_add("/home/u/app/src/a.cu", "/home/u/app/build");
    source_file_add("/home/u/app/src/a.cu", "/home/u/app/build");
    source_file_add("lib/c.h", NULL);
    source_file_add("/one/x/d.h", "/home/u/app");
    source_file_add("/two/x/d.h", "/home/u/app");
    source_file_add("/one/x/d.h", "/home/u/app");
    source_files(take, NULL);
    ck_assert_str_eq(taken->str, "lib/c.h=lib/c.h=- "
                                 "src/a.cu=../src/a.cu=/home/u/app/src/a.cu "
                                 "src/b.cu=src/b.cu=/home/u/app/build/src/b.cu ");
    source_files_close();
    g_string_truncate(taken, 0);
    source_files(take, NULL);
    ck_assert_str_eq(taken->str, "");
    g_string_free(taken, TRUE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("source_file");
    TCase *t = tcase_create("source_file");

    tcase_add_loop_test(t, a_place_has_the_file_and_one_folder, 0, G_N_ELEMENTS(names));
    tcase_add_loop_test(t, a_relative_path_leads_from_the_folder_to_the_file, 0,
                        G_N_ELEMENTS(ways));
    tcase_add_test(t, files_are_given_where_the_name_says_which_it_is);
    suite_add_tcase(s, t);
    return suite_main(s);
}
