/* SPDX-License-Identifier: MIT */
/* Places for tensors, addresses, dependencies, and the file. */
#include <stdlib.h>
#include <string.h>

#include "dlabuild/build.h"
#include "loadable/writer.h"

#define ALIGN 256u
#define MAX_SCRATCH (UINT64_C(1) << 30)
#define MAX_ADDRESSES 6144u /* of a task (nvdla_queue of the L4T kernel) */

enum { EVENT_COMPLETED = 1, EVENT_PROGRAMMED, EVENT_ENABLED };
/* What the blobs hold, as unit-test loadables number it. */
enum { SUB_NETWORK = 1, SUB_GRAPH, SUB_OPERATIONS, SUB_SURFACES, SUB_LUTS };
/* Memories in front of those of the inputs and outputs; the blob of each has its number as well. */
enum {
    MEM_NETWORK,
    MEM_OPERATIONS,
    MEM_SURFACES,
    MEM_GRAPH,
    MEM_LUTS,
    MEM_WEIGHTS,
    MEM_SCRATCH,
    MEM_FIXED
};

/**
 * struct plan
 * @address: what the task's address list names
 * @fixed: bytes of the fixed memories; @scratch: of the tensors between layers
 * @inputs, @outputs: in their order
 */
struct plan {
    struct build *b;
    GArray *address;
    GByteArray *fixed[MEM_FIXED];
    uint64_t scratch;
    GPtrArray *ends;
    unsigned inputs, outputs;
};

/* The whole that @t is a part of, and where in it @t begins. */
struct corner {
    uint32_t channel, line, column;
};

static struct tensor *root_of(struct tensor *t, struct corner *at)
{
    *at = (struct corner){ 0 };
    while (t->parent) {
        at->channel += t->first_channel;
        at->line += t->first_line;
        at->column += t->first_column;
        t = t->parent;
    }
    return t;
}

/* --- where tensors lie --- */
static uint32_t line_bytes(const struct build *b, const struct tensor *t)
{
    if (t->pixel_format == DESC_FEATURE) {
        return t->width * b->cfg->atom;
    }
    return (t->width * t->channels + 31) / 32 * 32;
}

static uint64_t surface_bytes(const struct build *b, const struct tensor *t)
{
    return (uint64_t)line_bytes(b, t) * t->height;
}

static uint64_t tensor_bytes(const struct build *b, const struct tensor *t)
{
    uint32_t per = atom_channels(b, t->precision);

    return t->pixel_format == DESC_FEATURE ? surface_bytes(b, t) * ((t->channels + per - 1) / per)
                                           : surface_bytes(b, t);
}

/* From the first byte of a part to its last. */
static uint64_t part_bytes(const struct build *b, const struct tensor *t, const struct tensor *root)
{
    uint32_t per = atom_channels(b, t->precision);

    if (t == root) {
        return tensor_bytes(b, t);
    }
    if (t->pixel_format != DESC_FEATURE) {
        return (uint64_t)line_bytes(b, root) * t->height;
    }
    return surface_bytes(b, root) * ((t->channels + per - 1) / per - 1) +
           (uint64_t)line_bytes(b, root) * (t->height - 1) + (uint64_t)t->width * b->cfg->atom;
}

static uint64_t part_offset(const struct build *b, const struct tensor *root,
                            const struct corner *at)
{
    return at->channel / atom_channels(b, root->precision) * surface_bytes(b, root) +
           (uint64_t)at->line * line_bytes(b, root) + (uint64_t)at->column * b->cfg->atom;
}

static gboolean lives_with(const struct tensor *a, const struct tensor *b)
{
    return a->made <= MAX(b->used, b->made) && b->made <= MAX(a->used, a->made);
}

struct place {
    struct tensor *t;
    uint64_t bytes;
    guint index;
};

static int by_size(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? 1 : -1;
    }
    return x->index < y->index ? -1 : 1;
}

/* The lowest place among those already placed that live at the same time; sorted[0..n) are. */
static uint64_t place_find(const struct place *sorted, guint n)
{
    const struct place *me = &sorted[n];
    uint64_t at = 0;

    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint i = 0; i < n; i++) {
            const struct place *o = &sorted[i];

            if (lives_with(o->t, me->t) && at < o->t->offset + o->bytes &&
                o->t->offset < at + me->bytes) {
                at = o->t->offset + o->bytes;
                moved = TRUE;
            }
        }
    }
    return at;
}

