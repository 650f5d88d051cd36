/* SPDX-License-Identifier: MIT */
/* hal/inproc: the board is a struct soc in this process. Read it as the reference for the others.
 *
 * Files: inproc.c registers, waiting, policies; memory.c the arena and what the CPU may touch;
 * compile.c compiled kernels; progress.c the line of a long kernel; process.c the process's own
 * pages; adopt.c registered pages that are the board's meanwhile; lease.c accesses of the CPU that
 * change nothing; ../extents.c which addresses are taken;
 * ../quarantine.c those of freed memory. */
#ifndef RUNTIME_HAL_INPROC_INPROC_H
#define RUNTIME_HAL_INPROC_INPROC_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "model/soc.h"
#include "runtime/camera/camera.h"
#include "runtime/hal.h"
#include "runtime/hal/claims.h"
#include "runtime/hal/extents.h"
#include "runtime/hal/inproc/compile.h"
#include "runtime/hal/inproc/progress.h"
#include "runtime/hal/quarantine.h"

/* Pages of registered memory that are the board's meanwhile, adopt.c; @copy: during fork() */
struct inproc_adopted {
    size_t offset, bytes;
    void *copy;
};

/**
 * struct inproc_mem - one allocation
 * @view_model: where the model reads and writes the CPU view; the application's mapping of the same
 *      pages, mem.cpu, may be protected at the moment
 * @closed: some of it is
 */
struct inproc_mem {
    struct hal_mem mem;
    uint8_t *dram, *view_model;
    struct inproc_adopted adopted;
    bool closed;
    bool at_given; /* the address came from hal_va_reserve() and goes back there */
};

/**
 * struct inproc_iommu - what the kernel driver keeps for a DLA; iommu.c
 * @table: bus address of the level 0 table, 0 = not attached
 * @bank: context bank, and stream matching group; the ASID is one more
 * @shim: IOVA of syncpoint 0
 */
struct inproc_iommu {
    uint64_t table, next_table, shim;
    unsigned tables_left, bank;
    enum unit_id smmu;
    uint32_t stream;
    struct extents iova;
};

/**
 * struct inproc_leases - lease.c
 * @tell, @opaque: the one who has them, hal_cpu_lease_holder()
 * @of_set: by set of the CPU's cache; places where the holders look
 * @sets: those that are not NULL, perhaps more than once taken back
 */
#define INPROC_LEASES 1024u
struct inproc_leases {
    void (*tell)(void *opaque);
    void *opaque;
    uintptr_t *of_set[INPROC_LEASES];
    uint16_t sets[INPROC_LEASES];
    unsigned n_sets;
};

/**
 * struct inproc_process - process.c
 * @pages: address of a page -> bus address of its DRAM image, both in one block; NULL: engines
 * reach none
 * @next, @end: what is left of the newest piece of DRAM for them
 */
struct inproc_process {
    GHashTable *pages;
    uint64_t next, end;
};

/**
 * struct inproc_image - images.c: which pages of an image the model may reach
 * @users, @chunks: by 64 KiB
 * @idle, @next_idle: the last chunks that an allocation has left; the oldest is closed next
 */
struct inproc_image {
    uint8_t *map, *users;
    uint64_t bytes, chunks;
    uint32_t idle[64];
    unsigned next_idle;
};

struct hal {
    struct hal_config config;
    struct camera *camera; /* NULL: none is connected */
    struct soc *soc;
    struct compile *compile; /* NULL: kernels are interpreted */
    struct progress progress;
    atomic_bool interrupted;
    pthread_mutex_t lock; /* the soc; also taken by CPU hooks on any thread */

    int dram_fd, view_fd;  /* offset = bus address - SOC_DRAM_BASE */
    uint8_t *dram, *views; /* whole-DRAM mappings of the two, for the model */
    struct inproc_image dram_pages, view_pages;
    uint64_t dram_bytes;
    struct inproc_iommu iommu[ENGINES_MAX]; /* by unit_engine() */
    struct extents bus;                     /* physical memory handed out */
    struct extents vidmem;                  /* the same of a discrete GPU's own */
    struct extents va;                      /* the arena's addresses */
    struct quarantine va_freed;
    struct claims claims;
    uint32_t next_id;
    struct inproc_leases leases; /* under lock */
    struct inproc_process process;

    struct inproc_mem **mems; /* sorted by CPU address */
    unsigned n_mems, cap_mems;
    atomic_flag mems_busy; /* guards the three above */
};

/* Of @bytes that are mapped at @map, none open. Return: 0, -ENOMEM. */
int inproc_image_begin(struct inproc_image *image, uint8_t *map, uint64_t bytes);
void inproc_image_end(struct inproc_image *image);
/* Opens whole pages, each at most once, and closes them: what was opened together is closed so. */
bool inproc_image_open(struct inproc_image *image, uint64_t offset, uint64_t size);
void inproc_image_close(struct inproc_image *image, uint64_t offset, uint64_t size);

/* Every call that looks at the board or changes it: takes its lock, and the accesses of the CPU
 * that hooks have counted since. */
void inproc_enter(struct hal *hal);
/* The same for an access of the CPU, which ends the leases of its own lines' sets alone. */
void inproc_enter_access(struct hal *hal);
void inproc_lease_lines_end(struct hal *hal, uint64_t bus, uint64_t len);
void inproc_leave(struct hal *hal);
void inproc_thread_set(uint32_t number); /* the calling thread's, see hal_note() */
bool inproc_inside(void);                /* is this thread between the two? */
/* For another lock that hooks take. */
void inproc_inside_begin(void);
void inproc_inside_end(void);

/* Has the board the DLAs that its profile promises? Return: 0; -EINVAL with a line on stderr. */
int inproc_iommu_check(const struct hal *hal);
/* Give @unit its context bank if it has none yet. Return: 0; -ENODEV; -ENOMEM; -ENOSPC. */
int inproc_iommu_attach(struct hal *hal, enum unit_id unit);
void inproc_iommu_close(struct hal *hal);
void inproc_process_close(struct hal *hal);
/* The kernel makes the page present for such an access, as for a device's page request. */
bool inproc_page_usable(void *page, bool write);
int inproc_memory_open(struct hal *hal);
void inproc_memory_close(struct hal *hal);
struct inproc_mem *inproc_mem_at(struct hal *hal, const void *cpu);
void inproc_mems_lock(struct hal *hal);
void inproc_mems_unlock(struct hal *hal);
/* To the application again. Return: false: not all of it, so that the view's pages must stay. */
bool inproc_adopted_give(struct hal *hal, struct inproc_mem *m);
void inproc_adopted_close(const struct hal *hal);

#endif
