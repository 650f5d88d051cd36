/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/value.h"

#include <string.h>

gboolean onnx_count(unsigned rank, const int64_t *dims, size_t *count)
{
    uint64_t n = 1;
    gboolean empty = FALSE;

    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] < 0 || (uint64_t)dims[i] > ONNX_MAX_COUNT) {
            return FALSE;
        }
        empty |= dims[i] == 0;
        n *= dims[i] ? (uint64_t)dims[i] : 1;
        if (n > ONNX_MAX_COUNT) {
            return FALSE;
        }
    }
    *count = empty ? 0 : (size_t)n;
    return TRUE;
}

struct onnx_value *onnx_value_new(enum onnx_type type, unsigned rank, const int64_t *dims)
{
    struct onnx_value *v;
    size_t count;

    if (rank > ONNX_MAX_RANK || !onnx_count(rank, dims, &count)) {
        return NULL;
    }
    v = g_rc_box_new0(struct onnx_value);
    v->type = type;
    v->rank = rank;
    v->count = count;
    if (rank) {
        memcpy(v->dims, dims, rank * sizeof(*dims));
    }
    v->v = g_new0(float, count + 1);
    return v;
}

struct onnx_value *onnx_value_ref(struct onnx_value *v)
{
    return g_rc_box_acquire(v);
}

static void value_clear(gpointer v)
{
    g_free(((struct onnx_value *)v)->v);
}

void onnx_value_unref(struct onnx_value *v)
{
    if (v) {
        g_rc_box_release_full(v, value_clear);
    }
}

char *onnx_shape_text(unsigned rank, const int64_t *dims)
{
    GString *s = g_string_new(rank ? NULL : "a scalar");

    for (unsigned i = 0; i < rank; i++) {
        g_string_append_printf(s, "%s%" G_GINT64_FORMAT, i ? "x" : "", dims[i]);
    }
    return g_string_free(s, FALSE);
}

gboolean onnx_broadcast(unsigned rank_a, const int64_t *a, unsigned rank_b, const int64_t *b,
                        unsigned *rank, int64_t *dims)
{
    *rank = MAX(rank_a, rank_b);
    for (unsigned i = 0; i < *rank; i++) { /* from the last dimension */
        int64_t x = i < rank_a ? a[rank_a - 1 - i] : 1, y = i < rank_b ? b[rank_b - 1 - i] : 1;

        if (x != y && x != 1 && y != 1) {
            return FALSE;
        }
        dims[*rank - 1 - i] = x == 1 ? y : x;
    }
    return TRUE;
}

void onnx_broadcast_strides(const struct onnx_value *v, unsigned rank, size_t *strides)
{
    size_t step = 1;

    for (unsigned i = 0; i < rank; i++) {
        int64_t d = i < v->rank ? v->dims[v->rank - 1 - i] : 1;

        strides[rank - 1 - i] = d == 1 ? 0 : step;
        step *= (size_t)d;
    }
}
