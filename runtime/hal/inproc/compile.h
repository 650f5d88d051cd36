/* SPDX-License-Identifier: MIT */
/* Kernels compiled by clang, as a process of its own, and kept in a cache on disk.
 *
 * compile.c decides and starts the compiler, workplace.c has the folder that it works in, cache.c
 * keeps what it made, code.c maps it. Nothing
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
/* @part: a file in the same file system that is not there yet. Return: 0, or -errno. */
int cache_write(const char *folder, const char *key, const char *part, const void *code,
                size_t len);
/* Removes entries, the longest unused first, until the others have at most @bytes. An entry is
 * used when it is read or written. */
void cache_trim(const char *folder, uint64_t bytes);

/* --- workplace.c --- */

/* An empty folder in @folder for one compilation, locked until workplace_close(). @path: its name;
 * g_free() it. Return: its descriptor, or -errno. */
int workplace_open(const char *folder, char **path);
/* Removes it with what is in it. */
void workplace_close(int fd, const char *path);
/* Removes the folders that no process has open any more. */
void workplace_sweep(const char *folder);

/* --- code.c --- */

typedef uintptr_t code_door(uint32_t index);

/* Maps a shared object that needs nothing: no library, no relocation. @elf is not trusted to be
 * one. Return: its entry, mapped for good; NULL: it is not such an object, or there is no room. */
code_door *code_map(const uint8_t *elf, size_t len);

#endif
