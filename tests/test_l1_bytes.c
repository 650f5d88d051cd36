/* SPDX-License-Identifier: MIT */
/* A line of an SM's L1 keeps the bytes that it came with but for its SM's own stores, whatever else
 * happens to memory: random walks, compared with an L1 here that copies each sector when it comes.
 * The other side copies only what is about to change (model/soc/l1.h). */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "model/soc/soc_internal.h"
#include "tests/soc_rig.h"
#include "tests/suite.h"

#define SMS 2u
#define LINES 2u
#define WALKS 600
#define STEPS 100

/* Memory that the CPU caches, the same by another address, and memory that it does not cache */
static const uint64_t bases[] = { RIG_VA, RIG_VA_READ_ONLY, RIG_VA_DEVICE };
#define BASES G_N_ELEMENTS(bases)
#define ALL_BUT_ALIAS(n) ((n) % 2 ? 2 : 0)

static const struct config {
    enum evict evict;
    bool io_coherent, cpu_snoops;
    uint32_t l1_bytes;
} configs[] = {
    { EVICT_LRU, true, false, 1 << 20 }, { EVICT_LRU, false, false, 1 << 20 },
    { EVICT_LRU, true, true, 1 << 20 },  { EVICT_NEVER, true, false, 128 },
    { EVICT_NEVER, false, false, 1024 },
};

struct copy {
    unsigned sectors;
    uint8_t data[BUS_LINE];
};

static struct {
    struct rig rig;
    struct bus_port *port;
    struct copy held[SMS][BASES][LINES];
    uint64_t random;
    unsigned without; /* bit of an operation: not in this walk */
    GString *done;
} w;

static unsigned draw(unsigned n)
{
    w.random = w.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w.random >> 33) % n;
}

static void open_with(const struct config *c)
{
    struct soc_profile profile;

    rig_open(&w.rig, c->io_coherent);
    profile = w.rig.profile;
    rig_close(&w.rig);
    profile.gpu.l1_bytes = c->l1_bytes;
    profile.gpu.l1_loads = 2;
    profile.gpu.sm_count = SMS;
    profile.rules.cpu_snoops_l2 = c->cpu_snoops;
    rig_open_profile(&w.rig, &profile, c->evict, 0);
    soc_observe(w.rig.soc, 0, NULL, NULL);
    w.port = &w.rig.soc->gpu[0].port.port;
    w.done = g_string_new(NULL);
}

static void close_all(void)
{
    g_string_free(w.done, TRUE);
    rig_close(&w.rig);
}

static void bytes_draw(uint8_t *data, struct bus_mask *mask)
{
    unsigned size = 4u << draw(6), first = draw(BUS_LINE / size) * size;

    *mask = bus_mask_range(first, size);
    for (unsigned i = 0; i < BUS_LINE; i++) {
        data[i] = (uint8_t)draw(256);
    }
}

static void port_as(enum bus_agent agent, unsigned sm)
{
    w.port->agent = agent;
    w.port->sm = sm;
}

/* --- operations ------------------------------------------------------------------------------- */

static void load(unsigned sm, unsigned base, unsigned n)
{
    struct copy *held = &w.held[sm][base][n];
    unsigned sectors = 1 + draw(15);
    const uint8_t *line;

    port_as(BUS_AGENT_IGPU, sm);
    ck_assert_int_eq(w.port->ops->load(w.port, bases[base] + n * BUS_LINE, sectors, 0, &line),
                     BUS_OK);
    for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
        if (!(sectors >> s & 1)) {
            continue;
        }
        if (held->sectors >> s & 1 &&
            memcmp(held->data + s * BUS_SECTOR, line + s * BUS_SECTOR, BUS_SECTOR) != 0) {
            ck_abort_msg("sector %u is not as it was, after%s", s, w.done->str);
        }
        memcpy(held->data + s * BUS_SECTOR, line + s * BUS_SECTOR, BUS_SECTOR);
    }
    held->sectors |= sectors;
}

static void store(unsigned sm, unsigned base, unsigned n)
{
    uint8_t data[BUS_LINE];
    struct bus_mask mask;

    bytes_draw(data, &mask);
    port_as(BUS_AGENT_IGPU, sm);
    ck_assert_int_eq(
        w.port->ops->store(w.port, bases[base] + n * BUS_LINE, data, &mask, BUS_SCOPE_NONE),
        BUS_OK);
    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (mask.word[i / 64] >> i % 64 & 1) {
            w.held[sm][base][n].data[i] = data[i];
        }
    }
}

static void atomic(unsigned sm, unsigned base, unsigned n)
{
    uint64_t old;

    port_as(BUS_AGENT_IGPU, sm);
    ck_assert_int_eq(w.port->ops->atomic(w.port, bases[base] + n * BUS_LINE + 4 * draw(32),
                                         BUS_ATOMIC_ADD, 4, 1 + draw(9), 0, 0, &old),
                     BUS_OK);
    w.held[sm][base][n].sectors = 0;
}

