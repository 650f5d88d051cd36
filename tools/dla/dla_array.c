/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loadable/desc.h"
#include "tools/dla/dla_net.h"
#include "tools/save.h"

#define MAX_SIDE 8192u
#define MAX_ELEMENTS (UINT64_C(1) << 28)
#define DIMG_HEADER 36u
#define DIMG_INT8 0x28 /* then int16, fp16: feature cubes in the published goldens */

static const struct {
    const char *name, *npy;
    unsigned bytes;
} types[ARRAY_TYPES] = {
    { "int8", "|i1", 1 }, { "int16", "<i2", 2 }, { "fp16", "<f2", 2 }, { "uint8", "|u1", 1 }
};

const char *array_type_name(enum array_type type)
{
    return types[type].name;
}

unsigned array_type_bytes(enum array_type type)
{
    return types[type].bytes;
}

static gboolean dla_array_fail(GError **error, const char *path, const char *what)
{
    g_set_error(error, DLA_TOOL_ERROR, 0, "%s: %s", path, what);
    return FALSE;
}

static gboolean array_alloc(struct array *a, const char *path, GError **error)
{
    if (a->channels < 1 || a->channels > MAX_SIDE || a->height < 1 || a->height > MAX_SIDE ||
        a->width < 1 || a->width > MAX_SIDE ||
        (uint64_t)a->channels * a->height * a->width > MAX_ELEMENTS) {
        return dla_array_fail(error, path,
                              "channels, height and width are 1..8192, at most 2^28 numbers");
    }
    a->v = g_new0(int32_t, array_count(a));
    return TRUE;
}

static int32_t dla_array_element(const uint8_t *b, enum array_type type)
{
    return (int32_t)desc_get(b, types[type].bytes, type == ARRAY_INT8 || type == ARRAY_INT16);
}

static void elements_get(struct array *a, const uint8_t *b)
{
    for (size_t i = 0; i < array_count(a); i++) {
        a->v[i] = dla_array_element(b + i * types[a->type].bytes, a->type);
    }
}

static void elements_put(const struct array *a, GByteArray *out)
{
    guint at = out->len;

    g_byte_array_set_size(out, at + (guint)(array_count(a) * types[a->type].bytes));
    for (size_t i = 0; i < array_count(a); i++) {
        desc_put(out->data + at + i * types[a->type].bytes, types[a->type].bytes, a->v[i]);
    }
}

/* --- NumPy: numpy.org/doc, "numpy.lib.format" --- */
/* The shape (1, 16, 8, 8) -> channels, height, width; what is left out is 1. */
static gboolean npy_shape(struct array *a, const char *header)
{
    uint64_t dim[4] = { 1, 1, 1, 1 };
    const char *at = strstr(header, "'shape':");
    unsigned n = 0;

    at = at ? strchr(at, '(') : NULL;
    for (at = at ? at + 1 : NULL; at && *at && *at != ')' && n < 4;) {
        char *end;

        dim[n] = g_ascii_strtoull(at, &end, 10);
        if (end == at) {
            return FALSE;
        }
        n++;
        at = end + strspn(end, ", ");
    }
    if (!at || *at != ')' || (n == 4 && dim[0] != 1)) {
        return FALSE;
    }
    memmove(dim + (4 - n), dim, n * sizeof(*dim));
    for (unsigned i = 0; i < 4 - n; i++) {
        dim[i] = 1;
    }
    a->channels = (uint32_t)MIN(dim[1], UINT32_MAX);
    a->height = (uint32_t)MIN(dim[2], UINT32_MAX);
    a->width = (uint32_t)MIN(dim[3], UINT32_MAX);
    return TRUE;
}

static gboolean npy_type(struct array *a, const char *header)
{
    const char *at = strstr(header, "'descr':");

    at = at ? strchr(at + 8, '\'') : NULL;
    for (unsigned t = 0; at && t < ARRAY_TYPES; t++) {
        if (strncmp(at + 1, types[t].npy, 3) == 0) {
            a->type = (enum array_type)t;
            return TRUE;
        }
    }
    return FALSE;
}

/* What stands behind @key in the header, up to the next comma, without the quotation marks. */
static char *npy_word(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    char *word = at ? g_strndup(at + strlen(key), strcspn(at + strlen(key), ",}\n")) : g_strdup("");

    return g_strstrip(g_strdelimit(word, "'\"", ' '));
}

