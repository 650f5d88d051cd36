/* SPDX-License-Identifier: MIT */
/* Schedule files: what is written is read again, what is none is refused with its line, and what
 * has changed since is named (docs/reproduce.md). */
#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/schedule.h"

static char said[1024];
static char *path;

void cmd_error(const char *cmd, const char *format, ...)
{
    va_list args;

    (void)cmd;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
}

static void setup(void)
{
    path = g_strdup_printf("%s/vtegra-test-schedule-%d", g_get_tmp_dir(), (int)getpid());
}

static void teardown(void)
{
    g_remove(path);
    g_free(path);
}

static struct schedule_key key_of(char **arguments)
{
    return (struct schedule_key){
        .version = g_strdup("1.2"),
        .program = g_strdup("my app"),
        .program_sha = g_strdup("abcdef0123456789"),
        .soc = g_strdup("orin"),
        .soc_sha = g_strdup("0123456789abcdef"),
        .os = g_strdup("linux"),
        .evict = g_strdup("lru"),
        .origin = g_strdup("pct depth 2 length 400 seed 17"),
        .arguments = g_strdupv(arguments),
    };
}

static gboolean read_text(const char *text, struct schedule_key *key)
{
    g_autofree char *whole = NULL;

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    return schedule_read("replay", path, key, &whole);
}

START_TEST(what_is_written_is_read_again)
{
    char *arguments[] = { (char *)"-x", (char *)"two words", (char *)"line\nend", NULL };
    struct schedule_key key = key_of(arguments), back;
    g_autofree char *text = schedule_header(&key);
    g_autofree char *whole =
        g_strconcat(text, "switch 3 cpu1\nend steps 9 switches 1 evictions 0 strayed 0\n", NULL);

    ck_assert_str_eq(text, "vtegra schedule 1\nvtegra 1.2\n"
                           "program my app sha256 abcdef0123456789\n"
                           "board orin sha256 0123456789abcdef os linux\nlines lru\n"
                           "origin pct depth 2 length 400 seed 17\nargument -x\n"
                           "argument two words\nargument line\\nend\n");
    ck_assert_msg(read_text(whole, &back), "%s", said);
    ck_assert(schedule_matches("replay", path, &back, &key));
    ck_assert_str_eq(back.program, "my app");
    ck_assert_str_eq(back.evict, "lru");
    ck_assert_str_eq(back.origin, key.origin);
    ck_assert(g_strv_equal((const char *const *)back.arguments, (const char *const *)arguments));
    schedule_key_clear(&key);
    schedule_key_clear(&back);
}
END_TEST

#define HEAD "vtegra schedule 1\n"
#define REST "program a sha256 b\nboard c sha256 d os e\nlines lru\n"

static const struct {
    const char *text, *said; /* NULL: it is a schedule */
} files[] = {
    { HEAD "vtegra 1\n" REST "switch 1 cpu0\nend\n", NULL },
    { HEAD "vtegra 1\n" REST "end\n", NULL }, /* decides nothing */
    { HEAD "vtegra 1\n" REST "switch 1 cpu0\n", ":7: expected \"end\" in the last line" },
    { HEAD "vtegra 1\n" REST "end\nswitch 1 cpu0\n", ":7: expected nothing behind" },
    { "", ":1: expected \"vtegra schedule 1\"" },
    { "vtegra schedule 2\nvtegra 1\n" REST, ":1: expected" },
    { HEAD REST, "the lines before the decisions are not complete" },
    { HEAD "vtegra 1\nboard c sha256 d os e\nlines lru\n", "not complete" },
    { HEAD "vtegra 1\nprogram a sha256 b\nlines lru\n", "not complete" },
    { HEAD "vtegra 1\nprogram a sha256 b\nboard c sha256 d os e\n", "not complete" },
    { HEAD "vtegra 1\nvtegra 2\n" REST, ":3: no line of a schedule: \"vtegra 2\"" },
    { HEAD "vtegra 1\n" REST "lines seeded\n", ":6: no line of a schedule" },
    { HEAD "vtegra 1\n" REST "nonsense\n", ":6: no line of a schedule: \"nonsense\"" },
    { HEAD "vtegra 1\n" REST "switch 2 cpu0\nswitch 1 cpu0\n",
      ":7: expected \"switch STEP AGENT\"" },
    { HEAD "vtegra 1\n" REST "evict x\n", ":6: expected" },
    { HEAD "vtegra 1\n" REST "origin pct", ":7: expected \"end\" in the last line" }, /* cut off */
};

START_TEST(what_is_no_schedule_is_refused_with_its_line)
{
    struct schedule_key key;
    gboolean ok = read_text(files[_i].text, &key);

    ck_assert_msg(ok == !files[_i].said, "%s: %s", files[_i].text, said);
    ck_assert_msg(!files[_i].said || strstr(said, files[_i].said), "'%s'", said);
    schedule_key_clear(&key);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_said)
{
    struct schedule_key key;
    char *text = NULL;

    ck_assert(!schedule_read("replay", "/nonexistent/schedule", &key, &text));
    ck_assert_ptr_nonnull(strstr(said, "/nonexistent/schedule"));
}
END_TEST

static const struct {
    size_t field; /* in struct schedule_key */
    const char *said;
} changes[] = {
    { offsetof(struct schedule_key, program_sha),
      "f was made with a program of SHA-256 abcdef012345, my app; this my app is other" },
    { offsetof(struct schedule_key, soc), "f was made with --soc orin; here it is other" },
    { offsetof(struct schedule_key, soc_sha),
      "f was made with a profile of SHA-256 0123456789ab; here it is other" },
    { offsetof(struct schedule_key, os), "f was made with --os linux; here it is other" },
    { offsetof(struct schedule_key, version), "f was made with vtegra 1.2; here it is other" },
    { offsetof(struct schedule_key, program), NULL }, /* a copy is the same program */
    { offsetof(struct schedule_key, evict), NULL },   /* replay takes it from the file */
};

START_TEST(what_has_changed_is_named)
{
    char *arguments[] = { (char *)"-x", NULL };
    struct schedule_key then = key_of(arguments), now = key_of(arguments);
    char **field = (char **)((char *)&now + changes[_i].field);

    ck_assert(schedule_matches("replay", "f", &then, &now));
    g_free(*field);
    *field = g_strdup("other");
    ck_assert_int_eq(schedule_matches("replay", "f", &then, &now), !changes[_i].said);
    ck_assert_msg(!changes[_i].said || g_str_has_prefix(said, changes[_i].said), "%s", said);
    schedule_key_clear(&then);
    schedule_key_clear(&now);
}
END_TEST

START_TEST(other_arguments_are_another_run)
{
    char *one[] = { (char *)"-x", NULL }, *two[] = { (char *)"-x", (char *)"-y", NULL };
    struct schedule_key then = key_of(one), now = key_of(two);

    ck_assert(!schedule_matches("replay", "f", &then, &now));
    ck_assert_str_eq(said, "f was made with other arguments of the program");
    schedule_key_clear(&then);
    schedule_key_clear(&now);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("schedule");
    TCase *t = tcase_create("schedule");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_is_written_is_read_again);
    tcase_add_loop_test(t, what_is_no_schedule_is_refused_with_its_line, 0, G_N_ELEMENTS(files));
    tcase_add_test(t, a_file_that_is_not_there_is_said);
    tcase_add_loop_test(t, what_has_changed_is_named, 0, G_N_ELEMENTS(changes));
    tcase_add_test(t, other_arguments_are_another_run);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
