/* SPDX-License-Identifier: MIT */
/* The happens-before checker takes an engine's access for the same step as one before where it may.
 * What it finds in any sequence of records must be what it finds without this: a note that means
 * nothing, before each access, makes it forget what it knows of them. */
#include "tests/hb_rig.h"

#define STEPS 10000u
#define SEEDS 60u
#define LINES (PAGE / 128)
#define ALIAS 5u /* a region with the pages of PINNED */

static const uint32_t ids[] = { PINNED, DEVICE, MANAGED, ALIAS };
static uint64_t random_state;
static GString *findings;

static unsigned draw(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 40) % below;
}

static void who_put(const struct hb_who *w)
{
    g_string_append_printf(findings, " %d.%u.%d.%s.%u", w->cpu, w->number, w->access,
                           w->at ? w->at : "-", w->stream);
}

static void found_put(void *opaque, const struct hb_finding *f)
{
    (void)opaque;
    g_string_append_printf(findings,
                           "%d %u+%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT " x%" G_GUINT64_FORMAT,
                           f->rule, f->region, f->offset, f->size, f->count);
    who_put(&f->first);
    who_put(&f->second);
    g_string_append_c(findings, '\n');
}

static uint64_t pa_of(uint32_t id, unsigned at)
{
    return PA + (id == ALIAS ? PINNED : id) * PAGE + at;
}

/* --- what may happen -------------------------------------------------------------------------- */

/* Loads or stores of a program: over and over the same, with another one now and then. */
static struct trace_record usual;

static void usual_choose(void)
{
    unsigned id = ids[draw(4)];

    usual =
        record(draw(4) ? TRACE_EVENT_GPU_LOAD : TRACE_EVENT_GPU_STORE, BUS_AGENT_IGPU, 0, ALL, ALL);
    usual.region = id;
    usual.channel = 1 + draw(2);
    usual.arg[4] = id != PINNED;
}

/* One word of it, or none, is another. */
static struct trace_record unusual(void)
{
    struct trace_record t = usual;

    switch (draw(12)) {
    case 0:
        t.event = draw(2) ? TRACE_EVENT_GPU_LOAD : TRACE_EVENT_GPU_STORE;
        break;
    case 1:
        t.channel = 1 + draw(2);
        break;
    case 2:
        t.region = ids[draw(4)];
        break;
    case 3:
        t.arg[1] = UINT64_C(0xff) << draw(8) * 8;
        break;
    case 4:
        t.arg[2] = draw(2) ? 0 : UINT64_C(0xff) << draw(8) * 8;
        break;
    case 5:
        t.arg[1] = t.arg[2] = UINT64_C(0xff) << draw(2) * 8;
        break;
    case 6:
        t.arg[3] = BUS_SCOPE_SYS;
        break;
    case 7:
        t.arg[4] = !t.arg[4];
        break;
    case 8:
        t.process = 2;
        break;
    default:
        break;
    }
    return t;
}

static void engine(bool forget)
{
    struct trace_record t = draw(30) ? usual : unusual();
    unsigned at = draw(LINES) * 128;

    t.arg[0] = VA + t.region * PAGE + at;
    t.arg[5] = pa_of(t.region, at);
    if (forget) {
        note("@nothing");
        send(record(TRACE_EVENT_SEM_RELEASE, BUS_AGENT_HOST, 0, 0, 0));
    }
    if (t.process) {
        hb_foreign(hb, &t);
    } else {
        hb_record(hb, &t, 0);
    }
}

static void place(void)
{
    struct trace_record t = record(TRACE_EVENT_GPU_AT, BUS_AGENT_IGPU, 2, 1 + draw(3), 0);

    t.channel = 1 + draw(2);
    send(t);
}

static void grid(unsigned channel, unsigned id)
{
    struct trace_record t = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, channel, 0, 0);
    char text[200];

    snprintf(text, sizeof(text),
             "@kernel id=%u name=k%u grid=1,1,1 block=1,1,1 stream=%u where=app.cu:%u code=5", id,
             id % 3, channel, 30 + id % 3);
    note(text);
    t.arg[3] = id;
    send(t);
}

