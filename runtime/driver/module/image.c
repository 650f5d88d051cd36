/* SPDX-License-Identifier: MIT */
/* From what the application passes to one parsed PTX text: container, choice, link, parse, decode.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/decode.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/fatbin.h"
#include "runtime/driver/module/module_internal.h"

#define PTX_VERSION_MAX 90u /* CUDA 13.0: PTX ISA 9.0 */
#define NVCC_OLDEST 75u     /* nvcc 13 --list-gpu-arch */
/* The value of an option of the load; NULL if it was not given. */
static void **image_option(const struct jit *jit, CUjit_option which)
{
    for (unsigned i = 0; i < jit->n; i++) {
        if (jit->options[i] == which) {
            return &jit->values[i];
        }
    }
    return NULL;
}

/* A log buffer of the application is filled, and its size option set to what was used. */
static void log_put(struct jit *jit, CUjit_option buffer, CUjit_option size, size_t room,
                    const char *text)
{
    void **to = image_option(jit, buffer), **used = image_option(jit, size);
    bool fits = to && *to && room;

    if (fits) {
        g_strlcpy(*to, text, room);
    }
    if (used) {
        *used = (void *)(uintptr_t)(fits ? strlen(*to) : 0);
    }
}

bool jit_options_known(const struct jit *jit)
{
    for (unsigned i = 0; jit->options && i < jit->n; i++) {
        if ((unsigned)jit->options[i] >= CU_JIT_NUM_OPTIONS) {
            return false;
        }
    }
    return true;
}

