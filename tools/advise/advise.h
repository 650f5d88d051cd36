/* SPDX-License-Identifier: MIT */
/* What the report of a run says of memory, as model/rules/charge.h takes it. */
#ifndef TOOLS_ADVISE_H
#define TOOLS_ADVISE_H

#include <glib.h>

#include "model/rules/charge.h"

/** struct advise_buffer - names of a buffer; @kernels: "filter, blur" */
struct advise_buffer {
    unsigned number;
    char *where, *api, *kernels;
    uint64_t launches; /* of the kernel that uses it most */
};

/** struct advise_run - from the JSON report; @run points into the arrays */
struct advise_run {
    char *program, *soc;
    GArray *kernels, *buffers, *uses; /* struct charge_kernel, _buffer, _use */
    GArray *names;                    /* struct advise_buffer, a row for each of @buffers */
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

#endif