/* Which of them it is: the type, the order, or the shape. */
static gboolean npy_refuse(const char *path, const char *header, gboolean type, GError **error)
{
    g_autofree char *word = npy_word(header, "'descr':");

    if (!type) {
        g_set_error(error, DLA_TOOL_ERROR, 0,
                    "%s: numbers of type \"%s\": |i1 (int8), |u1 (uint8), <i2 (int16) and <f2 "
                    "(float16) are read; convert it with .astype()",
                    path, word);
    } else if (strstr(header, "'fortran_order': True")) {
        dla_array_fail(error, path,
                       "an array in Fortran order: make it one in C order "
                       "(numpy.ascontiguousarray)");
    } else {
        dla_array_fail(error, path,
                       "the shape is to have up to three axes (channels, height, width), or four "
                       "of which the first is 1");
    }
    return FALSE;
}

static gboolean npy_load(struct array *a, const char *path, const uint8_t *b, size_t len,
                         GError **error)
{
    size_t at = len > 8 && b[6] >= 2 ? 12 : 10, size;
    g_autofree char *header = NULL;
    gboolean type;

    if (len < 12 || memcmp(b, "\x93NUMPY", 6) != 0) {
        return dla_array_fail(error, path, "not a NumPy file");
    }
    size = (size_t)desc_get(b + 8, at == 12 ? 4 : 2, false);
    if (size > len - at) {
        return dla_array_fail(error, path, "the NumPy header ends after the file");
    }
    header = g_strndup((const char *)b + at, size);
    type = npy_type(a, header);
    if (!type || strstr(header, "'fortran_order': True") || !npy_shape(a, header)) {
        return npy_refuse(path, header, type, error);
    }
    if (!array_alloc(a, path, error)) {
        return FALSE;
    }
    if (len - at - size != array_count(a) * types[a->type].bytes) {
        return dla_array_fail(error, path,
                              "the file does not hold as many numbers as its shape says");
    }
    elements_get(a, b + at + size);
    return TRUE;
}

static void npy_save(const struct array *a, GByteArray *out)
{
    char *text = g_strdup_printf("{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u, %u), }",
                                 types[a->type].npy, a->channels, a->height, a->width);
    size_t size = (10 + strlen(text) + 1 + 63) / 64 * 64 - 10; /* data at a multiple of 64 */
    uint8_t head[10] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };

    desc_put(head + 8, 2, (int64_t)size);
    g_byte_array_append(out, head, sizeof(head));
    g_byte_array_append(out, (uint8_t *)text, (guint)strlen(text));
    while (out->len < 10 + size - 1) {
        g_byte_array_append(out, (const uint8_t *)" ", 1);
    }
    g_byte_array_append(out, (const uint8_t *)"\n", 1);
    elements_put(a, out);
    g_free(text);
}

/* --- DIMG: "DIMG", 0, format, width, height, channels, line stride, surface stride, size --- */
static gboolean dimg_load(struct array *a, const char *path, const uint8_t *b, size_t len,
                          GError **error)
{
    int64_t format;

    if (len < DIMG_HEADER || memcmp(b, "DIMG", 4) != 0) {
        return dla_array_fail(error, path, "not a DIMG file");
    }
    format = desc_get(b + 8, 4, false) - DIMG_INT8;
    if (format < 0 || format > ARRAY_FP16) {
        return dla_array_fail(error, path,
                              "DIMG formats 0x28 (int8), 0x29 (int16) and 0x2a (fp16) only");
    }
    *a = (struct array){ .type = (enum array_type)format,
                         .width = (uint32_t)desc_get(b + 12, 4, false),
                         .height = (uint32_t)desc_get(b + 16, 4, false),
                         .channels = (uint32_t)desc_get(b + 20, 4, false) };
    if (!array_alloc(a, path, error)) {
        return FALSE;
    }
    if (len - DIMG_HEADER != array_count(a) * types[a->type].bytes) {
        return dla_array_fail(error, path,
                              "the file does not hold as many numbers as its header says");
    }
    elements_get(a, b + DIMG_HEADER);
    return TRUE;
}

