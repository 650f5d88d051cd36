/* SPDX-License-Identifier: MIT */
/* A request to the server and its reply, with the records and questions that come between. */
#include "runtime/hal/board/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

_Thread_local uint32_t client_thread;

int64_t client_lost(struct hal *hal, const char *why)
{
    const char *path = getenv(BOARD_SOCKET);

    if (!atomic_exchange(&hal->gone, true)) {
        shutdown(hal->fd, SHUT_RDWR);
        fprintf(stderr,
                "vtegra: the board at %s is gone: %s. Every call that needs it fails from here on; "
                "results that were not copied out are lost. If it was killed or has crashed, start "
                "it again (vtegra board --socket %s), then the program\n",
                path, why, path);
    }
    return -EIO;
}

bool hal_lost(const struct hal *hal)
{
    return hal->gone;
}

static bool client_records_pass(struct hal *hal, const struct board_message *m, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)(m + 1);

    if (m->count > BOARD_RECORDS_MAX ||
        bytes != sizeof(*m) + m->count * sizeof(struct board_record)) {
        return false;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        struct board_record r;
        struct trace_record record;

        memcpy(&r, at + i * sizeof(r), sizeof(r));
        if (r.event >= TRACE_EVENT_COUNT && !(r.event == TRACE_EVENT_COUNT && r.process)) {
            return false;
        }
        record = (struct trace_record){ .event = (enum trace_event)r.event,
                                        .agent = r.agent,
                                        .region = r.region,
                                        .channel = r.channel,
                                        .time_ns = r.time_ns,
                                        .thread = r.thread,
                                        .process = r.process };
        memcpy(record.arg, r.arg, sizeof(record.arg));
        if (hal->sink &&
            (!r.process || r.process == TRACE_PROCESSES || hal->mask & TRACE_FOREIGN)) {
            hal->sink(hal->opaque, &record);
        }
    }
    return true;
}

static bool client_answer(struct hal *hal, uint64_t number)
{
    struct board_request request = { .op = BOARD_ANSWER, .arg = { number } };

    return board_send(hal->fd, &request, sizeof(request), NULL, 0) == 0;
}

static bool client_choose(struct hal *hal, const struct board_message *m, size_t bytes)
{
    uint32_t agents[BOARD_AGENTS_MAX];

    if (!hal->config.choose || m->count == 0 || m->count > BOARD_AGENTS_MAX ||
        bytes != sizeof(*m) + m->count * sizeof(uint32_t)) {
        return false;
    }
    memcpy(agents, m + 1, m->count * sizeof(uint32_t));
    return client_answer(
        hal, (uint64_t)(int64_t)hal->config.choose(hal->config.opaque, agents, m->count));
}

/* What is no reply. @text collects TEXT packets where the caller wants them. */
static bool client_message_handle(struct hal *hal, const struct board_message *m, size_t bytes,
                                  GString *text)
{
    switch (m->type) {
    case BOARD_RECORDS:
        return client_records_pass(hal, m, bytes);
    case BOARD_ASK_CHOOSE:
        return client_choose(hal, m, bytes);
    case BOARD_ASK_DRAW:
        return hal->config.draw && (m->result == CACHE_CPU || m->result == CACHE_L2) &&
               client_answer(hal, hal->config.draw(hal->config.opaque, (enum cache_kind)m->result));
    case BOARD_TEXT:
        if (!text || m->count > BOARD_TEXT_MAX || bytes != sizeof(*m) + m->count) {
            return false;
        }
        g_string_append_len(text, (const char *)(m + 1), m->count);
        return true;
    default:
        return false;
    }
}

int64_t client_exchange(struct hal *hal, const struct board_request *request,
                        uint64_t value[BOARD_VALUES], GString *text)
{
    const struct board_message *m = (const void *)hal->packet;

    if (hal->gone) {
        return -EIO;
    }
    if (board_send(hal->fd, request, sizeof(*request), NULL, 0) != 0) {
        return client_lost(hal, "it has hung up");
    }
    for (;;) {
        int64_t n = board_receive(hal->fd, hal->packet, BOARD_PACKET_MAX);

        if (n < (int64_t)sizeof(*m)) {
            return client_lost(hal, n == -ECONNRESET ? "it has hung up"
                                    : n < 0          ? strerror((int)-n)
                                                     : "a truncated message");
        }
        if (m->type == BOARD_REPLY && client_records_pass(hal, m, (size_t)n)) {
            if (value) {
                memcpy(value, m->value, sizeof(m->value));
            }
            hal->time_ns = m->time_ns;
            atomic_store(&hal->watched, (m->flags & BOARD_TELL) != 0);
            atomic_store(&hal->posted, 0);
            return m->result;
        }
        if (!client_message_handle(hal, m, (size_t)n, text)) {
            return client_lost(hal, "a message that makes no sense");
        }
    }
}

/* As runtime/hal/inproc/lease.c has it. */
static _Thread_local volatile unsigned inside __attribute__((tls_model("initial-exec")));

bool hal_busy(struct hal *hal)
{
    (void)hal;
    return inside > 0;
}

static _Thread_local int cancel_state __attribute__((tls_model("initial-exec")));

void client_lock(struct hal *hal)
{
    inside++;
    atomic_signal_fence(memory_order_seq_cst);
    pthread_mutex_lock(&hal->lock);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
}

void client_unlock(struct hal *hal)
{
    int before = cancel_state;

    pthread_mutex_unlock(&hal->lock);
    atomic_signal_fence(memory_order_seq_cst);
    inside--;
    pthread_setcancelstate(before, NULL);
}

int64_t board_call(struct hal *hal, enum board_op op, const uint64_t arg[6],
                   uint64_t value[BOARD_VALUES])
{
    struct board_request request = { .op = op, .thread = client_thread };
    int64_t result;

    memcpy(request.arg, arg, sizeof(request.arg));
    if (value) {
        memset(value, 0, BOARD_VALUES * sizeof(*value));
    }
    client_lock(hal);
    result = client_exchange(hal, &request, value, NULL);
    client_unlock(hal);
    return result;
}