static void processor(bool store)
{
    uint32_t id = ids[draw(3)];

    for (unsigned i = 0; i < LINES; i++) {
        if (draw(3)) {
            cpu(draw(2), store ? TRACE_EVENT_CPU_STORE : TRACE_EVENT_CPU_LOAD, id,
                i * 128 + draw(32) * 4, 4, draw(30) == 0, 0x1000 + draw(2));
        }
    }
}

static void order(void)
{
    unsigned channel = draw(2);

    if (draw(2)) {
        done(channel, channel);
        if (draw(2)) {
            wait_for(draw(2), channel, value[channel]);
        }
    } else {
        submit_by(draw(2), channel);
        take(channel);
    }
}

static void caches(void)
{
    unsigned id = ids[draw(4)], at = draw(LINES) * 128;

    switch (draw(6)) {
    case 0:
    case 1:
        send(record(TRACE_EVENT_L2_INVALIDATE, BUS_AGENT_IGPU, 0, 0, 0));
        break;
    case 5:
        cache(TRACE_EVENT_L2_FILL, id, at, 15, 0);
        break;
    case 2:
        cache(TRACE_EVENT_L2_WRITEBACK, id, at, ALL, ALL);
        break;
    case 3:
        cache(TRACE_EVENT_L2_EVICT, id, at, 0, 0);
        break;
    default:
        cache(TRACE_EVENT_CPU_FILL, id, at, 0, 0);
        break;
    }
}

static void alias_add(void)
{
    struct trace_record t =
        record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, pa_of(ALIAS, 0), PAGE, draw(2));

    t.region = ALIAS;
    send(t);
    note("@region id=5 kind=managed cpu_cached=1 va=0x300000000000 size=4096 len=4096");
}

static void memory(bool forget)
{
    struct trace_record t = record(TRACE_EVENT_REGION_REMOVE, BUS_AGENT_DRIVER, 0, 0, 0);

    t.region = draw(2) ? DEVICE : ALIAS;
    send(t);
    engine(forget);
    if (t.region == ALIAS) {
        alias_add();
    } else {
        region(DEVICE, draw(2) ? "device" : "managed", draw(2));
    }
    if (draw(2)) {
        note("@shared id=2");
    }
}

static void pages_run(void)
{
    struct trace_record t =
        record(TRACE_EVENT_GPU_STORE, BUS_AGENT_IGPU, VA + DEVICE * PAGE, ALL, ALL);

    t.region = DEVICE;
    t.channel = 1 + draw(2);
    t.arg[5] = PA + DEVICE * PAGE;
    hb_run(hb, &t, 1 + draw(LINES));
}

static void other(unsigned i, bool forget)
{
    unsigned what = draw(30);

    if (what < 6) {
        place();
    } else if (what < 14) {
        processor(draw(2));
    } else if (what < 21) {
        order();
    } else if (what < 25) {
        caches();
    } else if (what < 26) {
        grid(draw(2), 10 + i);
    } else if (what < 27) {
        pages_run();
    } else if (what < 28) {
        memory(forget);
    } else {
        usual_choose();
    }
}

static void step(unsigned i, bool forget)
{
    if (draw(60)) {
        engine(forget);
    } else {
        other(i, forget);
    }
}

static char *run_of(const char *header, uint64_t seed, bool forget)
{
    findings = g_string_new(NULL);
    random_state = seed;
    open_board(header);
    hb_free(hb);
    hb = hb_new(run, found_put, NULL);
    note("@hooks");
    note("@file code=5 number=2 path=app.cu");
    regions(true);
    alias_add();
    grid(0, 1);
    grid(1, 2);
    usual_choose();
    for (unsigned i = 0; i < STEPS; i++) {
        step(i, forget);
    }
    hb_repeats(hb);
    close_board();
    return g_string_free(findings, FALSE);
}

static void compare(const char *header, unsigned *told)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        g_autofree char *with = run_of(header, seed, false);
        g_autofree char *without = run_of(header, seed, true);

        ck_assert_msg(strcmp(with, without) == 0, "seed %u", (unsigned)seed);
        *told += with[0] != 0;
    }
}

