/* SPDX-License-Identifier: MIT */
/* Requests about registers, caches, waiting and looking: calls of hal.h, of what the program owns.
 */
#include <errno.h>
#include <string.h>

#include "runtime/hal/board/server.h"

/* --- claims ----------------------------------------------------------------------------------- */

static uint32_t *owner_of(struct board *b, uint64_t what, uint32_t index)
{
    switch (what) {
    case HAL_CLAIM_CHANNEL:
        return index < CHANS_ALL ? &b->channel[index] : NULL;
    case HAL_CLAIM_CONTEXT:
        return index < CHANS_ALL ? &b->context[index] : NULL;
    case HAL_CLAIM_SYNCPT:
        return index < b->profile->host1x.syncpts ? &b->syncpt[index].owner : NULL;
    case HAL_CLAIM_UNIT:
        return is_engine(index) ? &b->unit[index] : NULL;
    default:
        return NULL;
    }
}

static int64_t do_claim(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct board *b = c->board;
    uint32_t index = (uint32_t)arg[1];
    int err;

    if (arg[0] >= HAL_CLAIMS || arg[1] > UINT32_MAX ||
        (arg[0] == HAL_CLAIM_UNIT && !is_engine(arg[1]))) {
        return -EINVAL;
    }
    err = hal_claim(b->hal, (enum hal_claim)arg[0], &index);
    if (!err) {
        uint32_t *owner = owner_of(b, arg[0], index);

        value[0] = index;
        if (owner) {
            *owner = c->number;
        }
    }
    return err;
}

static uintptr_t requests_uses(const struct board_client *c, uint32_t id)
{
    const struct board_syncpt *s = &c->board->syncpt[id];

    return s->users ? (uintptr_t)g_hash_table_lookup(s->users, (gpointer)(uintptr_t)c->number) : 0;
}

static void uses_set(const struct board_client *c, uint32_t id, uintptr_t count, uintptr_t rights)
{
    struct board_syncpt *s = &c->board->syncpt[id];

    if (!s->users) {
        s->users = g_hash_table_new(NULL, NULL);
    }
    if (count) {
        g_hash_table_insert(s->users, (gpointer)(uintptr_t)c->number,
                            (gpointer)(count << 8 | rights));
    } else {
        g_hash_table_remove(s->users, (gpointer)(uintptr_t)c->number);
    }
}

/* The next owner may come when no program is left that may wait for it. */
static void syncpt_recycle(struct board *b, uint32_t id)
{
    struct board_syncpt *s = &b->syncpt[id];

    if (s->owner && (s->gone || s->released) && !s->passes &&
        (!s->users || !g_hash_table_size(s->users))) {
        g_clear_pointer(&s->users, g_hash_table_unref);
        *s = (struct board_syncpt){ 0 };
        hal_release(b->hal, HAL_CLAIM_SYNCPT, id);
    }
}

void syncpt_unpass(struct board *b, uint32_t id)
{
    b->syncpt[id].passes--;
    syncpt_recycle(b, id);
}

void syncpt_use(struct board_client *c, uint32_t id, uint32_t rights)
{
    uintptr_t had = requests_uses(c, id);

    uses_set(c, id, (had >> 8) + 1, (had & 0xff) | rights);
}

bool may_use(const struct board_client *c, uint32_t id, uint32_t rights)
{
    const struct board_syncpt *s = &c->board->syncpt[id];

    return (s->owner == c->number && !s->released) ||
           !(rights & ~(uint32_t)(requests_uses(c, id) & 0xff));
}

bool may_signal(const struct board_client *c, uint32_t id)
{
    return c->board->syncpt[id].owner == c->number || (requests_uses(c, id) & HAL_RIGHT_WRITE);
}

/* What it has imported first: an owner gives it back last. */
static int64_t syncpt_release(struct board_client *c, uint32_t id)
{
    struct board_syncpt *s = &c->board->syncpt[id];
    uintptr_t had = requests_uses(c, id);

    if (had) {
        uses_set(c, id, (had >> 8) - 1, had & 0xff);
    } else if (s->owner == c->number && !s->released) {
        s->released = true;
    } else {
        return -EINVAL;
    }
    syncpt_recycle(c->board, id);
    return 0;
}

