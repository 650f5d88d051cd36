/* SPDX-License-Identifier: MIT */
#include "tools/cc/cc_args.h"

#include <stddef.h>
#include <string.h>

#include "profiles/nearest.h"
#include "tools/cc/nvcc.h"

#define FILE_WORD "--vtegra-words=" /* -optf, in nvcc.def */
enum { FILES_MAX = 64 };            /* of -optf; one may name another */

/* Options of clang whose value is the next word. */
static const char *const with_value[] = {
    "-I",
    "-D",
    "-U",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-imacros",
    "-x",
    "-Xclang",
    "-MF",
    "-MT",
    "-MQ",
    "-mllvm",
    "-target",
    "-Xarch_device",
    "--param",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xcuda-ptxas",
    "-Xcuda-fatbinary",
    "-Xarch_host",
    NULL,
};
static const char *const link_with_value[] = { "-l", "-L", "-Xlinker", "-T", "-u", "-z", NULL };

/* Beginnings of options for the linker only, and of those for both. */
static const char *const link_prefixes[] = {
    "-l",   "-L",       "-Wl,",      "-static",        "-shared", "-rdynamic", "-no-pie",
    "-pie", "-fuse-ld", "-nostdlib", "-nodefaultlibs", "-s=",     NULL
};
static const char *const both_prefixes[] = { "-pthread", "-fopenmp",  "-fsanitize=", "--coverage",
                                             "-flto",    "-fprofile", "-stdlib=",    NULL };

static gboolean cc_args_begins(const char *word, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (g_str_has_prefix(word, *prefixes)) {
            return TRUE;
        }
    }
    return FALSE;
}

enum cc_kind cc_kind_of(const struct cc_args *args, const char *file)
{
    static const char *const cxx[] = { ".cpp", ".cc", ".cxx", ".C", ".c++", NULL };

    if (g_str_has_suffix(file, ".cu")) {
        return CC_CUDA;
    }
    for (size_t i = 0; cxx[i]; i++) {
        if (g_str_has_suffix(file, cxx[i])) {
            return args->as_cuda ? CC_CUDA : CC_CXX;
        }
    }
    if (!g_str_has_suffix(file, ".c")) {
        return CC_OBJECT;
    }
    return args->as_cuda ? CC_CUDA : CC_C;
}

gboolean cc_is_input(const struct cc_args *args, guint index)
{
    for (guint i = 0; i < args->inputs->len; i++) {
        if (g_array_index(args->inputs, guint, i) == index) {
            return TRUE;
        }
    }
    return FALSE;
}

/* What is left to read: the words after the current one. */
struct reader {
    int argc, at;
    char **argv;
    char **error;
};

static const char *cc_args_next(struct reader *r, const char *option)
{
    if (r->at + 1 >= r->argc) {
        *r->error = g_strdup_printf("%s needs a value", option);
        return NULL;
    }
    return r->argv[++r->at];
}

/* "-arch" "sm_87" or "-arch=sm_87": the value, else NULL. @matched: whether it was @option. */
static const char *value_of(struct reader *r, const char *option, gboolean *matched)
{
    const char *word = r->argv[r->at];
    size_t len = strlen(option);

    *matched = strncmp(word, option, len) == 0 && (word[len] == '\0' || word[len] == '=');
    if (!*matched) {
        return NULL;
    }
    return word[len] == '=' ? word + len + 1 : cc_args_next(r, option);
}

static gboolean arch_set(struct cc_args *args, const char *value, char **error)
{
    static const char *const ours[] = { "native", "all", "all-major", NULL };
    const char *digits = g_str_has_prefix(value, "sm_")        ? value + 3
                         : g_str_has_prefix(value, "compute_") ? value + 8
                                                               : "";
    size_t n = strspn(digits, "0123456789");

    if (g_strv_contains(ours, value)) {
        return TRUE; /* the targets of all Tegras, as without the option */
    }
    if (n < 2 || n > 3 || (digits[n] != '\0' && digits[n + 1] != '\0')) {
        *error = g_strdup_printf("\"%s\" is no architecture: write sm_87", value);
        return FALSE;
    }
    g_ptr_array_add(args->archs, g_strconcat("sm_", digits, NULL));
    return TRUE;
}

