/* SPDX-License-Identifier: MIT */
/* Accesses that hooks count are the same as accesses that they tell: the same calls, drawn from a
 * seed, are made twice, in a process each, and the trace of every class but the accesses, the
 * report and the lines' states must be equal to the byte. VTEGRA_HOOKS=each tells every access. */
#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/bus.h"
#include "profiles/profile.h"
#include "runtime/observe/check.h"
#include "runtime/track/track.h"
#include "sched/sched.h"

#define REGIONS 4u
#define BYTES (8 * HAL_PAGE)
#ifdef __SANITIZE_ADDRESS__
#define STEPS 300u /* they take ten times as long */
#else
#define STEPS 1500u
#endif

void __tsan_read1(void *), __tsan_read4(void *), __tsan_read8(void *), __tsan_write1(void *);
void __tsan_write4(void *), __tsan_write8(void *), __tsan_read_write4(void *);
void __tsan_unaligned_read8(void *), __tsan_volatile_read4(void *), __tsan_volatile_write4(void *);
void __tsan_write_range(void *, unsigned long), *__tsan_memmove(void *, const void *, size_t);
uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *, uint32_t, int);

static struct soc_profile *profile;
static struct hal *hal;
static struct check *checker;
static struct hal_mem mem[REGIONS];
static uint64_t state;
static volatile uint64_t sink;
typedef uint64_t any_word __attribute__((aligned(1), may_alias));

static uint64_t draw(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % n;
}

static void region_make(unsigned i)
{
    enum hal_mem_kind kind = i % 2 ? HAL_MEM_MANAGED : HAL_MEM_PINNED;
    struct check_region region = { .size = BYTES, .api = "cuMemAlloc" };

    ck_assert_int_eq(hal_mem_alloc(hal, kind, BYTES, HAL_PAGE, NULL, &mem[i]), 0);
    region.mem = mem[i];
    check_region_add(checker, &region);
}

static void region_drop(unsigned i)
{
    check_region_remove(checker, mem[i].id, NULL);
    hal_mem_free(hal, &mem[i]);
}

/* --- accesses: each call is a place of the program -------------------------------------------- */

static void loads(unsigned char *p, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++, p += stride) {
        __tsan_read4(p);
        sink += *(volatile uint32_t *)p;
    }
}

static void stores(unsigned char *p, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++, p += stride) {
        __tsan_write4(p);
        *(volatile uint32_t *)p = (uint32_t)(i + state);
    }
}

static void updates(unsigned char *p, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++, p += stride) {
        __tsan_read_write4(p);
        *(volatile uint32_t *)p += 1;
    }
}

/* Two streams and a sum, bytes and words, and words that cross lines. */
static void mixed(unsigned char *p, const unsigned char *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __tsan_read1((void *)(q + i));
        __tsan_write8(p + i * 8);
        *(volatile any_word *)(p + i * 8) = q[i];
        __tsan_read8(p);
        __tsan_unaligned_read8(p + i * 7 + 3);
        sink += *(volatile any_word *)p;
        __tsan_write1(p);
        *(volatile uint8_t *)p = (uint8_t)i;
    }
}

static void flags(unsigned char *p)
{
    __tsan_volatile_read4(p);
    sink += *(volatile uint32_t *)p;
    __tsan_volatile_write4(p + 4);
    *(volatile uint32_t *)(p + 4) = 1;
    __tsan_atomic32_fetch_add((volatile uint32_t *)(p + 8), 1, 5);
}

/* A few lines of each region, so that they meet again; some behind each other in one set. */
static unsigned char *place(size_t room)
{
    struct hal_mem *m = &mem[draw(REGIONS)];
    size_t at = draw(3) ? draw(256) * 4 : draw((BYTES - room) / 4) * 4;

    return (unsigned char *)m->cpu + at;
}

static void access_some(void)
{
    size_t n = 1 + draw(60), stride = draw(4) ? 4 : 64 * (1 + draw(4));

    switch (draw(6)) {
    case 0:
    case 1:
        loads(place(n * stride), n, stride);
        break;
    case 2:
        stores(place(n * stride), n, stride);
        break;
    case 3:
        mixed(place(n * 8), place(n), n);
        break;
    default:
        updates(place(n * stride), n, stride);
        break;
    }
}

