/* SPDX-License-Identifier: MIT */
/* A board for one client: its requests are calls of hal.h on the in-process board. The client may
 * be wrong or hostile: nothing it sends may break this process, or reach beyond its board. */
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"
#include "runtime/hal/board/board.h"
#include "runtime/hal/share.h"

/* A client programs engines, their SMMU is the server's. */
static bool is_served(uint64_t unit)
{
    return unit == UNIT_HOST1X || unit == UNIT_IGPU ||
           (unit < UNIT_COUNT && unit_engine((enum unit_id)unit) >= 0);
}

/**
 * struct server - one client
 * @slot: the request that the reader has for the worker; @full: there is one
 * @closed: the client is gone, or has broken the rules: then @wrong says which
 * @mems: id -> struct hal_mem; @reserved: va -> size; @mapped: iova | unit -> bytes; @claimed: set
 * of claim_key()
 */
struct server {
    int fd;
    struct hal *hal;
    const struct soc_profile *profile;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct board_request slot;
    bool full, closed;
    char wrong[128];
    GHashTable *mems, *reserved, *mapped, *claimed;
    uint64_t arena_base, arena_bytes;
    uint32_t thread;
    struct board_host *host;
    pthread_mutex_t records_lock; /* with a host, accesses make records outside of requests */
    GArray *records;              /* struct board_record, on their way */
};

/* --- talking ---------------------------------------------------------------------------------- */

static void server_close(struct server *s, const char *wrong)
{
    pthread_mutex_lock(&s->lock);
    if (!s->closed && wrong) {
        g_strlcpy(s->wrong, wrong, sizeof(s->wrong));
    }
    s->closed = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    hal_interrupt(s->hal, true); /* a wait ends */
}

