/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_net.h"

#include <stdio.h>
#include <string.h>

#include "loadable/network.h"

/* Above this a loadable is refused: a damaged size must not take the machine's memory. */
#define MAX_MEMORY (UINT64_C(1) << 30)
#define FIRST_IOVA UINT64_C(0x80000000)
#define PAGE 4096u

static void dla_net_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void dla_net_fail(GError **error, const char *format, ...)
{
    va_list args;
    char *text, *valid;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    valid = g_utf8_make_valid(text, -1); /* names of a damaged file may be anything */
    g_set_error_literal(error, DLA_TOOL_ERROR, 0, valid);
    g_free(valid);
    g_free(text);
}

static gboolean blob_place(struct dla_net_file *f, size_t i, uint32_t k, GError **error)
{
    const struct loadable_memory *m = &f->l->memory[i];
    struct loadable_text name = loadable_text_at(&m->contents, k);
    uint64_t at = loadable_u64(&m->offsets, k);
    const struct loadable_blob *b;

    if (name.len == 0) { /* published files list an empty name for memory without contents */
        return TRUE;
    }
    b = loadable_blob_find(f->l, name);
    if (!b) {
        dla_net_fail(error, "memory_list[%zu].contents[%u]: no blob is called \"%.*s\"", i, k,
                     (int)MIN(name.len, 64), name.at);
        return FALSE;
    }
    if (at > m->size || b->data.count > m->size - at) {
        dla_net_fail(error,
                     "memory_list[%zu].offsets[%u] = %" G_GUINT64_FORMAT
                     ": the blob's %u bytes must end within the memory's %" G_GUINT64_FORMAT,
                     i, k, at, b->data.count, m->size);
        return FALSE;
    }
    if (b->data.count) {
        memcpy(f->memory[i] + at, b->data.at, b->data.count);
    }
    return TRUE;
}

