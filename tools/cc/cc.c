/* SPDX-License-Identifier: MIT */
/*
 * vtegra cc: clang with what it needs to build CUDA without an NVIDIA SDK: our headers, a stand-in
 * for the SDK's two programs (tools/sdk), our libcudart. Sources are compiled one by one, then
 * linked, because --track wants the compiler's thread instrumentation but not its runtime.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cc/cc_args.h"
#include "tools/cc/cc_device_link.h"
#include "tools/cc/cc_fatbin.h"
#include "tools/cc/cc_flags.h"
#include "tools/cc/cc_header.h"
#include "tools/cc/cc_target.h"
#include "tools/cmd.h"
#include "tools/help/version.h"
#include "tools/paths.h"

#define CMD "cc"
#define CLANG_ERRORS 1 /* the exit status of clang for errors in the source */

static const char help[] =
    "Usage: vtegra cc [OPTIONS] FILE... [-o OUT] [clang options]\n"
    "\n"
    "Builds CUDA programs for the virtual SoC with clang and no NVIDIA software. Takes .cu, .cpp, "
    ".c\n"
    "and object files, and every option of clang (-c -O2 -g -I -D -l -std ...).\n"
    "\n"
    "  --track        report every single CPU access to shared memory by the program and by the\n"
    "                 system and C library calls it makes (else pages are watched)\n"
    "  --soc SOC,...  build for these SoCs: PTX for the newest target that each may load. clang "
    "19\n"
    "                 has none of Thor's own, sm_110; --soc thor takes sm_90 and says so\n"
    "  --arch sm_NN   build for this target; may be given several times, as nvcc's -gencode\n"
    "                 Without the two: sm_53, sm_62, sm_72 and sm_87 (Nano, TX2, Xavier, Orin), "
    "and\n"
    "                 every board takes the newest that it may load. If the code does not compile\n"
    "                 for an older target, the target is skipped and a line says so. A board\n"
    "                 older than all of a program's PTX gives\n"
    "                 cudaErrorNoKernelImageForDevice (209).\n"
    "                 -S, -E and -fsyntax-only are for sm_87 alone\n"
    "  --target aarch64   build for a Linux guest in QEMU; needs scripts/guest.sh once, which\n"
    "                 says where its libraries are, or VTEGRA_AARCH64=FOLDER with lib/ and "
    "sysroot/\n"
    "  -v             show the commands\n"
    "\n"
    "The options of nvcc are understood as well (-arch, -rdc=true, -use_fast_math, -ptx ...). A "
    "note\n"
    "names an option without effect, and an error one that is not supported: docs/vtegra-cc.md.\n"
    "Another clang is used if VTEGRA_CLANG names one. The result finds libcudart by itself; start\n"
    "it with vtegra run to choose the SoC and to get the report.\n"
    "\n"
    "Examples:\n"
    "  vtegra cc app.cu -O2 -o app\n"
    "  vtegra cc --track app.cu helper.cpp -o app -lm\n";

static gboolean word_is_path(const char *word)
{
    return strchr(word, '/') != NULL;
}

/* The compiler; NULL after saying how to get it. */
static char *clang_find(void)
{
    const char *name = g_getenv("VTEGRA_CLANG");
    char *path;

    name = name && *name ? name : "clang++-19";
    path = word_is_path(name) ? g_strdup(name) : g_find_program_in_path(name);
    if (!path || !g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
        cmd_error(CMD,
                  "no compiler %s: apt-get install clang-19 (Debian 12 has it in bookworm-updates "
                  "and bookworm-security), or set VTEGRA_CLANG to another clang++ with CUDA "
                  "support",
                  name);
        g_free(path);
        return NULL;
    }
    return path;
}

/* A compiler that fails says why, unless it was killed, or VTEGRA_CLANG is none. */
static char *command_silent(const char *command, int wait_status)
{
    g_autofree char *how =
        WIFEXITED(wait_status)
            ? g_strdup_printf("ended with status %d", WEXITSTATUS(wait_status))
            : g_strdup_printf("was killed by signal %d (%s)", WTERMSIG(wait_status),
                              g_strsignal(WTERMSIG(wait_status)));

    return g_strdup_printf("vtegra cc: %s %s, without a message; -v shows the whole command. "
                           "Is it a clang++ with CUDA support? VTEGRA_CLANG chooses another\n",
                           command, how);
}

/* Runs a command with our stdin and stdout. @err: g_free() it: what it writes to stderr, or a line
 * of ours if it fails without a word; NULL: that goes to stderr. Returns its exit status. */
