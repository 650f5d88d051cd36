/* SPDX-License-Identifier: MIT */
/* The functions that -fsanitize=thread makes compilers call, ours instead of ThreadSanitizer's.
 *
 * Compile with -fsanitize=thread and link this library without that flag (gcc 12, clang 19). An
 * access outside the board's memory costs one comparison; one inside is reported to the client
 * before it happens. Names and signatures are the compilers' interface to their runtime.
 *
 * clang calls __tsan_memcpy and its kind; gcc calls memcpy itself, and is seen when the program is
 * linked with -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset. A range counts as accesses of 16
 * bytes, aligned, as an Arm core's copy loop makes them (inferred).
 */
#include "runtime/track/track_internal.h"

#include <dlfcn.h>
#include <string.h>

#define EXPORT TRACK_EXPORT
#define CALLER TRACK_CALLER

#define RANGE_STEP 16u
#define LINE ((uintptr_t)64)

struct vtegra_track_range track_envelope;
uintptr_t vtegra_track_end;

/* For function pointers from dlsym(); not memcpy(), which may be wrapped by us. */
typedef void *__attribute__((may_alias)) any_pointer;
static struct vtegra_track_client client;

/* Never filled in: a client gives another one instead. */
static struct vtegra_track_book no_book;
static _Thread_local struct vtegra_track_book *book __attribute__((tls_model("initial-exec"))) =
    &no_book;

static bool track_wanted(uintptr_t address)
{
    return address - client.arena.base < client.arena.size ||
           (client.ranges && vtegra_track_ranges_have(client.ranges, address));
}

__attribute__((noinline)) void track_report(const volatile void *address, size_t len,
                                            enum vtegra_track_access access, uintptr_t pc)
{
    if (client.access && track_wanted((uintptr_t)address)) {
        client.access(&book, (const void *)(uintptr_t)address, len, access, pc);
    }
}

/* --- the thread's book ------------------------------------------------------------------------ */

/* memcmp() would be a call. */
static inline bool same_line(const void *x, const void *y)
{
    typedef uint64_t quarter __attribute__((vector_size(16), may_alias));
    const quarter *a = x, *b = y;
    quarter differs = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]);

    return (differs[0] | differs[1]) == 0;
}

static __attribute__((noinline)) void track_reported(const volatile void *address, size_t len,
                                                     uintptr_t pc, unsigned what)
{
    if (!track_inside(address)) {
        return;
    }
    if (what & VTEGRA_TRACK_LOADS) {
        track_report(address, len, VTEGRA_TRACK_LOAD, pc);
    }
    if (what & VTEGRA_TRACK_STORES) {
        track_report(address, len, VTEGRA_TRACK_STORE, pc);
    }
}

/* Calls nothing but at its end: it saves no registers. */
static inline __attribute__((always_inline)) void
track_access(const volatile void *address, size_t len, uintptr_t pc, unsigned what)
{
    struct vtegra_track_book *b = book;
    uintptr_t at = (uintptr_t)address;
    struct vtegra_track_line *line = vtegra_track_line_of(b, at);
    struct vtegra_track_site *site = vtegra_track_site_of(b, pc);
    uintptr_t may = __atomic_load_n(&line->line, __ATOMIC_RELAXED) ^ (at & ~(LINE - 1));
    uintptr_t wants = what & VTEGRA_TRACK_STORES ? VTEGRA_TRACK_MAY_STORE : VTEGRA_TRACK_MAY_LOAD;

    if (may >= LINE || !(may & wants) || at % LINE + len > LINE || site->pc != pc ||
        site->key != (line->region | len)) {
        track_reported(address, len, pc, what);
        return;
    }
    if ((what & VTEGRA_TRACK_LOADS) && line->equal &&
        !same_line((const void *)(at & ~(LINE - 1)), line->equal)) {
        track_reported(address, len, pc, what);
        return;
    }
    if (b->access) {
        b->access(b, line, site, at, what);
    } else if (!vtegra_track_count(b, site, at, what)) {
        track_reported(address, len, pc, what);
    }
}

__attribute__((noinline)) void track_load(const volatile void *address, size_t len, uintptr_t pc)
{
    track_access(address, len, pc, VTEGRA_TRACK_LOADS);
}

__attribute__((noinline)) void track_store(const volatile void *address, size_t len, uintptr_t pc)
{
    track_access(address, len, pc, VTEGRA_TRACK_STORES);
}

__attribute__((noinline)) void track_load_store(const volatile void *address, size_t len,
                                                uintptr_t pc)
{
    track_access(address, len, pc, VTEGRA_TRACK_LOADS | VTEGRA_TRACK_STORES);
}

