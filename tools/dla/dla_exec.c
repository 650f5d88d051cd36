/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_exec.h"

#include <string.h>

#include "dlabuild/half.h"
#include "model/dla/desc.h"
#include "tools/dla/dla_emu.h"

static enum dla_status port_read(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                                 size_t len)
{
    const uint8_t *b = dla_net_pages(((struct dla_memory_port *)port)->f, iova, len);

    (void)ram;
    if (!b) {
        return DLA_FAULT;
    }
    memcpy(dst, b, len);
    return DLA_OK;
}

static enum dla_status port_write(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                                  const void *src, size_t len)
{
    uint8_t *b = dla_net_bytes(((struct dla_memory_port *)port)->f, iova, len);

    (void)ram;
    if (!b) {
        return DLA_FAULT;
    }
    memcpy(b, src, len);
    return DLA_OK;
}

const struct dla_port_ops dla_memory_port_ops = { .read = port_read, .write = port_write };

int dla_net_end(const struct dla_net_file *f, unsigned flag, unsigned n)
{
    const struct loadable *l = f->l;
    int best = -1;

    for (int64_t above = -1, i = 0; i <= n; i++) {
        best = -1;
        for (size_t k = 0; k < l->memories; k++) {
            if (l->memory[k].flags & flag && l->memory[k].bind_id > above &&
                (best < 0 || l->memory[k].bind_id < l->memory[best].bind_id)) {
                best = (int)k;
            }
        }
        if (best < 0) {
            return -1;
        }
        above = l->memory[best].bind_id;
    }
    return best;
}

struct dla_exec {
    struct dla_memory_port port;
    const struct dla_config *cfg;
    struct dla_net *nets;
    unsigned count;
    dla_exec_seen *seen; /* NULL: nothing is watched */
    void *opaque;
    const struct dla_net *net; /* under way, and its operation before */
    int last;
};

void dla_exec_close(struct dla_exec *e)
{
    for (unsigned i = 0; i < e->count; i++) {
        dla_net_free(&e->nets[i]);
    }
    g_free(e->nets);
    dla_net_close(e->port.f);
    g_free(e);
}

static gboolean exec_init(struct dla_exec *e, GError **error)
{
    const struct loadable *l = e->port.f->l;
    g_autofree char *name = dla_net_config(e->port.f);

    e->cfg = dla_config_find(name ? name : "nv_full");
    e->nets = g_new0(struct dla_net, l->tasks + 1);
    if (!e->cfg) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "there is no configuration \"%s\"", name);
        return FALSE;
    }
    for (size_t i = 0; i < l->tasks; i++) {
        e->count++;
        if (!dla_net_init(&e->nets[i], e->port.f, (unsigned)i, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

struct dla_exec *dla_exec_open(gchar *bytes, gsize len, GError **error)
{
    struct dla_net_file *f = dla_net_from_bytes("loadable", bytes, len, error);
    struct dla_exec *e;

    if (!f) {
        return NULL;
    }
    e = g_new0(struct dla_exec, 1);
    e->port = (struct dla_memory_port){ .port = { .ops = &dla_memory_port_ops }, .f = f };
    if (!exec_init(e, error)) {
        dla_exec_close(e);
        return NULL;
    }
    return e;
}

static gboolean exec_layout(struct dla_exec *e, unsigned flag, unsigned n, struct layout *l,
                            GError **error)
{
    int memory = dla_net_end(e->port.f, flag, n);

    if (memory < 0) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "the loadable has only %u of these", n);
        return FALSE;
    }
    return layout_of_memory(l, e->port.f, (size_t)memory, e->nets, e->count, e->cfg->atom, error);
}

gboolean dla_exec_put(struct dla_exec *e, unsigned n, const float *v, size_t count, GError **error)
{
    struct layout l;
    struct array a;
    gboolean ok;

    if (!exec_layout(e, LOADABLE_INPUT, n, &l, error)) {
        return FALSE;
    }
    a = (struct array){
        .type = l.type, .channels = l.channels, .height = l.height, .width = l.width
    };
    if (array_count(&a) != count) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "\"%s\" takes %zu numbers, not %zu", l.name,
                    array_count(&a), count);
        return FALSE;
    }
    a.v = g_new(int32_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        a.v[i] = l.type == ARRAY_FP16 ? half_from_double((double)v[i]) : (int32_t)v[i];
    }
    ok = layout_put(&l, e->port.f, &a, l.name, error);
    array_free(&a);
    return ok;
}

