/* SPDX-License-Identifier: MIT */
/* Labels: the calls that made engines work. Each stream has its own, so a program that makes
 * streams for ever makes labels for ever. Those that nothing refers to any more go, and their
 * numbers are used again. */
#include <inttypes.h>
#include <string.h>

#include "checker/hb/hb_internal.h"

#define CROWDED 1024u

void hb_label_free(gpointer data)
{
    struct hb_label *l = data;

    if (l) {
        g_free(l->name);
        g_free(l->where);
        g_free(l->at);
        g_free(l);
    }
}

void hb_labels_open(struct hb *hb)
{
    hb->labels = g_ptr_array_new_with_free_func(hb_label_free);
    hb->labels_free = g_array_new(FALSE, FALSE, sizeof(guint));
    hb->label_by_text = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    hb->labels_crowd = CROWDED;
}

void hb_labels_close(struct hb *hb)
{
    g_hash_table_destroy(hb->label_by_text);
    g_array_unref(hb->labels_free);
    g_ptr_array_free(hb->labels, TRUE);
}

struct hb_label *hb_label(const struct hb *hb, uint64_t site)
{
    return hb->labels->pdata[site & ~HB_SITE_LABEL];
}

static char *label_text(const char *name, const char *where, const char *at, uint32_t stream,
                        bool staged)
{
    return g_strdup_printf("%s\n%s\n%s\n%u%s", name, where ? where : "", at ? at : "", stream,
                           staged ? " staged" : "");
}

/* Return: its index. */
static guint label_add(struct hb *hb, struct hb_label *l)
{
    guint index;

    if (hb->labels_free->len == 0) {
        g_ptr_array_add(hb->labels, l);
        return hb->labels->len - 1;
    }
    index = g_array_index(hb->labels_free, guint, hb->labels_free->len - 1);
    g_array_set_size(hb->labels_free, hb->labels_free->len - 1);
    hb->labels->pdata[index] = l;
    return index;
}

/* Taken instead of a search by text for the label that was found last, if that is still there: a
 * loop of launches (test_hb_many). */
static bool label_is_last(const struct hb *hb, const char *name, const char *where, const char *at,
                          uint32_t stream, bool staged)
{
    const struct hb_label *l =
        hb->label_last < hb->labels->len ? hb->labels->pdata[hb->label_last] : NULL;

    return l && l->stream == stream && l->staged == staged && strcmp(l->name, name) == 0 &&
           g_strcmp0(l->where, where) == 0 && g_strcmp0(l->at, at) == 0;
}

static uint64_t label_get(struct hb *hb, const char *name, const char *where, const char *at,
                          uint32_t stream, bool staged)
{
    g_autofree char *text = NULL;
    struct hb_label *l;
    guint number;

    if (label_is_last(hb, name, where, at, stream, staged)) {
        return HB_SITE_LABEL | hb->label_last;
    }
    text = label_text(name, where, at, stream, staged);
    number = GPOINTER_TO_UINT(g_hash_table_lookup(hb->label_by_text, text));
    if (!number) {
        l = g_new0(struct hb_label, 1);
        l->name = g_strdup(name);
        l->where = g_strdup(where);
        l->at = g_strdup(at);
        l->stream = stream;
        l->staged = staged;
        number = label_add(hb, l) + 1;
        g_hash_table_insert(hb->label_by_text, g_steal_pointer(&text), GUINT_TO_POINTER(number));
    }
    hb->label_last = number - 1;
    return HB_SITE_LABEL | (number - 1);
}

uint64_t hb_label_get(struct hb *hb, const char *name, const char *where, const char *at,
                      uint32_t stream)
{
    return label_get(hb, name, where, at, stream, false);
}

uint64_t hb_label_staged(struct hb *hb, const char *name, const char *where, uint32_t stream)
{
    return label_get(hb, name, where, NULL, stream, true);
}

uint64_t hb_label_foreign(struct hb *hb, struct hb_agent *a)
{
    g_autofree char *name = NULL;

    if (!a->site) {
        name = g_strdup_printf("%s of process %" PRIu32, a->kind == HB_CPU ? "the CPU" : "work",
                               a->process);
        a->site = hb_label_get(hb, name, NULL, NULL, HB_NO_STREAM);
        hb_label(hb, a->site)->process = a->process;
    }
    return a->site;
}

