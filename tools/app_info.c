/* SPDX-License-Identifier: MIT */
#include "tools/app_info.h"

#include <string.h>

#include "tools/library_path.h"
#include "tools/paths.h"

static void need_clear(void *need)
{
    g_free(((struct app_need *)need)->name);
}

static void code_clear(void *code)
{
    g_free(((struct app_code *)code)->section);
}

static struct app_info *info_new(struct elf_info *elf)
{
    struct app_info *info = g_new0(struct app_info, 1);

    info->elf = elf;
    info->libraries = g_array_new(FALSE, TRUE, sizeof(struct app_need));
    g_array_set_clear_func(info->libraries, need_clear);
    info->calls = g_array_new(FALSE, TRUE, sizeof(struct app_need));
    g_array_set_clear_func(info->calls, need_clear);
    info->code = g_array_new(FALSE, TRUE, sizeof(struct app_code));
    g_array_set_clear_func(info->code, code_clear);
    info->problems = g_ptr_array_new_with_free_func(g_free);
    info->notes = g_ptr_array_new_with_free_func(g_free);
    return info;
}

void app_info_free(struct app_info *info)
{
    if (!info) {
        return;
    }
    g_array_unref(info->libraries);
    g_array_unref(info->calls);
    g_array_unref(info->code);
    g_ptr_array_unref(info->problems);
    g_ptr_array_unref(info->notes);
    elf_info_free(info->elf);
    g_free(info);
}

