/* SPDX-License-Identifier: MIT */
/* VIC's window, queue and memory. Registers and methods: model/regs/vic.def. */
#include "model/picture/picture.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "model/engine.h"
#include "model/regs/reg.h"

enum { ENTRIES_MAX = 512, WINDOW_BYTES = 0x40000, METHODS_BYTES = 0x1800 };
enum { PIXEL_WORK = 64 }; /* units of work: a pixel read, scaled, converted twice and written */
/* Made at a time: chroma of 4:2:0 belongs to two; of a transposed output each is a column. */
enum { ROWS = 2, ROWS_MAX = 4 };

/* What EXECUTE takes with it; addresses are IOVAs. @number: the first since the reset is 1 */
struct job {
    uint64_t config, in[VIC_SLOTS][VIC_PLANES], out[VIC_PLANES];
    uint32_t number;
    bool awaken;
};

/* In the order of the channel: @syncpt is incremented, or has to reach @threshold. */
struct entry {
    enum entry_kind { ENTRY_JOB, ENTRY_INCR, ENTRY_WAIT } kind;
    struct job job;
    uint32_t syncpt, threshold;
    uint64_t submitted, submitted_ns;
};

/* A row of a slot's source and of which row these are the pixels; -1: none. */
struct source_row {
    int64_t y;
    struct picture_pixel *pixel;
};

/* @method: the values of all methods, by offset / 4; @jobs: EXECUTEs so far; @payload: what the
 * next wait is for; @config, @next_y: of the job that runs: its
 * next output row */
struct vic {
    struct engine_board board;
    uint32_t method_at, irqstat, irqmask, mailbox[3], jobs, payload;
    uint32_t method[METHODS_BYTES / 4];
    struct entry *entry; /* ENTRIES_MAX; NULL before the first */
    unsigned entries;
    uint64_t submissions;
    bool running;
    unsigned next_y;
    struct picture_config config;
    struct source_row source[VIC_SLOTS][2]; /* pixel: NULL: the slot was never used */
    uint8_t *bytes[VIC_PLANES];             /* of a row */
    struct picture_pixel *made[ROWS_MAX];   /* these and bytes: NULL before the first job */
};

static void irq_update(struct vic *v)
{
    irq_set(v->board.irq, v->irqstat & v->irqmask);
}

static bool vic_fail(struct vic *v, enum vic_err error, uint32_t argument)
{
    v->mailbox[0] = error;
    v->mailbox[1] = argument;
    v->mailbox[2] = v->entries ? v->entry[0].job.number : 0;
    v->irqstat |= FIELD_MASK(VIC_FALCON_IRQSTAT_SWGEN0);
    return false;
}

/* --- memory ---------------------------------------------------------------------------------- */

static bool vic_get(struct vic *v, uint64_t iova, void *dst, size_t bytes)
{
    return bus_port_read(v->board.memory, iova, dst, bytes) == BUS_OK ||
           vic_fail(v, VIC_ERR_MEMORY, (uint32_t)(v->board.memory->fault.va >> 8));
}

static bool vic_put(struct vic *v, uint64_t iova, const void *src, size_t bytes)
{
    return bus_port_write(v->board.memory, iova, src, bytes) == BUS_OK ||
           vic_fail(v, VIC_ERR_MEMORY, (uint32_t)(v->board.memory->fault.va >> 8));
}

static void source_begin(struct vic *v, unsigned slot)
{
    for (unsigned i = 0; i < 2; i++) {
        struct source_row *row = &v->source[slot][i];

        row->pixel = row->pixel ? row->pixel : g_new(struct picture_pixel, VIC_SIZE_MAX);
        row->y = -1;
    }
}

