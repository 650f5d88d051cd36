/* SPDX-License-Identifier: MIT */
/* Lists: slots, and values that are checked once, when they are set or read from bytes. */
#include "runtime/api/nvsci/attr/list.h"

#include <string.h>

enum { General, RawBuffer, Image, Tensor, Array, Pyramid };

#define KEY(symbol, kind, type, elements, direction, merge, least, most)                \
    { symbol,      #symbol,           SCI_##kind,      type, elements, SCI_##direction, \
      SCI_##merge, (uint64_t)(least), (uint64_t)(most) },
static const struct sci_key buf_keys[] = {
#include "runtime/api/nvsci/attr/buf_keys.def"
};
#define KEY(symbol, kind, type, elements, direction, merge, least, most)                \
    { symbol,      #symbol,           SCI_##kind,      type, elements, SCI_##direction, \
      SCI_##merge, (uint64_t)(least), (uint64_t)(most) },
static const struct sci_key sync_keys[] = {
#include "runtime/api/nvsci/attr/sync_keys.def"
};

const struct sci_schema sci_buf_schema = { buf_keys, G_N_ELEMENTS(buf_keys),
                                           NvSciBufGeneralAttrKey_Types };
const struct sci_schema sci_sync_schema = { sync_keys, G_N_ELEMENTS(sync_keys), 0 };

size_t sci_kind_size(enum sci_kind kind)
{
    static const uint8_t size[] = {
        [SCI_BOOL] = sizeof(bool),
        [SCI_ENUM] = 4,
        [SCI_PERM] = 4,
        [SCI_U8] = 1,
        [SCI_U32] = 4,
        [SCI_U64] = 8,
        [SCI_POW2_32] = 4,
        [SCI_POW2_64] = 8,
        [SCI_SCALE] = sizeof(float),
        [SCI_GPU] = sizeof(NvSciRmGpuId),
        [SCI_GPU_CACHE] = sizeof(NvSciBufAttrValGpuCache),
        [SCI_GPU_COMPRESSION] = sizeof(NvSciBufAttrValGpuCompression),
        [SCI_LOCATION] = sizeof(NvSciBufPeerLocationInfo),
        [SCI_ENGINE] = sizeof(NvSciBufPeerHwEngine),
    };

    return size[kind];
}

int sci_key_index(const struct sci_schema *schema, uint32_t key)
{
    for (unsigned i = 0; i < schema->count; i++) {
        if (schema->key[i].key == key) {
            return (int)i;
        }
    }
    return -1;
}

struct sci_slot *sci_slot_new(const struct sci_schema *schema)
{
    struct sci_slot *slot = g_new0(struct sci_slot, 1);

    slot->value = g_new0(struct sci_value, schema->count);
    slot->path = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    return slot;
}

void sci_slot_free(struct sci_slot *slot, const struct sci_schema *schema)
{
    for (unsigned i = 0; i < schema->count; i++) {
        g_free(slot->value[i].data);
    }
    g_free(slot->value);
    g_array_unref(slot->path);
    g_free(slot);
}

static GArray *path_copy(const GArray *path)
{
    GArray *copy = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (path->len) {
        g_array_append_vals(copy, path->data, path->len);
    }
    return copy;
}

struct sci_peer *sci_peer_new(bool need_cpu, bool gpu, uint64_t perm, const GArray *path)
{
    struct sci_peer *peer = g_new0(struct sci_peer, 1);

    peer->need_cpu = need_cpu;
    peer->gpu = gpu;
    peer->perm = perm;
    peer->path = path_copy(path);
    return peer;
}

static void peer_free(gpointer opaque)
{
    struct sci_peer *peer = opaque;

    g_array_unref(peer->path);
    g_free(peer);
}

struct sci_list *sci_list_new_empty(const struct sci_schema *schema)
{
    struct sci_list *list = g_new0(struct sci_list, 1);

    list->schema = schema;
    list->slots = g_ptr_array_new();
    list->peers = g_ptr_array_new_with_free_func(peer_free);
    return list;
}

struct sci_list *sci_list_new(const struct sci_schema *schema)
{
    struct sci_list *list = sci_list_new_empty(schema);

    list->writable = true;
    g_ptr_array_add(list->slots, sci_slot_new(schema));
    return list;
}

void sci_list_free(struct sci_list *list)
{
    for (guint i = 0; i < list->slots->len; i++) {
        sci_slot_free(list->slots->pdata[i], list->schema);
    }
    g_ptr_array_unref(list->slots);
    g_ptr_array_unref(list->peers);
    g_free(list);
}

struct sci_slot *sci_list_slot(const struct sci_list *list, size_t i)
{
    return list->slots->pdata[i];
}

const struct sci_value *sci_slot_get(const struct sci_list *list, size_t slot, uint32_t key)
{
    int index = sci_key_index(list->schema, key);
    const struct sci_value *value;

    if (index < 0 || slot >= list->slots->len) {
        return NULL;
    }
    value = &sci_list_slot(list, slot)->value[index];
    return value->count ? value : NULL;
}

const struct sci_value *sci_list_get(const struct sci_list *list, uint32_t key)
{
    return sci_slot_get(list, 0, key);
}

uint64_t sci_value_u64(const struct sci_key *key, const struct sci_value *value, uint32_t i)
{
    const char *at = (const char *)value->data + i * sci_kind_size(key->kind);
    uint64_t n = 0;

    memcpy(&n, at, MIN(sci_kind_size(key->kind), sizeof(n))); /* both hosts are little endian */
    return n;
}

uint64_t sci_list_u64(const struct sci_list *list, uint32_t key, uint32_t i, uint64_t absent)
{
    int index = sci_key_index(list->schema, key);
    const struct sci_value *value = sci_list_get(list, key);

    return value && i < value->count ? sci_value_u64(&list->schema->key[index], value, i) : absent;
}

void sci_slot_put(struct sci_slot *slot, int index, size_t size, const void *data, uint32_t count)
{
    struct sci_value *value = &slot->value[index];

    g_free(value->data);
    /* NVIDIA's samples read 4-byte values (PlaneWidth) as 8 bytes: there are zeroes behind. */
    value->data = count ? g_malloc0((count * size + 7) / 8 * 8) : NULL;
    value->count = count;
    if (count) {
        memcpy(value->data, data, count * size);
    }
}

static bool element_valid(const struct sci_key *key, const void *element)
{
    uint64_t n = 0;
    float scale;
    NvSciBufAttrValGpuCompression compression;
    NvSciBufPeerHwEngine engine;

    switch (key->kind) {
    case SCI_SCALE:
        memcpy(&scale, element, sizeof(scale));
        return scale > 0.0f && scale <= 1.0f;
    case SCI_GPU:
    case SCI_LOCATION:
        return true;
    case SCI_GPU_CACHE:
        return ((const uint8_t *)element)[sizeof(NvSciRmGpuId)] <= 1;
    case SCI_GPU_COMPRESSION:
        memcpy(&compression, element, sizeof(compression));
        return (uint32_t)compression.compressionType <= NvSciBufCompressionType_GenericCompressible;
    case SCI_ENGINE:
        memcpy(&engine, element, sizeof(engine));
        return (uint32_t)engine.engName > NvSciBufHwEngName_Invalid &&
               (uint32_t)engine.engName < NvSciBufHwEngName_Num;
    default:
        memcpy(&n, element, sci_kind_size(key->kind));
        if ((key->kind == SCI_POW2_32 || key->kind == SCI_POW2_64) && (n & (n - 1))) {
            return false;
        }
        if (key->kind == SCI_PERM && !(n & NvSciBufAccessPerm_Readonly)) {
            return false;
        }
        return n >= key->least && n <= key->most;
    }
}

bool sci_value_valid(const struct sci_key *key, const void *value, size_t len)
{
    size_t size = sci_kind_size(key->kind);

    if (!value || !len || len % size || len / size > key->elements) {
        return false;
    }
    for (size_t i = 0; i < len / size; i++) {
        if (!element_valid(key, (const char *)value + i * size)) {
            return false;
        }
    }
    return true;
}

/* Does the array of types that the slot has, or that the call brings, have @type? */
static bool type_known(const struct sci_list *list, const struct sci_pair *pair, size_t count,
                       unsigned type)
{
    const struct sci_value *set = sci_list_get(list, list->schema->types);
    const void *types = set ? set->data : NULL;
    size_t n = set ? set->count : 0;
    uint32_t one;

    for (size_t i = 0; i < count && !types; i++) {
        if (pair[i].key == list->schema->types) {
            types = pair[i].value;
            n = pair[i].len / sizeof(one);
        }
    }
    for (size_t i = 0; i < n && types; i++) {
        memcpy(&one, (const char *)types + i * sizeof(one), sizeof(one));
        if (one == type || (one == Pyramid && type == Image)) { /* its level 0 is an image */
            return true;
        }
    }
    return false;
}

static bool pair_may_be_set(const struct sci_list *list, const struct sci_pair *pair, size_t i)
{
    int index = sci_key_index(list->schema, pair[i].key);
    const struct sci_key *key;

    if (index < 0) {
        return false;
    }
    key = &list->schema->key[index];
    for (size_t j = 0; j < i; j++) {
        if (pair[j].key == pair[i].key) {
            return false;
        }
    }
    return key->direction & SCI_IN && !sci_list_slot(list, 0)->value[index].count &&
           sci_value_valid(key, pair[i].value, pair[i].len);
}

NvSciError sci_list_set(struct sci_list *list, const struct sci_pair *pair, size_t count)
{
    if (!pair || !count || list->reconciled || !list->writable || count > list->schema->count) {
        return NvSciError_BadParameter;
    }
    for (size_t i = 0; i < count; i++) {
        if (!pair_may_be_set(list, pair, i)) {
            return NvSciError_BadParameter;
        }
    }
    for (size_t i = 0; i < count; i++) {
        unsigned type = list->schema->key[sci_key_index(list->schema, pair[i].key)].type;

        if (type != General && !type_known(list, pair, count, type)) {
            return NvSciError_BadParameter;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int index = sci_key_index(list->schema, pair[i].key);
        size_t size = sci_kind_size(list->schema->key[index].kind);

        sci_slot_put(sci_list_slot(list, 0), index, size, pair[i].value,
                     (uint32_t)(pair[i].len / size));
    }
    return NvSciError_Success;
}

NvSciError sci_list_get_pairs(const struct sci_list *list, size_t slot, struct sci_pair *pair,
                              size_t count)
{
    enum sci_direction wanted = list->reconciled ? SCI_OUT : SCI_IN;

    if (!pair || !count || slot >= list->slots->len) {
        return NvSciError_BadParameter;
    }
    for (size_t i = 0; i < count; i++) {
        int index = sci_key_index(list->schema, pair[i].key);

        if (index < 0 || !(list->schema->key[index].direction & wanted)) {
            return NvSciError_BadParameter;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int index = sci_key_index(list->schema, pair[i].key);
        const struct sci_value *value = &sci_list_slot(list, slot)->value[index];

        pair[i].value = value->count ? value->data : NULL;
        pair[i].len = value->count * sci_kind_size(list->schema->key[index].kind);
    }
    return NvSciError_Success;
}

static struct sci_slot *slot_copy(const struct sci_slot *from, const struct sci_schema *schema)
{
    struct sci_slot *slot = sci_slot_new(schema);

    for (unsigned i = 0; i < schema->count; i++) {
        if (from->value[i].count) {
            sci_slot_put(slot, (int)i, sci_kind_size(schema->key[i].kind), from->value[i].data,
                         from->value[i].count);
        }
    }
    g_array_unref(slot->path);
    slot->path = path_copy(from->path);
    return slot;
}

struct sci_list *sci_list_clone(const struct sci_list *list)
{
    struct sci_list *clone = sci_list_append(&list, 1);

    clone->reconciled = list->reconciled;
    clone->writable = list->writable;
    for (guint i = 0; i < list->peers->len; i++) {
        const struct sci_peer *peer = list->peers->pdata[i];

        g_ptr_array_add(clone->peers,
                        sci_peer_new(peer->need_cpu, peer->gpu, peer->perm, peer->path));
    }
    return clone;
}

struct sci_list *sci_list_append(const struct sci_list *const *list, size_t count)
{
    struct sci_list *all = sci_list_new_empty(list[0]->schema);

    for (size_t i = 0; i < count; i++) {
        for (guint j = 0; j < list[i]->slots->len; j++) {
            g_ptr_array_add(all->slots, slot_copy(sci_list_slot(list[i], j), all->schema));
        }
    }
    return all;
}

static void dump_value(GString *out, const struct sci_key *key, const struct sci_value *value)
{
    const uint8_t *byte = value->data;

    g_string_append_printf(out, "  %s =", key->name);
    for (uint32_t i = 0; i < value->count; i++) {
        if (key->kind < SCI_SCALE) {
            g_string_append_printf(out, " %" G_GUINT64_FORMAT, sci_value_u64(key, value, i));
            continue;
        }
        g_string_append_c(out, ' ');
        for (size_t j = 0; j < sci_kind_size(key->kind); j++) {
            g_string_append_printf(out, "%02x", *byte++);
        }
    }
    g_string_append_c(out, '\n');
}

char *sci_list_dump(const struct sci_list *list)
{
    GString *out = g_string_new(list->reconciled ? "reconciled\n" : "unreconciled\n");

    for (guint i = 0; i < list->slots->len; i++) {
        const struct sci_slot *slot = sci_list_slot(list, i);

        g_string_append_printf(out, " slot %u%s\n", i, slot->path->len ? " (imported)" : "");
        for (unsigned j = 0; j < list->schema->count; j++) {
            if (slot->value[j].count) {
                dump_value(out, &list->schema->key[j], &slot->value[j]);
            }
        }
    }
    return g_string_free(out, FALSE);
}
