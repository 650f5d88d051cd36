/* SPDX-License-Identifier: MIT */
#include "tools/cc/cc_flags.h"

#include <string.h>

#include "tools/cc/cc_target.h"
#include "tools/cmd.h"
#include "tools/paths.h"

#define CMD "cc"

void cc_add(GPtrArray *argv, const char *word)
{
    g_ptr_array_add(argv, g_strdup(word));
}

void cc_add_all(GPtrArray *argv, const GPtrArray *words)
{
    for (guint i = 0; i < words->len; i++) {
        cc_add(argv, g_ptr_array_index(words, i));
    }
}

/* Options for the compiler that concern kernels: a file of C or C++ has none. */
void cc_add_host(GPtrArray *argv, const GPtrArray *words)
{
    for (guint i = 0; i < words->len; i++) {
        const char *word = g_ptr_array_index(words, i);

        if (strcmp(word, "-Xarch_device") == 0) {
            i++;
        } else if (!g_str_has_prefix(word, "-fgpu-") && !g_str_has_prefix(word, "-fno-gpu-") &&
                   !g_str_has_prefix(word, "--cuda-")) {
            cc_add(argv, word);
        }
    }
}

/* Adds "<prefix><path of ours>". */
void cc_add_path(GPtrArray *argv, const char *prefix, const char *relative)
{
    char *path = paths_get(relative);

    g_ptr_array_add(argv, g_strconcat(prefix, path, NULL));
    g_free(path);
}

/* A folder of the guest: what VTEGRA_AARCH64 has, or what scripts/guest.sh leaves beside this
 * build. NULL after saying how to get it. */
static char *guest_folder(const char *relative)
{
    const char *root = g_getenv("VTEGRA_AARCH64");
    char *beside = paths_get("../aarch64");
    char *path = g_build_filename(root && *root ? root : beside, relative, NULL);

    g_free(beside);
    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        cmd_error(CMD,
                  "--target aarch64: no folder %s. scripts/guest.sh makes the guest's runtime and "
                  "unpacks Debian's arm64 libraries; VTEGRA_AARCH64 may name another place",
                  path);
        g_free(path);
        return NULL;
    }
    return path;
}

/* Return: FALSE after saying what is missing. */
gboolean cc_target_machine(GPtrArray *argv, const struct cc_args *args)
{
    char *sysroot = args->aarch64 ? guest_folder("sysroot") : NULL;

    if (sysroot) {
        cc_add(argv, "--target=aarch64-linux-gnu");
        g_ptr_array_add(argv, g_strconcat("--sysroot=", sysroot, NULL));
    }
    g_free(sysroot);
    return !args->aarch64 || sysroot;
}

/* Where libcudart is, now and when the program runs. */
gboolean cc_runtime_flags(GPtrArray *argv, const struct cc_args *args)
{
    char *lib;

    if (!args->aarch64) {
        cc_add_path(argv, "-L", "lib");
        cc_add_path(argv, "-Wl,--enable-new-dtags,-rpath,", "lib");
        return TRUE;
    }
    lib = guest_folder("lib");
    if (lib) {
        g_ptr_array_add(argv, g_strconcat("-L", lib, NULL));
        g_ptr_array_add(argv, g_strconcat("-Wl,-rpath-link,", lib, NULL));
        cc_add(argv,
               "-Wl,--enable-new-dtags,-rpath,/opt/vtegra/lib"); /* qemu-plugin/guest/pack.sh */
    }
    g_free(lib);
    return lib != NULL;
}

