/* SPDX-License-Identifier: MIT */
/* What the report of a run says of memory, as model/rules/charge.h takes it. */
#ifndef TOOLS_ADVISE_H
#define TOOLS_ADVISE_H

#include <glib.h>

#include "model/rules/charge.h"
#include "model/rules/charge_engines.h"

/** struct advise_buffer - names of a buffer; @kernels: "filter, blur" */
struct advise_buffer {
    unsigned number;
    char *where, *api, *kernels;
    uint64_t launches; /* of the kernel that uses it most */
};

/** struct advise_way - a buffer of NvSci, or one that the DLA or the VIC used; @nvsci: the former
 */
struct advise_way {
    unsigned number;
    char *where, *api;
    bool nvsci;
    struct charge_shared shared;
};

/**
 * struct advise_run - from the JSON report; @run points into the arrays
 * @discrete: buffers that the discrete GPU of a board with two uses: no figures for other kinds
 */
struct advise_run {
    char *program, *soc;
    unsigned discrete;
    GArray *kernels, *buffers, *uses; /* struct charge_kernel, _buffer, _use */
    GArray *names;                    /* struct advise_buffer, a row for each of @buffers */
    GArray *ways;                     /* struct advise_way */
    struct charge_run run;
};

/**
 * advise_read - what a JSON report says
 * @path: of a report that this version wrote
 *
 * Return: advise_run_free(); NULL with @error: no JSON, or none of such a run.
 */
struct advise_run *advise_read(const char *path, GError **error);
void advise_run_free(struct advise_run *a);

/**
 * struct advise_board - a board that the answer is for
 * @percent: error to expect of a ratio between two kinds (docs/timing.md)
 */
struct advise_board {
    const char *name;
    const struct soc_profile *profile;
    double percent;
};

/* Appends the answer as text; as a JSON array of a board. */
void advise_text(const struct advise_run *a, const struct advise_board *boards, unsigned n,
                 GString *out);
void advise_json(const struct advise_run *a, const struct advise_board *boards, unsigned n,
                 GString *out);

/* The part of the answer that is about a buffer of several engines */
void advise_ways_text(const struct advise_run *a, const struct advise_board *board, GString *out);
struct json_writer;
void advise_ways_json(const struct advise_run *a, const struct advise_board *board,
                      struct json_writer *w);
void advise_time_put(GString *s, double ns);

#endif