static int64_t do_release(struct board_client *c, const uint64_t *arg)
{
    uint32_t *owner = arg[1] <= UINT32_MAX ? owner_of(c->board, arg[0], (uint32_t)arg[1]) : NULL;

    if (!owner) {
        return arg[0] == HAL_CLAIM_CODE ? 0 : -EINVAL; /* the number is not used again */
    }
    if (arg[0] == HAL_CLAIM_SYNCPT) {
        return syncpt_release(c, (uint32_t)arg[1]);
    }
    if (*owner != c->number) {
        return -EINVAL;
    }
    *owner = 0;
    hal_release(c->board->hal, (enum hal_claim)arg[0], (uint32_t)arg[1]);
    return 0;
}

/* Its channels have stopped. An engine stays its: what tasks it has left, no other program knows.
 */
void claims_leave(struct board_client *c)
{
    struct board *b = c->board;

    for (uint32_t i = 0; i < CHANS_ALL; i++) {
        do_release(c, (const uint64_t[]){ HAL_CLAIM_CHANNEL, i });
        do_release(c, (const uint64_t[]){ HAL_CLAIM_CONTEXT, i });
    }
    for (uint32_t id = 1; id < b->profile->host1x.syncpts; id++) {
        if (requests_uses(c, id)) {
            b->syncpt[id].signaler_gone |= (requests_uses(c, id) & HAL_RIGHT_WRITE) != 0;
            uses_set(c, id, 0, 0);
        }
        b->syncpt[id].gone |= b->syncpt[id].owner == c->number;
        b->any_left |= b->syncpt[id].gone || b->syncpt[id].signaler_gone;
        syncpt_recycle(b, id);
    }
}

/* --- registers -------------------------------------------------------------------------------- */

/* Bit n of word w is syncpoint 32 w + n. */
static bool may_increment(const struct board_client *c, uint32_t word, uint32_t bits)
{
    for (uint32_t n = 0; n < 32; n++) {
        uint32_t id = word * 32 + n;

        if ((bits >> n & 1) && (id >= c->board->profile->host1x.syncpts || !may_signal(c, id))) {
            return false;
        }
    }
    return true;
}

static bool may_program_gpu(const struct board_client *c, uint64_t gpu, uint32_t offset, bool write,
                            uint32_t value)
{
    const struct board *b = c->board;
    const uint32_t *channel = &b->channel[first_of(gpu)], *context = &b->context[first_of(gpu)];

    if (offset - IGPU_CHAN_BASE < CHAN_COUNT * CHAN_WINDOW) {
        uint32_t word = (offset - IGPU_CHAN_BASE) % CHAN_WINDOW;

        return channel[(offset - IGPU_CHAN_BASE) / CHAN_WINDOW] == c->number &&
               !(write && word == CHAN_CONTEXT &&
                 (value >= CHAN_COUNT || context[value] != c->number));
    }
    return !(write && offset == IGPU_USERMODE_NOTIFY_CHANNEL_PENDING) ||
           (value < CHAN_COUNT && channel[value] == c->number);
}

static bool may_program(const struct board_client *c, const struct board_request *r)
{
    uint32_t offset = (uint32_t)r->arg[1], value = (uint32_t)r->arg[2];
    bool write = r->op == BOARD_WRITE32;

    if (is_engine(r->arg[0])) {
        return c->board->unit[r->arg[0]] == c->number;
    }
    if (unit_is_gpu((enum unit_id)r->arg[0])) {
        return may_program_gpu(c, r->arg[0], offset, write, value);
    }
    return !write ||
           (offset >= HOST1X_SYNCPT_CPU_INCR && offset < HOST1X_SYNCPT_THRESH_CPU0_INT_STATUS &&
            may_increment(c, (offset - HOST1X_SYNCPT_CPU_INCR) / 4, value));
}

/* Where in the program's list of faulted channels is the first one of @gpu? @c->faults->len: there
 * is none. */
static guint fault_of(const struct board_client *c, uint64_t gpu)
{
    guint i = 0;

    while (i < c->faults->len &&
           g_array_index(c->faults, uint32_t, i) / CHAN_COUNT != first_of(gpu) / CHAN_COUNT) {
        i++;
    }
    return i;
}

/* A GPU's interrupt, as the program sees it: of its own channels. Return: false: no such register.
 */