/* Tensors between layers share one memory: the largest first, each as low as it goes. */
static void scratch_plan(struct plan *p)
{
    GPtrArray *all = p->b->tensors;
    struct place *sorted = g_new0(struct place, all->len + 1);
    guint n = 0;

    for (guint i = 0; i < all->len; i++) {
        struct tensor *t = all->pdata[i];

        if (t->is_constant) {
            t->memory = MEM_WEIGHTS;
            t->offset = t->constant;
        } else if (!t->parent && t->input < 0 && t->output < 0 && t->made >= 0) {
            sorted[n++] =
                (struct place){ t, (tensor_bytes(p->b, t) + ALIGN - 1) / ALIGN * ALIGN, i };
        }
    }
    qsort(sorted, n, sizeof(*sorted), by_size);
    for (guint i = 0; i < n; i++) {
        sorted[i].t->memory = MEM_SCRATCH;
        sorted[i].t->offset = place_find(sorted, i);
        p->scratch = MAX(p->scratch, sorted[i].t->offset + sorted[i].bytes);
    }
    if (p->scratch > MAX_SCRATCH) {
        build_fail(p->b, "", "the tensors between layers need more than 1 GiB");
    }
    g_free(sorted);
}

static void ends_plan(struct plan *p)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        for (guint i = 0; i < p->b->tensors->len; i++) {
            struct tensor *t = p->b->tensors->pdata[i];

            if ((kind ? t->output : t->input) >= 0) {
                t->memory = MEM_FIXED + p->ends->len;
                g_ptr_array_add(p->ends, t);
                p->inputs += !kind;
                p->outputs += kind;
            }
        }
    }
}

/* --- addresses and cubes --- */
static int address_add(struct plan *p, unsigned memory, uint64_t offset, uint64_t size)
{
    struct loadable_address a = { .id = (uint16_t)p->address->len,
                                  .memory_id = (uint16_t)memory,
                                  .offset = offset,
                                  .size = size };

    if (p->address->len >= MAX_ADDRESSES) {
        build_fail(p->b, "", "a task has at most %u addresses", MAX_ADDRESSES);
        return 0;
    }
    g_array_append_val(p->address, a);
    return a.id;
}

static void cube_tensor(struct plan *p, struct tensor *t, struct desc_cube *c)
{
    struct corner at;
    const struct tensor *root = root_of(t, &at);
    uint64_t surface = surface_bytes(p->b, root), bytes = part_bytes(p->b, t, root);

    if (t->address < 0) {
        t->address =
            address_add(p, root->memory, root->offset + part_offset(p->b, root, &at), bytes);
    }
    *c = (struct desc_cube){ .address = t->address,
                             .size = (uint32_t)bytes,
                             .width = t->width,
                             .height = t->height,
                             .channels = t->channels,
                             .line_stride = line_bytes(p->b, root),
                             .surf_stride = (uint32_t)surface };
    if (bytes > UINT32_MAX || surface > UINT32_MAX) {
        build_fail(p->b, "", "\"%s\" needs more than 4 GiB", t->name);
    }
}

static void cube_constant(struct plan *p, const struct build_op *op, const struct cube_ref *r,
                          struct desc_cube *c)
{
    if (op->type == DESC_OP_CONV) { /* width, height and channels of the kernel are there */
        desc_cube_get(op->surface, r->cube, p->b->cube_bytes, c);
    } else {
        *c = (struct desc_cube){ .width = 1, .height = 1, .channels = r->bytes / 2 };
    }
    c->address = address_add(p, MEM_WEIGHTS, r->constant, r->bytes);
    c->size = r->bytes;
}

static void cubes_fill(struct plan *p, struct build_op *op)
{
    for (unsigned i = 0; i < op->refs; i++) {
        const struct cube_ref *r = &op->ref[i];
        struct desc_cube c = { 0 };

        if (r->is_constant) {
            cube_constant(p, op, r, &c);
        } else {
            cube_tensor(p, r->tensor, &c);
            if (r->repeat_line) {
                c.height = r->repeat_line;
                c.line_stride = 0;
            }
        }
        desc_cube_put(op->surface, r->cube, p->b->cube_bytes, &c);
    }
}

/* --- dependencies --- */
static struct build_op *op_at(const struct build *b, guint i)
{
    return b->ops->pdata[i];
}

