/* SPDX-License-Identifier: MIT */
/* hal/inproc: the board is a struct soc in this process. Read it as the reference for the others.
 *
 * Files: inproc.c registers, waiting, policies; memory.c the arena and what the CPU may touch;
 * ../extents.c which addresses are taken; ../quarantine.c those of freed memory. */
#ifndef RUNTIME_HAL_INPROC_INPROC_H
#define RUNTIME_HAL_INPROC_INPROC_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "model/soc.h"
#include "runtime/hal.h"
#include "runtime/hal/extents.h"
#include "runtime/hal/quarantine.h"

/**
 * struct inproc_mem - one allocation
 * @view_model: where the model reads and writes the CPU view; the application's mapping of the same
 *      pages, mem.cpu, may be protected at the moment
 */
struct inproc_mem {
    struct hal_mem mem;
    uint8_t *dram, *view_model;
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
    enum soc_unit smmu;
    uint32_t stream;
    struct extents iova;
};

struct hal {
    struct hal_config config;
    struct soc *soc;
    atomic_bool interrupted;
    pthread_mutex_t lock; /* the soc; also taken by CPU hooks on any thread */

    int dram_fd, view_fd;  /* offset = bus address - SOC_DRAM_BASE */
    uint8_t *dram, *views; /* whole-DRAM mappings of the two, for the model */
    uint64_t dram_bytes;
    struct inproc_iommu iommu[2]; /* by DLA */
    struct extents bus; /* physical memory handed out */
    struct extents va;  /* the arena's addresses */
    struct quarantine va_freed;
    uint32_t next_id;

    struct inproc_mem **mems; /* sorted by CPU address */
    unsigned n_mems, cap_mems;
    atomic_flag mems_busy; /* guards the three above */
};

/* Has the board the DLAs that its profile promises? Return: 0; -EINVAL with a line on stderr. */
int inproc_iommu_check(const struct hal *hal);
/* Give @unit its context bank if it has none yet. Return: 0; -ENODEV; -ENOMEM; -ENOSPC. */
int inproc_iommu_attach(struct hal *hal, enum hal_unit unit);
void inproc_iommu_close(struct hal *hal);
int inproc_memory_open(struct hal *hal);
void inproc_memory_close(struct hal *hal);
struct inproc_mem *inproc_mem_at(struct hal *hal, const void *cpu);

#endif
