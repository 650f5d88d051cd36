/* SPDX-License-Identifier: MIT */
/* Channel commands: GPFIFO entries, pushbuffer headers and class methods.
 *
 * Source: NVIDIA open-gpu-doc, classes C36F/C46F (host, GPFIFO), C0B5 (copy engine), C3C0 (compute)
 * and, for syncpoints, B06F (the GPFIFO class of GP10B on Tegra; newer Tegras reach syncpoints
 * through semaphores in a shim aperture, the model keeps the methods for all: inferred). Numbers
 * are byte offsets of methods. Only what is listed here exists; anything else stops the channel
 * with CHAN_ERROR_METHOD, by number.
 */
#ifndef MODEL_REGS_METHOD_H
#define MODEL_REGS_METHOD_H

#include <stdint.h>

/* GPFIFO entry: word 0 = address 31:2; word 1 = address 39:32 in 7:0 on real silicon (40 bits), and
 * length in words in 30:10. A 47-bit user address does not fit eight bits, so our entries hold the
 * bus address of kernel memory below 2^40, not a GPU virtual one. */
#define GP_ENTRY0(address) ((uint32_t)(address) & ~3u)
#define GP_ENTRY1(address, words) ((uint32_t)((address) >> 32 & 0xff) | (uint32_t)(words) << 10)
#define GP_ENTRY_ADDRESS(e0, e1) ((uint64_t)((e1) & 0xff) << 32 | ((e0) & ~3u))
#define GP_ENTRY_WORDS(e1) ((e1) >> 10 & 0x1fffff)

/* Pushbuffer header: opcode 31:29, count or immediate 28:16, subchannel 15:13, method / 4 in 11:0.
 */
enum { PB_INC = 1, PB_NON_INC = 3, PB_IMMD = 4, PB_ONE_INC = 5 };
#define PB_HEADER(op, sub, method, count)                                     \
    ((uint32_t)(op) << 29 | (uint32_t)(count) << 16 | (uint32_t)(sub) << 13 | \
     (uint32_t)(method) >> 2)
#define PB_MAX_COUNT 0x1fffu

/* Subchannels: fixed here, as the kernel driver's default: 1 compute, 4 copy engine; methods below
 * 0x100 go to the host on any subchannel. */
enum { SUBCH_COMPUTE = 1, SUBCH_COPY = 4 };

/* Host methods (class C36F; SYNCPOINT* from B06F). */
enum {
    HOST_NOP = 0x08,
    HOST_MEM_OP_A = 0x28,
    HOST_MEM_OP_B = 0x2c,
    HOST_MEM_OP_C = 0x30,
    HOST_MEM_OP_D = 0x34, /* operation in 31:27, runs it */
    HOST_SEM_ADDR_LO = 0x5c,
    HOST_SEM_ADDR_HI = 0x60,
    HOST_SEM_PAYLOAD_LO = 0x64,
    HOST_SEM_PAYLOAD_HI = 0x68,
    HOST_SEM_EXECUTE = 0x6c,
    HOST_SYNCPOINTA = 0x70, /* payload: threshold of a wait */
    HOST_SYNCPOINTB = 0x74, /* operation 0:0 (0 wait, 1 increment), index 19:8 */
    HOST_WFI = 0x78,
};
enum {
    MEM_OP_MMU_TLB_INVALIDATE = 0x9,
    MEM_OP_L2_SYSMEM_INVALIDATE = 0xe,
    MEM_OP_L2_FLUSH_DIRTY = 0x10
};
#define MEM_OP_D(op) ((uint32_t)(op) << 27)
enum {
    SEM_OP_ACQUIRE = 0, /* equal */
    SEM_OP_RELEASE = 1,
    SEM_OP_ACQ_STRICT_GEQ = 2, /* unsigned >= */
    SEM_OP_ACQ_CIRC_GEQ = 3,   /* (value - payload) as signed >= 0 */
    SEM_OP_ACQ_AND = 4,
    SEM_OP_ACQ_NOR = 5,
};
#define SEM_EXECUTE_OP(v) ((v) & 7u)
#define SEM_EXECUTE_PAYLOAD_64 (1u << 24)
#define SEM_EXECUTE_TIMESTAMP (1u << 25) /* release: payload (64 bit) at +0, time in ns at +8 */
#define SYNCPT_WAIT(id) ((uint32_t)(id) << 8)
#define SYNCPT_INCR(id) ((uint32_t)(id) << 8 | 1u)