/* The pixels of row @y of a slot's source; NULL: refused. */
static const struct picture_pixel *source_get(struct vic *v, const struct job *job, unsigned slot,
                                              unsigned y)
{
    const struct picture_surface *in = &v->config.slot[slot].in;
    struct source_row *row = &v->source[slot][y % 2];
    unsigned rows;

    for (unsigned plane = 0; plane < VIC_PLANES && row->y != y; plane++) {
        unsigned bytes = picture_plane_row_bytes(in, plane, &rows);
        uint64_t line = plane ? y / vic_layout_of(in->format).sub_y : y;
        uint64_t at = line * picture_plane_stride_bytes(in, plane);

        if (bytes && !vic_get(v, job->in[slot][plane] + at, v->bytes[plane], bytes)) {
            return NULL;
        }
    }
    if (row->y != y) {
        picture_row_decode(in, (const uint8_t *const *)v->bytes, row->pixel);
        row->y = y;
    }
    return row->pixel;
}

/* --- a job ----------------------------------------------------------------------------------- */

/* What the CPU did before a job is there when it begins: a doorbell and a segment of its number. */
static void vic_record(struct vic *v, enum trace_event event, enum bus_agent agent, uint32_t number)
{
    trace_emit(v->board.trace, event, agent, 0, v->board.first_queue, number, 0, 0);
}

static bool job_begin(struct vic *v, const struct job *job)
{
    uint8_t raw[VIC_CONFIG_BYTES];
    uint32_t wrong;

    vic_record(v, TRACE_EVENT_SEGMENT, v->board.agent, job->number);
    if (!vic_get(v, job->config, raw, sizeof(raw))) {
        return false;
    }
    if (!picture_config_read(raw, &v->config, &wrong)) {
        return vic_fail(v, VIC_ERR_CONFIG, wrong);
    }
    v->running = true;
    v->next_y = v->config.target.top;
    for (unsigned i = 0; i < VIC_SLOTS; i++) {
        if (v->config.slot[i].enabled) {
            source_begin(v, i);
        }
    }
    return true;
}

static bool slot_add(struct vic *v, const struct job *job, unsigned slot, unsigned y,
                     struct picture_pixel *out)
{
    const struct picture_slot *s = &v->config.slot[slot];
    unsigned first, second, weight;
    const struct picture_pixel *a, *b;

    if (!picture_row_sources(&v->config, s, y, &first, &second, &weight)) {
        return true;
    }
    a = source_get(v, job, slot, first);
    b = a && weight ? source_get(v, job, slot, second) : a;
    if (b) {
        picture_row_add(&v->config, s, a, b, weight, out);
    }
    return b;
}

/* *@pixels: that slots were asked for */
static bool row_make(struct vic *v, const struct job *job, unsigned y, struct picture_pixel *out,
                     uint64_t *pixels)
{
    uint64_t width = v->config.target.right - v->config.target.left + 1;

    picture_row_begin(&v->config, out);
    *pixels += width;
    for (unsigned i = 0, n = 0; i < VIC_SLOTS; i++) {
        if (v->config.slot[i].enabled) {
            *pixels += n++ ? width : 0;
            if (!slot_add(v, job, i, y, out)) {
                return false;
            }
        }
    }
    picture_row_end(&v->config, out);
    return true;
}

/* Pixels of the output surface, at (@x, @y). */
static bool luma_put(struct vic *v, const struct job *job, unsigned x, unsigned y,
                     const struct picture_pixel *pixels, unsigned n)
{
    const struct picture_config *c = &v->config;
    unsigned sample = vic_layout_of(c->out.format).first;

    picture_luma_encode(c, pixels, n, v->bytes[0]);
    return vic_put(v,
                   job->out[0] + (uint64_t)y * picture_plane_stride_bytes(&c->out, 0) +
                       (uint64_t)x * sample,
                   v->bytes[0], (size_t)n * sample);
}

