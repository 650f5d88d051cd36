/* SPDX-License-Identifier: MIT */
#include "tools/run/run_libraries.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tools/app/elf_info.h"
#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/silicon/silicon.h"

#define CMD "run"

/* Puts @value before what variable @name has. */
static void env_prepend(const char *name, const char *value)
{
    const char *old = g_getenv(name);
    char *joined = old && *old ? g_strconcat(value, ":", old, NULL) : g_strdup(value);

    g_setenv(name, joined, TRUE);
    g_free(joined);
}

/* Libraries built with ASan need its runtime to be the first in the program. Where we are built
 * with it as a shared library, we know where that is; signals stay with the program and our
 * runtime. */
static void preload_asan(void)
{
    void *init = dlsym(RTLD_DEFAULT, "__asan_init");
    Dl_info info;

    if (init && dladdr(init, &info) && strstr(info.dli_fname, "asan")) {
        const char *old = g_getenv("ASAN_OPTIONS");
        char *options =
            g_strconcat("detect_leaks=0:handle_segv=0:handle_sigbus=0:", old ? old : "", NULL);

        env_prepend("LD_PRELOAD", info.dli_fname);
        g_setenv("ASAN_OPTIONS", options, TRUE);
        g_free(options);
    }
}

/* The loader ends the names in LD_PRELOAD at blanks (ld.so(8)), those in LD_LIBRARY_PATH not: there
 * it finds the library by its name. */
static void preload_ours(const char *dir)
{
    char *preload = g_build_filename(dir, "libvtegra-preload.so", NULL);
    gboolean blank = strpbrk(dir, " \t\n") != NULL;

    if (g_file_test(preload, G_FILE_TEST_EXISTS)) {
        env_prepend("LD_PRELOAD", blank ? "libvtegra-preload.so" : preload);
    }
    g_free(preload);
}

gboolean run_calls_set(const char *file)
{
    char *dir = paths_get("lib"), *library = g_build_filename(dir, "libvtegra-calls.so", NULL);
    gboolean ok = g_file_test(library, G_FILE_TEST_EXISTS) && !strpbrk(dir, " \t\n");

    if (ok) {
        env_prepend("LD_PRELOAD", library);
        env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0"); /* it has nothing of ASan's */
        g_setenv("VTEGRA_CALLS", file, TRUE);
        g_unlink(file); /* each process makes a file of its own, and takes no other */
    } else {
        cmd_error(CMD, "--calls: %s is missing, or its name has blanks, which end it in LD_PRELOAD",
                  library);
    }
    g_free(library);
    g_free(dir);
    return ok;
}

/* EGL: our vendor library instead of the system's, and no window system where there is none. */
static void egl_set(void)
{
    char *vendor = paths_get("share/vtegra/egl_vendor.json");

    if (g_file_test(vendor, G_FILE_TEST_EXISTS)) {
        g_setenv("__EGL_VENDOR_LIBRARY_FILENAMES", vendor, FALSE);
        if (!g_getenv("DISPLAY") && !g_getenv("WAYLAND_DISPLAY")) {
            g_setenv("EGL_PLATFORM", "surfaceless", FALSE);
        }
    }
    g_free(vendor);
}

static gboolean needs_driver(const char *path)
{
    struct elf_info *elf = elf_info_read(path, NULL);
    gboolean yes = elf && elf->needed &&
                   g_ptr_array_find_with_equal_func(elf->needed, "libcuda.so.1", g_str_equal, NULL);

    elf_info_free(elf);
    return yes;
}

/* A program that was linked with our libcuda.so.1 may have our folder in its run path, which comes
 * before the system's folders. */
static void driver_first(void)
{
    char *folder = silicon_folder();

    if (folder && !strpbrk(folder, ":;")) {
        env_prepend("LD_LIBRARY_PATH", folder);
    }
    g_free(folder);
}

/* TRUE if the folder of libraries is there; complains otherwise. */
gboolean run_libraries_set(const char *path, gboolean silicon, gboolean board)
{
    char *dir = paths_get(silicon ? "lib/silicon" : "lib");
    char *cudart = g_build_filename(dir, "libcudart.so.13", NULL);
    gboolean ok = g_file_test(cudart, G_FILE_TEST_EXISTS);

    if (!ok) {
        cmd_error(CMD, "%s is missing: this vtegra is not completely installed", cudart);
    } else if (strpbrk(dir, ":;")) {
        cmd_error(CMD,
                  "the loader cannot find libraries in %s: ':' and ';' end a folder's name in "
                  "LD_LIBRARY_PATH (ld.so(8)). Move vtegra to a folder without them",
                  dir);
        ok = FALSE;
    } else {
        if (silicon && needs_driver(path)) {
            driver_first();
        }
        env_prepend("LD_LIBRARY_PATH", dir);
    }
    if (ok && board) { /* there libvtegra.so is another one */
        char *client = paths_get("lib/board"), *profiles = paths_get("share/vtegra/profiles");

        env_prepend("LD_LIBRARY_PATH", client);
        g_setenv("VTEGRA_PROFILES", profiles, FALSE); /* they do not lie beside lib/board */
        g_free(profiles);
        g_free(client);
    }
    if (ok && !silicon) {
        egl_set();
        preload_ours(dir);
        preload_asan();
    }
    g_free(cudart);
    g_free(dir);
    return ok;
}

/* The application's NVTX ranges go into the trace, unless it brings a profiler of its own. */
void run_nvtx_set(void)
{
    char *library = paths_get("lib/libvtegra-nvtx.so");

    if (g_file_test(library, G_FILE_TEST_EXISTS)) {
        g_setenv("NVTX_INJECTION64_PATH", library, FALSE);
    }
    g_free(library);
}