/* -gencode arch=compute_87,code=sm_87: we embed PTX, so only the virtual architecture counts. */
static gboolean gencode_set(struct cc_args *args, const char *value, char **error)
{
    const char *arch = strstr(value, "arch=");
    char *name;
    gboolean ok;

    if (!arch) {
        *error = g_strdup_printf("-gencode %s has no arch=", value);
        return FALSE;
    }
    name = g_strndup(arch + 5, strcspn(arch + 5, ","));
    ok = arch_set(args, name, error);
    g_free(name);
    return ok;
}

/* aarch64, or the whole triple as clang has it. */
static gboolean target_set(struct cc_args *args, const char *value, char **error)
{
    args->aarch64 = strcmp(value, "aarch64") == 0 || strcmp(value, "aarch64-linux-gnu") == 0;
    if (!args->aarch64) {
        *error = g_strdup_printf("--target %s: programs are built for this machine (leave the "
                                 "option out) or for the Linux guest (--target aarch64)",
                                 value);
    }
    return args->aarch64;
}

static void split_into(GPtrArray *words, const char *list)
{
    char **parts = g_strsplit(list, ",", -1);

    for (char **part = parts; *part; part++) {
        g_ptr_array_add(words, g_strdup(*part));
    }
    g_strfreev(parts);
}

/* -rdc=true and its kin. Return: was it one? *r->error if it was wrong. */
static gboolean option_rdc(struct cc_args *args, struct reader *r)
{
    static const char *const compile[] = { "-dc", "--device-c", NULL };
    static const char *const link[] = { "-dlink", "--device-link", NULL };
    const char *word = r->argv[r->at], *value;
    gboolean matched;

    if (g_strv_contains(compile, word)) {
        args->rdc = args->stop = TRUE;
        g_ptr_array_add(args->compile, g_strdup("-c"));
        return TRUE;
    }
    if (g_strv_contains(link, word)) {
        args->device_link = TRUE;
        return TRUE;
    }
    if (strcmp(word, "-fgpu-rdc") == 0 || strcmp(word, "-fno-gpu-rdc") == 0) {
        args->rdc = strcmp(word, "-fgpu-rdc") == 0;
        return TRUE;
    }
    value = value_of(r, "-rdc", &matched);
    if (!matched) {
        value = value_of(r, "--relocatable-device-code", &matched);
    }
    if (value && strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
        *r->error = g_strdup_printf("%s: write -rdc=true or -rdc=false", word);
    } else if (value) {
        args->rdc = strcmp(value, "true") == 0;
    }
    return matched;
}

/* Our own options and those of nvcc. Return: TRUE if the word was one; *r->error if it was wrong.
 */
static gboolean option_ours(struct cc_args *args, struct reader *r)
{
    /* ours, nvcc's, clang's */
    static const char *const arch_words[] = { "--arch", "-arch", "--cuda-gpu-arch",
                                              "--offload-arch", NULL };
    const char *word = r->argv[r->at];
    const char *value;
    gboolean matched;

    if (strcmp(word, "--track") == 0) {
        args->track = TRUE;
        return TRUE;
    }
    if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0) {
        args->verbose = TRUE;
        return TRUE;
    }
    if (strcmp(word, "-lineinfo") == 0) {
        g_ptr_array_add(args->compile, g_strdup("-Xarch_device"));
        g_ptr_array_add(args->compile, g_strdup("-gline-tables-only"));
        return TRUE;
    }
    if (strcmp(word, "-lcudadevrt") == 0) {
        return TRUE; /* what kernels call to start kernels; nvcc's users link it with -rdc=true */
    }
    if (option_rdc(args, r)) {
        return TRUE;
    }
    value = value_of(r, "--soc", &matched);
    if (matched) {
        if (value) {
            split_into(args->socs, value);
        }
        return TRUE;
    }
    value = value_of(r, "--target", &matched);
    if (matched) {
        return !value || !target_set(args, value, r->error) || TRUE;
    }
    for (size_t i = 0; arch_words[i] && !matched; i++) {
        value = value_of(r, arch_words[i], &matched);
    }
    if (matched) {
        return !value || !arch_set(args, value, r->error) || TRUE;
    }
    value = value_of(r, "-gencode", &matched);
    if (matched) {
        return !value || !gencode_set(args, value, r->error) || TRUE;
    }
    value = value_of(r, "-Xcompiler", &matched);
    if (matched && value) {
        split_into(args->compile, value);
    }
    return matched;
}

