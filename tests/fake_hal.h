/* SPDX-License-Identifier: MIT */
/* A board for tests of the driver core: memory, page tables as published, channels that execute
 * copies, fills, semaphores and syncpoints; no caches and no kernels. Everything a driver does to
 * caches, protection and launches is written down. */
#ifndef TESTS_FAKE_HAL_H
#define TESTS_FAKE_HAL_H

#include <glib.h>

#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "runtime/hal.h"

/* What happened, in order: "cpu_clean 2", "l2_clean", "launch k", ... Numbers are sizes in pages.
 */
extern GString *fake_log;
void fake_log_clear(void);

/* What the next launches do, called when a grid would run; NULL: nothing. Return: 0, or the kind of
 * error the channel dies of (enum chan_error_kind), with *error filled in further. */
typedef int fake_kernel(const struct qmd *qmd, const uint8_t *params, struct chan_error *error);
extern fake_kernel *fake_kernel_run;

/* The GPU's view of an address in the address space of @context: bytes up to the page's end, or
 * NULL.
 * @pte: the entry; may be NULL. */
uint8_t *fake_gpu(uint32_t context, uint64_t va, uint64_t *pte);

/* Protection as the driver last set it; HAL_PROT_WRITE at first. */
enum hal_prot fake_prot(const void *cpu);

/* The next @n allocations succeed, those after fail; -1: none fails. */
extern int fake_alloc_budget;

/* The board is lost after so many more accesses of the driver's; -1: never. */
extern int fake_lost_after;

unsigned fake_channels_enabled(void);

#endif
