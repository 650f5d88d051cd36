/* SPDX-License-Identifier: MIT */
/* Instructions with masks and with an index a lane, executed on closed memory: the bytes that
 * carry_pieces() finds in the signal's frame are those that the lanes' definition names (Intel SDM
 * volume 2: VGATHER..., VSCATTER..., VMASKMOV, EVEX masks, VCOMPRESS, VEXPAND), computed here from
 * the same indices and masks. */
#include "runtime/observe/carry.h"

#include <check.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__

#include <immintrin.h>

#define ARENA 16384
#define MIDDLE 8192
#define ROUNDS 200u
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

static uint8_t *arena;
static struct carry carry;
static struct carry_piece piece[CARRY_PIECES];
static unsigned pieces, faults;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    if (!faults++) {
        carry_look(context, &carry);
        pieces = carry_pieces(&carry, context, piece);
    }
    if (faults > 1 || mprotect(arena, ARENA, PROT_READ | PROT_WRITE) != 0) {
        _Exit(3);
    }
}

/* --- what is executed --- */

/* By lane */
struct input {
    uint8_t *base;
    int32_t index4[16];
    int64_t index8[8];
    uint64_t mask;
};

AVX2 static __m256i signs4(uint64_t mask)
{
    int32_t v[8];

    for (unsigned i = 0; i < 8; i++) {
        v[i] = mask >> i & 1 ? INT32_MIN : INT32_MAX;
    }
    return _mm256_loadu_si256((const __m256i *)(const void *)v);
}

AVX2 static __m256i signs8(uint64_t mask)
{
    int64_t v[4];

    for (unsigned i = 0; i < 4; i++) {
        v[i] = mask >> i & 1 ? INT64_MIN : INT64_MAX;
    }
    return _mm256_loadu_si256((const __m256i *)(const void *)v);
}

#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define LOAD128(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define LOAD512(p) _mm512_loadu_si512(p)
#define KEEP(value)                          \
    do {                                     \
        __typeof__(value) kept_ = (value);   \
        __asm__ volatile("" : : "x"(kept_)); \
    } while (0)
#define KEEP512(value)                       \
    do {                                     \
        __m512i kept_ = (value);             \
        __asm__ volatile("" : : "v"(kept_)); \
    } while (0)

