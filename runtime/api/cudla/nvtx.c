/* SPDX-License-Identifier: MIT */
/* libvtegra-nvtx.so: NVTX ranges of the application, into the trace.
 *
 * NVTX is header-only. At its first call the application loads the library that
 * NVTX_INJECTION64_PATH names and calls its InitializeInjectionNvtx2() (nvtxInit.h); that asks for
 * the tables of functions and puts its own in. Numbers: NvtxCallbackModule, NvtxCallbackIdCore,
 * NvtxCallbackIdCore2, NvtxExportTableID of NVTX 3 (nvtxTypes.h). */
#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "runtime/driver/core/rt_range.h"

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum {
    CORE_MARK_EX = 1,
    CORE_MARK_A,
    CORE_MARK_W,
    CORE_START_EX,
    CORE_START_A,
    CORE_START_W,
    CORE_END,
    CORE_PUSH_EX,
    CORE_PUSH_A,
    CORE_PUSH_W,
    CORE_POP,
};
enum {
    CORE2_MARK_EX = 1,
    CORE2_START_EX,
    CORE2_END,
    CORE2_PUSH_EX,
    CORE2_POP,
    CORE2_STRING_A = 10,
    CORE2_STRING_W,
    CORE2_DOMAIN_A,
    CORE2_DOMAIN_W,
};
enum { MESSAGE_ASCII = 1, MESSAGE_WIDE, MESSAGE_REGISTERED };
enum { NO_NESTING = -2 }; /* NVTX_NO_PUSH_POP_TRACKING */

typedef void function(void);

struct callbacks {
    size_t size;
    int (*module)(int module, function ***out_table, unsigned *out_size);
};

/* nvtxEventAttributes_t: what we look at. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const void *registered;
    } message;
};

/* Handles for the application: domains and registered strings live until the program ends. */
struct text {
    char *name;
};

static uint64_t next_id;

static char *nvtx_narrow(const wchar_t *wide)
{
    char *text = wide ? g_ucs4_to_utf8((const gunichar *)wide, -1, NULL, NULL, NULL) : NULL;

    return text ? text : g_strdup("?");
}

static char *message_of(const struct attributes *a)
{
    if (!a || a->size < sizeof(*a)) {
        return g_strdup("?");
    }
    switch (a->message_type) {
    case MESSAGE_ASCII:
        return g_strdup(a->message.ascii ? a->message.ascii : "?");
    case MESSAGE_WIDE:
        return nvtx_narrow(a->message.wide);
    case MESSAGE_REGISTERED:
        return g_strdup(a->message.registered ? ((const struct text *)a->message.registered)->name
                                              : "?");
    default:
        return g_strdup("?");
    }
}

static const char *domain_of(const struct text *domain)
{
    return domain ? domain->name : "nvtx";
}

/* Takes @name. */
static uint64_t nvtx_report(enum rt_range_phase phase, const struct text *domain, char *name)
{
    uint64_t id = phase == RT_RANGE_START ? __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED) : 0;

    rt_range(phase, domain_of(domain), name, id);
    g_free(name);
    return id;
}

static void mark_ex(const struct attributes *a)
{
    nvtx_report(RT_RANGE_MARK, NULL, message_of(a));
}

static void mark_a(const char *name)
{
    nvtx_report(RT_RANGE_MARK, NULL, g_strdup(name));
}

static void mark_w(const wchar_t *name)
{
    nvtx_report(RT_RANGE_MARK, NULL, nvtx_narrow(name));
}

static uint64_t start_ex(const struct attributes *a)
{
    return nvtx_report(RT_RANGE_START, NULL, message_of(a));
}

static uint64_t start_a(const char *name)
{
    return nvtx_report(RT_RANGE_START, NULL, g_strdup(name));
}

static uint64_t start_w(const wchar_t *name)
{
    return nvtx_report(RT_RANGE_START, NULL, nvtx_narrow(name));
}

static void nvtx_end(uint64_t id)
{
    rt_range(RT_RANGE_END, "nvtx", NULL, id);
}

