/* SPDX-License-Identifier: MIT */
/* Which part of the seeds is this process's: --shard, or the task of a Slurm array
 * (sbatch(1), "Job array support": the SLURM_ARRAY_TASK_ variables). */
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"

/* FALSE: the variable is not there. After a line on stderr *@ok is FALSE: it is no number. */
static gboolean number_get(const char *variable, guint64 *value, gboolean *ok)
{
    const char *text = g_getenv(variable);

    if (!text || !*text) {
        return FALSE;
    }
    if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, value, NULL)) {
        cmd_error(EXPLORE_CMD, "%s \"%s\" is no number; give --shard I/N", variable, text);
        *ok = FALSE;
        return FALSE;
    }
    return TRUE;
}

static gboolean shard_parse(const char *shard, guint *i, guint *n)
{
    char rest;

    if (sscanf(shard, "%u/%u%c", i, n, &rest) != 2 || *i < 1 || *i > *n) {
        cmd_error(EXPLORE_CMD, "--shard \"%s\" must be I/N with I from 1 to N", shard);
        return FALSE;
    }
    return TRUE;
}

/* --shards N: the array's tasks are numbered from 1, however many of them this submission has. */
static gboolean shard_of_all(guint shards, guint *i, guint *n)
{
    guint64 id = 0;
    gboolean ok = TRUE, has = number_get("SLURM_ARRAY_TASK_ID", &id, &ok);

    if (ok && !has) {
        cmd_error(EXPLORE_CMD, "--shards is for the tasks of a Slurm array, and "
                               "SLURM_ARRAY_TASK_ID is not set; elsewhere give --shard I/N");
    } else if (ok && (id < 1 || id > shards)) {
        cmd_error(EXPLORE_CMD,
                  "SLURM_ARRAY_TASK_ID is %" G_GUINT64_FORMAT ", not 1 to %u (--shards): submit "
                  "with --array=1-%u",
                  id, shards, shards);
    }
    *i = (guint)id;
    *n = shards;
    return ok && has && id >= 1 && id <= shards;
}

/* An array that was submitted as a whole: its count is the number of shards. */
static gboolean shard_of_array(guint64 id, guint64 count, guint *i, guint *n)
{
    guint64 min = 1, max = 0, step = 1;
    gboolean ok = TRUE, has_max;

    number_get("SLURM_ARRAY_TASK_MIN", &min, &ok);
    number_get("SLURM_ARRAY_TASK_STEP", &step, &ok);
    has_max = number_get("SLURM_ARRAY_TASK_MAX", &max, &ok);
    if (!ok) {
        return FALSE;
    }
    if (step < 1 || id < min || (id - min) % step || (id - min) / step >= count ||
        (has_max && (max - min) / step + 1 != count)) {
        cmd_error(EXPLORE_CMD,
                  "the tasks of this Slurm array are not a whole range (task "
                  "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "): say with --shards "
                  "N how many shards there are in all",
                  id, count);
        return FALSE;
    }
    *i = (guint)((id - min) / step) + 1;
    *n = (guint)count;
    fprintf(stderr, "vtegra explore: shard %u/%u, a task of a Slurm array\n", *i, *n);
    return TRUE;
}

gboolean explore_shard_get(const char *shard, gint shards, guint *i, guint *n)
{
    guint64 id = 0, count = 0;
    gboolean ok = TRUE;

    if (shards && (shard || shards < 1 || shards > EXPLORE_SHARDS_MAX)) {
        cmd_error(EXPLORE_CMD, "--shards is from 1 to %d, and needs no --shard",
                  EXPLORE_SHARDS_MAX);
        return FALSE;
    }
    if (shard || shards) {
        return shard ? shard_parse(shard, i, n) : shard_of_all((guint)shards, i, n);
    }
    *i = *n = 1;
    if (number_get("SLURM_ARRAY_TASK_ID", &id, &ok) &&
        number_get("SLURM_ARRAY_TASK_COUNT", &count, &ok) && ok) {
        return shard_of_array(id, count, i, n);
    }
    return ok;
}

guint explore_shard_jobs(void)
{
    guint n = g_get_num_processors();
    guint64 given = 0;
    gboolean ok = TRUE;

    /* What Slurm gave this task; the kernel shows it only where Slurm binds its tasks. */
    if (number_get("SLURM_CPUS_ON_NODE", &given, &ok) && given >= 1) {
        n = MIN(n, (guint)given);
    }
    return n;
}

