/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RECORDS_* and TRACK_NAME of the control block. Callers hold the board's lock. */
#ifndef QEMU_PLUGIN_RECORDS_H
#define QEMU_PLUGIN_RECORDS_H

#include <stdint.h>

#include "qemu-plugin/track.h"

struct trace_record;

#define TRACK_PAGES_MAX (UINT64_C(1) << 20)

/* The board starts anew: no records, no page has a name. */
void records_reset(void);
/* Classes of enum trace_class that the guest wants. */
void records_want(unsigned mask);
unsigned records_mask(void);
void records_take(const struct trace_record *record);
uint32_t records_waiting(void);
uint32_t records_lost(void);
/* Up to @n of them to @bus. */
void records_get(uint64_t bus, uint32_t n);
uint32_t records_got(void); /* that time */
enum track_status records_name(unsigned function, uint64_t bus, uint64_t pages, uint32_t name);

#endif
