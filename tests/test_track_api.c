/* SPDX-License-Identifier: MIT */
/* The compilers' interface, called by hand: what each hook tells, and what each atomic does. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/track/track_internal.h"

__extension__ typedef unsigned __int128 u128;

static _Alignas(64) unsigned char pages[3 * 4096], elsewhere[64];
static unsigned char *const memory = pages + 4096;
#define BYTES 4096u

static struct {
    uintptr_t address;
    size_t len;
    enum vtegra_track_access access;
    uintptr_t pc;
} told[64];
static volatile unsigned count; /* gcc takes hooks for leaf functions */

static struct vtegra_track_book **home, *given; /* what a client sets */

static void listen(struct vtegra_track_book **book, const void *cpu, size_t len,
                   enum vtegra_track_access access, uintptr_t pc)
{
    home = book;
    if (given) {
        *book = given;
    }
    ck_assert_uint_lt(count, 64);
    told[count].address = (uintptr_t)cpu;
    told[count].len = len;
    told[count].access = access;
    told[count++].pc = pc;
}

static void setup(void)
{
    struct vtegra_track_client client = {
        .version = VTEGRA_TRACK_VERSION,
        .arena = { (uintptr_t)memory, BYTES },
        .access = listen,
    };

    memset(memory, 0, BYTES);
    count = 0;
    given = NULL;
    vtegra_track_attach(&client);
}

static void teardown(void)
{
    vtegra_track_attach(NULL);
}

static void assert_told(unsigned i, const void *address, size_t len,
                        enum vtegra_track_access access)
{
    ck_assert_uint_lt(i, count);
    ck_assert_uint_eq(told[i].address, (uintptr_t)address);
    ck_assert_uint_eq(told[i].len, len);
    ck_assert_int_eq(told[i].access, access);
}

