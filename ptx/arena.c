/* SPDX-License-Identifier: MIT */
#include "ptx/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK_FIRST ((size_t)4 << 10) /* most modules are small; each next one is twice that */
#define ARENA_CHUNK_LAST ((size_t)64 << 10)
#define ARENA_ALIGN ((size_t)16)

struct arena_chunk {
    struct arena_chunk *next;
    size_t padding; /* keeps the bytes behind it aligned to 16 */
};

struct ptx_arena {
    struct arena_chunk *chunks;
    unsigned char *free;
    size_t left, next; /* bytes */
};

static _Noreturn void arena_out_of_memory(size_t size)
{
    fprintf(stderr, "vtegra: out of memory: %zu bytes for a PTX module\n", size);
    abort();
}

struct ptx_arena *ptx_arena_new(void)
{
    struct ptx_arena *arena = calloc(1, sizeof(*arena));

    if (arena == NULL) {
        arena_out_of_memory(sizeof(*arena));
    }
    arena->next = ARENA_CHUNK_FIRST;
    return arena;
}

void ptx_arena_free(struct ptx_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

/* calloc rather than malloc: a large initialised array of zeros then costs no pages. */
static unsigned char *arena_chunk_add(struct ptx_arena *arena, size_t size)
{
    struct arena_chunk *chunk;

    if (size > SIZE_MAX / 2 || (chunk = calloc(1, sizeof(*chunk) + size)) == NULL) {
        arena_out_of_memory(size);
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return (unsigned char *)(chunk + 1);
}

void *ptx_arena_alloc(struct ptx_arena *arena, size_t size)
{
    unsigned char *memory;

    if (size > arena->next / 4) {
        return arena_chunk_add(arena, size);
    }
    size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    if (size > arena->left) {
        arena->free = arena_chunk_add(arena, arena->next);
        arena->left = arena->next;
        arena->next = arena->next < ARENA_CHUNK_LAST ? arena->next * 2 : arena->next;
    }
    memory = arena->free;
    arena->free += size;
    arena->left -= size;
    return memory;
}

void *ptx_arena_copy(struct ptx_arena *arena, const void *data, size_t size)
{
    return size == 0 ? NULL : memcpy(ptx_arena_alloc(arena, size), data, size);
}

char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t length)
{
    return memcpy(ptx_arena_alloc(arena, length + 1), text, length);
}

void *ptx_grow(void *array, size_t count, size_t *capacity, size_t element_size)
{
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    if (*capacity > SIZE_MAX / 2 / element_size ||
        (array = realloc(array, *capacity * element_size)) == NULL) {
        arena_out_of_memory(*capacity * element_size);
    }
    return array;
}