/* The same of the chroma of the rows that share it, one or two; a sample begins at @x, @y. */
static bool chroma_put(struct vic *v, const struct job *job, unsigned x, unsigned y,
                       const struct picture_pixel *even, const struct picture_pixel *odd,
                       unsigned n)
{
    const struct picture_config *c = &v->config;
    struct vic_layout l = vic_layout_of(c->out.format);

    for (unsigned plane = 1; plane < l.planes; plane++) {
        uint64_t at = (uint64_t)(y / l.sub_y) * picture_plane_stride_bytes(&c->out, plane) +
                      (uint64_t)(x / l.sub_x) * l.chroma;

        picture_chroma_encode(c, even, odd, n, plane, v->bytes[plane]);
        if (!vic_put(v, job->out[plane] + at, v->bytes[plane],
                     (size_t)((n + l.sub_x - 1) / l.sub_x) * l.chroma)) {
            return false;
        }
    }
    return true;
}

/* As they are. */
static bool rows_put(struct vic *v, const struct job *job, unsigned y, unsigned rows)
{
    const struct picture_rect *t = &v->config.target;
    unsigned n = t->right - t->left + 1;
    bool each = vic_layout_of(v->config.out.format).sub_y == 1;

    for (unsigned i = 0; i < rows; i++) {
        if (!luma_put(v, job, t->left, y + i, v->made[i], n) ||
            (each && !chroma_put(v, job, t->left, y + i, v->made[i], v->made[i], n))) {
            return false;
        }
    }
    return each || chroma_put(v, job, t->left, y, v->made[0], v->made[rows - 1], n);
}

/* As columns of the output, from column @y on. */
static bool columns_put(struct vic *v, const struct job *job, unsigned y, unsigned rows)
{
    const struct picture_rect *t = &v->config.target;
    unsigned n = t->right - t->left + 1;
    struct picture_pixel pixels[2][ROWS_MAX];
    bool each = vic_layout_of(v->config.out.format).sub_y == 1;

    for (unsigned x = 0; x < n; x++) {
        for (unsigned i = 0; i < rows; i++) {
            pixels[x % 2][i] = v->made[i][x];
        }
        if (!luma_put(v, job, y, t->left + x, pixels[x % 2], rows) ||
            (each && !chroma_put(v, job, y, t->left + x, pixels[x % 2], pixels[x % 2], rows)) ||
            (!each && (x % 2 || x == n - 1) &&
             !chroma_put(v, job, y, (t->left + x) & ~1u, pixels[0], pixels[x % 2], rows))) {
            return false;
        }
    }
    return true;
}

static void rows_alloc(struct vic *v)
{
    for (unsigned i = 0; i < ROWS_MAX; i++) {
        v->made[i] = g_new(struct picture_pixel, VIC_SIZE_MAX);
    }
    for (unsigned i = 0; i < VIC_PLANES; i++) {
        v->bytes[i] = g_malloc(VIC_SIZE_MAX * 4);
    }
}

/* A pixel of each slot a cycle (inferred). */
static bool rows_run(struct vic *v, const struct job *job)
{
    const struct picture_config *c = &v->config;
    unsigned y = v->next_y, left = c->target.bottom - y + 1;
    unsigned rows = MIN(c->transpose ? ROWS_MAX : ROWS, left);
    uint64_t pixels = 0;

    if (!v->made[0]) {
        rows_alloc(v);
    }
    for (unsigned i = 0; i < rows; i++) {
        if (!row_make(v, job, y + i, v->made[i], &pixels)) {
            return false;
        }
    }
    v->next_y = y + rows;
    *v->board.work += pixels * PIXEL_WORK;
    v->board.elapse(v->board.opaque, pixels * 1000000 / MAX(v->board.profile->vic.clock_khz, 1), 0);
    return c->transpose ? columns_put(v, job, y, rows) : rows_put(v, job, y, rows);
}

static void entry_drop(struct vic *v)
{
    memmove(v->entry, v->entry + 1, --v->entries * sizeof(*v->entry));
}

static void job_end(struct vic *v)
{
    if (v->entry[0].job.awaken) {
        v->irqstat |= FIELD_MASK(VIC_FALCON_IRQSTAT_SWGEN1);
    }
    v->running = false;
    v->board.counts_flush(v->board.opaque);
    entry_drop(v);
    irq_update(v);
}

/* --- the queue ------------------------------------------------------------------------------- */

