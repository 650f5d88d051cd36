/* SPDX-License-Identifier: MIT */
/* A SoC with a little memory, page tables and one channel, driven by registers as a kernel driver
 * would. Everything goes through model/soc.h. */
#ifndef TESTS_SOC_RIG_H
#define TESTS_SOC_RIG_H

#include "model/regs/gmmu.h"
#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "model/soc.h"

#define RIG_PAGE 4096u
/* Physical memory: uncached kernel pages, then data the CPU caches, then data it does not. */
#define RIG_KERNEL SOC_DRAM_BASE
#define RIG_KERNEL_BYTES (64 * RIG_PAGE)
#define RIG_CACHED (SOC_DRAM_BASE + 0x100000)
#define RIG_UNCACHED (SOC_DRAM_BASE + 0x200000)
#define RIG_DATA_BYTES (4 * RIG_PAGE)
/* Where the iGPU sees the data: cached in the L2, volatile, read-only. */
#define RIG_VA UINT64_C(0x200000000000)
#define RIG_VA_VOLATILE (RIG_VA + 0x100000)
#define RIG_VA_READ_ONLY (RIG_VA + 0x200000)
#define RIG_VA_KERNEL (RIG_VA + 0x300000)
#define RIG_VA_UNMAPPED (RIG_VA + 0x400000)
#define RIG_VA_DEVICE (RIG_VA + 0x280000) /* cached in the L2, data the CPU does not cache */
#define RIG_VA_PINNED (RIG_VA + 0x180000) /* volatile, data the CPU caches */

struct rig {
    struct soc_profile profile;
    struct soc *soc;
    uint8_t *kernel, *dram, *view, *uncached;
    uint64_t tables; /* next free page for page tables */
    uint32_t pb[1024], pb_words, put;
    uint64_t igpu, host1x;
    unsigned seen[TRACE_EVENT_COUNT];
    uint64_t read_bytes,
        read_l2; /* of all SUM_READ records: bytes, sectors that the L2 was asked for */
};

/* A profile of round numbers: I/O coherent or not, 4 KiB of L2. */
void rig_open(struct rig *rig, bool io_coherent);
/* The same, and a step does @slice units of work. */
void rig_open_sliced(struct rig *rig, uint64_t slice);
/* The same with an L2 that the CPU snoops, and an iGPU that may use a process's page tables. */
void rig_open_two_way(struct rig *rig);
/* The rules of a real SoC, with as little L2, and a policy by which lines leave it. */
void rig_open_profile(struct rig *rig, const struct soc_profile *profile, enum evict evict,
                      uint64_t seed);
void rig_close(struct rig *rig);
/* Launch an entry: its text and its parameters are put into memory of the kernel driver's.
 * @q: code, parameters and @version are filled in; @step_limit: as QMD, 0 none */
void rig_launch(struct rig *rig, struct qmd *q, const char *text, const uint64_t *param,
                unsigned n);

/* Build a pushbuffer, then hand it over with the doorbell; nothing runs until rig_run(). */
void rig_method(struct rig *rig, unsigned subch, unsigned method, uint32_t data);
void rig_submit(struct rig *rig);
/* Its two halves: into the ring, and the doorbell. */
void rig_put(struct rig *rig);
void rig_ring(struct rig *rig);
void rig_run(struct rig *rig);
void rig_copy(struct rig *rig, uint64_t dst, uint64_t src, uint32_t bytes);
uint32_t rig_syncpt(struct rig *rig, unsigned id);
struct chan_error rig_error(struct rig *rig);

#endif
