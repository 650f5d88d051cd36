/* SPDX-License-Identifier: MIT */
/* vtegra dla build: from a JSON description of layers to a loadable. docs/dla-build.md has the
 * format.
 *
 * Steps: dla_build_file.c reads the description with dla_build_json.c, which reads values and data,
 * dla_build_layer.c, dla_build_conv.c and dla_build_point.c turn each layer into operations,
 * dla_build_plan.c gives every tensor its place and every operation its dependencies, and writes
 * the file. An error is remembered in build.error and work goes on with harmless values, so only
 * the first one counts; each names the JSON path.
 */
#ifndef TOOLS_DLA_BUILD_H
#define TOOLS_DLA_BUILD_H

#include <json-glib/json-glib.h>

#include "loadable/desc.h"
#include "model/dla/dla.h"
#include "tools/dla/dla_array.h"

/* An object of the description, and how to get there: "layers[3].bias". */
struct json_at {
    JsonObject *object;
    char path[128];
};

/**
 * struct tensor - a cube between layers
 * @parent, @first_channel: the tensor it is a part of (concat, split), and from where on
 * @pixel_format: DESC_FEATURE, or an image's
 * @made, @used: first group that writes it, last group that reads it; -1: none
 * @input, @output: index among the network's inputs or outputs, -1: neither
 * @memory, @offset: where it lies, when planned; parts are at their parent's
 * @address: index into the task's address list
 */
struct tensor {
    char *name;
    struct tensor *parent;
    uint32_t first_channel, channels, height, width;
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
};

/* An operation. @group: operations that run as one have the same. */
struct build_op {
    enum desc_op type;
    int group;
    const char *name;
    uint8_t common[DESC_BYTES_COMMON], desc[DESC_OPERATION_BYTES], surface[DESC_SURFACE_BYTES];
    struct cube_ref ref[5];
    unsigned refs;
};

struct build {
    GError *error;
    const struct dla_config *cfg;
    char *folder; /* of the description: data files are relative to it */
    unsigned cube_bytes;
    uint8_t version[3];
    enum dla_precision precision;
    GPtrArray *tensors, *ops; /* struct tensor, struct build_op */
    GByteArray *constants, *luts;
    int groups;
    struct tensor *last; /* what the layer before made */
};

/* --- dla_build_file.c --- */
/* The description in file @path as a loadable of @len bytes; free() it. NULL with @error. */
uint8_t *build_file(const char *path, size_t *len, GError **error);

/* --- dla_build_json.c --- */
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
int32_t half_from_double(double v);

/* --- dla_build_layer.c --- */
void build_input(struct build *b, const struct json_at *j);
void build_layer(struct build *b, const struct json_at *j);
struct tensor *tensor_new(struct build *b, const char *path, const char *name, uint32_t channels,
                          uint32_t height, uint32_t width, enum dla_precision precision);
/* NULL after an error. */
struct tensor *tensor_find(struct build *b, const char *path, const char *name);
struct build_op *op_new(struct build *b, enum desc_op type, const char *name);
/* Cube @i of @op: on the fly with the sizes of @t, or in memory at @t. */
void op_cube_flying(struct build *b, struct build_op *op, unsigned i, const struct tensor *t);
void op_cube_tensor(struct build *b, struct build_op *op, unsigned i, struct tensor *t,
                    gboolean write);
void op_cube_constant(struct build *b, struct build_op *op, unsigned i, const void *bytes,
                      size_t len);
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

/* --- dla_build_conv.c --- */
void layer_conv(struct build *b, const struct json_at *j, const char *name, gboolean full);
void layer_deconv(struct build *b, const struct json_at *j, const char *name);

/* --- dla_build_winograd.c --- */
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

/* --- dla_build_point.c --- */
#define POINT_KEYS "bias|batch_norm|eltwise|activation|output"
/**
 * point_op - the SDP operation of a layer: bias, batch_norm, eltwise, activation, output
 * @src: what it works on; in memory, or @flying from the convolution made just before
 *
 * Return: the operation, whose cube 4 (dst) the caller binds to a tensor of *@precision.
 */
struct build_op *point_op(struct build *b, const struct json_at *j, const char *name,
                          struct tensor *src, gboolean flying, enum dla_precision *precision);
/* Appends a table of f(x) over x = start + i * 2^select, i = 0 .. 256. Return: its index. */
int lut_add(struct build *b, double (*f)(double x, const double *arg), const double *arg,
            enum dla_precision precision, double start, int select, int le_select, int in_frac,
            int out_frac);

/* --- dla_build_plan.c --- */
/* Places, dependencies, and the file. @outputs: "outputs" of the description. */
uint8_t *build_finish(struct build *b, size_t *len);

#endif
