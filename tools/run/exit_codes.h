/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_RUN_EXIT_CODES_H
#define TOOLS_RUN_EXIT_CODES_H

#include <stdbool.h>

/* The value of --error-exitcode: "N", or "N,M", where M may be 0. Return: false: it is neither, and
 * the user has read so. */
bool exit_codes_check(const char *value);

#endif
