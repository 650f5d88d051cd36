/* SPDX-License-Identifier: MIT */
#include "checker/checker.h"

#include <string.h>

#include "checker/checker_internal.h"
#include "checker/hb/hb_words.h"
#include "checker/rules/frame_rule.h"
#include "checker/rules/image_rule.h"
#include "checker/rules/record_rule.h"

/**
 * struct checker - one run
 * @hb: compares accesses; NULL: off
 * @rules: what single records mean; NULL: the trace says
 * @frames: who may use frames of streams; NULL: there are none
 * @news: notes so far
 */
struct checker {
    struct checker_host host;
    struct run *run;
    struct hb *hb;
    struct record_rules *rules;
    struct frame_rules *frames;
    struct image_rules *images;
    bool replay;
    uint32_t news;
};

static void side_place(const struct checker *c, struct hb_who *w)
{
    if (w->cpu && w->pc && c->host.place) {
        w->where = c->host.place(c->host.opaque, w->pc);
    }
}

static void hb_take(void *opaque, const struct hb_finding *found)
{
    struct checker *c = opaque;
    struct hb_finding f = *found;
    struct note n;

    side_place(c, &f.first);
    side_place(c, &f.second);
    hb_words(c->run, &f, &n);
    checker_note(c, &n);
}

static struct checker *checker_finding_new(const struct checker_host *host, bool hb)
{
    struct checker *c = g_new0(struct checker, 1);

    c->host = host ? *host : (struct checker_host){ 0 };
    c->run = run_new();
    c->hb = hb ? hb_new(c->run, hb_take, c) : NULL;
    return c;
}

struct checker *checker_new(const struct checker_host *host, bool hb)
{
    struct checker *c = checker_finding_new(host, hb);

    c->rules = record_rules_new(c);
    c->run->checked = hb;
    return c;
}

struct checker *checker_new_replay(const struct checker_host *host)
{
    struct checker *c = checker_finding_new(host, true);

    c->replay = true;
    return c;
}

void checker_free(struct checker *c)
{
    record_rules_free(c->rules);
    frame_rules_free(c->frames);
    image_rules_free(c->images);
    hb_free(c->hb);
    run_free(c->run);
    g_free(c);
}

struct run *checker_run(const struct checker *c)
{
    return c->run;
}

struct hb *checker_hb(const struct checker *c)
{
    return c->hb;
}

const char *checker_place(const struct checker *c, uint64_t pc)
{
    const char *place = pc && c->host.place ? c->host.place(c->host.opaque, pc) : NULL;

    return place && *place ? place : NULL;
}

const char *checker_launched(const struct checker *c, uint32_t grid_id)
{
    const char *place = c->host.launched ? c->host.launched(c->host.opaque, grid_id) : NULL;

    return place && *place ? place : NULL;
}

void checker_record(struct checker *c, const struct trace_record *t, uint64_t pc, bool happens)
{
    run_record(c->run, t);
    if (c->rules) {
        record_rules_take(c->rules, t, pc);
    }
    if (c->frames) {
        frame_rules_take(c->frames, t, pc);
    }
    if (c->images) {
        image_rules_take(c->images, t);
    }
    if (c->hb && happens) {
        hb_record(c->hb, t, (uintptr_t)pc);
    }
    if (c->replay && c->hb && trace_event_class[t->event] == TRACE_ACCESS) {
        c->run->checked = true;
    }
}

void checker_foreign(struct checker *c, const struct trace_record *t)
{
    if (c->hb) {
        hb_foreign(c->hb, t);
    }
}

void checker_frame(struct checker *c, const struct frame_turn *turn)
{
    struct run_region *region;

    if (!c->frames) {
        c->frames = frame_rules_new(c);
    }
    frame_rules_turn(c->frames, turn);
    region = run_region(c->run, turn->region);
    if (region) {
        region->frame = true;
    }
}

void checker_image(struct checker *c, const struct image_turn *turn)
{
    if (!c->images) {
        c->images = image_rules_new(c);
    }
    image_rules_turn(c->images, turn);
}

void checker_untold(struct checker *c, uint64_t n, uint64_t time_ns)
{
    c->run->records += n;
    c->run->time_ns = MAX(c->run->time_ns, time_ns);
}

void checker_access(struct checker *c, const struct trace_record *t)
{
    c->run->records++;
    c->run->time_ns = MAX(c->run->time_ns, t->time_ns);
    hb_access_record(c->hb, t, 0);
}

const uint32_t *checker_news(const struct checker *c)
{
    return &c->news;
}

struct trace_counts *checker_counts(const struct checker *c, uint32_t region)
{
    struct run_region *r = run_region(c->run, region);

    if (!r || !c->hb) {
        return NULL;
    }
    r->spared.followed = hb_follows(c->hb, region);
    return &r->spared;
}