#define PLAIN(n)                                                                            \
    void __tsan_read##n(void *), __tsan_write##n(void *), __tsan_unaligned_read##n(void *), \
        __tsan_unaligned_write##n(void *), __tsan_volatile_read##n(void *),                 \
        __tsan_volatile_write##n(void *), __tsan_unaligned_volatile_read##n(void *),        \
        __tsan_unaligned_volatile_write##n(void *), __tsan_read_write##n(void *),           \
        __tsan_unaligned_read_write##n(void *);
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define ROW(n)                                                                      \
    {                                                                               \
        n,                                                                          \
            { __tsan_read##n, __tsan_unaligned_read##n, __tsan_volatile_read##n,    \
              __tsan_unaligned_volatile_read##n },                                  \
            { __tsan_write##n, __tsan_unaligned_write##n, __tsan_volatile_write##n, \
              __tsan_unaligned_volatile_write##n },                                 \
        {                                                                           \
            __tsan_read_write##n, __tsan_unaligned_read_write##n                    \
        }                                                                           \
    }

static const struct {
    size_t len;
    void (*read[4])(void *), (*write[4])(void *), (*both[2])(void *);
} plain[] = { ROW(1), ROW(2), ROW(4), ROW(8), ROW(16) };

/* The third and fourth of each are of volatile places: flags, as a rule. */
START_TEST(plain_hooks_tell_size_direction_and_volatile)
{
    for (unsigned i = 0; i < 4; i++) {
        bool flag = i >= 2;

        count = 0;
        plain[_i].read[i](memory + 17);
        plain[_i].write[i](memory + 33);
        ck_assert_uint_eq(count, 2);
        assert_told(0, memory + 17, plain[_i].len,
                    flag ? VTEGRA_TRACK_LOAD_SYNC : VTEGRA_TRACK_LOAD);
        assert_told(1, memory + 33, plain[_i].len,
                    flag ? VTEGRA_TRACK_STORE_SYNC : VTEGRA_TRACK_STORE);
    }
    for (unsigned i = 0; i < 2; i++) {
        count = 0;
        plain[_i].both[i](memory);
        ck_assert_uint_eq(count, 2);
        assert_told(0, memory, plain[_i].len, VTEGRA_TRACK_LOAD);
        assert_told(1, memory, plain[_i].len, VTEGRA_TRACK_STORE);
    }
}
END_TEST

START_TEST(first_and_last_byte_are_inside_and_their_neighbours_outside)
{
    __tsan_read1(memory);
    __tsan_read1(memory + BYTES - 1);
    ck_assert_uint_eq(count, 2);
    __tsan_read1(memory - 1);
    __tsan_read1(memory + BYTES);
    __tsan_write8(elsewhere);
    ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(pc_is_in_the_calling_function)
{
    uintptr_t here = (uintptr_t)pc_is_in_the_calling_function_fn;

    __tsan_read4(memory);
    ck_assert_uint_gt(told[0].pc, here);
    ck_assert_uint_lt(told[0].pc, here + 256);
}
END_TEST

START_TEST(nobody_listens_after_detaching)
{
    vtegra_track_attach(NULL);
    __tsan_read4(memory);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(client_of_another_version_is_refused)
{
    struct vtegra_track_client client = { .version = VTEGRA_TRACK_VERSION + 1,
                                          .arena = { (uintptr_t)memory, BYTES },
                                          .access = listen };

    vtegra_track_attach(&client);
    __tsan_read4(memory);
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* A range may begin before the arena, end behind it, or lie within it. */
START_TEST(all_registered_ranges_are_told)
{
    struct vtegra_track_range range[] = { { (uintptr_t)memory + 64, 16 },
                                          { (uintptr_t)memory + 1040, 16 },
                                          { (uintptr_t)memory + 3072, 16 } };
    struct vtegra_track_ranges ranges = { .copy[0] = { .count = 3, .range = range } };
    struct vtegra_track_client client = {
        .version = VTEGRA_TRACK_VERSION,
        .arena = { (uintptr_t)memory + 1024, 1024 },
        .ranges = &ranges,
        .access = listen,
    };

    vtegra_track_attach(&client);
    __tsan_read4(memory + 64);
    __tsan_read4(memory + 2044);
    __tsan_read4(memory + 3072);
    ck_assert_uint_eq(count, 3);
}
END_TEST

/* Two ranges around a gap: what lies between them is not told. */
START_TEST(registered_ranges_are_told_and_gaps_are_not)
{
    struct vtegra_track_range range[] = { { (uintptr_t)memory, 16 },
                                          { (uintptr_t)memory + 2048, 16 } };
    struct vtegra_track_ranges ranges = { .copy[0] = { .count = 2, .range = range } };
    struct vtegra_track_client client = {
        .version = VTEGRA_TRACK_VERSION,
        .arena = { (uintptr_t)memory + 1024, 16 },
        .ranges = &ranges,
        .access = listen,
    };

    vtegra_track_attach(&client);
    __tsan_read4(memory + 4);
    __tsan_read4(memory + 1024);
    __tsan_read4(memory + 2060);
    ck_assert_uint_eq(count, 3);
    __tsan_read4(memory + 512);
    __tsan_read4(memory + 2064);
    ck_assert_uint_eq(count, 3);
}
END_TEST

void __tsan_read_range(void *, unsigned long), __tsan_write_range(void *, unsigned long);
void *__tsan_memcpy(void *, const void *, size_t), *__tsan_memset(void *, int, size_t);
void *__tsan_memmove(void *, const void *, size_t), *__wrap_memcpy(void *, const void *, size_t);

START_TEST(ranges_are_cut_into_aligned_pieces_of_16)
{
    __tsan_read_range(memory + 10, 30); /* [10,16) [16,32) [32,40) */
    ck_assert_uint_eq(count, 3);
    assert_told(0, memory + 10, 6, VTEGRA_TRACK_LOAD);
    assert_told(1, memory + 16, 16, VTEGRA_TRACK_LOAD);
    assert_told(2, memory + 32, 8, VTEGRA_TRACK_LOAD);
    count = 0;
    __tsan_write_range(memory, 0);
    ck_assert_uint_eq(count, 0);
    __tsan_write_range(memory + BYTES - 8, 24); /* the part inside */
    ck_assert_uint_eq(count, 1);
    assert_told(0, memory + BYTES - 8, 8, VTEGRA_TRACK_STORE);
    count = 0;
    track_loads(memory + 8, 8, 1);
    track_stores(memory + 8, 8, 1);
    ck_assert_uint_eq(count, 2);
    assert_told(0, memory + 8, 8, VTEGRA_TRACK_LOAD);
    assert_told(1, memory + 8, 8, VTEGRA_TRACK_STORE);
    count = 0;
    __tsan_write_range(memory, ~0ul); /* wraps around: nonsense is not followed */
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(copies_tell_both_sides_and_copy)
{
    memcpy(elsewhere, "0123456789abcdef", 16);
    ck_assert_ptr_eq(__tsan_memcpy(memory, elsewhere, 16), memory);
    ck_assert_uint_eq(count, 1); /* the source is private */
    assert_told(0, memory, 16, VTEGRA_TRACK_STORE);
    ck_assert_ptr_eq(__tsan_memmove(memory + 8, memory, 16), memory + 8);
    ck_assert_mem_eq(memory, "012345670123456789abcdef", 24);
    ck_assert_uint_eq(count, 4); /* 16 loaded, [8,16) and [16,24) stored */
    assert_told(1, memory, 16, VTEGRA_TRACK_LOAD);
    ck_assert_ptr_eq(__tsan_memset(memory, 'x', 3), memory);
    ck_assert_mem_eq(memory, "xxx3", 4);
    assert_told(4, memory, 3, VTEGRA_TRACK_STORE);
    assert_told(2, memory + 8, 8, VTEGRA_TRACK_STORE);
    assert_told(3, memory + 16, 8, VTEGRA_TRACK_STORE);
    __wrap_memcpy(elsewhere, memory, 3);
    assert_told(5, memory, 3, VTEGRA_TRACK_LOAD);
}
END_TEST

/* Operand 6 on 12: expected results by hand. */
#define ATOMIC_TEST(bits, type)                                                                 \
    type __tsan_atomic##bits##_load(const volatile type *, int);                                \
    void __tsan_atomic##bits##_store(volatile type *, type, int);                               \
    type __tsan_atomic##bits##_exchange(volatile type *, type, int);                            \
    type __tsan_atomic##bits##_fetch_add(volatile type *, type, int);                           \
    type __tsan_atomic##bits##_fetch_sub(volatile type *, type, int);                           \
    type __tsan_atomic##bits##_fetch_and(volatile type *, type, int);                           \
    type __tsan_atomic##bits##_fetch_or(volatile type *, type, int);                            \
    type __tsan_atomic##bits##_fetch_xor(volatile type *, type, int);                           \
    type __tsan_atomic##bits##_fetch_nand(volatile type *, type, int);                          \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *, type *, type, int, int); \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *, type *, type, int, int);   \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *, type, type, int, int);     \
                                                                                                \
    static void assert_fetch_##bits(type (*fetch)(volatile type *, type, int), type after)      \
    {                                                                                           \
        volatile type *a = (volatile type *)(memory + 64);                                      \
                                                                                                \
        *a = 12;                                                                                \
        count = 0;                                                                              \
        ck_assert(fetch(a, 6, 5) == 12);                                                        \
        ck_assert(*a == after);                                                                 \
        ck_assert_uint_eq(count, 1);                                                            \
        assert_told(0, memory + 64, sizeof(type), VTEGRA_TRACK_ATOMIC);                         \
    }                                                                                           \
                                                                                                \
    static void assert_compare_##bits(int (*compare)(volatile type *, type *, type, int, int))  \
    {                                                                                           \
        volatile type *a = (volatile type *)(memory + 64);                                      \
        type expected = 11;                                                                     \
                                                                                                \
        *a = 12;                                                                                \
        ck_assert_int_eq(compare(a, &expected, 6, 5, 5), 0);                                    \
        ck_assert(expected == 12 && *a == 12);                                                  \
        ck_assert_int_eq(compare(a, &expected, 6, 5, 5), 1);                                    \
        ck_assert(*a == 6);                                                                     \
    }                                                                                           \
                                                                                                \
    START_TEST(atomics_of_##bits##_bits)                                                        \
    {                                                                                           \
        volatile type *a = (volatile type *)(memory + 64);                                      \
                                                                                                \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_add, 18);                               \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_sub, 6);                                \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_and, 4);                                \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_or, 14);                                \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_xor, 10);                               \
        assert_fetch_##bits(__tsan_atomic##bits##_fetch_nand, (type) ~(type)4);                 \
        assert_fetch_##bits(__tsan_atomic##bits##_exchange, 6);                                 \
        assert_compare_##bits(__tsan_atomic##bits##_compare_exchange_strong);                   \
        assert_compare_##bits(__tsan_atomic##bits##_compare_exchange_weak);                     \
        ck_assert(__tsan_atomic##bits##_compare_exchange_val(a, 6, 3, 5, 5) == 6 && *a == 3);   \
        ck_assert(__tsan_atomic##bits##_compare_exchange_val(a, 6, 9, 5, 5) == 3 && *a == 3);   \
        __tsan_atomic##bits##_store(a, 77, 5);                                                  \
        ck_assert(__tsan_atomic##bits##_load(a, 5) == 77);                                      \
    }                                                                                           \
    END_TEST

ATOMIC_TEST(8, uint8_t)
ATOMIC_TEST(16, uint16_t)
ATOMIC_TEST(32, uint32_t)
ATOMIC_TEST(64, uint64_t)
ATOMIC_TEST(128, u128)

/* An atomic load is an ordinary load of the memory system; a 128-bit one is an exclusive pair. */
START_TEST(only_read_modify_write_counts_as_atomic)
{
    __tsan_atomic32_load((volatile uint32_t *)memory, 5);
    __tsan_atomic64_store((volatile uint64_t *)memory, 1, 5);
    __tsan_atomic128_load((volatile u128 *)memory, 5);
    assert_told(0, memory, 4, VTEGRA_TRACK_LOAD_SYNC);
    assert_told(1, memory, 8, VTEGRA_TRACK_STORE_SYNC);
    assert_told(2, memory, 16, VTEGRA_TRACK_ATOMIC);
}
END_TEST

/* --- atomics of private memory ---------------------------------------------------------------- */

static struct {
    uintptr_t address;
    enum vtegra_track_order order;
    uint32_t value; /* what was there then */
} orders[8];
static volatile unsigned ordered;
static volatile uint32_t *const word = (volatile uint32_t *)elsewhere;

static void order(const void *address, enum vtegra_track_order order)
{
    ck_assert_uint_lt(ordered, 8);
    orders[ordered].address = (uintptr_t)address;
    orders[ordered].value = *word;
    orders[ordered++].order = order;
}

static void assert_orders(bool releases, uint32_t before, bool acquires, uint32_t after)
{
    unsigned i = 0;

    ck_assert_uint_eq(ordered, (unsigned)releases + (unsigned)acquires);
    if (releases) {
        ck_assert_int_eq(orders[i].order, VTEGRA_TRACK_RELEASE);
        ck_assert_uint_eq(orders[i++].value, before);
    }
    if (acquires) {
        ck_assert_int_eq(orders[i].order, VTEGRA_TRACK_ACQUIRE);
        ck_assert_uint_eq(orders[i++].value, after);
    }
    while (i-- > 0) {
        ck_assert_uint_eq(orders[i].address, (uintptr_t)word);
    }
    ck_assert_uint_eq(count, 0);
    ordered = 0;
}

/* A release before the value is to be seen, an acquire once it was. */
#define ORDER_TEST(bits, type)                                                            \
    START_TEST(atomics_of_##bits##_bits_in_private_memory_order)                          \
    {                                                                                     \
        volatile type *at = (volatile type *)elsewhere;                                   \
        type expected = 5;                                                                \
                                                                                          \
        attach_order();                                                                   \
        *at = 1;                                                                          \
        __tsan_atomic##bits##_store(at, 2, 5);                                            \
        assert_orders(true, 1, false, 0);                                                 \
        ck_assert(__tsan_atomic##bits##_load(at, 5) == 2);                                \
        assert_orders(false, 0, true, 2);                                                 \
        __tsan_atomic##bits##_fetch_add(at, 2, 5);                                        \
        assert_orders(true, 2, true, 4);                                                  \
        __tsan_atomic##bits##_exchange(at, 5, 5);                                         \
        assert_orders(true, 4, true, 5);                                                  \
        ck_assert(__tsan_atomic##bits##_compare_exchange_strong(at, &expected, 6, 5, 5)); \
        assert_orders(true, 5, true, 6);                                                  \
        ck_assert(__tsan_atomic##bits##_compare_exchange_val(at, 6, 7, 5, 5) == 6);       \
        assert_orders(true, 6, true, 7);                                                  \
        __tsan_atomic##bits##_fetch_add((volatile type *)memory, 1, 5); /* the board's */ \
        ck_assert_uint_eq(ordered, 0);                                                    \
        ck_assert_uint_eq(count, 1);                                                      \
    }                                                                                     \
    END_TEST

static void attach_order(void)
{
    struct vtegra_track_client client = { .version = VTEGRA_TRACK_VERSION,
                                          .arena = { (uintptr_t)memory, BYTES },
                                          .access = listen,
                                          .order = order };

    vtegra_track_attach(&client);
    ordered = 0;
}

ORDER_TEST(32, uint32_t)
ORDER_TEST(128, u128)

void __tsan_vptr_update(void **, void *), __tsan_vptr_read(void **);

START_TEST(virtual_table_pointers_are_accesses)
{
    __tsan_vptr_update((void **)memory, NULL);
    __tsan_vptr_read((void **)memory);
    assert_told(0, memory, 8, VTEGRA_TRACK_STORE);
    assert_told(1, memory, 8, VTEGRA_TRACK_LOAD);
}
END_TEST

/* --- counting --------------------------------------------------------------------------------- */

#define REGION (UINT64_C(7) << 32)
static struct vtegra_track_book book;

static __attribute__((noinline)) void read_here(unsigned char *p)
{
    __tsan_read4(p);
    __asm__ volatile("" ::: "memory"); /* no tail call: one place in the program */
}

static __attribute__((noinline)) void write_here(unsigned char *p)
{
    __tsan_write4(p);
    __asm__ volatile("" ::: "memory");
}

static void site_open(uintptr_t pc, size_t len)
{
    struct vtegra_track_site *site = vtegra_track_site_of(&book, pc);

    *site = (struct vtegra_track_site){ .pc = pc, .key = REGION | len };
}

static struct vtegra_track_line *line_open(unsigned char *line, unsigned may)
{
    struct vtegra_track_line *l = vtegra_track_line_of(&book, (uintptr_t)line);

    *l = (struct vtegra_track_line){ .line = (uintptr_t)line | may, .region = REGION };
    return l;
}

static struct vtegra_track_site *read_site, *write_site;

/* The thread has a book now, with both sites and a line that may be loaded from and stored to. */
static void access_log_setup(void)
{
    setup();
    memset(&book, 0, sizeof(book));
    given = &book;
    read_here(memory);
    site_open(told[0].pc, 4);
    read_site = vtegra_track_site_of(&book, told[0].pc);
    write_here(memory);
    site_open(told[1].pc, 4);
    write_site = vtegra_track_site_of(&book, told[1].pc);
    ck_assert_ptr_ne(read_site, write_site);
    line_open(memory + 64, VTEGRA_TRACK_MAY_LOAD | VTEGRA_TRACK_MAY_STORE);
    count = 0;
}

static void access_log_teardown(void)
{
    given = NULL;
    *home = &book; /* harmless: it has no lines */
    memset(&book, 0, sizeof(book));
    teardown();
}

START_TEST(an_open_line_is_counted_and_not_told)
{
    read_here(memory + 64);
    read_here(memory + 124);
    write_here(memory + 80);
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(read_site->count[0], 2);
    ck_assert_uint_eq(read_site->count[1], 0);
    ck_assert_uint_eq(write_site->count[0], 0);
    ck_assert_uint_eq(write_site->count[1], 1);
}
END_TEST

START_TEST(other_lines_and_accesses_across_the_end_are_told)
{
    read_here(memory);
    read_here(memory + 128);
    read_here(memory + 62);  /* begins before the line */
    read_here(memory + 125); /* ends behind it */
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(read_site->count[0], 0);
}
END_TEST

START_TEST(what_was_taken_back_is_told)
{
    vtegra_track_line_of(&book, (uintptr_t)memory + 64)->line = 0;
    read_here(memory + 64);
    write_here(memory + 64);
    ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(a_line_that_may_only_be_loaded_from_tells_stores)
{
    line_open(memory + 64, VTEGRA_TRACK_MAY_LOAD);
    read_here(memory + 64);
    ck_assert_uint_eq(count, 0);
    write_here(memory + 64);
    ck_assert_uint_eq(count, 1);
    assert_told(0, memory + 64, 4, VTEGRA_TRACK_STORE);
}
END_TEST

/* Any of the 64 bytes: somebody stored there unseen. */
START_TEST(a_load_is_told_if_the_line_is_not_what_it_should_be)
{
    static _Alignas(64) unsigned char image[64];

    line_open(memory + 64, VTEGRA_TRACK_MAY_LOAD)->equal = image;
    read_here(memory + 64);
    ck_assert_uint_eq(count, 0);
    memory[64 + _i] = 1;
    read_here(memory + 64);
    ck_assert_uint_eq(count, 1);
}
END_TEST

START_TEST(a_site_counts_one_region_and_one_size)
{
    vtegra_track_line_of(&book, (uintptr_t)memory + 64)->region = UINT64_C(8) << 32;
    read_here(memory + 64);
    ck_assert_uint_eq(count, 1);
    line_open(memory + 64, VTEGRA_TRACK_MAY_LOAD);
    read_site->key = REGION | 8;
    read_here(memory + 64);
    ck_assert_uint_eq(count, 2);
    read_site->key = REGION | 4;
    read_site->pc++;
    read_here(memory + 64);
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(flags_and_atomics_are_always_told)
{
    __tsan_volatile_read4(memory + 64);
    __tsan_volatile_write4(memory + 64);
    __tsan_atomic32_load((volatile uint32_t *)(memory + 64), 5);
    __tsan_atomic32_fetch_add((volatile uint32_t *)(memory + 64), 1, 5);
    ck_assert_uint_eq(count, 4);
}
END_TEST

/* 63 loads of the same place are counted, the 64th is told; a new place begins anew. */
START_TEST(a_loop_that_only_waits_is_told)
{
    struct vtegra_track_watch watch = { .fruitless = 0 };

    book.watch = &watch;
    for (unsigned i = 0; i < 64; i++) {
        read_here(memory + 64);
        ck_assert_uint_eq(count, 0);
    }
    read_here(memory + 64);
    ck_assert_uint_eq(count, 1);
    read_here(memory + 68);
    ck_assert_uint_eq(watch.fruitless, 0);
    read_here(memory + 64); /* still one of the last four */
    ck_assert_uint_eq(watch.fruitless, 1);
    ck_assert_uint_eq(count, 1);
    for (unsigned i = 0; i < 4; i++) {
        read_here(memory + 72 + 4 * i);
    }
    read_here(memory + 64); /* not any more */
    ck_assert_uint_eq(watch.fruitless, 0);
    ck_assert_uint_eq(read_site->count[0], 64 + 1 + 1 + 4 + 1);
}
END_TEST

static volatile unsigned asked; /* gcc takes hooks for leaf functions, which do not come back */

static void ask(struct vtegra_track_book *b, struct vtegra_track_line *line,
                struct vtegra_track_site *site, uintptr_t address, unsigned what)
{
    ck_assert_ptr_eq(b, &book);
    ck_assert_uint_eq(line->line & ~(uintptr_t)63, address & ~(uintptr_t)63);
    ck_assert_ptr_eq(site, read_site);
    ck_assert_uint_eq(what, VTEGRA_TRACK_LOADS);
    asked++;
}

START_TEST(the_client_may_want_to_decide)
{
    book.access = ask;
    asked = 0;
    read_here(memory + 64);
    read_here(memory + 128);
    ck_assert_uint_eq(asked, 1);
    ck_assert_uint_eq(read_site->count[0], 0);
    ck_assert_uint_eq(count, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("track_api");
    TCase *t = tcase_create("track_api");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, plain_hooks_tell_size_direction_and_volatile, 0, 5);
    tcase_add_test(t, first_and_last_byte_are_inside_and_their_neighbours_outside);
    tcase_add_test(t, pc_is_in_the_calling_function);
    tcase_add_test(t, nobody_listens_after_detaching);
    tcase_add_test(t, client_of_another_version_is_refused);
    tcase_add_test(t, all_registered_ranges_are_told);
    tcase_add_test(t, registered_ranges_are_told_and_gaps_are_not);
    tcase_add_test(t, ranges_are_cut_into_aligned_pieces_of_16);
    tcase_add_test(t, copies_tell_both_sides_and_copy);
    tcase_add_test(t, atomics_of_8_bits);
    tcase_add_test(t, atomics_of_16_bits);
    tcase_add_test(t, atomics_of_32_bits);
    tcase_add_test(t, atomics_of_64_bits);
    tcase_add_test(t, atomics_of_128_bits);
    tcase_add_test(t, only_read_modify_write_counts_as_atomic);
    tcase_add_test(t, atomics_of_32_bits_in_private_memory_order);
    tcase_add_test(t, atomics_of_128_bits_in_private_memory_order);
    tcase_add_test(t, virtual_table_pointers_are_accesses);
    suite_add_tcase(s, t);
    t = tcase_create("book");
    tcase_add_checked_fixture(t, access_log_setup, access_log_teardown);
    tcase_add_test(t, an_open_line_is_counted_and_not_told);
    tcase_add_test(t, other_lines_and_accesses_across_the_end_are_told);
    tcase_add_test(t, what_was_taken_back_is_told);
    tcase_add_test(t, a_line_that_may_only_be_loaded_from_tells_stores);
    tcase_add_loop_test(t, a_load_is_told_if_the_line_is_not_what_it_should_be, 0, 64);
    tcase_add_test(t, a_site_counts_one_region_and_one_size);
    tcase_add_test(t, flags_and_atomics_are_always_told);
    tcase_add_test(t, a_loop_that_only_waits_is_told);
    tcase_add_test(t, the_client_may_want_to_decide);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