static int command_run(GPtrArray *argv, const struct cc_args *args, char **err)
{
    g_autofree char *text = NULL;
    GError *error = NULL;
    int wait_status;

    g_ptr_array_add(argv, NULL);
    if (args->verbose) {
        char *line = g_strjoinv(" ", (char **)argv->pdata);

        fprintf(stderr, "%s\n", line);
        g_free(line);
    }
    if (args->dry) {
        return CMD_OK;
    }
    if (!g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                      NULL, &text, &wait_status, &error)) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return CMD_FOUND;
    }
    if (wait_status != 0 && text && !*text) {
        g_free(text);
        text = command_silent(argv->pdata[0], wait_status);
    }
    if (err) {
        *err = g_steal_pointer(&text);
    } else if (text) {
        fputs(text, stderr);
    }
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Headers of another edition (include/drive-os-5) have the names of those in include/, which stands
 * before the program's folders: the toolkit's headers may be among these. */
static void cc_editions(GPtrArray *argv, const struct cc_args *args)
{
    for (guint i = 0; i < args->compile->len; i++) {
        const char *word = g_ptr_array_index(args->compile, i);
        const char *folder = !g_str_has_prefix(word, "-I") ? NULL
                             : word[2]                     ? word + 2
                             : i + 1 < args->compile->len  ? g_ptr_array_index(args->compile, i + 1)
                                                           : NULL;
        g_autofree char *name = folder ? g_path_get_basename(folder) : NULL;

        if (name && strcmp(name, "drive-os-5") == 0) {
            cc_add(argv, "-I");
            cc_add(argv, folder);
        }
    }
}

/* One source for the targets of args->archs from @first on; -c unless the user asked for less. */
static int compile_for(const char *clang, const struct cc_args *args, const char *source,
                       const char *out, guint first, char **err)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    enum cc_kind kind = cc_kind_of(args, source);
    int status;

    cc_add(argv, clang);
    if (!cc_target_machine(argv, args)) {
        g_ptr_array_unref(argv);
        return CMD_FOUND;
    }
    /* Not the files in /tmp for a bug report of clang's: one that is killed leaves them, too. */
    cc_add(argv, "-fno-crash-diagnostics");
    if (kind == CC_CUDA) {
        cc_cuda_flags(argv, args, first);
        cc_optimisation(argv, args);
        if (args->rdc) {
            cc_add(argv, "-fgpu-rdc");
        }
    } else {
        cc_add(argv, kind == CC_C ? "-xc" : "-xc++");
    }
    cc_editions(argv, args);
    cc_add_path(argv, "-I", "include");
    if (args->track) {
        cc_track_flags(argv, kind == CC_CUDA);
        cc_track_inline(argv, args);
    }
    if (isatty(STDERR_FILENO)) {
        cc_add(argv, "-fcolor-diagnostics");
    }
    if (kind == CC_CUDA) {
        cc_add_all(argv, args->compile);
    } else {
        cc_add_host(argv, args->compile);
    }
    if (!args->stop) {
        cc_add(argv, "-c");
    }
    if (out) {
        cc_add(argv, "-o");
        cc_add(argv, out);
    }
    cc_add(argv, source);
    status = command_run(argv, args, err);
    g_ptr_array_unref(argv);
    return status;
}

/* A C or C++ file that did not compile. */
static void cc_cuda_explain(const char *source)
{
    static const char *const signs[] = { "__global__", "<<<", "__device__" };
    g_autofree char *text = NULL;

    if (!g_file_get_contents(source, &text, NULL, NULL)) {
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        if (strstr(text, signs[i])) {
            cmd_error(CMD,
                      "%s has CUDA code (%s), and its name says C or C++: name it .cu, or "
                      "give -x cu",
                      source, signs[i]);
            return;
        }
    }
}

/* Without --soc and --arch, code that needs a newer GPU than the oldest is built for what is left.
 * Its errors are those of the last attempt, for the newest target alone. */
static int cc_compile(const char *clang, const struct cc_args *args, const char *source,
                      const char *out)
{
    guint first = 0;
    int status;

    if (cc_kind_of(args, source) != CC_CUDA) {
        status = compile_for(clang, args, source, out, 0, NULL);
        if (status == CLANG_ERRORS) {
            cc_cuda_explain(source);
        }
        return status;
    }
    do {
        g_autofree char *err = NULL;
        gboolean last = !args->as_many || first + 1 == args->archs->len;

        status = compile_for(clang, args, source, out, first, &err);
        if ((status != CLANG_ERRORS || last) && err) {
            fputs(err, stderr);
        }
        if (status == CLANG_ERRORS && last && err) {
            cc_header_explain(err);
        }
    } while (status == CLANG_ERRORS && args->as_many && ++first < args->archs->len);
    if (status == CMD_OK && first) {
        cmd_error(CMD, "%s does not compile for %s (--arch %s shows why): it has PTX from %s on",
                  source, (char *)g_ptr_array_index(args->archs, first - 1),
                  (char *)g_ptr_array_index(args->archs, first - 1),
                  (char *)g_ptr_array_index(args->archs, first));
    }
    return status;
}