gboolean dla_exec_get(struct dla_exec *e, unsigned n, float *v, size_t count, GError **error)
{
    struct layout l;
    struct array a;

    if (!exec_layout(e, LOADABLE_OUTPUT, n, &l, error) || !layout_get(&l, e->port.f, &a, error)) {
        return FALSE;
    }
    if (array_count(&a) != count) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "\"%s\" has %zu numbers, not %zu", l.name,
                    array_count(&a), count);
        array_free(&a);
        return FALSE;
    }
    for (size_t i = 0; i < count; i++) {
        v[i] = (float)(l.type == ARRAY_FP16 ? half_to_double(a.v[i]) : (double)a.v[i]);
    }
    array_free(&a);
    return TRUE;
}

gboolean dla_exec_load(struct dla_exec *e, unsigned n, const char *path, struct array *a,
                       GError **error)
{
    struct array shape;
    struct layout l;

    if (!exec_layout(e, LOADABLE_INPUT, n, &l, error)) {
        return FALSE;
    }
    shape = (struct array){
        .type = l.type, .channels = l.channels, .height = l.height, .width = l.width
    };
    if (!array_load(a, path, &shape, error)) {
        return FALSE;
    }
    if (!layout_put(&l, e->port.f, a, path, error)) {
        array_free(a);
        return FALSE;
    }
    array_free(a);
    return layout_get(&l, e->port.f, a, error);
}

void dla_exec_watch(struct dla_exec *e, dla_exec_seen *seen, void *opaque)
{
    e->seen = seen;
    e->opaque = opaque;
}

/* The operation before has written. */
static void exec_watch(struct dla_exec *e)
{
    enum desc_op op = e->last >= 0 ? dla_net_op(e->net, (unsigned)e->last) : DESC_OPS;
    g_autofree char *name = NULL;
    struct layout l;
    struct array a;

    if (op == DESC_OPS || layout_dst(op) < 0 ||
        !layout_of_cube(&l, e->net, (unsigned)e->last, (unsigned)layout_dst(op), e->cfg->atom)) {
        return;
    }
    name = dla_net_name(e->port.f, e->net->index, (unsigned)e->last);
    if (name && layout_get(&l, e->port.f, &a, NULL)) {
        e->seen(e->opaque, name, &a);
        array_free(&a);
    }
}

static void exec_layer(void *opaque, unsigned index, enum dla_op_type type)
{
    struct dla_exec *e = opaque;

    (void)type;
    exec_watch(e);
    e->last = (int)index;
}

gboolean dla_exec_run(struct dla_exec *e, GError **error)
{
    for (unsigned i = 0; i < e->count; i++) {
        struct dla_net *net = &e->nets[i];
        struct dla_task task = { .address = net->address,
                                 .size = net->size,
                                 .addresses = net->addresses,
                                 .cube_bytes = net->cube_bytes,
                                 .layer = e->seen ? exec_layer : NULL,
                                 .opaque = e };
        struct dla_stats stats = { 0 };
        struct dla_task_error why;
        char text[256];

        if (net->cpu) {
            if (!dla_emu_run(net, error)) {
                return FALSE;
            }
            continue;
        }
        e->net = net;
        e->last = -1;
        if (dla_task_run(e->cfg, &e->port.port, &task, &stats, &why) != DLA_OK) {
            dla_task_error_format(&why, text, sizeof(text));
            g_set_error(error, DLA_TOOL_ERROR, 0, "task %u: %s", net->index, text);
            return FALSE;
        }
        if (e->seen) {
            exec_watch(e);
        }
    }
    return TRUE;
}