static void plan_depend(struct build *b, guint from, unsigned slot, guint to, int event)
{
    uint8_t *at = op_at(b, from)->common + DESC_AT_COMMON_bdma_index + 4 * (size_t)slot;
    uint8_t *count = op_at(b, to)->common + DESC_AT_COMMON_dependency_count;

    if (desc_get(at, 2, true) < 0) {
        (*count)++;
    }
    desc_put(at, 2, to);
    at[2] = (uint8_t)event;
}

#define FUSED_PARENT 6u

/* Operations of one kind form a chain; a convolution runs with its SDP; a group begins when the one
 * before it is complete. */
static void graph_link(struct build *b)
{
    int last[DESC_OPS] = { -1, -1, -1, -1, -1, -1 };

    for (guint i = 0; i < b->ops->len; i++) {
        struct build_op *op = op_at(b, i);

        for (unsigned k = 0; k <= FUSED_PARENT; k++) {
            desc_put(op->common + DESC_AT_COMMON_bdma_index + 4 * (size_t)k, 2, -1);
        }
        DESC_PUT(op->common, COMMON, index, i);
    }
    for (guint i = 0; i < b->ops->len; i++) {
        struct build_op *op = op_at(b, i), *before = i ? op_at(b, i - 1) : NULL;

        if (last[op->type] >= 0) {
            plan_depend(b, (guint)last[op->type], op->type, i, EVENT_PROGRAMMED);
        }
        last[op->type] = (int)i;
        if (before && before->group == op->group) {
            plan_depend(b, i - 1, DESC_OP_SDP, i, EVENT_PROGRAMMED);
            plan_depend(b, i, FUSED_PARENT, i - 1, EVENT_ENABLED);
        } else if (before) {
            plan_depend(b, i - 1, op->type, i, EVENT_COMPLETED);
        }
    }
}

static void network_write(struct plan *p, GByteArray *out)
{
    uint8_t n[DESC_BYTES_NETWORK] = { 0 };
    gboolean luts = p->b->luts->len > 0;

    DESC_PUT(n, NETWORK, operation_list, MEM_OPERATIONS);
    DESC_PUT(n, NETWORK, surface_list, MEM_SURFACES);
    DESC_PUT(n, NETWORK, dependency_graph, MEM_GRAPH);
    DESC_PUT(n, NETWORK, lut_list, luts ? MEM_LUTS : -1);
    DESC_PUT(n, NETWORK, roi_array, -1);
    DESC_PUT(n, NETWORK, surface_index, -1);
    DESC_PUT(n, NETWORK, stat_list, -1);
    for (int t = 0; t < DESC_OPS; t++) {
        int first = -1;

        for (guint i = 0; first < 0 && i < p->b->ops->len; i++) {
            first = (int)op_at(p->b, i)->type == t ? (int)i : -1;
        }
        desc_put(n + DESC_AT_NETWORK_head_bdma + 2 * (size_t)t, 2, first);
    }
    DESC_PUT(n, NETWORK, num_rois, 1);
    DESC_PUT(n, NETWORK, num_operations, p->b->ops->len);
    DESC_PUT(n, NETWORK, num_luts, p->b->luts->len / DESC_BYTES_LUT);
    DESC_PUT(n, NETWORK, num_addresses, p->address->len);
    g_byte_array_append(out, n, sizeof(n));
}

static void lists_write(struct plan *p)
{
    for (guint i = 0; i < p->b->ops->len; i++) {
        struct build_op *op = op_at(p->b, i);

        cubes_fill(p, op);
        g_byte_array_append(p->fixed[MEM_OPERATIONS], op->desc, sizeof(op->desc));
        g_byte_array_append(p->fixed[MEM_SURFACES], op->surface, sizeof(op->surface));
        g_byte_array_append(p->fixed[MEM_GRAPH], op->common, sizeof(op->common));
    }
    g_byte_array_append(p->fixed[MEM_LUTS], p->b->luts->data, p->b->luts->len);
    /* Given over: weights are the largest part. */
    g_byte_array_unref(p->fixed[MEM_WEIGHTS]);
    p->fixed[MEM_WEIGHTS] = g_byte_array_ref(p->b->constants);
    network_write(p, p->fixed[MEM_NETWORK]);
}

/* --- the file --- */
static const struct {
    const char *name;
    uint32_t sub_interface;
} fixed_blob[MEM_FIXED] = {
    { "network_desc", SUB_NETWORK },
    { "operation_list", SUB_OPERATIONS },
    { "surface_list", SUB_SURFACES },
    { "dependency_graph", SUB_GRAPH },
    { "lut_list", SUB_LUTS },
    { "weights", 0 },
    { NULL, 0 },
};

