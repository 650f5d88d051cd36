/* SPDX-License-Identifier: MIT */
/* Registers, waiting and the policies of the in-process board. */
#include "runtime/hal/inproc/inproc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/regs/regs.h"
#include "runtime/hal/share.h"

#define QUANTUM 16384u       /* warp instructions a step when order does not matter */
#define QUANTUM_SEEDED 1024u /* small enough for channels to interleave */
#define EAGER_STEPS 16384u
#define SPINS_BEFORE_GIVING_UP 2u

static int inproc_choose(void *opaque, const uint32_t *agent, unsigned n)
{
    const struct hal *hal = opaque;

    return hal->config.choose(hal->config.opaque, agent, n);
}

static uint64_t inproc_draw(void *opaque, enum cache_kind cache)
{
    const struct hal *hal = opaque;

    return hal->config.draw(hal->config.opaque, cache);
}

bool hal_given(struct hal_given *out)
{
    (void)out;
    return false;
}

/* A camera is a part of the board, not of a program: that of `vtegra run --camera`, which has
 * checked it. */
static struct camera *inproc_camera_open(void)
{
    const char *source = g_getenv("VTEGRA_CAMERA");
    g_autofree char *why = NULL;
    struct camera *camera = source && *source ? camera_open(source, &why) : NULL;

    if (why) {
        fprintf(stderr, "vtegra: VTEGRA_CAMERA=%s: %s: there is no camera\n", source, why);
    }
    return camera;
}

struct hal *hal_open(const struct hal_config *config)
{
    static const enum order order[] = {
        [HAL_POLICY_EAGER] = ORDER_OLDEST,
        [HAL_POLICY_LAZY] = ORDER_NEWEST,
        [HAL_POLICY_SEEDED] = ORDER_SEEDED,
    };
    struct hal *hal = g_new0(struct hal, 1);
    int err;

    hal->config = *config;
    pthread_mutex_init(&hal->lock, NULL);
    hal->camera = inproc_camera_open();
    hal->soc = soc_new(&(struct soc_config){
        .profile = config->profile,
        .evict = config->evict,
        .order = order[config->policy],
        .seed = config->seed,
        .sensor = hal->camera ? camera_sensor(hal->camera) : NULL,
        .choose = config->choose ? inproc_choose : NULL,
        .draw = config->draw ? inproc_draw : NULL,
        .opaque = hal,
    });
    hal->compile = compile_new(hal->soc);
    progress_init(&hal->progress);
    claims_init(&hal->claims, config->profile->host1x.syncpts, soc_profile_gpus(config->profile));
    err = inproc_iommu_check(hal);
    if (!err) {
        err = inproc_memory_open(hal);
    }
    if (err) {
        hal_close(hal);
        errno = -err;
        return NULL;
    }
    return hal;
}

void hal_close(struct hal *hal)
{
    if (hal) {
        inproc_iommu_close(hal);
        compile_free(hal->compile);
        soc_free(hal->soc); /* before its camera, and the memory it looks at */
        camera_close(hal->camera);
        inproc_process_close(hal);
        inproc_memory_close(hal);
        claims_clear(&hal->claims);
        pthread_mutex_destroy(&hal->lock);
        g_free(hal);
    }
}

const struct soc_profile *hal_profile(const struct hal *hal)
{
    return hal->config.profile;
}

/* It is in this very process. */
bool hal_lost(const struct hal *hal)
{
    (void)hal;
    return false;
}

/* --- registers
 * ------------------------------------------------------------------------------------ */

static uint64_t unit_base(struct hal *hal, enum unit_id unit)
{
    return soc_unit_base(hal->soc, unit, NULL);
}

int hal_claim(struct hal *hal, enum hal_claim what, uint32_t *index)
{
    return claims_take(&hal->claims, what, index);
}

void hal_release(struct hal *hal, enum hal_claim what, uint32_t index)
{
    claims_give(&hal->claims, what, index);
}

/* An engine's window, before anything uses it: on the board the kernel has attached it at boot. */
static void unit_attach(struct hal *hal, enum unit_id unit)
{
    if (unit_engine(unit) >= 0) {
        inproc_iommu_attach(hal, unit);
    }
}

/* Writing it gives an engine work. */
static bool is_doorbell(enum unit_id unit, uint32_t offset)
{
    return unit_is_gpu(unit) ? offset == IGPU_USERMODE_NOTIFY_CHANNEL_PENDING
                             : unit_engine(unit) >= 0 && offset == unit_doorbell(unit);
}

uint32_t hal_read32(struct hal *hal, enum unit_id unit, uint32_t offset)
{
    uint32_t value;

    unit_attach(hal, unit);
    inproc_enter(hal);
    soc_mmio_read32(hal->soc, unit_base(hal, unit) + offset, &value);
    inproc_leave(hal);
    return value;
}

