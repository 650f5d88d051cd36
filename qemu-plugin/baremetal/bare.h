/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small library for programs that run on -M virt without an operating system: the CPU's side.
 * The device's side is vtegra.h. */
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 64u
#define PAGE_BYTES 4096u

/* --- start, end, printing --- */

/* The program. Its result is QEMU's exit status (semihosting). */
int main(void);
_Noreturn void bare_exit(int status);

/* %d %u %x %lu %lx %llx %p %s %c, widths and zero padding */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *memset(void *dst, int c, size_t n);
void *memcpy(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

/* Starts CPU @index (1, 2, ...; PSCI) at @function, which must not return before the program ends.
 */
void cpu_start(unsigned index, void (*function)(void));

/* --- memory --- */

/* Index into MAIR_EL1 as mmu_on() sets it. */
enum memory { MEMORY_DEVICE, MEMORY_NON_CACHEABLE, MEMORY_WRITE_BACK };

/* Identity: RAM write-back, everything below it and the PCI configuration space Device-nGnRE. */
void mmu_on(void);

/* Zeroed pages of RAM, mapped write-back at their physical address. Never freed. */
void *pages_new(size_t pages);

/* A second mapping of such pages, at an address of its own. */
void *pages_alias(void *pages, size_t count, enum memory memory);

/* --- caches (Arm ARM D7.5.9: by address, to the point of coherency) --- */

static inline void barrier(void)
{
    __asm__ volatile("dsb sy" ::: "memory");
}

/* In this header, so that a report names the line that calls them. */
#define CACHE_FOR_LINES(op, p, bytes)                                  \
    for (uintptr_t at = (uintptr_t)(p) & ~(uintptr_t)(LINE_BYTES - 1); \
         at < (uintptr_t)(p) + (bytes); at += LINE_BYTES) {            \
        __asm__ volatile(op ", %0" ::"r"(at) : "memory");              \
    }                                                                  \
    barrier()

static inline void cache_clean(const void *p, size_t bytes)
{
    CACHE_FOR_LINES("dc cvac", p, bytes);
}

static inline void cache_invalidate(void *p, size_t bytes)
{
    CACHE_FOR_LINES("dc ivac", p, bytes);
}

static inline void cache_clean_invalidate(const void *p, size_t bytes)
{
    CACHE_FOR_LINES("dc civac", p, bytes);
}

/* --- one access, exactly as wide as it says --- */

static inline uint32_t load32(const volatile void *p)
{
    uint32_t v;

    __asm__ volatile("ldr %w0, [%1]" : "=r"(v) : "r"(p) : "memory");
    return v;
}

static inline void store32(volatile void *p, uint32_t v)
{
    __asm__ volatile("str %w0, [%1]" ::"r"(v), "r"(p) : "memory");
}

/* Adds with ldxr/stxr. Return: the former value. */
static inline uint32_t exclusive_add(volatile uint32_t *p, uint32_t add)
{
    uint32_t old, next, failed;

    do {
        __asm__ volatile("ldxr %w0, [%1]" : "=r"(old) : "r"(p) : "memory");
        next = old + add;
        __asm__ volatile("stxr %w0, %w1, [%2]" : "=&r"(failed) : "r"(next), "r"(p) : "memory");
    } while (failed);
    return old;
}

static inline uint64_t clock_ticks(void)
{
    uint64_t v;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(v));
    return v;
}

static inline uint64_t clock_hz(void)
{
    uint64_t v;

    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(v));
    return v;
}

#endif
