/* SPDX-License-Identifier: MIT */
/* What ptxas takes loads here, what it refuses does not: golden/ptx_verdicts.txt, made by
 * golden/ptx_verdicts.py, which names ptxas's version. An instruction that ptxas takes and the SMs
 * lack is no error of its module. Registers of module scope load, since a driver takes them
 * (golden/ptx_driver_580.159.04.txt). */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "ptx/decode.h"

static bool takes_text(const char *text, struct ptx_error *error)
{
    struct ptx_module *m = ptx_parse(text, strlen(text), error);
    struct ptx_program *p = m ? ptx_decode(m, error) : NULL;
    /* newer ones are the driver's to refuse, with a code of their own */
    bool good = p != NULL && m->version <= 90;

    ptx_program_free(p);
    if (m) {
        ptx_module_free(m);
    }
    return good;
}

static bool takes(const char *target, const char *version, const char *decls, const char *body,
                  struct ptx_error *error)
{
    int minor = version[2] - '0';
    char *text = g_strdup_printf(".version %c.%d\n.target %s\n.address_size 64\n"
                                 ".visible .entry k(.param .u64 o)\n{\n%s\n%s\nret;\n}\n",
                                 version[0], minor, target, decls, body);
    bool good = takes_text(text, error);

    g_free(text);
    return good;
}

static unsigned count[2];

static void check_row(char **field, const char *decls)
{
    struct ptx_error error = { .text = "" };
    bool want = strcmp(field[0], "ok") == 0;
    bool have = takes(field[1], field[2], decls, field[3], &error);

    ck_assert_msg(want == have, "%s %s, ptxas %s: %s %s", field[1], field[3], field[0],
                  have ? "taken" : "refused", error.text);
    count[want]++;
}

START_TEST(verdicts_are_those_of_ptxas)
{
    g_autofree char *text = NULL;
    g_autofree char *decls = NULL;
    g_auto(GStrv) lines = NULL;

    ck_assert(g_file_get_contents(PTX_VERDICTS, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) field = g_strsplit(*line, "\t", 4);

        if (g_strv_length(field) == 2) {
            decls = g_strdup(field[1]);
        } else if (g_strv_length(field) == 4) {
            check_row(field, decls);
        }
    }
    ck_assert_uint_ge(count[true], 300);
    ck_assert_uint_ge(count[false], 60);
}
END_TEST

START_TEST(verdicts_of_modules_are_those_of_ptxas)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    unsigned n[2] = { 0 };

    ck_assert(g_file_get_contents(PTX_MODULES, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "ok\t") || g_str_has_prefix(*line, "no\t")) {
            g_autofree char *module = g_strcompress(*line + 3);
            struct ptx_error error = { .text = "" };
            bool want = **line == 'o' || strstr(*line, "\\n.reg "),
                 have = takes_text(module, &error);

            ck_assert_msg(want == have, "%s: %s %s", *line, have ? "taken" : "refused", error.text);
            n[want]++;
        }
    }
    ck_assert_uint_ge(n[true], 300);
    ck_assert_uint_ge(n[false], 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx_verdicts");
    TCase *t = tcase_create("golden");
    SRunner *runner;
    int failed;

    tcase_add_test(t, verdicts_are_those_of_ptxas);
    tcase_add_test(t, verdicts_of_modules_are_those_of_ptxas);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
