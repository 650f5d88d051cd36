/* SPDX-License-Identifier: MIT */
#include "tools/cc/nvcc.h"

#include <string.h>

enum nvcc_value { NONE, ONE, MANY };
enum nvcc_act { GIVES, HOLDS, NOTED, REFUSED, CHOICE, CHOICE_OPEN };

struct nvcc_row {
    const char *long_name, *short_name;
    enum nvcc_value value;
    enum nvcc_act act;
    const char *text;
};

#define NVCC(long_name, short_name, value, act, text) { long_name, short_name, value, act, text },
static const struct nvcc_row rows[] = {
#include "tools/cc/nvcc.def"
};
#undef NVCC

static gboolean nvcc_is(const struct nvcc_row *row, const char *word, size_t len)
{
    const char *name = row->short_name;

    if (word[1] == '-' && len > 2) {
        name = row->long_name;
        word++;
        len--;
    }
    return *name && strlen(name) == len - 1 && strncmp(word + 1, name, len - 1) == 0;
}

static const struct nvcc_row *nvcc_row_of(const char *word, size_t len)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (nvcc_is(&rows[i], word, len)) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Adds the words of @text; %: @value, which may have blanks. */
static void nvcc_give(GPtrArray *words, const char *text, const char *value)
{
    char **parts = g_strsplit(text, " ", -1);

    for (char **part = parts; *part; part++) {
        char **halves = g_strsplit(*part, "%", 2);

        g_ptr_array_add(words, g_strjoinv(value ? value : "", halves));
        g_strfreev(halves);
    }
    g_strfreev(parts);
}

static void nvcc_note(GPtrArray *notes, const char *word, const char *why)
{
    g_autofree char *note = g_strdup_printf("%s has no effect: %s", word, why);

    if (!g_ptr_array_find_with_equal_func(notes, note, g_str_equal, NULL)) {
        g_ptr_array_add(notes, g_steal_pointer(&note));
    }
}

/* "a=words;b=words": the words for @value; NULL if it is none of them. */
static char *nvcc_choice(const char *text, const char *value)
{
    char **choices = g_strsplit(text, ";", -1), *words = NULL;
    size_t len = strlen(value);

    for (char **choice = choices; *choice && !words; choice++) {
        if (strncmp(*choice, value, len) == 0 && (*choice)[len] == '=') {
            words = g_strdup(*choice + len + 1);
        }
    }
    g_strfreev(choices);
    return words;
}

static char *nvcc_choices(const char *text)
{
    char **choices = g_strsplit(text, ";", -1);
    GString *names = g_string_new(NULL);

    for (char **choice = choices; *choice; choice++) {
        g_string_append_printf(names, "%s%.*s", names->len ? ", " : "", (int)strcspn(*choice, "="),
                               *choice);
    }
    g_strfreev(choices);
    return g_string_free(names, FALSE);
}

/* Return: FALSE if the value is none of the row's. */
static gboolean nvcc_choose(const struct nvcc_row *row, const char *word, const char *value,
                            GPtrArray *words, GPtrArray *notes)
{
    g_autofree char *text = nvcc_choice(row->text, value);

    if (!text) {
        return FALSE;
    }
    if (text[0] == '!') {
        nvcc_note(notes, word, text + 1);
    } else if (text[0]) {
        nvcc_give(words, text, NULL);
    }
    return TRUE;
}

/* One value of the option, or none. Return: as nvcc_choose(). */
static gboolean nvcc_apply(const struct nvcc_row *row, const char *word, const char *value,
                           GPtrArray *words, GPtrArray *notes, char **error)
{
    switch (row->act) {
    case GIVES:
        nvcc_give(words, row->text, value);
        return TRUE;
    case NOTED:
        nvcc_note(notes, word, row->text);
        return TRUE;
    case REFUSED:
        *error = g_strdup_printf("%s is not supported: %s", word, row->text);
        return TRUE;
    case CHOICE:
    case CHOICE_OPEN:
        return nvcc_choose(row, word, value, words, notes);
    default:
        return TRUE;
    }
}

/* Each part of a list. Return: FALSE if one is none of the row's; *@error is set unless clang may
 * have a meaning for it. */
static gboolean nvcc_values(const struct nvcc_row *row, const char *word, const char *value,
                            GPtrArray *words, GPtrArray *notes, char **error)
{
    char **parts = row->value == MANY ? g_strsplit(value, ",", -1) : g_strsplit(value, "\n", 1);
    gboolean ok = TRUE;

    for (char **part = parts; *part && ok && !*error; part++) {
        ok = nvcc_apply(row, word, *part, words, notes, error);
        if (!ok && row->act == CHOICE) {
            g_autofree char *names = nvcc_choices(row->text);

            *error = g_strdup_printf("%s: \"%s\" is none of its values: %s", word, *part, names);
        }
    }
    g_strfreev(parts);
    return ok;
}

int nvcc_option(char **argv, int at, int argc, GPtrArray *words, GPtrArray *notes, char **error)
{
    const char *word = argv[at], *value = strchr(word, '=');
    size_t len = value ? (size_t)(value - word) : strlen(word);
    const struct nvcc_row *row = nvcc_row_of(word, len);
    g_autofree char *name = g_strndup(word, len);
    int taken = 1;

    if (!row || (row->value == NONE && value)) {
        return 0;
    }
    if (row->value == NONE) {
        nvcc_apply(row, name, NULL, words, notes, error);
        return 1;
    }
    if (value) {
        value++;
    } else if (at + 1 < argc) {
        value = argv[at + 1];
        taken = 2;
    } else if (row->act == CHOICE_OPEN) {
        return 0;
    } else {
        *error = g_strdup_printf("%s needs a value", name);
        return 1;
    }
    if (!nvcc_values(row, name, value, words, notes, error) && !*error) {
        return 0;
    }
    if (taken == 1 && words->len == 1 && strcmp(g_ptr_array_index(words, 0), word) == 0) {
        return 0; /* -std=c++17: it is clang's already */
    }
    return taken;
}
