/* SPDX-License-Identifier: MIT */
/* Lists as bytes, and back. */
#include "runtime/api/nvsci/attr/wire.h"

#include <string.h>

#include "runtime/api/nvsci/attr/reconcile.h"

enum { WIRE_MAGIC = 0x49435356, WIRE_HEAD = 16 };

uint32_t sci_wire_crc(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint32_t crc = ~0u;

    for (size_t i = 0; i < len; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static void wire_put(GByteArray *out, uint64_t value, unsigned bytes)
{
    uint8_t raw[8];

    for (unsigned i = 0; i < bytes; i++) {
        raw[i] = (uint8_t)(value >> (8 * i));
    }
    g_byte_array_append(out, raw, bytes);
}

static void put_path(GByteArray *out, const GArray *path)
{
    wire_put(out, path->len, 1);
    for (guint i = 0; i < path->len; i++) {
        wire_put(out, g_array_index(path, uint64_t, i), 8);
    }
}

static void put_slot(GByteArray *out, const struct sci_slot *slot, const struct sci_schema *schema)
{
    unsigned keys = 0;

    put_path(out, slot->path);
    for (unsigned i = 0; i < schema->count; i++) {
        keys += slot->value[i].count != 0;
    }
    wire_put(out, keys, 2);
    for (unsigned i = 0; i < schema->count; i++) {
        const struct sci_value *value = &slot->value[i];

        if (value->count) {
            wire_put(out, schema->key[i].key, 4);
            wire_put(out, value->count, 4);
            g_byte_array_append(out, value->data,
                                (guint)(value->count * sci_kind_size(schema->key[i].kind)));
        }
    }
}

GByteArray *sci_wire_write(const struct sci_list *list)
{
    GByteArray *out = g_byte_array_new();
    uint32_t crc;

    wire_put(out, WIRE_MAGIC, 4);
    wire_put(out, SCI_WIRE_VERSION, 2);
    wire_put(out, list->schema == &sci_sync_schema, 1);
    wire_put(out, list->reconciled, 1);
    wire_put(out, 0, 8);
    wire_put(out, list->slots->len, 4);
    for (guint i = 0; i < list->slots->len; i++) {
        put_slot(out, sci_list_slot(list, i), list->schema);
    }
    wire_put(out, list->peers->len, 4);
    for (guint i = 0; i < list->peers->len; i++) {
        const struct sci_peer *peer = list->peers->pdata[i];

        wire_put(out, (unsigned)peer->need_cpu | (unsigned)peer->gpu << 1, 1);
        wire_put(out, peer->perm, 8);
        put_path(out, peer->path);
    }
    crc = sci_wire_crc(out->data + WIRE_HEAD, out->len - WIRE_HEAD);
    for (unsigned i = 0; i < 4; i++) {
        out->data[8 + i] = (uint8_t)(out->len >> (8 * i));
        out->data[12 + i] = (uint8_t)(crc >> (8 * i));
    }
    return out;
}

/* --- reading: the cursor never passes the end; @bad stays once it is set --- */

struct cursor {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static const uint8_t *take_bytes(struct cursor *c, size_t n)
{
    const uint8_t *at = c->at;

    if (c->bad || n > c->left) {
        c->bad = true;
        return NULL;
    }
    c->at += n;
    c->left -= n;
    return at;
}

static uint64_t wire_take(struct cursor *c, unsigned bytes)
{
    const uint8_t *at = take_bytes(c, bytes);
    uint64_t value = 0;

    for (unsigned i = 0; at && i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static void take_path(struct cursor *c, GArray *path, size_t most)
{
    uint64_t n = wire_take(c, 1);

    if (n > most) {
        c->bad = true;
    }
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint64_t step = wire_take(c, 8);

        g_array_append_val(path, step);
    }
}

static void take_key(struct cursor *c, struct sci_slot *slot, const struct sci_schema *schema,
                     enum sci_direction wanted)
{
    int index = sci_key_index(schema, (uint32_t)wire_take(c, 4));
    uint64_t count = wire_take(c, 4);
    const struct sci_key *key = index < 0 ? NULL : &schema->key[index];
    size_t size = key ? sci_kind_size(key->kind) : 0;
    const uint8_t *data;

    if (!key || !(key->direction & wanted) || slot->value[index].count || count > key->elements) {
        c->bad = true;
        return;
    }
    data = take_bytes(c, count * size);
    if (!data || !sci_value_valid(key, data, count * size)) {
        c->bad = true;
        return;
    }
    sci_slot_put(slot, index, size, data, (uint32_t)count);
}

/* A typed key without its type is refused, as sci_list_set() refuses it. */
static bool types_fit(const struct sci_slot *slot, const struct sci_schema *schema)
{
    const struct sci_value *types =
        schema->types ? &slot->value[sci_key_index(schema, schema->types)] : NULL;
    uint64_t known = 1;

    for (uint32_t i = 0; types && i < types->count; i++) {
        known |= UINT64_C(1) << ((const uint32_t *)types->data)[i];
    }
    if (known & 1u << NvSciBufType_Pyramid) {
        known |= 1u << NvSciBufType_Image; /* a pyramid's level 0 */
    }
    for (unsigned i = 0; i < schema->count; i++) {
        if (slot->value[i].count && !(known >> schema->key[i].type & 1)) {
            return false;
        }
    }
    return true;
}

static void take_slots(struct cursor *c, struct sci_list *list, uint64_t channel)
{
    enum sci_direction wanted = list->reconciled ? SCI_OUT : SCI_IN;
    uint64_t slots = wire_take(c, 4);

    if (!slots || slots > (list->reconciled ? 1 : SCI_MAX_SLOTS)) {
        c->bad = true;
    }
    for (uint64_t i = 0; i < slots && !c->bad; i++) {
        struct sci_slot *slot = sci_slot_new(list->schema);
        uint64_t keys;

        g_ptr_array_add(list->slots, slot);
        take_path(c, slot->path, list->reconciled ? 0 : SCI_MAX_PATH - 1);
        keys = wire_take(c, 2);
        for (uint64_t j = 0; j < keys && !c->bad; j++) {
            take_key(c, slot, list->schema, wanted);
        }
        c->bad |= !types_fit(slot, list->schema);
        if (!list->reconciled) {
            g_array_append_val(slot->path, channel);
        }
    }
}

static bool perm_valid(const struct sci_list *list, uint64_t perm)
{
    return list->schema == &sci_buf_schema
               ? perm == NvSciBufAccessPerm_Readonly || perm == NvSciBufAccessPerm_ReadWrite
               : perm >= NvSciSyncAccessPerm_WaitOnly && perm <= NvSciSyncAccessPerm_WaitSignal;
}

static void take_peers(struct cursor *c, struct sci_list *list)
{
    uint64_t peers = wire_take(c, 4);

    if (!!peers != list->reconciled || peers > SCI_MAX_SLOTS) {
        c->bad = true;
    }
    for (uint64_t i = 0; i < peers && !c->bad; i++) {
        GArray *path = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        uint64_t flags = wire_take(c, 1), perm = wire_take(c, 8);

        take_path(c, path, SCI_MAX_PATH);
        c->bad |= flags > 3 || !perm_valid(list, perm);
        g_ptr_array_add(list->peers, sci_peer_new(flags & 1, flags & 2, perm, path));
        g_array_unref(path);
    }
}

static bool head_fits(struct cursor *c, const struct sci_schema *schema, bool reconciled,
                      size_t len)
{
    bool fits = wire_take(c, 4) == WIRE_MAGIC;
    uint64_t crc;

    fits &= wire_take(c, 2) == SCI_WIRE_VERSION;
    fits &= wire_take(c, 1) == (schema == &sci_sync_schema);
    fits &= wire_take(c, 1) == reconciled;
    fits &= wire_take(c, 4) == len;
    crc = wire_take(c, 4);
    return fits && !c->bad && crc == sci_wire_crc(c->at, c->left);
}

struct sci_list *sci_wire_read(const struct sci_schema *schema, bool reconciled, const void *bytes,
                               size_t len, uint64_t channel)
{
    struct cursor c = { bytes, len, !bytes };
    struct sci_list *list;

    if (!head_fits(&c, schema, reconciled, len)) {
        return NULL;
    }
    list = sci_list_new_empty(schema);
    list->reconciled = reconciled;
    take_slots(&c, list, channel);
    take_peers(&c, list);
    if (c.bad || c.left) {
        sci_list_free(list);
        return NULL;
    }
    if (reconciled) {
        sci_list_own_wishes(list);
    }
    return list;
}
