/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SoC, its window of registers, and when its engines run. */
#include "qemu-plugin/board.h"

#include <stdio.h>
#include <string.h>

#include "model/regs/regs.h"
#include "qemu-plugin/control.h"
#include "qemu-plugin/records.h"

#define STEP_INSTS 4096u /* of soc_step() */
/* At most, inside one register access or at one timer: then QEMU, its monitor and the guest's CPUs get their turn. */
#define RUN_STEPS 4096u
#define RUN_WORK (UINT64_C(1) << 24) /* units, model/soc.h: some 10 ms */
#define LATE_NS 1000000  /* lazy: work that is not looked at runs after this; seeded: at most */
#define POLL_NS 100000   /* channels that wait for memory look again */
#define GO_ON_NS 10000
#define PAUSE_NS 1000000 /* behind RUN_WORK units */

/* --- life --- */

static void soc_build(void)
{
    static const enum order order[] = {
        [POLICY_EAGER] = ORDER_OLDEST,
        [POLICY_LAZY] = ORDER_NEWEST,
        [POLICY_SEEDED] = ORDER_SEEDED,
    };

    board.soc = soc_new(&(struct soc_config){
        .profile = board.opt.profile,
        .evict = board.opt.evict,
        .order = order[board.opt.policy],
        .seed = board.opt.seed,
        .slice = RUN_WORK,
        .dram_base = PAGE, /* QEMU's machine decides where RAM is */
    });
    soc_dma_hook(board.soc, dma_translate, NULL);
    board.random = board.opt.seed;
    memset(board.rung, 0, sizeof(board.rung));
    memset(board.reg, 0, sizeof(board.reg));
    records_reset();
}

/* Does a unit with a smaller id have a part of [offset, offset + size)? */
static bool window_taken(unsigned unit, uint64_t offset, uint64_t size)
{
    for (unsigned u = 0; u < unit; u++) {
        const struct unit *other = &board.unit[u];

        if (other->size && offset < other->offset + other->size && other->offset < offset + size) {
            return true;
        }
    }
    return false;
}

/* The first free place between @at and @end, a multiple of the size. Return: false: there is none. */
static bool unit_place(unsigned u, uint64_t at, uint64_t end)
{
    struct unit *unit = &board.unit[u];
    uint64_t align = WINDOW_UNITS;

    while (align < unit->size) {
        align *= 2;
    }
    for (at = (at + align - 1) / align * align; at + unit->size <= end; at += align) {
        if (!window_taken(u, at, unit->size)) {
            unit->offset = at;
            return true;
        }
    }
    return false;
}

/* Units of 16 MiB (the iGPU, then SMMUs) lie from 16 MiB on; the others in front of it. */
static void window_lay_out(void)
{
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        struct unit *unit = &board.unit[u];
        bool big, placed;

        unit->pa = soc_unit_base(board.soc, (enum unit_id)u, &unit->size);
        big = unit->size >= WINDOW_BIG;
        placed = big ? unit_place(u, WINDOW_IGPU, WINDOW_BYTES)
                     : unit->size == 0 || unit_place(u, WINDOW_UNITS, WINDOW_IGPU);
        if (!placed) {
            fprintf(stderr, "vtegra: unit %u does not fit into the window and is left out\n", u);
            unit->size = 0;
        }
    }
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        if (board.unit[u].size) {
            board.present[board.units++] = u;
        }
    }
}

static void timer_fired(void *opaque);

void board_init(const struct options *opt)
{
    board.opt = *opt;
    board.pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, NULL);
    board.next_region = 1;
    board_lock_start();
    soc_build();
    window_lay_out();
    report_open();
}