uint64_t hb_label_flag(struct hb *hb, uint64_t site)
{
    const struct hb_label *l = site & HB_SITE_LABEL ? hb_label(hb, site) : NULL;

    if (l && l->grid_id && l->at) {
        l = hb_label(hb, hb_label_get(hb, l->name, l->where, NULL, l->stream));
    }
    return l ? l->flag : 0;
}

static uint64_t label_at(struct hb *hb, uint64_t site, uint64_t place)
{
    const struct hb_label *l = hb_label(hb, site);
    g_autofree char *key = g_strdup_printf("%" PRIu64 " %" PRIu64, l->code, place >> 32);
    const char *path = g_hash_table_lookup(hb->files, key);
    g_autofree char *at = path ? g_strdup_printf("%s:%" PRIu32, path, (uint32_t)place) : NULL;
    uint64_t there = site;

    if (at) {
        uint32_t grid_id = l->grid_id;

        there = hb_label_get(hb, l->name, l->where, at, l->stream);
        hb_label(hb, there)->grid_id = grid_id;
    }
    return there;
}

uint64_t hb_label_at(struct hb *hb, uint64_t site, uint64_t place)
{
    struct hb_at *at = &hb->at[(site ^ place ^ place >> 32) % HB_ATS];

    if (at->site != site || at->place != place) {
        *at = (struct hb_at){ site, place, label_at(hb, site, place) };
    }
    return at->there;
}

/* --- those that nothing refers to ------------------------------------------------------------- */

/* @opaque: a byte for each label. */
static void hb_labels_use(uint64_t site, void *opaque)
{
    if (site & HB_SITE_LABEL) {
        ((uint8_t *)opaque)[site & ~HB_SITE_LABEL] = true;
    }
}

static void uses_mark(const struct hb *hb, uint8_t *used)
{
    GHashTableIter iter;
    gpointer number;

    hb_labels_use(hb->label, used);
    hb_labels_use(hb->claim.event, used);
    for (unsigned i = 0; hb->events && i < HB_EVENTS; i++) {
        hb_labels_use(hb->events[i].site, used);
    }
    for (unsigned i = 0; i < HB_SYNCS; i++) {
        hb_labels_use(hb->syncs[i].site, used);
    }
    for (unsigned i = 0; i < HB_FRAMES; i++) {
        hb_labels_use(hb->frames[i].site, used);
    }
    for (unsigned i = 0; i < HB_FUNCTIONS; i++) {
        hb_labels_use(hb->functions[i].site, used);
    }
    hb_labels_use(hb->function_site, used);
    g_hash_table_iter_init(&iter, hb->grids);
    while (g_hash_table_iter_next(&iter, NULL, &number)) {
        used[GPOINTER_TO_UINT(number) - 1] = true;
    }
    hb_clocks_sites(hb->clocks, hb_labels_use, used);
    hb_pairs_sites(hb, hb_labels_use, used);
    if (hb->cells) {
        hb_cells_sites(hb->cells, hb_labels_use, used);
    }
}

static void label_drop(struct hb *hb, guint index)
{
    struct hb_label *l = hb->labels->pdata[index];
    g_autofree char *text = label_text(l->name, l->where, l->at, l->stream, l->staged);

    g_hash_table_remove(hb->label_by_text, text);
    hb_label_free(l);
    hb->labels->pdata[index] = NULL;
    g_array_append_val(hb->labels_free, index);
}

void hb_labels_tidy(struct hb *hb)
{
    g_autofree uint8_t *used = NULL;
    guint live;

    if (hb->labels->len - hb->labels_free->len <= hb->labels_crowd) {
        return;
    }
    if (hb->cells) {
        hb_cells_tidy(hb);
    }
    used = g_new0(uint8_t, hb->labels->len);
    uses_mark(hb, used);
    for (guint i = 0; i < hb->labels->len; i++) {
        if (hb->labels->pdata[i] && used[i]) {
            hb_labels_use(hb_label(hb, HB_SITE_LABEL | i)->flag, used);
        }
    }
    memset(hb->at, 0, sizeof(hb->at));
    for (guint i = hb->labels->len; i > 0; i--) {
        if (hb->labels->pdata[i - 1] && !used[i - 1]) {
            label_drop(hb, i - 1);
        }
    }
    live = hb->labels->len - hb->labels_free->len;
    hb->labels_crowd = MAX(CROWDED, live * 4);
}