/* --- everything else -------------------------------------------------------------------------- */

static void maintain(unsigned char *p, size_t n)
{
    switch (draw(3)) {
    case 0:
        hal_cpu_clean(hal, p, n);
        break;
    case 1:
        hal_cpu_clean_invalidate(hal, p, n);
        break;
    default:
        hal_cpu_invalidate(hal, p, n);
        break;
    }
}

static void close_and_open(unsigned i)
{
    hal_mem_protect(hal, &mem[i], 0, mem[i].size, HAL_PROT_NONE);
    hal_mem_protect(hal, &mem[i], 0, mem[i].size, HAL_PROT_WRITE);
}

static void take(const char *format, ...)
{
    struct trace_record r;
    g_autofree char *line = NULL;
    va_list ap;

    va_start(ap, format);
    line = g_strdup_vprintf(format, ap);
    va_end(ap);
    ck_assert_msg(trace_parse(line, &r), "%s", line);
    check_sink(checker, &r);
}

/* Again and again, as in a loop, to words of a line. */
static void access_line(unsigned char *line)
{
    unsigned char *p = line + draw(24) * 4;

    for (uint64_t n = 1 + draw(4); n > 0; n--) {
        if (draw(2)) {
            loads(p, 1 + draw(4), 4);
        } else {
            stores(p, 1 + draw(4), 4);
        }
    }
}

/* A kernel of channel 3 that the CPU waits for or not; it uses some words of a line that the hooks
 * may be counting in. */
static void engine(unsigned char *p)
{
    static uint32_t id;
    struct check_kernel k = { .grid_id = ++id, .name = "k", .stream = 2, .block = { 1, 1, 1 } };
    static const char zeros[] = "00000000000000";
    struct hal_mem m = { 0 };
    uintptr_t line = (uintptr_t)p & ~(uintptr_t)127;

    if (!hal_mem_find(hal, (void *)line, &m)) {
        return;
    }
    check_kernel(checker, &k);
    take("1 cpu DOORBELL channel=3 put=%u", id);
    access_line((unsigned char *)line);
    take("1 host SEGMENT by=4 channel=3 get=%u", id);
    take("1 igpu GRID_BEGIN by=4 channel=3 qmd=0x100 entry=0 grid_id=%u", id);
    for (uint64_t n = draw(4); n > 0; n--) {
        take("1 igpu %s region=%u by=4 va=0x%" PRIxPTR " low=0xff%s high=0x%s scope=0 cached=0 "
             "pa=0x%" PRIx64,
             draw(2) ? "GPU_LOAD" : "GPU_STORE", m.id, line, zeros + 2 * draw(7),
             draw(2) ? "f" : "0", m.bus + (line - (uintptr_t)m.cpu));
        access_line((unsigned char *)line);
    }
    take("1 igpu GRID_END by=4 channel=3 qmd=0x100 warp_insts=1 ns=1");
    take("1 host SYNCPT_INCR by=4 id=5 value=%u", id);
    if (draw(3)) {
        take("1 cpu CPU_WAITED id=5 threshold=%u", id);
    }
}

static void step(void)
{
    unsigned char *p = place(512);
    unsigned i = (unsigned)draw(REGIONS);

    switch (draw(28)) {
    case 24:
    case 25:
    case 26:
        engine(p);
        break;
    case 0:
        maintain(p, 1 + draw(500));
        break;
    case 1: /* a library without hooks */
        memset(p, (int)draw(256), 1 + draw(100));
        break;
    case 2: /* of one region alone: the checker takes what lies beside a flag for one */
        flags((unsigned char *)mem[3].cpu + draw(256) * 4);
        break;
    case 3:
        close_and_open(i);
        break;
    case 4:
        hal_note(hal, draw(2) ? HAL_NOTE_RELEASE : HAL_NOTE_ACQUIRE, draw(3), 0);
        break;
    case 5:
        hal_time_advance(hal, draw(100));
        break;
    case 6:
        hal_poll(hal, true);
        break;
    case 7:
        region_drop(i);
        region_make(i);
        break;
    case 8:
        __tsan_write_range(p, 1 + draw(500));
        break;
    default:
        access_some();
        break;
    }
}