static struct loadable_text text_of(const char *s)
{
    return (struct loadable_text){ s, strlen(s) };
}

static void tensor_describe(const struct plan *p, const struct tensor *t, uint16_t id,
                            struct loadable_tensor *d)
{
    static const uint8_t type[] = { 4, 3, 2 }; /* DATA_TYPE: half 2, int16 3, int8 4 */
    gboolean image = t->pixel_format != DESC_FEATURE;

    *d = (struct loadable_tensor){
        .name = text_of(t->name),
        .id = id,
        .memory_id = (uint16_t)t->memory,
        .size = tensor_bytes(p->b, t),
        .format = image ? 2 : 1, /* NHWC, NCHW */
        .type = image ? 4 : type[t->precision],
        .category = image ? 0 : 2, /* image, feature */
        .pixel_format = (uint8_t)t->pixel_format,
        .n = 1,
        .c = (int32_t)t->channels,
        .h = (int32_t)t->height,
        .w = (int32_t)t->width,
        .stride = { image ? 1 : precision_bytes(t->precision), line_bytes(p->b, t),
                    image ? 0 : (uint32_t)surface_bytes(p->b, t) },
    };
}

static void scales_print(const struct build *b, GString *s)
{
    for (guint i = 0; b->scales && i < b->tensors->len; i++) {
        const struct tensor *t = b->tensors->pdata[i];
        JsonNode *n = json_object_has_member(b->scales, t->name)
                          ? json_object_get_member(b->scales, t->name)
                          : NULL;
        char text[G_ASCII_DTOSTR_BUF_SIZE];

        if (n && JSON_NODE_HOLDS_VALUE(n)) {
            g_string_append_printf(
                s, "scale %s %s\n", t->name,
                g_ascii_formatd(text, sizeof(text), "%.9g", json_node_get_double(n)));
        }
    }
}

static char *names_text(const struct build *b)
{
    GString *s = g_string_new(NULL);

    g_string_append_printf(s, "config %s\n", b->cfg->name);
    for (guint i = 0; i < b->ops->len; i++) {
        const struct build_op *op = op_at(b, i);

        g_string_append_printf(s, "op 0.%u %s\n", i, op->name);
        if (op->part.channels) {
            g_string_append_printf(s, "part 0.%u %u %u %u %u\n", i, op->part.channel, op->part.line,
                                   op->part.channels, op->part.lines);
        }
    }
    scales_print(b, s);
    return g_string_free(s, FALSE);
}

static void blob_make(const struct build *b, struct loadable_blob *blob, const char *name,
                      uint32_t sub_interface, const void *bytes, size_t len)
{
    *blob = (struct loadable_blob){
        .name = text_of(name),
        .size = len,
        .interface = LOADABLE_DLA1,
        .sub_interface = sub_interface,
        .version = { b->version[0], b->version[1], b->version[2] },
        .data = { bytes, (uint32_t)len },
    };
}

/* Memories and blobs of the fixed ones, then the memories of inputs and outputs. */
static void memories_make(const struct plan *p, struct loadable *l, struct loadable_text *names,
                          const struct loadable_text **contents)
{
    static const uint8_t zero[8];

    for (unsigned i = 0; i < MEM_FIXED; i++) {
        struct loadable_memory *m = &l->memory[l->memories];

        *m = (struct loadable_memory){ .id = (uint16_t)i,
                                       .flags = LOADABLE_ALLOC,
                                       .alignment = 4096 };
        m->size = i == MEM_SCRATCH ? MAX(p->scratch, 1) : MAX(p->fixed[i]->len, 1u);
        if (fixed_blob[i].name && p->fixed[i]->len) {
            m->flags |= LOADABLE_SET;
            m->offsets = (struct loadable_list){ zero, 1 };
            blob_make(p->b, &l->blob[l->blobs++], fixed_blob[i].name, fixed_blob[i].sub_interface,
                      p->fixed[i]->data, p->fixed[i]->len);
            names[i] = text_of(fixed_blob[i].name);
        }
        contents[l->memories++] = &names[i];
    }
    for (guint i = 0; i < p->ends->len; i++) {
        const struct tensor *t = p->ends->pdata[i];

        l->memory[l->memories++] = (struct loadable_memory){
            .id = (uint16_t)t->memory,
            .flags =
                (uint16_t)(LOADABLE_ALLOC | (i < p->inputs ? LOADABLE_INPUT : LOADABLE_OUTPUT)),
            .size = tensor_bytes(p->b, t),
            .alignment = 4096,
            .bind_id = (uint16_t)(i < p->inputs ? i : i - p->inputs),
            .tensor_id = (uint16_t)i,
        };
        tensor_describe(p, t, (uint16_t)i, &l->tensor[l->tensors++]);
    }
}

