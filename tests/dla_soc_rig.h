/* SPDX-License-Identifier: MIT */
/* A SoC with the engines of a profile, an SMMU and a little memory, driven by registers as a kernel
 * driver would: through model/soc.h alone. For the test of any engine (docs/add-an-engine.md).
 * Tables and descriptors are written out from Arm's and L4T's documents.
 */
#ifndef TESTS_DLA_SOC_RIG_H
#define TESTS_DLA_SOC_RIG_H

#include "model/regs/dla_task.h"
#include "model/regs/regs.h"
#include "model/soc.h"

#define DRIG_PAGE 4096u
/* Physical memory: @kernel for tables and descriptors, @data that the CPU caches. */
#define DRIG_KERNEL SOC_DRAM_BASE
#define DRIG_KERNEL_BYTES (256 * DRIG_PAGE)
#define DRIG_DATA (SOC_DRAM_BASE + 0x1000000)
#define DRIG_DATA_BYTES (64 * DRIG_PAGE)
#define DRIG_TABLES (64 * DRIG_PAGE) /* of kernel: root tables at the first two pages */
#define DRIG_TASKS (DRIG_KERNEL + 128 * DRIG_PAGE)
#define DRIG_ERROR (DRIG_KERNEL + 100 * DRIG_PAGE)

struct drig {
    struct soc_profile profile;
    struct soc *soc;
    uint8_t *kernel, *dram, *view;
    uint64_t dla, host1x, smmu, banks; /* register windows of DLA 0 and its SMMU; context bank 0 */
    uint32_t stream;
    uint64_t next_table; /* offset in kernel */
    bool small;
    unsigned seen[TRACE_EVENT_COUNT];
    struct trace_record last[TRACE_EVENT_COUNT];
};

/* @chip: "t194" or "t234". The SMMU is as after reset: everything passes untranslated. */
void drig_open(struct drig *r, const char *chip, enum order order);
void drig_open_with(struct drig *r, const char *chip, enum order order, bool coherent,
                    uint64_t seed);
/* An engine does @slice units of work in a step. */
void drig_open_sliced(struct drig *r, const char *chip, uint64_t slice);
/* With a camera. */
void drig_open_camera(struct drig *r, const char *chip, enum order order, bool coherent,
                      const struct sensor *sensor);
/* One DLA and its SMMU, no other engine, little CVSRAM: what fuzz_dla_engine.c can reach. All
 * tables are drig_identity()'s. */
void drig_open_small(struct drig *r, const char *chip, enum order order);
void drig_close(struct drig *r);
void drig_kernel_clear(struct drig *r); /* all of it is zero again */

uint32_t drig_read(struct drig *r, uint64_t pa);
void drig_write(struct drig *r, uint64_t pa, uint32_t value);
/* Registers of DLA 0, and of context bank @bank. */
uint32_t drig_dla_read(struct drig *r, uint32_t offset);
void drig_dla_write(struct drig *r, uint32_t offset, uint32_t value);
uint32_t drig_bank_read(struct drig *r, unsigned bank, uint32_t offset);
void drig_bank_write(struct drig *r, unsigned bank, uint32_t offset, uint32_t value);
void drig_bank_write64(struct drig *r, unsigned bank, uint32_t offset, uint64_t value);

/* Bytes of kernel or data memory (its DRAM image) by physical address. */
uint8_t *drig_at(struct drig *r, uint64_t pa);

/* Descriptor bits a mapping has besides its address. */
#define DRIG_RW 0x443u /* valid, page, EL0, access flag */
#define DRIG_RO 0x4c3u
/* Map one page in the tables rooted at page @root of kernel (0 or 1). */
void drig_map(struct drig *r, unsigned root, uint64_t iova, uint64_t pa, uint64_t bits);
/* A 2 MiB block at level 2. */
void drig_map_block(struct drig *r, unsigned root, uint64_t iova, uint64_t pa, uint64_t bits);
/* Where the level 3 descriptor of @iova lies. */
uint64_t *drig_pte(struct drig *r, unsigned root, uint64_t iova);

/* Context bank @bank walks root @root with @asid, faults answer an error and interrupt; the stream
 * of DLA 0 goes there by matching group @group; translation is on. */
void drig_bank(struct drig *r, unsigned bank, unsigned root, uint16_t asid);
void drig_stream(struct drig *r, unsigned group, unsigned bank);

/* All memory of the rig at IOVA = physical address, by bank 0; then syncpoints at their shim's. */
void drig_identity(struct drig *r);

/* DLA 0's firmware reads a word at @iova (a multiple of 256) and writes four times its value behind
 * it. Return: enum dla_err. */
unsigned drig_ping(struct drig *r, uint64_t iova);
/* Give a command. Return: enum dla_err. */
unsigned drig_command(struct drig *r, unsigned cmd, uint32_t data);
void drig_run(struct drig *r);
uint32_t drig_syncpt(struct drig *r, unsigned id);
void drig_syncpt_incr(struct drig *r, unsigned id);
uint64_t drig_shim(const struct drig *r, unsigned id);
struct dla_error_record drig_error(struct drig *r);

/**
 * struct drig_task - a task under construction; its memory: two pages of kernel by @index
 * @pre, @post: bytes of the action lists
 * @addresses: network, operations, surfaces, graph, tables, then the buffers
 */
struct drig_task {
    struct dla_task_desc desc;
    uint64_t at;
    uint8_t pre[256], post[256];
    unsigned pre_bytes, post_bytes, ops;
    uint64_t address[16];
    uint8_t *memory; /* of the two pages */
};

void drig_task(struct drig *r, struct drig_task *t, unsigned index, unsigned queue);
/* Actions: 0x9x and 0x8x take address and value, 0xc0 and 0xc1 a 16-bit status, 0x87 an address. */
void drig_pre(struct drig_task *t, uint8_t opcode, uint64_t address, uint32_t value);
void drig_post(struct drig_task *t, uint8_t opcode, uint64_t address, uint32_t value);
/* One BDMA operation more: 32 * @atoms bytes. They run one after the other. @cv: bit 0 the source,
 * bit 1 the destination lies in CVSRAM. */
void drig_copy(struct drig_task *t, uint64_t to, uint64_t from, unsigned atoms, unsigned cv);
/* Write it to memory and submit it. Return: enum dla_err. */
unsigned drig_submit(struct drig *r, struct drig_task *t);

#endif