/* --- loops over lines with the same story, by several threads ----------------------------------
 */

/* As `vtegra run` has it where threads run freely: it tells their numbers and no more. */
static _Thread_local uint32_t my_number;
static bool numbered;

static bool never(void)
{
    return false;
}

static void go_on(enum sched_point what, const volatile void *address, uintptr_t pc)
{
    (void)what, (void)address, (void)pc;
}

static uint32_t thread_number(void)
{
    return my_number;
}

static bool suppress(bool on)
{
    (void)on;
    return false;
}

static struct vtegra_track_watch *no_watch(void)
{
    return NULL;
}

__attribute__((visibility("default"))) const struct vtegra_sched *vtegra_sched(void)
{
    static const struct vtegra_sched sched = {
        .version = VTEGRA_SCHED_VERSION,
        .active = never,
        .point = go_on,
        .thread = thread_number,
        .watch = no_watch,
        .suppress = suppress,
        .busy = never,
    };

    return numbered ? &sched : NULL;
}

static void copies(unsigned char *p, unsigned char *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __tsan_read4(q + i * 4);
        __tsan_write4(p + i * 4);
        *(volatile uint32_t *)(p + i * 4) = *(volatile uint32_t *)(q + i * 4);
    }
}

/* Of one thread: over the words of some lines. Words of the lines around them are others', or
 * nobody's: lines with the same story lead to the same steps. */
struct loop {
    unsigned char *p;
    size_t words;
    unsigned kind;
};

static unsigned char elsewhere[16];

/* Here and there in eight lines. */
static void scatter(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char *at = p + draw(8) * 64 + draw(3) * 16; /* few, so that they meet */

        switch (draw(6)) {
        case 0:
            loads(at, 1, 4);
            break;
        case 1:
            stores(at, 1, 4);
            break;
        case 2:
            updates(at, 1, 4);
            break;
        case 3: /* one place, of which each call has its length */
            __tsan_write_range(at, draw(2) ? 4 : 16);
            break;
        case 4: /* one place that loads and stores */
            __tsan_memmove(at, p + draw(8) * 64 + draw(3) * 16, 16);
            break;
        default:
            __tsan_memmove(at, elsewhere, 16);
            break;
        }
    }
}

/* Pieces of 16 bytes in four lines; in the fifth a shorter one where they had their second. */
static void ranges(unsigned char *p)
{
    for (unsigned i = 0; i < 4; i++) {
        __tsan_write_range(p + i * 64, 32);
    }
    __tsan_write_range(p + 4 * 64, 16);
    __tsan_write_range(p + 5 * 64 + 16, 4);
    __tsan_write_range(p + 4 * 64 + 16, 4);
}

static void loop_run(const struct loop *l)
{
    switch (l->kind) {
    case 0:
        loads(l->p, l->words, 4);
        break;
    case 1:
        stores(l->p, l->words, 4);
        break;
    case 2:
        updates(l->p, l->words, 4);
        break;
    case 3:
        loads(l->p, l->words / 2, 8);
        break;
    case 4:
        copies(l->p, l->p + BYTES / 2, l->words);
        break;
    case 5:
        scatter(mem[0].cpu, 30 + l->words);
        break;
    default:
        ranges(l->p);
        break;
    }
}

#define AREA 28u /* lines, and a few more: as many as the cache has, nearly */

static struct loop loop_draw(const unsigned kind[2])
{
    size_t first = draw(AREA), lines = 1 + draw(4);

    return (struct loop){ (unsigned char *)mem[draw(8) == 0].cpu + first * 64,
                          (first + lines > AREA ? AREA - first : lines) * 16, kind[draw(2)] };
}

/* Threads one after another, or two by turns. What they did comes before what their creator does
 * next, or does not. */
enum { CREATED = 1000, JOINED = 1000000 }; /* by thread */

static struct worker {
    pthread_t thread;
    uint32_t number;
    struct loop loop[2];
    pthread_barrier_t *turn; /* NULL: it is alone */
} workers[2];

