/* SPDX-License-Identifier: MIT */
/* An ONNX graph as a description of layers. Constants are folded, what moves no number disappears,
 * and steps that the SDP does behind a layer are put there. */
#ifndef DLABUILD_ONNX_IMPORT_H
#define DLABUILD_ONNX_IMPORT_H

#include "dlabuild/build.h"
#include "dlabuild/onnx/eval.h"

/**
 * struct onnx_options - how to import
 * @config: of the hardware
 * @shapes: name -> struct onnx_value whose dims are the input's; NULL: none
 * @constants: name -> struct onnx_value: an input that is a parameter; NULL: none
 * @scales: tensor of the loadable -> double: int8 for a float model; NULL: fp16
 * @layers_of_int8: fp16, in the layers that int8 would have: for calibration
 * @refused: where the node goes that is refused (NULL: the reason is no node's); NULL: not wanted
 */
struct onnx_options {
    const char *config;
    GHashTable *shapes, *constants;
    GHashTable *scales;
    gboolean layers_of_int8;
    const Onnx__Node **refused;
};

/* Shapes and constants (tables, not NULL) are for inputs that @m has; FALSE with @error. */
gboolean onnx_options_check(const struct onnx_model *m, const struct onnx_options *o,
                            GError **error);

/**
 * struct onnx_end - an input or output of the loadable
 * @name: in the graph
 * @cube: channels, height, width
 * @runs: items of the batch; the loadable computes one
 * @scale: a number of int8 times it is the value; 0: numbers are fp16
 */
struct onnx_end {
    char *name;
    uint32_t cube[3];
    int64_t runs;
    double scale;
    unsigned rank;
    int64_t dims[ONNX_MAX_RANK];
};

/**
 * struct onnx_import - the result
 * @description, @data: for build_description()
 * @inputs, @outputs: struct onnx_end in the loadable's order
 * @layers: name of a layer -> name of the graph's value that it makes with all its steps
 * @scales: of an int8 loadable: tensor -> double; empty: it is one in fp16
 * @channels: tensor -> its channels
 */
struct onnx_import {
    JsonNode *description;
    GPtrArray *data, *inputs, *outputs;
    GHashTable *layers, *scales, *channels;
};

void onnx_scale_set(struct onnx_import *r, const char *tensor, double scale);

/* NULL with @error, which names the node, its operator and why. */
struct onnx_import *onnx_import(const struct onnx_model *m, const struct onnx_options *options,
                                GError **error);
void onnx_import_free(struct onnx_import *r);

/* --- between the files of the importer --- */
/**
 * struct value - what a name of the graph stands for
 * @constant: numbers; else a tensor of the network:
 * @tensor: its name there, NULL: an input that no layer has used yet
 * @rank, @dims: as the graph sees it; @runs: items of the batch
 * @cube: as the DLA sees one item
 * @moved: where number i of an item lies in the cube; NULL: at i
 * @layer: what made it, as long as it may take further steps; @order: its place among the layers
 */
struct value {
    struct onnx_value *constant;
    char *tensor;
    const char *name;
    unsigned rank;
    int64_t dims[ONNX_MAX_RANK], runs;
    uint32_t cube[3];
    struct onnx_value *moved;
    JsonObject *layer;
    unsigned order, uses;
};

struct import {
    const struct onnx_model *m;
    const struct onnx_options *options;
    const struct dla_config *cfg;
    char *folder;
    const Onnx__Node *node; /* under way */
    struct onnx_call *call; /* its inputs that are constants */
    GHashTable *values;     /* name -> struct value */
    GHashTable *packed;     /* name -> Onnx__Tensor: every initialiser */
    GPtrArray *all;         /* struct value */
    JsonArray *layers, *inputs;
    struct onnx_import *out;
    unsigned names;
    gboolean quantised;        /* QuantizeLinear and DequantizeLinear stand between its nodes */
    GHashTable *weight_scales; /* name of a constant -> struct onnx_value of its scales */
    GError *error;
};