static uint8_t *file_write(struct plan *p, size_t *len)
{
    char *text = names_text(p->b);
    struct loadable_memory *memory = g_new0(struct loadable_memory, MEM_FIXED + p->ends->len);
    struct loadable_tensor *tensor = g_new0(struct loadable_tensor, p->ends->len + 1);
    const struct loadable_text **contents =
        g_new0(const struct loadable_text *, MEM_FIXED + p->ends->len);
    struct loadable_text names[MEM_FIXED] = { 0 };
    struct loadable_blob blob[MEM_FIXED + 1];
    uint16_t *ids = g_new0(uint16_t, p->address->len + 1);
    struct loadable_event event = { 0 };
    struct loadable_task task = { .interface = LOADABLE_DLA1,
                                  .post_actions = { (uint8_t[2]){ 0 }, 1 } };
    struct loadable_submit submit = { .tasks = { (uint8_t[2]){ 0 }, 1 } };
    struct loadable l = { .version = { 0, 7, 0 },
                          .task = &task,
                          .tasks = 1,
                          .memory = memory,
                          .address = (struct loadable_address *)(void *)p->address->data,
                          .addresses = p->address->len,
                          .event = &event,
                          .events = 1,
                          .blob = blob,
                          .tensor = tensor,
                          .submit = &submit,
                          .submits = 1 };
    uint8_t *out;

    for (guint i = 0; i < p->address->len; i++) {
        desc_put((uint8_t *)&ids[i], 2, i);
    }
    task.addresses = (struct loadable_list){ (uint8_t *)ids, p->address->len };
    memories_make(p, &l, names, contents);
    blob_make(p->b, &blob[l.blobs++], LOADABLE_NAMES_BLOB, 0, text, strlen(text));
    blob[l.blobs - 1].interface = LOADABLE_NONE;
    out = loadable_write(&l, contents, len);
    if (!out) {
        build_fail(p->b, "", "the loadable would exceed 2 GiB");
    }
    g_free(text);
    g_free(memory);
    g_free(tensor);
    g_free(contents);
    g_free(ids);
    return out;
}

/* The fixed memories come first in the address list, so that their numbers are the same. */
static void fixed_init(struct plan *p)
{
    const size_t n = p->b->ops->len;
    const uint64_t size[] = { DESC_BYTES_NETWORK, n * DESC_OPERATION_BYTES, n * DESC_SURFACE_BYTES,
                              n * DESC_BYTES_COMMON, p->b->luts->len };

    for (unsigned i = 0; i < MEM_FIXED; i++) {
        p->fixed[i] = g_byte_array_new();
        if (i <= MEM_LUTS) {
            address_add(p, i, 0, size[i]);
        }
    }
}

uint8_t *build_finish(struct build *b, size_t *len)
{
    struct plan p = { .b = b,
                      .address = g_array_new(FALSE, FALSE, sizeof(struct loadable_address)),
                      .ends = g_ptr_array_new() };
    uint8_t *out = NULL;

    for (guint i = 0; i < b->tensors->len; i++) {
        ((struct tensor *)b->tensors->pdata[i])->address = -1;
    }
    if (b->ops->len == 0 || b->ops->len > DESC_MAX_OPERATIONS) {
        build_fail(b, "layers", "1 to %d operations, these are %u", DESC_MAX_OPERATIONS,
                   b->ops->len);
    }
    fixed_init(&p);
    ends_plan(&p);
    scratch_plan(&p);
    graph_link(b);
    if (!b->error) {
        lists_write(&p);
    }
    if (!b->error) {
        out = file_write(&p, len);
    }
    for (unsigned i = 0; i < MEM_FIXED; i++) {
        g_byte_array_unref(p.fixed[i]);
    }
    g_array_free(p.address, TRUE);
    g_ptr_array_free(p.ends, TRUE);
    return out;
}