static void *work(void *arg)
{
    const struct worker *w = arg;

    my_number = w->number;
    for (unsigned i = 0; i < 2; i++) {
        if (w->turn) {
            pthread_barrier_wait(w->turn);
        }
        if (i == 0) {
            hal_note(hal, HAL_NOTE_THREAD, w->number, 0);
            hal_note(hal, HAL_NOTE_ACQUIRE, CREATED + w->number, 0);
        }
        loop_run(&w->loop[i]);
        if (w->turn) {
            pthread_barrier_wait(w->turn);
        }
    }
    if (w->turn) {
        pthread_barrier_wait(w->turn);
    }
    hal_note(hal, HAL_NOTE_RELEASE, JOINED + w->number, 0);
    hal_cpu_lease_end(hal); /* sums are told then, by a thread that counts at its end anyway */
    return NULL;
}

static void worker_start(struct worker *w, const unsigned kind[2], pthread_barrier_t *turn)
{
    static uint32_t last;

    w->number = ++last;
    w->turn = turn;
    w->loop[0] = loop_draw(kind);
    w->loop[1] = loop_draw(kind);
    hal_note(hal, HAL_NOTE_RELEASE, CREATED + w->number, 0);
    ck_assert_int_eq(pthread_create(&w->thread, NULL, work, w), 0);
}

static void worker_join(struct worker *w)
{
    pthread_join(w->thread, NULL);
    if (draw(2)) {
        hal_note(hal, HAL_NOTE_ACQUIRE, JOINED + w->number, 0);
    }
}

static void one_worker(const unsigned kind[2])
{
    worker_start(&workers[0], kind, NULL);
    worker_join(&workers[0]);
}

/* Each turn is between two waits at its thread's barrier; the third is its end. */
static void two_workers(const unsigned kind[2])
{
    pthread_barrier_t turn[2];

    for (unsigned i = 0; i < 2; i++) {
        pthread_barrier_init(&turn[i], NULL, 2);
        worker_start(&workers[i], kind, &turn[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_barrier_wait(&turn[i % 2]);
        pthread_barrier_wait(&turn[i % 2]);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_barrier_wait(&turn[i]);
        worker_join(&workers[i]);
        pthread_barrier_destroy(&turn[i]);
    }
}

/* What comes before it in a line comes before the kernel that acquires it; what comes after it does
 * not, though the line goes on to be counted. */
static void flag_between(unsigned char *p)
{
    for (unsigned i = 0; i < 3; i++) {
        stores(p + i * 64, 4, 4);
    }
    stores(p + 3 * 64, 2, 4);
    __tsan_atomic32_fetch_add((volatile uint32_t *)mem[3].cpu, 1, 5);
    stores(p + 3 * 64 + 8, 2, 4);
}

/* One place that stores, then loads in the first four lines, and stores in two others. */
static void moves(unsigned char *p)
{
    for (unsigned i = 0; i < 12; i++) {
        unsigned char *at = p + i / 2 * 64 + i % 2 * 16;
        bool out = i < 8 && i % 2;

        __tsan_memmove(out ? elsewhere : at, out ? at : elsewhere, 16);
    }
}

/* In lines that nobody has touched. */
static void (*const untouched[])(unsigned char *) = { ranges, flag_between, moves };

static void loops(const unsigned kind[2])
{
    for (uint64_t n = 2 + draw(4); n > 0; n--) {
        struct loop l = loop_draw(kind);

        switch (draw(10)) {
        case 0:
            one_worker(kind);
            break;
        case 1:
            two_workers(kind);
            break;
        default:
            loop_run(&l);
            break;
        }
    }
}

/* A record of the board's, which ends all leases before it does anything. */
#define BOARD(...) (hal_cpu_lease_end(hal), take(__VA_ARGS__))

static void engine_flag(void)
{
    BOARD("1 igpu GPU_ATOMIC region=%u by=4 va=0x%" PRIxPTR " size=4 op=0 scope=%u cached=0 "
          "pa=0x%" PRIx64,
          mem[3].id, (uintptr_t)mem[3].cpu, (unsigned)BUS_SCOPE_SYS, mem[3].bus);
}

/* Two words of each of the first lines. */
static void engine_everywhere(const struct hal_mem *m)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at = i * 128, mask = UINT64_C(0xf) << 4 * draw(8);

        BOARD("1 igpu GPU_LOAD region=%u by=4 va=0x%" PRIxPTR " low=0x%" PRIx64 " high=0x%" PRIx64
              " scope=0 cached=0 pa=0x%" PRIx64,
              m->id, (uintptr_t)m->cpu + at, mask, mask, m->bus + at);
    }
}

