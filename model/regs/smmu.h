/* SPDX-License-Identifier: MIT */
/* Descriptors of the AArch64 translation tables with a 4 KiB granule, as the SMMU walks them.
 * Source: Arm ARM (DDI 0487), D8.3 "Translation table descriptor formats"; IHI 0062D, chapter 2. */
#ifndef MODEL_REGS_SMMU_H
#define MODEL_REGS_SMMU_H

#include <stdint.h>

#define SMMU_PAGE 4096u
#define SMMU_PAGE_SHIFT 12
#define SMMU_TABLE_ENTRIES 512u

/* The lowest address bit that level @l (0..3) resolves. */
#define SMMU_LEVEL_SHIFT(l) (12 + 9 * (3 - (l)))

#define SMMU_PTE_VALID (UINT64_C(1) << 0)
#define SMMU_PTE_TABLE (UINT64_C(1) << 1) /* level 3: a page; else 0 = a block */
#define SMMU_PTE_AP_UNPRIVILEGED (UINT64_C(1) << 6)
#define SMMU_PTE_AP_READ_ONLY (UINT64_C(1) << 7)
#define SMMU_PTE_AF (UINT64_C(1) << 10)
#define SMMU_PTE_NG (UINT64_C(1) << 11) /* belongs to one ASID */
#define SMMU_PTE_ADDRESS_MASK UINT64_C(0xfffffffff000)
#define SMMU_TABLE_AP_UNPRIVILEGED_NONE (UINT64_C(1) << 61) /* APTable: what a table takes away */
#define SMMU_TABLE_AP_READ_ONLY (UINT64_C(1) << 62)

#endif