static void dimg_save(const struct array *a, uint32_t line_stride, uint32_t surf_stride,
                      uint32_t bytes, GByteArray *out)
{
    const uint32_t word[] = { 0,           DIMG_INT8 + a->type, a->width,    a->height,
                              a->channels, line_stride,         surf_stride, bytes };
    uint8_t head[DIMG_HEADER] = { 'D', 'I', 'M', 'G' };

    for (size_t i = 0; i < G_N_ELEMENTS(word); i++) {
        desc_put(head + 4 + 4 * i, 4, word[i]);
    }
    g_byte_array_append(out, head, sizeof(head));
    elements_put(a, out);
}

/* --- PGM and PPM (netpbm), binary, one byte a sample --- */
/* The next number of the header, past spaces and comments; -1 if there is none. */
static int64_t pnm_number(const uint8_t *b, size_t len, size_t *at)
{
    int64_t v = -1;

    while (*at < len && (g_ascii_isspace(b[*at]) || b[*at] == '#')) {
        if (b[*at] == '#') {
            while (*at < len && b[*at] != '\n') {
                ++*at;
            }
        } else {
            ++*at;
        }
    }
    for (; *at < len && g_ascii_isdigit(b[*at]); ++*at) { /* what is too large stays too large */
        v = MIN(10 * MAX(v, 0) + (b[*at] - '0'), INT32_MAX);
    }
    return v;
}

static gboolean pnm_load(struct array *a, const char *path, const uint8_t *b, size_t len,
                         GError **error)
{
    size_t at = 2;
    int64_t width, height, max;

    if (len < 8 || b[0] != 'P' || (b[1] != '5' && b[1] != '6')) {
        return dla_array_fail(error, path, "not a binary PGM (P5) or PPM (P6) picture");
    }
    a->type = ARRAY_UINT8;
    a->picture = TRUE;
    a->channels = b[1] == '5' ? 1 : 3;
    width = pnm_number(b, len, &at);
    height = width < 0 ? -1 : pnm_number(b, len, &at);
    max = height < 0 ? -1 : pnm_number(b, len, &at);
    at++;
    if (max < 0) {
        return dla_array_fail(
            error, path,
            "the header is to have three numbers: width, height, and the largest value");
    }
    a->width = (uint32_t)width;
    a->height = (uint32_t)height;
    if (a->width < 1 || a->width > MAX_SIDE || a->height < 1 || a->height > MAX_SIDE) {
        g_set_error(error, DLA_TOOL_ERROR, 0,
                    "%s: the header says %u x %u pixels: width and height are 1..%u", path,
                    a->width, a->height, MAX_SIDE);
        return FALSE;
    }
    if (max != 255) {
        return dla_array_fail(error, path, "pictures with 255 as the largest value only");
    }
    if (!array_alloc(a, path, error)) {
        return FALSE;
    }
    if (at > len || len - at < array_count(a)) {
        return dla_array_fail(error, path, "the picture ends too early");
    }
    for (size_t i = 0; i < array_count(a); i++) {
        size_t plane = (size_t)a->height * a->width;

        a->v[i % a->channels * plane + i / a->channels] = b[at + i];
    }
    return TRUE;
}

/* int8 -128..127 as 0..255, others cut to 0..255. */
static int pnm_pixel(const struct array *a, size_t i)
{
    double v = a->type == ARRAY_FP16   ? half_to_double(a->v[i])
               : a->type == ARRAY_INT8 ? a->v[i] + 128.0
                                       : a->v[i];

    return isnan(v) ? 0 : (int)CLAMP(round(v), 0, 255);
}

static void pnm_save(const struct array *a, gboolean colour, GByteArray *out)
{
    size_t plane = (size_t)a->height * a->width;
    unsigned planes = colour ? 3 : 1;
    char *head;

    head = g_strdup_printf("P%c\n%u %u\n255\n", colour ? '6' : '5', a->width, a->height);
    g_byte_array_append(out, (uint8_t *)head, (guint)strlen(head));
    for (size_t i = 0; i < plane * planes; i++) {
        uint8_t pixel = (uint8_t)pnm_pixel(a, i % planes * plane + i / planes);

        g_byte_array_append(out, &pixel, 1);
    }
    g_free(head);
}

