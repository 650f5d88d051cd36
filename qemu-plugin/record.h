/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* A record as RECORDS_GET writes it to memory, little endian; fields as in struct trace_record
 * (trace/record.h). region: what TRACK_NAME called the pages; addresses in memory: bus addresses of
 * function 0. Loads and stores of one instruction that follow each other in memory, with no other
 * record between them, are one record. */
#ifndef QEMU_PLUGIN_RECORD_H
#define QEMU_PLUGIN_RECORD_H

#include <stdint.h>

enum { RECORD_ARGS = 6 };

struct record {
    uint32_t event, agent, region, channel;
    uint64_t time_ns, arg[RECORD_ARGS];
    uint32_t thread, reserved;
};

#endif
