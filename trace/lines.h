/* SPDX-License-Identifier: MIT */
/* The caches' lines as records show them: what is held and what is dirty in the CPU's caches and in
 * the iGPU's L2 after each record. The records must have the classes ACCESS and CACHE. */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include "trace/record.h"

#define LINES_CPU_BYTES 64 /* Arm Cortex-A and Neoverse of every Tegra */
#define LINES_L2_BYTES 128 /* of the L2, four sectors of 32 */

struct lines;

/* struct lines_l2 - a line of the L2; bit i of low is byte i, of high byte 64 + i */
struct lines_l2 {
    uint64_t valid_low, valid_high, dirty_low, dirty_high;
};

enum lines_cpu { LINES_ABSENT, LINES_CLEAN, LINES_DIRTY };

struct lines *lines_new(void);
void lines_free(struct lines *l);
void lines_record(struct lines *l, const struct trace_record *r);

/* Of the line at @pa. */
enum lines_cpu lines_cpu(const struct lines *l, uint64_t pa);
struct lines_l2 lines_l2(const struct lines *l, uint64_t pa);

/* How many dirty lines there are. */
unsigned lines_cpu_dirty(const struct lines *l);
unsigned lines_l2_dirty(const struct lines *l);

#endif
