/* SPDX-License-Identifier: MIT */
/* A kernel around one row of PTX: the registers that the row names get inputs of every thread, the
 * row runs, and what they hold then is stored. Shared by the program that asks a real GPU
 * (golden/ptx_rows_oracle.c) and the test that compares (test_ptx_rows.c); needs the C library
 * alone.
 *
 * Registers are a letter and a digit: r .b32, u .u32, s .s32, x .f16x2, h .b16, y .f16, f .f32,
 * g .f64, d .b64, l .u64, p .pred. d0 and d8 are the thread's 64 bytes of global memory, r8 its 64
 * bytes of shared memory; both are stored when the row accesses memory. */
#ifndef TESTS_PTX_ROWS_H
#define TESTS_PTX_ROWS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_THREADS 64u
#define ROWS_BYTES 512u /* of a thread: 64 scratch, then what it stores */
#define ROWS_INPUT (ROWS_THREADS * ROWS_BYTES)
#define ROWS_INPUT_BYTES 1024u /* of a thread: 11 letters, 9 registers, 8 bytes each */
#define ROWS_ALL (ROWS_INPUT + ROWS_THREADS * ROWS_INPUT_BYTES)

static const char rows_letters[] = "rusxhyfgdlp";

struct rows_text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static inline void rows_put(struct rows_text *t,
                                                                  const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->left) {
        abort();
    }
    t->at += n;
    t->left -= (size_t)n;
}

static inline int rows_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '%' || c == '$';
}

/* Does the row name register @letter @digit? A part or component (r1.b0) does. */
static inline int rows_names(const char *row, char letter, unsigned digit)
{
    for (const char *c = row; (c = strchr(c, letter)) != NULL; c++) {
        if ((c == row || !rows_is_word(c[-1])) && c[1] == (char)('0' + digit) &&
            (c[2] == '.' || !rows_is_word(c[2]))) {
            return 1;
        }
    }
    return 0;
}

static inline const char *rows_type(char letter)
{
    return letter == 'g'                                     ? "f64"
           : letter == 'd' || letter == 'l'                  ? "b64"
           : letter == 'f'                                   ? "f32"
           : letter == 'h' || letter == 'y' || letter == 'p' ? "b16"
                                                             : "b32";
}

static inline int rows_is_address(char letter, unsigned digit)
{
    return (letter == 'd' && (digit == 0 || digit == 8)) || (letter == 'r' && digit == 8);
}

/* Loads (@store 0) or stores all registers that the row names. Return: bytes stored */
static inline unsigned rows_registers(struct rows_text *t, const char *row, int store)
{
    unsigned at = 64;

    for (unsigned i = 0; rows_letters[i]; i++) {
        for (unsigned k = 0; k < 9; k++) {
            const char c = rows_letters[i];

            if (!rows_names(row, c, k) || rows_is_address(c, k)) {
                continue;
            }
            if (store && c == 'p') {
                rows_put(t, "selp.b16 %%th,1,0,p%u; st.global.b16 [%%out+%u],%%th;\n", k, at);
            } else if (store) {
                rows_put(t, "st.global.%s [%%out+%u],%c%u;\n", rows_type(c), at, c, k);
            } else if (c == 'p') {
                rows_put(t, "ld.global.b16 %%th,[%%in+%u]; setp.ne.b16 p%u,%%th,0;\n",
                         (i * 9 + k) * 8, k);
            } else {
                rows_put(t, "ld.global.%s %c%u,[%%in+%u];\n", rows_type(c), c, k, (i * 9 + k) * 8);
            }
            at += 8;
        }
    }
    return at - 64;
}