static gboolean word_is_given(const GPtrArray *words, const char *word)
{
    for (guint i = 0; i < words->len; i++) {
        if (strcmp(g_ptr_array_index(words, i), word) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Makes @out, which registers the device code of @objects, from a source in @dir. *@made is FALSE
 * if none of them needs it. */
static int device_link(const char *clang, const struct cc_args *args, const GPtrArray *objects,
                       const char *dir, const char *out, gboolean *made)
{
    g_autofree char *header = paths_get("share/vtegra/sdk/device_link.h"),
                    *text = cc_device_link_source(objects, header, args->device_link),
                    *source = g_strdup_printf("%s/device_link.c", dir);
    static const char *const flags[] = { "-xc", "-std=gnu17", "-w", "-O2", "-fPIC", "-c", "-o" };
    GPtrArray *argv;
    int status;

    *made = text != NULL;
    if (!text) {
        return CMD_OK;
    }
    if (!g_file_set_contents(source, text, -1, NULL)) {
        cmd_error(CMD, "cannot write %s", source);
        return CMD_FOUND;
    }
    argv = g_ptr_array_new_with_free_func(g_free);
    cc_add(argv, clang);
    status = cc_target_machine(argv, args) ? CMD_OK : CMD_FOUND;
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        cc_add(argv, flags[i]);
    }
    cc_add(argv, out);
    cc_add(argv, source);
    if (status == CMD_OK) {
        status = command_run(argv, args, NULL);
    }
    g_ptr_array_unref(argv);
    return status;
}

/* The linker holds every library open, and its own words are one of "cannot find" for each. */
static void few_files_report(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < 64) {
        cmd_error(CMD, "%u open files are allowed here, which is few for a linker: ulimit -n 1024",
                  (unsigned)limit.rlim_cur);
    }
}

static int link_program(const char *clang, const struct cc_args *args, GPtrArray *objects)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    int status = CMD_FOUND;
    gboolean ok;

    cc_add(argv, clang);
    /* First, so that -lcudart_static of a build that knows NVIDIA's folder finds ours. */
    ok = cc_target_machine(argv, args) && cc_runtime_flags(argv, args);
    cc_add_all(argv, objects);
    if (args->track) {
        ok = ok && cc_track_library(argv);
    }
    if (!args->no_cudart && !word_is_given(objects, "-lcudart_static")) {
        cc_add(argv, "-lcudart");
    }
    cc_add(argv, "-pthread");
    cc_add(argv, "-o");
    cc_add(argv, args->out ? args->out : "a.out");
    if (ok) {
        status = command_run(argv, args, NULL);
    }
    if (status == CMD_FOUND) {
        few_files_report();
    }
    g_ptr_array_unref(argv);
    return status;
}

static void folder_remove(const char *dir)
{
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    while (d && (name = g_dir_read_name(d))) {
        char *path = g_build_filename(dir, name, NULL);

        g_unlink(path);
        g_free(path);
    }
    if (d) {
        g_dir_close(d);
    }
    g_rmdir(dir);
}

static int link_all(const char *clang, const struct cc_args *args, GPtrArray *objects,
                    const char *dir)
{
    g_autofree char *object = args->device_link ? g_strdup(args->out ? args->out : "a_dlink.o")
                                                : g_build_filename(dir, "device_link.o", NULL);
    gboolean made;
    int status = device_link(clang, args, objects, dir, object, &made);

    if (status != CMD_OK || args->device_link) {
        return status;
    }
    if (made) {
        cc_add(objects, object);
    }
    return link_program(clang, args, objects);
}

/* Compiles every source into @dir and links all in the order of the command line. */
static int cc_build(const char *clang, const struct cc_args *args, const char *dir)
{
    GPtrArray *objects = g_ptr_array_new_with_free_func(g_free);
    int status = CMD_OK;

    for (guint i = 0; i < args->link->len && status == CMD_OK; i++) {
        const char *word = g_ptr_array_index(args->link, i);

        if (cc_is_input(args, i) && cc_kind_of(args, word) != CC_OBJECT) {
            char *object = g_strdup_printf("%s/%u.o", dir, i);

            status = cc_compile(clang, args, word, object);
            g_ptr_array_add(objects, object);
        } else {
            cc_add(objects, word);
        }
    }
    if (status == CMD_OK) {
        status = link_all(clang, args, objects, dir);
    }
    g_ptr_array_unref(objects);
    return status;
}

