/* SPDX-License-Identifier: MIT */
/* What the operators of ONNX compute, in plain C on floats: constants are folded with it, and it is
 * the reference that loadables are compared with. Source: onnx/docs/Operators.md. */
#ifndef DLABUILD_ONNX_EVAL_H
#define DLABUILD_ONNX_EVAL_H

#include "dlabuild/onnx/model.h"

#define ONNX_MAX_ENDS 64u

/**
 * struct onnx_call - a node to compute
 * @in: its inputs; NULL: left out
 * @out: its outputs, made by the operator
 * @shapes_only: the shapes of the outputs are wanted: what takes long leaves out their numbers
 * @why: what is wrong, after a failure
 */
struct onnx_call {
    const Onnx__Node *node;
    int64_t opset;
    struct onnx_value *in[ONNX_MAX_ENDS];
    unsigned ins;
    gboolean shapes_only;
    struct onnx_value *out[ONNX_MAX_ENDS];
    char why[160];
};

/**
 * onnx_eval - compute a node
 *
 * Return: FALSE with @call->why: an operator that is not known, or inputs that do not fit.
 */
gboolean onnx_eval(struct onnx_call *call);
gboolean onnx_eval_known(const char *op);

/* --- for the operators --- */
gboolean eval_fail(struct onnx_call *c, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Output 0 of that shape; NULL after an error. */
struct onnx_value *eval_out(struct onnx_call *c, enum onnx_type type, unsigned rank,
                            const int64_t *dims);
/* Input @i, which must be there; NULL after an error. */
struct onnx_value *eval_in(struct onnx_call *c, unsigned i);
/* Input @i as integers; FALSE: it is not there, or longer than @max. */
gboolean eval_in_ints(struct onnx_call *c, unsigned i, int64_t *v, unsigned max, unsigned *n);
/* An axis of -rank .. rank - 1 as 0 .. rank - 1; FALSE with an error. */
gboolean eval_axis(struct onnx_call *c, int64_t axis, unsigned rank, unsigned *out);
/* Axes of attribute "axes" or input @input; all of none are given. @mark: [rank] */
gboolean eval_axes(struct onnx_call *c, unsigned input, unsigned rank, gboolean *mark,
                   gboolean *given);

typedef gboolean onnx_eval_fn(struct onnx_call *c);
#define X(name) gboolean eval_##name(struct onnx_call *c);
#include "dlabuild/onnx/eval.def"
#undef X

/* A function of one number, by the operator's name and attributes; FALSE: it is none. */
struct onnx_unary {
    const char *name;
    double (*f)(double x, const double *arg);
    double arg[4];
};
gboolean onnx_unary_find(const Onnx__Node *n, int64_t opset, struct onnx_unary *u);

/**
 * struct onnx_window - of a convolution or pool along up to three axes
 * @pad: before, after
 */
struct onnx_window {
    unsigned axes;
    int64_t in[3], size[3], stride[3], dilation[3], pad[3][2], out[3];
};
/* @in: shape of the input, N C and the axes; @kernel: sizes, NULL: the attribute. @why: after FALSE
 */
gboolean onnx_window_of(const Onnx__Node *n, unsigned rank, const int64_t *in,
                        const int64_t *kernel, struct onnx_window *w, char *why, size_t size);
/* The same of a transposed convolution: @pad is cut from the result. */
gboolean onnx_window_transposed(const Onnx__Node *n, unsigned rank, const int64_t *in,
                                const int64_t *kernel, struct onnx_window *w, char *why,
                                size_t size);

/* Scales of a resize and the shape it makes of input 0. */
gboolean onnx_resize_scales(struct onnx_call *c, double *scale, int64_t *dims);
/* Along an axis of @in numbers, number @i of @out is (1 - part) * [@from] + part * [@next].
 * Return: part, 0 unless @linear. */
double onnx_resize_part(const struct onnx_call *c, gboolean linear, double scale, int64_t i,
                        int64_t in, int64_t out, int64_t *from, int64_t *next);

#endif
