/* SPDX-License-Identifier: MIT */
#include "trace/perfetto.h"

#include "trace/proto.h"

#include <glib.h>

/* Field numbers, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
};
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3 };
enum {
    EVENT_CATEGORY_IIDS = 3,
    EVENT_DEBUG_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOW_IDS = 47, /* fixed64, as the next */
    EVENT_TERMINATING_FLOW_IDS = 48,
};
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2 };
enum { INTERNED_IID = 1, INTERNED_NAME = 2 };
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

/* Interned names are valid from the packet that clears what was before; all others need them. */
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS = 2 };

#define SEQUENCE 1
#define BUFFER 65536

/**
 * struct perfetto - a trace being written
 * @names, @categories: text -> number, from 1
 * @out: packets not written yet; @packet, @part, @inner, @interned: messages under construction
 */
struct perfetto {
    perfetto_write *write;
    void *opaque;
    GHashTable *names, *categories;
    GByteArray *out, *packet, *part, *inner, *interned;
};

void perfetto_flush(struct perfetto *p)
{
    if (p->out->len) {
        p->write(p->opaque, p->out->data, p->out->len);
        g_byte_array_set_size(p->out, 0);
    }
}

static void packet_end(struct perfetto *p)
{
    proto_varint(p->packet, PACKET_SEQUENCE_ID, SEQUENCE);
    proto_message(p->out, TRACE_PACKET, p->packet);
    if (p->out->len >= BUFFER) {
        perfetto_flush(p);
    }
}

struct perfetto *perfetto_new(perfetto_write *write, void *opaque)
{
    struct perfetto *p = g_new0(struct perfetto, 1);

    p->write = write;
    p->opaque = opaque;
    p->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->categories = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->out = g_byte_array_new();
    p->packet = g_byte_array_new();
    p->part = g_byte_array_new();
    p->inner = g_byte_array_new();
    p->interned = g_byte_array_new();
    proto_varint(p->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
    packet_end(p);
    return p;
}

void perfetto_free(struct perfetto *p)
{
    if (!p) {
        return;
    }
    perfetto_flush(p);
    g_hash_table_destroy(p->names);
    g_hash_table_destroy(p->categories);
    g_byte_array_free(p->out, TRUE);
    g_byte_array_free(p->packet, TRUE);
    g_byte_array_free(p->part, TRUE);
    g_byte_array_free(p->inner, TRUE);
    g_byte_array_free(p->interned, TRUE);
    g_free(p);
}

static void track_begin(struct perfetto *p, uint64_t track, uint64_t parent, const char *name)
{
    proto_varint(p->part, TRACK_UUID, track);
    if (parent) {
        proto_varint(p->part, TRACK_PARENT, parent);
    }
    if (name) {
        proto_text(p->part, TRACK_NAME, name);
    }
}

static void track_end(struct perfetto *p)
{
    proto_message(p->packet, PACKET_TRACK_DESCRIPTOR, p->part);
    packet_end(p);
}

void perfetto_process(struct perfetto *p, uint64_t track, int32_t pid, const char *name)
{
    track_begin(p, track, 0, NULL);
    proto_varint(p->inner, PROCESS_PID, (uint64_t)pid);
    proto_text(p->inner, PROCESS_NAME, name);
    proto_message(p->part, TRACK_PROCESS, p->inner);
    track_end(p);
}

void perfetto_thread(struct perfetto *p, uint64_t track, int32_t pid, int32_t tid, const char *name)
{
    track_begin(p, track, 0, NULL);
    proto_varint(p->inner, THREAD_PID, (uint64_t)pid);
    proto_varint(p->inner, THREAD_TID, (uint64_t)tid);
    proto_text(p->inner, THREAD_NAME, name);
    proto_message(p->part, TRACK_THREAD, p->inner);
    track_end(p);
}

void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name)
{
    track_begin(p, track, parent, name);
    track_end(p);
}

void perfetto_counter(struct perfetto *p, uint64_t track, uint64_t parent, const char *name,
                      enum perfetto_unit unit)
{
    track_begin(p, track, parent, name);
    proto_varint(p->inner, COUNTER_UNIT, unit);
    proto_message(p->part, TRACK_COUNTER, p->inner);
    track_end(p);
}

/* A name that comes for the first time goes into the packet's interned data. */
static uint64_t perfetto_intern(struct perfetto *p, GHashTable *known, unsigned field,
                                const char *text)
{
    guint iid = GPOINTER_TO_UINT(g_hash_table_lookup(known, text));

    if (!iid) {
        iid = g_hash_table_size(known) + 1;
        g_hash_table_insert(known, g_strdup(text), GUINT_TO_POINTER(iid));
        proto_varint(p->inner, INTERNED_IID, iid);
        proto_text(p->inner, INTERNED_NAME, text);
        proto_message(p->interned, field, p->inner);
    }
    return iid;
}

static void perfetto_annotation(struct perfetto *p, const struct perfetto_arg *arg)
{
    proto_text(p->inner, ANNOTATION_NAME, arg->name);
    if (arg->text) {
        proto_text(p->inner, ANNOTATION_STRING, arg->text);
    } else {
        proto_varint(p->inner, ANNOTATION_UINT, arg->number);
    }
    proto_message(p->part, EVENT_DEBUG_ANNOTATIONS, p->inner);
}

static void event_names(struct perfetto *p, const struct perfetto_event *e)
{
    if (e->category) {
        proto_varint(p->part, EVENT_CATEGORY_IIDS,
                     perfetto_intern(p, p->categories, INTERNED_CATEGORIES, e->category));
    }
    if (e->name) {
        proto_varint(p->part, EVENT_NAME_IID,
                     perfetto_intern(p, p->names, INTERNED_NAMES, e->name));
    }
}

void perfetto_event(struct perfetto *p, const struct perfetto_event *e)
{
    proto_varint(p->part, EVENT_TYPE, e->type);
    proto_varint(p->part, EVENT_TRACK_UUID, e->track);
    event_names(p, e);
    for (unsigned i = 0; i < e->args; i++) {
        if (e->arg[i].text || e->arg[i].number) {
            perfetto_annotation(p, &e->arg[i]);
        }
    }
    if (e->type == PERFETTO_VALUE) {
        proto_varint(p->part, EVENT_COUNTER_VALUE, (uint64_t)e->value);
    }
    if (e->flow) {
        proto_fixed64(p->part, EVENT_FLOW_IDS, e->flow);
    }
    if (e->flow_end) {
        proto_fixed64(p->part, EVENT_TERMINATING_FLOW_IDS, e->flow_end);
    }
    proto_varint(p->packet, PACKET_TIMESTAMP, e->time_ns);
    proto_varint(p->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS);
    if (p->interned->len) {
        proto_message(p->packet, PACKET_INTERNED_DATA, p->interned);
    }
    proto_message(p->packet, PACKET_TRACK_EVENT, p->part);
    packet_end(p);
}
