/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start, end, printing, memory functions. */
#include "qemu-plugin/baremetal/bare.h"

#include <stdarg.h>

#define UART 0x09000000u /* PL011 of -M virt: data register first, flags at 0x18 */

void bare_main(void);
void secondary_start(void);
void bare_exception(uint64_t esr, uint64_t elr, uint64_t far);

void bare_exit(int status)
{
    /* Semihosting SYS_EXIT_EXTENDED: reason ADP_Stopped_ApplicationExit, then the status. */
    uint64_t block[2] = { 0x20026, (uint64_t)status };

    print("vtegra: exit %d\n",
          status); /* before x0 and x1 are in use; libvirt does not report QEMU's own */
    register uint64_t x0 __asm__("x0") = 0x20;
    register uint64_t *x1 __asm__("x1") = block;

    __asm__ volatile("hlt #0xf000" ::"r"(x0), "r"(x1) : "memory");
    for (;;) {
    }
}

void bare_main(void)
{
    mmu_on();
    bare_exit(main());
}

void bare_exception(uint64_t esr, uint64_t elr, uint64_t far)
{
    print("exception: ESR 0x%lx at 0x%lx, address 0x%lx\n", esr, elr, far);
    bare_exit(3);
}

/* CPU_ON, 64 bits: Arm PSCI (DEN0022) 5.4. Nothing may come between the registers and the call. */
static void bare_psci(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = a;
    register uint64_t x2 __asm__("x2") = b;
    register uint64_t x3 __asm__("x3") = c;

    __asm__ volatile("hvc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
    if (x0 != 0) {
        print("CPU %lu did not start: %d\n", a, (int)x0);
        bare_exit(3);
    }
}

void cpu_start(unsigned index, void (*function)(void))
{
    static struct {
        uint64_t stack;
        void (*function)(void);
    } block[8];
    block[index % 8].stack = (uintptr_t)pages_new(1) + PAGE_BYTES;
    block[index % 8].function = function;
    cache_clean(block, sizeof(block)); /* it begins with its caches off */
    bare_psci(0xc4000003, index, (uintptr_t)secondary_start, (uintptr_t)&block[index % 8]);
}

/* --- printing --- */

static void bare_put(char c)
{
    store32((volatile void *)(uintptr_t)UART, (unsigned char)c);
}

static void put_number(uint64_t v, unsigned base, int width, char pad)
{
    char digits[24];
    int n = 0;

    do {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    for (; width > n; width--) {
        bare_put(pad);
    }
    while (n) {
        bare_put(digits[--n]);
    }
}

static void put_text(const char *s)
{
    while (*s) {
        bare_put(*s++);
    }
}

void print(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    for (const char *p = format; *p; p++) {
        int width = 0, longs = 0;
        char pad = ' ';
        int64_t d;

        if (*p != '%') {
            bare_put(*p);
            continue;
        }
        pad = p[1] == '0' ? '0' : ' ';
        for (p++; *p >= '0' && *p <= '9'; p++) {
            width = width * 10 + (*p - '0');
        }
        for (; *p == 'l' || *p == 'z'; p++) {
            longs++;
        }
        switch (*p) {
        case 'd':
            d = longs ? va_arg(ap, int64_t) : va_arg(ap, int);
            if (d < 0) {
                bare_put('-');
            }
            put_number(d < 0 ? -(uint64_t)d : (uint64_t)d, 10, width, pad);
            break;
        case 'u':
            put_number(longs ? va_arg(ap, uint64_t) : va_arg(ap, unsigned), 10, width, pad);
            break;
        case 'x':
            put_number(longs ? va_arg(ap, uint64_t) : va_arg(ap, unsigned), 16, width, pad);
            break;
        case 'p':
            put_text("0x");
            put_number((uintptr_t)va_arg(ap, void *), 16, width, pad);
            break;
        case 's':
            put_text(va_arg(ap, const char *));
            break;
        case 'c':
            bare_put((char)va_arg(ap, int));
            break;
        default:
            bare_put(*p ? *p : '%');
            p -= *p == '\0';
        }
    }
    va_end(ap);
}

/* --- what the compiler may call --- */

void *memset(void *dst, int c, size_t n)
{
    uint8_t *d = dst;

    while (n--) {
        *d++ = (uint8_t)c;
    }
    return dst;
}

void *memcpy(void *dst, const void *src, size_t n)
{
    const uint8_t *s = src;
    uint8_t *d = dst;

    while (n--) {
        *d++ = *s++;
    }
    return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;

    for (; n; n--, x++, y++) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n]) {
        n++;
    }
    return n;
}
