/* SPDX-License-Identifier: MIT */
/* hal.h by requests to a server. */
#include "runtime/hal/board/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"

/* --- coming and going ------------------------------------------------------------------------- */

static int client_connect(const char *path)
{
    uint32_t user = board_user(), owner = 0;
    int fd = board_connect(path, user, &owner);

    if (fd == -EINVAL) {
        fprintf(stderr, "vtegra: " BOARD_SOCKET
                        " is not set: vtegra run --board SOCKET, with the socket that "
                        "`vtegra board` has made\n");
    } else if (fd == -ENAMETOOLONG) {
        fprintf(stderr,
                "vtegra: " BOARD_SOCKET "=%s is too long for a socket (%zu bytes at most)\n", path,
                sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
    } else if (fd == -EPERM) {
        fprintf(stderr,
                "vtegra: the board at " BOARD_SOCKET
                "=%s is refused: it belongs to user %u, not to user %u, and would read and write "
                "all shared memory of this program. Start one of your own, or trust it: vtegra run "
                "--board-user %u\n",
                path, owner, user, owner);
    } else if (fd < 0) {
        fprintf(stderr,
                "vtegra: no board at " BOARD_SOCKET
                "=%s: %s. Start one: vtegra board --socket %s\n",
                path, strerror(-fd), path);
    }
    return fd;
}

/* A board that refuses a user hangs up before it reads the greeting: then the kernel reports that
 * first (ECONNRESET, once), and the refusal lies behind it. */
static int64_t client_welcome_receive(struct hal *hal)
{
    int64_t n = board_receive_files(hal->fd, &hal->board, sizeof(hal->board), hal->files);

    return n == -ECONNRESET
               ? board_receive_files(hal->fd, &hal->board, sizeof(hal->board), hal->files)
               : n;
}

static int client_greet(struct hal *hal)
{
    struct board_hello hello = { .magic = BOARD_MAGIC,
                                 .version = BOARD_VERSION,
                                 .policy = hal->config.policy,
                                 .evict = hal->config.evict,
                                 .seed = hal->config.seed,
                                 .profile_hash = board_profile_hash(hal->config.profile),
                                 .contract_hash = contract_here.hash,
                                 .contract_time = contract_here.time,
                                 .flags =
                                     (hal->config.choose ? BOARD_CHOOSE : 0) |
                                     (hal->config.draw ? BOARD_DRAW : 0) |
                                     (hal->config.choose && getenv(BOARD_TURN) ? BOARD_TURNS : 0) };
    struct board_welcome *b = &hal->board;
    int64_t n;

    g_strlcpy(hello.soc, hal->config.profile->soc.name, sizeof(hello.soc));
    board_send(hal->fd, &hello, sizeof(hello), NULL, 0);
    n = client_welcome_receive(hal);
    if (n != sizeof(*b) || b->magic != BOARD_MAGIC) {
        return (int)client_lost(hal, n == -ECONNRESET ? "it has hung up"
                                     : n < 0          ? strerror((int)-n)
                                                      : "it is none");
    }
    if (b->version != BOARD_VERSION) {
        return (int)client_lost(hal, b->version < BOARD_VERSION
                                         ? "it is of an older vtegra than this program's runtime"
                                         : "it is of a newer vtegra than this program's runtime");
    }
    if (b->status != 0) {
        b->text[sizeof(b->text) - 1] = '\0';
        fprintf(stderr, "vtegra: the board at %s refuses: %s\n", getenv(BOARD_SOCKET), b->text);
        return b->status < 0 ? b->status : -EPROTO;
    }
    if (hal->files[0] < 0 || hal->files[1] < 0) {
        return (int)client_lost(hal, "it has sent no memory");
    }
    hal->notes = !(b->flags & BOARD_SAME_PROCESS) && !(hello.flags & BOARD_TURNS);
    return 0;
}

/* The server refuses a program that wants another SoC, and policies are the program's choice. Where
 * it runs the program's CPU too, it sees it. */
bool hal_given(struct hal_given *out)
{
    struct board_hello hello = { .magic = BOARD_MAGIC,
                                 .version = BOARD_VERSION,
                                 .flags = BOARD_PROBE };
    struct board_welcome welcome;
    int fd = board_connect(getenv(BOARD_SOCKET), board_user(), NULL);

    if (fd >= 0) {
        out->sees_cpu = board_send(fd, &hello, sizeof(hello), NULL, 0) == 0 &&
                        board_receive(fd, &welcome, sizeof(welcome)) == sizeof(welcome) &&
                        welcome.magic == BOARD_MAGIC && welcome.flags & BOARD_SAME_PROCESS;
        close(fd);
    }
    return false;
}

struct hal *hal_open(const struct hal_config *config)
{
    struct hal *hal = g_new0(struct hal, 1);
    int err;

    hal->config = *config;
    hal->files[0] = hal->files[1] = -1;
    hal->packet = g_malloc(BOARD_PACKET_MAX);
    pthread_mutex_init(&hal->lock, NULL);
    hal->fd = client_connect(getenv(BOARD_SOCKET));
    err = hal->fd < 0 ? hal->fd : client_greet(hal);
    if (!err) {
        err = client_memory_open(hal);
    }
    if (err) {
        hal_close(hal);
        errno = -err;
        return NULL;
    }
    return hal;
}

void hal_close(struct hal *hal)
{
    if (hal) {
        client_memory_close(hal);
        if (hal->fd >= 0) {
            close(hal->fd);
        }
        for (int i = 0; i < 2; i++) {
            if (hal->files[i] >= 0) {
                close(hal->files[i]);
            }
        }
        pthread_mutex_destroy(&hal->lock);
        g_free(hal->packet);
        g_free(hal);
    }
}

const struct soc_profile *hal_profile(const struct hal *hal)
{
    return hal->config.profile;
}

/* --- registers, waiting ----------------------------------------------------------------------- */

uint32_t hal_read32(struct hal *hal, enum unit_id unit, uint32_t offset)
{
    uint64_t value[BOARD_VALUES];

    /* 0 of a board that is gone: nothing pends, who polls a bit goes on. */
    board_call(hal, BOARD_READ32, (const uint64_t[6]){ unit, offset }, value);
    return (uint32_t)value[0];
}

void hal_write32(struct hal *hal, enum unit_id unit, uint32_t offset, uint32_t value)
{
    BOARD_CALL(hal, BOARD_WRITE32, unit, offset, value);
}

int hal_claim(struct hal *hal, enum hal_claim what, uint32_t *index)
{
    bool indexed = what == HAL_CLAIM_UNIT || what == HAL_CLAIM_CHANNEL || what == HAL_CLAIM_CONTEXT;
    uint64_t value[BOARD_VALUES];
    int err =
        (int)board_call(hal, BOARD_CLAIM, (const uint64_t[6]){ what, indexed ? *index : 0 }, value);

    if (!err && what != HAL_CLAIM_UNIT) {
        *index = (uint32_t)value[0];
    }
    return err;
}

void hal_release(struct hal *hal, enum hal_claim what, uint32_t index)
{
    BOARD_CALL(hal, BOARD_RELEASE, what, index);
}

bool hal_shared_board(const struct hal *hal, uint64_t *board, uint32_t *process)
{
    *board = hal->board.board;
    *process = hal->board.process;
    return *board != 0;
}

int hal_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    return (int)BOARD_CALL(hal, BOARD_WAIT, syncpt, threshold, timeout_steps);
}

