/* SPDX-License-Identifier: MIT */
/* Pageable memory: the CPU copies it through a ring of buffers in kernel memory.
 *
 * The application's side is read and written with process_vm_readv() and _writev() on ourselves: an
 * address that is not there is an error code, not a crash, and no page is touched twice. By the
 * thread's number: the process's is main()'s, which may have ended and then has no memory. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/copy.h"

#define SLOTS 8u
#define SLOT_BYTES (256u * 1024)

static CUresult app_move(void *ours, uint64_t theirs, size_t bytes, bool write)
{
    struct iovec local = { ours, bytes }, remote = { (void *)(uintptr_t)theirs, bytes };
    ssize_t n = write ? process_vm_writev(gettid(), &local, 1, &remote, 1, 0)
                      : process_vm_readv(gettid(), &local, 1, &remote, 1, 0);

    if (n < 0 &&
        (errno == ENOSYS || errno == EPERM)) { /* a sandbox forbids it: trust the pointer */
        memcpy(write ? remote.iov_base : ours, write ? ours : remote.iov_base, bytes);
        n = (ssize_t)bytes;
    }
    return n == (ssize_t)bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult app_read(void *to, uint64_t from, size_t bytes)
{
    return app_move(to, from, bytes, false);
}

static CUresult app_write(uint64_t to, void *from, size_t bytes)
{
    return app_move(from, to, bytes, true);
}

/* A CPU that copies moves each byte over the memory bus twice (inferred; no rule depends on it). */
static void cpu_time(size_t bytes)
{
    hal_time_advance(core_hal(), (uint64_t)bytes * 2000 / board_profile()->memory.bandwidth_mb_s);
}

/* Of a context. @busy: a slot's last copy, one each; @held: slots that are under way; @next: where
 * the search begins */
struct staging {
    struct hal_mem memory;
    struct fence busy[SLOTS];
    uint32_t next, held;
};

static struct staging *staging_of(const struct context *c)
{
    return context_part(c, CONTEXT_STAGING);
}

static CUresult staging_open(struct context *c)
{
    struct staging *g = staging_of(c);
    CUresult error;

    if (g) {
        return CUDA_SUCCESS;
    }
    g = g_new0(struct staging, 1);
    error = kernel_alloc(c, (size_t)SLOTS * SLOT_BYTES, &g->memory);
    if (error) {
        g_free(g);
    } else {
        context_part_set(c, CONTEXT_STAGING, g);
    }
    return error;
}

void staging_free(struct context *c)
{
    struct staging *g = staging_of(c);

    if (g) {
        kernel_free(c, &g->memory);
        core_bury(g); /* a thread that waits in a copy still has it */
        context_part_set(c, CONTEXT_STAGING, NULL);
    }
}

/* A slot that no engine uses any more. It is ours until slot_give(). */
static CUresult slot_take(struct context *c, struct staging **staging, unsigned *slot)
{
    CUresult error = staging_open(c);
    struct staging *g = staging_of(c);

    *staging = g;
    while (!error) {
        for (unsigned i = 0; i < SLOTS; i++) {
            *slot = (g->next + i) % SLOTS;
            if (!(g->held & 1u << *slot) && fence_reached(g->busy[*slot])) {
                g->held |= 1u << *slot;
                g->next = (*slot + 1) % SLOTS;
                return CUDA_SUCCESS;
            }
        }
        *slot = g->next;
        g->next = (g->next + 1) % SLOTS;
        error = wait_fence(c, g->busy[*slot]);
    }
    return error;
}

static void slot_give(struct staging *g, unsigned slot)
{
    g->held &= ~(1u << slot);
}

static uint64_t slot_va(const struct staging *g, unsigned slot)
{
    return as_va(&g->memory) + (uint64_t)slot * SLOT_BYTES;
}

static uint8_t *slot_cpu(const struct staging *g, unsigned slot)
{
    return (uint8_t *)g->memory.cpu + (size_t)slot * SLOT_BYTES;
}

/* One piece: @rows rows of @bytes, close together in the slot. */
typedef CUresult piece_fn(struct stream *s, const struct box *piece);

