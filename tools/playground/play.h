/* SPDX-License-Identifier: MIT */
/* A program typed into the page: built by `vtegra cc` and run by `vtegra run`, inside
 * bubblewrap (bwrap): the file system can be read alone but for a folder that is deleted
 * afterwards, there is no network, and all of its processes end with it. */
#ifndef TOOLS_PLAYGROUND_PLAY_H
#define TOOLS_PLAYGROUND_PLAY_H

#include <glib.h>

#define PLAY_SOURCE_MAX (256u << 10)
#define PLAY_TEXT_MAX (64u << 10)                      /* what the program has printed */
#define PLAY_TRACE_MAX (24u << 20)                     /* more: the report alone */
#define PLAY_FILES_MAX (G_GUINT64_CONSTANT(512) << 20) /* bytes of the files that it writes */
#define PLAY_PROCESSES 128u                            /* and threads */
#define PLAY_BUILD_S 60u

/**
 * struct play_result - what came of it
 * @built: it compiled; @status: of the compiler or of the program, -1: stopped
 * @said: what was printed, at most PLAY_TEXT_MAX of it; @over: a sentence on a limit, or NULL
 * @data: a trace's text or a JSON report for the page, or NULL
 */
struct play_result {
    gboolean built;
    int status;
    char *said, *over;
    GString *data;
};

/** play_missing - what keeps programs from being run here: a sentence, or NULL */
const char *play_missing(void);

/** play - build and run @source on @soc, which may take @seconds. One at a time: the caller sees to
 * it. play_free() @out */
void play(const char *source, const char *soc, const char *policy, guint64 seed, unsigned seconds,
          struct play_result *out);
/** play_stop - end the program that runs, from another thread */
void play_stop(void);
void play_free(struct play_result *out);

#endif