int hal_look_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    return (int)BOARD_CALL(hal, BOARD_WAIT, syncpt, threshold, timeout_steps, true);
}

/* Return: false: it needs a reply. */
static bool client_post(struct hal *hal, const uint64_t arg[6])
{
    struct board_request request = { .op = BOARD_POST, .thread = client_thread };
    bool posts;

    memcpy(request.arg, arg, sizeof(request.arg));
    client_lock(hal);
    posts = hal->posts && hal->posted < BOARD_POSTS_MAX && !hal->gone;
    if (posts) {
        atomic_fetch_add(&hal->posted, 1);
        if (board_send(hal->fd, &request, sizeof(request), NULL, 0) != 0) {
            client_lost(hal, "it has hung up");
        }
    }
    client_unlock(hal);
    return posts;
}

uint64_t hal_signal(struct hal *hal, uint32_t syncpt, struct hal_signal_slot *slot,
                    uint64_t payload, uint32_t start, bool sole)
{
    const uint64_t arg[6] = { syncpt, (uintptr_t)slot, payload, start };
    uint64_t value[BOARD_VALUES];

    if (sole && client_post(hal, arg)) {
        return hal->gone ? payload : payload + 1;
    }
    if (board_call(hal, BOARD_SIGNAL, arg, value)) {
        return payload;
    }
    /* A program that is asked questions, or takes turns with others, waits for each reply. */
    hal->posts = hal->notes && !hal->config.choose && !hal->config.draw;
    return value[0];
}

