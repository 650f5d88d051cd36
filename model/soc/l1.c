/* SPDX-License-Identifier: MIT */
#include "model/soc/l1.h"

#include <glib.h>
#include <string.h>

/* NEVER: a line stays as long as an SM's L1 may become this large; then it behaves as LRU does. */
#define MASK_NEVER ((1u << 14) - 1)

static struct l1_line none; /* what an SM has that has loaded nothing */

/* l1_loads of the profile: 0 none, 1 those that ask for it, 2 all weak ones. volatile and relaxed
 * of a wider scope than the block's: the L2 */
static bool how_takes(unsigned how, unsigned loads)
{
    bool weak = (how & BUS_HOW_SCOPE) <= BUS_SCOPE_CTA;

    return weak && !(how & (BUS_HOW_PAST | BUS_HOW_ACQUIRE)) &&
           loads >= (how & BUS_HOW_CA ? 1u : 2u);
}

void l1_init(struct l1 *l1, struct l2 *l2, const struct soc_profile *p, enum evict evict,
             uint64_t seed, const uint8_t *moment)
{
    *l1 = (struct l1){
        .evict = evict, .random = seed, .sms = p->gpu.sm_count, .l2 = l2, .moment = moment
    };
    while ((l1->mask + 1) * 2 * BUS_LINE <= p->gpu.l1_bytes) {
        l1->mask = l1->mask * 2 + 1;
    }
    l1->l2_follows_cpu = l2_follows_cpu(l2);
    l1->snoops = p->soc.io_coherent;
    l1->sm = g_new0(struct l1_sm, l1->sms);
    for (unsigned sm = 0; sm < l1->sms; sm++) {
        l1->sm[sm].line = &none;
    }
    l1->page = g_new0(struct l1_page, 1);
    l1->pages = l1->room = 1;
    for (unsigned how = 0; how < BUS_HOWS; how++) {
        l1->takes[how] = how_takes(how, p->gpu.l1_loads);
    }
}

static void sm_free(struct l1_sm *s)
{
    if (s->line != &none) {
        g_free(s->line);
    }
    g_free(s->copy);
}

void l1_fini(struct l1 *l1)
{
    for (unsigned i = 0; i < l1->sms; i++) {
        sm_free(&l1->sm[i]);
    }
    g_free(l1->sm);
    g_free(l1->page);
}

/* --- an SM's lines --- */

static struct l1_sm sm_new(uint32_t mask, uint16_t epoch)
{
    return (struct l1_sm){ .line = g_new0(struct l1_line, (size_t)mask + 1),
                           .mask = mask,
                           .epoch = epoch };
}

static uint8_t *copy_of(struct l1_sm *s, const struct l1_line *line)
{
    if (!s->copy) {
        s->copy = g_malloc(((size_t)s->mask + 1) * sizeof(*s->copy));
    }
    return s->copy[line - s->line];
}

/* Twice as large, with all that is there. */
static void sm_grow(struct l1_sm *s)
{
    struct l1_sm wide = sm_new(s->mask * 2 + 1, s->epoch);

    for (uint32_t i = 0; i <= s->mask; i++) {
        const struct l1_line *line = &s->line[i];
        struct l1_line *to = l1_place(&wide, line->tag);

        if (line->tag && line->epoch == s->epoch) {
            *to = *line;
            if (line->copied) {
                memcpy(copy_of(&wide, to), s->copy[i], BUS_LINE);
            }
        }
    }
    sm_free(s);
    *s = wide;
}

/* The place for a line: what was there leaves. */
static inline struct l1_line *line_take(const struct l1 *l1, unsigned sm, uint64_t tag)
{
    struct l1_sm *s = &l1->sm[sm];
    struct l1_line *line;

    line = l1_place(s, tag);
    if (l1->evict != EVICT_NEVER && line != &none) {
        return line;
    }
    if (line == &none) {
        *s = sm_new(l1->mask, s->epoch);
    }
    for (line = l1_place(s, tag);
         line->tag && line->epoch == s->epoch && l1->evict == EVICT_NEVER && s->mask < MASK_NEVER;
         line = l1_place(s, tag)) {
        sm_grow(s);
    }
    return line;
}

