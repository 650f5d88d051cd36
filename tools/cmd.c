/* SPDX-License-Identifier: MIT */
/* What the subcommands share: their errors, options, and the files that they are to write. */
#include "tools/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/edition.h"
#include "profiles/nearest.h"
#include "profiles/power.h"
#include "tools/help/describe.h"
#include "trace/printable.h"

void cmd_error(const char *cmd, const char *format, ...)
{
    g_autofree char *text = NULL, *line = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    line = printable(text);
    fprintf(stderr, "vtegra%s%s: %s\n", cmd ? " " : "", cmd ? cmd : "", line);
}

const char *cmd_meant(const char *word, const char *const *words)
{
    static char text[96];
    const char *near = word ? nearest_word(word, words) : NULL;

    if (!near || strcmp(near, word) == 0) {
        return "";
    }
    g_snprintf(text, sizeof(text), "; did you mean %s?", near);
    return text;
}

void cmd_progress(guint64 done, guint64 all, const char *what)
{
    static bool shown;

    if (done < all && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s", done, all,
                what);
        shown = true;
    } else if (shown) {
        fputs("\r\033[K", stderr);
        shown = false;
    }
}

/* What to do about a file that could not be opened for writing. */
static char *unwritable_todo(const char *path, int error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (error == EISDIR) {
        return g_strdup("name a file in it");
    }
    if (error == ENOENT) {
        return g_strdup_printf("make the folder %s, or name another file", folder);
    }
    return g_strdup("name another file");
}

void cmd_edition(const char *edition)
{
    if (edition) {
        g_setenv(PROFILE_EDITION_ENV, edition, TRUE);
    }
}

void cmd_power(const char *mode)
{
    if (mode) {
        g_setenv(PROFILE_POWER_ENV, mode, TRUE);
    }
}

gboolean cmd_folder_own(const char *cmd, const char *path, const char *todo)
{
    struct stat link, st;

    if (g_mkdir_with_parents(path, 0700) != 0 || lstat(path, &link) != 0 || stat(path, &st) != 0) {
        cmd_error(cmd, "%s: %s; %s", path, g_strerror(errno), todo);
        return FALSE;
    }
    if (link.st_uid != geteuid() || st.st_uid != geteuid()) {
        cmd_error(cmd, "%s belongs to another user; %s", path, todo);
        return FALSE;
    }
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && chmod(path, 0700) != 0) {
        cmd_error(cmd, "%s is a folder that others can write to: %s; %s", path, g_strerror(errno),
                  todo);
        return FALSE;
    }
    return TRUE;
}