static gboolean raw_load(struct array *a, const char *path, const struct array *shape,
                         const uint8_t *b, size_t len, GError **error)
{
    if (!shape) {
        return dla_array_fail(error, path, "raw bytes do not say their size: use .npy or .dimg");
    }
    *a = *shape;
    a->v = NULL;
    a->picture = FALSE;
    if (len != array_count(a) * types[a->type].bytes) {
        g_set_error(error, DLA_TOOL_ERROR, 0,
                    "%s: %zu bytes; %u x %u x %u numbers of %s are %zu bytes", path, len,
                    a->channels, a->height, a->width, types[a->type].name,
                    array_count(a) * types[a->type].bytes);
        return FALSE;
    }
    if (!array_alloc(a, path, error)) {
        return FALSE;
    }
    elements_get(a, b);
    return TRUE;
}

/* What surely is not meant as raw numbers. */
static gboolean other_format(const char *path, GError **error)
{
    static const char *const suffixes[] = { ".png",  ".jpg",  ".jpeg", ".bmp", ".gif", ".tif",
                                            ".tiff", ".webp", ".pnm",  ".npz", ".pt",  ".onnx" };
    g_autofree char *lower = g_ascii_strdown(path, -1);

    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        if (g_str_has_suffix(lower, suffixes[i])) {
            g_set_error(error, DLA_TOOL_ERROR, 0,
                        "%s: %s is not read or written here; .ppm and .pgm are (ImageMagick: "
                        "convert in.png -resize WxH! out.ppm), and .npy, .dimg, raw numbers",
                        path, suffixes[i]);
            return TRUE;
        }
    }
    return FALSE;
}

gboolean array_load(struct array *a, const char *path, const struct array *shape, GError **error)
{
    gchar *text;
    gsize len;
    gboolean ok;
    const uint8_t *b;

    *a = (struct array){ 0 };
    if (other_format(path, error)) {
        return FALSE;
    }
    if (!g_file_get_contents(path, &text, &len, error)) {
        return FALSE;
    }
    b = (const uint8_t *)text;
    if (g_str_has_suffix(path, ".npy")) {
        ok = npy_load(a, path, b, len, error);
    } else if (g_str_has_suffix(path, ".dimg")) {
        ok = dimg_load(a, path, b, len, error);
    } else if (g_str_has_suffix(path, ".pgm") || g_str_has_suffix(path, ".ppm")) {
        ok = pnm_load(a, path, b, len, error);
    } else {
        ok = raw_load(a, path, shape, b, len, error);
    }
    g_free(text);
    if (!ok) {
        array_free(a);
    }
    return ok;
}

gboolean array_can_save(const struct array *a, const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (other_format(path, error)) {
        return FALSE;
    }
    if (g_str_has_suffix(path, ".dimg") && a->type > ARRAY_FP16) {
        return dla_array_fail(error, path, "DIMG holds int8, int16 and fp16");
    }
    if (g_str_has_suffix(path, ".ppm") && a->channels != 3 && a->channels != 4) {
        return dla_array_fail(error, path, "a PPM picture needs 3 channels (a fourth is left out)");
    }
    if (g_str_has_suffix(path, ".pgm") && a->channels != 1) {
        return dla_array_fail(error, path, "a PGM picture needs 1 channel");
    }
    return g_file_test(folder, G_FILE_TEST_IS_DIR) ||
           dla_array_fail(error, path, "there is no such folder");
}

gboolean array_save(const struct array *a, const char *path, uint32_t line_stride,
                    uint32_t surf_stride, uint32_t bytes, GError **error)
{
    GByteArray *out = g_byte_array_new();
    gboolean ok = array_can_save(a, path, error);

    if (!ok) {
        g_byte_array_free(out, TRUE);
        return FALSE;
    }
    if (g_str_has_suffix(path, ".npy")) {
        npy_save(a, out);
    } else if (g_str_has_suffix(path, ".dimg")) {
        dimg_save(a, line_stride, surf_stride, bytes, out);
    } else if (g_str_has_suffix(path, ".pgm") || g_str_has_suffix(path, ".ppm")) {
        pnm_save(a, g_str_has_suffix(path, ".ppm"), out);
    } else {
        elements_put(a, out);
    }
    ok = save(path, out->data, out->len, error);
    g_byte_array_free(out, TRUE);
    return ok;
}

void array_free(struct array *a)
{
    g_free(a->v);
    a->v = NULL;
}