static int push_ex(const struct attributes *a)
{
    nvtx_report(RT_RANGE_PUSH, NULL, message_of(a));
    return NO_NESTING;
}

static int push_a(const char *name)
{
    nvtx_report(RT_RANGE_PUSH, NULL, g_strdup(name));
    return NO_NESTING;
}

static int push_w(const wchar_t *name)
{
    nvtx_report(RT_RANGE_PUSH, NULL, nvtx_narrow(name));
    return NO_NESTING;
}

static int nvtx_pop(void)
{
    rt_range(RT_RANGE_POP, "nvtx", NULL, 0);
    return NO_NESTING;
}

static void domain_mark(const struct text *domain, const struct attributes *a)
{
    nvtx_report(RT_RANGE_MARK, domain, message_of(a));
}

static uint64_t domain_start(const struct text *domain, const struct attributes *a)
{
    return nvtx_report(RT_RANGE_START, domain, message_of(a));
}

static void domain_end(const struct text *domain, uint64_t id)
{
    rt_range(RT_RANGE_END, domain_of(domain), NULL, id);
}

static int domain_push(const struct text *domain, const struct attributes *a)
{
    nvtx_report(RT_RANGE_PUSH, domain, message_of(a));
    return NO_NESTING;
}

static int domain_pop(const struct text *domain)
{
    rt_range(RT_RANGE_POP, domain_of(domain), NULL, 0);
    return NO_NESTING;
}

static struct text *text_new(char *name)
{
    struct text *t = g_new0(struct text, 1);

    t->name = name;
    return t;
}

static struct text *domain_a(const char *name)
{
    return text_new(g_strdup(name ? name : "?"));
}

static struct text *domain_w(const wchar_t *name)
{
    return text_new(nvtx_narrow(name));
}

static struct text *string_a(const struct text *domain, const char *name)
{
    (void)domain;
    return domain_a(name);
}

static struct text *string_w(const struct text *domain, const wchar_t *name)
{
    (void)domain;
    return domain_w(name);
}

struct entry {
    unsigned id;
    function *function;
};

static void table_fill(const struct callbacks *c, int module, const struct entry *entries,
                       unsigned n)
{
    function ***table = NULL;
    unsigned size = 0;

    if (!c->module(module, (function ***)&table, &size) || !table) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        if (entries[i].id < size && table[entries[i].id]) {
            *table[entries[i].id] = entries[i].function;
        }
    }
}

/* The only symbol. Return: 1, we are there. */
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
#define E(id, f)            \
    {                       \
        id, (function *)(f) \
    }
    static const struct entry core[] = {
        E(CORE_MARK_EX, mark_ex),   E(CORE_MARK_A, mark_a),   E(CORE_MARK_W, mark_w),
        E(CORE_START_EX, start_ex), E(CORE_START_A, start_a), E(CORE_START_W, start_w),
        E(CORE_END, nvtx_end),           E(CORE_PUSH_EX, push_ex), E(CORE_PUSH_A, push_a),
        E(CORE_PUSH_W, push_w),     E(CORE_POP, nvtx_pop),
    };
    static const struct entry core2[] = {
        E(CORE2_MARK_EX, domain_mark), E(CORE2_START_EX, domain_start), E(CORE2_END, domain_end),
        E(CORE2_PUSH_EX, domain_push), E(CORE2_POP, domain_pop),        E(CORE2_STRING_A, string_a),
        E(CORE2_STRING_W, string_w),   E(CORE2_DOMAIN_A, domain_a),     E(CORE2_DOMAIN_W, domain_w),
    };
#undef E
    const struct callbacks *c = export_table(TABLE_CALLBACKS);

    if (!c || c->size < sizeof(*c) || !c->module) {
        return 0;
    }
    table_fill(c, MODULE_CORE, core, G_N_ELEMENTS(core));
    table_fill(c, MODULE_CORE2, core2, G_N_ELEMENTS(core2));
    return 1;
}