static enum soc_progress inproc_step(struct hal *hal, uint64_t insts)
{
    enum soc_progress progress;

    if (hal->compile) {
        compile_poll(hal->compile);
    }
    progress = soc_step(hal->soc, insts);
    progress_look(&hal->progress, hal->soc);
    return progress;
}

/* EAGER: work runs at submission, until it is done or the resident warps only spin; what runs for
 * longer than this may never end, and resumes when a thread waits. */
static void run_eagerly(struct hal *hal)
{
    enum soc_progress p = SOC_PROGRESS;

    for (unsigned n = 0; n < EAGER_STEPS && (p == SOC_PROGRESS || p == SOC_SPUN); n++) {
        if (atomic_load_explicit(&hal->interrupted, memory_order_relaxed)) {
            return;
        }
        p = inproc_step(hal, QUANTUM);
    }
}

void hal_interrupt(struct hal *hal, bool on)
{
    atomic_store_explicit(&hal->interrupted, on, memory_order_relaxed);
}

void hal_write32(struct hal *hal, enum unit_id unit, uint32_t offset, uint32_t value)
{
    unit_attach(hal, unit);
    inproc_enter(hal);
    soc_mmio_write32(hal->soc, unit_base(hal, unit) + offset, value);
    if (is_doorbell(unit, offset) && hal->config.policy == HAL_POLICY_EAGER) {
        run_eagerly(hal);
    }
    inproc_leave(hal);
}

/* --- waiting
 * -------------------------------------------------------------------------------------- */

static uint64_t inproc_quantum(const struct hal *hal)
{
    return hal->config.policy == HAL_POLICY_SEEDED ? QUANTUM_SEEDED : QUANTUM;
}

/* An interrupt that only software can end. */
static bool error_pending(const struct hal *hal, uint64_t ignored)
{
    for (enum unit_id unit = UNIT_IGPU; unit < UNIT_COUNT; unit++) {
        if (!(ignored >> unit & 1) && soc_irq(hal->soc, unit)) {
            return true;
        }
    }
    return false;
}

/* One step of a wait. Return: 1 to go on, 0 done, or the error of hal_wait(). */
static int wait_step(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t ignored,
                     unsigned *spins)
{
    if (error_pending(hal, ignored)) {
        return -EIO;
    }
    if (soc_syncpt_reached(hal->soc, syncpt, threshold)) {
        return 0;
    }
    switch (inproc_step(hal, inproc_quantum(hal))) {
    case SOC_PROGRESS:
        *spins = 0;
        return 1;
    case SOC_SPUN:
        return 1;
    case SOC_YIELDS:
        return -EINTR;
    case SOC_SPINS:
        return ++*spins < SPINS_BEFORE_GIVING_UP ? 1 : -EAGAIN;
    default:
        return error_pending(hal, ignored)                       ? -EIO
               : soc_syncpt_reached(hal->soc, syncpt, threshold) ? 0
                                                                 : -EDEADLK;
    }
}

int hal_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    return hal_wait_but(hal, syncpt, threshold, timeout_steps, 0);
}

int hal_wait_but(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps,
                 uint64_t ignored)
{
    unsigned spins = 0;

    for (uint64_t n = 0;; n++) {
        int r;

        /* Between steps other threads may feed accesses in. */
        inproc_enter(hal);
        r = wait_step(hal, syncpt, threshold, ignored, &spins);
        inproc_leave(hal);
        if (r <= 0) {
            return r;
        }
        if (atomic_load_explicit(&hal->interrupted, memory_order_relaxed)) {
            return -ECANCELED;
        }
        if (timeout_steps && n + 1 >= timeout_steps) {
            return -ETIMEDOUT;
        }
    }
}

bool hal_poll(struct hal *hal, bool must_progress)
{
    bool progress = false;

    inproc_enter(hal);
    if (hal->config.policy == HAL_POLICY_EAGER) {
        progress = inproc_step(hal, QUANTUM) == SOC_PROGRESS;
        run_eagerly(hal);
    } else if (must_progress || hal->config.policy == HAL_POLICY_SEEDED) {
        progress = inproc_step(hal, inproc_quantum(hal)) == SOC_PROGRESS;
    }
    inproc_leave(hal);
    return progress;
}

/* --- the CPU's side
 * ------------------------------------------------------------------------------- */

