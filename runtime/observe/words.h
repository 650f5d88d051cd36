/* SPDX-License-Identifier: MIT */
/* The driver core speaks of the driver API. A program that called the runtime API is told in its
 * own words. */
#ifndef RUNTIME_OBSERVE_WORDS_H
#define RUNTIME_OBSERVE_WORDS_H

#include <stdbool.h>

/* cudaMalloc, cudaErrorInvalidValue: of the runtime API. NULL: no. */
bool words_is_runtime(const char *api);

/* Is it a function of one of the two APIs? A program's own cudaMyWrapper() is none. */
bool words_is_function(const char *name);

/**
 * words_of_api - a sentence as the caller of @api would say it
 * @api: what the program called; NULL if unknown
 *
 * For a function of the runtime, names of driver functions become @api, and driver errors become
 * the runtime's error of the same number. "cuX()" with its brackets is not the call itself, but
 * another one: cudaX(), or cuX() where the runtime has none. Else the text stays. Return: g_free()
 * it; NULL for NULL.
 */
char *words_of_api(const char *text, const char *api);

/* "cuMemAlloc_v2" is cuMemAlloc in the source of every program. Return: length of the plain name.
 */
unsigned words_plain_length(const char *function);

#endif
