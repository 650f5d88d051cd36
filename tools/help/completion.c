/* SPDX-License-Identifier: MIT */
/* vtegra completion: what a shell offers behind "vtegra", from the tables that --help prints. */
#include <stdio.h>
#include <string.h>

#include "profiles/nearest.h"
#include "profiles/profile.h"
#include "tools/help/describe.h"

#define CMD "completion"

static const char description[] =
    "SHELL is bash, zsh or fish.\n"
    "\n"
    "  vtegra completion bash >~/.local/share/bash-completion/completions/vtegra\n"
    "  vtegra completion zsh >~/.zfunc/_vtegra       # a folder in fpath\n"
    "  vtegra completion fish >~/.config/fish/completions/vtegra.fish";

/* Where the option's value is one of few words: those. NULL: it is not known here. g_free(). */
static char *values_of(const GOptionEntry *e)
{
    char *words = NULL;

    if (strcmp(e->long_name, "soc") == 0) {
        char **socs = profile_list(NULL);

        words = g_strjoinv(" ", socs);
        g_strfreev(socs);
    }
    return words;
}

/* Quoted for a single-quoted word of a shell; @also: characters that get a backslash. */
static char *completion_quoted(const char *text, const char *also)
{
    GString *out = g_string_new(NULL);

    for (; text && *text; text++) {
        if (*text == '\'') {
            g_string_append(out, "'\\''");
        } else {
            if (strchr(also, *text)) {
                g_string_append_c(out, '\\');
            }
            g_string_append_c(out, *text);
        }
    }
    return g_string_free(out, FALSE);
}

/* --- bash ------------------------------------------------------------------------------------- */

static void bash_options(const struct described *d)
{
    for (guint i = 0; i < d->entries->len; i++) {
        const GOptionEntry *e = &g_array_index(d->entries, GOptionEntry, i);

        printf("--%s ", e->long_name);
        if (e->short_name) {
            printf("-%c ", e->short_name);
        }
    }
}

static void bash_values(const struct described *d)
{
    for (guint i = 0; i < d->entries->len; i++) {
        const GOptionEntry *e = &g_array_index(d->entries, GOptionEntry, i);
        g_autofree char *words = values_of(e);

        if (words) {
            printf("    '%s --%s') words='%s' ;;\n", d->cmd, e->long_name, words);
        } else if (e->arg != G_OPTION_ARG_NONE) {
            printf("    '%s --%s') words= ;;\n", d->cmd,
                   e->long_name); /* a file, or what only the user knows */
        }
    }
}

static void bash_print(const struct cmd *cmds, size_t n)
{
    puts("# bash completion for vtegra\n_vtegra() {\n    local cur=${COMP_WORDS[COMP_CWORD]} "
         "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command=${COMP_WORDS[1]} words=\n    COMPREPLY=()");
    printf("    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < n; i++) {
        printf("%s ", cmds[i].name);
    }
    puts("--help --version' -- \"$cur\"))\n        return\n    fi\n    case \"$command\" in");
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) all = describe(&cmds[i]);
        const char *verbs = describe_verbs(&cmds[i]);

        printf("    %s) words='%s%s--help ", cmds[i].name, verbs ? verbs : "", verbs ? " " : "");
        for (guint k = 0; k < all->len; k++) {
            bash_options(all->pdata[k]);
        }
        puts("' ;;");
    }
    puts("    esac\n    case \"$command $prev\" in");
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) all = describe(&cmds[i]);

        for (guint k = 0; k < all->len; k++) {
            bash_values(all->pdata[k]);
        }
    }
    puts("    esac\n    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
         "complete -o default -o bashdefault -F _vtegra vtegra");
}

/* --- zsh -------------------------------------------------------------------------------------- */