void jit_begin(struct jit *jit)
{
    void **error = image_option(jit, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    void **info = image_option(jit, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);

    jit->room = error ? (uintptr_t)*error : 0;
    jit->info_room = info ? (uintptr_t)*info : 0;
    log_put(jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, jit->room, "");
    log_put(jit, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, jit->info_room, "");
}

static void jit_info(struct jit *jit, const char *text)
{
    log_put(jit, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, jit->info_room, text);
}

void jit_error(struct jit *jit, const char *text)
{
    log_put(jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, jit->room, text);
}

static CUresult image_refuse(struct jit *jit, CUresult code, enum check_rule_id rule,
                             const char *todo, const char *text)
{
    g_autofree char *plain = check_demangle_text(text);

    jit_error(jit, text);
    report_finding(&check_rules[rule], 0, 0, 0, todo, "%s", plain);
    return code;
}

static CUresult refuse_ptx(struct jit *jit, const struct ptx_error *e)
{
    g_autofree char *line = g_strdup_printf("line %" G_GUINT32_FORMAT ": ", e->pos.line);
    const char *what = e->text + (g_str_has_prefix(e->text, line) ? strlen(line) : 0);
    g_autofree char *text =
        e->pos.line ? g_strconcat("PTX ", line, what, NULL) : g_strconcat("PTX: ", what, NULL);

    return image_refuse(jit, CUDA_ERROR_INVALID_PTX, CHECK_RULE_PTX,
                        "look at that line of the PTX (nvcc --keep): ptxas refuses it, too", text);
}

/* One text out of the chosen ones: a copy of the only one, or what the linker makes of them. */
static CUresult texts_join(struct fatbin *fb, const size_t *picked, size_t n, struct jit *jit,
                           struct image *image)
{
    g_autofree const char **text = g_new0(const char *, n);
    g_autofree size_t *size = g_new0(size_t, n);
    g_autofree char *why = NULL;
    struct ptx_error error = { 0 };

    for (size_t i = 0; i < n; i++) {
        text[i] = fatbin_ptx(fb, picked[i], &size[i], &why);
        if (!text[i]) {
            return image_refuse(jit, CUDA_ERROR_INVALID_IMAGE, CHECK_RULE_FATBIN,
                                "rebuild the program", why);
        }
    }
    if (n == 1) {
        image->text = g_strndup(text[0], size[0]);
        image->size = strlen(image->text);
        return CUDA_SUCCESS;
    }
    return ptx_link(text, size, n, &image->text, &image->size, &error) ? CUDA_SUCCESS
                                                                       : refuse_ptx(jit, &error);
}

static void registers_add(const char *kernel, unsigned registers, void *table)
{
    g_hash_table_insert(table, g_strdup(kernel), GUINT_TO_POINTER(registers));
}

static CUresult refuse_no_ptx(const struct image *image, struct jit *jit)
{
    return image_refuse(jit, CUDA_ERROR_NO_BINARY_FOR_GPU, CHECK_RULE_NO_PTX,
                        "build with those flags; vtegra check-app looks at a whole program",
                        image->why);
}

/* Without a text @image->why says so: whether that is an error depends on who uses the GPU. */
static CUresult text_choose(struct fatbin *fb, struct jit *jit, struct image *image)
{
    g_autofree size_t *picked = g_new0(size_t, fatbin_units(fb) + 1);
    const unsigned cc = soc_profile_cc(device_profile(image->device));
    size_t n = 0;

    if (fatbin_select(fb, cc, picked, &n) != FATBIN_CHOICE_PTX) {
        image->why = fatbin_no_ptx_text(fb, cc);
        return CUDA_SUCCESS;
    }
    fatbin_registers(fb, cc, registers_add, image->registers);
    image->target = fatbin_target(fb, MAX(cc, NVCC_OLDEST), picked, n);
    return texts_join(fb, picked, n, jit, image);
}

/* Where the model takes what the board refuses: nvcc 13 makes nothing below sm_75, and older boards
 * would otherwise have no programs. */
static unsigned reported_target; /* newest .target beyond the SoC's that the report knows of */

static void report_target(unsigned target, unsigned cc)
{
    g_autofree char *todo = NULL;

    if (target <= cc || target <= reported_target) {
        return;
    }
    reported_target = target;
    todo = g_strdup_printf("Build for the board with -gencode arch=compute_%u,code=sm_%u (nvcc up "
                           "to CUDA 12), or vtegra cc --soc",
                           cc, cc);
    report_finding(
        &check_rules[CHECK_RULE_PTX_NEWER], 0, 0, 0, todo,
        "The program's PTX is for sm_%u. This model runs it; the board, sm_%u, does not: "
        "launches answer 209 (no kernel image), cuModuleLoadData() of such PTX 218.",
        target, cc);
}

/* PTX ISA, .target (11.1.2): with the suffix a for that architecture alone, with f for it and newer
 * ones of its family, those with its major number; sm_101 is an older name of sm_110. */
static bool target_suits(unsigned target, char suffix, unsigned cc)
{
    target = suffix && target == 101 ? 110 : target;
    return suffix == 'a'   ? target == cc
           : suffix == 'f' ? target <= cc && target / 10 == cc / 10
                           : target <= MAX(cc, NVCC_OLDEST);
}

/* PTX runs on the target it is for and, without a suffix, on newer ones. */
static CUresult target_check(bool is_text, unsigned target, char suffix, unsigned cc,
                             struct jit *jit)
{
    g_autofree char *todo = NULL, *text = NULL;

    if (target_suits(target, suffix, cc)) {
        report_target(target, cc);
        return CUDA_SUCCESS;
    }
    text = g_strdup_printf(
        "the PTX is for sm_%u%.1s%s, the board is sm_%u: it has no kernel of this program", target,
        &suffix,
        suffix == 'a'   ? " alone"
        : suffix == 'f' ? " and newer ones of its family"
                        : " and newer",
        cc);
    jit_error(jit, text);
    if (target > reported_target) {
        reported_target = target;
        todo = g_strdup_printf(
            "build with vtegra cc --soc %s (without --soc and --arch it makes PTX "
            "for every SoC), or nvcc%s -gencode arch=compute_%u,code=compute_%u",
            board_profile()->soc.name, cc < NVCC_OLDEST ? " up to CUDA 12 with" : "", cc, cc);
        report_finding(&check_rules[CHECK_RULE_PTX_TARGET], 0, 0, 0, todo, "%s", text);
    }
    return is_text ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* A module with an instruction that vtegra does not have loads as on a board; the logs name the
 * kernels that cannot be launched. */
static void image_find_lacks(struct image *image, const struct ptx_program *program,
                             struct jit *jit)
{
    g_autoptr(GString) log = g_string_new(NULL);

    for (uint32_t i = 0; i < image->ptx->n_funcs; i++) {
        const struct ptx_func *f = image->ptx->funcs[i];
        const struct ptx_code *c = f->is_entry ? ptx_program_lack(program, f) : NULL;
        g_autofree char *name = c ? check_demangle(f->name) : NULL;

        if (!c) {
            continue;
        }
        if (!image->lacks) {
            image->lacks = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
        }
        g_hash_table_insert(image->lacks, (gpointer)f, check_demangle_text(c->lacks));
        g_string_append_printf(log, "kernel %s cannot be launched: PTX %s\n", name,
                               (const char *)g_hash_table_lookup(image->lacks, f));
    }
    if (log->len) {
        jit_info(jit, log->str);
        jit_error(jit, log->str);
    }
}

const char *image_lacks(const struct image *image, const struct ptx_func *func)
{
    return image->lacks ? g_hash_table_lookup(image->lacks, func) : NULL;
}

/* Used or not. */
static bool image_has_sampler(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        if (m->vars[i]->type == PTX_SAMPLERREF) {
            return true;
        }
    }
    return false;
}

/* The text is parsed twice: here, and once more to see that all of it can be decoded. Nothing may
 * run half a kernel. */
static CUresult image_parse(struct image *image, struct jit *jit)
{
    static const char *const printers[] = { "vprintf", "__assertfail", "__assert_fail", "puts" };
    struct ptx_error error = { 0 };
    struct ptx_program *program;

    if (!image_is_ptx(image->text, image->size)) {
        return image_refuse(jit, CUDA_ERROR_INVALID_IMAGE, CHECK_RULE_PTX,
                            "pass PTX or a fat binary",
                            "the image is text that does not begin with .version, so it is no PTX");
    }
    image->ptx = ptx_parse(image->text, image->size, &error);
    if (!image->ptx) {
        return refuse_ptx(jit, &error);
    }
    if (image->ptx->version > PTX_VERSION_MAX) {
        return image_refuse(jit, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CHECK_RULE_PTX,
                            "build with an older toolkit, or lower .version",
                            "the PTX is of a version beyond 9.0, the newest of CUDA 13.0");
    }
    program = ptx_decode(image->ptx, &error);
    if (!program) {
        return refuse_ptx(jit, &error);
    }
    image_find_lacks(image, program, jit);
    ptx_program_free(program);
    if (image_has_sampler(image->ptx)) {
        return image_refuse(jit, CUDA_ERROR_NOT_FOUND, CHECK_RULE_PTX,
                            "leave the samplers out (.target texmode_unified), or pass texture "
                            "objects",
                            "the PTX has a .samplerref: drivers of today refuse such modules with "
                            "this code (measured, H200, 580.159.04)");
    }
    for (size_t i = 0; i < G_N_ELEMENTS(printers); i++) {
        image->prints |= ptx_func_find(image->ptx, printers[i]) != NULL;
    }
    image->allocates = ptx_func_find(image->ptx, "malloc") != NULL;
    return CUDA_SUCCESS;
}

bool image_is_ptx(const char *text, size_t size)
{
    size_t at = 0;

    while (at < size && text[at]) {
        const char *end = NULL;

        if (g_ascii_isspace(text[at])) {
            at++;
            continue;
        }
        if (size - at > 1 && text[at] == '/' && text[at + 1] == '/') {
            end = memchr(text + at, '\n', size - at);
        } else if (size - at > 1 && text[at] == '/' && text[at + 1] == '*') {
            end = g_strstr_len(text + at + 2, (gssize)(size - at - 2), "*/");
            end = end ? end + 1 : NULL;
        } else {
            return size - at >= 8 && !memcmp(text + at, ".version", 8);
        }
        at = end ? (size_t)(end - text) + 1 : size;
    }
    return false;
}

bool image_jit_allowed(const char *api, struct jit *jit)
{
    const unsigned cc = soc_profile_cc(device_profile(device_current()));
    static const char why[] = "the safe context has no JIT: PTX alone is not translated";
    const char *safety = getenv("VTEGRA_SAFETY");

    if (!safety || strcmp(safety, "1") != 0) {
        return true;
    }
    jit_error(jit, why);
    report_error(CUDA_ERROR_JIT_COMPILATION_DISABLED, api, "CUDA for Tegra 3.6",
                 "%s; build machine code for the board's SM, too: nvcc -gencode "
                 "arch=compute_%u,code=[sm_%u,compute_%u]",
                 why, cc, cc, cc);
    return false;
}

static void image_end(void *object)
{
    struct image *image = object;

    if (image->ptx) {
        ptx_module_free(image->ptx);
    }
    g_hash_table_unref(image->registers);
    g_clear_pointer(&image->lacks, g_hash_table_unref);
    g_free(image->why);
    free(image->text); /* g_malloc() and malloc() are one */
    if (image->next) {
        image_unref(image->next);
    }
}

static const struct object_kind image_kind = { .name = "image of device code", .end = image_end };

void image_unref(struct image *image)
{
    object_unref(&image->base);
}

static CUresult image_choose(struct fatbin *fb, const struct device *device, struct jit *jit,
                             struct image **out)
{
    struct image *image = object_new(&image_kind, sizeof(*image), NULL);
    CUresult error;

    image->device = device;
    image->is_text = fatbin_form(fb) == FATBIN_FORM_TEXT;
    image->registers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    error = text_choose(fb, jit, image);
    if (error) {
        image_unref(image);
        return error;
    }
    *out = image;
    return CUDA_SUCCESS;
}

/* @of: whose parsed text it is */
static CUresult image_target_check(const struct image *image, const struct image *of,
                                   struct jit *jit)
{
    return target_check(image->is_text, image->is_text ? of->ptx->target_sm : image->target,
                        of->ptx->target_suffix, soc_profile_cc(device_profile(image->device)), jit);
}

static CUresult image_finish(struct image *image, struct jit *jit)
{
    CUresult error = image->why ? refuse_no_ptx(image, jit) : CUDA_SUCCESS;

    if (!error && (image->is_text || image->target) &&
        !image_jit_allowed("cuModuleLoadData", jit)) {
        error = CUDA_ERROR_JIT_COMPILATION_DISABLED;
    }
    error = error ? error : image_parse(image, jit);
    return error ? error : image_target_check(image, image, jit);
}

/* Chosen only: a program that does not use the other GPU gets no finding about it. */
static CUresult image_others(struct fatbin *fb, struct image *image, struct jit *jit)
{
    CUresult error = CUDA_SUCCESS;

    for (unsigned i = 0; i < device_count() && !error; i++) {
        if (device_nth(i) != image->device) {
            error = image_choose(fb, device_nth(i), jit, &image->next); /* two are the most */
        }
    }
    return error;
}

static CUresult image_build(struct fatbin *fb, struct jit *jit, bool all, struct image **out)
{
    struct image *image;
    CUresult error = image_choose(fb, device_current(), jit, &image);

    if (error) {
        return error;
    }
    error = image_finish(image, jit);
    error = error || !all ? error : image_others(fb, image, jit);
    if (error) {
        image_unref(image);
        return error;
    }
    *out = image;
    return CUDA_SUCCESS;
}

CUresult image_for(struct image *image, const struct device *device, struct image **out)
{
    struct image *other = image->next;
    struct jit none = { 0 };
    CUresult error;

    *out = image;
    if (!other || other->device != device) {
        return CUDA_SUCCESS;
    }
    if (other->text && image->size == other->size &&
        !memcmp(image->text, other->text, image->size) && !g_hash_table_size(image->registers) &&
        !g_hash_table_size(other->registers)) {
        return image_target_check(other, image, &none);
    }
    error = other->ptx ? CUDA_SUCCESS : image_finish(other, &none);
    if (error) {
        g_clear_pointer(&other->ptx, ptx_module_free);
        g_clear_pointer(&other->lacks, g_hash_table_unref);
        return error;
    }
    *out = other;
    return CUDA_SUCCESS;
}

CUresult image_open(const void *data, size_t size, struct jit *jit, bool all, struct image **out)
{
    g_autofree char *why = NULL;
    struct fatbin *fb;
    CUresult error;
    int status;

    jit_begin(jit);
    status = fatbin_open(data, size, &fb, &why);
    if (status) { /* the program cannot know what is wrong with what its compiler put into it */
        return image_refuse(
            jit, status == -EFAULT ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_IMAGE,
            CHECK_RULE_FATBIN,
            "rebuild the program, or pass PTX or a fat binary; vtegra check-app looks "
            "at a whole program",
            why ? why : "the image is not readable");
    }
    error = image_build(fb, jit, all, out);
    fatbin_close(fb);
    return error;
}

CUresult image_open_file(const char *path, struct jit *jit, const char *api, bool all,
                         struct image **out)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *data = NULL;
    gsize size;

    if (!g_file_get_contents(path, &data, &size, &problem)) {
        return report_error(CUDA_ERROR_FILE_NOT_FOUND, api, "CUDA Driver API, module management",
                            "%s", problem->message);
    }
    return image_open(data, size, jit, all, out);
}
