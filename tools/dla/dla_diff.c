/* SPDX-License-Identifier: MIT */
/* vtegra dla diff: where two results differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/dla/dla_array.h"
#include "tools/dla/dla_net.h"

#define CMD "dla diff"

static const char description[] =
    "A and B are two files (.npy, .dimg, .pgm, .ppm) or two folders of vtegra dla run "
    "--dump-layers.\n"
    "For every layer that differs: the first difference (channel, line, column, both values), how\n"
    "many, and the largest. Exit status as diff's: 0 the same, 1 different, 2 trouble.";

enum { SAME, DIFFERENT, TROUBLE };

static double dla_diff_value(const struct array *a, size_t i)
{
    return a->type == ARRAY_FP16 ? half_to_double(a->v[i]) : a->v[i];
}

static int arrays_compare(const char *name, const struct array *a, const struct array *b)
{
    size_t n = array_count(a), plane = (size_t)a->height * a->width, count = 0, first = 0;
    double largest = 0;

    if (a->type != b->type || a->channels != b->channels || a->height != b->height ||
        a->width != b->width) {
        printf("%s: %s %ux%ux%u and %s %ux%ux%u (channels x lines x columns)\n", name,
               array_type_name(a->type), a->channels, a->height, a->width, array_type_name(b->type),
               b->channels, b->height, b->width);
        return DIFFERENT;
    }
    for (size_t i = 0; i < n; i++) {
        if (a->v[i] == b->v[i]) {
            continue;
        }
        first = count++ ? first : i;
        largest = fmax(largest, fabs(dla_diff_value(a, i) - dla_diff_value(b, i)));
    }
    if (count == 0) {
        return SAME;
    }
    printf("%s: %zu of %zu differ, by at most %g; first at n 0, c %zu, h %zu, w %zu: %g and %g\n",
           name, count, n, largest, first / plane, first % plane / a->width, first % a->width,
           dla_diff_value(a, first), dla_diff_value(b, first));
    return DIFFERENT;
}

static int files_compare(const char *name, const char *a, const char *b)
{
    GError *error = NULL;
    struct array x, y = { 0 };
    int result = TROUBLE;

    if (array_load(&x, a, NULL, &error) && array_load(&y, b, NULL, &error)) {
        result = arrays_compare(name, &x, &y);
    }
    array_free(&x);
    array_free(&y);
    if (error) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
    }
    return result;
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder that do not begin with a dot, added to @names once each. */
static gboolean folder_names(const char *folder, GPtrArray *names)
{
    GError *error = NULL;
    GDir *dir = g_dir_open(folder, 0, &error);
    const char *name;

    if (!dir) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    while ((name = g_dir_read_name(dir))) {
        if (*name != '.' && !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    g_dir_close(dir);
    return TRUE;
}

static int entry_compare(const char *a, const char *b, const char *name)
{
    char *x = g_build_filename(a, name, NULL), *y = g_build_filename(b, name, NULL);
    gboolean in_a = g_file_test(x, G_FILE_TEST_EXISTS), in_b = g_file_test(y, G_FILE_TEST_EXISTS);
    int result = DIFFERENT;

    if (in_a && in_b) {
        result = files_compare(name, x, y);
    } else {
        printf("%s: only in %s\n", name, in_a ? a : b);
    }
    g_free(x);
    g_free(y);
    return result;
}

/* Names of dumps begin with the number of the operation, so the first line is the first layer. */
static int folders_compare(const char *a, const char *b)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    int result = folder_names(a, names) && folder_names(b, names) ? SAME : TROUBLE;

    g_ptr_array_sort(names, by_name);
    if (result == SAME && names->len == 0) {
        cmd_error(CMD, "%s and %s are empty: nothing was compared", a, b);
        result = TROUBLE;
    }
    for (guint i = 0; result != TROUBLE && i < names->len; i++) {
        int entry = entry_compare(a, b, names->pdata[i]);

        result = MAX(result, entry);
    }
    g_ptr_array_free(names, TRUE);
    return result;
}

int dla_diff(int argc, char **argv)
{
    const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };

    if (!cmd_options(CMD, "A B", description, entries, FALSE, &argc, &argv)) {
        return TROUBLE;
    }
    if (argc != 3) {
        cmd_error(CMD, "two files or two folders; see vtegra dla diff --help");
        return TROUBLE;
    }
    for (int i = 1; i < 3; i++) {
        if (!g_file_test(argv[i], G_FILE_TEST_EXISTS)) {
            cmd_error(CMD, "%s: there is no such file or folder", argv[i]);
            return TROUBLE;
        }
    }
    if (g_file_test(argv[1], G_FILE_TEST_IS_DIR) != g_file_test(argv[2], G_FILE_TEST_IS_DIR)) {
        cmd_error(CMD, "%s is a %s and %s a %s: they cannot be compared", argv[1],
                  g_file_test(argv[1], G_FILE_TEST_IS_DIR) ? "folder" : "file", argv[2],
                  g_file_test(argv[2], G_FILE_TEST_IS_DIR) ? "folder" : "file");
        return TROUBLE;
    }
    return g_file_test(argv[1], G_FILE_TEST_IS_DIR) ? folders_compare(argv[1], argv[2])
                                                    : files_compare(argv[1], argv[1], argv[2]);
}
