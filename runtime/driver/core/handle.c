/* SPDX-License-Identifier: MIT */
/* Handles are numbers: type 51:44, generation 43:28, slot 27:4, zero 3:0. A slot's generation grows
 * when its handle is freed, so an old handle is found out; and no handle depends on an address of
 * this process, so traces do not either. */
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/core.h"

#define SLOT_BITS 24
#define SLOT_MAX (1u << SLOT_BITS)
#define GENERATION_SHIFT (4 + SLOT_BITS)
#define GENERATION_MASK 0xffffu

struct slot {
    void *object;
    uint32_t generation;
    enum handle_type type;
};

static GArray *slots; /* struct slot */
static GArray *idle;  /* uint32_t */

static struct slot *slot_of(const void *handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    uint32_t index = (uint32_t)(value >> 4) & (SLOT_MAX - 1);
    struct slot *s;

    if ((value & 0xf) || value >> 52 || !slots || index >= slots->len) {
        return NULL;
    }
    s = &g_array_index(slots, struct slot, index);
    if (!s->object || (value >> GENERATION_SHIFT & GENERATION_MASK) != s->generation ||
        value >> 44 != s->type) {
        return NULL;
    }
    return s;
}

unsigned handle_count(void)
{
    return slots ? slots->len - idle->len : 0;
}

void *handle_new(enum handle_type type, void *object)
{
    uint32_t index;
    struct slot *s;

    if (!slots) {
        slots = g_array_new(FALSE, TRUE, sizeof(struct slot));
        idle = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    if (idle->len) {
        index = g_array_index(idle, uint32_t, idle->len - 1);
        g_array_set_size(idle, idle->len - 1);
    } else {
        /* Calls that a program can repeat ask object_room(): HANDLES_MAX is a sixteenth of this.
         * Others make what something else bounds: channels (streams, contexts), memory of an engine
         * (DLA, VIC), what is asked for (functions of a module, levels of an array, resources of a
         * frame). */
        g_assert(slots->len < SLOT_MAX);
        index = slots->len;
        g_array_set_size(slots, index + 1);
    }
    s = &g_array_index(slots, struct slot, index);
    s->object = object;
    s->type = type;
    return (void *)(uintptr_t)((uint64_t)type << 44 | (uint64_t)s->generation << GENERATION_SHIFT |
                               (uint64_t)index << 4);
}

void *handle_find(enum handle_type type, const void *handle)
{
    struct slot *s = slot_of(handle);

    return s && s->type == type ? s->object : NULL;
}

enum handle_type handle_type_of(const void *handle)
{
    struct slot *s = slot_of(handle);

    return s ? s->type : HANDLE_NONE;
}

void handle_free(const void *handle)
{
    struct slot *s = slot_of(handle);
    uint32_t index;

    if (s) {
        s->object = NULL;
        s->generation = (s->generation + 1) & GENERATION_MASK;
        index = (uint32_t)(s - &g_array_index(slots, struct slot, 0));
        g_array_append_val(idle, index);
    }
}