/* Words in some of the lines; more in the first eight. */
static void engine_words(const struct hal_mem *m)
{
    for (uint64_t n = draw(40); n > 0; n--) {
        uint64_t at = draw(draw(4) ? 4 : AREA / 2) * 128, mask = UINT64_C(0xf) << 4 * draw(12);

        BOARD("1 igpu %s region=%u by=4 va=0x%" PRIxPTR " low=0x%" PRIx64 " high=0x%" PRIx64
              " scope=0 cached=0 pa=0x%" PRIx64,
              draw(2) ? "GPU_LOAD" : "GPU_STORE", m->id, (uintptr_t)m->cpu + at, mask,
              draw(2) ? mask : 0, m->bus + at);
    }
}

static void sweep(void)
{
    static uint32_t id;
    struct check_kernel k = { .grid_id = ++id, .name = "k", .stream = 2, .block = { 1, 1, 1 } };
    unsigned kind[2] = { (unsigned)draw(7), draw(3) ? 5 : (unsigned)draw(7) };

    loops(kind);
    region_drop(0);
    region_make(0);
    check_kernel(checker, &k);
    BOARD("1 cpu DOORBELL channel=3 put=%u", id);
    BOARD("1 host SEGMENT by=4 channel=3 get=%u", id);
    BOARD("1 igpu GRID_BEGIN by=4 channel=3 qmd=0x100 entry=0 grid_id=%u", id);
    untouched[draw(3)](mem[0].cpu);
    if (draw(2)) {
        engine_flag();
    }
    engine_everywhere(&mem[0]);
    loops(kind);
    engine_words(&mem[0]);
    loops(kind);
    engine_words(&mem[0]);
    BOARD("1 igpu GRID_END by=4 channel=3 qmd=0x100 warp_insts=1 ns=1");
    BOARD("1 host SYNCPT_INCR by=4 id=5 value=%u", id);
    if (draw(3)) {
        BOARD("1 cpu CPU_WAITED id=5 threshold=%u", id);
    }
}

static void states_tell(GString *out)
{
    for (unsigned i = 0; i < REGIONS; i++) {
        for (size_t at = 0; at < BYTES; at += 64) {
            struct hal_line line;

            hal_line_state(hal, (char *)mem[i].cpu + at, &line);
            g_string_append_printf(out, "%d%d ", line.cpu_valid, line.cpu_dirty);
        }
    }
    g_string_append_printf(out, "%" G_GUINT64_FORMAT "\n", hal_time_ns(hal));
}

/* --- twice ------------------------------------------------------------------------------------ */

struct variant {
    const char *soc;
    enum evict evict;
    enum check_hb hb;
    uint64_t seed;
    bool sweeps;
};

static const struct variant variants[] = {
    { "orin", EVICT_LRU, CHECK_HB_OFF, 1, false },
    { "orin", EVICT_LRU, CHECK_HB_ON, 2, false },
    { "tx2", EVICT_LRU, CHECK_HB_OFF, 3, false },
    { "tx2", EVICT_LRU, CHECK_HB_ON, 4, false },
    { "orin", EVICT_NEVER, CHECK_HB_ON, 5, false },
    { "orin", EVICT_SEEDED, CHECK_HB_OFF, 6, false },
    { "tx2", EVICT_SEEDED, CHECK_HB_ON, 7, false },
    { "orin", EVICT_LRU, CHECK_HB_ON, 8, true },
    { "tx2", EVICT_LRU, CHECK_HB_ON, 9, true },
};

#define SWEEPS 7 /* the first of them */

static char *name_of(const char *hooks, const char *what)
{
    return g_strdup_printf("%s/vtegra-test-book-%d-%s.%s", g_get_tmp_dir(), (int)getppid(), hooks,
                           what);
}