__attribute__((noinline)) void track_order(const volatile void *address,
                                           enum vtegra_track_order order)
{
    if (client.order && !track_inside(address)) {
        client.order((const void *)(uintptr_t)address, order);
    }
}

static void report_range(const void *address, size_t len,
                         void (*tell)(const volatile void *, size_t, uintptr_t), uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address, end = at + len;

    if (end <= track_envelope.base || at >= track_envelope.base + track_envelope.size) {
        return;
    }
    while (at < end) {
        uintptr_t next = (at & ~(uintptr_t)(RANGE_STEP - 1)) + RANGE_STEP;

        next = next < end ? next : end;
        if (track_inside((const void *)at)) {
            tell((const void *)at, next - at, pc);
        }
        at = next;
    }
}

void track_loads(const void *p, size_t n, uintptr_t pc)
{
    report_range(p, n, track_load, pc);
}

void track_stores(const void *p, size_t n, uintptr_t pc)
{
    report_range(p, n, track_store, pc);
}

static struct vtegra_track_range envelope_of(struct vtegra_track_range a,
                                             struct vtegra_track_range b)
{
    uint64_t base = a.base < b.base ? a.base : b.base;
    uint64_t end = a.base + a.size > b.base + b.size ? a.base + a.size : b.base + b.size;

    if (a.size == 0 || b.size == 0) {
        return a.size == 0 ? b : a;
    }
    return (struct vtegra_track_range){ base, end - base };
}

/* It only decides where a closer look is taken, so it is too large while it changes: no access on
 * another thread is missed. */