/* With @lock. The reply to any request has the records. */
static void client_settle(struct hal *hal)
{
    const struct board_request request = { .op = BOARD_TIME, .thread = client_thread };

    if (hal->posted && hal->sink) {
        client_exchange(hal, &request, NULL, NULL);
    }
}

void hal_settle(struct hal *hal)
{
    if (atomic_load_explicit(&hal->posted, memory_order_relaxed)) {
        client_lock(hal);
        client_settle(hal);
        client_unlock(hal);
    }
}

bool hal_poll(struct hal *hal, bool must_progress)
{
    return BOARD_CALL(hal, BOARD_POLL, must_progress) > 0;
}

/* A packet is sent whole or not at all, whoever else sends: no lock. */
void hal_interrupt(struct hal *hal, bool on)
{
    struct board_request request = { .op = BOARD_INTERRUPT, .arg = { on } };

    board_send(hal->fd, &request, sizeof(request), NULL, 0);
}

/* --- the CPU's side --------------------------------------------------------------------------- */

int64_t hal_cpu_clean(struct hal *hal, const void *cpu, size_t len)
{
    return BOARD_CALL(hal, BOARD_CLEAN, (uintptr_t)cpu, len);
}

int64_t hal_cpu_clean_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return BOARD_CALL(hal, BOARD_CLEAN_INVALIDATE, (uintptr_t)cpu, len);
}

int64_t hal_cpu_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return BOARD_CALL(hal, BOARD_INVALIDATE, (uintptr_t)cpu, len);
}

void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind access)
{
    struct hal_mem mem;

    if (hal_mem_find(hal, cpu, &mem)) {
        BOARD_CALL(hal, BOARD_ACCESS, (uintptr_t)cpu, len, access);
    }
}

/* The server would have to take leases back from another process in the middle of anything: none
 * are given. */
void hal_cpu_lease(struct hal *hal, const void *cpu, uintptr_t *lease, const void **memory)
{
    (void)hal;
    (void)cpu;
    __atomic_store_n(lease, 0, __ATOMIC_RELAXED);
    *memory = NULL;
}

/* What the server has counted since the last step comes with the reply. */
void hal_cpu_lease_end(struct hal *hal)
{
    if (hal->sink) {
        hal_observe(hal, hal->mask, hal->sink, hal->opaque);
    }
}

void hal_cpu_lease_holder(struct hal *hal, void (*tell)(void *opaque), void *opaque)
{
    (void)hal;
    (void)tell;
    (void)opaque;
}

/* Without leases there is nothing to report. */
void hal_cpu_hits(struct hal *hal, const struct hal_hits *hits)
{
    (void)hal;
    (void)hits;
}

/* All that a note is. The time is the board's after the last request, which is what this program
 * knows of it. */
static void client_note_record(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    static const enum trace_event events[] = {
        [HAL_NOTE_RELEASE] = TRACE_EVENT_CPU_RELEASE,
        [HAL_NOTE_ACQUIRE] = TRACE_EVENT_CPU_ACQUIRE,
        [HAL_NOTE_WAITED] = TRACE_EVENT_CPU_WAITED,
    };
    struct trace_record record = {
        .event = events[what], .agent = BUS_AGENT_CPU, .thread = client_thread, .arg = { a, b }
    };

    client_lock(hal);
    client_settle(hal);
    record.time_ns = hal->time_ns;
    if (hal->sink && hal->mask & TRACE_SYNC && !hal->gone) {
        hal->sink(hal->opaque, &record);
    }
    client_unlock(hal);
}

