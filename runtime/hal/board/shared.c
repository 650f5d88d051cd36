/* SPDX-License-Identifier: MIT */
/* One board for several programs: whose turn it is, which records and errors are whose, and what
 * becomes of the things that a program leaves. */
#include <errno.h>
#include <string.h>

#include "runtime/hal/board/server.h"

/* --- turns ------------------------------------------------------------------------------------ */

void interrupt_update(struct board *b)
{
    const struct board_client *c = b->active;

    if (b->hal) {
        hal_interrupt(b->hal, c && (c->interrupted || c->closed ||
                                    (b->waits && b->next_ticket > b->serving + 1)));
    }
}

void turn_take(struct board *b, struct board_client *c)
{
    uint64_t ticket;

    pthread_mutex_lock(&b->lock);
    ticket = b->next_ticket++;
    interrupt_update(b);
    while (b->serving != ticket) {
        pthread_cond_wait(&b->turn, &b->lock);
    }
    b->active = c;
    interrupt_update(b);
    pthread_mutex_unlock(&b->lock);
}

void turn_end(struct board *b)
{
    b->active = NULL;
    b->serving++;
    interrupt_update(b);
    if (b->next_ticket > b->serving) {
        pthread_cond_broadcast(&b->turn);
    }
}

void turn_give(struct board *b, bool acted)
{
    pthread_mutex_lock(&b->lock);
    if (acted) {
        b->generation++;
        pthread_cond_broadcast(&b->acted);
    }
    turn_end(b);
    pthread_mutex_unlock(&b->lock);
}

/* --- errors of channels ----------------------------------------------------------------------- */

static struct board_client *client_numbered(const struct board *b, uint32_t number)
{
    for (guint i = 0; number && i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];

        if (c->number == number) {
            return c;
        }
    }
    return NULL;
}

/* A GPU shows one error at a time, whosever it is: each owner gets a list of its own. */
static void faults_collect_of(struct board *b, enum unit_id gpu)
{
    while (hal_read32(b->hal, gpu, IGPU_INTR) & FIELD_MASK(IGPU_INTR_CHANNEL_ERROR)) {
        uint32_t local = hal_read32(b->hal, gpu, IGPU_INTR_CHANNEL);
        uint32_t channel = first_of(gpu) + local;
        struct board_client *c =
            local < CHAN_COUNT ? client_numbered(b, b->channel[channel]) : NULL;

        hal_write32(b->hal, gpu, IGPU_INTR, FIELD_MASK(IGPU_INTR_CHANNEL_ERROR));
        if (c) {
            g_array_append_val(c->faults, channel);
        }
    }
}

void faults_collect(struct board *b)
{
    for (enum unit_id gpu = UNIT_IGPU; gpu != UNIT_COUNT; gpu = gpu_behind(b, gpu)) {
        faults_collect_of(b, gpu);
    }
}

/* --- records ---------------------------------------------------------------------------------- */

static uint32_t queue_owner(const struct board *b, uint32_t queue)
{
#define ENGINE(NAME, name, words, instances, queues, ...)                \
    if (queue >= QUEUE_##NAME && queue <= QUEUE_##NAME##_LAST) {         \
        return b->unit[UNIT_##NAME + (queue - QUEUE_##NAME) / (queues)]; \
    }
#include "model/engines.h"
    return 0;
}

/* The one program that has the memory; NULL: several, or none. */
static struct board_client *mem_holder(const struct board *b, uint32_t region)
{
    struct board_client *holder = NULL;

    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];

        if (client_holds(c, region)) {
            if (holder) {
                return NULL;
            }
            holder = c;
        }
    }
    return holder;
}

/* One more than its number, 0: of none. A wait's end comes at any time, and names the channel. */
static uint32_t record_channel(const struct trace_record *r)
{
    bool wait = r->event == TRACE_EVENT_SYNCPT_WAIT || r->event == TRACE_EVENT_SEM_ACQUIRE;

    return wait ? (uint32_t)r->arg[0] + 1 : r->channel;
}

/* Whose doing it was: the channel's owner's; else that of the only one that has the memory; else of
 * the one whose request is being done. */
static struct board_client *record_owner(const struct board *b, const struct trace_record *r)
{
    uint32_t channel = record_channel(r);
    struct board_client *c = NULL;