/* The block of RAM that the machine shows from its lowest address on: -M virt has exactly one. */
void board_ram_find(void)
{
    static const uint64_t base[] = { 0x40000000, 0 }; /* virt, others */

    for (unsigned i = 0; i < sizeof(base) / sizeof(base[0]) && !board.ram; i++) {
        uint64_t len = UINT64_C(1) << 40;
        void *host = address_space_map(&address_space_memory, base[i], &len, false, 0);

        if (host && len > PAGE) {
            board.ram = host;
            board.ram_pa = base[i];
            board.ram_bytes = len;
        }
        if (host) {
            address_space_unmap(&address_space_memory, host, len, false, 0);
        }
    }
    board.timer = g_malloc0(ABI_TIMER_BYTES);
    timer_init_full(board.timer, NULL, ABI_CLOCK_VIRTUAL, 1, 0, timer_fired, NULL);
    if (board.opt.track_bytes) {
        enum track_status status;

        board_lock();
        status = track_add(FUNCTION_PHYSICAL, board.opt.track_pa, board.opt.track_bytes / PAGE);
        board_unlock();
        if (status != TRACK_OK) {
            fprintf(stderr, "vtegra: track=: no RAM there, or not in whole pages (status %d)\n",
                    status);
        }
    }
}

static void pages_clear(void)
{
    GHashTableIter it;
    gpointer page;

    g_hash_table_iter_init(&it, board.pages);
    while (g_hash_table_iter_next(&it, NULL, &page)) {
        g_free(((struct page *)page)->store_pc);
        g_free(((struct page *)page)->writer);
        g_free(page);
        g_hash_table_iter_remove(&it);
    }
}

/* Also a device that goes: nothing of its work is left. */
void board_reset(void)
{
    if (board.timer) {
        timer_del(board.timer);
    }
    board.timer_armed = board.sliced = false;
    board_lock();
    track_remove_all();
    report_reset();
    soc_free(board.soc);
    pages_clear();
    soc_build();
    report_open();
    cpu_forget();
    cpu_lines_change();
    board_unlock();
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        board.irq[u] = false;
        if (board_irq) {
            board_irq(u, false);
        }
    }
}

/* --- interrupts --- */

/* Return: true if the unit's line has changed. */
static bool irq_report(unsigned unit)
{
    bool level = soc_irq(board.soc, (enum unit_id)unit);

    if (level == board.irq[unit]) {
        return false;
    }
    board.irq[unit] = level;
    board_irq(unit, level);
    return true;
}

/* Telling QEMU may lead back into a register write (a message whose address the guest has put onto
 * this window): such a write leaves its interrupts to the loop that is running. */
static void irq_update(void)
{
    bool again = true;

    if (board.irq_busy || !board_irq) {
        return;
    }
    board.irq_busy = true;
    for (int round = 0; again && round < 16; round++) {
        again = false;
        for (unsigned i = 0; i < board.units; i++) {
            again |= irq_report(board.present[i]);
        }
    }
    board.irq_busy = false;
}

/* Nothing but a register of this unit has been written. */
static void irq_update_of(unsigned unit)
{
    if (soc_irq(board.soc, (enum unit_id)unit) != board.irq[unit]) {
        irq_update();
    }
}

/* --- when the engines run --- */