AVX2 static void gather2_4of4(const struct input *in)
{
    KEEP(_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(const void *)in->base,
                                     LOAD256(in->index4), signs4(in->mask), 4));
}
AVX2 static void gather2_8of4(const struct input *in)
{
    KEEP(_mm256_mask_i32gather_epi64(_mm256_setzero_si256(),
                                     (const long long *)(const void *)in->base, LOAD128(in->index4),
                                     signs8(in->mask), 2));
}
AVX2 static void gather2_4of8(const struct input *in)
{
    KEEP(_mm256_mask_i64gather_epi32(_mm_setzero_si128(), (const int *)(const void *)in->base,
                                     LOAD256(in->index8), _mm256_castsi256_si128(signs4(in->mask)),
                                     1));
}
AVX2 static void gather2_double(const struct input *in)
{
    KEEP(_mm256_mask_i64gather_pd(_mm256_setzero_pd(), (const double *)(const void *)in->base,
                                  LOAD256(in->index8), _mm256_castsi256_pd(signs8(in->mask)), 1));
}
AVX2 static void load2_4(const struct input *in)
{
    KEEP(_mm256_maskload_epi32((const int *)(const void *)in->base, signs4(in->mask)));
}
AVX2 static void store2_8(const struct input *in)
{
    _mm256_maskstore_epi64((long long *)(void *)in->base, signs8(in->mask), _mm256_setzero_si256());
}
AVX2 static void load2_float(const struct input *in)
{
    KEEP(_mm_maskload_ps((const float *)(const void *)in->base,
                         _mm256_castsi256_si128(signs4(in->mask))));
}
AVX512 static void gather5_4of4(const struct input *in)
{
    KEEP512(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)in->mask,
                                        LOAD512(in->index4), in->base, 4));
}
/* With the registers that only EVEX has */
AVX512 static void gather5_high(const struct input *in)
{
    __asm__ volatile("kmovw %2, %%k3\n"
                     "vmovdqu32 %1, %%zmm20\n"
                     "vpgatherdd 64(%0,%%zmm20,4), %%zmm22%{%%k3%}\n"
                     :
                     : "r"(in->base - 64), "m"(in->index4), "r"((uint32_t)in->mask)
                     : "xmm20", "xmm22", "k3", "memory");
}
AVX512 static void gather5_4of8(const struct input *in)
{
    KEEP(_mm512_mask_i64gather_epi32(_mm256_setzero_si256(), (__mmask8)in->mask,
                                     LOAD512(in->index8), in->base, 1));
}
AVX512 static void gather5_8of4(const struct input *in)
{
    KEEP512(_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), (__mmask8)in->mask,
                                        LOAD256(in->index4), in->base, 8));
}
AVX512 static void scatter_4of4(const struct input *in)
{
    _mm512_mask_i32scatter_epi32(in->base, (__mmask16)in->mask, LOAD512(in->index4),
                                 _mm512_setzero_si512(), 4);
}
AVX512 static void scatter_8of8(const struct input *in)
{
    _mm512_mask_i64scatter_epi64(in->base, (__mmask8)in->mask, LOAD512(in->index8),
                                 _mm512_setzero_si512(), 1);
}
AVX512 static void store5_1(const struct input *in)
{
    _mm512_mask_storeu_epi8(in->base, in->mask, _mm512_setzero_si512());
}
AVX512 static void load5_2(const struct input *in)
{
    KEEP(_mm256_maskz_loadu_epi16((__mmask16)in->mask, in->base));
}
AVX512 static void store5_4(const struct input *in)
{
    _mm512_mask_storeu_epi32(in->base, (__mmask16)in->mask, _mm512_setzero_si512());
}
AVX512 static void load5_8(const struct input *in)
{
    KEEP512(_mm512_maskz_loadu_epi64((__mmask8)in->mask, in->base));
}
AVX512 static void compress_4(const struct input *in)
{
    _mm512_mask_compressstoreu_epi32(in->base, (__mmask16)in->mask, _mm512_setzero_si512());
}
AVX512 static void expand_8(const struct input *in)
{
    KEEP512(_mm512_maskz_expandloadu_epi64((__mmask8)in->mask, in->base));
}

enum way { IN_A_ROW, PACKED, INDEX4, INDEX8 };

static const struct {
    const char *name;
    void (*run)(const struct input *in);
    bool avx512, store;
    enum way way;
    unsigned lanes, bytes, scale;
} cases[] = {
    { "vpgatherdd", gather2_4of4, false, false, INDEX4, 8, 4, 4 },
    { "vpgatherdq", gather2_8of4, false, false, INDEX4, 4, 8, 2 },
    { "vpgatherqd", gather2_4of8, false, false, INDEX8, 4, 4, 1 },
    { "vgatherqpd", gather2_double, false, false, INDEX8, 4, 8, 1 },
    { "vpmaskmovd", load2_4, false, false, IN_A_ROW, 8, 4, 0 },
    { "vpmaskmovq", store2_8, false, true, IN_A_ROW, 4, 8, 0 },
    { "vmaskmovps", load2_float, false, false, IN_A_ROW, 4, 4, 0 },
    { "vpgatherdd zmm", gather5_4of4, true, false, INDEX4, 16, 4, 4 },
    { "vpgatherdd zmm22", gather5_high, true, false, INDEX4, 16, 4, 4 },
    { "vpgatherqd zmm", gather5_4of8, true, false, INDEX8, 8, 4, 1 },
    { "vpgatherdq zmm", gather5_8of4, true, false, INDEX4, 8, 8, 8 },
    { "vpscatterdd", scatter_4of4, true, true, INDEX4, 16, 4, 4 },
    { "vpscatterqq", scatter_8of8, true, true, INDEX8, 8, 8, 1 },
    { "vmovdqu8 store", store5_1, true, true, IN_A_ROW, 64, 1, 0 },
    { "vmovdqu16", load5_2, true, false, IN_A_ROW, 16, 2, 0 },
    { "vmovdqu32 store", store5_4, true, true, IN_A_ROW, 16, 4, 0 },
    { "vmovdqu64", load5_8, true, false, IN_A_ROW, 8, 8, 0 },
    { "vpcompressd", compress_4, true, true, PACKED, 16, 4, 0 },
    { "vpexpandq", expand_8, true, false, PACKED, 8, 8, 0 },
};

