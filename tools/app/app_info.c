/* SPDX-License-Identifier: MIT */
#include "tools/app/app_info.h"

#include <string.h>

#include "tools/app/library_path.h"
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
    g_free(info->cure);
    g_free(info);
}

static void app_info_say(GPtrArray *list, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void app_info_say(GPtrArray *list, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(list, g_strdup_vprintf(format, args));
    va_end(args);
}

/* Libraries of NVIDIA's toolkit that are not part of vtegra; which have kernels, as machine code.
 */
static const struct {
    const char *prefix, *name;
    gboolean kernels;
} nvidia[] = {
    { "libcublas", "cuBLAS", TRUE },     { "libcudnn", "cuDNN", TRUE },
    { "libcufft", "cuFFT", TRUE },       { "libcurand", "cuRAND", TRUE },
    { "libcusolver", "cuSOLVER", TRUE }, { "libcusparse", "cuSPARSE", TRUE },
    { "libnvinfer", "TensorRT", TRUE },  { "libnpp", "NPP", TRUE },
    { "libnvjpeg", "nvJPEG", TRUE },     { "libnccl", "NCCL", TRUE },
    { "libnvrtc", NULL, FALSE },         { "libnvJitLink", NULL, FALSE },
    { "libnvidia-ml", NULL, FALSE },     { "libcupti", NULL, FALSE },
    { "libcufile", NULL, FALSE },
};

static gboolean is_nvidia(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(nvidia); i++) {
        if (g_str_has_prefix(name, nvidia[i].prefix)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean has_machine_code(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(nvidia); i++) {
        if (g_str_has_prefix(name, nvidia[i].prefix)) {
            return nvidia[i].kernels;
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
        return has_machine_code(name) ? APP_LIBRARY_MACHINE_CODE : APP_LIBRARY_HERE;
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
            app_info_say(
                info->problems,
                "it was linked with %s; vtegra has libcudart.so.13. Rebuild it with CUDA 13 or "
                "with "
                "vtegra cc",
                name);
            break;
        case APP_LIBRARY_NVIDIA:
            app_info_say(
                info->problems, "%s is not here: it is part of NVIDIA's toolkit, not of vtegra%s",
                name,
                has_machine_code(name) ? ", and has machine code only, which only a GPU runs" : "");
            break;
        case APP_LIBRARY_MACHINE_CODE:
            app_info_say(
                info->problems,
                "%s has machine code only, which only a GPU runs: its calls will fail here with "
                "its "
                "own errors",
                name);
            break;
        case APP_LIBRARY_MISSING:
            app_info_say(info->problems, "%s is not on this machine", name);
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

static void call_add(struct app_info *info, const char *name, enum app_call state)
{
    struct app_need need = { g_strdup(name), state };

    g_array_append_val(info->calls, need);
}

/* Of a shared runtime the imports say what is called; of a static one the code does, where it has
 * symbols. A program's own functions may begin with cuda, too: those it does not import. */
static void calls_of_static(struct app_info *info, GHashTable *here, GHashTable *unsupported)
{
    GPtrArray *names;
    GHashTableIter iter;
    void *name;

    g_hash_table_iter_init(&iter, unsupported);
    while (g_hash_table_iter_next(&iter, &name, NULL)) {
        g_hash_table_add(here, g_strdup(name));
    }
    names = elf_info_static_calls(info->elf, here);
    info->calls_known = names != NULL;
    for (guint i = 0; names && i < names->len; i++) {
        const char *call = g_ptr_array_index(names, i);

        call_add(info, call,
                 g_hash_table_contains(unsupported, call) ? APP_CALL_UNSUPPORTED : APP_CALL_HERE);
    }
    if (names) {
        g_ptr_array_unref(names);
    }
}

static void calls_read(struct app_info *info)
{
    GHashTable *here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GHashTable *unsupported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    info->calls_known = TRUE;
    exports_add(here, "lib/libcudart.so.13");
    exports_add(here, "lib/libcuda.so.1");
    exports_add(here, "lib/libcudla.so.1");
    exports_add(here, "lib/libnvscibuf.so.1");
    exports_add(here, "lib/libnvscisync.so.1");
    exports_add(here, "lib/libnvsciipc.so.1");
    exports_add(here, "lib/libnvscievent.so.1");
    unsupported_add(unsupported, "share/vtegra/unsupported-cudart.txt");
    unsupported_add(unsupported, "share/vtegra/unsupported-cuda.txt");
    for (guint i = 0; i < info->elf->imports->len; i++) {
        const char *name = g_ptr_array_index(info->elf->imports, i);
        const char *library = g_ptr_array_index(info->elf->versions, i);

        if (is_cuda_call(name) && !is_nvidia(library)) {
            call_add(info, name,
                     g_hash_table_contains(unsupported, name) ? APP_CALL_UNSUPPORTED
                     : g_hash_table_contains(here, name)      ? APP_CALL_HERE
                                                              : APP_CALL_MISSING);
        }
    }
    if (info->elf->cudart == ELF_CUDART_STATIC_OURS ||
        info->elf->cudart == ELF_CUDART_STATIC_NVIDIA) {
        calls_of_static(info, here, unsupported);
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
        app_info_say(info->problems, "%s is missing: this vtegra is not completely installed", lib);
    }
    g_free(lib);
    if (!installed) {
        return;
    }
    for (guint i = 0; i < info->calls->len; i++) {
        const struct app_need *call = &g_array_index(info->calls, struct app_need, i);

        if (call->state == APP_CALL_MISSING) {
            app_info_say(info->problems, "%s does not exist in this vtegra", call->name);
        } else if (call->state == APP_CALL_UNSUPPORTED) {
            app_info_say(info->notes, "%s answers \"not supported\" if it is called", call->name);
        }
    }
}

/* Is there PTX for the code of container @container of @section? With -rdc=true the linked
 * container has machine code only, and the PTX of its parts is in a section of its own. */
static gboolean has_ptx(const struct app_info *info, const char *section, unsigned container)
{
    const gboolean part = strcmp(section, APP_RELOCATABLE) == 0;

    for (guint i = 0; i < info->code->len; i++) {
        const struct app_code *code = &g_array_index(info->code, struct app_code, i);

        if (code->ptx && ((!part && strcmp(code->section, APP_RELOCATABLE) == 0) ||
                          (strcmp(code->section, section) == 0 && code->container == container))) {
            return TRUE;
        }
    }
    return FALSE;
}

static const struct app_code *code_without_ptx(const struct app_info *info)
{
    for (guint i = 0; i < info->code->len; i++) {
        const struct app_code *code = &g_array_index(info->code, struct app_code, i);

        if (!has_ptx(info, code->section, code->container)) {
            return code;
        }
    }
    return NULL;
}

/* NVIDIA's libraries linked statically: a function of each that no program can do without. */
static gboolean libraries_static_judge(struct app_info *info)
{
    static const char *const entries[] = {
        "cublasCreate_v2",
        "cublasLtCreate",
        "cufftCreate",
        "cufftPlan1d",
        "cufftPlan2d",
        "cufftPlan3d",
        "cufftPlanMany",
        "cusolverDnCreate",
        "cusolverSpCreate",
        "cusparseCreate",
        "curandCreateGenerator",
        "cudnnCreate",
        NULL,
    };
    static const char *const ours[] = { "library_launch", NULL }; /* runtime/api/library */
    const char *found;

    if (!elf_info_has_symbol(info->elf, entries, &found) ||
        elf_info_has_symbol(info->elf, ours, &(const char *){ NULL })) {
        return FALSE;
    }
    app_info_say(
        info->problems,
        "NVIDIA's library of %s is linked into it, which has machine code only: only a GPU runs "
        "that, and its calls will fail here with its own errors",
        found);
    return TRUE;
}

/* One command mends both what has no PTX and NVIDIA's static runtime: a second line with
 * NVCC_APPEND_FLAGS would take the first one's flags back. make has to build all of it again, which
 * it does not for a variable of the environment. */
static void cure_make(struct app_info *info, unsigned sm, gboolean relink)
{
    char *lib = paths_get("lib");
    char *ptx =
        sm ? g_strdup_printf(" -gencode arch=compute_%u,code=compute_%u", sm, sm) : g_strdup("");
    char *ours = g_strdup_printf("-L%s", lib);
    const gboolean is_ours = info->elf->cudart == ELF_CUDART_STATIC_OURS;
    GString *cure = g_string_new("no change to the build files (with CMake: cmake --build DIR "
                                 "--clean-first in place of make -B)\n");

    g_string_append_printf(cure, "      NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS %s%s\" make -B",
                           is_ours ? ours : "-cudart shared", ptx);
    if (relink) {
        g_string_append_printf(
            cure, ", or\n      NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS %s%s\" make -B", ours, ptx);
    }
    info->cure = g_string_free(cure, FALSE);
    g_free(ours);
    g_free(ptx);
    g_free(lib);
}

/* Machine code alone cannot run: the virtual SoC executes PTX. Says it once, with the flag. */
static void code_judge(struct app_info *info)
{
    const struct app_code *code = code_without_ptx(info);
    const gboolean relink = info->elf->cudart == ELF_CUDART_STATIC_NVIDIA;
    const gboolean theirs = libraries_static_judge(info);

    if (code && !theirs) { /* of NVIDIA's libraries no user can build PTX */
        app_info_say(info->problems,
                     "it holds %s for sm_%u without PTX, which only that GPU can run", code->kind,
                     code->sm);
    }
    if ((code && !theirs) || relink) {
        cure_make(info, code && !theirs ? code->sm : 0, relink);
    }
}

static void program_judge(struct app_info *info)
{
    if (strcmp(info->elf->machine_name, ELF_HOST_MACHINE) != 0) {
        app_info_say(info->problems,
                     "it is built for %s; rebuild it on this machine (vtegra cc, or nvcc)",
                     info->elf->machine_name);
    }
    if (info->elf->kind == ELF_KIND_OTHER) {
        app_info_say(info->problems, "it is not a linked program");
    }
    if (info->elf->cudart == ELF_CUDART_STATIC_NVIDIA) {
        app_info_say(
            info->problems,
            "it contains NVIDIA's static CUDA runtime, which works with no driver but NVIDIA's");
    }
}

/* Each program and library with hooks has a table of them (runtime/track). Where one library alone
 * has some, the report says which of the code has none. */
static void hooks_judge(struct app_info *info)
{
    static const char *const table[] = { "vtegra_track_object", NULL };
    const char *found;

    if ((info->code->len || info->calls->len) && !elf_info_has_symbol(info->elf, table, &found)) {
        app_info_say(info->notes,
                     "it has no hooks: accesses of the CPU are checked only to memory in use "
                     "(docs/races.md). Build the host's code with vtegra cc --track to check all");
    }
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
    hooks_judge(info);
    return info;
}
