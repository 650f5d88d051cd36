/* SPDX-License-Identifier: MIT */
/* docs/report-json.md is this file's contract: add keys, never change their meaning. */
#include "checker/print/json.h"

#include "checker/print/json_writer.h"
#include "checker/print/text.h"
#include "checker/rules/memory_kinds.h"

static void put_text(struct json_writer *w, const char *key, const char *value)
{
    json_writer_key(w, key);
    json_writer_text(w, value);
}

static void put_int(struct json_writer *w, const char *key, uint64_t value)
{
    json_writer_key(w, key);
    json_writer_int(w, (int64_t)value);
}

static void put_bool(struct json_writer *w, const char *key, bool value)
{
    json_writer_key(w, key);
    json_writer_bool(w, value);
}

static void json_begin(struct json_writer *w, const char *key)
{
    json_writer_key(w, key);
    json_writer_begin(w, '{');
}

static void begin_list(struct json_writer *w, const char *key)
{
    json_writer_key(w, key);
    json_writer_begin(w, '[');
}

static const char *races_word(const struct run *r)
{
    return !r->races ? "off" : r->races_auto ? "auto" : r->races == 2 ? "lockstep" : "on";
}

static void put_run(struct json_writer *w, const struct run *r)
{
    json_begin(w, "run");
    put_text(w, "program", r->program);
    put_text(w, "soc", r->soc);
    put_text(w, "module", r->marketing);
    put_text(w, "gpu", r->gpu);
    put_int(w, "compute_capability", r->cc);
    put_bool(w, "io_coherent", r->facts.io_coherent);
    put_bool(w, "cpu_snoops_l2", r->facts.full_coherent);
    put_text(w, "os", r->os);
    put_text(w, "policy", r->policy);
    put_text(w, "evict", r->evict);
    put_int(w, "seed", r->seed);
    put_bool(w, "safety", r->safety);
    if (r->shared) {
        put_bool(w, "shared", true);
    }
    if (r->process) {
        put_int(w, "process", r->process);
    }
    if (r->signal) {
        put_text(w, "signal", r->signal);
    }
    put_bool(w, "cpu_exact", r->hooks);
    put_bool(w, "checked", r->checked);
    put_text(w, "kernel_races", races_word(r));
    if (r->unseen) {
        put_text(w, "accesses_unseen", r->unseen);
    }
    if (r->left_out) {
        put_int(w, "accesses_left_out", r->left_out);
    }
    if (run_forgot_any(r)) {
        json_writer_key(w, "not_kept");
        json_writer_begin(w, '{');
        for (unsigned i = 0; i < RUN_FORGOTS; i++) {
            if (r->forgot[i]) {
                put_int(w, run_forgot_name[i], r->forgot[i]);
            }
        }
        json_writer_end(w, '}');
    }
    put_int(w, "virtual_time_ns", r->time_ns);
    if (r->spin_ns || r->sleep_ns) {
        put_int(w, "wait_spinning_ns", r->spin_ns);
        put_int(w, "wait_sleeping_ns", r->sleep_ns);
    }
    json_writer_end(w, '}');
}

static void put_names(struct json_writer *w, const char *key, const GPtrArray *names)
{
    begin_list(w, key);
    for (guint i = 0; i < names->len; i++) {
        json_writer_text(w, names->pdata[i]);
    }
    json_writer_end(w, ']');
}

static void put_objects(struct json_writer *w, const struct run *r)
{
    begin_list(w, "objects");
    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        json_writer_begin(w, '{');
        put_text(w, "name", o->name);
        put_text(w, "hooks", o->hooks);
        put_names(w, "files_without", o->files);
        put_names(w, "functions_without", o->functions);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
}

static void put_cpu(struct json_writer *w, const struct run_region *region)
{
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];

    json_begin(w, "cpu");
    put_int(w, "loads", n->read_ops);
    put_int(w, "read_bytes", n->read_bytes);
    put_int(w, "stores", n->write_ops);
    put_int(w, "written_bytes", n->write_bytes);
    put_int(w, "atomics", n->atomics);
    put_int(w, "cache_hits", n->read_hits + n->write_hits);
    put_int(w, "cache_misses", n->read_misses + n->write_misses);
    put_int(w, "uncached_accesses", region->cpu_cached ? 0 : n->read_ops + n->write_ops);
    put_int(w, "stale_reads", region->stale_lines);
    begin_list(w, "places");
    for (guint i = 0; i < region->sites->len; i++) {
        const struct run_site *s = region->sites->pdata[i];

        json_writer_begin(w, '{');
        put_text(w, "where", s->where);
        put_int(w, "loads", s->loads);
        put_int(w, "stores", s->stores);
        put_int(w, "atomics", s->atomics);
        put_int(w, "bytes", s->bytes);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
    json_writer_end(w, '}');
}

