/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "ptx/decode.h"
#include "ptx/ptx.h"
#include "runtime/driver/module/fatbin.h"
#include "tools/app/app_info.h"

#define CONTAINER_MAGIC 0xba55ed50u
#define CONTAINER_HEADER 16u

/* nvcc's device link adds a cubin without kernels to every program: 1448 bytes with CUDA 13.0,
 * where one empty kernel makes 2800. Packed ones are recognised by that, raw ones by their
 * sections. */
#define EMPTY_CUBIN_MAX 2048u

static const char *kind_name(enum fatbin_kind kind)
{
    switch (kind) {
    case FATBIN_KIND_PTX:
        return "PTX";
    case FATBIN_KIND_ELF:
        return "machine code";
    case FATBIN_KIND_LTO:
        return "LTO code";
    default:
        return "unknown code";
    }
}

static const char *packing_name(enum fatbin_packing packing)
{
    switch (packing) {
    case FATBIN_LZ4:
        return "LZ4";
    case FATBIN_ZSTD:
        return "zstd";
    default:
        return "raw";
    }
}

/* @text, a sentence of the parser or the linker, and what follows from it. */
static char *cannot_launch(const char *what, const char *text)
{
    char *plain = demangle_text(text);
    char *problem;

    if (g_str_has_suffix(plain, ".")) {
        plain[strlen(plain) - 1] = 0;
    }
    problem = g_strdup_printf("%s%s: none of its kernels can be launched", what, plain);
    g_free(plain);
    return problem;
}

/* One kernel that cannot be launched, and how many others there are; NULL: none. g_free() */
static char *lacking_kernels(const struct ptx_module *m, const struct ptx_program *p)
{
    char *problem = NULL, *plain, *name;
    unsigned more = 0;

    for (guint32 i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i];
        const struct ptx_code *c = f->is_entry ? ptx_program_lack(p, f) : NULL;

        if (c && !problem) {
            plain = demangle_text(c->lacks);
            name = demangle_text(f->name);
            problem = g_strdup_printf("%s: kernel %s cannot be launched", plain, name);
            g_free(name);
            g_free(plain);
        } else if (c) {
            more++;
        }
    }
    if (more) {
        plain = problem;
        problem = g_strdup_printf("%s, and %u other%s", plain, more, more == 1 ? "" : "s");
        g_free(plain);
    }
    return problem;
}

/* What keeps the virtual SMs from running it, or NULL. g_free() */
static char *ptx_problem(const char *text, size_t size)
{
    struct ptx_error error = { .text = "" };
    struct ptx_module *module = ptx_parse(text, size, &error);
    struct ptx_program *program = module ? ptx_decode(module, &error) : NULL;
    char *problem = NULL;

    if (!program) {
        problem = cannot_launch(module ? "" : "the text cannot be read: ", error.text);
    } else {
        problem = lacking_kernels(module, program);
    }
    ptx_program_free(program);
    ptx_module_free(module);
    return problem;
}

static void entry_read(struct fatbin *fb, size_t index, const char *section, unsigned container,
                       GArray *code, GPtrArray *problems)
{
    const struct fatbin_entry *entry = fatbin_entry(fb, index);
    struct app_code piece = {
        .section = g_strdup(section),
        .container = container,
        .ptx = entry->kind == FATBIN_KIND_PTX,
        .kind = kind_name(entry->kind),
        .packing = packing_name(entry->packing),
        .sm = entry->sm,
        .bytes = entry->size,
    };
    char *error = NULL, *problem = NULL;
    size_t size = 0;
    const char *text = piece.ptx ? fatbin_ptx(fb, index, &size, &error) : NULL;

    if (text && strcmp(section, APP_RELOCATABLE) != 0) { /* that waits for its link */
        problem = ptx_problem(text, size);
    }
    if (piece.ptx && (!text || problem)) {
        g_ptr_array_add(problems, g_strdup_printf("%s: container %u, PTX for sm_%u: %s", section,
                                                  container, piece.sm,
                                                  problem ? problem
                                                  : error ? error
                                                          : "damaged"));
    }
    g_free(problem);
    g_free(error);
    g_array_append_val(code, piece);
}