void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    if (what == HAL_NOTE_THREAD) {
        client_thread = (uint32_t)a; /* each request carries it */
    } else if (hal->notes && !(what == HAL_NOTE_WAITED && atomic_load(&hal->watched))) {
        client_note_record(hal, what, a, b);
    } else {
        BOARD_CALL(hal, BOARD_NOTE, what, a, b);
    }
}

/* --- time and looking ------------------------------------------------------------------------- */

uint64_t hal_time_ns(struct hal *hal)
{
    uint64_t value[BOARD_VALUES];

    board_call(hal, BOARD_TIME, (const uint64_t[6]){ 0 }, value);
    return value[0];
}

void hal_time_advance(struct hal *hal, int64_t ns)
{
    BOARD_CALL(hal, BOARD_TIME_ADVANCE, (uint64_t)ns);
}

void hal_spare(struct hal *hal, const struct trace_spare *spare)
{
    (void)hal;
    (void)spare;
}

void hal_observe(struct hal *hal, unsigned mask, trace_sink *sink, void *opaque)
{
    struct board_request request = { .op = BOARD_OBSERVE,
                                     .thread = client_thread,
                                     .arg = { sink ? mask : 0, sink != NULL } };

    client_lock(hal);
    client_exchange(hal, &request, NULL, NULL); /* the last records of the old sink come with it */
    hal->sink = sink;
    hal->opaque = opaque;
    hal->mask = mask;
    client_unlock(hal);
}

bool hal_line_state(struct hal *hal, const void *cpu, struct hal_line *out)
{
    uint64_t value[BOARD_VALUES];
    bool found = board_call(hal, BOARD_LINE, (const uint64_t[6]){ (uintptr_t)cpu }, value) > 0;

    *out = (struct hal_line){ value[0] & 1, value[0] & 2, value[0] & 8, value[0] & 4,
                              (unsigned)value[1] };
    return found;
}

uint64_t hal_dirty_lines(struct hal *hal, const void *cpu, uint64_t lines)
{
    uint64_t value[BOARD_VALUES];

    return board_call(hal, BOARD_LINE, (const uint64_t[6]){ (uintptr_t)cpu, lines }, value) > 0
               ? value[2]
               : 0;
}

char *hal_dump(struct hal *hal)
{
    struct board_request request = { .op = BOARD_DUMP };
    GString *text = g_string_new(NULL);

    client_lock(hal);
    client_exchange(hal, &request, NULL, text);
    client_unlock(hal);
    return g_string_free(text, FALSE);
}

/* --- engines behind the SMMU ------------------------------------------------------------------ */

int hal_iommu_map(struct hal *hal, enum unit_id unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova)
{
    uint64_t value[BOARD_VALUES];
    int err = (int)board_call(hal, BOARD_IOMMU_MAP,
                              (const uint64_t[6]){ unit, mem->id, offset, len, prot }, value);

    *iova = value[0];
    return err;
}

void hal_iommu_unmap(struct hal *hal, enum unit_id unit, uint64_t iova, size_t len)
{
    BOARD_CALL(hal, BOARD_IOMMU_UNMAP, unit, iova, len);
}

int hal_iommu_syncpt(struct hal *hal, enum unit_id unit, uint32_t syncpt, uint64_t *iova)
{
    uint64_t value[BOARD_VALUES];
    int err = (int)board_call(hal, BOARD_IOMMU_SYNCPT, (const uint64_t[6]){ unit, syncpt }, value);

    *iova = value[0];
    return err;
}

bool hal_iommu_fault(struct hal *hal, enum unit_id unit, struct hal_iommu_fault *out)
{
    uint64_t value[BOARD_VALUES];
    bool found = board_call(hal, BOARD_IOMMU_FAULT, (const uint64_t[6]){ unit }, value) > 0;

    *out = (struct hal_iommu_fault){ .fsr = (uint32_t)value[1],
                                     .fsynr = (uint32_t)(value[1] >> 32),
                                     .cbfrsynra = (uint32_t)value[2],
                                     .cb = (uint32_t)(value[2] >> 32),
                                     .iova = value[3],
                                     .write = value[4] & 1,
                                     .multiple = value[4] & 2 };
    snprintf(out->smmu, sizeof(out->smmu), "%llx", (unsigned long long)value[0]);
    return found;
}