static void cc_args_both(struct cc_args *args, const char *word)
{
    g_ptr_array_add(args->compile, g_strdup(word));
    g_ptr_array_add(args->link, g_strdup(word));
}

/* clang would refuse a mistyped option of ours in words that do not name it. */
static gboolean option_mistyped(const char *word, char **error)
{
    static const char *const ours[] = { "--track", "--soc", "--arch", "--target", NULL };
    g_autofree char *name = g_strndup(word, strcspn(word, "="));
    const char *near = g_str_has_prefix(word, "--") ? nearest_word(name, ours) : NULL;

    if (near && strcmp(near, name) != 0) {
        *error = g_strdup_printf("Unknown option %s; did you mean %s?", name, near);
        return TRUE;
    }
    return FALSE;
}

static void option_clang(struct cc_args *args, struct reader *r)
{
    static const char *const stops[] = { "-c", "-S", "-E", "-fsyntax-only", "-M", "-MM", NULL };
    const char *word = r->argv[r->at];
    GPtrArray *to = args->compile;

    if (cc_args_begins(word, both_prefixes)) {
        cc_args_both(args, word);
        return;
    }
    if (cc_args_begins(word, link_prefixes) || g_strv_contains(link_with_value, word)) {
        to = args->link;
    }
    args->stop = args->stop || g_strv_contains(stops, word);
    g_ptr_array_add(to, g_strdup(word));
    if (g_strv_contains(with_value, word) || g_strv_contains(link_with_value, word)) {
        const char *value = cc_args_next(r, word);

        if (value) {
            g_ptr_array_add(to, g_strdup(value));
        }
    }
}

/* What nvcc.def makes of options for the struct. Return: was it one? */
static gboolean option_field(struct cc_args *args, const char *word)
{
    static const struct {
        const char *word;
        size_t at;
    } fields[] = {
        { "--vtegra-ptx", offsetof(struct cc_args, ptx) },
        { "--vtegra-fatbin", offsetof(struct cc_args, fatbin) },
        { "--vtegra-cuda", offsetof(struct cc_args, as_cuda) },
        { "--vtegra-dryrun", offsetof(struct cc_args, dry) },
        { "--vtegra-no-cudart", offsetof(struct cc_args, no_cudart) },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(word, fields[i].word) == 0) {
            *(gboolean *)((char *)args + fields[i].at) = TRUE;
            return TRUE;
        }
    }
    return FALSE;
}

static void word_sort(struct cc_args *args, struct reader *r);

static void words_sort(struct cc_args *args, int argc, char **argv, char **error)
{
    struct reader r = { argc, 0, argv, error };

    for (; r.at < argc && !*error; r.at++) {
        word_sort(args, &r);
    }
}

/* -optf FILE: its words stand in its place. */
static void file_sort(struct cc_args *args, const char *path, char **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) failed = NULL;
    char **words = NULL;
    int n = 0;

    if (!g_file_get_contents(path, &text, NULL, &failed)) {
        *error = g_strdup_printf("--options-file: %s", failed->message);
    } else if (!g_shell_parse_argv(text, &n, &words, &failed)) {
        if (!g_error_matches(failed, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)) {
            *error = g_strdup_printf("--options-file %s: %s", path, failed->message);
        }
    } else if (args->files++ >= FILES_MAX) {
        *error = g_strdup_printf("--options-file %s: more than %d such files: it names itself",
                                 path, FILES_MAX);
    } else {
        words_sort(args, n, words, error);
    }
    g_strfreev(words);
}

