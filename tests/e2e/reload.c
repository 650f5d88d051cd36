/* SPDX-License-Identifier: MIT */
/* reload LIBCUDA N: the driver is loaded, used and unloaded N times, as plug-ins do. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int use(void *lib)
{
    int (*init)(unsigned), (*count)(int *), n = 0;
    void *found = dlsym(lib, "cuInit");

    memcpy(&init, &found, sizeof(found));
    found = dlsym(lib, "cuDeviceGetCount");
    memcpy(&count, &found, sizeof(found));
    return init && count && init(0) == 0 && count(&n) == 0 && n == 1;
}

int main(int argc, char **argv)
{
    for (int i = 0; argc == 3 && i < atoi(argv[2]); i++) {
        void *lib = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);

        if (!lib || !use(lib)) {
            printf("time %d: %s\n", i + 1, lib ? "refused" : dlerror());
            return 1;
        }
        dlclose(lib);
    }
    puts("reloaded");
    return 0;
}