/* The client's packets: an interrupt at once, a request for the worker. */
static void *reader(void *opaque)
{
    struct server *s = opaque;

    for (;;) {
        struct board_request request;
        int64_t n = board_receive(s->fd, &request, sizeof(request));
        bool twice;

        if (n != sizeof(request)) {
            char text[96];

            g_snprintf(text, sizeof(text),
                       n == -EMSGSIZE ? "a packet longer than a request"
                                      : "a packet of %lld bytes instead of %zu",
                       (long long)n, sizeof(request));
            server_close(s, n == -ECONNRESET ? NULL : text);
            return NULL;
        }
        if (request.op == BOARD_INTERRUPT) {
            hal_interrupt(s->hal, request.arg[0] != 0);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        twice = s->full;
        s->slot = request;
        s->full = true;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        if (twice) {
            server_close(s, "a request before the reply to the last");
            return NULL;
        }
    }
}

/* The next request. false: there will be none. */
static bool request_take(struct server *s, struct board_request *request)
{
    bool got;

    pthread_mutex_lock(&s->lock);
    while (!s->full && !s->closed) {
        pthread_cond_wait(&s->changed, &s->lock);
    }
    got = !s->closed;
    *request = s->slot;
    s->full = false;
    pthread_mutex_unlock(&s->lock);
    return got;
}

static void message_send(struct server *s, const struct board_message *m, const void *more,
                         size_t bytes)
{
    int err = board_send(s->fd, m, sizeof(*m), more, bytes);

    if (err) {
        server_close(s,
                     err == -EPIPE || err == -ECONNRESET ? NULL : "it does not take its messages");
    }
}

/* Only the worker sends: the client reads nothing between its requests. */
static void records_flush(struct server *s)
{
    GArray *records;

    pthread_mutex_lock(&s->records_lock);
    records = s->records;
    s->records = records->len ? g_array_new(FALSE, FALSE, sizeof(struct board_record)) : records;
    pthread_mutex_unlock(&s->records_lock);
    for (guint at = 0; at < records->len; at += BOARD_RECORDS_MAX) {
        struct board_message m = { .type = BOARD_RECORDS,
                                   .count = MIN(records->len - at, BOARD_RECORDS_MAX) };

        message_send(s, &m, &g_array_index(records, struct board_record, at),
                     m.count * sizeof(struct board_record));
    }
    if (records->len) {
        g_array_unref(records);
    }
}

static void sink(void *opaque, const struct trace_record *r)
{
    struct server *s = opaque;
    struct board_record record = { .event = r->event,
                                   .agent = r->agent,
                                   .region = r->region,
                                   .channel = r->channel,
                                   .time_ns = r->time_ns,
                                   .thread = r->thread };
    bool many;

    memcpy(record.arg, r->arg, sizeof(record.arg));
    pthread_mutex_lock(&s->records_lock);
    g_array_append_val(s->records, record);
    many = s->records->len >= BOARD_RECORDS_MAX && !s->host;
    pthread_mutex_unlock(&s->records_lock);
    if (many) {
        records_flush(s);
    }
}

/* A question in the middle of a request. false: there is no answer. */
static bool ask(struct server *s, const struct board_message *m, const void *more, size_t bytes,
                uint64_t *answer)
{
    struct board_request request;

    records_flush(s);
    message_send(s, m, more, bytes);
    if (!request_take(s, &request)) {
        return false;
    }
    if (request.op != BOARD_ANSWER) {
        server_close(s, "a request instead of an answer");
        return false;
    }
    *answer = request.arg[0];
    return true;
}

static int choose(void *opaque, const uint32_t *agent, unsigned n)
{
    struct board_message m = { .type = BOARD_ASK_CHOOSE, .count = MIN(n, BOARD_AGENTS_MAX) };
    uint64_t answer;

    if (!ask(opaque, &m, agent, m.count * sizeof(*agent), &answer)) {
        return -1;
    }
    return answer < m.count ? (int)answer : -1;
}

static uint64_t draw(void *opaque, enum cache_kind cache)
{
    struct board_message m = { .type = BOARD_ASK_DRAW, .result = cache };
    uint64_t answer;

    return ask(opaque, &m, NULL, 0, &answer) ? answer : 0;
}

/* --- what it claims --------------------------------------------------------------------------- */

static gpointer claim_key(uint64_t what, uint32_t index)
{
    return (gpointer)(uintptr_t)((what + 1) << 32 | index);
}

static int64_t do_claim(struct server *s, const uint64_t *arg, uint64_t *value)
{
    uint32_t index = (uint32_t)arg[1];
    int err;

    if (arg[0] >= HAL_CLAIMS || arg[1] > UINT32_MAX ||
        (arg[0] == HAL_CLAIM_UNIT && (!is_served(arg[1]) || unit_engine(index) < 0))) {
        return -EINVAL;
    }
    err = hal_claim(s->hal, (enum hal_claim)arg[0], &index);
    if (!err) {
        value[0] = index;
        g_hash_table_add(s->claimed, claim_key(arg[0], index));
    }
    return err;
}

static int64_t do_release(struct server *s, const uint64_t *arg)
{
    if (arg[0] >= HAL_CLAIMS || arg[1] > UINT32_MAX ||
        !g_hash_table_remove(s->claimed, claim_key(arg[0], (uint32_t)arg[1]))) {
        return -EINVAL;
    }
    hal_release(s->hal, (enum hal_claim)arg[0], (uint32_t)arg[1]);
    return 0;
}

/* --- memory ----------------------------------------------------------------------------------- */

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Inside one reservation, and nothing there yet. */
static bool place_is_free(struct server *s, uint64_t at, uint64_t size)
{
    GHashTableIter it;
    gpointer key, value;
    bool inside = false;

    g_hash_table_iter_init(&it, s->reserved);
    while (!inside && g_hash_table_iter_next(&it, &key, &value)) {
        uint64_t va = (uintptr_t)key, bytes = (uintptr_t)value;

        inside = at >= va && at - va <= bytes && size <= bytes - (at - va);
    }
    g_hash_table_iter_init(&it, s->mems);
    while (inside && g_hash_table_iter_next(&it, NULL, &value)) {
        const struct hal_mem *mem = value;

        inside = !overlap(at, size, (uintptr_t)mem->cpu, mem->size);
    }
    return inside;
}

static int64_t do_alloc(struct server *s, const uint64_t *arg, uint64_t *value)
{
    uint64_t kind = arg[0], size = arg[1], align = arg[2], at = arg[3];
    struct hal_mem *mem;
    int err;

    if (kind >= HAL_MEM_KINDS || size == 0 || at % HAL_PAGE || (align & (align - 1))) {
        return -EINVAL;
    }
    if (size > s->arena_bytes) {
        return -ENOMEM;
    }
    if (at && !place_is_free(s, at, (size + HAL_PAGE - 1) & ~(uint64_t)(HAL_PAGE - 1))) {
        return -EINVAL;
    }
    mem = g_new0(struct hal_mem, 1);
    err = hal_mem_alloc(s->hal, (enum hal_mem_kind)kind, size, align, (void *)(uintptr_t)at, mem);
    if (err) {
        g_free(mem);
        return err;
    }
    value[0] = (uintptr_t)mem->cpu;
    value[1] = mem->size;
    value[2] = mem->bus;
    value[3] = mem->id;
    value[4] = mem->kind;
    value[5] = mem->cpu_cached;
    g_hash_table_insert(s->mems, GUINT_TO_POINTER(mem->id), mem);
    return 0;
}

static struct hal_mem *mem_find(struct server *s, uint64_t id)
{
    return id <= UINT32_MAX ? g_hash_table_lookup(s->mems, GUINT_TO_POINTER((guint)id)) : NULL;
}

static int64_t do_free(struct server *s, const uint64_t *arg)
{
    struct hal_mem *mem = mem_find(s, arg[0]);

    if (!mem) {
        return -EINVAL;
    }
    hal_mem_free(s->hal, mem);
    g_hash_table_remove(s->mems, GUINT_TO_POINTER((guint)arg[0]));
    return 0;
}

static int64_t do_va_reserve(struct server *s, const uint64_t *arg, uint64_t *value)
{
    void *va;

    if (arg[0] == 0 || arg[0] % HAL_PAGE || arg[0] > s->arena_bytes || (arg[1] & (arg[1] - 1))) {
        return -EINVAL;
    }
    va = hal_va_reserve(s->hal, arg[0], arg[1], (void *)(uintptr_t)arg[2]);
    if (!va) {
        return -ENOMEM;
    }
    g_hash_table_insert(s->reserved, va, (gpointer)(uintptr_t)arg[0]);
    value[0] = (uintptr_t)va;
    return 0;
}

static int64_t do_va_release(struct server *s, const uint64_t *arg)
{
    gpointer va = (gpointer)(uintptr_t)arg[0];
    GHashTableIter it;
    gpointer value;

    if (arg[1] == 0 || (uintptr_t)g_hash_table_lookup(s->reserved, va) != arg[1]) {
        return -EINVAL;
    }
    g_hash_table_iter_init(&it, s->mems);
    while (g_hash_table_iter_next(&it, NULL, &value)) {
        const struct hal_mem *mem = value;

        if (overlap(arg[0], arg[1], (uintptr_t)mem->cpu, mem->size)) {
            return -EBUSY;
        }
    }
    g_hash_table_remove(s->reserved, va);
    hal_va_release(s->hal, va, arg[1]);
    return 0;
}

/* --- the SMMU --------------------------------------------------------------------------------- */

static int64_t do_iommu_map(struct server *s, const uint64_t *arg, uint64_t *value)
{
    struct hal_mem *mem = mem_find(s, arg[1]);
    int err;

    if (!is_served(arg[0]) || !mem || arg[4] > HAL_PROT_WRITE) {
        return -EINVAL;
    }
    err = hal_iommu_map(s->hal, (enum unit_id)arg[0], mem, arg[2], arg[3], (enum hal_prot)arg[4],
                        &value[0]);
    if (!err) {
        g_hash_table_insert(s->mapped, (gpointer)(uintptr_t)(value[0] | arg[0]),
                            (gpointer)(uintptr_t)arg[3]);
    }
    return err;
}

static int64_t do_iommu_unmap(struct server *s, const uint64_t *arg)
{
    gpointer key = (gpointer)(uintptr_t)(arg[1] | arg[0]);

    if (!is_served(arg[0]) || arg[1] % HAL_PAGE || arg[2] == 0 ||
        (uintptr_t)g_hash_table_lookup(s->mapped, key) != arg[2]) {
        return -EINVAL;
    }
    g_hash_table_remove(s->mapped, key);
    hal_iommu_unmap(s->hal, (enum unit_id)arg[0], arg[1], arg[2]);
    return 0;
}

static int64_t do_iommu_fault(struct server *s, const uint64_t *arg, uint64_t *value)
{
    struct hal_iommu_fault fault;

    if (!is_served(arg[0]) || !hal_iommu_fault(s->hal, (enum unit_id)arg[0], &fault)) {
        return 0;
    }
    value[0] = g_ascii_strtoull(fault.smmu, NULL, 16);
    value[1] = fault.fsr | (uint64_t)fault.fsynr << 32;
    value[2] = fault.cbfrsynra | (uint64_t)fault.cb << 32;
    value[3] = fault.iova;
    value[4] = (fault.write ? 1 : 0) | (fault.multiple ? 2 : 0);
    return 1;
}

/* --- requests --------------------------------------------------------------------------------- */

/* What of [va, va + len) lies in the arena: nothing else is ours. */
static bool clamp(const struct server *s, uint64_t *va, uint64_t *len)
{
    uint64_t end = *va + MIN(*len, UINT64_MAX - *va);

    *va = MAX(*va, s->arena_base);
    end = MIN(end, s->arena_base + s->arena_bytes);
    *len = end > *va ? end - *va : 0;
    return *len > 0;
}

/* The lowest memory of ours that reaches behind @va; NULL. */
static const struct hal_mem *mem_from(struct server *s, uint64_t va)
{
    const struct hal_mem *lowest = NULL;
    GHashTableIter it;
    gpointer value;

    g_hash_table_iter_init(&it, s->mems);
    while (g_hash_table_iter_next(&it, NULL, &value)) {
        const struct hal_mem *mem = value;

        if ((uintptr_t)mem->cpu + mem->size > va && (!lowest || mem->cpu < lowest->cpu)) {
            lowest = mem;
        }
    }
    return lowest;
}

static int64_t maintain(struct server *s, uint32_t op, uint64_t va, uint64_t len)
{
    const void *cpu = (const void *)(uintptr_t)va;

    return op == BOARD_CLEAN              ? hal_cpu_clean(s->hal, cpu, len)
           : op == BOARD_CLEAN_INVALIDATE ? hal_cpu_clean_invalidate(s->hal, cpu, len)
                                          : hal_cpu_invalidate(s->hal, cpu, len);
}

/* Memory by memory: a range as large as the arena is no more work than what is in it. */
static int64_t do_maintain(struct server *s, const struct board_request *r)
{
    uint64_t va = r->arg[0], len = r->arg[1], end;
    const struct hal_mem *mem;
    int64_t lines = 0;

    if (!clamp(s, &va, &len)) {
        return 0;
    }
    end = va + len;
    while (va < end && (mem = mem_from(s, va)) && (uintptr_t)mem->cpu < end) {
        uint64_t from = MAX(va, (uintptr_t)mem->cpu);

        va = (uintptr_t)mem->cpu + mem->size;
        lines += maintain(s, r->op, from, MIN(va, end) - from);
    }
    return lines;
}

static int64_t do_access(struct server *s, const struct board_request *r)
{
    uint64_t va = r->arg[0], len = r->arg[1];

    if ((r->arg[2] & ~(uint64_t)ACCESS_SYNC) > ACCESS_ATOMIC) {
        return -EINVAL;
    }
    if (clamp(s, &va, &len)) {
        hal_cpu_access(s->hal, (const void *)(uintptr_t)va, len, (enum access_kind)r->arg[2]);
    }
    return 0;
}

static int64_t do_register(struct server *s, const struct board_request *r, uint64_t *value)
{
    if (!is_served(r->arg[0]) || r->arg[1] > UINT32_MAX || r->arg[1] % 4) {
        return -EINVAL;
    }
    if (r->op == BOARD_READ32) {
        value[0] = hal_read32(s->hal, (enum unit_id)r->arg[0], (uint32_t)r->arg[1]);
    } else {
        hal_write32(s->hal, (enum unit_id)r->arg[0], (uint32_t)r->arg[1], (uint32_t)r->arg[2]);
    }
    return 0;
}

static int64_t do_note(struct server *s, const uint64_t *arg)
{
    if (arg[0] < HAL_NOTE_RELEASE || arg[0] > HAL_NOTE_WAITED) {
        return -EINVAL;
    }
    hal_note(s->hal, (enum hal_note)arg[0], arg[1], arg[2]);
    return 0;
}

static int64_t do_line(struct server *s, const uint64_t *arg, uint64_t *value)
{
    struct hal_line line;
    bool found = hal_line_state(s->hal, (const void *)(uintptr_t)arg[0], &line);

    value[0] = (line.cpu_valid ? 1 : 0) | (line.cpu_dirty ? 2 : 0) | (line.l2_valid ? 4 : 0);
    value[1] = line.l2_dirty_bytes;
    return found;
}

static int64_t do_dump(struct server *s)
{
    char *text = hal_dump(s->hal);

    for (size_t at = 0, n = strlen(text); at < n; at += BOARD_TEXT_MAX) {
        struct board_message m = { .type = BOARD_TEXT,
                                   .count = (uint32_t)MIN(n - at, BOARD_TEXT_MAX) };

        message_send(s, &m, text + at, m.count);
    }
    g_free(text);
    return 0;
}

static int64_t do_look(struct server *s, const struct board_request *r, uint64_t *value)
{
    switch (r->op) {
    case BOARD_WAIT:
        return r->arg[0] >= s->profile->host1x.syncpts || r->arg[1] > UINT32_MAX
                   ? -EINVAL
                   : hal_wait(s->hal, (uint32_t)r->arg[0], (uint32_t)r->arg[1], r->arg[2]);
    case BOARD_POLL:
        return hal_poll(s->hal, r->arg[0] != 0);
    case BOARD_TIME:
        value[0] = hal_time_ns(s->hal);
        return 0;
    case BOARD_TIME_ADVANCE:
        hal_time_advance(s->hal, r->arg[0]);
        return 0;
    case BOARD_OBSERVE:
        hal_observe(s->hal, (unsigned)r->arg[0] & TRACE_ALL, r->arg[1] ? sink : NULL, s);
        return 0;
    default:
        return do_line(s, r->arg, value);
    }
}

static int64_t do_iommu_syncpt(struct server *s, const uint64_t *arg, uint64_t *value)
{
    return !is_served(arg[0]) || arg[1] > UINT32_MAX
               ? -EINVAL
               : hal_iommu_syncpt(s->hal, (enum unit_id)arg[0], (uint32_t)arg[1], &value[0]);
}

static int64_t request_do(struct server *s, const struct board_request *r, uint64_t *value)
{
    switch (r->op) {
    case BOARD_READ32:
    case BOARD_WRITE32:
        return do_register(s, r, value);
    case BOARD_CLAIM:
        return do_claim(s, r->arg, value);
    case BOARD_RELEASE:
        return do_release(s, r->arg);
    case BOARD_ALLOC:
        return do_alloc(s, r->arg, value);
    case BOARD_FREE:
        return do_free(s, r->arg);
    case BOARD_VA_RESERVE:
        return do_va_reserve(s, r->arg, value);
    case BOARD_VA_RELEASE:
        return do_va_release(s, r->arg);
    case BOARD_IOMMU_MAP:
        return do_iommu_map(s, r->arg, value);
    case BOARD_IOMMU_UNMAP:
        return do_iommu_unmap(s, r->arg);
    case BOARD_IOMMU_SYNCPT:
        return do_iommu_syncpt(s, r->arg, value);
    case BOARD_IOMMU_FAULT:
        return do_iommu_fault(s, r->arg, value);
    case BOARD_CLEAN:
    case BOARD_CLEAN_INVALIDATE:
    case BOARD_INVALIDATE:
        return do_maintain(s, r);
    case BOARD_ACCESS:
        return do_access(s, r);
    case BOARD_NOTE:
        return do_note(s, r->arg);
    case BOARD_DUMP:
        return do_dump(s);
    default:
        return do_look(s, r, value);
    }
}

static void requests_serve(struct server *s)
{
    struct board_request request;

    while (request_take(s, &request)) {
        struct board_message reply = { .type = BOARD_REPLY };

        if (request.op >= BOARD_OP_COUNT) {
            server_close(s, request.op == BOARD_ANSWER ? "an answer without a question"
                                                       : "a request that does not exist");
            return;
        }
        if (request.thread != s->thread) {
            hal_note(s->hal, HAL_NOTE_THREAD, request.thread, 0);
            s->thread = request.thread;
        }
        reply.result = request_do(s, &request, reply.value);
        records_flush(s);
        message_send(s, &reply, NULL, 0);
    }
}

/* --- coming and going ------------------------------------------------------------------------- */

static void G_GNUC_PRINTF(3, 4) refuse(int fd, int status, const char *format, ...)
{
    struct board_welcome welcome = { .magic = BOARD_MAGIC,
                                     .version = BOARD_VERSION,
                                     .status = status };
    va_list args;

    va_start(args, format);
    g_vsnprintf(welcome.text, sizeof(welcome.text), format, args);
    va_end(args);
    board_send(fd, &welcome, sizeof(welcome), NULL, 0);
    fprintf(stderr, "vtegra board: a client was refused: %s\n", welcome.text);
}

/* Is the client's runtime built from the same sources? */
static bool contract_check(int fd, const struct board_hello *hello)
{
    static const struct contract_side program = { "the program's runtime",
                                                  "build it anew (for aarch64: scripts/guest.sh)" };
    static const struct contract_side board = { "this board", "build it anew" };
    const struct contract other = { hello->contract_hash, hello->contract_time };
    g_autofree char *refusal = contract_refusal(&other, &program, &contract_here, &board);

    if (refusal) {
        refuse(fd, -EPROTO, "%s", refusal);
    }
    return !refusal;
}

static bool hello_take(int fd, const struct soc_profile *profile, struct board_hello *hello)
{
    int64_t n = board_receive(fd, hello, sizeof(*hello));
    bool greets = n >= (int64_t)(2 * sizeof(uint32_t)) || n == -EMSGSIZE; /* magic and version */

    if (!greets || hello->magic != BOARD_MAGIC) {
        refuse(fd, -EPROTO, "no greeting");
    } else if (hello->version != BOARD_VERSION) {
        refuse(fd, -EPROTO,
               "its protocol is version %u, this board's is %u: programs and board must be of the "
               "same vtegra, and the %s is older",
               hello->version, BOARD_VERSION,
               hello->version < BOARD_VERSION ? "program's runtime" : "board");
    } else if (n != sizeof(*hello)) {
        refuse(fd, -EPROTO, "no greeting");
    } else if (!(hello->flags & BOARD_PROBE) && !contract_check(fd, hello)) {
        return false;
    } else if (!(hello->flags & BOARD_PROBE) &&
               hello->profile_hash != board_profile_hash(profile)) {
        refuse(
            fd, -EINVAL,
            "this board is %s, the program wants %.*s: VTEGRA_SOC, or vtegra board --soc, and the "
            "same profile for both",
            profile->soc.name, (int)strnlen(hello->soc, sizeof(hello->soc)), hello->soc);
    } else if (hello->policy > HAL_POLICY_SEEDED || hello->evict > EVICT_SEEDED) {
        refuse(fd, -EINVAL, "policy %u, eviction %u: there are none", hello->policy, hello->evict);
    } else {
        return true;
    }
    return false;
}

static bool board_up(struct server *s, const struct board_hello *hello)
{
    struct board_welcome welcome = { .magic = BOARD_MAGIC, .version = BOARD_VERSION };
    struct hal_shared shared;

    s->hal = hal_open(&(struct hal_config){
        .profile = s->profile,
        .policy = (enum hal_policy)hello->policy,
        .evict = (enum evict)hello->evict,
        .seed = hello->seed,
        .choose = hello->flags & BOARD_CHOOSE ? choose : NULL,
        .draw = hello->flags & BOARD_DRAW ? draw : NULL,
        .opaque = s,
    });
    if (!s->hal) {
        refuse(s->fd, -ENOMEM, "the board does not come up: %s", g_strerror(errno));
        return false;
    }
    hal_arena_bounds(s->hal, &s->arena_base, &s->arena_bytes);
    hal_share(s->hal, &shared);
    welcome.flags = s->host ? BOARD_SAME_PROCESS : 0;
    welcome.arena_base = s->arena_base;
    welcome.arena_bytes = s->arena_bytes;
    welcome.dram_base = shared.base;
    welcome.dram_bytes = shared.bytes;
    return board_send_files(s->fd, &welcome, sizeof(welcome), shared.files) == 0;
}

static void host_show(struct server *s, struct hal *hal)
{
    if (s->host) {
        pthread_mutex_lock(&s->host->lock);
        s->host->hal = hal;
        pthread_mutex_unlock(&s->host->lock);
    }
}

static int serve(struct server *s)
{
    pthread_t thread;

    pthread_mutex_init(&s->records_lock, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->mems = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    s->reserved = g_hash_table_new(NULL, NULL);
    s->mapped = g_hash_table_new(NULL, NULL);
    s->claimed = g_hash_table_new(NULL, NULL);
    s->records = g_array_new(FALSE, FALSE, sizeof(struct board_record));
    host_show(s, s->hal);
    if (pthread_create(&thread, NULL, reader, s) == 0) {
        requests_serve(s);
        shutdown(s->fd, SHUT_RDWR); /* the reader ends */
        pthread_join(thread, NULL);
    }
    host_show(s, NULL);
    hal_close(s->hal);
    g_array_unref(s->records);
    g_hash_table_unref(s->claimed);
    g_hash_table_unref(s->mapped);
    g_hash_table_unref(s->reserved);
    g_hash_table_unref(s->mems);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->records_lock);
    if (*s->wrong) {
        fprintf(stderr, "vtegra board: a client was sent away: %s\n", s->wrong);
    }
    return *s->wrong ? -EPROTO : 0;
}

int board_greet(int fd, const struct soc_profile *profile, const struct board_host *host,
                struct board_hello *hello)
{
    struct timeval patience = { .tv_sec = 10 };

    *hello = (struct board_hello){ 0 };
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)); /* of the greeting */
    if (!hello_take(fd, profile, hello)) {
        return -EPROTO;
    }
    if (!(hello->flags & BOARD_PROBE)) {
        return 1;
    }
    board_send(fd,
               &(struct board_welcome){ .magic = BOARD_MAGIC,
                                        .version = BOARD_VERSION,
                                        .flags = host ? BOARD_SAME_PROCESS : 0 },
               sizeof(struct board_welcome), NULL, 0);
    return 0;
}

void board_refuse_busy(int fd)
{
    refuse(fd, -EBUSY, "another program uses it; one at a time");
}

int board_serve(int fd, const struct soc_profile *profile, struct board_host *host,
                const struct board_hello *hello)
{
    struct timeval patience = { .tv_sec = 0 };
    struct server s = { .fd = fd, .profile = profile, .host = host };

    if (!board_up(&s, hello)) {
        hal_close(s.hal);
        return -EPROTO;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return serve(&s);
}
