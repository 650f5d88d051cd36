/* SPDX-License-Identifier: MIT */
/* The client's side of hal/board. client_exchange.c talks, client.c has the
 * functions of hal.h, client_memory.c the pages. */
#ifndef RUNTIME_HAL_BOARD_CLIENT_H
#define RUNTIME_HAL_BOARD_CLIENT_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/hal/board/board.h"

/* @holds: how often it was allocated and imported. */
struct client_mem {
    struct hal_mem mem;
    unsigned holds;
};

/**
 * struct hal - a board in another process
 * @notes: the records of notes are made here: nothing but this program's requests comes between two
 *         of its records
 * @watched: another program looks for races with this one: this CPU's waits go to the server as
 *         requests; all @notes but those are still made here. Of the last reply; read without @lock
 * @time_ns: of the board after the last request
 * @posts: signals may go without a reply; @posted: how many have gone since the last reply. Written
 *         under @lock
 * @lock: one request at a time; also taken by CPU hooks on any thread
 * @gone: the server has ended or talks nonsense; said once, every call fails from then on. Read
 *        without @lock
 * @mems: by CPU address, sorted; guarded by @busy, which signal handlers take too: code that holds
 * it touches no application memory, so no fault interrupts it
 */
struct hal {
    struct hal_config config;
    int fd, files[2]; /* DRAM, the CPU's views */
    pthread_mutex_t lock;
    atomic_bool gone;
    trace_sink *sink;
    void *opaque;
    unsigned mask;
    bool notes;
    atomic_bool watched;
    uint64_t time_ns;
    bool posts;
    atomic_uint posted;
    struct board_welcome board;
    bool reserved;
    struct client_mem *mems;
    unsigned n_mems, cap_mems;
    atomic_flag busy;
    unsigned char *packet; /* BOARD_PACKET_MAX, guarded by @lock */
};

/* One request and its reply. Return: the reply's result, @value filled if not NULL; -EIO: the board
 * is gone. */
int64_t board_call(struct hal *hal, enum board_op op, const uint64_t arg[6],
                   uint64_t value[BOARD_VALUES]);
#define BOARD_CALL(hal, op, ...) board_call(hal, op, (const uint64_t[6]){ __VA_ARGS__ }, NULL)

/* Of the calling thread, see hal_note(). Each request carries it. */
extern _Thread_local uint32_t client_thread;

/* The board is gone: the first time a line on stderr says @why. Return: -EIO. */
int64_t client_lost(struct hal *hal, const char *why);
/* Around client_exchange(). */
void client_lock(struct hal *hal);
void client_unlock(struct hal *hal);
/* One request and its reply. @value: NULL, or for the reply's values; @text: NULL, or collects its
 * text. Return: as board_call(). */
int64_t client_exchange(struct hal *hal, const struct board_request *request,
                        uint64_t value[BOARD_VALUES], GString *text);

int client_memory_open(struct hal *hal);
void client_memory_close(struct hal *hal);

#endif
