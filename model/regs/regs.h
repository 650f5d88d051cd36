/* SPDX-License-Identifier: MIT */
/* Offsets and fields of every register list, as enumerators: HOST1X_SYNCPT, IGPU_INTR ... */
#ifndef MODEL_REGS_REGS_H
#define MODEL_REGS_REGS_H

#include "model/regs/reg.h"

enum {
#define ARRAY(r, offset, stride) HOST1X_##r = (offset),
#include "model/regs/host1x.def"
#undef ARRAY
#define REG(r, offset) IGPU_##r = (offset),
#define FIELD(r, f, lsb, width) IGPU_##r##_##f##_LSB = (lsb), IGPU_##r##_##f##_WIDTH = (width),
#include "model/regs/igpu.def"
#undef REG
#undef FIELD
#define REG(r, offset) DLA_##r = (offset),
#define FIELD(r, f, lsb, width) DLA_##r##_##f##_LSB = (lsb), DLA_##r##_##f##_WIDTH = (width),
#include "model/regs/dla.def"
#undef REG
#undef FIELD
#define REG(r, offset) SMMU_##r = (offset),
#define FIELD(r, f, lsb, width) SMMU_##r##_##f##_LSB = (lsb), SMMU_##r##_##f##_WIDTH = (width),
#include "model/regs/smmu.def"
#undef REG
#undef FIELD
};

/* The syncpoints as memory ("sem-syncpt-shim" of host1x): one page a syncpoint, whose first word
 * reads as its value and increments it when written. Source: L4T, device trees of T194 and T234 and
 * syncpt_page_size of their host1x drivers; engines reach it, through the SMMU. */
#define SYNCPT_SHIM_BASE UINT64_C(0x60000000)
enum { SYNCPT_SHIM_PAGE_T194 = 0x1000, SYNCPT_SHIM_PAGE_T234 = 0x10000 };

/* Invented, words of a channel's window (see igpu.def, CHAN_BASE). */
enum {
    CHAN_CTRL = 0x00,    /* 1 = enabled; writing 0 drops the work that has not run */
    CHAN_CONTEXT = 0x04, /* index of the address space, see CHAN_PDB */
    CHAN_PDB_LO =
        0x08, /* bus address of PDE3, 4 KiB aligned; the same for all channels of a context */
    CHAN_PDB_HI = 0x0c,
    CHAN_GPFIFO_LO = 0x10, /* bus address of the GPFIFO ring: 8-byte entries */
    CHAN_GPFIFO_HI = 0x14,
    CHAN_GPFIFO_ENTRIES = 0x18, /* power of two */
    CHAN_USERD_LO = 0x1c, /* bus address of USERD: GP_GET at 0x88, GP_PUT at 0x8c (class C36F) */
    CHAN_USERD_HI = 0x20,
    CHAN_ERROR_LO = 0x24, /* bus address of struct chan_error, written when the channel dies */
    CHAN_ERROR_HI = 0x28,
    CHAN_STATUS = 0x2c,   /* read only: enum chan_status */
    CHAN_PRIORITY = 0x30, /* smaller runs first among ready channels under the eager policy */
    CHAN_HALT =
        0x34, /* reads 1 while a grid is under way; writing 1 ends it with CHAN_ERROR_TIMEOUT */
    CHAN_WAIT = 0x38, /* read only: the syncpoint that it stands at, 0: none */
    CHAN_WINDOW = 0x40,
    CHAN_COUNT = 512,           /* of one GPU */
    CHANS_ALL = 2 * CHAN_COUNT, /* numbers of channels, the second GPU's behind the first one's */
    USERD_GP_GET = 0x88,
    USERD_GP_PUT = 0x8c,
};

enum chan_status {
    CHAN_IDLE,     /* nothing fetched that has not run */
    CHAN_READY,    /* has work that can go on */
    CHAN_WAITING,  /* at a syncpoint or semaphore that is not there yet */
    CHAN_SPINNING, /* a grid whose resident warps only spin */
    CHAN_DEAD,     /* an error stopped it; CHAN_CTRL = 0 then 1 revives it */
};

/* The GMMU forgets its cached translations: invalidate after changing tables (on hardware:
 * NV_PFB_PRI_MMU_INVALIDATE or MEM_OP; here a method, MEM_OP_D, and this register). */
enum { IGPU_MMU_INVALIDATE = 0x100cbc }; /* nvgpu hw_fb_gp10b.h fb_mmu_invalidate_r; any write */

