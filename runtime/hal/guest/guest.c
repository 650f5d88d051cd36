/* SPDX-License-Identifier: MIT */
/* Registers, waiting and the policies of the board in a guest. The engines work when this says so
 * (HOLD, STEP), so the policies are those of hal/inproc whatever the guest's own speed is. */
#include "runtime/hal/guest/guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/regs/regs.h"

#define QUANTUM 16384u /* warp instructions a step, as hal/inproc has it */
#define QUANTUM_SEEDED 1024u
#define EAGER_STEPS 16384u
#define SPINS_BEFORE_GIVING_UP 2u

/* What STEP reads afterwards: qemu-plugin/control.def, as enum soc_progress. */
enum { STEP_IDLE, STEP_PROGRESS, STEP_SPINS, STEP_SPUN, STEP_YIELDS };

/* --- life ------------------------------------------------------------------------------------- */

bool hal_given(struct hal_given *out)
{
    uint32_t policy;

    if (device_open() != 0) {
        return false;
    }
    for (unsigned i = 0; i < sizeof(out->soc); i += 4) {
        uint32_t word = GUINT32_TO_LE(device_read(CONTROL_SOC + i));

        memcpy(out->soc + i, &word, sizeof(word));
    }
    out->soc[sizeof(out->soc) - 1] = '\0';
    policy = device_read(CONTROL_POLICY);
    out->policy = (enum hal_policy)FIELD_GET(CONTROL_POLICY_ORDER, policy);
    out->evict = (enum evict)FIELD_GET(CONTROL_POLICY_EVICT, policy);
    out->sees_cpu = FIELD_GET(CONTROL_FEATURES_CPU_TRACKING, device_read(CONTROL_FEATURES));
    return true;
}

static struct hal *at_exit;

/* Pages that the kernel gives to another process must not be looked at any more. */
static void guest_leave(void)
{
    if (at_exit) {
        device_track(TRACK_REMOVE_ALL, 0, 0);
    }
}

struct hal *hal_open(const struct hal_config *config)
{
    struct hal *hal;
    int err = device_open();

    if (err) {
        errno = -err;
        return NULL;
    }
    hal = g_new0(struct hal, 1);
    hal->config = *config;
    claims_init(&hal->claims, config->profile->host1x.syncpts, soc_profile_gpus(config->profile));
    device_write(CONTROL_RESET, 1);
    device_write(CONTROL_HOLD, 1);
    err = memory_open(hal);
    if (err) {
        hal_close(hal);
        errno = -err;
        return NULL;
    }
    if (!at_exit) {
        atexit(guest_leave);
    }
    at_exit = hal;
    return hal;
}

void hal_close(struct hal *hal)
{
    if (hal) {
        at_exit = at_exit == hal ? NULL : at_exit;
        memory_close(hal);
        claims_clear(&hal->claims);
        device_write(CONTROL_RESET, 1);
        g_free(hal);
    }
}

const struct soc_profile *hal_profile(const struct hal *hal)
{
    return hal->config.profile;
}

/* QEMU takes no function out of a running guest. */
bool hal_lost(const struct hal *hal)
{
    (void)hal;
    return false;
}

/* The device is one process's alone (device_open()). */
int hal_claim(struct hal *hal, enum hal_claim what, uint32_t *index)
{
    return claims_take(&hal->claims, what, index);
}

void hal_release(struct hal *hal, enum hal_claim what, uint32_t index)
{
    claims_give(&hal->claims, what, index);
}

/* --- registers -------------------------------------------------------------------------------- */

static uint32_t guest_address(enum unit_id unit, uint32_t offset)
{
    uint32_t base = device_unit(unit);

    return base ? base + offset : 0;
}

/* Writing it gives an engine work. */
static bool is_doorbell(enum unit_id unit, uint32_t offset)
{
    return unit_is_gpu(unit) ? offset == IGPU_USERMODE_NOTIFY_CHANNEL_PENDING
                             : unit_engine(unit) >= 0 && offset == unit_doorbell(unit);
}

uint32_t hal_read32(struct hal *hal, enum unit_id unit, uint32_t offset)
{
    uint32_t at = guest_address(unit, offset);

    (void)hal;
    return at ? device_read(at) : UINT32_MAX;
}

static uint32_t guest_step(const struct hal *hal)
{
    device_write(CONTROL_STEP, hal->config.policy == HAL_POLICY_SEEDED ? QUANTUM_SEEDED : QUANTUM);
    return device_read(CONTROL_STEP);
}

/* EAGER: work runs at submission, until it is done or the resident warps only spin. */
static void run_eagerly(struct hal *hal)
{
    uint32_t p = STEP_PROGRESS;

    for (unsigned n = 0; n < EAGER_STEPS && (p == STEP_PROGRESS || p == STEP_SPUN); n++) {
        if (atomic_load_explicit(&hal->interrupted, memory_order_relaxed)) {
            return;
        }
        p = guest_step(hal);
    }
}

void hal_interrupt(struct hal *hal, bool on)
{
    atomic_store_explicit(&hal->interrupted, on, memory_order_relaxed);
}