/* A cache of 16 sets and 2 ways, times that leave fractions of a ns. */
static void board_open(const struct variant *v, const char *trace, const char *json)
{
    profile = profile_load(v->soc, NULL);
    ck_assert_ptr_nonnull(profile);
    profile->cpu.cache_bytes = 2048;
    profile->cpu.cache_ways = 2;
    profile->timing.cpu_hit_ps = 1370;
    profile->timing.cpu_uncached_ps = 47910;
    checker = check_open(&(struct check_config){
        .profile = profile,
        .os = "linux",
        .policy = "lazy",
        .evict = "lru",
        .seed = v->seed,
        .json_path = json,
        .trace_path = trace,
        .quiet = true,
        .hb = v->hb,
        .trace_classes = TRACE_ALL & ~(unsigned)TRACE_ACCESS,
    });
    hal = hal_open(&(struct hal_config){ .profile = profile, .evict = v->evict, .seed = v->seed });
    ck_assert_ptr_nonnull(hal);
}

static void run(const struct variant *v, const char *hooks)
{
    char *trace = name_of(hooks, "trace"), *json = name_of(hooks, "json"),
         *lines = name_of(hooks, "lines");
    GString *text = g_string_new(NULL);
    uint64_t base, size;

    numbered = v->sweeps;
    g_setenv("VTEGRA_HOOKS", hooks, TRUE);
    vtegra_track_enlist(&vtegra_track_object);
    board_open(v, trace, json);
    hal_observe(hal, check_mask(checker), check_sink, checker);
    hal_arena_bounds(hal, &base, &size);
    check_hooks_install(checker, hal, base, size);
    state = v->seed;
    for (unsigned i = 0; i < REGIONS; i++) {
        region_make(i);
    }
    for (unsigned i = 0; i < (v->sweeps ? STEPS / 30 : STEPS); i++) {
        if (v->sweeps) {
            sweep();
        } else {
            step();
        }
    }
    loads(mem[0].cpu, 20, 4); /* the last records, and what time they carry */
    hal_cpu_lease_end(hal);
    states_tell(text);
    check_close(checker);
    check_free(checker);
    ck_assert(g_file_set_contents(lines, text->str, (gssize)text->len, NULL));
}

static void run_apart(const struct variant *v, const char *hooks)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* findings, printed live */
        run(v, hooks);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(status == 0, "%s: status %#x", hooks, (unsigned)status);
}

static char *content(const char *hooks, const char *what)
{
    char *name = g_strdup_printf("%s/vtegra-test-book-%d-%s.%s", g_get_tmp_dir(), (int)getpid(),
                                 hooks, what);
    char *text = NULL;

    ck_assert_msg(g_file_get_contents(name, &text, NULL, NULL), "%s", name);
    g_remove(name);
    g_free(name);
    return text;
}

/* The first line that differs, for the message. @races: some were found. */
static void assert_same(const char *what, bool races)
{
    char *each = content("each", what), *counted = content("count", what);
    char **a = g_strsplit(each, "\n", -1), **b = g_strsplit(counted, "\n", -1);

    for (unsigned i = 0; a[i] || b[i]; i++) {
        ck_assert_msg(g_strcmp0(a[i], b[i]) == 0, "%s, line %u:\n%.200s\n%.200s", what, i + 1,
                      a[i] ? a[i] : "the end", b[i] ? b[i] : "the end");
        if (!a[i] || !b[i]) {
            break;
        }
    }
    ck_assert_msg(strlen(each) > 1000, "%s is short", what);
    if (races) {
        ck_assert_ptr_nonnull(strstr(each, "\"race\""));
    }
    g_strfreev(a);
    g_strfreev(b);
    g_free(each);
    g_free(counted);
}

START_TEST(counting_changes_nothing)
{
    run_apart(&variants[_i], "each");
    run_apart(&variants[_i], "count");
    assert_same("trace", false);
    assert_same("lines", false);
    assert_same("json", variants[_i].hb == CHECK_HB_ON);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("book");
    TCase *t = tcase_create("same");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(t, counting_changes_nothing, 0, SWEEPS);
    suite_add_tcase(s, t);
    t = tcase_create("sweeps");
    tcase_add_loop_test(t, counting_changes_nothing, SWEEPS, G_N_ELEMENTS(variants));
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