/* clang takes an option of LLVM once: the last one holds. */
static void llvm_once(GPtrArray *compile, const char *option)
{
    size_t len = strcspn(option, "=");

    for (guint i = 1; i < compile->len; i++) {
        const char *word = g_ptr_array_index(compile, i);

        if (strcmp(g_ptr_array_index(compile, i - 1), "-mllvm") == 0 &&
            strncmp(word, option, len + 1) == 0) {
            g_ptr_array_remove_range(compile, i - 1, 2);
            return;
        }
    }
}

/* Return: was it one of nvcc's? */
static gboolean option_nvcc(struct cc_args *args, struct reader *r)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    int taken = nvcc_option(r->argv, r->at, r->argc, words, args->notes, r->error);

    if (taken == 0) {
        return FALSE;
    }
    for (guint i = 1; i < words->len; i++) {
        if (strcmp(g_ptr_array_index(words, i - 1), "-mllvm") == 0) {
            llvm_once(args->compile, g_ptr_array_index(words, i));
        }
    }
    r->at += taken - 1;
    words_sort(args, (int)words->len, (char **)words->pdata, r->error);
    return TRUE;
}

static void word_sort(struct cc_args *args, struct reader *r)
{
    const char *word = r->argv[r->at];
    guint index = args->link->len;

    if (word[0] != '-') {
        g_array_append_val(args->inputs, index);
        g_ptr_array_add(args->link, g_strdup(word));
    } else if (strcmp(word, "-o") == 0) {
        const char *value = cc_args_next(r, word);

        g_free(args->out);
        args->out = g_strdup(value);
    } else if (strcmp(word, "-") == 0) {
        *r->error = g_strdup("a source from standard input is not supported");
    } else if (g_str_has_prefix(word, FILE_WORD)) {
        file_sort(args, word + strlen(FILE_WORD), r->error);
    } else if (!option_nvcc(args, r) && !option_field(args, word) && !option_ours(args, r) &&
               !*r->error && !option_mistyped(word, r->error)) {
        option_clang(args, r);
    }
}

gboolean cc_args_parse(struct cc_args *args, int argc, char **argv, char **error)
{
    *args = (struct cc_args){
        .compile = g_ptr_array_new_with_free_func(g_free),
        .link = g_ptr_array_new_with_free_func(g_free),
        .inputs = g_array_new(FALSE, FALSE, sizeof(guint)),
        .archs = g_ptr_array_new_with_free_func(g_free),
        .socs = g_ptr_array_new_with_free_func(g_free),
        .notes = g_ptr_array_new_with_free_func(g_free),
    };
    words_sort(args, argc - 1, argv + 1, error);
    args->verbose = args->verbose || args->dry;
    if (!*error && args->inputs->len == 0) {
        *error = g_strdup("no source files");
    }
    for (guint i = 0; i < args->inputs->len && !*error; i++) {
        const char *file = g_ptr_array_index(args->link, g_array_index(args->inputs, guint, i));

        if (!g_file_test(file, G_FILE_TEST_EXISTS)) {
            *error = g_strdup_printf("no such file: %s", file);
        }
    }
    if (args->track && args->aarch64 && !*error) {
        *error = g_strdup("--track is not for --target aarch64: the machine in QEMU sees every "
                          "access of an unchanged program");
    }
    for (guint i = 0; args->track && i < args->compile->len && !*error; i++) {
        if (g_str_has_prefix(g_ptr_array_index(args->compile, i), "-fsanitize=")) {
            *error = g_strdup_printf("--track and %s both instrument the program: give one of them",
                                     (char *)g_ptr_array_index(args->compile, i));
        }
    }
    return !*error;
}

void cc_args_clear(struct cc_args *args)
{
    g_ptr_array_unref(args->compile);
    g_ptr_array_unref(args->link);
    g_array_unref(args->inputs);
    g_free(args->out);
    g_ptr_array_unref(args->archs);
    g_ptr_array_unref(args->socs);
    g_ptr_array_unref(args->notes);
}
