/* SPDX-License-Identifier: MIT */
/* hal/guest: the board is a PCI device of this machine (qemu-plugin/README.md), reached from user
 * space through the kernel's vfio-pci.
 *
 * Files: device.c the PCI function, its registers and its DMA; guest.c registers, waiting,
 * policies; memory.c what is allocated and who sees it; table.c who lies where; maintain.c the
 * CPU's caches; records.c what the board did; iommu.c the DLAs.
 *
 * What the model in this process would learn, the machine sees by itself: loads, stores and cache
 * maintenance of the CPU on the pages that TRACK names. */
#ifndef RUNTIME_HAL_GUEST_GUEST_H
#define RUNTIME_HAL_GUEST_GUEST_H

#include <glib.h>
#include <stdatomic.h>

#include "qemu-plugin/control.h"
#include "qemu-plugin/track.h"
#include "runtime/hal.h"
#include "runtime/hal/claims.h"
#include "runtime/hal/extents.h"
#include "runtime/hal/quarantine.h"

/* Bus addresses are IOVAs of ours: from here on nothing of the machine lies (the window in which
 * the SMMU takes interrupt messages is below), and a GPFIFO entry's 40 bits reach all of it. */
#define GUEST_BUS_BASE UINT64_C(0x80000000)

/**
 * struct guest_mem - one allocation
 * @alias: the same pages, always open for reading and writing: for the kernel, which pins them, and
 * for maintenance by address, which needs the permission to read
 * @tracked: the machine models the CPU's caches for it
 * @of_module: not of the file, but of hal->uncached
 * @at_given: the address came from hal_va_reserve() and goes back there
 */
struct guest_mem {
    struct hal_mem mem;
    uint8_t *alias;
    bool tracked, at_given, of_module;
};

/* Allocations by CPU address. Signal handlers look here too: the code that holds @busy touches no
 * application memory, so no fault interrupts it. */
struct guest_table {
    struct guest_mem **mem; /* sorted */
    unsigned n, cap;
    atomic_flag busy;
};

/**
 * struct guest_records - records.c
 * @buffer: what the board writes them to, at @bus; NULL: no records
 * @pending: maintenance that may go on
 */
struct guest_records {
    trace_sink *sink;
    void *opaque;
    unsigned mask;
    struct record *buffer;
    struct trace_record pending;
    uint64_t bus;
    uint32_t lost;
};

struct hal {
    struct hal_config config;
    atomic_bool interrupted;
    int fd;         /* physical memory: a file as big as the board's, mostly holes */
    uint8_t *alias; /* all of it */
    int uncached;   /* /dev/vtegra-memory (qemu-plugin/guest/memory); -1: it is not there */
    uint64_t dram_bytes;
    struct extents bus, va;
    struct quarantine va_freed;
    struct claims claims;
    struct guest_table table;
    uint32_t next_id;
    struct extents engine_iova[ENGINES_MAX]; /* by unit_engine() */
    struct guest_records records;
};

/* device.c: one board a process. Return: 0, or -errno after a line on stderr. */
int device_open(void);
uint32_t device_read(uint32_t offset);
void device_write(uint32_t offset, uint32_t value);
/* Where a unit's registers begin; ids are those of the device's table. Return: 0: there is none. */
uint32_t device_unit(unsigned id);
/* Let the device reach memory at @bus. Return: 0, -errno. */
int device_map(void *cpu, uint64_t size, uint64_t bus);
void device_unmap(uint64_t size, uint64_t bus);
/* The same for a DLA, which is a PCI function of its own. Open: 0; -ENODEV: there is no such DLA,
 * or it has no function; -errno. */
int device_engine_open(enum unit_id unit);
int device_engine_map(unsigned engine, void *cpu, uint64_t size, uint64_t iova, bool write);
void device_engine_unmap(unsigned engine, uint64_t size, uint64_t iova);
enum track_status device_track(enum track_ctrl what, uint64_t bus, uint64_t size);
/* What records call these pages from now on; 0: nothing. */
void device_name(uint64_t bus, uint64_t size, uint32_t name);

/* records.c: what the board has done since the last time goes to the sink. */
void records_fetch(struct hal *hal);
void records_note(struct hal *hal, enum trace_event event, uint64_t a, uint64_t b);
void records_region(struct hal *hal, const struct guest_mem *m, bool added);
/* Also what the model has only counted so far. */
void records_end(struct hal *hal);
void records_close(struct hal *hal);

/* table.c; see struct guest_table */
void table_insert(struct guest_table *t, struct guest_mem *m);
struct guest_mem *table_remove(struct guest_table *t, const struct hal_mem *mem);
struct guest_mem *table_at(struct guest_table *t, const void *cpu);
bool table_overlaps(struct guest_table *t, const void *cpu, size_t size);

/* memory.c; Return: 0, or -errno after a line on stderr. */
int memory_open(struct hal *hal);
void memory_close(struct hal *hal);

#endif
