/* SPDX-License-Identifier: MIT */
/* GMMU page tables in memory, format version 2 ("NV_MMU_VER2", Pascal and later).
 *
 * Source: NVIDIA open-gpu-doc, pascal/gp100-mmu-format, and dev_mmu.h of the open kernel modules.
 * Five levels over 49 bits of virtual address. Holds for TX2 (GP10B) to Orin (GA10B). The Nano's
 * GM20B has an older two-level format and Thor's GB10B version 3: the model uses version 2 for all
 * (inferred; no program can see the difference).
 *
 * level  entry  virtual address bits  entry bytes
 *  PDE3    2 *   48:47                  8
 *  PDE2  512     46:38                  8
 *  PDE1  512     37:29                  8
 *  PDE0  256     28:21                 16 (big-page half first, then the small-page half)
 *  PTE   512     20:12                  8 (4 KiB pages; the model uses no big pages)
 */
#ifndef MODEL_REGS_GMMU_H
#define MODEL_REGS_GMMU_H

#include <stdint.h>

#define GMMU_VA_BITS 49
#define GMMU_PAGE_SHIFT 12
#define GMMU_PDE3_SHIFT 47
#define GMMU_PDE2_SHIFT 38
#define GMMU_PDE1_SHIFT 29
#define GMMU_PDE0_SHIFT 21
#define GMMU_TABLE_BYTES 4096u /* every level fits one page */

/* PDE: aperture 2:1 (0 = invalid), volatile 3, address 53:8 in units of 4 KiB. */
#define GMMU_PDE_APERTURE_SYS_COHERENT (UINT64_C(2) << 1)
#define GMMU_PDE_APERTURE_MASK (UINT64_C(3) << 1)
#define GMMU_PDE_ADDRESS(e) (((e) >> 8 & ((UINT64_C(1) << 46) - 1)) << 12)
#define GMMU_PDE(address) (((address) >> 12 << 8) | GMMU_PDE_APERTURE_SYS_COHERENT)

/* PTE: valid 0, aperture 2:1, volatile 3 (1 = the L2 does not cache it), privilege 5, read-only 6,
 * atomic disable 7, address 53:8, kind 63:56. */
#define GMMU_PTE_VALID (UINT64_C(1) << 0)
#define GMMU_PTE_APERTURE_MASK (UINT64_C(3) << 1)
#define GMMU_PTE_APERTURE_VIDEO (UINT64_C(0) << 1)
#define GMMU_PTE_APERTURE_SYS_COHERENT (UINT64_C(2) << 1)
#define GMMU_PTE_APERTURE_SYS_NONCOHERENT (UINT64_C(3) << 1)
#define GMMU_PTE_VOL (UINT64_C(1) << 3)
/* Not valid, but volatile: sparse, "backed by nothing". The model gives such a page bytes of its
 * own while its block of 2 MiB, which is one table of PTEs, has a valid one: a board maps device
 * memory 2 MiB at a time, so an access beside an allocation reaches memory there (measured:
 * tests/golden/gen/oob_codes.txt). */
#define GMMU_PTE_SPARSE GMMU_PTE_VOL
#define GMMU_PTE_READ_ONLY (UINT64_C(1) << 6)
#define GMMU_PTE_ATOMIC_DISABLE (UINT64_C(1) << 7)
#define GMMU_PTE_ADDRESS(e) (((e) >> 8 & ((UINT64_C(1) << 46) - 1)) << 12)
#define GMMU_PTE(address) (((address) >> 12 << 8) | GMMU_PTE_VALID)

#endif
