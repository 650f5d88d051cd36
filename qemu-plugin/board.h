/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SoC inside this QEMU: one a process. Who may call what:
 * - everything named board_* is called with QEMU's big lock held (MMIO, timers, reset, init),
 * except board_lock/board_unlock and board_cpu_*, which the CPUs' threads call without it;
 * - the model is touched under the board's own lock only, which is taken last and never held while
 *   QEMU learns of an interrupt (that may come back as a register write). */
#ifndef QEMU_PLUGIN_BOARD_H
#define QEMU_PLUGIN_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "model/soc.h"
#include "qemu-plugin/qemu_abi.h"
#include "qemu-plugin/track.h"

#define PAGE 4096u
#define LINE 64u
#define WINDOW_BYTES (UINT64_C(64) << 20)
#define WINDOW_BIG (UINT64_C(16) << 20)
#define WINDOW_IGPU (UINT64_C(16) << 20)
#define WINDOW_UNITS 0x10000u

/* PCI functions, each with a stream ID: everything but the engines behind an SMMU, and one each of those:
 * FUNCTION_ENGINE + unit_engine(). A slot has eight (PCI Local Bus 3.0, 6.2.1): engines beyond use function 0.
 * FUNCTION_PHYSICAL: for addresses that pass no IOMMU. */
enum {
    FUNCTION_MAIN,
    FUNCTION_ENGINE,
    FUNCTIONS_SLOT = 8,
    FUNCTIONS = FUNCTION_ENGINE + ENGINES_MAX < FUNCTIONS_SLOT ? FUNCTION_ENGINE + ENGINES_MAX : FUNCTIONS_SLOT,
    FUNCTION_PHYSICAL = 255
};

enum { PCI_COMMAND = 4, PCI_COMMAND_MASTER = 4 }; /* PCI Local Bus 3.0, 6.2.2 */

enum policy { POLICY_EAGER, POLICY_LAZY, POLICY_SEEDED };

struct options {
    struct soc_profile *profile;
    enum policy policy;
    enum evict evict;
    uint64_t seed;
    bool platform, cpu;
    char *trace, *report, *elf;
    char *ivshmem, *ram; /* both or neither */
    uint64_t track_pa, track_bytes;
};

/**
 * struct page - one page that the model knows: reached by DMA, or tracked
 * @pfn: physical address / 4096
 * @region: id of its own region; 0: it belongs to a tracked range
 * @store_pc: where the CPU last stored to each line; @writer: the engine (enum bus_agent) that last
 * wrote under it; NULL unless tracked
 * @piece: of a tracked range: the model's region it lies in
 * @name, @bus: what the guest calls it in records, and where it lies then; 0: nothing
 */
struct page {
    uint64_t pfn;
    uint32_t region;
    struct range *range;
    uint64_t *store_pc;
    uint8_t *writer;
    bool gpu_written;
    uint64_t l2_dirty;
    uint32_t l2_runs;
    uint32_t piece, name;
    uint64_t bus;
};

/* A unit's place in the window; size 0: the chip has none. */
struct unit {
    uint64_t offset, size, pa;
};

struct board {
    struct options opt;
    struct soc *soc;
    struct unit unit[UNIT_COUNT];
    unsigned present[UNIT_COUNT], units; /* those that the chip has */
    bool irq[UNIT_COUNT];
    bool irq_busy, mapping;

    PCIDevice *function[FUNCTIONS]; /* NULL: not plugged in, or platform */
    unsigned functions;             /* bit f: function f is a DLA's and was there at first */
    bool platform;                  /* addresses on the bus are physical: no function of ours */
    uint8_t *ram;                   /* the machine's RAM as QEMU holds it */
    uint64_t ram_pa, ram_bytes;

    GHashTable *pages; /* pa / 4096 -> struct page */
    GList *ranges;     /* struct range */
    uint32_t next_region, tracked_pages;
    atomic_uint epoch;    /* another one when a CPU's translation or a page may be another one */
    atomic_bool watching; /* something was tracked since QEMU started: accesses are seen */

    uint32_t rung[512 / 32]; /* channels whose doorbell rang and that have not come to rest */
    uint64_t random;
    atomic_bool
        iommu_touched; /* a CPU has written to a register of another device, perhaps of the IOMMU */
    uint32_t runs;     /* of the engines, or of anything that changes the L2 */
    void *timer;       /* QEMU's; NULL with ivshmem=: accesses of the guest count instead */
    bool timer_armed;
    bool sliced; /* an operation is under way that is longer than a slice: the timer continues it, no register access */
    int64_t timer_left; /* ns, without QEMU's timer */

