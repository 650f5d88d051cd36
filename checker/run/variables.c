/* SPDX-License-Identifier: MIT */
#include "checker/run/variables.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/run/ids.h"
#include "checker/run/run_internal.h"

static char *key_make(uint64_t code, const char *kernel)
{
    return g_strdup_printf("%" PRIu64 " %s", code, kernel);
}

bool variables_note(struct run *r, const struct note *n)
{
    const char *name = note_get(n, "name"), *before;
    char *kernel = demangle(note_get(n, "kernel") ? note_get(n, "kernel") : "");
    char *key = key_make(note_num(n, "code"), kernel);

    g_free(kernel);
    if (!name) {
        g_free(key);
        return false;
    }
    before = g_hash_table_lookup(r->variables, key);
    g_hash_table_insert(r->variables, key,
                        g_strdup_printf("%s%" PRIu64 " %" PRIu64 " %s\n", before ? before : "",
                                        note_num(n, "offset"), note_num(n, "bytes"), name));
    return true;
}

/* "tile" of "_ZZ7reversePiE4tile", and of the second of its name, "_ZZ7reversePiE4tile_0". NULL: it
 * is no such name (Itanium C++ ABI, 5.1.6: local names) */
static char *name_local(const char *mangled)
{
    const char *at = g_str_has_prefix(mangled, "_ZZ") ? strrchr(mangled, 'E') : NULL;

    for (; at && at > mangled; at--) {
        char *name;
        uint64_t n = *at == 'E' && g_ascii_isdigit(at[1]) ? g_ascii_strtoull(at + 1, &name, 10) : 0;

        if (n && n <= strlen(name) && (name[n] == '\0' || name[n] == '_')) {
            return g_strndup(name, n);
        }
    }
    return NULL;
}

/* What is behind the last "::" outside of brackets */
static char *name_short(const char *full)
{
    const char *from = full;
    int depth = 0;

    for (const char *at = full; *at; at++) {
        depth += strchr("(<[", *at) ? 1 : strchr(")>]", *at) ? -1 : 0;
        if (depth == 0 && g_str_has_prefix(at, "::")) {
            from = at + 2;
        }
    }
    return g_strdup(from);
}

/* The name on a line of a list, if its variable holds byte *@offset; NULL: it does not */
static char *line_match(const char *line, uint64_t *offset)
{
    char *end;
    uint64_t start = g_ascii_strtoull(line, &end, 10);
    uint64_t bytes = g_ascii_strtoull(end, &end, 10);
    char *name, *full;

    if (!*end || *offset < start || *offset - start >= bytes) {
        return NULL;
    }
    *offset -= start;
    name = name_local(end + 1);
    if (!name) {
        full = demangle(end + 1);
        name = name_short(full);
        g_free(full);
    }
    return name;
}

char *variables_find(const struct run *r, uint32_t grid_id, uint64_t *offset)
{
    const struct run_grid *grid = ids_get(r->grids, grid_id);
    char *key = grid ? key_make(grid->code, grid->kernel->name) : NULL, *name = NULL;
    const char *list = key ? g_hash_table_lookup(r->variables, key) : NULL;
    char **lines = g_strsplit(list ? list : "", "\n", -1);

    for (char **line = lines; *line && !name; line++) {
        name = line_match(*line, offset);
    }
    g_strfreev(lines);
    g_free(key);
    return name;
}
