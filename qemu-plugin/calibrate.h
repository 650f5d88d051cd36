/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of this QEMU's internals has to be found out at run time, and the refusal if it cannot be.
 */
#ifndef QEMU_PLUGIN_CALIBRATE_H
#define QEMU_PLUGIN_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1: QEMU 7.2; 4: 10.0. Set before QEMU asks for qemu_plugin_version. */
extern int calibrate_api;

/* Are the calls there? @cpu: those for the CPU as well. Says on stderr which are not. */
bool calibrate_symbols(bool cpu);
/* The same for the few of the public interface that shared.c needs. */
bool calibrate_public(void);
/* Can the CPU's registers be read by the public interface? From QEMU 9.0 on. */
bool calibrate_registers(void);

/**
 * calibrate_pci_class - where struct PCIDeviceClass keeps the vendor id, found from two stock
 * devices Return: its byte offset, 0 with a message if they do not agree. The ids and callbacks lie
 * around it: realize -32, exit -24, config_write -8, device id +2, revision +4, class +6.
 */
size_t calibrate_pci_class(void);

/**
 * calibrate_walk - where get_phys_addr() leaves address and memory attributes
 * @env: of a CPU whose MMU is off, as after reset: an instruction fetch is then Normal
 * non-cacheable (0x44) or write-through (0xee), a load Device-nGnRnE (0x00) (Arm ARM D8.2.12).
 * Return: false with a message if the result does not show that.
 */
bool calibrate_walk(void *env);

/**
 * walk_page - translate as the CPU would, now
 * @pa: the page's physical address; @attr: its attribute byte as in MAIR_EL1
 * Return: false if the translation faults.
 */
bool walk_page(void *env, uint64_t va, uint64_t *pa, uint8_t *attr);

#endif