static uint64_t random_next(void)
{
    uint64_t z = board.random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Does a channel that was rung still have something to do, or wait for something? */
static bool channels_busy(void)
{
    uint64_t igpu = board.unit[UNIT_IGPU].pa;
    bool busy = false;

    for (unsigned i = 0; i < CHAN_COUNT; i++) {
        uint32_t status = CHAN_IDLE;

        if (!(board.rung[i / 32] >> i % 32 & 1)) {
            i += board.rung[i / 32] == 0 ? 31 - i % 32 : 0;
            continue;
        }
        soc_mmio_read32(board.soc, igpu + IGPU_CHAN_BASE + i * CHAN_WINDOW + CHAN_STATUS, &status);
        if (status == CHAN_IDLE || status == CHAN_DEAD) {
            board.rung[i / 32] &= ~(UINT32_C(1) << i % 32);
        } else {
            busy = true;
        }
    }
    return busy;
}

static void timer_arm(int64_t in_ns)
{
    board.timer_armed = true;
    if (board.timer) {
        timer_mod_ns(board.timer, qemu_clock_get_ns(ABI_CLOCK_VIRTUAL) + in_ns);
    } else {
        board.timer_left = in_ns;
    }
}

/* Let the engines work until nothing moves; what remains goes on at the timer. The lock is held. */
static void engines_run(void)
{
    enum soc_progress p = SOC_PROGRESS;
    uint64_t end = soc_work(board.soc) + RUN_WORK;

    board.runs++;
    board.sliced = false;
    cpu_lines_change();
    dma_forget();
    for (unsigned i = 0; i < RUN_STEPS && p == SOC_PROGRESS && soc_work(board.soc) < end; i++) {
        p = soc_step(board.soc, STEP_INSTS);
    }
    if (board.reg[CONTROL_HOLD / 4]) {
        return; /* the driver steps */
    }
    if (p == SOC_PROGRESS) {
        board.sliced = soc_work(board.soc) >= end;
        timer_arm(board.sliced ? PAUSE_NS : GO_ON_NS);
    } else if (channels_busy() || p == SOC_SPINS) {
        timer_arm(POLL_NS);
    }
}

uint32_t board_step(uint32_t instructions)
{
    board.runs++;
    cpu_lines_change();
    dma_forget();
    return soc_step(board.soc, instructions);
}

static void timer_fired(void *opaque)
{
    (void)opaque;
    board.timer_armed = false;
    board_lock();
    engines_run();
    board_unlock();
    irq_update();
}

void board_tick(int64_t ns)
{
    if (board.timer_armed && (board.timer_left -= ns) <= 0) {
        timer_fired(NULL);
    }
}

/* Software has given an engine work. */
static void engines_reported(void)
{
    if (board.reg[CONTROL_HOLD / 4] || board.sliced) { /* it follows what is under way, at the timer */
        return;
    }
    switch (board.opt.policy) {
    case POLICY_EAGER:
        engines_run();
        break;
    case POLICY_LAZY:
        timer_arm(LATE_NS);
        break;
    case POLICY_SEEDED:
        if (random_next() % 2) {
            timer_arm((int64_t)(random_next() % LATE_NS));
        } else {
            engines_run();
        }
        break;
    }
}

/* --- the window --- */

static bool unit_find(uint64_t offset, uint64_t *pa, unsigned *unit)
{
    for (unsigned i = 0; i < board.units; i++) {
        unsigned u = board.present[i];

        if (offset >= board.unit[u].offset && offset - board.unit[u].offset < board.unit[u].size) {
            *pa = board.unit[u].pa + (offset - board.unit[u].offset);
            *unit = u;
            return true;
        }
    }
    return false;
}

uint32_t board_read(uint64_t offset)
{
    uint32_t value = 0;
    unsigned unit;
    uint64_t pa;

    if (board.mapping) {
        return UINT32_MAX;
    }
    board_lock();
    if (offset < PAGE) {
        value = control_read(offset);
    } else if (unit_find(offset, &pa, &unit)) {
        if (board.timer_armed && board.opt.policy == POLICY_LAZY && !board.irq_busy && !board.sliced) {
            engines_run(); /* software looks */
        }
        soc_mmio_read32(board.soc, pa, &value);
    }
    board_unlock();
    irq_update();
    return value;
}

void board_write(uint64_t offset, uint32_t value)
{
    unsigned unit;
    bool told = true;
    uint64_t pa;

    board_own_access = true;
    if (offset == CONTROL_RESET) {
        if (value & 1) {
            board_reset();
        }
        return;
    }
    board_lock();
    cpu_lines_change();
    report_pc = 0;
    if (offset < PAGE) {
        control_write(offset, value);
    } else if (unit_find(offset, &pa, &unit)) {
        bool doorbell = unit == UNIT_IGPU &&
                        pa - board.unit[unit].pa == IGPU_USERMODE_NOTIFY_CHANNEL_PENDING;

        dma_forget();
        board.runs++; /* it may be maintenance of the L2 */
        soc_mmio_write32(board.soc, pa, value);
        if (doorbell && value < CHAN_COUNT) {
            board.rung[value / 32] |= UINT32_C(1) << value % 32;
        }
        told = doorbell || unit != UNIT_IGPU; /* the iGPU's other registers start nothing */
        if (told) {
            uint64_t pc = cpu_maintenance_open();

            if (pc) {
                report_no_dsb(pc);
            }
            engines_reported();
        }
    }
    board_unlock();
    if (told) {
        irq_update();
    } else {
        irq_update_of(unit);
    }
}