/* Members of what an engine did. */
static void put_count(struct json_writer *w, const struct run_count *n)
{
    put_int(w, "read_bytes", n->read_bytes);
    put_int(w, "written_bytes", n->write_bytes);
    put_int(w, "l2_read_hits", n->read_hits);
    put_int(w, "l2_read_misses", n->read_misses);
    put_int(w, "l2_write_hits", n->write_hits);
    put_int(w, "l2_write_misses", n->write_misses);
    put_int(w, "port_read_bytes", n->port_read_bytes);
    put_int(w, "port_written_bytes", n->port_write_bytes);
    put_int(w, "snooped_lines", n->snooped_lines);
    put_int(w, "atomics", n->atomics);
}

static void put_engine(struct json_writer *w, const char *key, const struct run_count *n)
{
    json_begin(w, key);
    put_count(w, n);
    json_writer_end(w, '}');
}

static void put_maint(struct json_writer *w, const char *key, const struct run_maint *m)
{
    json_begin(w, key);
    put_int(w, "operations", m->ops);
    put_int(w, "lines", m->lines);
    put_int(w, "empty", m->empty);
    json_writer_end(w, '}');
}

static void put_region_maintenance(struct json_writer *w, const struct run_region *region)
{
    json_begin(w, "maintenance");
    put_maint(w, "cpu_clean", &region->clean);
    put_maint(w, "cpu_clean_invalidate", &region->clean_invalidate);
    put_maint(w, "cpu_invalidate", &region->invalidate);
    put_int(w, "hints_to_gpu", region->attach_gpu);
    put_int(w, "hints_to_cpu", region->attach_cpu);
    put_int(w, "lost_bytes", region->lost_bytes);
    json_writer_end(w, '}');
}

static void put_region(struct json_writer *w, const struct run *r, const struct run_region *region)
{
    json_writer_begin(w, '{');
    put_int(w, "number", region->number);
    put_int(w, "region", region->id);
    put_text(w, "kind", run_kind_name(region->kind));
    put_int(w, "bytes", region->size);
    put_text(w, "api", region->api);
    put_text(w, "where", region->where);
    put_int(w, "allocations", region->times);
    put_text(w, "attached", region->attached);
    put_bool(w, "freed", region->freed);
    put_text(w, "cpu_caching", text_cpu_column(r, region));
    put_text(w, "igpu_caching", text_igpu_column(r, region));
    put_text(w, "dgpu_caching", r->gpus < 2 ? NULL : text_dgpu_column(r, region));
    put_cpu(w, region);
    begin_list(w, "kernels");
    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];

        json_writer_begin(w, '{');
        put_text(w, "name", use->kernel->name);
        put_int(w, "kernel", use->kernel->index);
        put_count(w, &use->sum);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
    put_engine(w, "igpu", &region->agent[BUS_AGENT_IGPU]);
    put_engine(w, "copy_engine", &region->agent[BUS_AGENT_CE]);
    put_engine(w, "front_end", &region->agent[BUS_AGENT_HOST]);
    put_engine(w, "dgpu", &region->agent[BUS_AGENT_DGPU]);
    put_engine(w, "dgpu_copy_engine", &region->agent[BUS_AGENT_DCE]);
    put_engine(w, "dgpu_front_end", &region->agent[BUS_AGENT_DHOST]);
#define ENGINE(NAME, name, ...) put_engine(w, #name, &region->agent[BUS_AGENT_##NAME]);
#include "model/engines.h"
    put_region_maintenance(w, region);
    json_writer_end(w, '}');
}

static void put_dims(struct json_writer *w, const char *key, const uint32_t d[3])
{
    begin_list(w, key);
    for (unsigned i = 0; i < 3; i++) {
        json_writer_int(w, d[i]);
    }
    json_writer_end(w, ']');
}