/* "app.cu" and "ptx": "app.ptx", in the current folder, as nvcc has it. */
static char *name_beside(const char *source, const char *ending)
{
    g_autofree char *base = g_path_get_basename(source);
    char *dot = strrchr(base, '.');

    return g_strdup_printf("%.*s.%s", (int)(dot ? dot - base : (long)strlen(base)), base, ending);
}

/* The fat binary is what the object file registers. */
static int fatbin_make(const char *clang, const struct cc_args *args, const char *source,
                       const char *out)
{
    g_autofree char *object = g_strconcat(out, ".o", NULL);
    int status = cc_compile(clang, args, source, object);

    if (status == CMD_OK && !args->dry && !cc_fatbin_take(object, out)) {
        cmd_error(CMD, "-fatbin: %s has no kernel, or %s cannot be written", source, out);
        status = CMD_FOUND;
    }
    g_unlink(object);
    return status;
}

static int compile_one(const char *clang, const struct cc_args *args, const char *source)
{
    gboolean device = (args->ptx || args->fatbin) && cc_kind_of(args, source) == CC_CUDA;
    g_autofree char *name = device && !args->out ? name_beside(source, args->ptx ? "ptx" : "fatbin")
                                                 : g_strdup(args->out);

    if (device && args->fatbin) {
        return fatbin_make(clang, args, source, name);
    }
    return cc_compile(clang, args, source, name);
}

/* -c, -S, -E, -fsyntax-only: each source by itself, nothing is linked. */
static int compile_only(const char *clang, const struct cc_args *args)
{
    unsigned sources = 0;
    int status = CMD_OK;

    for (guint i = 0; i < args->link->len; i++) {
        sources +=
            cc_is_input(args, i) && cc_kind_of(args, g_ptr_array_index(args->link, i)) != CC_OBJECT;
    }
    if (args->out && sources > 1) {
        cmd_error(CMD, "-o with %u sources and no linking: which one should be %s?", sources,
                  args->out);
        return CMD_USAGE;
    }
    for (guint i = 0; i < args->link->len && status == CMD_OK; i++) {
        const char *word = g_ptr_array_index(args->link, i);

        if (cc_is_input(args, i) && cc_kind_of(args, word) != CC_OBJECT) {
            status = compile_one(clang, args, word);
        }
    }
    return status;
}

/* CUDACXX="vtegra cc" cmake: CMake's own identification of a compiler ends in an error that does
 * not name the cure; it shows what we say here. */
static void cmake_note(const struct cc_args *args)
{
    for (guint i = 0; i < args->link->len; i++) {
        if (g_str_has_suffix(g_ptr_array_index(args->link, i), "CMakeCUDACompilerId.cu")) {
            g_autofree char *file = paths_get("lib/cmake/vtegra/toolchain.cmake");

            cmd_error(CMD,
                      "CMake cannot take vtegra cc from CUDACXX: it asks an nvcc for the SDK. "
                      "Configure in an empty folder with cmake -DCMAKE_TOOLCHAIN_FILE=%s",
                      file);
            return;
        }
    }
}

static int args_run(struct cc_args *args)
{
    char *clang, *dir;
    GError *error = NULL;
    int status;

    if (!cc_targets_choose(args)) {
        return CMD_USAGE;
    }
    cmake_note(args);
    clang = clang_find();
    if (!clang) {
        return CMD_FOUND;
    }
    if (args->stop) {
        status = compile_only(clang, args);
    } else if (!(dir = g_dir_make_tmp("vtegra-cc-XXXXXX", &error))) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        status = CMD_FOUND;
    } else {
        status = cc_build(clang, args, dir);
        folder_remove(dir);
        g_free(dir);
    }
    g_free(clang);
    return status;
}

int cmd_cc(int argc, char **argv)
{
    struct cc_args args;
    char *error = NULL;
    int status;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return CMD_OK;
    }
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        version_print();
        return CMD_OK;
    }
    if (!cc_args_parse(&args, argc, argv, &error)) {
        cmd_error(CMD, "%s; see vtegra cc --help", error);
        g_free(error);
        status = CMD_USAGE;
    } else {
        for (guint i = 0; i < args.notes->len; i++) {
            cmd_error(CMD, "note: %s", (char *)g_ptr_array_index(args.notes, i));
        }
        status = args_run(&args);
    }
    cc_args_clear(&args);
    return status;
}