    uint32_t reg[0x100 / 4]; /* control block */
};

extern struct board board;

/* The register write that this CPU's thread is in goes to the window, not to another device. Near
 * at hand, as few bytes of a library can be. */
extern _Thread_local bool board_own_access __attribute__((tls_model("initial-exec")));

/* lock.c. The thread of a guest's only CPU may make the lock its own, which is cheaper for it. */
void board_lock(void);
void board_unlock(void);
void board_lock_start(void);
void board_lock_own(void);

/* board.c */
void board_init(const struct options *opt); /* takes what it points to */
void board_ram_find(void);                  /* once the machine is there */
void board_reset(void);
/* The driver steps: about so many warp instructions. Return: enum soc_progress. The lock is held.
 */
uint32_t board_step(uint32_t instructions);
/* So much time has passed: for who has no timers of QEMU. */
void board_tick(int64_t ns);
uint32_t board_read(uint64_t offset);
void board_write(uint64_t offset, uint32_t value);

/* How the interrupt lines reach the guest: set by device.c or platform.c. */
extern void (*board_irq)(unsigned unit, bool level);

/* dma.c: callers hold the board's lock. page_at() is NULL for a page the model does not know. */
void dma_forget(void); /* if the IOMMU may translate otherwise since the last time */
bool dma_find(unsigned function, uint64_t bus, bool write, uint64_t *pa, const char **why);
bool dma_translate(void *opaque, enum unit_id engine, uint64_t bus, bool write, uint64_t *pa);
struct page *page_at(uint64_t pa);
struct page *page_new(uint64_t pa);
void page_forget(struct page *page);

/* track.c: callers hold the board's lock. */
enum track_status track_add(unsigned function, uint64_t bus, uint64_t pages);
enum track_status track_remove(unsigned function, uint64_t bus, uint64_t pages);
void track_remove_all(void);
void track_remove_function(unsigned function); /* what was tracked by its addresses */

/* control.c */
uint32_t control_read(uint64_t offset);
void control_write(uint64_t offset, uint32_t value);

/* function.c. Which PCI function's DMA a unit's is. */
unsigned function_of_unit(enum unit_id unit);
/* Device and function on its bus (PCI Local Bus 3.0, 6.2). */
int function_devfn(PCIDevice *pci);
/* As the SMMU sees it: bus << 8 | device and function. */
uint32_t function_stream_id(unsigned function);

/* device.c, platform.c */
extern const struct memory_region_ops
    window_ops; /* opaque: where in the window the region begins */
bool device_register(void);
bool platform_map(void);

/* shared.c: the window and RAM as files that QEMU maps, without its internals. */
bool shared_start(qemu_plugin_id_t id);
extern unsigned shared_cpu; /* which CPU runs */

/* cpu.c */
/* A line may be in another state from now on. The lock is held. */
void cpu_lines_change(void);
/* A CPU's translation, or which pages are tracked, may be another one from now on. The lock is
 * held. */
void cpu_forget(void);
/* Where this thread's CPU ran a dc after its last DSB, 0: nowhere. Asked once. */
uint64_t cpu_maintenance_open(void);
/* What this thread's CPU has only counted goes to the model. The lock is held. */
void cpu_counts_report(void);

/* cpu_insn.c */
void cpu_watch(void); /* from now on every access is seen */
bool cpu_start(qemu_plugin_id_t id);
void cpu_machine_ready(void);

/* report.c */
void report_open(void);
void report_reset(void);
void report_close(void);
unsigned report_findings(void);
/* Somebody reads a record of every access. */
extern bool report_wants_accesses;
/* The CPU access or maintenance that the next records come from; 0 = none. */
extern uint64_t report_pc;
/* The CPU has loaded a line of which the L2 holds newer bytes. */
void report_l2_newer(uint64_t pa);
void report_mark(uint32_t value);
void report_set_way(uint64_t pc, const char *what);
/* An engine was given work after the dc at @pc, and no DSB was between. */
void report_no_dsb(uint64_t pc);
/* At @pc, not of 4 bytes: there is no such register. */
void report_window_access(uint64_t pc, uint64_t offset, unsigned bytes, bool store);
void report_dma_refused(unsigned function, uint64_t bus, bool write, const char *why);

/* line.c: "file:line (function)" of an address in the guest program, NULL if unknown. g_free() it.
 */
bool line_open(const char *elf);
/* Where the guest has loaded the program's function vtegra_anchor. */
void line_anchor(uint64_t pc);
char *line_of(uint64_t pc);
void line_close(void);

#endif