static bool interrupt_register(struct board_client *c, const struct board_request *r,
                               uint64_t *value)
{
    guint at;
    bool any;

    if (!unit_is_gpu((enum unit_id)r->arg[0]) ||
        (r->arg[1] != IGPU_INTR && r->arg[1] != IGPU_INTR_CHANNEL)) {
        return false;
    }
    if (!is_alone(c->board)) {
        faults_collect(c->board);
    }
    at = fault_of(c, r->arg[0]);
    any = at < c->faults->len;
    if (is_alone(c->board) && !any) {
        return false; /* all are its own */
    }
    if (r->op == BOARD_READ32) {
        value[0] = r->arg[1] == IGPU_INTR ? (any ? FIELD_MASK(IGPU_INTR_CHANNEL_ERROR) : 0)
                   : any                  ? g_array_index(c->faults, uint32_t, at) % CHAN_COUNT
                                          : UINT32_MAX;
    } else if (r->arg[1] == IGPU_INTR && (r->arg[2] & FIELD_MASK(IGPU_INTR_CHANNEL_ERROR)) && any) {
        g_array_remove_index(c->faults, at);
    }
    return true;
}

/* A channel that is switched off or on has no error any more. */
static void faults_forget(struct board_client *c, const struct board_request *r)
{
    uint32_t at = (uint32_t)r->arg[1] - IGPU_CHAN_BASE;

    if (!unit_is_gpu((enum unit_id)r->arg[0]) || at >= CHAN_COUNT * CHAN_WINDOW ||
        at % CHAN_WINDOW != CHAN_CTRL) {
        return;
    }
    for (guint i = c->faults->len; i > 0; i--) {
        if (g_array_index(c->faults, uint32_t, i - 1) == first_of(r->arg[0]) + at / CHAN_WINDOW) {
            g_array_remove_index(c->faults, i - 1);
        }
    }
}

/* A driver cleans the L2 and then drops its lines: two requests, between which another program's
 * work may have made lines dirty. */
static void others_clean(const struct board_client *c, const struct board_request *r)
{
    if (unit_is_gpu((enum unit_id)r->arg[0]) && r->arg[1] == IGPU_FLUSH_L2_SYSTEM_INVALIDATE &&
        !is_alone(c->board)) {
        hal_write32(c->board->hal, (enum unit_id)r->arg[0], IGPU_FLUSH_L2_FLUSH_DIRTY,
                    FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_PENDING));
    }
}

static int64_t do_register(struct board_client *c, const struct board_request *r, uint64_t *value)
{
    if (!is_served(r->arg[0]) || r->arg[1] > UINT32_MAX || r->arg[1] % 4) {
        return -EINVAL;
    }
    if (!may_program(c, r)) {
        return -EPERM;
    }
    if (interrupt_register(c, r, value)) {
        return 0;
    }
    if (r->op == BOARD_READ32) {
        value[0] = hal_read32(c->board->hal, (enum unit_id)r->arg[0], (uint32_t)r->arg[1]);
    } else {
        faults_forget(c, r);
        others_clean(c, r);
        hal_write32(c->board->hal, (enum unit_id)r->arg[0], (uint32_t)r->arg[1],
                    (uint32_t)r->arg[2]);
    }
    return 0;
}

/* --- syncpoints ------------------------------------------------------------------------------- */

/* The slot is in memory that the CPU does not cache: a store there is what the program's would be.
 */
static bool is_slot(struct board_client *c, uint64_t va)
{
    struct hal_mem mem;

    return va % sizeof(uint64_t) == 0 && hal_mem_find(c->board->hal, (void *)(uintptr_t)va, &mem) &&
           mem.kind == HAL_MEM_KERNEL && client_holds(c, mem.id) &&
           (uintptr_t)mem.cpu + mem.size - va >= sizeof(struct hal_signal_slot);
}

static int64_t do_signal(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    if (arg[0] >= c->board->profile->host1x.syncpts || !is_slot(c, arg[1])) {
        return -EINVAL;
    }
    if (!may_signal(c, (uint32_t)arg[0])) {
        return -EPERM;
    }
    value[0] =
        hal_signal(c->board->hal, (uint32_t)arg[0], (struct hal_signal_slot *)(uintptr_t)arg[1],
                   arg[2], (uint32_t)arg[3], true);
    c->posts = !asks(c->board);
    return 0;
}

