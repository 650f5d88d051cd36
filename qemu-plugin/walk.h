/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU's translation by the public plugin interface: registers read from QEMU (9.0 and later),
 * the guest's tables from its RAM. */
#ifndef QEMU_PLUGIN_WALK_H
#define QEMU_PLUGIN_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Once a CPU is there. Return: false with a message if QEMU does not show the registers. */
bool walk_registers_find(void);
/* Xn of the CPU that calls back with PLUGIN_R_REGS; n = 31: 0. */
uint64_t walk_register(unsigned n);
/**
 * walk_tables - translate as the calling CPU would at EL1 and EL0, now
 * @pa: the page's physical address; @attr: its attribute byte as in MAIR_EL1
 * Return: false if the translation faults, or is one that is not known here: at EL2 or EL3, of more
 * than 48 bits, with tables that are not in RAM.
 */
bool walk_tables(uint64_t va, uint64_t *pa, uint8_t *attr);

#endif