/* --- what is missing -------------------------------------------------------------------------- */

/* Seeds with a result, of the one exploration whose lines @file has. */
static gboolean file_read(const char *file, JsonParser *parser, GHashTable *done, char **key)
{
    char *text, **lines;
    gboolean ok = TRUE;

    /* A task that was killed before it began has left no file, or an empty one. */
    if (!g_file_test(file, G_FILE_TEST_IS_REGULAR) ||
        !g_file_get_contents(file, &text, NULL, NULL)) {
        return TRUE;
    }
    lines = g_strsplit(text, "\n", -1);
    for (char **l = lines; *l && l[1] && ok; l++) { /* behind the last newline is no whole line */
        guint64 seed = 0;
        char *now = explore_line_key(parser, *l, strlen(*l), &seed);

        if (now && !*key) {
            *key = g_strdup(now);
        }
        ok = !now || strcmp(now, *key) == 0;
        if (!ok) {
            cmd_error(EXPLORE_CMD,
                      "missing: %s has lines of another program, board or strategy "
                      "than the files before it",
                      file);
        } else if (now) {
            g_hash_table_add(done, g_memdup2(&seed, sizeof(seed)));
        }
        g_free(now);
    }
    g_strfreev(lines);
    g_free(text);
    return ok;
}

/* "3,7-9": as sbatch --array takes it. */
static void put_range(GString *list, guint first, guint last)
{
    g_string_append_printf(list, "%s%u", list->len ? "," : "", first);
    if (last > first) {
        g_string_append_printf(list, "-%u", last);
    }
}

static GString *shards_left(GHashTable *done, guint64 runs, guint64 seed0, guint shards)
{
    GString *list = g_string_new(NULL);
    g_autofree guint8 *left = g_new0(guint8, shards + 1);
    guint first = 0;

    for (guint64 i = 0; i < runs; i++) {
        guint64 seed = seed0 + i;

        left[i % shards] |= !g_hash_table_contains(done, &seed);
    }
    for (guint s = 0; s <= shards; s++) { /* the one behind the last ends the last range */
        if (s < shards && left[s]) {
            first = first ? first : s + 1;
        } else if (first) {
            put_range(list, first, s);
            first = 0;
        }
    }
    return list;
}

static int missing_print(char **files, guint64 runs, guint64 seed0, guint shards)
{
    GHashTable *done = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    JsonParser *parser = json_parser_new();
    char *key = NULL;
    int status = CMD_OK;

    for (; *files && status == CMD_OK; files++) {
        status = file_read(*files, parser, done, &key) ? CMD_OK : CMD_FAILED;
    }
    if (status == CMD_OK) {
        GString *list = shards_left(done, runs, seed0, shards);

        if (list->len) {
            printf("%s\n", list->str);
            status = CMD_FOUND;
        }
        g_string_free(list, TRUE);
    }
    g_free(key);
    g_object_unref(parser);
    g_hash_table_destroy(done);
    return status;
}

int explore_missing(int argc, char **argv)
{
    gint64 runs = 0, seed0 = 0;
    gint shards = 0;
    const GOptionEntry entries[] = {
        { "runs", 'n', 0, G_OPTION_ARG_INT64, &runs, "how many seeds in all", "N" },
        { "seed0", 0, 0, G_OPTION_ARG_INT64, &seed0, "the first seed (0)", "N" },
        { "shards", 0, 0, G_OPTION_ARG_INT, &shards, "how many shards in all", "N" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };

    if (!cmd_options(EXPLORE_CMD " missing",
                     "FILE... - the shards without all their results, as sbatch --array takes them",
                     "The exit status is 0 when none is missing, 1 when some are.", entries, FALSE,
                     &argc, &argv)) {
        return CMD_FAILED;
    }
    if (argc < 2 || runs < 1 || runs > G_MAXINT || seed0 < 0 || shards < 1 ||
        shards > EXPLORE_SHARDS_MAX) {
        cmd_error(EXPLORE_CMD,
                  "missing: --runs N --shards N FILE... are needed; see vtegra explore "
                  "missing --help");
        return CMD_FAILED;
    }
    return missing_print(argv + 1, (guint64)runs, (guint64)seed0, (guint)shards);
}