const uint8_t *l1_keep(struct l1 *l1, unsigned sm, struct l1_line *line)
{
    uint8_t *to = copy_of(&l1->sm[sm], line);
    unsigned off = l1_offset(line->tag);
    struct l1_page *h = &l1->page[line->page];

    if (line->below->birth == line->birth) {
        memcpy(to, l2_line_bytes(line->below), BUS_LINE);
    } else {
        memcpy(to, h->page->dram + off, BUS_LINE);
        l2_look(l1->l2, h->page->pa + off, to);
    }
    line->copied = true;
    h->copied[off / BUS_LINE] |= (l1_mask)(1u << sm % L1_BITS);
    return to;
}

/* The bytes behind the L2, as a read through the port would get them: a line that the CPU's caches
 * have dirty, or will when they are looked at, answers for DRAM. */
static void behind_look(const struct l1 *l1, const struct ioc_page *p, unsigned off, uint8_t *now)
{
    const uint8_t *known = p->twin ? p->twin : p->dram;

    memcpy(now, p->dram + off, BUS_LINE);
    for (unsigned at = off; l1->snoops && p->view && at < off + BUS_LINE; at += IOC_LINE) {
        if (p->dirty >> at / IOC_LINE & 1 || memcmp(p->view + at, known + at, IOC_LINE) != 0) {
            memcpy(now + (at - off), p->view + at, IOC_LINE);
        }
    }
}

bool l1_is_old(const struct l1 *l1, const struct l1_line *line, const uint8_t *bytes,
               const struct bus_mask *want)
{
    const struct ioc_page *p = l1_line_page(l1, line);
    unsigned off = l1_offset(line->tag);
    uint8_t now[BUS_LINE];

    if (l1->l2_follows_cpu && p->view) { /* then it holds what the L2 does */
        memcpy(now, p->view + off, BUS_LINE);
    } else {
        behind_look(l1, p, off, now);
        l2_look(l1->l2, p->pa + off, now);
    }
    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (want->word[i / 64] >> i % 64 & 1 && now[i] != bytes[i]) {
            return true;
        }
    }
    return false;
}

/* --- who holds a page's lines --- */

static __attribute__((noinline)) struct l1_page *page_add(struct l1 *l1, struct ioc_page *page,
                                                          uint64_t tag)
{
    struct l1_page *h;

    if (l1->pages == l1->room) {
        l1->room *= 2;
        l1->page = g_renew(struct l1_page, l1->page, l1->room);
    }
    page->held = l1->pages;
    h = &l1->page[l1->pages++];
    *h = (struct l1_page){ .page = page, .tag = tag };
    return h;
}

static inline struct l1_page *page_note(struct l1 *l1, unsigned sm, uint64_t tag,
                                        struct ioc_page *page)
{
    unsigned off = l1_offset(tag);
    struct l1_page *h = l1_page_of(l1, page);

    h = h ? h : page_add(l1, page, tag - ((uint64_t)off << 5));
    h->held[off / BUS_LINE] |= (l1_mask)(1u << sm % L1_BITS);
    return h;
}

/* May a line that comes by this address be without bytes of its own? */
static inline bool page_is_lazy(const struct l1 *l1, const struct l1_page *h, uint64_t tag)
{
    return h->tag == tag - ((uint64_t)l1_offset(tag) << 5) &&
           !(l1->l2_follows_cpu && h->page->view);
}

/* All SMs but one that have the line get bytes of their own. */
static void others_keep(struct l1 *l1, struct l1_page *h, unsigned i, unsigned but)
{
    uint32_t todo = h->held[i], own = but < l1->sms ? 1u << but % L1_BITS : 0;
    uint64_t tag = h->tag + ((uint64_t)i * BUS_LINE << 5);

    if (l1->sms <= L1_BITS) {
        todo &= ~own;
    }
    for (uint32_t bits = todo; bits; bits &= bits - 1) {
        for (unsigned sm = (unsigned)__builtin_ctz(bits); sm < l1->sms; sm += L1_BITS) {
            struct l1_line *line = sm != but ? l1_find(l1, sm, tag) : NULL;

            if (line && !line->copied) {
                l1_keep(l1, sm, line);
            }
        }
    }
    h->held[i] &= (l1_mask)(own | ~todo);
}

/* The SM that changes the line by this address, if it is the one the others have it by */
static unsigned page_changer(const struct l1_page *h, unsigned sm, uint64_t tag)
{
    return h->tag == tag - ((uint64_t)l1_offset(tag) << 5) ? sm : BUS_NO_SM;
}

static void bytes_put(uint8_t *to, const uint8_t *from, const struct bus_mask *mask)
{
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t bits = mask->word[w]; bits; bits &= bits - 1) {
            unsigned i = 64 * w + (unsigned)__builtin_ctzll(bits);

            to[i] = from[i];
        }
    }
}

