/* SPDX-License-Identifier: MIT */
#include "tools/advise/advise.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "tools/json_text.h"

#define SECTOR 32u

/* A member that an older version does not have, or that is null, is 0. */
static uint64_t number_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;

    return n && JSON_NODE_HOLDS_VALUE(n) ? (uint64_t)json_node_get_int(n) : 0;
}

static const char *text_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;

    return n && JSON_NODE_HOLDS_VALUE(n) && json_node_get_string(n) ? json_node_get_string(n) : "";
}

static JsonObject *object_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;

    return n && JSON_NODE_HOLDS_OBJECT(n) ? json_node_get_object(n) : NULL;
}

static guint length_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;

    return n && JSON_NODE_HOLDS_ARRAY(n) ? json_array_get_length(json_node_get_array(n)) : 0;
}

static JsonObject *element_of(JsonObject *o, const char *key, guint i)
{
    JsonNode *n = json_array_get_element(json_object_get_array_member(o, key), i);

    return JSON_NODE_HOLDS_OBJECT(n) ? json_node_get_object(n) : NULL;
}

static bool kind_of(const char *name, enum charge_kind *kind)
{
    static const char *const names[CHARGE_KINDS] = { "device", "pinned", "registered", "managed",
                                                     "pageable" };

    for (unsigned i = 0; i < CHARGE_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = i;
            return true;
        }
    }
    return false;
}

static void kernels_read(struct advise_run *a, JsonObject *root)
{
    for (guint i = 0; i < length_of(root, "kernels"); i++) {
        JsonObject *o = element_of(root, "kernels", i);
        struct charge_kernel k = { .launches = number_of(o, "ended"),
                                   .time_ns = number_of(o, "virtual_time_ns"),
                                   .warp_insts = number_of(o, "warp_instructions") };

        g_array_append_val(a->kernels, k);
    }
}

/* What kernels did to the buffer; their names. */
static void uses_read(struct advise_run *a, JsonObject *o, struct advise_buffer *name)
{
    GString *kernels = g_string_new(NULL);

    for (guint i = 0; i < length_of(o, "kernels"); i++) {
        JsonObject *use = element_of(o, "kernels", i);
        struct charge_use u = { .kernel = (unsigned)number_of(use, "kernel"),
                                .buffer = a->buffers->len,
                                .read = number_of(use, "read_bytes"),
                                .written = number_of(use, "written_bytes"),
                                .dram = number_of(use, "port_read_bytes") +
                                        number_of(use, "port_written_bytes") };

        u.l2 = (number_of(use, "l2_read_hits") + number_of(use, "l2_read_misses")) * SECTOR +
               u.written;
        if (u.kernel >= a->kernels->len) {
            continue;
        }
        g_array_append_val(a->uses, u);
        name->launches =
            MAX(name->launches, g_array_index(a->kernels, struct charge_kernel, u.kernel).launches);
        if (i < 3) {
            g_string_append_printf(kernels, "%s%s", i ? ", " : "", text_of(use, "name"));
        } else if (i == 3) {
            g_string_append(kernels, " and others");
        }
    }
    name->kernels = g_string_free(kernels, FALSE);
}

/* Copies into buffer @number, or out of it. */
static void copies_read(JsonObject *root, uint64_t number, struct charge_buffer *b)
{
    for (guint i = 0; i < length_of(root, "copies"); i++) {
        JsonObject *o = element_of(root, "copies", i);
        uint64_t from = number_of(o, "from"), to = number_of(o, "to"),
                 calls = number_of(o, "calls"), bytes = number_of(o, "bytes");

        if (to == number && from != number) {
            b->copies_in += calls;
            b->in += bytes;
            b->staged += from ? 0 : bytes;
        } else if (from == number) {
            b->copies_out += calls;
            b->out += bytes;
            b->staged += to ? 0 : bytes;
        }
    }
}

/* The report says which buffers engines used, and how often. */
static void way_read(struct advise_run *a, JsonObject *engine, JsonObject *o)
{
    JsonObject *gpu = object_of(o, "igpu");
    struct advise_way w = { .number = (unsigned)number_of(o, "number"),
                            .nvsci = strcmp(text_of(o, "kind"), "shared") == 0,
                            .shared = { .size = number_of(o, "bytes"),
                                        .frames = MAX(number_of(engine, "frames"), 1),
                                        .gpu_read = number_of(gpu, "read_bytes"),
                                        .gpu_written = number_of(gpu, "written_bytes") } };

    w.where = g_strdup(text_of(o, "where"));
    w.api = g_strdup(text_of(o, "api"));
    g_array_append_val(a->ways, w);
}