static void entry_add(struct vic *v, const struct entry *entry)
{
    if (v->entries == ENTRIES_MAX) {
        vic_fail(v, VIC_ERR_QUEUE, 0);
        v->mailbox[2] = entry->job.number;
        return;
    }
    if (!v->entry) {
        v->entry = g_new0(struct entry, ENTRIES_MAX);
    }
    v->entry[v->entries] = *entry;
    v->entry[v->entries].submitted = v->submissions++;
    v->entry[v->entries++].submitted_ns = v->board.trace->now_ns;
}

static uint64_t vic_address(const struct vic *v, unsigned method)
{
    return (uint64_t)v->method[method / 4] << 8;
}

static void vic_execute(struct vic *v, uint32_t value)
{
    struct entry e = { .job = { .config = vic_address(v, VIC_METHOD_SET_CONFIG_STRUCT_OFFSET),
                                .number = ++v->jobs,
                                .awaken = value >> 8 & 1 } };

    vic_record(v, TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, e.job.number);

    for (unsigned plane = 0; plane < VIC_PLANES; plane++) {
        e.job.out[plane] = vic_address(v, VIC_METHOD_SET_OUTPUT_SURFACE_LUMA_OFFSET + plane * 4);
        for (unsigned slot = 0; slot < VIC_SLOTS; slot++) {
            e.job.in[slot][plane] = vic_address(v, VIC_METHOD_SET_SURFACE0_LUMA_OFFSET +
                                                       slot * VIC_SLOT_METHODS + plane * 4);
        }
    }
    entry_add(v, &e);
}

static void syncpt_add(struct vic *v, uint32_t value)
{
    struct entry e = { .kind = ENTRY_INCR, .syncpt = FIELD_GET(VIC_INCR_SYNCPT_INDX, value) };

    if (FIELD_GET(VIC_INCR_SYNCPT_COND, value) == VIC_COND_IMMEDIATE) {
        v->board.syncpt_incr(v->board.opaque, e.syncpt);
    } else {
        entry_add(v, &e);
    }
}

static bool wait_over(const struct vic *v, uint64_t *ns)
{
    return v->board.syncpt_reached(v->board.opaque, v->entry[0].syncpt, v->entry[0].threshold, ns);
}

/* What follows comes after the increment that ended the wait. */
static void wait_run(struct vic *v)
{
    const struct entry *e = v->entry;
    struct trace *trace = v->board.trace;
    uint64_t ns = 0;

    wait_over(v, &ns);
    trace->now_ns = MAX(trace->now_ns, ns);
    trace_emit(trace, TRACE_EVENT_SYNCPT_WAIT, v->board.agent, 0, v->board.first_queue, e->syncpt,
               e->threshold, e->threshold);
    entry_drop(v);
}

static unsigned vic_ready(void *engine, struct engine_ready *out, bool *happened)
{
    struct vic *v = engine;
    uint64_t ns;

    (void)happened;
    *out = (struct engine_ready){ 0, v->entries ? v->entry[0].submitted : 0 };
    return v->entries > 0 && (v->entry[0].kind != ENTRY_WAIT || wait_over(v, &ns));
}

static void vic_run(void *engine, uint32_t queue)
{
    struct vic *v = engine;
    struct trace *trace = v->board.trace;
    const struct entry *e = v->entry;

    trace->channel = v->board.first_queue + queue + 1;
    trace->now_ns = MAX(trace->now_ns, e->submitted_ns);
    if (e->kind == ENTRY_WAIT) {
        wait_run(v);
    } else if (e->kind == ENTRY_INCR) {
        v->board.syncpt_incr(v->board.opaque, e->syncpt);
        entry_drop(v);
    } else if ((!v->running && !job_begin(v, &e->job)) || !rows_run(v, &e->job) ||
               v->next_y > v->config.target.bottom) {
        job_end(v);
    }
    trace->channel = 0;
}

