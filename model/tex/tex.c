/* SPDX-License-Identifier: MIT */
/* The unit: headers, the cache of lines, and what the SMs call. */
#include "model/tex/tex.h"

#include <glib.h>
#include <string.h>

#include "model/tex/tex_internal.h"

static struct bus_tex *tex_open(struct bus_port *port)
{
    struct bus_tex *t = g_new0(struct bus_tex, 1);

    t->port = port;
    return t;
}

static void tex_close(struct bus_tex *t)
{
    g_free(t);
}

static enum bus_status tex_status(const struct bus_tex *t)
{
    return t->status;
}

static bool tex_stale(const struct bus_tex *t, uint64_t *va)
{
    *va = t->stale_va;
    return t->stale;
}

/* A header is the front end's business, not an access of the kernel's. */
static enum bus_status header_read(struct bus_tex *t, uint64_t handle, struct tex_header *h)
{
    struct bus_port *port = t->port;
    enum bus_agent agent = port->agent;
    bool observed = port->observed;
    enum bus_status status;

    port->agent = port->header_agent;
    port->observed = false;
    status = bus_port_read(port, handle, h, sizeof(*h));
    port->agent = agent;
    port->observed = observed;
    return status;
}

/* Elements are aligned: none lies across a sector. */
static bool tex_aligned(const struct tex_header *h, unsigned texel)
{
    uint64_t all = h->pitch | h->slice | (h->levels > 1 ? h->pitch_align : 0);

    for (unsigned i = 0; i < h->levels; i++) {
        all |= h->level[i];
    }
    return all % texel == 0;
}

static bool header_valid(const struct tex_header *h)
{
    return h->magic == TEX_MAGIC && h->channel < TEX_CHANNELS_COUNT &&
           (h->channels == 1 || h->channels == 2 || h->channels == 4) &&
           (h->width || h->flags & TEX_BUFFER) && h->height && h->depth && h->levels &&
           h->levels <= TEX_LEVELS_MAX && h->address[0] <= TEX_BORDER &&
           h->address[1] <= TEX_BORDER && h->address[2] <= TEX_BORDER && h->pitch_align;
}

const struct tex_object *tex_object(struct bus_tex *t, uint64_t handle)
{
    static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 4, 2, 4 };
    struct tex_object *o = &t->object[handle / TEX_HEADER_BYTES % TEX_HEADERS];

    if (t->last && t->last->handle == handle) {
        return t->last;
    }
    if (!handle || handle % TEX_HEADER_BYTES) {
        return NULL;
    }
    if (o->handle != handle) {
        o->handle = 0;
        t->last = NULL;
        if (header_read(t, handle, &o->h) != BUS_OK || !header_valid(&o->h)) {
            return NULL;
        }
        o->texel = bytes[o->h.channel] * o->h.channels;
        if (!tex_aligned(&o->h, o->texel)) {
            return NULL;
        }
        o->handle = handle;
    }
    t->last = o;
    return o;
}

/* Observed: the load is the record of fetches that found line @l kept, and shows whether the bytes
 * are still what the L2 would give. */
static void kept_look(struct bus_tex *t)
{
    const struct tex_line *l = &t->line[tex_line_index(t->kept - 1)];
    const uint64_t *word = t->kept_bytes.word;
    unsigned sectors = 0;
    const uint8_t *now;

    for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
        sectors |= (uint32_t)(word[s / 2] >> s % 2 * BUS_SECTOR) ? 1u << s : 0;
    }
    t->port->bytes = t->kept_bytes;
    if (t->port->ops->load(t->port, t->kept - 1, sectors, BUS_HOW_PAST, &now) == BUS_OK) {
        for (unsigned i = 0; i < BUS_LINE && !t->stale; i++) {
            if (word[i / 64] >> i % 64 & 1 && now[i] != l->data[i]) {
                t->stale = true;
                t->stale_va = t->kept - 1 + i / t->kept_each * t->kept_each;
            }
        }
    }
    t->kept = 0;
}

/* Fetches of one line after another are looked at together. */
static void kept_add(struct bus_tex *t, uint64_t line, unsigned off, unsigned n)
{
    struct bus_mask bytes = bus_mask_range(off, n);

    if (!t->kept) {
        t->kept_bytes = (struct bus_mask){ { 0, 0 } };
    }
    t->kept = line + 1;
    t->kept_each = n;
    t->kept_bytes.word[0] |= bytes.word[0];
    t->kept_bytes.word[1] |= bytes.word[1];
}