/* @first: index of the first target of args->archs */
void cc_cuda_flags(GPtrArray *argv, const struct cc_args *args, guint first)
{
    cc_add(argv, "-xcuda");
    cc_add_path(argv, "--cuda-path=", "share/vtegra/sdk");
    cc_targets_flags(argv, args, first);
    cc_add(argv, "--cuda-feature=+ptx83"); /* the oldest PTX that has all shuffles of our headers */
    cc_add(argv, "-Xclang"); /* the host side does not take the version from tools/sdk/cuda.h */
    cc_add(argv, "-target-sdk-version=12.3");
    cc_add(argv, "-nocudainc");
    cc_add(argv, "-nocudalib");
    cc_add(argv, "-D__CUDACC__=1"); /* what programs and Thrust ask for, on both sides */
    cc_add(argv,
           "-D_LIBCUDACXX_COMPILER_NVCC"); /* libcu++ of Debian 12 has device atomics for it */
    cc_add(argv, "-include");
    cc_add(argv, "cuda_runtime.h");
}

/* nvcc optimises device code unless a flag says otherwise; clang has one level for both sides. */
void cc_optimisation(GPtrArray *argv, const struct cc_args *args)
{
    for (guint i = 0; i < args->compile->len; i++) {
        if (g_str_has_prefix(g_ptr_array_index(args->compile, i), "-O")) {
            return;
        }
    }
    cc_add(argv, "-O2");
}

/* The comparison before each hook, vtegra_track.s. Without an assembler of GNU's the hooks do it.
 */
void cc_track_inline(GPtrArray *argv, const struct cc_args *args)
{
#ifdef __x86_64__
    g_autofree char *as = g_find_program_in_path("as"), *file = paths_get("lib/vtegra_track.s");

    if (as && cc_assembles(args)) {
        cc_add(argv, "-fno-integrated-as");
        cc_add(argv, "-Xassembler");
        cc_add(argv, file);
        /* C++20 gives each file a list of libraries for lld, in a kind of section that GNU's
         * assembler warns of. */
        cc_add(argv, "-fno-autolink");
    }
#else
    (void)argv;
    (void)args;
#endif
}

/* Exact accesses: one call a load or store, as the source has them. */
void cc_track_flags(GPtrArray *argv, gboolean cuda)
{
    static const char *const flags[] = { "-fsanitize=thread", "-fno-vectorize",
                                         "-fno-slp-vectorize", "-g" };

    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (cuda) {
            cc_add(argv, "-Xarch_host");
        }
        cc_add(argv, flags[i]);
    }
    cc_add(argv, "-mllvm"); /* a load before a store to the same place is an access too */
    cc_add(argv, "-tsan-compound-read-before-write=1");
    cc_add(argv, "-mllvm"); /* flags between CPU and iGPU are volatile as a rule */
    cc_add(argv, "-tsan-distinguish-volatile=1");
    cc_add(argv, "-Xclang"); /* the report looks for it in the debug information (check/units.c) */
    cc_add(argv, "-dwarf-debug-flags");
    cc_add(argv, "-Xclang");
    cc_add(argv, "-fsanitize=thread");
    cc_add(argv, "-mllvm"); /* no hook needs entries and exits of functions */
    cc_add(argv, "-tsan-instrument-func-entry-exit=0");
}

/* The library with our __tsan_* functions; FALSE after saying that there is none. */
gboolean cc_track_library(GPtrArray *argv)
{
    static const char *const names[] = { "libvtegra_track.so", "libvtegra_track.a",
                                         "libvtegra-track.so", "libvtegra-track.a" };
    char *lib = paths_get("lib");
    gboolean found = FALSE;

    for (size_t i = 0; i < G_N_ELEMENTS(names) && !found; i++) {
        char *path = g_build_filename(lib, names[i], NULL);

        found = g_file_test(path, G_FILE_TEST_EXISTS);
        if (found) {
            cc_add(argv, path);
            cc_add(
                argv,
                "-Wl,--export-dynamic-symbol=vtegra_track_object"); /* the runtime looks for it */
            cc_add_path(argv, "@", "lib/vtegra_track.wrap");        /* its calls of the C library */
        }
        g_free(path);
    }
    if (!found) {
        cmd_error(CMD, "--track: %s/%s is missing: this vtegra is not completely installed", lib,
                  names[0]);
    }
    g_free(lib);
    return found;
}