static gboolean memory_fill(struct dla_net_file *f, size_t i, GError **error)
{
    const struct loadable_memory *m = &f->l->memory[i];

    if (!(m->flags & LOADABLE_SET)) {
        return TRUE;
    }
    if (m->contents.count != m->offsets.count) {
        dla_net_fail(error, "memory_list[%zu].offsets: %u offsets for %u contents", i,
                     m->offsets.count, m->contents.count);
        return FALSE;
    }
    for (uint32_t k = 0; k < m->contents.count; k++) {
        if (!blob_place(f, i, k, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static uint64_t dla_net_page_count(uint64_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static gboolean memories_make(struct dla_net_file *f, GError **error)
{
    uint64_t at = FIRST_IOVA, total = 0;

    f->memory = g_new0(uint8_t *, f->l->memories + 1);
    f->iova = g_new0(uint64_t, f->l->memories + 1);
    for (size_t i = 0; i < f->l->memories; i++) {
        const struct loadable_memory *m = &f->l->memory[i];

        if (m->size > MAX_MEMORY || (total += m->size) > MAX_MEMORY) {
            dla_net_fail(error,
                         "memory_list[%zu].size = %" G_GUINT64_FORMAT ": at most 1 GiB in all", i,
                         m->size);
            return FALSE;
        }
        f->memory[i] = g_malloc0(dla_net_page_count(m->size) + 1);
        f->iova[i] = at;
        at += dla_net_page_count(m->size) + PAGE; /* a page between: overruns are seen */
        if (!memory_fill(f, i, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

struct dla_net_file *dla_net_from_bytes(const char *path, gchar *bytes, gsize len, GError **error)
{
    struct dla_net_file *f = g_new0(struct dla_net_file, 1);
    struct loadable_error why;
    char text[256];

    f->path = g_strdup(path);
    f->bytes = bytes;
    f->len = len;
    f->l = loadable_open((const uint8_t *)f->bytes, f->len, &why);
    if (!f->l) {
        loadable_error_format(&why, text, sizeof(text));
        dla_net_fail(error, "%s: not a DLA loadable, or a damaged one: %s", path, text);
        dla_net_close(f);
        return NULL;
    }
    if (!memories_make(f, error)) {
        g_prefix_error(error, "%s: ", path);
        dla_net_close(f);
        return NULL;
    }
    return f;
}

struct dla_net_file *dla_net_open(const char *path, GError **error)
{
    gchar *bytes;
    gsize len;

    return g_file_get_contents(path, &bytes, &len, error)
               ? dla_net_from_bytes(path, bytes, len, error)
               : NULL;
}

void dla_net_close(struct dla_net_file *f)
{
    if (!f) {
        return;
    }
    for (size_t i = 0; f->memory && i < f->l->memories; i++) {
        g_free(f->memory[i]);
    }
    g_free(f->memory);
    g_free(f->iova);
    loadable_close(f->l);
    g_free(f->bytes);
    g_free(f->path);
    g_free(f);
}

/* The memory that @iova lies in, or the last one below. -1: there is none. */
static gssize memory_at(const struct dla_net_file *f, uint64_t iova)
{
    size_t low = 0, high = f->l->memories;

    while (low < high) { /* the last memory that begins at or below */
        size_t mid = (low + high) / 2;

        if (f->iova[mid] <= iova) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return (gssize)low - 1;
}

static uint8_t *bytes_at(const struct dla_net_file *f, gssize i, uint64_t size, uint64_t iova,
                         uint64_t len)
{
    uint64_t at = iova - f->iova[i];

    return at <= size && len <= size - at ? f->memory[i] + at : NULL;
}

uint8_t *dla_net_bytes(const struct dla_net_file *f, uint64_t iova, uint64_t len)
{
    gssize i = memory_at(f, iova);

    return i < 0 ? NULL : bytes_at(f, i, f->l->memory[i].size, iova, len);
}

const uint8_t *dla_net_pages(const struct dla_net_file *f, uint64_t iova, uint64_t len)
{
    gssize i = memory_at(f, iova);

    return i < 0 ? NULL : bytes_at(f, i, dla_net_page_count(f->l->memory[i].size), iova, len);
}

/* What follows @key on its line of the names blob. */
static char *names_find(const struct dla_net_file *f, const char *key)
{
    const struct loadable_blob *b = loadable_blob_find(
        f->l, (struct loadable_text){ LOADABLE_NAMES_BLOB, strlen(LOADABLE_NAMES_BLOB) });
    char *text, *at, *value = NULL;

    if (!b || b->data.count > 1u << 20) {
        return NULL;
    }
    text = g_strndup((const char *)b->data.at, b->data.count);
    at = strstr(text, key);
    while (at && at != text && at[-1] != '\n') {
        at = strstr(at + 1, key);
    }
    if (at && g_utf8_validate(at, -1, NULL)) {
        at += strlen(key);
        value = g_strndup(at, strcspn(at, "\n"));
    }
    g_free(text);
    return value;
}

char *dla_net_name(const struct dla_net_file *f, unsigned task, unsigned index)
{
    char key[64];

    g_snprintf(key, sizeof(key), "op %u.%u ", task, index);
    return names_find(f, key);
}

gboolean dla_net_part(const struct dla_net_file *f, unsigned task, unsigned index,
                      struct dla_net_part *part)
{
    char key[64];
    char *text;
    gboolean ok;

    g_snprintf(key, sizeof(key), "part %u.%u ", task, index);
    text = names_find(f, key);
    ok = text && sscanf(text, "%u %u %u %u", &part->channel, &part->line, &part->channels,
                        &part->lines) == 4;
    g_free(text);
    return ok;
}

double dla_net_scale(const struct dla_net_file *f, const char *name)
{
    g_autofree char *key = g_strdup_printf("scale %s ", name);
    g_autofree char *text = names_find(f, key);
    double scale = text ? g_ascii_strtod(text, NULL) : 0;

    return scale > 0 && scale < 1e30 ? scale : 0;
}

char *dla_net_config(const struct dla_net_file *f)
{
    return names_find(f, "config ");
}

static gboolean addresses_init(struct dla_net *net, GError **error)
{
    const struct dla_net_file *f = net->file;

    net->addresses = net->task->addresses.count;
    net->address = g_new0(uint64_t, net->addresses + 1u);
    net->size = g_new0(uint64_t, net->addresses + 1u);
    for (unsigned i = 0; i < net->addresses; i++) {
        uint16_t id = loadable_u16(&net->task->addresses, i);
        const struct loadable_address *a = loadable_address_find(f->l, id);
        const struct loadable_memory *m = a ? loadable_memory_find(f->l, a->memory_id) : NULL;

        if (!m) {
            dla_net_fail(error, "task_list[%u].address_list[%u] = %u: %s", net->index, i, id,
                         a ? "its memory is not in memory_list" : "no such id in address_list");
            return FALSE;
        }
        if (a->offset > m->size) {
            dla_net_fail(error,
                         "address_list[%zd].offset = %" G_GUINT64_FORMAT
                         ": beyond its memory of %" G_GUINT64_FORMAT " bytes",
                         a - f->l->address, a->offset, m->size);
            return FALSE;
        }
        net->address[i] = f->iova[m - f->l->memory] + a->offset;
        net->size[i] = loadable_address_bytes(a, m->size);
    }
    return TRUE;
}

/* The blob whose bytes lie at an address: its version says how the descriptors are laid out. */
static const struct loadable_blob *blob_at(const struct dla_net_file *f, uint64_t iova)
{
    for (size_t i = 0; i < f->l->memories; i++) {
        const struct loadable_memory *m = &f->l->memory[i];

        for (uint32_t k = 0; m->flags & LOADABLE_SET && k < m->contents.count; k++) {
            const struct loadable_blob *b =
                loadable_blob_find(f->l, loadable_text_at(&m->contents, k));

            if (b && iova == f->iova[i] + loadable_u64(&m->offsets, k)) {
                return b;
            }
        }
    }
    return NULL;
}

/* The version of the blob that the network lies in, which says how descriptors are laid out. */
static gboolean version_check(struct dla_net *net, GError **error)
{
    const struct loadable_blob *b;

    if (net->addresses == 0) {
        dla_net_fail(error,
                     "task_list[%u].address_list: empty; address 0 is the network descriptor",
                     net->index);
        return FALSE;
    }
    b = blob_at(net->file, net->address[0]);
    net->version = b ? b->version : (struct loadable_version){ 0 };
    net->cube_bytes = loadable_cube_bytes(net->file->l, net->version);
    if (net->cube_bytes == 0) {
        dla_net_fail(
            error,
            "task_list[%u]: its network descriptor is of blob version %u.%u.%u: descriptors of "
            "DLA 1 have 0.10, 0.11 or 0.12 (ONNC: 1.2, 1.3), others (Orin's DLA 2) are not "
            "published",
            net->index, net->version.major, net->version.minor, net->version.sub_minor);
        return FALSE;
    }
    return TRUE;
}

#define EMU_NETWORK_BYTES 6u

static gboolean cpu_init(struct dla_net *net, GError **error)
{
    net->cpu = TRUE;
    net->desc =
        net->addresses ? dla_net_bytes(net->file, net->address[0], EMU_NETWORK_BYTES) : NULL;
    if (!net->desc) {
        dla_net_fail(error, "task_list[%u].address_list: no address of a network descriptor (EMU1)",
                     net->index);
        return FALSE;
    }
    net->cpu_operations = (unsigned)desc_get(net->desc + 4, 2, false);
    return TRUE;
}

gboolean dla_net_init(struct dla_net *net, const struct dla_net_file *f, unsigned index,
                      GError **error)
{
    g_autofree struct loadable_place *place = NULL;
    struct loadable_network n = { 0 };
    char why[256];
    gboolean ok;

    *net = (struct dla_net){ .file = f, .task = &f->l->task[index], .index = index };
    if (!addresses_init(net, error)) {
        return FALSE;
    }
    if (net->task->interface == LOADABLE_EMU1) {
        return cpu_init(net, error);
    }
    if (!version_check(net, error)) {
        return FALSE;
    }
    place = g_new0(struct loadable_place, net->addresses);
    for (unsigned i = 0; i < net->addresses; i++) {
        place[i] = (struct loadable_place){ dla_net_bytes(f, net->address[i], net->size[i]),
                                            net->size[i] };
    }
    n = (struct loadable_network){ place, net->addresses, net->cube_bytes, NULL, 0, 0 };
    ok = loadable_network_check(&n, why, sizeof(why));
    net->desc = n.desc;
    net->operations = n.operations;
    net->luts = n.luts;
    if (!ok) {
        dla_net_fail(error, "%s", why);
    }
    return ok;
}

void dla_net_free(struct dla_net *net)
{
    g_free(net->address);
    g_free(net->size);
}

static const uint8_t *dla_net_entry(const struct dla_net *net, int64_t list, unsigned i,
                                    unsigned bytes)
{
    return dla_net_bytes(net->file, net->address[list] + (uint64_t)i * bytes, bytes);
}

const uint8_t *dla_net_common(const struct dla_net *net, unsigned i)
{
    return dla_net_entry(net, DESC_GET(net->desc, NETWORK, dependency_graph), i, DESC_BYTES_COMMON);
}

const uint8_t *dla_net_operation(const struct dla_net *net, unsigned i)
{
    return dla_net_entry(net, DESC_GET(net->desc, NETWORK, operation_list), i,
                         DESC_OPERATION_BYTES);
}

const uint8_t *dla_net_surface(const struct dla_net *net, unsigned i)
{
    return dla_net_entry(net, DESC_GET(net->desc, NETWORK, surface_list), i, DESC_SURFACE_BYTES);
}

const uint8_t *dla_net_lut(const struct dla_net *net, unsigned i)
{
    return dla_net_entry(net, DESC_GET(net->desc, NETWORK, lut_list), i, DESC_BYTES_LUT);
}

enum desc_op dla_net_op(const struct dla_net *net, unsigned i)
{
    return (enum desc_op)DESC_GETU(dla_net_common(net, i), COMMON, op_type);
}