const uint8_t *tex_bytes(struct bus_tex *t, uint64_t va, unsigned n)
{
    unsigned off = va % BUS_LINE, sector = 1u << off / BUS_SECTOR;
    uint64_t line = va - off;
    struct tex_line *l = &t->line[tex_line_index(line)];
    const uint8_t *from;

    if (t->touched) {
        t->touched(t->opaque, t->lane, va, n);
    }
    if (t->kept && t->kept != line + 1) {
        kept_look(t);
    }
    if (l->va == line + 1 && l->sectors & sector) {
        if (t->port->observed) {
            kept_add(t, line, off, n);
        }
        return l->data + off;
    }
    if (t->port->observed) {
        t->port->bytes = bus_mask_range(off, n);
    }
    t->status = t->port->ops->load(t->port, line, sector, BUS_HOW_PAST, &from);
    if (t->status != BUS_OK) {
        return NULL;
    }
    if (l->va != line + 1) {
        l->va = line + 1;
        l->sectors = 0;
    }
    l->sectors |= sector;
    memcpy(l->data + off / BUS_SECTOR * BUS_SECTOR, from + off / BUS_SECTOR * BUS_SECTOR,
           BUS_SECTOR);
    return l->data + off;
}

struct tex_level tex_level(const struct tex_header *h, unsigned level)
{
    bool layers = h->flags & (TEX_LAYERED | TEX_CUBE);
    struct tex_level l = { .va = h->level[level],
                           .width = MAX(h->width >> level, 1),
                           .height = MAX(h->height >> level, 1),
                           .depth = layers ? h->depth : MAX(h->depth >> level, 1),
                           .pitch = h->pitch,
                           .slice = h->slice };
    static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 4, 2, 4 };

    if (level) {
        uint32_t row = l.width * bytes[h->channel] * h->channels;

        l.pitch = (row + h->pitch_align - 1) / h->pitch_align * h->pitch_align;
        l.slice = (uint64_t)l.pitch * l.height;
    }
    return l;
}

static void tex_watch(struct bus_tex *t, bus_tex_touched *touched, void *opaque)
{
    t->touched = touched;
    t->opaque = opaque;
}

typedef bool tex_sampler(struct bus_tex *t, const struct tex_object *o,
                         const struct bus_tex_fetch *f, unsigned lane);

/* All give what tex_sample() does. */
static tex_sampler *sampler_of(const struct tex_header *h, const struct bus_tex_fetch *f)
{
    bool filtered = h->flags & TEX_LINEAR && tex_is_float(h);

    return tex_is_plain(h, f)               ? tex_sample_plain
           : tex_is_flat(h, f) && !filtered ? tex_sample_nearest
                                            : tex_sample;
}

static enum bus_tex_result tex_fetch(struct bus_tex *t, const struct bus_tex_fetch *f,
                                     uint32_t mask, unsigned *lane)
{
    const struct tex_object *o = NULL;
    tex_sampler *sample = tex_sample;

    t->stale = false;
    t->kept = 0; /* of a fetch that failed */
    for (uint32_t todo = mask; todo; todo &= todo - 1) {
        unsigned l = (unsigned)__builtin_ctz(todo);

        *lane = t->lane = l;
        if (!o || o->handle != f->handle[l]) {
            o = tex_object(t, f->handle[l]);
            if (!o || o->h.flags & TEX_SURFACE) {
                return BUS_TEX_NO_OBJECT;
            }
            sample = sampler_of(&o->h, f);
        }
        if (!sample(t, o, f, l)) {
            return BUS_TEX_FAILED;
        }
    }
    if (t->kept) {
        kept_look(t);
    }
    return BUS_TEX_OK;
}

static enum bus_tex_result tex_answer(struct bus_tex *t, uint64_t handle, enum bus_tex_query q,
                                      unsigned level, uint32_t *out)
{
    const struct tex_object *o = tex_object(t, handle);

    if (!o) {
        return BUS_TEX_NO_OBJECT;
    }
    *out = tex_query(&o->h, q, level);
    return BUS_TEX_OK;
}

const struct bus_tex_ops tex_ops = {
    .open = tex_open,
    .close = tex_close,
    .fetch = tex_fetch,
    .access = tex_surface,
    .query = tex_answer,
    .status = tex_status,
    .watch = tex_watch,
    .stale = tex_stale,
};
