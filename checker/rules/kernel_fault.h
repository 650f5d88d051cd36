/* SPDX-License-Identifier: MIT */
/* A kernel's faults in words of the program's buffers. */
#ifndef CHECKER_KERNEL_FAULT_H
#define CHECKER_KERNEL_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "checker/finding.h"

struct run;
struct run_region;

/**
 * struct check_fault - a grid or command that failed on the board, from struct chan_error
 * @grid_id: 0 if no grid; @what: "out-of-bounds store", our words; @api_error: the code that later
 * calls return; the rest as in struct chan_error. File: name as in the kernel's .file directive, or
 * NULL
 * @section, @standing: of the rule that was broken; NULL: the error codes of the driver reference
 * @rule: NULL: "kernel-fault"; @api_error: NULL: the call returns none
 * @place, @todo: where the address lies and what to do, if that is no buffer of the application's;
 *                NULL: the checker finds out
 */
struct check_fault {
    uint32_t grid_id;
    const char *what, *api_error;
    const char *rule, *section, *place, *todo;
    enum check_standing standing;
    uint64_t va;
    uint32_t size, write;
    const char *file;
    uint32_t line, ptx_line;
    uint32_t block[3], thread[3];
};

/* What happened and where the address lies; g_free(). */
char *kernel_fault_text(const struct run *r, const struct check_fault *fault);
/* What to do about it. */
const char *kernel_fault_todo(const struct run *r, const struct check_fault *fault);

/* The same for an access that went on, beside all buffers. */
char *kernel_beside_text(const struct run *r, uint64_t va, bool write);
/* The buffer that an address outside of all is nearest to; NULL: none is near. */
const struct run_region *kernel_fault_nearest(const struct run *r, uint64_t va);

#endif
