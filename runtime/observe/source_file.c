/* SPDX-License-Identifier: MIT */
#include "runtime/observe/source_file.h"

#include <glib.h>
#include <string.h>

#include "runtime/observe/source.h"

struct file {
    char *relative, *absolute;
    bool many;
};

static GHashTable *files; /* name -> struct file */

static void file_free(gpointer data)
{
    struct file *f = data;

    g_free(f->relative);
    g_free(f->absolute);
    g_free(f);
}

char *source_path(const char *path, const char *comp_dir)
{
    size_t length = comp_dir ? strlen(comp_dir) : 0;
    const char *name, *parent;

    if (length && strncmp(path, comp_dir, length) == 0 && path[length] == '/') {
        path += length + 1;
    }
    while (g_str_has_prefix(path, "./")) {
        path += 2;
    }
    name = strrchr(path, '/');
    if (!name) {
        return g_strdup(path);
    }
    parent = g_strrstr_len(path, name - path, "/");
    return g_strdup(parent ? parent + 1 : path);
}

char *source_relative(const char *from, const char *path)
{
    g_auto(GStrv) a = g_strsplit(from + 1, "/", -1), b = g_strsplit(path + 1, "/", -1);
    GString *way = g_string_new(NULL);
    unsigned common = 0;

    while (a[common] && b[common] && b[common + 1] && strcmp(a[common], b[common]) == 0) {
        common++;
    }
    if (common == 0) {
        g_string_free(way, TRUE);
        return NULL;
    }
    for (unsigned i = common; a[i]; i++) {
        g_string_append(way, "../");
    }
    for (unsigned i = common; b[i]; i++) {
        g_string_append_printf(way, "%s%s", i > common ? "/" : "", b[i]);
    }
    return g_string_free(way, FALSE);
}

static struct file *file_new(const char *path, const char *comp_dir)
{
    struct file *f = g_new0(struct file, 1);
    g_autofree char *folder =
        comp_dir && g_path_is_absolute(comp_dir) ? g_canonicalize_filename(comp_dir, "/") : NULL;

    if (g_path_is_absolute(path) || folder) {
        f->absolute = g_canonicalize_filename(path, folder ? folder : "/");
    }
    f->relative = f->absolute && folder       ? source_relative(folder, f->absolute)
                  : !g_path_is_absolute(path) ? g_strdup(path)
                                              : NULL;
    return f;
}

void source_file_add(const char *path, const char *comp_dir)
{
    char *name = source_path(path, comp_dir);
    struct file *f, *before;

    if (!files) {
        files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, file_free);
    }
    before = g_hash_table_lookup(files, name);
    if (before && before->many) {
        g_free(name);
        return;
    }
    f = file_new(path, comp_dir);
    if (before) {
        before->many = g_strcmp0(before->absolute, f->absolute) != 0;
        file_free(f);
        g_free(name);
    } else {
        g_hash_table_insert(files, name, f);
    }
}

static gint name_order(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void source_files(source_file_take *take, void *opaque)
{
    guint n = 0;
    g_autofree const char **names =
        files ? (const char **)g_hash_table_get_keys_as_array(files, &n) : NULL;

    if (n) {
        qsort(names, n, sizeof(*names), name_order);
    }
    for (guint i = 0; i < n; i++) {
        const struct file *f = g_hash_table_lookup(files, names[i]);

        if (!f->many) {
            take(opaque, names[i], f->relative, f->absolute);
        }
    }
}

void source_files_close(void)
{
    g_clear_pointer(&files, g_hash_table_destroy);
}
