/* SPDX-License-Identifier: MIT */
/* Schedule files: what a run under the policy "seeded" decided, and which run that was.
 *
 *   vtegra schedule 1
 *   vtegra VERSION
 *   program NAME sha256 HEX            of the executable file
 *   board SOC sha256 HEX os OS edition EDITION       of the profile's figures
 *   lines EVICT                        when caches lose lines: never, lru, seeded
 *   origin pct depth 2 length 400 seed 17
 *   argument TEXT                      one line each, escaped as in C
 *   switch STEP AGENT                  sched/decide.h
 *   evict QUESTION CACHE NUMBER
 *   order LAUNCH NUMBER
 *   end steps N switches N evictions N strayed N      or "end" alone; the last line: without it the
 * file was cut off, or its run crashed
 */
#ifndef TOOLS_SCHEDULE_H
#define TOOLS_SCHEDULE_H

#include <glib.h>

#define SCHEDULE_FIRST_WORDS "vtegra schedule "
#define SCHEDULE_FIRST_LINE SCHEDULE_FIRST_WORDS "1"

/* What must be the same for a replay to mean anything. */
struct schedule_key {
    char *version, *program, *program_sha, *soc, *soc_sha, *os, *edition, *evict;
    char *origin;
    char **arguments;
};

/**
 * schedule_key_of - of a program and a board as they are now
 * @path: the executable; @soc: name or profile file
 * Return: FALSE after a line on stderr.
 */
gboolean schedule_key_of(const char *cmd, const char *path, char **arguments, const char *soc,
                         const char *os, const char *evict, struct schedule_key *key);
void schedule_key_clear(struct schedule_key *key);

/* The lines before the decisions. */
char *schedule_header(const struct schedule_key *key);

/**
 * schedule_read - a schedule file
 * @key: what its header says; @text: the whole file
 * Return: FALSE after a line on stderr that names file and line.
 */
gboolean schedule_read(const char *cmd, const char *file, struct schedule_key *key, char **text);

/* Is @now what the file's run was? FALSE after a line on stderr that says what has changed. */
gboolean schedule_matches(const char *cmd, const char *file, const struct schedule_key *then,
                          const struct schedule_key *now);

/**
 * struct schedule_replay - options of vtegra run that show a schedule file's run again
 * @soc, @edition, @os: NULL: the file's; @evict, @length: always the file's. g_free()
 */
struct schedule_replay {
    char *soc, *edition, *os, *evict, *length;
};

/* What a later `vtegra run --policy seeded` of this process or its children needs: options, and
 * VTEGRA_SCHEDULE in the environment. Return: FALSE after a line on stderr. */
gboolean schedule_replay(const char *cmd, const char *file, const char *path, char **arguments,
                         struct schedule_replay *r);

#endif