void hal_write32(struct hal *hal, enum unit_id unit, uint32_t offset, uint32_t value)
{
    uint32_t at = guest_address(unit, offset);

    if (!at) {
        return;
    }
    device_write(at, value);
    if (is_doorbell(unit, offset) && hal->config.policy == HAL_POLICY_EAGER) {
        run_eagerly(hal);
    }
    records_fetch(hal);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static bool guest_reached(struct hal *hal, uint32_t syncpt, uint32_t threshold)
{
    return (int32_t)(hal_read32(hal, UNIT_HOST1X, HOST1X_SYNCPT + syncpt * 4) - threshold) >= 0;
}

/* An interrupt that only software can end: of any unit but host1x. */
static bool error_pending(void)
{
    return device_read(CONTROL_INTR) >> UNIT_IGPU;
}

/* One step of a wait. Return: 1 to go on, 0 done, or the error of hal_wait(). */
static int wait_step(struct hal *hal, uint32_t syncpt, uint32_t threshold, unsigned *spins)
{
    if (error_pending()) {
        return -EIO;
    }
    if (guest_reached(hal, syncpt, threshold)) {
        return 0;
    }
    switch (guest_step(hal)) {
    case STEP_PROGRESS:
        *spins = 0;
        return 1;
    case STEP_SPUN:
        return 1;
    case STEP_YIELDS:
        return -EINTR;
    case STEP_SPINS:
        return ++*spins < SPINS_BEFORE_GIVING_UP ? 1 : -EAGAIN;
    default:
        return error_pending() ? -EIO : guest_reached(hal, syncpt, threshold) ? 0 : -EDEADLK;
    }
}

int hal_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    unsigned spins = 0;

    for (uint64_t n = 0;; n++) {
        int r = wait_step(hal, syncpt, threshold, &spins);

        records_fetch(hal);
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

    if (hal->config.policy == HAL_POLICY_EAGER) {
        progress = guest_step(hal) == STEP_PROGRESS;
        run_eagerly(hal);
    } else if (must_progress || hal->config.policy == HAL_POLICY_SEEDED) {
        progress = guest_step(hal) == STEP_PROGRESS;
    }
    records_fetch(hal);
    return progress;
}

/* --- what the machine sees by itself ---------------------------------------------------------- */

void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind access)
{
    (void)hal;
    (void)cpu;
    (void)len;
    (void)access;
}

/* There is nothing to save: no access is reported. At the end, what the CPU has done since the last
 * call.
 */
void hal_cpu_lease(struct hal *hal, const void *cpu, uintptr_t *lease, const void **memory)
{
    (void)hal;
    (void)cpu;
    (void)memory;
    *lease = 0;
}

bool hal_busy(struct hal *hal)
{
    (void)hal;
    return false;
}

void hal_cpu_lease_end(struct hal *hal)
{
    records_end(hal);
}

void hal_cpu_lease_holder(struct hal *hal, void (*tell)(void *opaque), void *opaque)
{
    (void)hal;
    (void)tell;
    (void)opaque;
}

void hal_cpu_hits(struct hal *hal, const struct hal_hits *hits)
{
    (void)hal;
    (void)hits;
}

void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    static const enum trace_event events[] = {
        [HAL_NOTE_RELEASE] = TRACE_EVENT_CPU_RELEASE,
        [HAL_NOTE_ACQUIRE] = TRACE_EVENT_CPU_ACQUIRE,
        [HAL_NOTE_WAITED] = TRACE_EVENT_CPU_WAITED,
    };

    if (what != HAL_NOTE_THREAD) {
        records_note(hal, events[what], a, b);
    }
}

uint64_t hal_time_ns(struct hal *hal)
{
    uint32_t lo = device_read(CONTROL_TIME_LO);

    (void)hal;
    return (uint64_t)device_read(CONTROL_TIME_HI) << 32 | lo;
}

/* The guest's CPU does it itself. */
void hal_time_advance(struct hal *hal, int64_t ns)
{
    (void)hal;
    (void)ns;
}

bool hal_line_state(struct hal *hal, const void *cpu, struct hal_line *out)
{
    const struct guest_mem *m = table_at(&hal->table, cpu);
    uint64_t bus = m ? m->mem.bus + ((uintptr_t)cpu - (uintptr_t)m->mem.cpu) : 0;
    uint32_t state;

    *out = (struct hal_line){ 0 };
    if (!m) {
        return false;
    }
    device_write(CONTROL_FUNCTION, 0);
    device_write(CONTROL_LINE_LO, (uint32_t)bus);
    device_write(CONTROL_LINE_HI, (uint32_t)(bus >> 32));
    state = device_read(CONTROL_LINE_STATE);
    out->cpu_valid = FIELD_GET(CONTROL_LINE_STATE_CPU_VALID, state);
    out->cpu_dirty = FIELD_GET(CONTROL_LINE_STATE_CPU_DIRTY, state);
    out->l2_valid = FIELD_GET(CONTROL_LINE_STATE_L2_VALID, state);
    out->l2_dirty_bytes = FIELD_GET(CONTROL_LINE_STATE_L2_DIRTY_BYTES, state);
    return !FIELD_GET(CONTROL_LINE_STATE_NOT_TRACKED, state);
}

uint64_t hal_dirty_lines(struct hal *hal, const void *cpu, uint64_t lines)
{
    uint64_t dirty = 0;

    for (uint64_t todo = lines; todo; todo &= todo - 1) {
        unsigned i = (unsigned)__builtin_ctzll(todo);
        struct hal_line line;

        if (hal_line_state(hal, (const char *)cpu + i * 64u, &line) && line.cpu_dirty) {
            dirty |= UINT64_C(1) << i;
        }
    }
    return dirty;
}

char *hal_dump(struct hal *hal)
{
    return g_strdup_printf("the board is in QEMU: virtual time %llu ns, interrupt lines 0x%x, %u "
                           "pages tracked, %u findings\n",
                           (unsigned long long)hal_time_ns(hal), device_read(CONTROL_INTR),
                           device_read(CONTROL_TRACK_COUNT), device_read(CONTROL_FINDINGS));
}