/* --- what it touches --- */

static void touched_by_definition(unsigned n, const struct input *in, uint8_t *touched)
{
    unsigned passed = 0;

    for (unsigned lane = 0; lane < cases[n].lanes; lane++) {
        int64_t at = in->base - arena;

        if (!(in->mask >> lane & 1)) {
            continue;
        }
        switch (cases[n].way) {
        case IN_A_ROW:
            at += lane * cases[n].bytes;
            break;
        case PACKED:
            at += passed * cases[n].bytes;
            break;
        case INDEX4:
            at += (int64_t)in->index4[lane] * cases[n].scale;
            break;
        case INDEX8:
            at += in->index8[lane] * cases[n].scale;
            break;
        }
        passed++;
        memset(touched + at, 1, cases[n].bytes);
    }
}

static void input_draw(GRand *r, unsigned round, struct input *in)
{
    in->base = arena + MIDDLE + g_rand_int_range(r, -64, 64);
    for (unsigned i = 0; i < 16; i++) {
        in->index4[i] = g_rand_int_range(r, -900, 900);
    }
    for (unsigned i = 0; i < 8; i++) {
        in->index8[i] = g_rand_int_range(r, -7000, 7000);
    }
    in->mask = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);
    if (round % 4 == 0) {
        in->mask = ~UINT64_C(0);
    } else if (round % 4 == 1) {
        in->mask = UINT64_C(1) << g_rand_int_range(r, 0, 8);
    } else if (round % 8 == 2) {
        in->mask = 0;
    }
}

START_TEST(masks_and_indices)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, old;
    GRand *r = g_rand_new_with_seed((guint32)_i);
    uint8_t wanted[ARENA], got[ARENA];

    if (!carry_open()) {
        printf("SKIP: no libZydis\n");
        return;
    }
    if (!__builtin_cpu_supports("avx2") ||
        (cases[_i].avx512 &&
         !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl")))) {
        printf("SKIP: %s: this processor has it not\n", cases[_i].name);
        return;
    }
    arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(arena, MAP_FAILED);
    ck_assert_int_eq(sigaction(SIGSEGV, &action, &old), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct input in;

        input_draw(r, round, &in);
        memset(wanted, 0, sizeof(wanted));
        memset(got, 0, sizeof(got));
        touched_by_definition((unsigned)_i, &in, wanted);
        faults = pieces = 0;
        ck_assert_int_eq(mprotect(arena, ARENA, PROT_NONE), 0);
        cases[_i].run(&in);
        for (unsigned i = 0; i < pieces; i++) {
            ck_assert_uint_ge(piece[i].at, (uintptr_t)arena);
            ck_assert_uint_le(piece[i].at + piece[i].len, (uintptr_t)arena + ARENA);
            memset(got + (piece[i].at - (uintptr_t)arena), 1, piece[i].len);
        }
        ck_assert_msg(memcmp(wanted, got, ARENA) == 0, "%s: round %u", cases[_i].name, round);
        if (faults) {
            ck_assert(!carry.exact);
            ck_assert_int_eq(carry.store, cases[_i].store);
            ck_assert_int_eq(carry.load, !cases[_i].store);
        }
    }
    sigaction(SIGSEGV, &old, NULL);
    munmap(arena, ARENA);
    g_rand_free(r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("carry_lanes");
    TCase *tc = tcase_create("carry_lanes");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(tc, masks_and_indices, 0, G_N_ELEMENTS(cases));
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

int main(void)
{
    printf("SKIP: the instructions are x86-64's\n");
    return 77;
}

#endif