START_TEST(findings_are_those_of_single_steps)
{
    static const char *const boards[] = { "@run soc=orin io_coherent=1",
                                          "@run soc=tx2 io_coherent=0",
                                          "@run soc=thor io_coherent=1 cpu_snoops_l2=1" };
    unsigned told = 0;

    compare(boards[_i], &told);
    ck_assert_uint_eq(told, SEEDS);
}
END_TEST

/* --- what makes the same access another step -------------------------------------------------- */

/* All bytes of a line of 128 */
static void whole(enum trace_event event, uint32_t id, unsigned line)
{
    struct trace_record t = record(event, BUS_AGENT_IGPU, VA + id * PAGE + line * 128, ALL, ALL);

    t.region = id;
    t.channel = 1;
    t.arg[4] = id != PINNED;
    t.arg[5] = pa_of(id, line * 128);
    hb_record(hb, &t, 0);
}

static void known_stores(uint32_t id)
{
    submit(0);
    take(0);
    for (unsigned line = 0; line < 4; line++) {
        whole(TRACE_EVENT_GPU_STORE, id, line);
    }
}

/* The CPU reads bytes that are in the L2 alone. */
static void load_from_l2(uint32_t id, unsigned line)
{
    done(0, 0);
    wait_for(0, 0, value[0]);
    load(id, line * 128, 4);
    expect(HB_STALE_CLEAN_L2, line * 128, 4);
}

START_TEST(an_invalidated_l2_holds_what_is_stored_later)
{
    known_stores(MANAGED);
    send(record(TRACE_EVENT_L2_INVALIDATE, BUS_AGENT_IGPU, 0, 0, 0));
    whole(TRACE_EVENT_GPU_STORE, MANAGED, 4);
    load_from_l2(MANAGED, 4);
}
END_TEST

START_TEST(memory_that_is_shared_from_now_on_is_followed)
{
    known_stores(DEVICE);
    note("@shared id=2");
    whole(TRACE_EVENT_GPU_STORE, DEVICE, 4);
    load_from_l2(DEVICE, 4);
}
END_TEST

START_TEST(memory_that_came_again_is_new)
{
    struct trace_record t = record(TRACE_EVENT_REGION_REMOVE, BUS_AGENT_DRIVER, 0, 0, 0);

    known_stores(DEVICE);
    t.region = DEVICE;
    send(t);
    t = record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, pa_of(DEVICE, 0), PAGE, 0);
    t.region = DEVICE;
    send(t);
    whole(TRACE_EVENT_GPU_STORE, DEVICE, 0); /* nobody has said yet what it is */
    load(DEVICE, 0, 4);
    EXPECT_NONE();
}
END_TEST

/* So many states that they are numbered anew: line 0's gets the number that line 1's had. */
START_TEST(states_with_new_numbers)
{
    unsigned most = 0;

    submit(0);
    take(0);
    for (unsigned line = 1; line < 5; line++) {
        whole(TRACE_EVENT_GPU_LOAD, PINNED, line);
    }
    whole(TRACE_EVENT_GPU_LOAD, PINNED, 1);
    whole(TRACE_EVENT_GPU_LOAD, PINNED, 2);
    store(PINNED, 0, 4);
    store(PINNED, 64, 4);
    whole(TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    whole(TRACE_EVENT_GPU_LOAD, PINNED, 3);
    for (uint64_t bytes = 1; hb_states(hb) > 100 || bytes < 1000; bytes++) {
        cache(TRACE_EVENT_CPU_FOUND, MANAGED, 1024, bytes, 0);
        most = MAX(most, hb_states(hb));
        cache(TRACE_EVENT_CPU_DROP, MANAGED, 1024, 0, 0);
    }
    ck_assert_uint_gt(most, 1000);
    whole(TRACE_EVENT_GPU_LOAD, PINNED, 0);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_int_eq(found[0].rule, HB_RACE);
}
END_TEST

int main(void)
{
    const hb_test tests[] = { an_invalidated_l2_holds_what_is_stored_later,
                              memory_that_is_shared_from_now_on_is_followed,
                              memory_that_came_again_is_new, states_with_new_numbers };
    Suite *s = suite_create("hb_like");
    TCase *t = tcase_create("random");

    tcase_add_loop_test(t, findings_are_those_of_single_steps, 0, 3);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    HB_CASE(s, "other steps", coherent, tests);
    return hb_suite_run(s);
}