void l1_follow(struct l1 *l1, struct l1_page *h, unsigned sm, uint64_t tag, const uint8_t *data,
               const struct bus_mask *mask)
{
    unsigned i = l1_offset(tag) / BUS_LINE;
    struct l1_line *own;

    others_keep(l1, h, i, page_changer(h, sm, tag));
    own = h->copied[i] ? l1_find(l1, sm, tag) : NULL;
    if (own && own->copied) {
        bytes_put(copy_of(&l1->sm[sm], own), data, mask);
    }
}

void l1_leave(struct l1 *l1, struct l1_page *h, unsigned sm, uint64_t tag)
{
    struct l1_line *own = l1_find(l1, sm, tag);

    others_keep(l1, h, l1_offset(tag) / BUS_LINE, page_changer(h, sm, tag));
    if (own) {
        own->tag = 0;
    }
}

static void all_keep(struct l1 *l1, struct l1_page *h, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        if (h->held[i]) {
            others_keep(l1, h, i, BUS_NO_SM);
        }
    }
}

void l1_before_change(struct l1 *l1, const struct ioc_page *page, unsigned off, unsigned len)
{
    struct l1_page *h = l1_page_of(l1, page);

    if (h && len) {
        all_keep(l1, h, off / BUS_LINE, (off + len - 1) / BUS_LINE);
    }
}

void l1_keep_all(struct l1 *l1)
{
    for (uint32_t k = 1; k < l1->pages; k++) {
        all_keep(l1, &l1->page[k], 0, L1_PAGE_LINES - 1);
    }
}

/* --- fills --- */

static void moments_put(struct l1_line *line, unsigned sectors, uint8_t moment)
{
    for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
        line->moment[s] = sectors >> s & 1 ? moment : line->moment[s];
    }
}

const uint8_t *l1_fill_more(struct l1 *l1, unsigned sm, struct l1_line *line, const uint8_t *from,
                            unsigned sectors)
{
    const struct l2_line *below = l2_line_of(from);
    const struct l1_page *h = page_note(l1, sm, line->tag, below->page);
    bool lazy =
        page_is_lazy(l1, h, line->tag) && line->below == below && line->birth == below->birth;
    uint8_t *to;

    if (!line->copied && !lazy) {
        l1_keep(l1, sm, line);
    }
    line->sectors |= sectors & BUS_SECTORS_ALL;
    moments_put(line, sectors, *l1->moment);
    if (!line->copied) {
        return from;
    }
    to = copy_of(&l1->sm[sm], line);
    for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
        if (sectors >> s & 1) {
            memcpy(to + s * BUS_SECTOR, from + s * BUS_SECTOR, BUS_SECTOR);
        }
    }
    return to;
}

const uint8_t *l1_fill(struct l1 *l1, unsigned sm, uint64_t tag, const uint8_t *from,
                       unsigned sectors)
{
    const struct l2_line *below = l2_line_of(from);
    struct l1_line *line = line_take(l1, sm, tag);
    const struct l1_page *h = page_note(l1, sm, tag, below->page);

    *line = (struct l1_line){ .tag = tag,
                              .birth = below->birth & L1_BIRTHS,
                              .below = below,
                              .epoch = l1->sm[sm].epoch,
                              .page = (uint32_t)(h - l1->page) & L1_PAGES_MAX,
                              .sectors = sectors & BUS_SECTORS_ALL };
    memset(line->moment, *l1->moment, sizeof(line->moment));
    return page_is_lazy(l1, h, tag) ? from : l1_keep(l1, sm, line);
}

/* --- what leaves --- */

static void sm_empty(struct l1_sm *s)
{
    if (++s->epoch == 0 && s->line != &none) { /* nothing is left of the first one */
        memset(s->line, 0, sizeof(*s->line) * ((size_t)s->mask + 1));
    }
}

void l1_empty(struct l1 *l1, unsigned sm)
{
    if (sm < l1->sms) {
        sm_empty(&l1->sm[sm]);
        return;
    }
    for (unsigned i = 0; i < l1->sms; i++) {
        sm_empty(&l1->sm[i]);
    }
    l1->pages = 1;
}

void l1_evict_some(struct l1 *l1)
{
    unsigned sm;

    if (l1->evict == EVICT_SEEDED) {
        l1->random = l1->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sm = (unsigned)(l1->random >> 33) % (2 * l1->sms);
        if (sm < l1->sms) {
            l1_empty(l1, sm);
        }
    }
}