/* Copy engine (class C0B5). */
enum {
    CE_LAUNCH_DMA = 0x300,
    CE_OFFSET_IN_UPPER = 0x400,
    CE_OFFSET_IN_LOWER = 0x404,
    CE_OFFSET_OUT_UPPER = 0x408,
    CE_OFFSET_OUT_LOWER = 0x40c,
    CE_PITCH_IN = 0x410,
    CE_PITCH_OUT = 0x414,
    CE_LINE_LENGTH_IN = 0x418, /* bytes, or elements when remapping */
    CE_LINE_COUNT = 0x41c,
    CE_SET_REMAP_CONST_A = 0x700,
    CE_SET_REMAP_CONST_B = 0x704,
    CE_SET_REMAP_COMPONENTS =
        0x708, /* DST_X in 2:0 (4 = CONST_A), COMPONENT_SIZE in 17:16 (bytes - 1) */
};
#define CE_LAUNCH_TRANSFER_NON_PIPELINED (2u << 0)
#define CE_LAUNCH_FLUSH_ENABLE (1u << 2)
#define CE_LAUNCH_SRC_PITCH (1u << 7)
#define CE_LAUNCH_DST_PITCH (1u << 8)
#define CE_LAUNCH_MULTI_LINE (1u << 9)
#define CE_LAUNCH_REMAP (1u << 10)
#define CE_REMAP_DST_X_CONST_A 4u
#define CE_REMAP_COMPONENT_SIZE(bytes) ((uint32_t)((bytes) - 1) << 16)

/* Compute (class C3C0): the address of the launch descriptor, shifted, then the start. */
enum {
    COMPUTE_SEND_PCAS_A = 0x2b4,           /* bus address of the descriptor >> 8, see GP_ENTRY0 */
    COMPUTE_SEND_SIGNALING_PCAS_B = 0x2bc, /* bit 1: schedule */
};
#define PCAS_B_SCHEDULE 2u

/* Launch descriptor. Invented: NVIDIA's QMD names machine code and its resources, ours PTX.
 * 256-byte aligned, little-endian. Like a GPFIFO entry it is named by bus address: 40 bits have to
 * do. */
struct qmd {
    uint32_t version;            /* QMD_VERSION */
    uint32_t entry;              /* index of the entry among the module's functions, PTX order */
    uint64_t code_va, code_size; /* linked PTX text */
    uint64_t code_id; /* unique per loaded module: the instruction cache is keyed by it */
    uint64_t param_va;
    uint32_t param_size;
    uint32_t dynamic_shared;
    uint32_t grid[3], block[3];
    uint64_t global_va, const_va; /* segments of the module */
    uint64_t printf_va;
    uint32_t printf_size;
    uint32_t flags;        /* QMD_COOPERATIVE, QMD_RACES and the two below */
    uint64_t workspace_va; /* barrier of a cooperative grid */
    uint32_t resident_blocks;
    uint32_t step_limit_lo, step_limit_hi;
    uint32_t grid_id;
    uint64_t heap_va, heap_bytes; /* of malloc() in kernels */
    uint32_t process;             /* with QMD_RACES_AUTO: its number on the board, 0 alone */
    uint32_t order;      /* of its blocks and warps: 0 by number, else one for each number */
    uint32_t cluster[3]; /* blocks of a cluster, all 0: each block is its own */
};
/* @param_va's bytes: the parameters, then, 8 bytes each, the objects of at most QMD_REFS_MAX
 * references. */
enum { QMD_VERSION = 3, QMD_ALIGN = 256, QMD_COOPERATIVE = 1, QMD_REFS_MAX = 512 };
/* Races between the kernel's threads are looked for; with the lanes of a warp in step, too; in a
 * part of the launches, so that it costs little */
enum { QMD_RACES = 2, QMD_RACES_LOCKSTEP = 4, QMD_RACES_AUTO = 8 };
#define QMD_SHARED_WINDOW UINT64_C(0x0001000000000000) /* generic address of shared memory */
#define QMD_LOCAL_WINDOW UINT64_C(0x0001000100000000)  /* ... of local memory */

#endif
