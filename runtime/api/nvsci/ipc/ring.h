/* SPDX-License-Identifier: MIT */
/* Two rings of frames, one a direction, in memory that two processes share and neither trusts. A
 * pure library. */
#ifndef RUNTIME_API_NVSCI_IPC_RING_H
#define RUNTIME_API_NVSCI_IPC_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ipc_ring - one end
 * @written, @read: frames so far, of this end's own writes and reads: what the memory says of them
 * is not used
 */
struct ipc_ring {
    void *memory;
    unsigned side;
    uint32_t frames, frame_size;
    uint64_t written, read;
};

size_t ipc_ring_bytes(uint32_t frames, uint32_t frame_size);
/* @memory: ipc_ring_bytes(), zero. */
void ipc_ring_open(struct ipc_ring *ring, void *memory, unsigned side, uint32_t frames,
                   uint32_t frame_size);

/* Frames to read, frames that fit, frames that the other end has not read yet; -1: the other end's
 * numbers make no sense. */
int ipc_ring_readable(const struct ipc_ring *ring);
int ipc_ring_writable(const struct ipc_ring *ring);
int ipc_ring_unread(const struct ipc_ring *ring);

/* The next frame, which the other end may change meanwhile; then on to the one behind it. Only
 * where there is one. */
const volatile void *ipc_ring_next_read(const struct ipc_ring *ring);
volatile void *ipc_ring_next_write(const struct ipc_ring *ring);
void ipc_ring_read_done(struct ipc_ring *ring);
void ipc_ring_write_done(struct ipc_ring *ring);
/* Takes back what this end has written and the other one has not read. */
void ipc_ring_clear(struct ipc_ring *ring);

#endif
