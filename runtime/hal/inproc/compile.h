/* SPDX-License-Identifier: MIT */
/* Kernels compiled by clang, as a process of its own, and kept in a cache on disk.
 *
 * compile.c decides and starts the compiler, cache.c keeps what it made, code.c maps it. Nothing
 * here changes a result: without a compiler, or without a place for its output, kernels are
 * interpreted. VTEGRA_COMPILE: off; on: in the background, once a kernel has run for a while; wait:
 * from the first launch on, and the launch waits for it.
 */
#ifndef RUNTIME_HAL_INPROC_COMPILE_H
#define RUNTIME_HAL_INPROC_COMPILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct soc;
struct compile;

/* What VTEGRA_COMPILE asks for. Return: NULL: nothing will be compiled; free with compile_free().
 */
struct compile *compile_new(struct soc *soc);
void compile_free(struct compile *c);
/* Between steps: give the SoC what has been compiled meanwhile. */
void compile_poll(struct compile *c);

/* --- cache.c --- */

#define CACHE_KEY_CHARS 64u /* SHA-256 in hexadecimal */

/* $XDG_CACHE_HOME/vtegra/native or ~/.cache/vtegra/native, made if need be, owned by this user and
 * writable by no other. Return: g_free() it; NULL with errno. */
char *cache_folder(void);
/* The code kept under @key. Return: g_bytes_unref() it; NULL: none, or it is corrupt, of another
 * version, or another user's. */
GBytes *cache_read(const char *folder, const char *key);
/* Return: 0, or -errno. */
int cache_write(const char *folder, const char *key, const void *code, size_t len);

/* --- code.c --- */

typedef uintptr_t code_door(uint32_t index);

/* Maps a shared object that needs nothing: no library, no relocation. @elf is not trusted to be
 * one. Return: its entry, mapped for good; NULL: it is not such an object, or there is no room. */
code_door *code_map(const uint8_t *elf, size_t len);

#endif
