/* SPDX-License-Identifier: MIT */
/* The builder of vtegra dla build: from a JSON description of layers to a loadable.
 * docs/dla-build.md has the format.
 *
 * Steps: file.c reads the description with json.c, which reads values and data, layer.c, conv.c and
 * point.c turn each layer into operations, plan.c gives every tensor its place and every operation
 * its dependencies, and writes the file. An error is remembered in build.error and work goes on
 * with harmless values, so only the first one counts; each names the JSON path.
 */
#ifndef DLABUILD_BUILD_H
#define DLABUILD_BUILD_H

#include <json-glib/json-glib.h>

#include "dlabuild/half.h"
#include "loadable/desc.h"
#include "loadable/loadable.h"
#include "model/dla/dla.h"

#define DLA_BUILD_ERROR g_quark_from_static_string("vtegra-dla-build")

/* An object of the description, and how to get there: "layers[3].bias". */
struct json_at {
    JsonObject *object;
    char path[128];
};

/**
 * struct tensor - a cube between layers
 * @parent, @first_channel, @first_line, @first_column: the tensor it is a part of (concat, split,
 *     slices, what one operation of several does), and from where on
 * @is_constant, @constant: it lies in the weights, from there on
 * @pixel_format: DESC_FEATURE, or an image's
 * @made, @used: first group that writes it, last group that reads it; -1: none
 * @input, @output: index among the network's inputs or outputs, -1: neither
 * @memory, @offset: where it lies, when planned; parts are at their parent's
 * @address: index into the task's address list
 */
struct tensor {
    char *name;
    struct tensor *parent;
    uint32_t first_channel, first_line, first_column, channels, height, width;
    gboolean is_constant;
    uint64_t constant;
    enum dla_precision precision;
    int pixel_format;
    int made, used, input, output;
    unsigned memory;
    uint64_t offset;
    int address;
    /* an image's conversion on the way in: (x - offset) * scale >> shift */
    int32_t cvt_offset, cvt_scale, cvt_shift, mean[4];
    gboolean use_mean;
};

/* A cube of an operation's surface descriptor that lies in memory: a tensor, or @bytes constant. */
struct cube_ref {
    unsigned cube;
    struct tensor *tensor;
    uint64_t constant;
    uint32_t bytes;
    gboolean is_constant;
    uint32_t repeat_line; /* that many times the one line of @tensor */
};

/* An operation. @group: operations that run as one have the same. */
struct build_op {
    enum desc_op type;
    int group;
    char *name;
    uint8_t common[DESC_BYTES_COMMON], desc[DESC_OPERATION_BYTES], surface[DESC_SURFACE_BYTES];
    struct cube_ref ref[5];
    unsigned refs;
    struct build_part {
        uint32_t channel, line, channels, lines;
    } part; /* where in the layer's result of so many channels and lines; 0 channels: it is all */
};

/* Numbers that a description names by { "data": index }, once each: an importer's. @v as real
 * numbers; NULL: a layer has used them. */
struct build_data {
    float *v;
    size_t count;
};

struct build {
    GError *error;
    GPtrArray *data;   /* struct build_data; NULL: none */
    GArray *data_used; /* int64_t: which ones the layer under way has used */
    const struct dla_config *cfg;
    JsonObject *scales; /* what a number of a tensor stands for; NULL: none are said */
    char *folder;       /* of the description: data files are relative to it */
    unsigned cube_bytes;
    uint8_t version[3];
    enum dla_precision precision;
    GPtrArray *tensors, *ops; /* struct tensor, struct build_op */
    GByteArray *constants, *luts;
    int groups;
    struct tensor *last; /* what the layer before made */
};

/* --- file.c --- */
/**
 * build_description - a loadable from a description
 * @name: of the description, for errors; data files that it names are relative to its folder
 * @data: struct build_data, for { "data": index }; NULL: none. Their numbers are freed as they are
 *        used: a network's weights need not lie in memory twice
 *
 * Return: the loadable of @len bytes, free() it; NULL with @error.
 */
uint8_t *build_description(JsonNode *description, const char *name, GPtrArray *data, size_t *len,
                           GError **error);

