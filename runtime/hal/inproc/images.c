/* SPDX-License-Identifier: MIT */
/* Which pages of the two images the model may reach: those of allocations, and few others.
 * valgrind's leak check and core dumps read every page they may, and a read of a hole allocates it:
 * all of the board's DRAM, twice. A system call for each allocation costs more than the allocation,
 * so pages are opened by chunks, and the last few chunks without an allocation stay open.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/hal/inproc/inproc.h"

#define CHUNK (16 * HAL_PAGE)
#define IDLE 0x80u /* open, and no allocation has a page of it */
#define IDLE_CHUNKS G_N_ELEMENTS(((struct inproc_image *)0)->idle) /* 4 MiB of an image */

/* A byte a chunk: the number of allocations with pages of it, at most 16, or IDLE; 0: closed. */
int inproc_image_begin(struct inproc_image *image, uint8_t *map, uint64_t bytes)
{
    uint64_t chunks = (bytes + CHUNK - 1) / CHUNK;
    void *at = mmap(NULL, chunks, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        return -ENOMEM;
    }
    *image = (struct inproc_image){ .map = map, .bytes = bytes, .users = at, .chunks = chunks };
    return 0;
}

void inproc_image_end(struct inproc_image *image)
{
    if (image->users) {
        munmap(image->users, image->chunks);
        image->users = NULL;
    }
}

static bool chunks_protect(const struct inproc_image *image, uint64_t first, uint64_t end, int how)
{
    uint64_t at = first * CHUNK, to = MIN(end * CHUNK, image->bytes);

    return mprotect(image->map + at, to - at, how) == 0;
}

bool inproc_image_open(struct inproc_image *image, uint64_t offset, uint64_t size)
{
    uint64_t first = offset / CHUNK, end = (offset + size + CHUNK - 1) / CHUNK;
    uint64_t closed = first, last;

    while (closed < end && image->users[closed]) {
        closed++;
    }
    for (last = end; last > closed && image->users[last - 1];) {
        last--;
    }
    if (closed < last && !chunks_protect(image, closed, last, PROT_READ | PROT_WRITE)) {
        return false;
    }
    for (uint64_t i = first; i < end; i++) {
        image->users[i] = (uint8_t)((image->users[i] & ~IDLE) + 1);
    }
    return true;
}

/* Left open it does no harm, should the system refuse. */
static void chunks_close(struct inproc_image *image, uint64_t first, uint64_t end)
{
    memset(image->users + first, 0, end - first);
    chunks_protect(image, first, end, PROT_NONE);
}

static void chunk_idle(struct inproc_image *image, uint64_t chunk)
{
    uint32_t *oldest = &image->idle[image->next_idle++ % IDLE_CHUNKS];

    if (image->users[*oldest] == IDLE) { /* else it is in use again, or was closed */
        chunks_close(image, *oldest, *oldest + 1);
    }
    *oldest = (uint32_t)chunk;
    image->users[chunk] = IDLE;
}

void inproc_image_close(struct inproc_image *image, uint64_t offset, uint64_t size)
{
    uint64_t first = offset / CHUNK, end = (offset + size + CHUNK - 1) / CHUNK;

    for (uint64_t i = first, to; i < end; i = to + 1) {
        for (to = i; to < end && --image->users[to] == 0;) {
            to++;
        }
        if (to - i > IDLE_CHUNKS / 4) {
            chunks_close(image, i, to);
        } else {
            for (; i < to; i++) {
                chunk_idle(image, i);
            }
        }
    }
}
