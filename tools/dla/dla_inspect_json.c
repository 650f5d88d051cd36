/* SPDX-License-Identifier: MIT */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "tools/dla/dla_inspect.h"

static void dla_inspect_json_number(JsonBuilder *b, const char *name, int64_t value)
{
    json_builder_set_member_name(b, name);
    json_builder_add_int_value(b, value);
}

static void dla_inspect_json_word(JsonBuilder *b, const char *name, const char *words,
                                  int64_t value)
{
    char text[40];

    inspect_word(words, value, text, sizeof(text));
    json_builder_set_member_name(b, name);
    json_builder_add_string_value(b, text);
}

static void dla_inspect_json_string(JsonBuilder *b, const char *name, const char *at, size_t len)
{
    char *text = g_utf8_make_valid(at ? at : "", (gssize)(at ? strnlen(at, MIN(len, 4096)) : 0));

    json_builder_set_member_name(b, name);
    json_builder_add_string_value(b, text);
    g_free(text);
}

static void dla_inspect_json_version(JsonBuilder *b, const struct loadable_version *v)
{
    char text[16];

    g_snprintf(text, sizeof(text), "%u.%u.%u", v->major, v->minor, v->sub_minor);
    dla_inspect_json_string(b, "version", text, sizeof(text));
}

static void list_begin(JsonBuilder *b, const char *name)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
}

static void dla_inspect_json_fields(JsonBuilder *b, enum desc_kind kind, const uint8_t *at)
{
    size_t count;
    const struct desc_field *f = desc_fields(kind, &count);
    char text[40];

    for (size_t i = 0; i < count; i++) {
        int64_t v = desc_get(at + f[i].offset, f[i].bytes, f[i].is_signed);

        if (desc_word(f[i].words, v, text, sizeof(text))) {
            dla_inspect_json_word(b, f[i].name, f[i].words, v);
        } else {
            dla_inspect_json_number(b, f[i].name, v);
        }
    }
}