/* Does a container hold nothing but machine code without a kernel? */
static gboolean is_empty_link(const struct fatbin *fb, const unsigned char *data, size_t size)
{
    gboolean raw = TRUE;

    for (size_t i = 0; i < fatbin_entries(fb); i++) {
        const struct fatbin_entry *entry = fatbin_entry(fb, i);

        if (entry->kind != FATBIN_KIND_ELF || entry->size > EMPTY_CUBIN_MAX) {
            return FALSE;
        }
        raw = raw && entry->packing == FATBIN_RAW;
    }
    return !raw || !memmem(data, size, ".text.", strlen(".text."));
}

static void container_read(const unsigned char *data, size_t size, const char *section,
                           unsigned container, GArray *code, GPtrArray *problems)
{
    struct fatbin *fb;
    char *error = NULL;

    if (fatbin_open(data, size, &fb, &error) != 0) {
        g_ptr_array_add(problems, g_strdup_printf("%s: container %u: %s", section, container,
                                                  error ? error : "damaged"));
        g_free(error);
        return;
    }
    for (size_t i = 0; !is_empty_link(fb, data, size) && i < fatbin_entries(fb); i++) {
        entry_read(fb, i, section, container, code, problems);
    }
    fatbin_close(fb);
}

/* The PTX that the driver would link, as it would: image.c. */
static char *linked_problem(struct fatbin *fb)
{
    size_t *picked = g_new0(size_t, fatbin_units(fb) + 1);
    const char **text = g_new0(const char *, fatbin_units(fb) + 1);
    size_t *size = g_new0(size_t, fatbin_units(fb) + 1);
    struct ptx_error error = { .text = "" };
    char *problem = NULL, *linked = NULL;
    size_t n = 0, bytes = 0;
    gboolean whole = TRUE;

    fatbin_select(fb, APP_CC, picked, &n);
    for (size_t i = 0; i < n; i++) {
        text[i] = fatbin_ptx(fb, picked[i], &size[i], NULL);
        whole = whole && text[i]; /* damage is a problem already */
    }
    if (n && whole && !ptx_link(text, size, n, &linked, &bytes, &error)) {
        problem = cannot_launch("linking its PTX: ", error.text);
    } else if (n && whole) {
        problem = ptx_problem(linked, bytes);
    }
    free(linked);
    g_free(size);
    g_free(text);
    g_free(picked);
    return problem;
}

static void relocatable_judge(const unsigned char *data, size_t size, GPtrArray *problems)
{
    struct fatbin *fb;
    char *problem;

    if (fatbin_open(data, size, &fb, NULL) != 0) {
        return; /* said by container */
    }
    problem = linked_problem(fb);
    if (problem) {
        g_ptr_array_add(problems, g_strdup_printf(APP_RELOCATABLE ": %s", problem));
        g_free(problem);
    }
    fatbin_close(fb);
}

static guint64 app_code_load(const unsigned char *at, unsigned bytes)
{
    guint64 value = 0;

    for (unsigned i = 0; i < bytes; i++) {
        value |= (guint64)at[i] << (8 * i);
    }
    return value;
}

/* The linker lays the containers of all object files one after another, each aligned to 8 bytes. */
void app_code_read(const char *section, const unsigned char *data, size_t size, GArray *code,
                   GPtrArray *problems)
{
    unsigned container = 0;
    size_t at = 0;

    while (size - at >= CONTAINER_HEADER) {
        guint64 body = app_code_load(data + at + 8, 8);
        guint64 header = app_code_load(data + at + 6, 2);

        if (app_code_load(data + at, 4) == 0) { /* padding */
            at += 4;
            continue;
        }
        if (app_code_load(data + at, 4) != CONTAINER_MAGIC || header < CONTAINER_HEADER ||
            header > size - at || body > size - at - header) {
            g_ptr_array_add(problems, g_strdup_printf("%s: damaged device code at offset 0x%zx: "
                                                      "no container, or one that is cut short",
                                                      section, at));
            return;
        }
        container_read(data + at, (size_t)(header + body), section, container++, code, problems);
        at += (size_t)(header + body);
    }
    if (container && strcmp(section, APP_RELOCATABLE) == 0) {
        relocatable_judge(data, size, problems);
    }
}
