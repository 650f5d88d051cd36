/* SPDX-License-Identifier: MIT */
/* docs/report-json.md is this file's contract: add keys, never change their meaning. */
#include "runtime/check/json.h"

#include <json-glib/json-glib.h>

#include "runtime/check/text.h"

#define REPORT_VERSION 1

static void add_text(JsonBuilder *b, const char *text)
{
    char *utf8 = g_utf8_make_valid(text, -1);

    json_builder_add_string_value(b, utf8);
    g_free(utf8);
}

static void put_text(JsonBuilder *b, const char *key, const char *value)
{
    json_builder_set_member_name(b, key);
    if (value) {
        add_text(b, value);
    } else {
        json_builder_add_null_value(b);
    }
}

static void put_int(JsonBuilder *b, const char *key, uint64_t value)
{
    json_builder_set_member_name(b, key);
    json_builder_add_int_value(b, (gint64)value);
}

static void put_bool(JsonBuilder *b, const char *key, bool value)
{
    json_builder_set_member_name(b, key);
    json_builder_add_boolean_value(b, value);
}

static void begin(JsonBuilder *b, const char *key)
{
    json_builder_set_member_name(b, key);
    json_builder_begin_object(b);
}

static void begin_list(JsonBuilder *b, const char *key)
{
    json_builder_set_member_name(b, key);
    json_builder_begin_array(b);
}

static void put_run(JsonBuilder *b, const struct run *r)
{
    begin(b, "run");
    put_text(b, "program", r->program);
    put_text(b, "soc", r->soc);
    put_text(b, "module", r->marketing);
    put_text(b, "gpu", r->gpu);
    put_int(b, "compute_capability", r->cc);
    put_bool(b, "io_coherent", r->io_coherent);
    put_bool(b, "cpu_snoops_l2", r->snoops_l2);
    put_text(b, "os", r->os);
    put_text(b, "policy", r->policy);
    put_text(b, "evict", r->evict);
    put_int(b, "seed", r->seed);
    put_bool(b, "safety", r->safety);
    put_bool(b, "cpu_exact", r->hooks);
    put_bool(b, "checked", r->checked);
    put_int(b, "virtual_time_ns", r->time_ns);
    json_builder_end_object(b);
}

static void put_names(JsonBuilder *b, const char *key, const GPtrArray *names)
{
    begin_list(b, key);
    for (guint i = 0; i < names->len; i++) {
        add_text(b, names->pdata[i]);
    }
    json_builder_end_array(b);
}