    if (b->clients->len == 1) {
        return b->clients->pdata[0];
    }
    if (channel) {
        c = client_numbered(b, channel - 1 < CHANS_ALL ? b->channel[channel - 1]
                                                       : queue_owner(b, channel - 1));
    }
    if (!c && r->region) {
        c = mem_holder(b, r->region);
    }
    return c ? c : b->active;
}

/* To all others that observe. @region: that hold it; 0: whatever they hold. */
static void others_report(struct board *b, const struct board_client *of,
                          struct board_record record, uint32_t region)
{
    record.process = of->number;
    pthread_mutex_lock(&b->records_lock);
    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];

        if (c != of && (c->mask & TRACE_FOREIGN) && (!region || client_holds(c, region))) {
            records_add_foreign(c, &record);
        }
    }
    pthread_mutex_unlock(&b->records_lock);
}

void import_report(struct board_client *c, const struct hal_mem *mem)
{
    const struct board_record record = { .event = TRACE_EVENT_REGION_ADD,
                                         .agent = BUS_AGENT_DRIVER,
                                         .region = mem->id,
                                         .arg = { mem->bus, mem->size, mem->cpu_cached },
                                         .process = TRACE_PROCESSES };

    if (c->mask & TRACE_FOREIGN) {
        pthread_mutex_lock(&c->board->records_lock);
        g_array_append_val(c->records, record);
        pthread_mutex_unlock(&c->board->records_lock);
    }
}

static void shared_sink(void *opaque, const struct trace_record *r)
{
    struct board *b = opaque;
    struct board_client *c = record_owner(b, r);
    unsigned class = trace_event_class[r->event];
    struct board_record record = { .event = r->event,
                                   .agent = r->agent,
                                   .region = r->region,
                                   .channel = r->channel,
                                   .time_ns = r->time_ns,
                                   .thread = r->thread };
    bool many;

    if (!c) {
        return;
    }
    memcpy(record.arg, r->arg, sizeof(record.arg));
    if (b->watched && (trace_orders_programs(r->event) || (class == TRACE_ACCESS && r->region))) {
        others_report(b, c, record, class == TRACE_ACCESS ? r->region : 0);
    }
    if (!(c->mask & class)) {
        return;
    }
    pthread_mutex_lock(&b->records_lock);
    records_add_own(c, &record);
    many = c->records->len % BOARD_RECORDS_MAX == 0 && !b->host;
    pthread_mutex_unlock(&b->records_lock);
    if (many) {
        records_push(c);
    }
}

/* Sets @watched of each program: another one looks for races with it. A board whose CPU is a
 * virtual machine's (@host) has one program. */
static void watchers_count(struct board *b)
{
    unsigned watchers = 0;

    for (guint i = 0; i < b->clients->len; i++) {
        watchers += (((struct board_client *)b->clients->pdata[i])->mask & TRACE_FOREIGN) != 0;
    }
    b->watched = watchers && !is_alone(b) && !b->host;
    pthread_mutex_lock(&b->records_lock);
    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];

        c->watched = !b->host && watchers > ((c->mask & TRACE_FOREIGN) != 0);
    }
    pthread_mutex_unlock(&b->records_lock);
}

void board_observe(struct board_client *c, bool observes, unsigned mask)
{
    struct board *b = c->board;
    unsigned all = 0;
    bool any = false;

    c->observes = observes;
    c->mask = mask & (TRACE_ALL | TRACE_FOREIGN);
    for (guint i = 0; i < b->clients->len; i++) {
        const struct board_client *other = b->clients->pdata[i];

        all |= other->observes ? other->mask : 0;
        any |= other->observes;
    }
    b->mask = (is_alone(b) ? c->mask : all) & TRACE_ALL;
    watchers_count(b);
    hal_observe(b->hal, b->mask, any ? shared_sink : NULL, b);
}

/* --- coming and going ------------------------------------------------------------------------- */

