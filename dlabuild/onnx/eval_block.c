/* SPDX-License-Identifier: MIT */
/* Blocks of pixels as channels, and back. */
#include <string.h>

#include "dlabuild/onnx/eval.h"

static gboolean block_of(struct onnx_call *c, struct onnx_value *x, int64_t *b)
{
    *b = onnx_int(c->node, "blocksize", 0);
    return (x && x->rank == 4 && *b >= 1 && *b <= 64) ||
           eval_fail(c, "a tensor of rank 4 and a blocksize of 1 to 64");
}

gboolean eval_depth_to_space(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    gboolean crd = onnx_text_is(c->node, "mode", "CRD");
    int64_t b, d[4];

    if (!block_of(c, x, &b) || x->dims[1] % (b * b)) {
        return eval_fail(c, "channels are no multiple of the block");
    }
    memcpy(d, x->dims, sizeof(d));
    d[1] /= b * b;
    d[2] *= b;
    d[3] *= b;
    y = eval_out(c, x->type, 4, d);
    for (size_t i = 0; y && i < y->count; i++) {
        int64_t w = (int64_t)i % d[3], h = (int64_t)i / d[3] % d[2],
                k = (int64_t)i / d[3] / d[2] % d[1], n = (int64_t)i / d[3] / d[2] / d[1],
                phase = h % b * b + w % b;
        int64_t from = crd ? k * b * b + phase : phase * d[1] + k;

        y->v[i] = x->v[((n * x->dims[1] + from) * x->dims[2] + h / b) * x->dims[3] + w / b];
    }
    return y != NULL;
}

gboolean eval_space_to_depth(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t b, d[4];

    if (!block_of(c, x, &b) || x->dims[2] % b || x->dims[3] % b) {
        return eval_fail(c, "sizes are no multiple of the block");
    }
    memcpy(d, x->dims, sizeof(d));
    d[1] *= b * b;
    d[2] /= b;
    d[3] /= b;
    y = eval_out(c, x->type, 4, d);
    for (size_t i = 0; y && i < y->count; i++) {
        int64_t w = (int64_t)i % d[3], h = (int64_t)i / d[3] % d[2],
                k = (int64_t)i / d[3] / d[2] % d[1], n = (int64_t)i / d[3] / d[2] / d[1],
                phase = k / x->dims[1];

        y->v[i] =
            x->v[((n * x->dims[1] + k % x->dims[1]) * x->dims[2] + h * b + phase / b) * x->dims[3] +
                 w * b + phase % b];
    }
    return y != NULL;
}