gboolean cmd_output_check(const char *cmd, const char *option, const char *path,
                          const char *else_what)
{
    struct stat st;
    gboolean is_new = lstat(path, &st) != 0;
    int fd;

    if (strcmp(path, "-") == 0) {
        cmd_error(cmd, "--%s -: a file is wanted; %s; name a file, or /dev/stderr", option,
                  else_what);
        return FALSE;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

    if (fd < 0) {
        int error = errno;
        g_autofree char *todo = unwritable_todo(path, error);

        cmd_error(cmd, "--%s: cannot write %s: %s; %s; %s", option, path, g_strerror(error),
                  else_what, todo);
        return FALSE;
    }
    close(fd);
    if (is_new) {
        unlink(path);
    }
    return TRUE;
}

/* The option that @word names and that takes a value, or NULL. */
static const GOptionEntry *cmd_valued(const GOptionEntry *entries, const char *word)
{
    for (const GOptionEntry *e = entries; e->long_name; e++) {
        bool is_it = word[1] == '-' ? strcmp(word + 2, e->long_name) == 0
                                    : e->short_name && word[1] == e->short_name;

        if (is_it && e->arg != G_OPTION_ARG_NONE) {
            return e;
        }
    }
    return NULL;
}

/* Notes that @word gave an option a value: the newest of @words, or what follows '=' in it. */
static void value_given(GPtrArray *given, const GOptionEntry *entries, const char *word,
                        const GPtrArray *words)
{
    g_autofree char *name = g_strndup(word, strcspn(word, "="));
    const GOptionEntry *e =
        word[0] == '-' && word[1] ? cmd_valued(entries, word[1] == '-' ? name : word) : NULL;

    if (e && e->arg != G_OPTION_ARG_STRING_ARRAY && e->arg != G_OPTION_ARG_FILENAME_ARRAY &&
        e->arg != G_OPTION_ARG_CALLBACK) {
        const char *last = g_ptr_array_index(words, words->len - 1);

        g_ptr_array_add(given, (gpointer)e);
        g_ptr_array_add(given, (gpointer)(word[1] == '-' && word[strlen(name)] == '='
                                              ? word + strlen(name) + 1
                                              : last));
    }
}

/* Of an option that takes one value, the last one holds, as everywhere; an edited command line may
 * not mean that. */
static void twice_note(const char *cmd, const GPtrArray *given)
{
    for (guint i = 0; i + 2 < given->len; i += 2) {
        const GOptionEntry *e = g_ptr_array_index(given, i);
        const char *last = NULL;
        bool first = true;

        for (guint j = 0; j < given->len; j += 2) {
            if (g_ptr_array_index(given, j) == e) {
                first = first && j >= i;
                last = j > i ? g_ptr_array_index(given, j + 1) : last;
            }
        }
        if (first && last) {
            cmd_error(cmd, "note: --%s is given more than once: the last one, %s, holds",
                      e->long_name, last);
        }
    }
}

static bool is_program(const char *word)
{
    g_autofree char *path = g_find_program_in_path(word);

    return path != NULL; /* not "--", nor a verb */
}

/* The program's own arguments, after a command line without "--". */
static void behind_note(const char *cmd, const GOptionEntry *entries, char **words)
{
    for (char **word = words; *word && strcmp(*word, "--") != 0; word++) {
        size_t len = strcspn(*word, "=");

        for (const GOptionEntry *e = entries; strncmp(*word, "--", 2) == 0 && e->long_name; e++) {
            if (strlen(e->long_name) == len - 2 && strncmp(*word + 2, e->long_name, len - 2) == 0) {
                cmd_error(cmd,
                          "note: %s stands behind the program and is passed to it; an option of "
                          "vtegra stands before: vtegra %s %.*s ... -- PROGRAM ARGUMENTS",
                          *word, cmd, (int)len, *word);
                return;
            }
        }
    }
}

/* GLib takes "-j1" for two switches: it gets "-j", "1". Return: FALSE after saying that an option
 * has no value. */
static gboolean values_apart(const char *cmd, const char *usage, const GOptionEntry *entries,
                             gboolean strict, int *argc, char ***argv)
{
    static GPtrArray *words;                        /* the program's arguments until it ends */
    g_autoptr(GPtrArray) given = g_ptr_array_new(); /* option, value, option, value ... */
    int i = 1;

    words = g_ptr_array_new();
    g_ptr_array_add(words, (*argv)[0]);
    while (i < *argc && strcmp((*argv)[i], "--") != 0 && ((*argv)[i][0] == '-' || !strict)) {
        char *word = (*argv)[i++];
        const GOptionEntry *e = word[0] == '-' && word[1] ? cmd_valued(entries, word) : NULL;

        if (e && word[1] != '-' && word[2]) {
            g_ptr_array_add(words, (char *)g_intern_string((char[]){ '-', word[1], '\0' }));
            g_ptr_array_add(words, word + (word[2] == '=' ? 3 : 2));
        } else {
            g_ptr_array_add(words, word);
            if (e && i < *argc && strcmp((*argv)[i], "--") == 0) {
                cmd_error(cmd,
                          "%s needs a value, %s, and \"--\" ends the options; see vtegra %s --help",
                          word, e->arg_description ? e->arg_description : "", cmd);
                return FALSE;
            }
            if (e && i < *argc) {
                g_ptr_array_add(words, (*argv)[i++]);
            }
        }
        value_given(given, entries, word, words);
    }
    twice_note(cmd, given);
    if (strict && strstr(usage, "PROGRAM") && i < *argc && is_program((*argv)[i])) {
        behind_note(cmd, entries, *argv + i + 1);
    }
    while (i < *argc) {
        g_ptr_array_add(words, (*argv)[i++]);
    }
    *argc = (int)words->len;
    g_ptr_array_add(words, NULL);
    *argv = (char **)words->pdata;
    return TRUE;
}

/* GLib's error, and for a mistyped option the one that was probably meant. */
static void options_complain(const char *cmd, const GOptionEntry *entries, const GError *error)
{
    const char *word = strstr(error->message, "--"), *near = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (const GOptionEntry *e = entries; e->long_name; e++) {
        g_ptr_array_add(names, (char *)e->long_name);
    }
    g_ptr_array_add(names, NULL);
    if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) && word) {
        near = nearest_word(word + 2, (const char *const *)names->pdata);
    }
    cmd_error(cmd, "%s%s%s%s; see vtegra %s --help", error->message,
              near ? "; did you mean --" : "", near ? near : "", near ? "?" : "", cmd);
}

gboolean cmd_options(const char *cmd, const char *usage, const char *description,
                     const GOptionEntry *entries, gboolean strict, int *argc, char ***argv)
{
    GOptionContext *context;
    GError *error = NULL;
    char *name;
    gboolean ok;

    if (describe_take(cmd, usage, description, entries)) {
        return FALSE;
    }
    context = g_option_context_new(usage);
    name = g_strconcat("vtegra ", cmd, NULL);

    g_set_prgname(name); /* for the usage line */
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(context, description);
    g_option_context_set_strict_posix(context, strict);
    ok = values_apart(cmd, usage, entries, strict, argc, argv);
    ok = ok && g_option_context_parse(context, argc, argv, &error);
    if (!ok && error) {
        options_complain(cmd, entries, error);
        g_error_free(error);
    }
    g_option_context_free(context);
    g_free(name);
    return ok;
}