static void vic_dump(void *engine, void (*line)(void *opaque, const char *text), void *opaque)
{
    const struct vic *v = engine;
    char text[96];

    if (v->entries) {
        snprintf(text, sizeof(text), "vic: %u in the queue, the first %s, row %u", v->entries,
                 v->entry[0].kind == ENTRY_INCR   ? "increments a syncpoint"
                 : v->entry[0].kind == ENTRY_WAIT ? "waits for a syncpoint"
                 : v->running                     ? "runs"
                                                  : "has not begun",
                 v->running ? v->next_y : 0);
        line(opaque, text);
    }
}

/* --- the device ------------------------------------------------------------------------------ */

static void vic_reset(void *engine)
{
    struct vic *v = engine;

    memset(v->method, 0, sizeof(v->method));
    memset(v->mailbox, 0, sizeof(v->mailbox));
    v->method_at = v->irqstat = v->irqmask = v->jobs = v->payload = 0;
    v->entries = 0;
    v->running = false;
    irq_update(v);
}

static uint32_t vic_read(void *engine, uint64_t offset)
{
    const struct vic *v = engine;

    switch (offset) {
    case VIC_THI_METHOD0:
        return v->method_at;
    case VIC_FALCON_IRQSTAT:
        return v->irqstat;
    case VIC_FALCON_IRQMSET:
        return v->irqmask;
    case VIC_FALCON_MAILBOX0:
    case VIC_FALCON_MAILBOX1:
    case VIC_FALCON_MAILBOX2:
        return v->mailbox[(offset - VIC_FALCON_MAILBOX0) / 4];
    case VIC_QUEUE_FREE:
        return ENTRIES_MAX - v->entries;
    default:
        return 0;
    }
}

static void method_call(struct vic *v, uint32_t value)
{
    if (v->method_at < G_N_ELEMENTS(v->method)) {
        v->method[v->method_at] = value;
    }
    if (v->method_at == VIC_METHOD_EXECUTE / 4) {
        vic_execute(v, value);
    }
}

static void vic_write(void *engine, uint64_t offset, uint32_t val)
{
    struct vic *v = engine;

    switch (offset) {
    case VIC_INCR_SYNCPT:
        syncpt_add(v, val);
        break;
    case VIC_LOAD_SYNCPT_PAYLOAD_32:
        v->payload = val;
        break;
    case VIC_WAIT_SYNCPT_32:
        entry_add(v, &(struct entry){ .kind = ENTRY_WAIT, .syncpt = val, .threshold = v->payload });
        break;
    case VIC_THI_METHOD0:
        v->method_at = val;
        break;
    case VIC_THI_METHOD1:
        method_call(v, val);
        break;
    case VIC_FALCON_IRQSCLR:
        v->irqstat &= ~val;
        break;
    case VIC_FALCON_IRQMSET:
        v->irqmask |= val;
        break;
    case VIC_FALCON_IRQMCLR:
        v->irqmask &= ~val;
        break;
    default:
        break;
    }
    irq_update(v);
}

static const struct mmio_ops mmio = {
    .name = "vic",
    .size = WINDOW_BYTES,
    .reset = vic_reset,
    .read = vic_read,
    .write = vic_write,
};

static void *vic_new(const struct engine_board *board)
{
    struct vic *v = g_new0(struct vic, 1);

    v->board = *board;
    vic_reset(v);
    return v;
}

static void vic_free(void *engine)
{
    struct vic *v = engine;

    for (unsigned i = 0; i < VIC_SLOTS * 2; i++) {
        g_free(v->source[i / 2][i % 2].pixel);
    }
    for (unsigned i = 0; i < ROWS_MAX; i++) {
        g_free(v->made[i]);
    }
    for (unsigned i = 0; i < VIC_PLANES; i++) {
        g_free(v->bytes[i]);
    }
    g_free(v->entry);
    g_free(v);
}

const struct engine_ops vic_engine_ops = {
    .mmio = &mmio,
    .new = vic_new,
    .free = vic_free,
    .ready = vic_ready,
    .run = vic_run,
    .dump = vic_dump,
};
