/* SPDX-License-Identifier: MIT */
#include "tools/app/library_path.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* The first bytes of an ELF header are enough to know the machine. */
static gboolean is_for(const char *path, unsigned machine)
{
    FILE *file = fopen(path, "rb");
    Elf64_Ehdr header;
    gboolean ok;

    if (!file) {
        return FALSE;
    }
    ok = fread(&header, 1, sizeof(header), file) == sizeof(header) &&
         memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == machine;
    fclose(file);
    return ok;
}

static gboolean dir_has(const char *dir, const char *name, unsigned machine)
{
    char *path = g_build_filename(dir, name, NULL);
    gboolean ok = is_for(path, machine);

    g_free(path);
    return ok;
}

/* One folder a line; "include" lines are the files of ld.so.conf.d, which are read anyway. */
static gboolean conf_has(const char *conf, const char *name, unsigned machine)
{
    char *text = NULL;
    gboolean found = FALSE;
    char **lines;

    if (!g_file_get_contents(conf, &text, NULL, NULL)) {
        return FALSE;
    }
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && !found; line++) {
        found = g_strstrip(*line)[0] == '/' && dir_has(*line, name, machine);
    }
    g_strfreev(lines);
    g_free(text);
    return found;
}

static gboolean confs_have(const char *name, unsigned machine)
{
    GDir *dir = g_dir_open("/etc/ld.so.conf.d", 0, NULL);
    gboolean found = conf_has("/etc/ld.so.conf", name, machine);
    const char *file;

    while (dir && !found && (file = g_dir_read_name(dir))) {
        char *path = g_build_filename("/etc/ld.so.conf.d", file, NULL);

        found = conf_has(path, name, machine);
        g_free(path);
    }
    if (dir) {
        g_dir_close(dir);
    }
    return found;
}

gboolean library_path_has(const char *name, unsigned machine)
{
    static const char *const system[] = { "/lib/x86_64-linux-gnu",
                                          "/usr/lib/x86_64-linux-gnu",
                                          "/lib/aarch64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/lib",
                                          "/usr/lib",
                                          NULL };
    const char *env = g_getenv("LD_LIBRARY_PATH");
    char **dirs = g_strsplit(env ? env : "", ":", -1);
    gboolean found = strchr(name, '/') ? is_for(name, machine) : FALSE;

    for (char **dir = dirs; *dir && !found; dir++) {
        found = dir_has(**dir ? *dir : ".", name, machine);
    }
    g_strfreev(dirs);
    for (size_t i = 0; system[i] && !found; i++) {
        found = dir_has(system[i], name, machine);
    }
    return found || confs_have(name, machine);
}