/* The node under way cannot be built: operator, node and @format. */
gboolean import_refuse(struct import *im, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Why no NVDLA has the operator of @n; NULL: it may have. */
const char *import_operator_beyond(const Onnx__Node *n, int64_t opset);
/* The node under way, whose inputs are known. */
gboolean import_node(struct import *im);
gboolean import_inputs_known(struct import *im);
/* Lives as long as @im. */
struct value *import_value_new(struct import *im);
/* A constant, taken over. */
struct value *import_value_of(struct import *im, struct onnx_value *c);
/* What @name stands for; an initialiser is unpacked. NULL: nothing is called so. */
struct value *import_find(struct import *im, const char *name);
/* All are checked; large ones stay packed until a node uses them. */
gboolean import_initializers_read(struct import *im);
/* The node is done: its large initialisers go, but for those that an output still is. */
void import_initializers_drop(struct import *im);
/* Input @i of the node; NULL: left out. */
struct value *import_in(struct import *im, unsigned i);
/* Input @i, which must be a constant; NULL: left out. An error if it is computed. */
struct onnx_value *import_constant(struct import *im, unsigned i);
/* Input @i as a tensor of the network whose cube is that of its shape; NULL after an error. */
struct value *import_tensor(struct import *im, unsigned i);
/* @v as such a tensor; a constant becomes one. */
struct value *import_settle(struct import *im, struct value *v);
void import_cube(unsigned rank, const int64_t *dims, int64_t *runs, uint32_t *cube);
/* Output @i of the node is @v. */
void import_set(struct import *im, unsigned i, struct value *v);

/* A name that the description takes: of the node's output, and new. g_free() it. */
char *import_name(struct import *im);
/* A layer of that type on @in; NULL: it names its inputs itself. */
JsonObject *import_layer(struct import *im, const char *type, const struct value *in);
/* What @layer makes: @cube, of which the graph sees @dims. */
struct value *import_made(struct import *im, JsonObject *layer, const uint32_t *cube, unsigned rank,
                          const int64_t *dims, int64_t runs);
/* The same of the shape of @like. */
struct value *import_like(struct import *im, JsonObject *layer, const struct value *like);
/* { "data": n } of numbers that are taken over, or copied. */
JsonObject *import_data(struct import *im, float *v, size_t count);
JsonObject *import_fill(struct import *im, float v, size_t count);
/* The scales of constant input @i, if the model has them, go with @layer. */
void import_weight_scale(struct import *im, JsonObject *layer, unsigned i);
struct build_data *import_data_of(struct import *im, JsonObject *o, const char *key);
void import_ints(JsonObject *o, const char *key, unsigned n, const int64_t *v);
void import_text(JsonObject *o, const char *key, const char *text);
size_t import_count(const struct value *v);

/* --- import_point.c: steps of the SDP; each returns what has them done --- */
struct value *point_scale(struct import *im, struct value *x, float *scale, float *offset);
struct value *point_channels(struct import *im, struct value *x, const char *op, float *v);
struct value *point_elements(struct import *im, struct value *x, const char *op, float *v);
struct value *point_relu_of(struct import *im, struct value *x);
struct value *point_slope(struct import *im, struct value *x, float *slope);
struct value *point_bounds(struct import *im, struct value *x, float low, float high);
struct value *point_table_of(struct import *im, struct value *x, const char *function,
                             const double *arg, int range);
struct value *point_two(struct import *im, struct value *a, struct value *b, const char *op);
struct value *point_copy(struct import *im, struct value *x);
struct value *point_bias_of(struct import *im, struct value *x, float *bias);

/* @n times @v. */
float *point_fill(size_t n, float v);
/* @v with the cube that it has, or on its first use that of its shape. */
struct value *import_any(struct import *im, struct value *v);
/* @y sees its numbers as @x does. */
void import_keep_view(const struct value *x, struct value *y);

/* --- import_move.c --- */
enum { AXIS_C, AXIS_H, AXIS_W };
struct value *move_gather(struct import *im, struct value *x, int axis, const int64_t *from,
                          uint32_t count);
struct value *move_concat(struct import *im, struct value *const *parts, unsigned n, int axis);
struct value *move_slice(struct import *im, struct value *x, const int64_t *first,
                         const int64_t *shape);
struct value *move_expand(struct import *im, struct value *x, const uint32_t *cube);
/* The axis of the cube that @axis of a tensor of @rank is; -1: the batch, or none. */
int move_axis(unsigned rank, int64_t axis);

typedef gboolean import_fn(struct import *im);
#define X(name) gboolean import_##name(struct import *im);
#include "dlabuild/onnx/import.def"
#undef X

#endif