bool wait_is_over(struct board_client *c, const uint64_t *arg)
{
    return arg[3] &&
           (int32_t)(hal_read32(c->board->hal, UNIT_HOST1X, HOST1X_SYNCPT + (uint32_t)arg[0] * 4) -
                     (uint32_t)arg[1]) >= 0;
}

static int64_t do_wait(struct board_client *c, const uint64_t *arg)
{
    if (arg[0] >= c->board->profile->host1x.syncpts || arg[1] > UINT32_MAX) {
        return -EINVAL;
    }
    return wait_is_over(c, arg) ? 0 : client_wait(c, (uint32_t)arg[0], (uint32_t)arg[1], arg[2]);
}

/* --- caches ----------------------------------------------------------------------------------- */

/* What of [va, va + len) lies in the arena: nothing else is ours. */
static bool requests_clamp(const struct board *b, uint64_t *va, uint64_t *len)
{
    uint64_t end = *va + MIN(*len, UINT64_MAX - *va);

    *va = MAX(*va, b->arena_base);
    end = MIN(end, b->arena_base + b->arena_bytes);
    *len = end > *va ? end - *va : 0;
    return *len > 0;
}

/* The lowest memory of the program's that reaches behind @va; NULL. */
static const struct hal_mem *mem_from(struct board_client *c, uint64_t va)
{
    const struct hal_mem *lowest = NULL;
    GHashTableIter it;
    gpointer id;

    g_hash_table_iter_init(&it, c->holds);
    while (g_hash_table_iter_next(&it, &id, NULL)) {
        const struct hal_mem *mem =
            &((const struct board_mem *)g_hash_table_lookup(c->board->mems, id))->mem;

        if ((uintptr_t)mem->cpu + mem->size > va && (!lowest || mem->cpu < lowest->cpu)) {
            lowest = mem;
        }
    }
    return lowest;
}

static int64_t requests_maintain(struct board *b, uint32_t op, uint64_t va, uint64_t len)
{
    const void *cpu = (const void *)(uintptr_t)va;

    return op == BOARD_CLEAN              ? hal_cpu_clean(b->hal, cpu, len)
           : op == BOARD_CLEAN_INVALIDATE ? hal_cpu_clean_invalidate(b->hal, cpu, len)
                                          : hal_cpu_invalidate(b->hal, cpu, len);
}

/* Memory by memory: a range as large as the arena is no more work than what is in it. */
static int64_t do_maintain(struct board_client *c, const struct board_request *r)
{
    uint64_t va = r->arg[0], len = r->arg[1], end;
    const struct hal_mem *mem;
    int64_t lines = 0;

    if (!requests_clamp(c->board, &va, &len)) {
        return 0;
    }
    end = va + len;
    while (va < end && (mem = mem_from(c, va)) && (uintptr_t)mem->cpu < end) {
        uint64_t from = MAX(va, (uintptr_t)mem->cpu);

        va = (uintptr_t)mem->cpu + mem->size;
        lines += requests_maintain(c->board, r->op, from, MIN(va, end) - from);
    }
    return lines;
}

/* How many bytes from @va on are the program's, at most @len. */
static uint64_t own_bytes(struct board_client *c, uint64_t va, uint64_t len)
{
    struct hal_mem mem;
    uint64_t at = va;

    while (at - va < len && hal_mem_find(c->board->hal, (void *)(uintptr_t)at, &mem) &&
           client_holds(c, mem.id)) {
        at = (uintptr_t)mem.cpu + mem.size;
    }
    return MIN(at - va, len);
}

static int64_t do_access(struct board_client *c, const struct board_request *r)
{
    uint64_t va = r->arg[0], len = r->arg[1];

    if ((r->arg[2] & ~(uint64_t)ACCESS_SYNC) > ACCESS_ATOMIC) {
        return -EINVAL;
    }
    if (requests_clamp(c->board, &va, &len) && (len = own_bytes(c, va, len)) > 0) {
        hal_cpu_access(c->board->hal, (const void *)(uintptr_t)va, len,
                       (enum access_kind)r->arg[2]);
    }
    return 0;
}

/* --- the rest --------------------------------------------------------------------------------- */

static int64_t do_note(struct board_client *c, const uint64_t *arg)
{
    if (arg[0] < HAL_NOTE_RELEASE || arg[0] > HAL_NOTE_WAITED) {
        return -EINVAL;
    }
    hal_note(c->board->hal, (enum hal_note)arg[0], arg[1], arg[2]);
    return 0;
}

