/* SPDX-License-Identifier: MIT */
#include "runtime/api/nvsci/ipc/ring.h"

#include <stdatomic.h>

/* Counters on lines of their own: each is stored by one side. */
struct way {
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read;
};

struct head {
    struct way way[2]; /* [side that writes] */
};

static size_t ring_stride(uint32_t frame_size)
{
    return ((size_t)frame_size + 7) / 8 * 8;
}

size_t ipc_ring_bytes(uint32_t frames, uint32_t frame_size)
{
    return sizeof(struct head) + 2 * frames * ring_stride(frame_size);
}

void ipc_ring_open(struct ipc_ring *ring, void *memory, unsigned side, uint32_t frames,
                   uint32_t frame_size)
{
    *ring = (struct ipc_ring){
        .memory = memory, .side = side, .frames = frames, .frame_size = frame_size
    };
}

static struct way *way_of(const struct ipc_ring *ring, unsigned side)
{
    return &((struct head *)ring->memory)->way[side];
}

static int in_range(const struct ipc_ring *ring, uint64_t n)
{
    return n <= ring->frames ? (int)n : -1;
}

int ipc_ring_readable(const struct ipc_ring *ring)
{
    const struct way *w = way_of(ring, !ring->side);

    return in_range(ring, atomic_load_explicit(&w->written, memory_order_acquire) - ring->read);
}

int ipc_ring_unread(const struct ipc_ring *ring)
{
    const struct way *w = way_of(ring, ring->side);

    return in_range(ring, ring->written - atomic_load_explicit(&w->read, memory_order_acquire));
}

int ipc_ring_writable(const struct ipc_ring *ring)
{
    int unread = ipc_ring_unread(ring);

    return unread < 0 ? -1 : (int)ring->frames - unread;
}

static char *ring_frame(const struct ipc_ring *ring, unsigned side, uint64_t n)
{
    size_t index = (size_t)side * ring->frames + (size_t)(n % ring->frames);

    return (char *)ring->memory + sizeof(struct head) + index * ring_stride(ring->frame_size);
}

const volatile void *ipc_ring_next_read(const struct ipc_ring *ring)
{
    return ring_frame(ring, !ring->side, ring->read);
}

volatile void *ipc_ring_next_write(const struct ipc_ring *ring)
{
    return ring_frame(ring, ring->side, ring->written);
}

void ipc_ring_read_done(struct ipc_ring *ring)
{
    ring->read++;
    atomic_store_explicit(&way_of(ring, !ring->side)->read, ring->read, memory_order_release);
}

void ipc_ring_write_done(struct ipc_ring *ring)
{
    ring->written++;
    atomic_store_explicit(&way_of(ring, ring->side)->written, ring->written, memory_order_release);
}

void ipc_ring_clear(struct ipc_ring *ring)
{
    struct way *w = way_of(ring, ring->side);

    ring->written = atomic_load_explicit(&w->read, memory_order_acquire);
    atomic_store_explicit(&w->written, ring->written, memory_order_release);
}
