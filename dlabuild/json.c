/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "dlabuild/build.h"
#include "profiles/nearest.h"

void build_fail(struct build *b, const char *path, const char *format, ...)
{
    va_list args;
    char *text;

    if (b->error) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    b->error = g_error_new(DLA_BUILD_ERROR, 0, "%s: %s", *path ? path : "description", text);
    g_free(text);
}

static struct json_at json_at_make(JsonObject *o, const struct json_at *j, const char *key, int i)
{
    struct json_at at = { .object = o };
    const char *dot = *j->path ? "." : "";

    if (i < 0) {
        g_snprintf(at.path, sizeof(at.path), "%s%s%s", j->path, dot, key);
    } else {
        g_snprintf(at.path, sizeof(at.path), "%s%s%s[%d]", j->path, dot, key, i);
    }
    return at;
}

/* The path of a member, for errors. */
static const char *json_member(const struct json_at *j, const char *key)
{
    static char path[256];

    g_snprintf(path, sizeof(path), "%s%s%s", j->path, *j->path ? "." : "", key);
    return path;
}

/* What users of other tools look for, and what to do instead. */
static const char *json_instead(const char *key)
{
    static const struct {
        const char *keys, *text;
    } hints[] = {
        { "batch|batches|batch_size|n",
          "a task computes one input: run it as often as there are inputs (cudlaSubmitTask() takes "
          "several tasks in one call)" },
        { "padding", "it is called \"pad\"" },
        { "strides", "it is called \"stride\"" },
        { "kernel_size|kernel|kernel_shape", "it is called \"size\"" },
        { "filters|out_channels", "the number of output channels is called \"kernels\"" },
        { "group|depthwise",
          "it is called \"groups\"; as many as the input has channels make it depthwise" },
        { "roi|rois", "there is one region of interest, the whole input" },
        { "add|sum|mul|eltwise|elementwise|residual",
          "\"eltwise\": { \"op\": \"add\", \"input\": ... } is a step of conv, fully_connected and "
          "pointwise" },
        { "relu|prelu|sigmoid|tanh|batch_norm|batchnorm|bias|scale",
          "that is a step of conv, fully_connected and pointwise layers" },
        { "softmax",
          "the DLA has none: take the layer before as the output and leave it to the CPU" },
        { "dense|linear|gemm|matmul", "it is called fully_connected" },
        { "depthwise_conv|group_conv", "that is a conv with \"groups\"" },
        { "maxpool|max_pool|avgpool|average_pool", "it is called pool, with a \"method\"" },
        { "upsample|resize|conv_transpose", "there is deconv" },
        { "flatten|reshape|identity|dropout", "nothing needs it here: leave it out" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(hints); i++) {
        if (desc_word_find(hints[i].keys, key) >= 0) {
            return hints[i].text;
        }
    }
    return NULL;
}

void json_keys(struct build *b, const struct json_at *j, const char *keys)
{
    char **words = g_strsplit(keys, "|", -1);
    GList *members = j->object ? json_object_get_members(j->object) : NULL;

    for (GList *m = members; m; m = m->next) {
        const char *near;
        char *known;

        if (desc_word_find(keys, m->data) >= 0) {
            continue;
        }
        if (json_instead(m->data)) {
            build_fail(b, json_member(j, m->data), "no such key here: %s", json_instead(m->data));
            break;
        }
        near = nearest_word(m->data, (const char *const *)words);
        known = g_strjoinv(" ", words);
        build_fail(b, json_member(j, m->data), "no such key here%s%s%s (known: %s)",
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "", known);
        g_free(known);
        break;
    }
    g_list_free(members);
    g_strfreev(words);
}

gboolean json_has(const struct json_at *j, const char *key)
{
    return j->object && json_object_has_member(j->object, key);
}

static JsonNode *json_value(struct build *b, const struct json_at *j, const char *key)
{
    if (!json_has(j, key)) {
        build_fail(b, json_member(j, key), "is needed");
        return NULL;
    }
    return json_object_get_member(j->object, key);
}

static gboolean node_is_number(JsonNode *n)
{
    return JSON_NODE_HOLDS_VALUE(n) && (json_node_get_value_type(n) == G_TYPE_INT64 ||
                                        json_node_get_value_type(n) == G_TYPE_DOUBLE);
}

static gboolean node_is_text(JsonNode *n)
{
    return JSON_NODE_HOLDS_VALUE(n) && json_node_get_value_type(n) == G_TYPE_STRING;
}

/* @n as an integer of min .. max; @min after an error at @path. */
static int64_t node_int(struct build *b, JsonNode *n, const char *path, int64_t min, int64_t max)
{
    int64_t v;

    if (!JSON_NODE_HOLDS_VALUE(n) || json_node_get_value_type(n) != G_TYPE_INT64) {
        build_fail(b, path, "a whole number of %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, min, max);
        return min;
    }
    v = json_node_get_int(n);
    if (v < min || v > max) {
        build_fail(b, path,
                   "is %" G_GINT64_FORMAT ", must be %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, v,
                   min, max);
        return min;
    }
    return v;
}

int64_t json_int(struct build *b, const struct json_at *j, const char *key, int64_t min,
                 int64_t max)
{
    JsonNode *n = json_value(b, j, key);

    return n ? node_int(b, n, json_member(j, key), min, max) : min;
}

int64_t json_int_or(struct build *b, const struct json_at *j, const char *key, int64_t min,
                    int64_t max, int64_t otherwise)
{
    return json_has(j, key) ? json_int(b, j, key, min, max) : otherwise;
}

double json_number_or(struct build *b, const struct json_at *j, const char *key, double otherwise)
{
    JsonNode *n = json_has(j, key) ? json_object_get_member(j->object, key) : NULL;

    if (n && !node_is_number(n)) {
        build_fail(b, json_member(j, key), "a number");
        n = NULL;
    }
    return n ? json_node_get_double(n) : otherwise;
}

gboolean json_flag(struct build *b, const struct json_at *j, const char *key)
{
    JsonNode *n = json_has(j, key) ? json_object_get_member(j->object, key) : NULL;

    if (n && (!JSON_NODE_HOLDS_VALUE(n) || json_node_get_value_type(n) != G_TYPE_BOOLEAN)) {
        build_fail(b, json_member(j, key), "true or false");
        n = NULL;
    }
    return n && json_node_get_boolean(n);
}

const char *json_text(struct build *b, const struct json_at *j, const char *key)
{
    JsonNode *n = json_value(b, j, key);

    if (n && !node_is_text(n)) {
        build_fail(b, json_member(j, key), "a text");
        n = NULL;
    }
    return n ? json_node_get_string(n) : "";
}

int json_word(struct build *b, const struct json_at *j, const char *key, const char *words,
              int otherwise)
{
    const char *text;
    int v;

    if (!json_has(j, key)) {
        return otherwise;
    }
    text = json_text(b, j, key);
    v = desc_word_find(words, text);
    if (v < 0) {
        char *list = g_strdelimit(g_strdup(words), "|", ' ');

        build_fail(b, json_member(j, key), "is \"%s\", must be one of: %s%s%s", text, list,
                   json_instead(text) ? "; " : "", json_instead(text) ? json_instead(text) : "");
        g_free(list);
        v = otherwise;
    }
    return v;
}

struct json_at json_object(struct build *b, const struct json_at *j, const char *key)
{
    JsonNode *n = json_has(j, key) ? json_object_get_member(j->object, key) : NULL;

    if (n && !JSON_NODE_HOLDS_OBJECT(n)) {
        build_fail(b, json_member(j, key), "an object { }");
        n = NULL;
    }
    return json_at_make(n ? json_node_get_object(n) : NULL, j, key, -1);
}

gboolean json_ints(struct build *b, const struct json_at *j, const char *key, unsigned n,
                   int64_t min, int64_t max, int64_t *out)
{
    JsonNode *node = json_has(j, key) ? json_object_get_member(j->object, key) : NULL;
    JsonArray *a = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    if (!node) {
        return FALSE;
    }
    if (a && json_array_get_length(a) != n) {
        build_fail(b, json_member(j, key), "one number, or an array of %u", n);
        a = NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        out[i] = b->error ? min
                          : node_int(b, a ? json_array_get_element(a, i) : node,
                                     json_member(j, key), min, max);
    }
    return TRUE;
}

JsonArray *json_array(struct build *b, const struct json_at *j, const char *key, gboolean required)
{
    JsonNode *n = json_has(j, key) ? json_object_get_member(j->object, key) : NULL;

    if (!n && required) {
        build_fail(b, json_member(j, key), "is needed");
    } else if (n && !JSON_NODE_HOLDS_ARRAY(n)) {
        build_fail(b, json_member(j, key), "an array [ ]");
        n = NULL;
    }
    return n ? json_node_get_array(n) : NULL;
}

struct json_at json_element(struct build *b, const struct json_at *j, const char *key, JsonArray *a,
                            unsigned i)
{
    JsonNode *n = json_array_get_element(a, i);
    struct json_at at = json_at_make(NULL, j, key, (int)i);

    if (!JSON_NODE_HOLDS_OBJECT(n)) {
        build_fail(b, at.path, "an object { }");
        return at;
    }
    at.object = json_node_get_object(n);
    return at;
}

const char *json_text_at(struct build *b, const struct json_at *j, const char *key, JsonArray *a,
                         unsigned i)
{
    JsonNode *n = json_array_get_element(a, i);

    if (!node_is_text(n)) {
        build_fail(b, json_at_make(NULL, j, key, (int)i).path, "a text");
        return "";
    }
    return json_node_get_string(n);
}

/* Numbers of a seed: x' = x * 6364136223846793005 + 1442695040888963407 (mod 2^64) from x = seed,
 * each min + (x' >> 33) % (max - min + 1); for fp16 divided by 64. */
static void data_seed(struct build *b, const struct json_at *d, size_t n, enum dla_precision p,
                      int32_t *out)
{
    uint64_t x = (uint64_t)json_int(b, d, "seed", 0, INT64_MAX);
    int64_t limit = p == DLA_INT8 ? 128 : 32768;
    int64_t min = json_int_or(b, d, "min", -limit, limit - 1, p == DLA_INT8 ? -128 : -1024);
    int64_t max = json_int_or(b, d, "max", min, limit - 1, p == DLA_INT8 ? 127 : 1023);

    for (size_t i = 0; i < n && max >= min; i++) {
        int64_t v;

        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        v = min + (int64_t)((x >> 33) % (uint64_t)(max - min + 1));
        out[i] = p == DLA_FP16 ? half_from_double((double)v / 64) : (int32_t)v;
    }
}

static void data_file(struct build *b, const struct json_at *d, size_t n, enum dla_precision p,
                      int32_t *out)
{
    const char *name = json_text(b, d, "file");
    char *path =
        g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(b->folder, name, NULL);
    size_t size = precision_bytes(p);
    GError *error = NULL;
    gchar *bytes = NULL;
    gsize len = 0;

    if (!b->error && !g_file_get_contents(path, &bytes, &len, &error)) {
        build_fail(b, json_member(d, "file"), "%s", error->message);
        g_clear_error(&error);
    } else if (!b->error && len != n * size) {
        build_fail(b, json_member(d, "file"), "%s has %zu bytes, %zu numbers of %zu are needed",
                   name, (size_t)len, n, size);
    }
    for (size_t i = 0; !b->error && i < n; i++) {
        out[i] = (int32_t)desc_get((uint8_t *)bytes + i * size, (unsigned)size, p != DLA_FP16);
    }
    g_free(bytes);
    g_free(path);
}

static int32_t data_number(struct build *b, JsonNode *n, const char *path, enum dla_precision p)
{
    int64_t limit = p == DLA_INT8 ? 128 : 32768;

    if (p != DLA_FP16) {
        return (int32_t)node_int(b, n, path, -limit, limit - 1);
    }
    if (!node_is_number(n)) {
        build_fail(b, path, "a number");
        return 0;
    }
    return half_from_double(json_node_get_double(n));
}

static void data_values(struct build *b, const struct json_at *d, size_t n, enum dla_precision p,
                        int32_t *out)
{
    JsonArray *a = json_array(b, d, "values", TRUE);

    if (a && json_array_get_length(a) != n) {
        build_fail(b, json_member(d, "values"), "has %u numbers, %zu are needed",
                   json_array_get_length(a), n);
    }
    for (size_t i = 0; a && !b->error && i < n; i++) {
        out[i] = data_number(b, json_array_get_element(a, (guint)i),
                             json_at_make(NULL, d, "values", (int)i).path, p);
    }
}

/* Of an importer: rounded to the precision. */
static void data_given(struct build *b, const struct json_at *d, size_t n, enum dla_precision p,
                       int32_t *out)
{
    int64_t i = json_int(b, d, "data", 0, b->data->len - 1);
    const struct build_data *a = b->error ? NULL : b->data->pdata[i];
    float limit = p == DLA_INT8 ? 128 : 32768;

    if (a && a->count != n) {
        build_fail(b, json_member(d, "data"), "has %zu numbers, %zu are needed", a->count, n);
    }
    if (a && !b->error) {
        g_array_append_val(b->data_used, i);
    }
    for (size_t k = 0; a && !b->error && k < n; k++) {
        out[k] = p == DLA_FP16 ? half_from_double((double)a->v[k])
                               : (int32_t)CLAMP(roundf(a->v[k]), -limit, limit - 1);
    }
}

int32_t *json_data(struct build *b, const struct json_at *j, const char *key, size_t n,
                   enum dla_precision precision)
{
    struct json_at d = json_object(b, j, key);
    int32_t *out = g_new0(int32_t, n + 1);
    unsigned ways = 0;

    if (!d.object) {
        build_fail(b, json_member(j, key), "is needed: { \"seed\": 1 }, or values, file, fill");
        return out;
    }
    json_keys(b, &d,
              b->data ? "seed|min|max|file|values|fill|shift|data"
                      : "seed|min|max|file|values|fill|shift");
    ways = json_has(&d, "data") + json_has(&d, "seed") + json_has(&d, "file") +
           json_has(&d, "values") + json_has(&d, "fill");
    if (ways != 1) {
        build_fail(b, d.path, "exactly one of seed, file, values and fill");
    } else if (json_has(&d, "seed")) {
        data_seed(b, &d, n, precision, out);
    } else if (json_has(&d, "data")) {
        data_given(b, &d, n, precision, out);
    } else if (json_has(&d, "file")) {
        data_file(b, &d, n, precision, out);
    } else if (json_has(&d, "values")) {
        data_values(b, &d, n, precision, out);
    } else {
        int32_t v = data_number(b, json_object_get_member(d.object, "fill"),
                                json_member(&d, "fill"), precision);

        for (size_t i = 0; i < n; i++) {
            out[i] = v;
        }
    }
    return out;
}
