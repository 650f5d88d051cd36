/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/ptx.h"
#include "runtime/driver/fatbin.h"
#include "tools/app_info.h"

#define CONTAINER_MAGIC 0xba55ed50u
#define CONTAINER_HEADER 16u
#define RELOCATABLE "__nv_relfatbin" /* nvcc -rdc=true */

/* nvcc's device link adds a cubin without kernels to every program: 1448 bytes with CUDA 13.0,
 * where one empty kernel makes 2800. Packed ones are told apart by that, raw ones by their
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

/* A function that no link will find, or NULL. */
static const char *launches_kernels(const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->n_funcs; i++) {
        const struct ptx_func *f = module->funcs[i];

        if (f->is_extern && ptx_is_device_launch(f->name, strlen(f->name))) {
            return f->name;
        }
    }
    return NULL;
}

/* What keeps the virtual SMs from running it, or NULL. Relocatable code waits for its link: there
 * only the text is looked at, and what it asks of CUDA's device runtime. g_free() */
static char *ptx_problem(const char *text, size_t size, gboolean relocatable)
{
    struct ptx_error error = { .text = "" };
    struct ptx_module *module = ptx_parse(text, size, &error);
    struct ptx_program *program = module && !relocatable ? ptx_decode(module, &error) : NULL;
    const char *launch = module && relocatable ? launches_kernels(module) : NULL;
    char *problem = NULL;

    if (launch) {
        problem = g_strdup_printf("`%s`: a kernel launches kernels (dynamic parallelism), which "
                                  "vtegra does not have; none of the program's kernels that are "
                                  "linked with it can be launched",
                                  launch);
    } else if (!module || (!relocatable && !program)) {
        problem = g_strdup_printf("%s%s: none of its kernels can be launched",
                                  module ? "" : "the text cannot be read: ", error.text);
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

    if (text) {
        problem = ptx_problem(text, size, strcmp(section, RELOCATABLE) == 0);
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

static guint64 load(const unsigned char *at, unsigned bytes)
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
        guint64 body = load(data + at + 8, 8);
        guint64 header = load(data + at + 6, 2);

        if (load(data + at, 4) == 0) { /* padding */
            at += 4;
            continue;
        }
        if (load(data + at, 4) != CONTAINER_MAGIC || header < CONTAINER_HEADER ||
            header > size - at || body > size - at - header) {
            g_ptr_array_add(problems, g_strdup_printf("%s: damaged device code at offset 0x%zx: "
                                                      "no container, or one that is cut short",
                                                      section, at));
            return;
        }
        container_read(data + at, (size_t)(header + body), section, container++, code, problems);
        at += (size_t)(header + body);
    }
}