static void u16_list(JsonBuilder *b, const char *name, const struct loadable_list *l)
{
    list_begin(b, name);
    for (uint32_t i = 0; i < l->count; i++) {
        json_builder_add_int_value(b, loadable_u16(l, i));
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_tensors(JsonBuilder *b, const struct loadable *l)
{
    list_begin(b, "tensors");
    for (size_t i = 0; i < l->tensors; i++) {
        const struct loadable_tensor *t = &l->tensor[i];

        json_builder_begin_object(b);
        dla_inspect_json_string(b, "name", t->name.at, t->name.len);
        dla_inspect_json_number(b, "id", t->id);
        dla_inspect_json_number(b, "memory", t->memory_id);
        dla_inspect_json_number(b, "size", (int64_t)t->size);
        dla_inspect_json_number(b, "offset", (int64_t)t->offset);
        dla_inspect_json_word(b, "format", INSPECT_FORMATS, t->format);
        dla_inspect_json_word(b, "type", INSPECT_TYPES, t->type);
        dla_inspect_json_word(b, "category", INSPECT_CATEGORIES, t->category);
        dla_inspect_json_word(b, "pixel_format", PIXEL_FORMATS, t->pixel_format);
        dla_inspect_json_number(b, "pixel_mapping", t->pixel_mapping);
        dla_inspect_json_number(b, "n", t->n);
        dla_inspect_json_number(b, "c", t->c);
        dla_inspect_json_number(b, "h", t->h);
        dla_inspect_json_number(b, "w", t->w);
        list_begin(b, "stride");
        for (unsigned k = 0; k < 8; k++) {
            json_builder_add_int_value(b, t->stride[k]);
        }
        json_builder_end_array(b);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_memories(JsonBuilder *b, const struct loadable *l)
{
    char flags[40];

    list_begin(b, "memories");
    for (size_t i = 0; i < l->memories; i++) {
        const struct loadable_memory *m = &l->memory[i];

        json_builder_begin_object(b);
        dla_inspect_json_number(b, "id", m->id);
        dla_inspect_json_number(b, "domain", m->domain);
        inspect_flags(m->flags, flags, sizeof(flags));
        dla_inspect_json_string(b, "flags", flags, sizeof(flags));
        dla_inspect_json_number(b, "size", (int64_t)m->size);
        dla_inspect_json_number(b, "alignment", m->alignment);
        dla_inspect_json_number(b, "bind_id", m->bind_id);
        dla_inspect_json_number(b, "tensor_id", m->tensor_id);
        list_begin(b, "contents");
        for (uint32_t k = 0; k < m->contents.count && k < m->offsets.count; k++) {
            struct loadable_text t = loadable_text_at(&m->contents, k);

            json_builder_begin_object(b);
            dla_inspect_json_string(b, "blob", t.at, t.len);
            dla_inspect_json_number(b, "offset", (int64_t)loadable_u64(&m->offsets, k));
            json_builder_end_object(b);
        }
        json_builder_end_array(b);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_addresses(JsonBuilder *b, const struct loadable *l)
{
    list_begin(b, "addresses");
    for (size_t i = 0; i < l->addresses; i++) {
        json_builder_begin_object(b);
        dla_inspect_json_number(b, "id", l->address[i].id);
        dla_inspect_json_number(b, "memory", l->address[i].memory_id);
        dla_inspect_json_number(b, "offset", (int64_t)l->address[i].offset);
        dla_inspect_json_number(b, "size", (int64_t)l->address[i].size);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_blobs(JsonBuilder *b, const struct loadable *l)
{
    list_begin(b, "blobs");
    for (size_t i = 0; i < l->blobs; i++) {
        const struct loadable_blob *e = &l->blob[i];

        json_builder_begin_object(b);
        dla_inspect_json_string(b, "name", e->name.at, e->name.len);
        dla_inspect_json_number(b, "size", (int64_t)e->size);
        dla_inspect_json_number(b, "bytes", e->data.count);
        dla_inspect_json_word(b, "interface", INSPECT_INTERFACES, e->interface);
        dla_inspect_json_number(b, "sub_interface", e->sub_interface);
        dla_inspect_json_version(b, &e->version);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_events(JsonBuilder *b, const struct loadable *l)
{
    list_begin(b, "events");
    for (size_t i = 0; i < l->events; i++) {
        json_builder_begin_object(b);
        dla_inspect_json_number(b, "id", l->event[i].id);
        dla_inspect_json_number(b, "type", l->event[i].type);
        dla_inspect_json_number(b, "target", l->event[i].target);
        dla_inspect_json_number(b, "value", l->event[i].value);
        dla_inspect_json_number(b, "op", l->event[i].op);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    list_begin(b, "submits");
    for (size_t i = 0; i < l->submits; i++) {
        json_builder_begin_object(b);
        dla_inspect_json_number(b, "id", l->submit[i].id);
        u16_list(b, "tasks", &l->submit[i].tasks);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    dla_inspect_json_number(b, "relocations", (int64_t)l->relocs);
}

static void dla_inspect_json_cube(JsonBuilder *b, const char *name, const struct desc_cube *c)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_object(b);
    dla_inspect_json_word(b, "type", "DRAM|CVSRAM|on the fly", c->type);
    dla_inspect_json_number(b, "address", c->address);
    dla_inspect_json_number(b, "offset", c->offset);
    dla_inspect_json_number(b, "size", c->size);
    dla_inspect_json_number(b, "c", c->channels);
    dla_inspect_json_number(b, "h", c->height);
    dla_inspect_json_number(b, "w", c->width);
    dla_inspect_json_number(b, "line_stride", c->line_stride);
    dla_inspect_json_number(b, "surf_stride", c->surf_stride);
    dla_inspect_json_number(b, "plane_stride", c->plane_stride);
    json_builder_end_object(b);
}

static void dla_inspect_json_transfers(JsonBuilder *b, const struct dla_net *net, unsigned i)
{
    const uint8_t *s = dla_net_surface(net, i);
    int64_t n = DESC_GETU(dla_net_operation(net, i), BDMA, num_transfers);

    dla_inspect_json_number(b, "source_type", s[0]);
    dla_inspect_json_number(b, "destination_type", s[1]);
    list_begin(b, "transfers");
    for (int64_t k = 0; k < n; k++) {
        json_builder_begin_object(b);
        dla_inspect_json_fields(b, DESC_TRANSFER, s + 4 + DESC_BYTES_TRANSFER * k);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_operation(JsonBuilder *b, const struct dla_net *net, unsigned i)
{
    enum desc_op type = dla_net_op(net, i);
    char *name = dla_net_name(net->file, net->index, i);
    const char *surface;

    json_builder_begin_object(b);
    if (name) {
        dla_inspect_json_string(b, "name", name, strlen(name));
    }
    dla_inspect_json_fields(b, DESC_COMMON, dla_net_common(net, i));
    json_builder_set_member_name(b, "fields");
    json_builder_begin_object(b);
    dla_inspect_json_fields(b, desc_op_kind(type), dla_net_operation(net, i));
    json_builder_end_object(b);
    json_builder_set_member_name(b, "surface");
    json_builder_begin_object(b);
    if (type == DESC_OP_BDMA) {
        dla_inspect_json_transfers(b, net, i);
    }
    for (unsigned k = 0; (surface = desc_surface_name(type, k)); k++) {
        struct desc_cube c;

        desc_cube_get(dla_net_surface(net, i), k, net->cube_bytes, &c);
        dla_inspect_json_cube(b, surface, &c);
    }
    json_builder_end_object(b);
    json_builder_end_object(b);
    g_free(name);
}

static void dla_inspect_json_lut(JsonBuilder *b, const uint8_t *at)
{
    json_builder_begin_object(b);
    dla_inspect_json_fields(b, DESC_LUT, at);
    list_begin(b, "le");
    for (size_t i = 0; i < DESC_LUT_LE; i++) {
        json_builder_add_int_value(b, desc_get(at + 2 * i, 2, true));
    }
    json_builder_end_array(b);
    list_begin(b, "lo");
    for (size_t i = 0; i < DESC_LUT_LO; i++) {
        json_builder_add_int_value(b, desc_get(at + 2 * (DESC_LUT_LE + i), 2, true));
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

static void dla_inspect_json_network(JsonBuilder *b, const struct dla_net *net)
{
    dla_inspect_json_version(b, &net->version);
    dla_inspect_json_number(b, "cube_bytes", net->cube_bytes);
    dla_inspect_json_fields(b, DESC_NETWORK, net->desc);
    list_begin(b, "operations");
    for (unsigned i = 0; i < net->operations; i++) {
        dla_inspect_json_operation(b, net, i);
    }
    json_builder_end_array(b);
    list_begin(b, "luts");
    for (unsigned i = 0; i < net->luts; i++) {
        dla_inspect_json_lut(b, dla_net_lut(net, i));
    }
    json_builder_end_array(b);
}

static void dla_inspect_json_tasks(JsonBuilder *b, const struct loadable *l,
                                   const struct dla_net *nets, unsigned count)
{
    list_begin(b, "tasks");
    for (size_t i = 0; i < l->tasks; i++) {
        const struct loadable_task *t = &l->task[i];

        json_builder_begin_object(b);
        dla_inspect_json_number(b, "id", t->id);
        dla_inspect_json_word(b, "interface", INSPECT_INTERFACES, t->interface);
        dla_inspect_json_number(b, "instance", t->instance);
        u16_list(b, "addresses", &t->addresses);
        u16_list(b, "pre_actions", &t->pre_actions);
        u16_list(b, "post_actions", &t->post_actions);
        for (unsigned k = 0; k < count; k++) {
            if (nets[k].index == i && nets[k].desc && !nets[k].cpu) {
                json_builder_set_member_name(b, "network");
                json_builder_begin_object(b);
                dla_inspect_json_network(b, &nets[k]);
                json_builder_end_object(b);
            }
        }
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

void inspect_json(const struct dla_net_file *f, const struct dla_net *nets, unsigned count)
{
    JsonBuilder *b = json_builder_new();
    char *config = dla_net_config(f), *text;
    JsonNode *root;

    json_builder_begin_object(b);
    dla_inspect_json_string(b, "file", f->path, strlen(f->path));
    dla_inspect_json_version(b, &f->l->version);
    json_builder_set_member_name(b, "identified");
    json_builder_add_boolean_value(b, f->l->identified);
    if (config) {
        dla_inspect_json_string(b, "config", config, strlen(config));
    }
    dla_inspect_json_tensors(b, f->l);
    dla_inspect_json_memories(b, f->l);
    dla_inspect_json_addresses(b, f->l);
    dla_inspect_json_blobs(b, f->l);
    dla_inspect_json_events(b, f->l);
    dla_inspect_json_tasks(b, f->l, nets, count);
    json_builder_end_object(b);
    root = json_builder_get_root(b);
    text = json_to_string(root, TRUE);
    puts(text);
    g_free(text);
    g_free(config);
    json_node_unref(root);
    g_object_unref(b);
}
