/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "runtime/driver/module/fatbin_internal.h"

enum fatbin_form fatbin_form(const struct fatbin *fb)
{
    return fb->form;
}

size_t fatbin_entries(const struct fatbin *fb)
{
    return fb->pieces->len;
}

const struct fatbin_entry *fatbin_entry(const struct fatbin *fb, size_t index)
{
    return index < fb->pieces->len ? &g_array_index(fb->pieces, struct piece, index).entry : NULL;
}

unsigned fatbin_units(const struct fatbin *fb)
{
    return fb->units;
}

int64_t fatbin_unpack(const struct piece *piece, uint8_t *to)
{
    const size_t size = (size_t)piece->entry.size;

    if (piece->entry.packing == FATBIN_ZSTD) {
        size_t got = ZSTD_decompress(to, size, piece->payload, (size_t)piece->payload_bytes);
        return ZSTD_isError(got) ? -1 : (int64_t)got;
    }
    if (piece->entry.packing ==
        FATBIN_LZ4) { /* sizes are below PTX_MAX and 2^32: checked by open */
        if (piece->payload_bytes > INT_MAX) {
            return -1;
        }
        return LZ4_decompress_safe((const char *)piece->payload, (char *)to,
                                   (int)piece->payload_bytes, (int)size);
    }
    memcpy(to, piece->payload, size);
    return (int64_t)size;
}

const char *fatbin_ptx(struct fatbin *fb, size_t index, size_t *size, char **error)
{
    struct piece *piece = &g_array_index(fb->pieces, struct piece, index);

    g_return_val_if_fail(index < fb->pieces->len && piece->entry.kind == FATBIN_KIND_PTX, NULL);
    if (error) {
        *error = NULL;
    }
    if (!piece->text) {
        if (!piece->known && !fatbin_readable(piece->payload, piece->payload_bytes)) {
            fatbin_fail(error, -EFAULT, "the PTX for sm_%u (entry %zu) is not readable memory",
                        piece->entry.sm, index);
            return NULL;
        }
        char *text = g_malloc((size_t)piece->entry.size + 1);
        int64_t got = fatbin_unpack(piece, (uint8_t *)text);
        if (got < 0 || (uint64_t)got != piece->entry.size) {
            fatbin_fail(error, -EINVAL,
                        "the PTX for sm_%u (entry %zu) is damaged: its %" PRIu64
                        " bytes of %s data do not unpack to %" PRIu64 " bytes",
                        piece->entry.sm, index, piece->payload_bytes,
                        piece->entry.packing == FATBIN_ZSTD ? "zstd" : "LZ4", piece->entry.size);
            g_free(text);
            return NULL;
        }
        text[piece->entry.size] = 0;
        piece->text = text;
        piece->text_bytes = strlen(text); /* payloads are padded with NULs */
    }
    if (size) {
        *size = piece->text_bytes;
    }
    return piece->text;
}

/* Is @a the better PTX for @cc? */
static bool entry_is_better(const struct fatbin_entry *a, const struct fatbin_entry *b, unsigned cc)
{
    const bool a_below = a->sm <= cc, b_below = b->sm <= cc;

    if (a->specific != b->specific) {
        return !a->specific;
    }
    if (a_below != b_below) {
        return a_below;
    }
    return a_below ? a->sm > b->sm : a->sm < b->sm;
}

static void unit_select(const struct fatbin *fb, unsigned unit, unsigned cc, size_t *picked,
                        size_t *n)
{
    const struct fatbin_entry *best = NULL;

    for (size_t i = 0; i < fb->pieces->len; i++) {
        const struct fatbin_entry *entry = fatbin_entry(fb, i);
        if (entry->unit != unit || entry->kind != FATBIN_KIND_PTX) {
            continue;
        }
        if (!best || entry_is_better(entry, best, cc)) {
            best = entry;
            picked[*n] = i;
        }
    }
    *n += best != NULL;
}

enum fatbin_choice fatbin_select(const struct fatbin *fb, unsigned cc, size_t *picked, size_t *n)
{
    *n = 0;
    for (unsigned unit = fb->linked ? 1 : 0; unit < fb->units; unit++) {
        unit_select(fb, unit, cc, picked, n);
    }
    if (*n == 0 && fb->linked) {
        unit_select(fb, 0, cc, picked, n);
    }
    if (*n) {
        return FATBIN_CHOICE_PTX;
    }
    return fb->pieces->len ? FATBIN_CHOICE_NO_PTX : FATBIN_CHOICE_EMPTY;
}

static bool unit_is_loadable(const struct fatbin *fb, unsigned unit, unsigned cc)
{
    for (size_t i = 0; i < fb->pieces->len; i++) {
        const struct fatbin_entry *entry = fatbin_entry(fb, i);

        if (entry->unit == unit && fatbin_is_loadable(entry, cc)) {
            return true;
        }
    }
    return false;
}

unsigned fatbin_target(const struct fatbin *fb, unsigned cc, const size_t *picked, size_t n)
{
    unsigned target = 0;

    if (fb->linked && unit_is_loadable(fb, 0, cc)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct fatbin_entry *entry = fatbin_entry(fb, picked[i]);

        if (entry->sm > target && !unit_is_loadable(fb, entry->unit, cc)) {
            target = entry->sm;
        }
    }
    return target;
}

static void text_append_targets(const struct fatbin *fb, enum fatbin_kind kind, const char *what,
                                GString *out)
{
    unsigned done = 0;

    for (size_t i = 0; i < fb->pieces->len; i++) {
        const struct fatbin_entry *entry = fatbin_entry(fb, i);
        bool seen = entry->kind != kind;
        for (size_t j = 0; j < i && !seen; j++) {
            const struct fatbin_entry *before = fatbin_entry(fb, j);
            seen = before->kind == kind && before->sm == entry->sm;
        }
        if (seen) {
            continue;
        }
        g_string_append_printf(out, "%s%ssm_%u", done || out->len == 0 ? "" : "; ",
                               done ? ", " : what, entry->sm);
        done++;
    }
}

char *fatbin_no_ptx_text(const struct fatbin *fb, unsigned cc)
{
    const unsigned target = MAX(cc, 75); /* the lowest that nvcc 13 knows */
    GString *held = g_string_new(NULL);

    text_append_targets(fb, FATBIN_KIND_ELF, "machine code for ", held);
    text_append_targets(fb, FATBIN_KIND_LTO, "link-time intermediate code for ", held);
    if (held->len == 0) {
        g_string_append(held, "nothing");
    }
    char *text = g_strdup_printf("the image holds %s and no PTX, which is what the virtual iGPU "
                                 "(sm_%u) executes: rebuild with "
                                 "PTX embedded, for nvcc without touching build files "
                                 "NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS -cudart shared -gencode "
                                 "arch=compute_%u,code=compute_%u\" make -B",
                                 held->str, cc, target, target);
    g_string_free(held, TRUE);
    return text;
}