/* The kernel's text; its one parameter is the address of ROWS_ALL bytes. */
static inline void rows_ptx(const char *target, const char *version, const char *decls,
                            const char *row, char *out, size_t size)
{
    struct rows_text t = { out, size };
    int shared = strstr(row, "[r8") != NULL;

    rows_put(&t, ".version %s\n.target %s\n.address_size 64\n", version, target);
    rows_put(&t, ".shared .align 16 .b8 rows_sh[%u];\n", ROWS_THREADS * 64);
    rows_put(&t, ".visible .entry k(.param .u64 o)\n{\n%s\n", decls);
    rows_put(&t,
             ".reg .b64 %%in,%%out,%%td; .reg .b32 %%t; .reg .b16 %%th;\n"
             "ld.param.u64 %%out,[o]; cvta.to.global.u64 %%out,%%out; mov.u32 %%t,%%tid.x;\n"
             "mul.wide.u32 %%in,%%t,%u; add.u64 %%in,%%in,%%out; add.u64 %%in,%%in,%u;\n"
             "mul.wide.u32 %%td,%%t,%u; add.u64 %%out,%%out,%%td; mov.u64 d0,%%out; "
             "mov.u64 d8,%%out;\n"
             "mul.lo.u32 %%t,%%t,64; mov.u32 r8,rows_sh; add.u32 r8,r8,%%t;\n",
             ROWS_INPUT_BYTES, ROWS_INPUT, ROWS_BYTES);
    for (unsigned i = 0; shared && i < 16; i++) {
        rows_put(&t, "ld.global.u32 %%t,[%%out+%u]; st.shared.u32 [r8+%u],%%t;\n", 4 * i, 4 * i);
    }
    rows_registers(&t, row, 0);
    rows_put(&t, "bar.sync 0;\n%s\nbar.sync 0;\n", row);
    for (unsigned i = 0; shared && i < 16; i++) {
        rows_put(&t, "ld.shared.u32 %%t,[r8+%u]; st.global.u32 [%%out+%u],%%t;\n", 4 * i, 4 * i);
    }
    rows_registers(&t, row, 1);
    rows_put(&t, "ret;\n}\n");
}

static inline uint32_t rows_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 ^ *state << 11;
}

static inline uint16_t rows_half(uint32_t *state)
{
    static const uint16_t special[] = { 0x0000, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff,
                                        0x7c00, 0xfc00, 0x7fff, 0x7e00, 0xffff, 0x0001,
                                        0x83ff, 0x3f80, 0x4248, 0x3555, 0x4000, 0x7f80 };
    const uint32_t n = rows_random(state);

    return n % 3 ? (uint16_t)(n >> 7) : special[(n >> 8) % 18];
}

static inline uint32_t rows_single(uint32_t *state)
{
    static const uint32_t special[] = { 0x00000000, 0x80000000, 0x3f800000, 0xbf800000,
                                        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                        0x7fffffff, 0x7fc00000, 0x00000001, 0x807fffff,
                                        0x3f7fffff, 0x43e00000, 0x477fe000, 0x3a800000 };
    const uint32_t n = rows_random(state), m = rows_random(state);

    /* most of them near 1, where conversions to small types and products differ */
    return n % 4 == 0 ? special[(n >> 8) % 16] : n % 4 == 1 ? m : (m & 0x8fffffff) | 0x38000000;
}

static inline uint64_t rows_value(char letter, uint32_t *state)
{
    const uint64_t two = (uint64_t)rows_half(state) << 16 | rows_half(state);

    switch (letter) {
    case 'f':
        return rows_single(state);
    case 'g':
        return (uint64_t)(0x3fe00000u + (rows_random(state) & 0x8030ffff)) << 32 |
               rows_random(state);
    case 'd':
    case 'l':
        return (uint64_t)rows_single(state) << 32 | rows_single(state);
    case 'p':
        return rows_random(state) & 1;
    case 's':
        return rows_random(state) % 3 ? rows_random(state)
                                      : (uint32_t)(rows_random(state) % 1200) - 600;
    default:
        return two;
    }
}

/* Scratch and inputs of all threads, as they lie in the buffer */
static inline void rows_fill(uint8_t *buffer)
{
    uint32_t state = 1;

    memset(buffer, 0, ROWS_ALL);
    for (unsigned t = 0; t < ROWS_THREADS; t++) {
        for (unsigned i = 0; i < 32; i++) {
            uint16_t h = rows_half(&state);

            memcpy(buffer + (size_t)t * ROWS_BYTES + 2 * i, &h, 2);
        }
        for (unsigned i = 0; i < 11 * 9; i++) {
            uint64_t v = rows_value(rows_letters[i / 9], &state);

            memcpy(buffer + ROWS_INPUT + (size_t)t * ROWS_INPUT_BYTES + 8 * i, &v, 8);
        }
    }
}

/* FNV-1a of what all threads have stored */
static inline uint64_t rows_hash(const uint8_t *buffer)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < ROWS_INPUT; i++) {
        hash = (hash ^ buffer[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