static void say(GPtrArray *list, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void say(GPtrArray *list, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(list, g_strdup_vprintf(format, args));
    va_end(args);
}

/* Libraries of NVIDIA's toolkit that are not part of vtegra. */
static gboolean is_nvidia(const char *name)
{
    static const char *const prefixes[] = {
        "libcublas", "libcudnn",   "libcufft",  "libcurand", "libcusolver",  "libcusparse",
        "libnvrtc",  "libnvinfer", "libnpp",    "libnvjpeg", "libnvJitLink", "libnvidia-ml",
        "libcupti",  "libnccl",    "libcufile", NULL
    };

    for (size_t i = 0; prefixes[i]; i++) {
        if (g_str_has_prefix(name, prefixes[i])) {
            return TRUE;
        }
    }
    return FALSE;
}

static enum app_library library_find(const struct app_info *info, const char *name)
{
    char *lib = paths_get("lib");
    char *ours = g_build_filename(lib, name, NULL);
    gboolean here = g_file_test(ours, G_FILE_TEST_EXISTS);

    g_free(ours);
    g_free(lib);
    if (here) {
        return APP_LIBRARY_OURS;
    }
    if (g_str_has_prefix(name, "libcudart.so.") && strcmp(name, "libcudart.so.13") != 0) {
        return APP_LIBRARY_OTHER_TOOLKIT;
    }
    if (library_path_has(name, info->elf->machine)) {
        return APP_LIBRARY_HERE;
    }
    return is_nvidia(name) ? APP_LIBRARY_NVIDIA : APP_LIBRARY_MISSING;
}

static void libraries_read(struct app_info *info)
{
    for (guint i = 0; i < info->elf->needed->len; i++) {
        const char *name = g_ptr_array_index(info->elf->needed, i);
        struct app_need need = { g_strdup(name), library_find(info, name) };

        g_array_append_val(info->libraries, need);
        switch ((enum app_library)need.state) {
        case APP_LIBRARY_OTHER_TOOLKIT:
            say(info->problems,
                "it was linked with %s; vtegra has libcudart.so.13. Rebuild it with CUDA 13 or "
                "with "
                "vtegra cc",
                name);
            break;
        case APP_LIBRARY_NVIDIA:
            say(info->problems,
                "%s is not here: it is part of NVIDIA's toolkit, not of vtegra, and runs its own "
                "machine code, which only a GPU can",
                name);
            break;
        case APP_LIBRARY_MISSING:
            say(info->problems, "%s is not on this machine", name);
            break;
        default:
            break;
        }
    }
}

/* cuMemAlloc_v2, cudaMalloc, cudlaSubmitTask, __cudaRegisterFatBinary; not cubic, customs */
static gboolean is_cuda_call(const char *name)
{
    return g_str_has_prefix(name, "__cuda") ||
           (g_str_has_prefix(name, "cuda") && g_ascii_isupper(name[4])) ||
           (g_str_has_prefix(name, "cudla") && g_ascii_isupper(name[5])) ||
           (g_str_has_prefix(name, "cu") && g_ascii_isupper(name[2]));
}

/* Adds the lines of share/vtegra/unsupported-<api>.txt, made from the lists of stubs at build time.
 */
static void unsupported_add(GHashTable *names, const char *file)
{
    char *path = paths_get(file);
    char *text = NULL;

    if (g_file_get_contents(path, &text, NULL, NULL)) {
        char **lines = g_strsplit(text, "\n", -1);

        for (char **line = lines; *line; line++) {
            if (**line && **line != '#') {
                g_hash_table_add(names, g_strdup(*line));
            }
        }
        g_strfreev(lines);
    }
    g_free(text);
    g_free(path);
}

static void exports_add(GHashTable *names, const char *library)
{
    char *path = paths_get(library);
    GHashTable *more = elf_info_exports(path);
    GHashTableIter iter;
    void *name;

    if (more) {
        g_hash_table_iter_init(&iter, more);
        while (g_hash_table_iter_next(&iter, &name, NULL)) {
            g_hash_table_add(names, g_strdup(name));
        }
        g_hash_table_destroy(more);
    }
    g_free(path);
}

static int need_compare(const void *a, const void *b)
{
    return strcmp(((const struct app_need *)a)->name, ((const struct app_need *)b)->name);
}

static void calls_read(struct app_info *info)
{
    GHashTable *here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTable *unsupported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    exports_add(here, "lib/libcudart.so.13");
    exports_add(here, "lib/libcuda.so.1");
    exports_add(here, "lib/libcudla.so.1");
    unsupported_add(unsupported, "share/vtegra/unsupported-cudart.txt");
    unsupported_add(unsupported, "share/vtegra/unsupported-cuda.txt");
    unsupported_add(unsupported, "share/vtegra/unsupported-cudla.txt");
    for (guint i = 0; i < info->elf->imports->len; i++) {
        const char *name = g_ptr_array_index(info->elf->imports, i);
        const char *library = g_ptr_array_index(info->elf->versions, i);
        struct app_need need = { NULL, APP_CALL_HERE };

        if (!is_cuda_call(name) || is_nvidia(library)) {
            continue;
        }
        need.name = g_strdup(name);
        if (g_hash_table_contains(unsupported, name)) {
            need.state = APP_CALL_UNSUPPORTED;
        } else if (!g_hash_table_contains(here, name)) {
            need.state = APP_CALL_MISSING;
        }
        g_array_append_val(info->calls, need);
    }
    g_array_sort(info->calls, need_compare);
    g_hash_table_destroy(unsupported);
    g_hash_table_destroy(here);
}

static void calls_judge(struct app_info *info)
{
    char *lib = paths_get("lib/libcudart.so.13");
    gboolean installed = info->calls->len == 0 || g_file_test(lib, G_FILE_TEST_EXISTS);

    if (!installed) {
        say(info->problems, "%s is missing: this vtegra is not completely installed", lib);
    }
    g_free(lib);
    if (!installed) {
        return;
    }
    for (guint i = 0; i < info->calls->len; i++) {
        const struct app_need *call = &g_array_index(info->calls, struct app_need, i);

        if (call->state == APP_CALL_MISSING) {
            say(info->problems, "%s does not exist in this vtegra", call->name);
        } else if (call->state == APP_CALL_UNSUPPORTED) {
            say(info->notes, "%s answers \"not supported\" if it is called", call->name);
        }
    }
}

/* Is there PTX for the code of container @container of @section? With -rdc=true the linked
 * container has machine code only, and the PTX of its parts is in a section of its own. */
static gboolean has_ptx(const struct app_info *info, const char *section, unsigned container)
{
    for (guint i = 0; i < info->code->len; i++) {
        const struct app_code *code = &g_array_index(info->code, struct app_code, i);

        if (code->ptx && (strcmp(code->section, "__nv_relfatbin") == 0 ||
                          (strcmp(code->section, section) == 0 && code->container == container))) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Machine code alone cannot run: the virtual SoC executes PTX. Says it once, with the flag. */
static void code_judge(struct app_info *info)
{
    for (guint i = 0; i < info->code->len; i++) {
        const struct app_code *code = &g_array_index(info->code, struct app_code, i);

        if (!has_ptx(info, code->section, code->container)) {
            say(info->problems,
                "it holds %s for sm_%u without PTX, which only that GPU can run. Embed PTX, with "
                "no "
                "change to the build files:\n"
                "      NVCC_APPEND_FLAGS=\"-gencode arch=compute_%u,code=compute_%u\" make",
                code->kind, code->sm, code->sm, code->sm);
            return;
        }
    }
}

static void program_judge(struct app_info *info)
{
    char *lib = paths_get("lib");

    if (strcmp(info->elf->machine_name, "x86-64") != 0) {
        say(info->problems, "it is built for %s; rebuild it on this machine (vtegra cc, or nvcc)",
            info->elf->machine_name);
    }
    if (info->elf->kind == ELF_KIND_OTHER) {
        say(info->problems, "it is not a linked program");
    }
    if (info->elf->cudart == ELF_CUDART_STATIC_NVIDIA) {
        say(info->problems,
            "it contains NVIDIA's static CUDA runtime, which works with no driver but NVIDIA's. "
            "Relink it, with no change to the build files:\n"
            "      NVCC_APPEND_FLAGS=\"-cudart shared\" make, or\n"
            "      NVCC_APPEND_FLAGS=\"-L%s\" make",
            lib);
    }
    g_free(lib);
}

struct app_info *app_info_read(const char *path, GError **error)
{
    struct elf_info *elf = elf_info_read(path, error);
    struct app_info *info;

    if (!elf) {
        return NULL;
    }
    if (elf->kind == ELF_KIND_NONE || elf->kind == ELF_KIND_SCRIPT) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is %s, no ELF program", path,
                    elf->kind == ELF_KIND_SCRIPT ? "a script (look at what it starts)"
                                                 : "another kind of file");
        elf_info_free(elf);
        return NULL;
    }
    info = info_new(elf);
    program_judge(info);
    libraries_read(info);
    calls_read(info);
    calls_judge(info);
    for (guint i = 0; i < elf->device->len; i++) {
        const struct elf_section_data *s = &g_array_index(elf->device, struct elf_section_data, i);

        app_code_read(s->name, s->data, s->size, info->code, info->problems);
    }
    code_judge(info);
    return info;
}
