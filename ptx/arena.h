/* SPDX-License-Identifier: MIT */
/* Memory of one module: given out zeroed, released in one go. */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_new(void);
void ptx_arena_free(struct ptx_arena *arena); /* NULL does nothing */

/**
 * ptx_arena_alloc - zeroed memory that lives as long as the arena
 * @size: bytes; 0 gives a pointer that may not be followed
 *
 * Return: aligned to 16. Aborts if memory runs out.
 */
void *ptx_arena_alloc(struct ptx_arena *arena, size_t size);

/** ptx_arena_copy - @size bytes of @data; NULL if there are none */
void *ptx_arena_copy(struct ptx_arena *arena, const void *data, size_t size);

/** ptx_arena_text - @length characters of @text, with a NUL after them */
char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t length);

/**
 * ptx_grow - make room for one more element in a malloc'ed array
 * @array: NULL or what the last call returned; @count: elements in use; @capacity: in and out
 *
 * Return: the array, with room for element @count. Aborts if memory runs out.
 */
void *ptx_grow(void *array, size_t count, size_t *capacity, size_t element_size);

#endif