static void ways_read(struct advise_run *a, JsonObject *root)
{
    JsonObject *kinds = object_of(root, "memory_kinds");

    for (guint i = 0; i < length_of(kinds, "engines"); i++) {
        JsonObject *engine = element_of(kinds, "engines", i);

        for (guint b = 0; b < length_of(root, "buffers"); b++) {
            JsonObject *o = element_of(root, "buffers", b);

            if (o && number_of(o, "number") == number_of(engine, "buffer")) {
                way_read(a, engine, o);
            }
        }
    }
}

static void way_clear(gpointer data)
{
    struct advise_way *w = data;

    g_free(w->where);
    g_free(w->api);
}

/* On a board with two GPUs: memory of the discrete one, or used by its kernels. */
static bool is_discrete(JsonObject *o)
{
    static const char *const counts[] = { "port_read_bytes", "port_written_bytes", "read_bytes",
                                          "written_bytes", "atomics" };
    JsonObject *gpu = object_of(o, "dgpu");
    bool uses = strcmp(text_of(o, "kind"), "device") == 0 &&
                strcmp(text_of(o, "dgpu_caching"), "cached") == 0;

    for (size_t i = 0; gpu && i < G_N_ELEMENTS(counts); i++) {
        uses |= number_of(gpu, counts[i]) != 0;
    }
    return uses;
}

static void buffer_read(struct advise_run *a, JsonObject *root, JsonObject *o, bool cpu_known)
{
    JsonObject *cpu = object_of(o, "cpu");
    struct charge_buffer b = { .size = number_of(o, "bytes"),
                               .allocations = number_of(o, "allocations"),
                               .cpu_known = cpu_known,
                               .loads = number_of(cpu, "loads"),
                               .stores = number_of(cpu, "stores"),
                               .read = number_of(cpu, "read_bytes"),
                               .written = number_of(cpu, "written_bytes"),
                               .misses = number_of(cpu, "cache_misses") };
    struct advise_buffer name = { .number = (unsigned)number_of(o, "number") };

    if (!kind_of(text_of(o, "kind"), &b.kind)) {
        return; /* of NvSci: the application does not choose its kind */
    }
    if (is_discrete(o)) {
        a->discrete++;
        return;
    }
    uses_read(a, o, &name);
    copies_read(root, name.number, &b);
    name.where = g_strdup(text_of(o, "where"));
    name.api = g_strdup(text_of(o, "api"));
    g_array_append_val(a->buffers, b);
    g_array_append_val(a->names, name);
}

static void name_clear(gpointer data)
{
    struct advise_buffer *name = data;

    g_free(name->where);
    g_free(name->api);
    g_free(name->kernels);
}

static struct advise_run *run_of(JsonObject *root)
{
    struct advise_run *a = g_new0(struct advise_run, 1);
    JsonObject *run = object_of(root, "run");
    JsonNode *exact = json_object_get_member(run, "cpu_exact");

    a->program = g_strdup(text_of(run, "program"));
    a->soc = g_strdup(text_of(run, "soc"));
    a->kernels = g_array_new(FALSE, FALSE, sizeof(struct charge_kernel));
    a->buffers = g_array_new(FALSE, FALSE, sizeof(struct charge_buffer));
    a->uses = g_array_new(FALSE, FALSE, sizeof(struct charge_use));
    a->names = g_array_new(FALSE, FALSE, sizeof(struct advise_buffer));
    a->ways = g_array_new(FALSE, FALSE, sizeof(struct advise_way));
    g_array_set_clear_func(a->names, name_clear);
    g_array_set_clear_func(a->ways, way_clear);
    kernels_read(a, root);
    for (guint i = 0; i < length_of(root, "buffers"); i++) {
        buffer_read(a, root, element_of(root, "buffers", i), exact && json_node_get_boolean(exact));
    }
    ways_read(a, root);
    a->run = (struct charge_run){ .kernels = (void *)a->kernels->data,
                                  .buffers = (void *)a->buffers->data,
                                  .uses = (void *)a->uses->data,
                                  .n_kernels = a->kernels->len,
                                  .n_buffers = a->buffers->len,
                                  .n_uses = a->uses->len };
    return a;
}

struct advise_run *advise_read(const char *path, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    JsonNode *root;

    if (!json_text_load_file(parser, path, error)) {
        g_prefix_error(error, "no report that vtegra run --json wrote: ");
        return NULL;
    }
    root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root) || !object_of(json_node_get_object(root), "run")) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: no JSON report; vtegra run --json writes one", path);
        return NULL;
    }
    return run_of(json_node_get_object(root));
}

void advise_run_free(struct advise_run *a)
{
    g_free(a->program);
    g_free(a->soc);
    g_array_free(a->kernels, TRUE);
    g_array_free(a->buffers, TRUE);
    g_array_free(a->uses, TRUE);
    g_array_free(a->names, TRUE);
    g_array_free(a->ways, TRUE);
    g_free(a);
}