static int64_t do_line(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct hal_line line = { 0 };
    bool found = own_bytes(c, arg[0], 1) &&
                 hal_line_state(c->board->hal, (const void *)(uintptr_t)arg[0], &line);

    value[0] = (line.cpu_valid ? 1 : 0) | (line.cpu_dirty ? 2 : 0) | (line.l2_valid ? 4 : 0) |
               (line.cpu_old ? 8 : 0);
    value[1] = line.l2_dirty_bytes;
    value[2] = found && arg[1]
                   ? hal_dirty_lines(c->board->hal, (const void *)(uintptr_t)arg[0], arg[1])
                   : 0;
    return found;
}

static int64_t do_dump(struct board_client *c)
{
    char *text = hal_dump(c->board->hal);

    for (size_t at = 0, n = strlen(text); at < n; at += BOARD_TEXT_MAX) {
        struct board_message m = { .type = BOARD_TEXT,
                                   .count = (uint32_t)MIN(n - at, BOARD_TEXT_MAX) };

        client_send(c, &m, text + at, m.count);
    }
    g_free(text);
    return 0;
}

/* What the board has given out, for tests and people: programs, memory, its bytes, channels,
 * syncpoints, passes. */
void board_counts(const struct board *b, uint64_t value[BOARD_VALUES])
{
    GHashTableIter it;
    gpointer mem;

    value[0] = b->clients->len;
    value[1] = g_hash_table_size(b->mems);
    g_hash_table_iter_init(&it, b->mems);
    while (g_hash_table_iter_next(&it, NULL, &mem)) {
        value[2] += ((const struct board_mem *)mem)->mem.size;
    }
    for (unsigned i = 0; i < CHANS_ALL; i++) {
        value[3] += b->channel[i] != 0;
    }
    for (unsigned i = 0; i < b->profile->host1x.syncpts; i++) {
        value[4] += b->syncpt[i].owner != 0;
    }
    value[5] = g_hash_table_size(b->passes);
}

static int64_t do_look(struct board_client *c, const struct board_request *r, uint64_t *value)
{
    struct board *b = c->board;

    switch (r->op) {
    case BOARD_WAIT:
        return do_wait(c, r->arg);
    case BOARD_SIGNAL:
        return do_signal(c, r->arg, value);
    case BOARD_POLL:
        return hal_poll(b->hal, r->arg[0] != 0);
    case BOARD_TIME:
        value[0] = hal_time_ns(b->hal);
        return 0;
    case BOARD_TIME_ADVANCE:
        hal_time_advance(b->hal, (int64_t)r->arg[0]);
        return 0;
    case BOARD_OBSERVE:
        board_observe(c, r->arg[1] != 0, (unsigned)r->arg[0]);
        return 0;
    case BOARD_COUNTS:
        board_counts(b, value);
        return 0;
    default:
        return do_line(c, r->arg, value);
    }
}

int64_t request_do(struct board_client *c, const struct board_request *r, uint64_t *value)
{
    switch (r->op) {
    case BOARD_READ32:
    case BOARD_WRITE32:
        return do_register(c, r, value);
    case BOARD_CLAIM:
        return do_claim(c, r->arg, value);
    case BOARD_RELEASE:
        return do_release(c, r->arg);
    case BOARD_CLEAN:
    case BOARD_CLEAN_INVALIDATE:
    case BOARD_INVALIDATE:
        return do_maintain(c, r);
    case BOARD_ACCESS:
        return do_access(c, r);
    case BOARD_NOTE:
        return do_note(c, r->arg);
    case BOARD_DUMP:
        return do_dump(c);
    case BOARD_ALLOC:
    case BOARD_FREE:
    case BOARD_VA_RESERVE:
    case BOARD_VA_RELEASE:
    case BOARD_IOMMU_MAP:
    case BOARD_IOMMU_UNMAP:
    case BOARD_IOMMU_SYNCPT:
    case BOARD_IOMMU_FAULT:
    case BOARD_EXPORT:
    case BOARD_UNEXPORT:
    case BOARD_IMPORT:
        return request_memory(c, r, value);
    default:
        return do_look(c, r, value);
    }
}