static CUresult piece_to_device(struct stream *s, const struct box *piece)
{
    struct context *c = stream_context(s);
    struct box box = *piece;
    struct staging *g;
    unsigned slot;
    CUresult error = slot_take(c, &g, &slot);

    if (error) {
        return error;
    }
    for (size_t y = 0; !error && y < piece->height; y++) {
        error = app_read(slot_cpu(g, slot) + y * piece->width, piece->src + y * piece->src_pitch,
                         piece->width);
    }
    if (!error) {
        cpu_time(piece->width * piece->height);
        box.src = slot_va(g, slot);
        box.src_pitch = piece->width;
        error = engine_copy(s, &box, &g->busy[slot]);
    }
    slot_give(g, slot);
    return error;
}

static CUresult piece_from_device(struct stream *s, const struct box *piece)
{
    struct context *c = stream_context(s);
    struct box box = *piece;
    struct staging *g;
    unsigned slot;
    CUresult error = slot_take(c, &g, &slot);

    if (error) {
        return error;
    }
    box.dst = slot_va(g, slot);
    box.dst_pitch = piece->width;
    error = engine_copy(s, &box, &g->busy[slot]);
    if (!error) {
        error = wait_fence(c, g->busy[slot]);
    }
    for (size_t y = 0; !error && y < piece->height; y++) {
        error = app_write(piece->dst + y * piece->dst_pitch, slot_cpu(g, slot) + y * piece->width,
                          piece->width);
    }
    if (!error) {
        cpu_time(piece->width * piece->height);
    }
    slot_give(g, slot);
    return error;
}

static CUresult piece_host(struct stream *s, const struct box *piece)
{
    g_autofree uint8_t *row = g_malloc(piece->width);
    CUresult error = CUDA_SUCCESS;

    (void)s;
    for (size_t y = 0; !error && y < piece->height; y++) {
        error = app_read(row, piece->src + y * piece->src_pitch, piece->width);
        if (!error) {
            error = app_write(piece->dst + y * piece->dst_pitch, row, piece->width);
        }
    }
    cpu_time(piece->width * piece->height);
    return error;
}

/* Cut a box into pieces of at most one slot: many whole rows, or parts of one row. */
static CUresult each_piece(struct stream *s, const struct box *box, piece_fn *fn)
{
    struct box piece = *box;
    size_t rows = MAX(1, SLOT_BYTES / box->width);
    CUresult error = CUDA_SUCCESS;

    piece.depth = 1;
    for (size_t z = 0; !error && z < box->depth; z++) {
        for (size_t y = 0; !error && y < box->height; y += piece.height) {
            piece.height = MIN(rows, box->height - y);
            for (size_t x = 0; !error && x < box->width; x += piece.width) {
                piece.width = MIN(SLOT_BYTES, box->width - x);
                piece.src = box->src + z * box->src_slice + y * box->src_pitch + x;
                piece.dst = box->dst + z * box->dst_slice + y * box->dst_pitch + x;
                error = fn(s, &piece);
            }
        }
    }
    return error;
}

CUresult staging_to_device(struct stream *s, const struct box *box)
{
    return each_piece(s, box, piece_to_device);
}

CUresult staging_from_device(struct stream *s, const struct box *box)
{
    return each_piece(s, box, piece_from_device);
}

CUresult staging_host(const struct box *box)
{
    return each_piece(NULL, box, piece_host);
}

/* The driver's own uploads: code, initial values. Waits for the end; managed variables then belong
 * to the CPU, which may touch them before its first call. */
CUresult copy_in(struct context *c, uint64_t dst, const void *src, size_t bytes)
{
    struct box box = { .src = (uintptr_t)src,
                       .dst = dst,
                       .dst_region = region_at(dst),
                       .src_pitch = bytes,
                       .dst_pitch = bytes,
                       .width = bytes,
                       .height = 1,
                       .depth = 1 };
    CUresult error = bytes ? staging_to_device(stream_service(c), &box) : CUDA_SUCCESS;

    if (error || !bytes) {
        return error;
    }
    if (box.dst_region && region_kind(box.dst_region) == HAL_MEM_MANAGED) {
        return stream_wait(stream_service(c));
    }
    error = wait_fence(c, stream_fence(stream_service(c)));
    if (!error) {
        hal_note(core_hal(), HAL_NOTE_WAITED, stream_fence(stream_service(c)).id,
                 stream_fence(stream_service(c)).threshold);
    }
    return error;
}