/* Calls @what for each piece of [cpu, cpu + len) that is ours, by bus address. */
static int64_t for_range(struct hal *hal, const void *cpu, size_t len,
                         int64_t (*what)(struct soc *, uint64_t, uint64_t))
{
    uintptr_t at = (uintptr_t)cpu, end = at + len;
    int64_t lines = 0;

    inproc_enter(hal);
    while (at < end) {
        struct inproc_mem *m = inproc_mem_at(hal, (void *)at);
        uintptr_t stop;

        if (!m) {
            at = (at / HAL_PAGE + 1) * HAL_PAGE;
            continue;
        }
        stop = MIN(end, (uintptr_t)m->mem.cpu + m->mem.size);
        lines += what(hal->soc, m->mem.bus + (at - (uintptr_t)m->mem.cpu), stop - at);
        at = stop;
    }
    inproc_leave(hal);
    return lines;
}

int64_t hal_cpu_clean(struct hal *hal, const void *cpu, size_t len)
{
    return for_range(hal, cpu, len, soc_cpu_clean);
}

int64_t hal_cpu_clean_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return for_range(hal, cpu, len, soc_cpu_clean_invalidate);
}

int64_t hal_cpu_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return for_range(hal, cpu, len, soc_cpu_invalidate);
}

void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind access)
{
    uintptr_t at = (uintptr_t)cpu, end = at + len;

    inproc_enter_access(hal);
    while (at < end) {
        struct inproc_mem *m = inproc_mem_at(hal, (void *)at);
        uintptr_t stop;

        if (!m) {
            break;
        }
        stop = MIN(end, (uintptr_t)m->mem.cpu + m->mem.size);
        if (!hal_mem_is_device(m->mem.kind)) { /* the access itself will fault */
            uint64_t bus = m->mem.bus + (at - (uintptr_t)m->mem.cpu);

            inproc_lease_lines_end(hal, bus, stop - at);
            soc_cpu_access(hal->soc, bus, at, stop - at, access);
        }
        at = stop;
    }
    inproc_leave(hal);
}

void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    static const enum trace_event events[] = {
        [HAL_NOTE_RELEASE] = TRACE_EVENT_CPU_RELEASE,
        [HAL_NOTE_ACQUIRE] = TRACE_EVENT_CPU_ACQUIRE,
        [HAL_NOTE_WAITED] = TRACE_EVENT_CPU_WAITED,
    };

    if (what == HAL_NOTE_THREAD) {
        inproc_thread_set((uint32_t)a);
        return;
    }
    if (inproc_inside()) { /* a signal handler of the program's, which came in between */
        return;
    }
    inproc_enter(hal);
    soc_cpu_note(hal->soc, events[what], a, b);
    inproc_leave(hal);
}

/* --- time and looking
 * ----------------------------------------------------------------------------- */

uint64_t hal_time_ns(struct hal *hal)
{
    return soc_time_ns(hal->soc);
}

void hal_time_advance(struct hal *hal, int64_t ns)
{
    inproc_enter(hal);
    soc_time_advance(hal->soc, (uint64_t)ns);
    inproc_leave(hal);
}

void hal_observe(struct hal *hal, unsigned mask, trace_sink *sink, void *opaque)
{
    inproc_enter(hal);
    soc_counts_flush(hal->soc);
    soc_observe(hal->soc, mask & TRACE_ALL, sink, opaque);
    inproc_leave(hal);
}

void hal_spare(struct hal *hal, const struct trace_spare *spare)
{
    inproc_enter(hal);
    soc_spare(hal->soc, spare);
    inproc_leave(hal);
}

bool hal_line_state(struct hal *hal, const void *cpu, struct hal_line *out)
{
    struct inproc_mem *m = inproc_mem_at(hal, cpu);
    struct soc_line line = { 0 };
    bool found = false;

    inproc_enter(hal);
    if (m) {
        found =
            soc_line_state(hal->soc, m->mem.bus + ((uintptr_t)cpu - (uintptr_t)m->mem.cpu), &line);
    }
    inproc_leave(hal);
    *out = (struct hal_line){ line.cpu_valid, line.cpu_dirty, line.cpu_old, line.l2_valid,
                              line.l2_dirty_bytes };
    return found;
}

uint64_t hal_dirty_lines(struct hal *hal, const void *cpu, uint64_t lines)
{
    struct inproc_mem *m = inproc_mem_at(hal, cpu);
    uint64_t dirty = 0;

    inproc_enter(hal);
    if (m) {
        dirty =
            soc_dirty_lines(hal->soc, m->mem.bus + ((uintptr_t)cpu - (uintptr_t)m->mem.cpu), lines);
    }
    inproc_leave(hal);
    return dirty;
}

char *hal_dump(struct hal *hal)
{
    char *text;

    inproc_enter(hal);
    text = soc_dump(hal->soc);
    inproc_leave(hal);
    return text;
}