/* The copy engine: whole lines in a row, or a part of one */
static void copy(unsigned base, unsigned n)
{
    uint8_t data[LINES * BUS_LINE];

    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)draw(256);
    }
    port_as(BUS_AGENT_CE, 0);
    ck_assert_int_eq(bus_port_write(w.port, bases[base] + n * BUS_LINE, data,
                                    draw(2) ? (LINES - n) * BUS_LINE : 20),
                     BUS_OK);
}

/* An engine of the SoC, past the L2 */
static void engine(unsigned base, unsigned n)
{
    struct ioc *ioc = w.rig.soc->ioc;
    struct ioc_page *p = ioc_page_find(ioc, base ? RIG_UNCACHED : RIG_CACHED);
    uint8_t data[BUS_LINE];
    struct bus_mask mask;

    bytes_draw(data, &mask);
    ioc_port_write(ioc, p, n * BUS_LINE, data, BUS_LINE, &mask, BUS_AGENT_DLA);
}

static void cpu(unsigned base, unsigned n)
{
    uint64_t pa = (base ? RIG_UNCACHED : RIG_CACHED) + n * BUS_LINE;
    uint8_t data[BUS_LINE];
    struct bus_mask mask;

    bytes_draw(data, &mask);
    ck_assert_int_eq(soc_cpu_write(w.rig.soc, pa, data, 1 + draw(BUS_LINE)), 0);
    if (draw(2)) {
        soc_cpu_clean(w.rig.soc, pa, BUS_LINE);
    }
}

/* All lines of the walk leave the L2, whose 4 KiB others fill. */
static void l2_evict(void)
{
    const uint8_t *line;

    port_as(BUS_AGENT_CE, 0);
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_int_eq(w.port->ops->load(w.port, RIG_VA + RIG_PAGE + i * BUS_LINE,
                                           BUS_SECTORS_ALL, BUS_HOW_PAST, &line),
                         BUS_OK);
    }
}

static void l2_maintain(bool invalidate)
{
    ck_assert_int_eq(soc_mmio_write32(w.rig.soc,
                                      w.rig.igpu + (invalidate ? IGPU_FLUSH_L2_SYSTEM_INVALIDATE
                                                               : IGPU_FLUSH_L2_FLUSH_DIRTY),
                                      1),
                     0);
}

static void empty(unsigned sm)
{
    w.port->ops->l1_empty(w.port, sm < SMS ? sm : BUS_ALL_SMS);
    for (unsigned i = 0; i < SMS; i++) {
        if (i == sm || sm >= SMS) {
            memset(w.held[i], 0, sizeof(w.held[i]));
        }
    }
}

static void step(void)
{
    static const char *const names[] = { "load",  "load",   "load", "load",  "store",
                                         "store", "atomic", "copy", "cpu",   "engine",
                                         "evict", "clean",  "lose", "empty", NULL };
    unsigned what = draw(14), sm = draw(SMS), base = draw(BASES), n = draw(LINES);
    unsigned to = ALL_BUT_ALIAS(base);

    what = w.without >> what & 1 ? 0 : what;
    g_string_append_printf(w.done, "\n  %s sm %u base %u line %u", names[what], sm, base, n);
    switch (what) {
    case 4:
    case 5:
        store(sm, to, n);
        break;
    case 6:
        atomic(sm, to, n);
        break;
    case 7:
        copy(to, n);
        break;
    case 8:
        cpu(to, n);
        break;
    case 9:
        engine(to, n);
        break;
    case 10:
        l2_evict();
        break;
    case 11:
    case 12:
        l2_maintain(what == 12);
        break;
    case 13:
        empty(draw(2 * SMS));
        break;
    default:
        load(sm, base, n);
        break;
    }
}

/* As after a start, but for what memory holds */
static void begin(void)
{
    g_string_truncate(w.done, 0);
    w.without = draw(1 << 14);
    empty(SMS);
    l2_maintain(false);
    l2_maintain(true);
    ioc_page_find(w.rig.soc->ioc, RIG_UNCACHED)->behind = false;
}

/* @_i: the configuration */
START_TEST(a_line_keeps_its_bytes)
{
    open_with(&configs[_i]);
    w.random = 1;
    for (unsigned k = 0; k < WALKS; k++) {
        begin();
        for (unsigned i = 0; i < STEPS; i++) {
            step();
        }
    }
    close_all();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("l1 bytes");
    TCase *t = tcase_create("walks");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_line_keeps_its_bytes, 0, G_N_ELEMENTS(configs));
    suite_add_tcase(s, t);
    return suite_main(s);
}
