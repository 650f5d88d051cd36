/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page tables: 4 KiB granule, 39-bit addresses, so the walk starts at level 1 (Arm ARM D8.2, D8.3).
 */
#include "qemu-plugin/baremetal/bare.h"

#define GIB (UINT64_C(1) << 30)
#define RAM_BASE (1 * GIB)
#define RAM_BYTES (3 * GIB) /* as far as QEMU has it: -m */
#define ALIAS_BASE (4 * GIB)
#define DEVICE_HIGH 256u /* entry of 0x4000000000: PCI configuration space of -M virt */

/* Descriptors: valid, table or block, attribute index, inner shareable, accessed, no execute at
 * EL0. */
#define TABLE(address) ((uint64_t)(uintptr_t)(address) | 3)
#define BLOCK(address, memory) ((address) | (uint64_t)(memory) << 2 | 3 << 8 | 1 << 10 | 1)
#define PAGE(address, memory) (BLOCK(address, memory) | 2)

/* MAIR_EL1: Device-nGnRE, Normal non-cacheable, Normal write-back; in the order of enum memory. */
#define MAIR (UINT64_C(0x04) << 0 | UINT64_C(0x44) << 8 | UINT64_C(0xff) << 16)
/* TCR_EL1: T0SZ 25, walks write-back inner shareable, 4 KiB, no TTBR1, 40-bit physical addresses.
 */
#define TCR (UINT64_C(25) | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | UINT64_C(2) << 32)
#define SCTLR_M_C_I (1u << 0 | 1u << 2 | 1u << 12)

extern char heap_start[];

static uint64_t level1[512] __attribute__((aligned(4096)));
static uint64_t alias_level2[512] __attribute__((aligned(4096)));
static uint64_t alias_level3[8][512] __attribute__((aligned(4096)));
static char *heap;
static size_t aliased;

void mmu_on(void)
{
    uint64_t sctlr;

    level1[0] = BLOCK(0, MEMORY_DEVICE);
    for (uint64_t at = RAM_BASE; at < RAM_BASE + RAM_BYTES; at += GIB) {
        level1[at / GIB] = BLOCK(at, MEMORY_WRITE_BACK);
    }
    level1[ALIAS_BASE / GIB] = TABLE(alias_level2);
    level1[DEVICE_HIGH] = BLOCK(DEVICE_HIGH * GIB, MEMORY_DEVICE);
    for (unsigned i = 0; i < 8; i++) {
        alias_level2[i] = TABLE(alias_level3[i]);
    }
    heap = heap ? heap : heap_start; /* further CPUs come here, too */
    __asm__ volatile("dsb sy\n\t"
                     "msr mair_el1, %0\n\t"
                     "msr tcr_el1, %1\n\t"
                     "msr ttbr0_el1, %2\n\t"
                     "isb\n\t"
                     "tlbi vmalle1\n\t"
                     "dsb sy\n\t"
                     "isb" ::"r"(MAIR),
                     "r"(TCR), "r"(level1)
                     : "memory");
    __asm__ volatile("mrs %0, sctlr_el1" : "=r"(sctlr));
    __asm__ volatile("msr sctlr_el1, %0\n\tisb" ::"r"(sctlr | SCTLR_M_C_I) : "memory");
}

void *pages_new(size_t pages)
{
    char *p = heap;

    heap += pages * PAGE_BYTES;
    if ((uintptr_t)heap > RAM_BASE + RAM_BYTES) {
        print("no more memory\n");
        bare_exit(3);
    }
    memset(p, 0, pages * PAGE_BYTES);
    return p;
}

void *pages_alias(void *pages, size_t count, enum memory memory)
{
    uint64_t va = ALIAS_BASE + aliased * PAGE_BYTES;

    if (aliased + count > sizeof(alias_level3) / sizeof(uint64_t)) {
        print("no more aliases\n");
        bare_exit(3);
    }
    for (size_t i = 0; i < count; i++, aliased++) {
        alias_level3[aliased / 512][aliased % 512] =
            PAGE((uintptr_t)pages + i * PAGE_BYTES, memory);
    }
    __asm__ volatile("dsb sy\n\ttlbi vmalle1\n\tdsb sy\n\tisb" ::: "memory");
    return (void *)va;
}
