/* SPDX-License-Identifier: MIT */
/* NVIDIA's driver brings libcuda.so.1 to where the loader looks. Without it a program would only
 * say "insufficient driver". */
#include "tools/silicon/silicon.h"

#include <dlfcn.h>

#include "tools/cmd.h"

static void *driver_open(void)
{
    return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
}

const char *silicon_missing(void)
{
    void *driver = driver_open();

    if (!driver) {
        return "there is no libcuda.so.1, the driver of an NVIDIA GPU, where the loader looks";
    }
    return dlsym(driver, "rt_init") ? "the libcuda.so.1 that the loader finds is vtegra's own (is "
                                      "its folder in LD_LIBRARY_PATH?)"
                                    : NULL;
}

char *silicon_folder(void)
{
    void *driver = driver_open(), *init = driver ? dlsym(driver, "cuInit") : NULL;
    Dl_info info;

    return init && !silicon_missing() && dladdr(init, &info) ? g_path_get_dirname(info.dli_fname)
                                                             : NULL;
}

bool silicon_check(void)
{
    const char *why = silicon_missing(), *old = g_getenv("LD_LIBRARY_PATH");

    if (why) {
        cmd_error("run",
                  "--backend silicon: %s; nothing was started. Install NVIDIA's driver (a Jetson "
                  "has it; on a PC see nvidia-smi), name its folder in LD_LIBRARY_PATH, or run the "
                  "model: leave --backend away%s%s",
                  why, old ? "; LD_LIBRARY_PATH is " : "", old ? old : "");
    }
    return !why;
}
