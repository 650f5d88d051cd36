/* SPDX-License-Identifier: MIT */
/* Virtual memory management: addresses apart from memory.
 *
 *   reservation   addresses; nothing is there yet
 *   physical      memory without an address; a handle of the application's counts as a holder, and
 *                 so do each mapping and an exported descriptor that is still open
 *   mapping       a struct region whose @physical is set: in region_find.c from cuMemMap on, in the
 *                 page tables of every context from cuMemSetAccess on
 *
 * One physical is one buffer of the report, however many mappings it has. */
#ifndef RUNTIME_DRIVER_MEMORY_VIRTUAL_H
#define RUNTIME_DRIVER_MEMORY_VIRTUAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/driver/memory/memory.h"

struct physical;
struct reservation;

/* Of handles and mappings. That of desktop GPUs (measured, H200, driver 580); a board's is not
 * published (inferred). */
#define VIRTUAL_GRANULARITY ((size_t)2 << 20)

/* physical.c */
struct physical *physical_new(size_t size, const CUmemAllocationProp *prop);
struct physical *physical_of(CUmemGenericAllocationHandle handle); /* NULL: none, or released */
void physical_released(struct physical *p); /* a handle or a mapping is gone: was it the last? */
CUresult physical_export(struct physical *p, int *descriptor);
/* CUDA_ERROR_UNKNOWN: no descriptor, none of ours, or stale */
CUresult physical_import(int descriptor, struct physical **out);
/* Frees what only descriptors have held that are closed by now. */
void physical_reap(void);

/* reservation.c */
struct reservation *reservation_at(uint64_t address, guint *index); /* NULL: none */
void reservation_add(const struct reservation *reservation);
void reservation_remove(guint index);
/* The addresses that @address was reserved with. */
bool virtual_reservation(uint64_t address, uint64_t *base, size_t *size);
/* Why a kernel may not use @address; NULL unless it is one of a reservation. */
const char *virtual_fault(uint64_t address);

#endif