static void zsh_options(const struct described *d)
{
    for (guint i = 0; i < d->entries->len; i++) {
        const GOptionEntry *e = &g_array_index(d->entries, GOptionEntry, i);
        g_autofree char *help = completion_quoted(e->description, "[]"), *words = values_of(e);

        printf(" \\\n            '--%s[%s]", e->long_name, help);
        if (e->arg != G_OPTION_ARG_NONE) {
            printf(":%s:%s%s%s", e->arg_description ? e->arg_description : "VALUE",
                   words ? "(" : "",
                   words                  ? words
                   : described_is_file(e) ? "_files"
                                          : " ",
                   words ? ")" : "");
        }
        printf("'");
    }
}

static void zsh_print(const struct cmd *cmds, size_t n)
{
    puts("#compdef vtegra\n_vtegra() {\n    local -a commands\n    commands=(");
    for (size_t i = 0; i < n; i++) {
        g_autofree char *summary = completion_quoted(cmds[i].summary, ":");

        printf("        '%s:%s'\n", cmds[i].name, summary);
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
         "return\n    fi\n    case $words[2] in");
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) all = describe(&cmds[i]);
        const char *verbs = describe_verbs(&cmds[i]);

        printf("    %s)\n        _arguments", cmds[i].name);
        for (guint k = 0; k < all->len; k++) {
            zsh_options(all->pdata[k]);
        }
        if (verbs && *verbs) {
            printf(" \\\n            '2:verb:(%s)'", verbs);
        }
        puts(" \\\n            '*:file:_files'\n        ;;");
    }
    puts("    esac\n}\n_vtegra \"$@\"");
}

/* --- fish ------------------------------------------------------------------------------------- */

static void fish_options(const char *command, const struct described *d)
{
    for (guint i = 0; i < d->entries->len; i++) {
        const GOptionEntry *e = &g_array_index(d->entries, GOptionEntry, i);
        g_autofree char *help = completion_quoted(e->description, "\\"), *words = values_of(e);

        printf("complete -c vtegra -n '__fish_seen_subcommand_from %s' -l %s", command,
               e->long_name);
        if (e->short_name) {
            printf(" -s %c", e->short_name);
        }
        if (words) {
            printf(" -x -a '%s'", words);
        } else if (e->arg != G_OPTION_ARG_NONE) {
            printf(" -r");
        }
        printf(" -d '%s'\n", help);
    }
}

static void fish_print(const struct cmd *cmds, size_t n)
{
    puts("# fish completion for vtegra");
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) all = describe(&cmds[i]);
        const char *verbs = describe_verbs(&cmds[i]);
        g_autofree char *summary = completion_quoted(cmds[i].summary, "\\");

        printf("complete -c vtegra -n __fish_use_subcommand -f -a %s -d '%s'\n", cmds[i].name,
               summary);
        if (verbs && *verbs) {
            printf("complete -c vtegra -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
                   cmds[i].name, verbs);
        }
        for (guint k = 0; k < all->len; k++) {
            fish_options(cmds[i].name, all->pdata[k]);
        }
    }
}

static const struct {
    const char *name;
    void (*print)(const struct cmd *cmds, size_t n);
} shells[] = { { "bash", bash_print }, { "zsh", zsh_print }, { "fish", fish_print } };

int cmd_completion(int argc, char **argv)
{
    const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };
    size_t n;
    const struct cmd *cmds;

    if (!cmd_options(CMD, "SHELL - completion for bash, zsh or fish", description, entries, FALSE,
                     &argc, &argv)) {
        return CMD_USAGE;
    }
    cmds = cmd_all(&n);
    for (size_t i = 0; argc == 2 && i < G_N_ELEMENTS(shells); i++) {
        if (strcmp(argv[1], shells[i].name) == 0) {
            shells[i].print(cmds, n);
            return CMD_OK;
        }
    }
    cmd_error(
        CMD, "say bash, zsh or fish%s; see vtegra completion --help",
        cmd_meant(argc > 1 ? argv[1] : NULL, (const char *const[]){ "bash", "zsh", "fish", NULL }));
    return CMD_USAGE;
}