static void put_objects(JsonBuilder *b, const struct run *r)
{
    begin_list(b, "objects");
    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        json_builder_begin_object(b);
        put_text(b, "name", o->name);
        put_text(b, "hooks", o->hooks);
        put_names(b, "files_without", o->files);
        put_names(b, "functions_without", o->functions);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void put_cpu(JsonBuilder *b, const struct run_region *region)
{
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];

    begin(b, "cpu");
    put_int(b, "loads", n->read_ops);
    put_int(b, "read_bytes", n->read_bytes);
    put_int(b, "stores", n->write_ops);
    put_int(b, "written_bytes", n->write_bytes);
    put_int(b, "atomics", n->atomics);
    put_int(b, "cache_hits", n->read_hits + n->write_hits);
    put_int(b, "cache_misses", n->read_misses + n->write_misses);
    put_int(b, "uncached_accesses", region->cpu_cached ? 0 : n->read_ops + n->write_ops);
    put_int(b, "stale_reads", region->stale_lines);
    begin_list(b, "places");
    for (guint i = 0; i < region->sites->len; i++) {
        const struct run_site *s = region->sites->pdata[i];

        json_builder_begin_object(b);
        put_text(b, "where", s->where);
        put_int(b, "loads", s->loads);
        put_int(b, "stores", s->stores);
        put_int(b, "atomics", s->atomics);
        put_int(b, "bytes", s->bytes);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

/* Members of what an engine did. */
static void put_count(JsonBuilder *b, const struct run_count *n)
{
    put_int(b, "read_bytes", n->read_bytes);
    put_int(b, "written_bytes", n->write_bytes);
    put_int(b, "l2_read_hits", n->read_hits);
    put_int(b, "l2_read_misses", n->read_misses);
    put_int(b, "l2_write_hits", n->write_hits);
    put_int(b, "l2_write_misses", n->write_misses);
    put_int(b, "port_read_bytes", n->port_read_bytes);
    put_int(b, "port_written_bytes", n->port_write_bytes);
    put_int(b, "snooped_lines", n->snooped_lines);
    put_int(b, "atomics", n->atomics);
}

static void put_engine(JsonBuilder *b, const char *key, const struct run_count *n)
{
    begin(b, key);
    put_count(b, n);
    json_builder_end_object(b);
}

static void put_maint(JsonBuilder *b, const char *key, const struct run_maint *m)
{
    begin(b, key);
    put_int(b, "operations", m->ops);
    put_int(b, "lines", m->lines);
    put_int(b, "empty", m->empty);
    json_builder_end_object(b);
}

static void put_region_maintenance(JsonBuilder *b, const struct run_region *region)
{
    begin(b, "maintenance");
    put_maint(b, "cpu_clean", &region->clean);
    put_maint(b, "cpu_clean_invalidate", &region->clean_invalidate);
    put_maint(b, "cpu_invalidate", &region->invalidate);
    put_int(b, "hints_to_gpu", region->attach_gpu);
    put_int(b, "hints_to_cpu", region->attach_cpu);
    put_int(b, "lost_bytes", region->lost_bytes);
    json_builder_end_object(b);
}

static void put_region(JsonBuilder *b, const struct run_region *region)
{
    json_builder_begin_object(b);
    put_int(b, "number", region->number);
    put_int(b, "region", region->id);
    put_text(b, "kind", run_kind_name(region->kind));
    put_int(b, "bytes", region->size);
    put_text(b, "api", region->api);
    put_text(b, "where", region->where);
    put_int(b, "allocations", region->times);
    put_text(b, "attached", region->attached);
    put_bool(b, "freed", region->freed);
    put_text(b, "cpu_caching", text_cpu_column(region));
    put_text(b, "igpu_caching", text_igpu_column(region));
    put_cpu(b, region);
    begin_list(b, "kernels");
    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];

        json_builder_begin_object(b);
        put_text(b, "name", use->kernel->name);
        put_count(b, &use->sum);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
    put_engine(b, "igpu", &region->agent[BUS_AGENT_IGPU]);
    put_engine(b, "copy_engine", &region->agent[BUS_AGENT_CE]);
    put_engine(b, "front_end", &region->agent[BUS_AGENT_HOST]);
    put_engine(b, "dla", &region->agent[BUS_AGENT_DLA]);
    put_region_maintenance(b, region);
    json_builder_end_object(b);
}

static void put_dims(JsonBuilder *b, const char *key, const uint32_t d[3])
{
    begin_list(b, key);
    for (unsigned i = 0; i < 3; i++) {
        json_builder_add_int_value(b, d[i]);
    }
    json_builder_end_array(b);
}

static void put_kernel(JsonBuilder *b, const struct run_kernel *k)
{
    json_builder_begin_object(b);
    put_text(b, "name", k->name);
    put_text(b, "where", k->where);
    put_dims(b, "grid", k->grid);
    put_dims(b, "block", k->block);
    put_int(b, "launches", k->launches);
    put_int(b, "ended", k->ended);
    put_int(b, "virtual_time_ns", k->time_ns);
    put_int(b, "warp_instructions", k->warp_insts);
    put_count(b, &k->sum);
    json_builder_end_object(b);
}

static void put_end(JsonBuilder *b, const struct run *r, const char *key, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    json_builder_set_member_name(b, key);
    if (region && region->number) {
        json_builder_add_int_value(b, region->number);
    } else {
        json_builder_add_null_value(b);
    }
}

static void put_copy(JsonBuilder *b, const struct run *r, const struct run_copy *c)
{
    json_builder_begin_object(b);
    put_text(b, "api", c->api);
    put_text(b, "where", c->where);
    put_end(b, r, "from", c->src);
    put_end(b, r, "to", c->dst);
    put_int(b, "calls", c->count);
    put_int(b, "bytes", c->bytes);
    json_builder_end_object(b);
}

static void put_error(JsonBuilder *b, const struct run_copy *c, bool unsupported)
{
    json_builder_begin_object(b);
    put_text(b, "api", c->api);
    put_text(b, "where", c->where);
    put_text(b, "error", c->detail);
    put_text(b, "section", c->section);
    put_bool(b, "unsupported", unsupported);
    put_int(b, "calls", c->count);
    json_builder_end_object(b);
}

static void put_finding(JsonBuilder *b, const struct run *r, const struct run_finding *f)
{
    json_builder_begin_object(b);
    put_text(b, "rule", f->rule);
    put_text(b, "severity", run_severity_name[f->severity]);
    put_text(b, "standing", run_standing_name[f->standing]);
    put_text(b, "section", f->section);
    put_text(b, "text", f->text);
    put_text(b, "todo", f->todo);
    put_text(b, "where", f->where);
    put_end(b, r, "buffer", f->region);
    if (f->has_offset) {
        put_int(b, "offset", f->offset);
    }
    put_text(b, "kernel", f->kernel);
    put_text(b, "other", f->other);
    put_text(b, "run", f->run);
    put_int(b, "times", f->count);
    put_int(b, "buffers", f->buffers ? g_hash_table_size(f->buffers) : f->region != 0);
    put_int(b, "streams", f->in_streams ? g_hash_table_size(f->in_streams) : 0);
    json_builder_end_object(b);
}

static void put_lists(JsonBuilder *b, const struct run *r, const GPtrArray *advice)
{
    begin_list(b, "kernels");
    for (guint i = 0; i < r->kernels->len; i++) {
        put_kernel(b, r->kernels->pdata[i]);
    }
    json_builder_end_array(b);
    begin_list(b, "copies");
    for (guint i = 0; i < r->copies->len; i++) {
        put_copy(b, r, r->copies->pdata[i]);
    }
    json_builder_end_array(b);
    begin_list(b, "failed_calls");
    for (guint i = 0; i < r->unsupported->len; i++) {
        put_error(b, r->unsupported->pdata[i], true);
    }
    for (guint i = 0; i < r->errors->len; i++) {
        put_error(b, r->errors->pdata[i], false);
    }
    json_builder_end_array(b);
    begin_list(b, "findings");
    for (guint i = 0; i < r->findings->len; i++) {
        put_finding(b, r, r->findings->pdata[i]);
    }
    json_builder_end_array(b);
    begin_list(b, "advice");
    for (guint i = 0; i < advice->len; i++) {
        put_finding(b, r, advice->pdata[i]);
    }
    json_builder_end_array(b);
}

static void put_all(JsonBuilder *b, const struct run *r, const GPtrArray *advice)
{
    json_builder_begin_object(b);
    put_int(b, "version", REPORT_VERSION);
    put_run(b, r);
    put_objects(b, r);
    begin_list(b, "buffers");
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->number) {
            put_region(b, region);
        }
    }
    json_builder_end_array(b);
    begin(b, "l2_maintenance");
    put_maint(b, "clean", &r->l2_clean);
    put_int(b, "clean_bytes", r->l2_clean_bytes);
    put_maint(b, "invalidate", &r->l2_invalidate);
    put_int(b, "lost_bytes", r->l2_lost_bytes);
    json_builder_end_object(b);
    put_lists(b, r, advice);
    json_builder_end_object(b);
}

char *json_report(const struct run *r, const GPtrArray *advice)
{
    JsonBuilder *b = json_builder_new();
    JsonNode *root;
    char *text, *line;

    put_all(b, r, advice);
    root = json_builder_get_root(b);
    text = json_to_string(root, TRUE);
    line = g_strconcat(text, "\n", NULL);
    g_free(text);
    json_node_unref(root);
    g_object_unref(b);
    return line;
}