/* null: races between threads were not looked for */
static void put_launches(struct json_writer *w, const char *key, const struct run *r, uint64_t n)
{
    json_writer_key(w, key);
    if (r->races) {
        json_writer_int(w, (int64_t)n);
    } else {
        json_writer_text(w, NULL);
    }
}

static void put_kernel(struct json_writer *w, const struct run *r, const struct run_kernel *k)
{
    uint64_t left = MIN(k->unchecked + k->partly, k->ended);

    json_writer_begin(w, '{');
    put_text(w, "name", k->name);
    put_text(w, "gpu", k->gpu);
    put_text(w, "where", k->where);
    put_dims(w, "grid", k->grid);
    put_dims(w, "block", k->block);
    put_int(w, "launches", k->launches);
    put_int(w, "ended", k->ended);
    put_launches(w, "races_checked", r, k->ended - left);
    put_launches(w, "races_checked_in_part", r, k->partly);
    put_int(w, "virtual_time_ns", k->time_ns);
    put_int(w, "warp_instructions", k->warp_insts);
    put_count(w, &k->sum);
    json_writer_end(w, '}');
}

static void put_end(struct json_writer *w, const struct run *r, const char *key, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    json_writer_key(w, key);
    if (region && region->number) {
        json_writer_int(w, region->number);
    } else {
        json_writer_text(w, NULL);
    }
}

static void put_copy(struct json_writer *w, const struct run *r, const struct run_copy *c)
{
    json_writer_begin(w, '{');
    put_text(w, "api", c->api);
    put_text(w, "where", c->where);
    put_end(w, r, "from", c->src);
    put_end(w, r, "to", c->dst);
    put_int(w, "calls", c->count);
    put_int(w, "bytes", c->bytes);
    json_writer_end(w, '}');
}

static void put_error(struct json_writer *w, const struct run_copy *c, bool unsupported)
{
    json_writer_begin(w, '{');
    put_text(w, "api", c->api);
    put_text(w, "where", c->where);
    put_text(w, "error", c->detail);
    put_text(w, "section", c->section);
    put_bool(w, "unsupported", unsupported);
    put_int(w, "calls", c->count);
    json_writer_end(w, '}');
}

static void put_finding(struct json_writer *w, const struct run *r, const struct run_finding *f)
{
    json_writer_begin(w, '{');
    put_text(w, "rule", f->rule);
    put_text(w, "severity", run_severity_name[f->severity]);
    put_text(w, "standing", run_standing_name[f->standing]);
    put_text(w, "section", f->section);
    put_text(w, "text", f->text);
    put_text(w, "todo", f->todo);
    put_text(w, "where", f->where);
    put_end(w, r, "buffer", f->region);
    if (f->has_offset) {
        put_int(w, "offset", f->offset);
    }
    put_text(w, "kernel", f->kernel);
    put_text(w, "other", f->other);
    if (f->threads) {
        put_int(w, "thread", f->thread);
        put_int(w, "other_thread", f->other_thread);
    }
    put_text(w, "run", f->run);
    put_int(w, "times", f->count);
    put_int(w, "buffers", f->buffers ? g_hash_table_size(f->buffers) : f->region != 0);
    put_int(w, "streams", f->in_streams ? g_hash_table_size(f->in_streams) : 0);
    json_writer_end(w, '}');
}

/* Buffers whose accesses were not seen. */
static void put_unchecked(struct json_writer *w, const struct run *r)
{
    begin_list(w, "not_checked");
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];
        const char *missed = run_unchecked(r, region);

        if (missed) {
            json_writer_begin(w, '{');
            put_int(w, "buffer", region->number);
            put_text(w, "where", region->where);
            put_text(w, "missed", missed);
            if (!region->forked) {
                put_text(w, "command", RUN_UNCHECKED_COMMAND);
            }
            json_writer_end(w, '}');
        }
    }
    json_writer_end(w, ']');
}