static void envelope_set(struct vtegra_track_range to)
{
    uintptr_t end = to.base + to.size;

    if (end > vtegra_track_end) {
        __atomic_store_n(&vtegra_track_end, end, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&track_envelope.size, UINT64_MAX, __ATOMIC_SEQ_CST);
    __atomic_store_n(&track_envelope.base, to.base, __ATOMIC_SEQ_CST);
    __atomic_store_n(&track_envelope.size, to.size, __ATOMIC_SEQ_CST);
    __atomic_store_n(&vtegra_track_end, end, __ATOMIC_SEQ_CST);
}

static bool client_is(const struct vtegra_track_client *wants)
{
    return client.access == wants->access && client.order == wants->order &&
           client.arena.base == wants->arena.base && client.arena.size == wants->arena.size &&
           client.ranges == wants->ranges;
}

static void client_replace(const struct vtegra_track_client *wants)
{
    vtegra_track_end = track_envelope.size =
        0; /* hooks on other threads see nothing until all is set */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    client = *wants;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

TRACK_HIDDEN void vtegra_track_attach(const struct vtegra_track_client *wants)
{
    static const struct vtegra_track_client none;
    struct vtegra_track_range registered = { 0 };

    if (!wants || wants->version != VTEGRA_TRACK_VERSION) {
        wants = &none;
    }
    if (!client_is(wants)) {
        client_replace(wants);
    }
    if (wants->ranges) {
        registered = vtegra_track_ranges_envelope(wants->ranges);
    }
    envelope_set(envelope_of(wants->arena, registered));
}

EXPORT struct vtegra_track_object vtegra_track_object = {
    .version = VTEGRA_TRACK_VERSION,
    .attach = vtegra_track_attach,
};

/* dlclose() does not unload us any more: others know our addresses, and the report names their
 * lines. A program, which has no name there, stays anyway. */
static void track_stay(void)
{
    Dl_info here;

    if (dladdr(&vtegra_track_object, &here)) {
        dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

/* After the runtime's own constructors: it is a library that the program needs. */
static __attribute__((constructor)) void track_enlist(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "vtegra_track_enlist");
    vtegra_track_enlist_fn *enlist = NULL;

    if (symbol) {
        *(any_pointer *)&enlist = symbol;
        enlist(&vtegra_track_object);
        track_stay();
    }
}

/* --- plain accesses --------------------------------------------------------------------------- */

#define HOOK(name, ...)               \
    EXPORT void name(void *address);  \
    EXPORT void name(void *address)   \
    {                                 \
        if (track_perhaps(address)) { \
            __VA_ARGS__;              \
        }                             \
    }

#define HOOK_PLAIN(name, bytes, kind) HOOK(name, track_##kind(address, bytes, CALLER))
#define HOOK_FLAG(name, bytes, access) HOOK(name, track_report(address, bytes, access, CALLER))

#define HOOKS_OF_SIZE(bytes)                                                        \
    HOOK_PLAIN(__tsan_read##bytes, bytes, load)                                     \
    HOOK_PLAIN(__tsan_write##bytes, bytes, store)                                   \
    HOOK_PLAIN(__tsan_unaligned_read##bytes, bytes, load)                           \
    HOOK_PLAIN(__tsan_unaligned_write##bytes, bytes, store)                         \
    HOOK_FLAG(__tsan_volatile_read##bytes, bytes, VTEGRA_TRACK_LOAD_SYNC)           \
    HOOK_FLAG(__tsan_volatile_write##bytes, bytes, VTEGRA_TRACK_STORE_SYNC)         \
    HOOK_FLAG(__tsan_unaligned_volatile_read##bytes, bytes, VTEGRA_TRACK_LOAD_SYNC) \
    HOOK_FLAG(__tsan_unaligned_volatile_write##bytes, bytes, VTEGRA_TRACK_STORE_SYNC)

HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

/* A load and a store of the same place in one call (clang: -tsan-compound-read-before-write). */
#define HOOKS_BOTH(bytes)                                   \
    HOOK_PLAIN(__tsan_read_write##bytes, bytes, load_store) \
    HOOK_PLAIN(__tsan_unaligned_read_write##bytes, bytes, load_store)

HOOKS_BOTH(1)
HOOKS_BOTH(2)
HOOKS_BOTH(4)
HOOKS_BOTH(8)
HOOKS_BOTH(16)

EXPORT void __tsan_vptr_update(void **vptr, void *value);
EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
    (void)value;
    if (track_perhaps(vptr)) {
        track_store(vptr, sizeof(*vptr), CALLER);
    }
}

EXPORT void __tsan_vptr_read(void **vptr);
EXPORT void __tsan_vptr_read(void **vptr)
{
    if (track_perhaps(vptr)) {
        track_load(vptr, sizeof(*vptr), CALLER);
    }
}

/* --- ranges ----------------------------------------------------------------------------------- */

EXPORT void __tsan_read_range(void *address, unsigned long len);
EXPORT void __tsan_read_range(void *address, unsigned long len)
{
    report_range(address, len, track_load, CALLER);
}

EXPORT void __tsan_write_range(void *address, unsigned long len);
EXPORT void __tsan_write_range(void *address, unsigned long len)
{
    report_range(address, len, track_store, CALLER);
}

/* With --wrap the name memcpy is ours even in this file, so the C library's is asked for by hand.
 */
#define REAL(variable, name)                    \
    static __typeof__(&name) variable;          \
    if (!variable) {                            \
        void *symbol = dlsym(RTLD_NEXT, #name); \
        *(any_pointer *)&variable = symbol;     \
    }

static void *real_memcpy(void *dst, const void *src, size_t n)
{
    REAL(real, memcpy)
    return real(dst, src, n);
}

static void *real_memmove(void *dst, const void *src, size_t n)
{
    REAL(real, memmove)
    return real(dst, src, n);
}

static void *real_memset(void *dst, int value, size_t n)
{
    REAL(real, memset)
    return real(dst, value, n);
}

#define HOOK_COPY(name, copy)                                \
    EXPORT void *name(void *dst, const void *src, size_t n); \
    EXPORT void *name(void *dst, const void *src, size_t n)  \
    {                                                        \
        report_range(src, n, track_load, CALLER);            \
        report_range(dst, n, track_store, CALLER);           \
        return copy(dst, src, n);                            \
    }

#define HOOK_SET(name)                                 \
    EXPORT void *name(void *dst, int value, size_t n); \
    EXPORT void *name(void *dst, int value, size_t n)  \
    {                                                  \
        report_range(dst, n, track_store, CALLER);     \
        return real_memset(dst, value, n);             \
    }

HOOK_COPY(__tsan_memcpy, real_memcpy)
HOOK_COPY(__tsan_memmove, real_memmove)
HOOK_SET(__tsan_memset)
HOOK_COPY(__wrap_memcpy, real_memcpy)
HOOK_COPY(__wrap_memmove, real_memmove)
HOOK_SET(__wrap_memset)

/* --- atomics ---------------------------------------------------------------------------------- */

/* Always sequentially consistent: stronger than what was asked for is allowed. Elsewhere (private
 * memory) an atomic may still be what orders threads: release before it, acquire after it. */
#define ATOMIC_FETCH(bits, type, op, builtin)                                          \
    EXPORT type __tsan_atomic##bits##_fetch_##op(volatile type *a, type v, int order); \
    EXPORT type __tsan_atomic##bits##_fetch_##op(volatile type *a, type v, int order)  \
    {                                                                                  \
        (void)order;                                                                   \
        if (track_inside(a)) {                                                         \
            track_report(a, sizeof(type), VTEGRA_TRACK_ATOMIC, CALLER);                \
        }                                                                              \
        track_order(a, VTEGRA_TRACK_RELEASE);                                          \
        v = builtin(a, v, __ATOMIC_SEQ_CST);                                           \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                          \
        return v;                                                                      \
    }

/* An atomic load or store is an ordinary access of the memory system; only read-modify-write needs
 * what uncached memory does not have. */
#define ATOMIC_ACCESS(bits, type)                                                 \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order);    \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order)     \
    {                                                                             \
        type v;                                                                   \
        (void)order;                                                              \
        if (track_inside(a)) {                                                    \
            track_report(a, sizeof(type), VTEGRA_TRACK_LOAD_SYNC, CALLER);        \
        }                                                                         \
        v = __atomic_load_n(a, __ATOMIC_SEQ_CST);                                 \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                     \
        return v;                                                                 \
    }                                                                             \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order); \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order)  \
    {                                                                             \
        (void)order;                                                              \
        if (track_inside(a)) {                                                    \
            track_report(a, sizeof(type), VTEGRA_TRACK_STORE_SYNC, CALLER);       \
        }                                                                         \
        track_order(a, VTEGRA_TRACK_RELEASE);                                     \
        __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                 \
    }

#define ATOMIC_EXCHANGE(bits, type)                                                              \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected,      \
                                                           type v, int order, int failure);      \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected,      \
                                                           type v, int order, int failure)       \
    {                                                                                            \
        (void)order, (void)failure;                                                              \
        if (track_inside(a)) {                                                                   \
            track_report(a, sizeof(type), VTEGRA_TRACK_ATOMIC, CALLER);                          \
        }                                                                                        \
        track_order(a, VTEGRA_TRACK_RELEASE);                                                    \
        __atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                                    \
        return expected;                                                                         \
    }

#define ATOMIC_COMPARE(bits, type, strength)                                                       \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *a, type *expected, \
                                                                 type v, int order, int failure);  \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *a, type *expected, \
                                                                 type v, int order, int failure)   \
    {                                                                                              \
        int swapped;                                                                               \
        (void)order, (void)failure;                                                                \
        if (track_inside(a)) {                                                                     \
            track_report(a, sizeof(type), VTEGRA_TRACK_ATOMIC, CALLER);                            \
        }                                                                                          \
        track_order(a, VTEGRA_TRACK_RELEASE);                                                      \
        swapped = __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST,             \
                                              __ATOMIC_SEQ_CST);                                   \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                                      \
        return swapped;                                                                            \
    }

#define ATOMICS(bits, type)                                                          \
    ATOMIC_ACCESS(bits, type)                                                        \
    ATOMIC_FETCH(bits, type, add, __atomic_fetch_add)                                \
    ATOMIC_FETCH(bits, type, sub, __atomic_fetch_sub)                                \
    ATOMIC_FETCH(bits, type, and, __atomic_fetch_and)                                \
    ATOMIC_FETCH(bits, type, or, __atomic_fetch_or)                                  \
    ATOMIC_FETCH(bits, type, xor, __atomic_fetch_xor)                                \
    ATOMIC_FETCH(bits, type, nand, __atomic_fetch_nand)                              \
    EXPORT type __tsan_atomic##bits##_exchange(volatile type *a, type v, int order); \
    EXPORT type __tsan_atomic##bits##_exchange(volatile type *a, type v, int order)  \
    {                                                                                \
        (void)order;                                                                 \
        if (track_inside(a)) {                                                       \
            track_report(a, sizeof(type), VTEGRA_TRACK_ATOMIC, CALLER);              \
        }                                                                            \
        track_order(a, VTEGRA_TRACK_RELEASE);                                        \
        v = __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                             \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                        \
        return v;                                                                    \
    }                                                                                \
    ATOMIC_EXCHANGE(bits, type)                                                      \
    ATOMIC_COMPARE(bits, type, strong)                                               \
    ATOMIC_COMPARE(bits, type, weak)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* Fences order the CPU's own accesses: nothing the board needs to know. */
EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* --- functions and start ---------------------------------------------------------------------- */

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
}

EXPORT void __tsan_func_entry(void *call_pc);
EXPORT void __tsan_func_entry(void *call_pc)
{
    (void)call_pc;
}

EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void)
{
}

/* What programs say to ThreadSanitizer about their own locks is not needed here. */
#define IGNORED(name)       \
    EXPORT void name(void); \
    EXPORT void name(void)  \
    {                       \
    }

IGNORED(__tsan_acquire)
IGNORED(__tsan_release)
IGNORED(__tsan_ignore_thread_begin)
IGNORED(__tsan_ignore_thread_end)
IGNORED(__tsan_mutex_create)
IGNORED(__tsan_mutex_destroy)
IGNORED(__tsan_mutex_pre_lock)
IGNORED(__tsan_mutex_post_lock)
IGNORED(__tsan_mutex_post_unlock)