/* --- json.c --- */
void build_fail(struct build *b, const char *path, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Every member is one of the words of "a|b|c". */
void json_keys(struct build *b, const struct json_at *j, const char *keys);
gboolean json_has(const struct json_at *j, const char *key);
int64_t json_int(struct build *b, const struct json_at *j, const char *key, int64_t min,
                 int64_t max);
int64_t json_int_or(struct build *b, const struct json_at *j, const char *key, int64_t min,
                    int64_t max, int64_t otherwise);
/* true or false; false if it is not there. */
gboolean json_flag(struct build *b, const struct json_at *j, const char *key);
double json_number_or(struct build *b, const struct json_at *j, const char *key, double otherwise);
/* "" after an error. */
const char *json_text(struct build *b, const struct json_at *j, const char *key);
/* One of the words of "a|b|c" as its number. */
int json_word(struct build *b, const struct json_at *j, const char *key, const char *words,
              int otherwise);
struct json_at json_object(struct build *b, const struct json_at *j, const char *key);
/* Member @key: one integer for all, or an array of @n; false if it is not there. */
gboolean json_ints(struct build *b, const struct json_at *j, const char *key, unsigned n,
                   int64_t min, int64_t max, int64_t *out);
/* The array @key, of objects or texts; NULL (and an error if @required) if there is none. */
JsonArray *json_array(struct build *b, const struct json_at *j, const char *key, gboolean required);
struct json_at json_element(struct build *b, const struct json_at *j, const char *key, JsonArray *a,
                            unsigned i);
const char *json_text_at(struct build *b, const struct json_at *j, const char *key, JsonArray *a,
                         unsigned i);
/**
 * json_data - @n numbers as a data specification gives them: seed, file, values or fill
 * @precision: of the numbers; fp16 as its bits
 *
 * Return: the numbers; g_free() them. Never NULL.
 */
int32_t *json_data(struct build *b, const struct json_at *j, const char *key, size_t n,
                   enum dla_precision precision);

/* --- layer.c --- */
void build_input(struct build *b, const struct json_at *j);
void build_layer(struct build *b, const struct json_at *j);
struct tensor *tensor_new(struct build *b, const char *path, const char *name, uint32_t channels,
                          uint32_t height, uint32_t width, enum dla_precision precision);
/* A part of @t that has no name of its own. */
/* The data @key of @j as a constant feature cube of the shape and precision of @shape. */
struct tensor *tensor_constant(struct build *b, const struct json_at *j, const char *key,
                               const struct tensor *shape);
struct tensor *tensor_part(struct build *b, struct tensor *t, uint32_t channel, uint32_t channels,
                           uint32_t line, uint32_t lines);
/* NULL after an error. */
struct tensor *tensor_find(struct build *b, const char *path, const char *name);
struct build_op *op_new(struct build *b, enum desc_op type, const char *name);
/* Cube @i of @op: on the fly with the sizes of @t, or in memory at @t. */
void op_cube_flying(struct build *b, struct build_op *op, unsigned i, const struct tensor *t);
void op_cube_tensor(struct build *b, struct build_op *op, unsigned i, struct tensor *t,
                    gboolean write);
void op_cube_constant(struct build *b, struct build_op *op, unsigned i, const void *bytes,
                      size_t len);
/* Appends @len bytes to the weights. Return: where they lie. */
uint64_t build_constant(struct build *b, const void *bytes, size_t len);
#define BUILD_MAX_SIZE 8192

/* height, width; top, bottom, left, right */
struct window {
    int64_t size[2], stride[2], dilation[2], pad[4];
};
void window_read(struct build *b, const struct json_at *j, struct window *w, int max_size,
                 int max_stride, int max_pad);
/* Height (0) or width (1) of the output. */
uint32_t window_output(struct build *b, const struct json_at *j, const struct window *w, int i,
                       uint32_t in);
/* The tensor that "input" names, or the last one; NULL after an error. */
struct tensor *layer_input(struct build *b, const struct json_at *j);
gboolean need_feature(struct build *b, const struct json_at *j, const struct tensor *t);
/* Cube @cube of @op becomes the tensor @name, and the group ends. */
struct tensor *layer_output(struct build *b, const struct json_at *j, struct build_op *op,
                            unsigned cube, const char *name, const struct tensor *shape,
                            enum dla_precision precision);
static inline unsigned precision_bytes(enum dla_precision p)
{
    return p == DLA_INT8 ? 1 : 2;
}
static inline uint32_t atom_channels(const struct build *b, enum dla_precision p)
{
    return b->cfg->atom / precision_bytes(p);
}

/* --- conv.c --- */
void layer_conv(struct build *b, const struct json_at *j, const char *name, gboolean full);

/* --- deconv.c --- */
void layer_deconv(struct build *b, const struct json_at *j, const char *name);
void layer_upsample(struct build *b, const struct json_at *j, const char *name);

/* --- parts.c --- */
void layer_concat(struct build *b, const struct json_at *j, const char *name);
void layer_split(struct build *b, const struct json_at *j);
void layer_slice(struct build *b, const struct json_at *j, const char *name);
void layer_select(struct build *b, const struct json_at *j, const char *name);
void layer_constant(struct build *b, const struct json_at *j, const char *name);
/* @t in memory of its own. */
void tensor_copy_to(struct build *b, const struct json_at *j, const char *name, struct tensor *from,
                    struct tensor *to);
struct tensor *tensor_copy(struct build *b, const struct json_at *j, const char *name,
                           struct tensor *t);

/* The channels @channels of @in, @count of them, in that order: a convolution by 1 x 1 whose
 * kernels have a one each. */
struct tensor *conv_select(struct build *b, const struct json_at *j, const char *name,
                           struct tensor *in, const uint32_t *channels, uint32_t count);

/* --- winograd.c --- */
/* @weight_shift: of G g GT times 4 (integers); @data_shift: of the transformed data (PRA_TRUNCATE)
 */
struct winograd {
    gboolean on;
    int weight_shift, data_shift;
};
void winograd_read(struct build *b, const struct json_at *j, struct winograd *w);
void winograd_check(struct build *b, const struct json_at *j, const struct tensor *in,
                    const struct window *w, const struct tensor *out);
/* Channels in whole atoms. */
uint32_t winograd_channels(const struct build *b, uint32_t channels, enum dla_precision p);
/* @w: [kernel][channel][3][3]. Return: the weights as the engine takes them, @len bytes; g_free()
 * it. */
uint8_t *winograd_pack(const struct build *b, const int32_t *w, uint32_t kernels, uint32_t channels,
                       const struct winograd *how, enum dla_precision p, size_t *len);

/* --- weights.c --- */
/**
 * struct weights - of an operation
 * @w: of the whole layer, [kernel][channel of the group][y][x]; of an image, a line of the kernel
 *     counts as channels: [x][channel]
 * @select: instead: kernel k is @one at channel select[k]
 * @all_kernels, @all_channels, @groups: of the layer; @first_kernel, @first_channel: where this
 *     operation's @kernels and @channels begin
 */
struct weights {
    const int32_t *w;
    const uint32_t *select;
    int32_t one;
    uint32_t kernels, channels, height, width;
    uint32_t all_kernels, all_channels, groups, first_kernel, first_channel;
    gboolean image, compress;
    struct winograd winograd;
};
/* The weights as cube 0 of @op; compressed, with their mask and group sizes as cubes 1 and 2. */
void conv_weights(struct build *b, const struct json_at *j, struct build_op *op,
                  const struct weights *s, enum dla_precision p);

/**
 * struct conv_layer - a layer that becomes one convolution or several
 * @shape: of the result
 * @operands, @run: as in struct point_part
 * @out, @precision: the result
 */
struct conv_layer {
    struct build *b;
    const struct json_at *j;
    const char *name;
    struct tensor *in, *shape, *out;
    const struct window *w;
    struct weights *s;
    uint32_t operands, run;
    enum dla_precision precision;
};
/* Splits the layer as the convolution buffer wants it. Return: the tensor @name, or NULL. */
struct tensor *conv_parts(struct conv_layer *l);
/* Are the sizes those that the hardware takes? */
gboolean conv_sizes_ok(struct build *b, const struct json_at *j, const struct tensor *in,
                       const struct window *w, uint64_t kernels);

/* --- point.c --- */
#define POINT_KEYS "bias|batch_norm|eltwise|activation|output"
/**
 * struct point_part - what one operation of several does of a layer
 * @channel, @line: where it begins
 * @operands, @lines: channels and lines of the whole layer
 * @run: operands repeat after so many channels (the phases of a deconvolution)
 */
struct point_part {
    uint32_t channel, line, operands, lines, run;
};

/**
 * point_op - the SDP operation of a layer: bias, batch_norm, eltwise, activation, output
 * @src: what it works on; in memory, or @flying from the convolution made just before
 * @part: NULL: the whole layer
 *
 * Return: the operation, whose cube 4 (dst) the caller binds to a tensor of *@precision.
 */
struct build_op *point_op(struct build *b, const struct json_at *j, const char *name,
                          struct tensor *src, gboolean flying, const struct point_part *part,
                          enum dla_precision *precision);
/* Appends a table of f(x) over x = start + i * 2^select, i = 0 .. 256. Return: its index. */
int lut_add(struct build *b, double (*f)(double x, const double *arg), const double *arg,
            enum dla_precision precision, double start, int select, int le_select, int in_frac,
            int out_frac);

/**
 * struct lut_function - a table of any function
 * @range: fine over -2^range .. 2^range; @positive: from 2^(range - 4) on
 */
struct lut_function {
    double (*f)(double x, const double *arg);
    double arg[2];
    gboolean positive;
    enum dla_precision precision;
    int range, in_frac, out_frac;
};
int lut_add_function(struct build *b, const struct lut_function *l);

/* --- plan.c --- */
/* Places, dependencies, and the file. @outputs: "outputs" of the description. */
uint8_t *build_finish(struct build *b, size_t *len);

#endif