static void put_lists(struct json_writer *w, const struct run *r, const GPtrArray *advice)
{
    begin_list(w, "kernels");
    for (guint i = 0; i < r->kernels->len; i++) {
        put_kernel(w, r, r->kernels->pdata[i]);
    }
    json_writer_end(w, ']');
    begin_list(w, "copies");
    for (guint i = 0; i < r->copies->len; i++) {
        put_copy(w, r, r->copies->pdata[i]);
    }
    json_writer_end(w, ']');
    begin_list(w, "failed_calls");
    for (guint i = 0; i < r->unsupported->len; i++) {
        put_error(w, r->unsupported->pdata[i], true);
    }
    for (guint i = 0; i < r->errors->len; i++) {
        put_error(w, r->errors->pdata[i], false);
    }
    json_writer_end(w, ']');
    if (r->suppressed->len) {
        put_int(w, "suppressed_findings", r->suppressed->len);
    }
    begin_list(w, "findings");
    for (guint i = 0; i < r->findings->len; i++) {
        put_finding(w, r, r->findings->pdata[i]);
    }
    json_writer_end(w, ']');
    put_unchecked(w, r);
    begin_list(w, "advice");
    for (guint i = 0; i < advice->len; i++) {
        put_finding(w, r, advice->pdata[i]);
    }
    json_writer_end(w, ']');
}

static void put_ns(struct json_writer *w, const char *key, double ns)
{
    json_writer_key(w, key);
    json_writer_int(w, (int64_t)(ns + 0.5));
}

static void put_memory_kind(struct json_writer *w, const struct memory_kind *k)
{
    const struct charge_answer *a = &k->answer;

    json_writer_begin(w, '{');
    put_int(w, "buffer", k->region->number);
    put_int(w, "launches", k->launches);
    put_text(w, "now", charge_kind_text(a->now));
    put_text(w, "best", a->best == CHARGE_KINDS ? NULL : charge_kind_text(a->best));
    put_bool(w, "beyond_error", a->best != CHARGE_KINDS && a->sure && !a->little);
    json_begin(w, "ns");
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        if (!a->cost[kind].why_not) {
            put_ns(w, charge_kind_text(kind), charge_sum(&a->cost[kind]));
        }
    }
    json_writer_end(w, '}');
    json_writer_end(w, '}');
}

static void put_memory_way(struct json_writer *w, const struct memory_way *m)
{
    json_writer_begin(w, '{');
    put_int(w, "buffer", m->region->number);
    put_int(w, "frames", m->shared.frames);
    json_begin(w, "frame_ns");
    for (unsigned way = 0; way < CHARGE_WAYS; way++) {
        put_ns(w, charge_way_text(way), m->ns[way]);
    }
    json_writer_end(w, '}');
    json_writer_end(w, '}');
}

static void put_memory_kinds(struct json_writer *w, const struct run *r,
                             const struct memory_kinds *m)
{
    json_begin(w, "memory_kinds");
    if (r->has_board) {
        put_ns(w, "error_percent", charge_error_percent(&r->board));
    }
    begin_list(w, "buffers");
    for (guint i = 0; i < m->kinds->len; i++) {
        put_memory_kind(w, &g_array_index(m->kinds, struct memory_kind, i));
    }
    json_writer_end(w, ']');
    begin_list(w, "engines");
    for (guint i = 0; i < m->ways->len; i++) {
        put_memory_way(w, &g_array_index(m->ways, struct memory_way, i));
    }
    json_writer_end(w, ']');
    json_writer_end(w, '}');
}

static void put_all(struct json_writer *w, const struct run *r, const struct report *report)
{
    const GPtrArray *advice = report->advice;

    json_writer_begin(w, '{');
    put_int(w, "version", REPORT_VERSION);
    put_run(w, r);
    put_objects(w, r);
    begin_list(w, "buffers");
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->number) {
            put_region(w, r, region);
        }
    }
    json_writer_end(w, ']');
    json_begin(w, "l2_maintenance");
    put_maint(w, "clean", &r->l2_clean);
    put_int(w, "clean_bytes", r->l2_clean_bytes);
    put_maint(w, "invalidate", &r->l2_invalidate);
    put_int(w, "lost_bytes", r->l2_lost_bytes);
    json_writer_end(w, '}');
    put_lists(w, r, advice);
    if (report->kinds) {
        put_memory_kinds(w, r, report->kinds);
    }
    json_writer_end(w, '}');
}

char *json_report(const struct report *report)
{
    struct json_writer w;
    g_autofree char *text = NULL;

    json_writer_open(&w);
    put_all(&w, report->run, report);
    text = json_writer_close(&w);
    return g_strconcat(text, "\n", NULL);
}