static void board_up(struct board *b, struct hal *hal, const struct board_hello *hello)
{
    pthread_mutex_lock(&b->lock);
    b->hal = hal;
    pthread_mutex_unlock(&b->lock);
    b->settings = *hello;
    b->id = (uint64_t)g_random_int() << 32 | g_random_int() | 1;
    b->last_number = 0;
    b->any_left = false;
    hal_arena_bounds(hal, &b->arena_base, &b->arena_bytes);
    memset(b->channel, 0, sizeof(b->channel));
    memset(b->context, 0, sizeof(b->context));
    memset(b->unit, 0, sizeof(b->unit));
    b->syncpt = g_new0(struct board_syncpt, b->profile->host1x.syncpts);
    b->mems = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    b->left = g_hash_table_new(NULL, NULL);
    b->passes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static void board_down(struct board *b)
{
    struct hal *hal = b->hal;

    pthread_mutex_lock(&b->lock);
    b->hal = NULL;
    pthread_mutex_unlock(&b->lock);
    hal_close(hal);
    for (unsigned i = 0; i < b->profile->host1x.syncpts; i++) {
        g_clear_pointer(&b->syncpt[i].users, g_hash_table_unref);
    }
    g_clear_pointer(&b->syncpt, g_free);
    g_clear_pointer(&b->mems, g_hash_table_unref);
    g_clear_pointer(&b->left, g_hash_table_unref);
    g_clear_pointer(&b->passes, g_hash_table_unref);
}

static void host_show(struct board *b, struct hal *hal)
{
    if (b->host) {
        pthread_mutex_lock(&b->host->lock);
        b->host->hal = hal;
        pthread_mutex_unlock(&b->host->lock);
    }
}

int client_join(struct board *b, struct board_client *c, const struct board_hello *hello)
{
    struct hal *hal;

    if (!b->hal) {
        hal = hal_open(&(struct hal_config){
            .profile = b->profile,
            .policy = (enum hal_policy)hello->policy,
            .evict = (enum evict)hello->evict,
            .seed = hello->seed,
            .choose = hello->flags & BOARD_CHOOSE ? board_choose : NULL,
            .draw = hello->flags & BOARD_DRAW ? board_draw : NULL,
            .opaque = b,
        });
        if (!hal) {
            return -errno;
        }
        board_up(b, hal, hello);
    }
    c->number = ++b->last_number;
    c->holds = g_hash_table_new(NULL, NULL);
    c->reserved = g_hash_table_new(NULL, NULL);
    c->mapped = g_hash_table_new(NULL, NULL);
    c->faults = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    c->records = g_array_new(FALSE, FALSE, sizeof(struct board_record));
    pthread_mutex_lock(&b->lock);
    g_ptr_array_add(b->clients, c);
    pthread_mutex_unlock(&b->lock);
    watchers_count(b);
    host_show(b, b->hal);
    return 0;
}

/* What engines still have of its work ends, and what caches have of its memory goes there. */
static void work_stop(struct board_client *c)
{
    struct board *b = c->board;

    for (enum unit_id gpu = UNIT_IGPU; gpu != UNIT_COUNT; gpu = gpu_behind(b, gpu)) {
        for (uint32_t i = 0; i < CHAN_COUNT; i++) {
            if (b->channel[first_of(gpu) + i] == c->number) {
                hal_write32(b->hal, gpu, IGPU_CHAN_BASE + i * CHAN_WINDOW + CHAN_CTRL, 0);
            }
        }
        hal_write32(b->hal, gpu, IGPU_FLUSH_L2_FLUSH_DIRTY,
                    FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_PENDING));
        hal_write32(b->hal, gpu, IGPU_FLUSH_L2_SYSTEM_INVALIDATE,
                    FIELD_MASK(IGPU_FLUSH_L2_SYSTEM_INVALIDATE_PENDING));
        hal_write32(b->hal, gpu, IGPU_MMU_INVALIDATE, 1);
    }
}

void client_leave(struct board_client *c)
{
    struct board *b = c->board;

    host_show(b, NULL);
    if (!is_alone(b)) {
        faults_collect(b);
        work_stop(c);
        others_report(b, c, (struct board_record){ .event = TRACE_EVENT_COUNT }, 0);
        memory_leave(c);
        claims_leave(c);
    }
    pthread_mutex_lock(&b->lock);
    g_ptr_array_remove(b->clients, c);
    pthread_mutex_unlock(&b->lock);
    if (!b->clients->len) {
        board_down(b);
    } else {
        board_observe(b->clients->pdata[0], ((struct board_client *)b->clients->pdata[0])->observes,
                      ((struct board_client *)b->clients->pdata[0])->mask);
    }
    g_array_unref(c->records);
    g_array_unref(c->faults);
    g_hash_table_unref(c->mapped);
    g_hash_table_unref(c->reserved);
    g_hash_table_unref(c->holds);
}