/* The live run has compared the accesses, and the trace says what it found. */
static void replay_header(struct checker *c, const struct note *n)
{
    if (c->replay && strcmp(n->name, "run") == 0 && note_num(n, "hb")) {
        c->run->checked = true;
        g_clear_pointer(&c->hb, hb_free);
    }
}

bool checker_note(struct checker *c, struct note *n)
{
    guint before = c->run->findings->len;
    bool new_one;

    if (strcmp(n->name, "finding") == 0 && suppressions_cover(c->run->suppressions, n)) {
        note_u64(n, "suppressed", 1);
    }
    if (c->host.noted) {
        c->host.noted(c->host.opaque, n);
    }
    c->news++;
    new_one = run_note(c->run, n);
    replay_header(c, n);
    if (c->hb) {
        hb_note(c->hb, n);
    }
    note_clear(n);
    if (c->run->findings->len > before && c->host.found) { /* advice is for the report alone */
        c->host.found(c->host.opaque, c->run->findings->pdata[before]);
    }
    return new_one;
}

struct checker_finding checker_finding_of(enum check_rule_id id)
{
    const struct check_rule *rule = &check_rules[id];

    return (struct checker_finding){
        .rule = rule->name,
        .severity = rule->severity,
        .standing = rule->standing,
        .section = rule->section,
        .text = rule->text,
        .todo = rule->todo,
    };
}

static void note_buffer(const struct run *r, struct note *n, const struct checker_finding *f)
{
    const struct run_region *region = f->region ? run_region(r, f->region) : NULL;

    if (f->region) {
        note_u64(n, "region", f->region);
    }
    if (region && f->va >= region->va && f->va - region->va < region->len) {
        note_hex(n, "offset", f->va - region->va);
    }
}

void checker_finding(struct checker *c, const struct checker_finding *f)
{
    const struct run_kernel *kernel = f->grid_id ? run_grid_kernel(c->run, f->grid_id) : NULL;
    struct note n;

    note_init(&n, "finding");
    note_str(&n, "rule", f->rule);
    note_str(&n, "severity", run_severity_name[f->severity]);
    note_str(&n, "standing", run_standing_name[f->standing]);
    note_str(&n, "section", f->section);
    note_str(&n, "text", f->text);
    note_str(&n, "todo", f->todo);
    note_str(&n, "kernel", kernel ? kernel->name : NULL);
    note_buffer(c->run, &n, f);
    if (f->severity == CHECK_ERROR || f->severity == CHECK_WARNING) {
        note_str(&n, "run", c->run->again);
    }
    note_str(&n, "where", f->where && *f->where ? f->where : NULL);
    note_str(&n, "pair", f->pair);
    checker_note(c, &n);
}

void checker_repeats(struct checker *c)
{
    if (c->rules) {
        record_rules_repeats(c->rules);
    }
    if (c->hb) {
        hb_repeats(c->hb);
    }
}

/* A trace file without the class CACHE has these sums of it. */
static void cache_notes(struct checker *c)
{
    for (guint i = 0; i < c->run->regions->len; i++) {
        const struct run_region *region = c->run->regions->pdata[i];
        struct note n;

        if (region->cpu_fills + region->cpu_evicts + region->spared.snoops + region->stale_lines +
                region->spared.fills + region->spared.evicts ==
            0) {
            continue;
        }
        note_init(&n, "cache");
        note_u64(&n, "region", region->id);
        note_u64(&n, "cpu_fills", region->cpu_fills);
        note_u64(&n, "cpu_evicts", region->cpu_evicts);
        note_u64(&n, "snooped", region->spared.snoops);
        note_u64(&n, "stale", region->stale_lines);
        note_u64(&n, "l2_fills", region->spared.fills);
        note_u64(&n, "l2_evicts", region->spared.evicts);
        checker_note(c, &n);
    }
}

void checker_forgot(struct checker *c, enum run_forgot what, uint64_t times)
{
    struct note n;

    if (times) {
        note_init(&n, "forgot");
        note_str(&n, "what", run_forgot_name[what]);
        note_u64(&n, "times", times);
        checker_note(c, &n);
    }
}

void checker_end(struct checker *c, int status, const char *signal)
{
    struct note n;

    cache_notes(c);
    for (enum run_forgot what = 0; c->hb && what < RUN_FORGOTS; what++) {
        checker_forgot(c, what, hb_forgot(c->hb, what));
    }
    note_init(&n, "end");
    note_u64(&n, "time_ns", c->run->time_ns);
    if (status > 0) {
        note_u64(&n, "status", (uint64_t)status);
    }
    if (signal) {
        note_str(&n, "signal", signal);
    }
    checker_note(c, &n);
}