/* Why a channel died: written to CHAN_ERROR by the front end, little-endian, then the interrupt.
 * Invented (on hardware: fault buffer, SM exception registers and error notifier together). */
struct chan_error {
    uint32_t kind; /* enum chan_error_kind; 0 = none */
    uint32_t channel;
    uint64_t va; /* faulting GPU virtual address */
    uint32_t size, write;
    uint32_t reason; /* enum chan_error_reason */
    uint32_t agent;  /* enum bus_agent of the access */
    uint64_t
        qmd; /* bus address of the grid's launch descriptor, 0 if the front end or a copy failed */
    uint32_t entry, func; /* index of the entry and of the faulting function, PTX order */
    uint32_t ptx_line, source_file, source_line;
    uint32_t block[3], thread[3];
    uint32_t method, data; /* CHAN_ERROR_METHOD: the offending method and its data */
};

enum chan_error_kind {
    CHAN_ERROR_NONE,
    CHAN_ERROR_MMU, /* GMMU: no mapping or no permission */
    CHAN_ERROR_BUS, /* nothing at the physical address */
    CHAN_ERROR_MISALIGNED,
    CHAN_ERROR_SHARED_RANGE,
    CHAN_ERROR_LOCAL_RANGE,
    CHAN_ERROR_INSTRUCTION,
    CHAN_ERROR_ATOMIC, /* system-scope atomic that the SoC does not have */
    CHAN_ERROR_TRAP,
    CHAN_ERROR_ASSERT,
    CHAN_ERROR_STACK,
    CHAN_ERROR_TIMEOUT,
    CHAN_ERROR_BARRIER,
    CHAN_ERROR_FREE,     /* free() in a kernel, of no allocation */
    CHAN_ERROR_METHOD,   /* unknown class, method or value in a pushbuffer */
    CHAN_ERROR_CODE,     /* the code bytes do not parse or decode */
    CHAN_ERROR_LAUNCH,   /* a launch descriptor out of range */
    CHAN_ERROR_MBARRIER, /* an mbarrier operation that PTX leaves undefined */
};

/* Of CHAN_ERROR_BARRIER: an instruction of a warp's lanes. chan_error: @method the lanes of its
 * membermask, @data those of them that are elsewhere */
#define CHAN_NEVER_MEETS " waits for lanes of its membermask that never reach it"

/* What the GMMU and the SMs say; those of mbarrier are rules of PTX ISA 9.7.13.15. */
#define CHAN_REASONS(X)                                                                            \
    X(PDE_INVALID, "PDE invalid")                                                                  \
    X(PTE_INVALID, "PTE invalid")                                                                  \
    X(READ_ONLY, "read-only")                                                                      \
    X(VA_LIMIT, "address beyond 49 bits")                                                          \
    X(ATOMIC_DISABLED, "atomic disabled")                                                          \
    X(MBARRIER_ABSENT, "no mbarrier object is there: mbarrier.init makes one, mbarrier.inval and " \
                       "other stores end it")                                                      \
    X(MBARRIER_COUNT, "the count of an mbarrier operation is not from 1 to 2^20 - 1")              \
    X(MBARRIER_BYTES, "the transaction count of an mbarrier leaves -(2^20 - 1) to 2^20 - 1")       \
    X(MBARRIER_ARRIVALS, "more arrivals at an mbarrier than its phase expects")                    \
    X(MBARRIER_COMPLETES, "an arrival with .noComplete completes the phase of its mbarrier")       \
    X(MBARRIER_STATE, "the state given to an mbarrier wait is none that an arrival returned")      \
    X(MBARRIER_WAIT, "waits for a phase of an mbarrier that no thread completes")                  \
    X(WAIT_BAR_WARP, "bar.warp.sync" CHAN_NEVER_MEETS)                                             \
    X(WAIT_VOTE, "vote.sync" CHAN_NEVER_MEETS)                                                     \
    X(WAIT_SHFL, "shfl.sync" CHAN_NEVER_MEETS)                                                     \
    X(WAIT_MATCH, "match.sync" CHAN_NEVER_MEETS)                                                   \
    X(WAIT_REDUX, "redux.sync" CHAN_NEVER_MEETS)                                                   \
    X(WAIT_ELECT, "elect.sync" CHAN_NEVER_MEETS)                                                   \
    X(WAIT_MATRIX, "an instruction of matrices" CHAN_NEVER_MEETS)

enum chan_error_reason {
    CHAN_REASON_NONE,
#define X(name, text) CHAN_REASON_##name,
    CHAN_REASONS(X)
#undef X
};

#endif
