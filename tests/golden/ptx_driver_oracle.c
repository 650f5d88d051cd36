/* SPDX-License-Identifier: MIT */
/* Asks a driver which rows of ptx_verdicts.txt and ptx_modules.txt it loads.
 *
 *   gcc -I/usr/local/cuda/include ptx_driver_oracle.c -lcuda -o ptx_driver_oracle
 *   ./ptx_driver_oracle ptx_verdicts.txt ptx_modules.txt >ptx_driver.txt */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char decls[65536], text[262144];

static void ask(const char *file, int line)
{
    char log[2048] = "";
    CUjit_option opt[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *val[] = { log, (void *)sizeof(log) };
    CUmodule m;
    CUresult e = cuModuleLoadDataEx(&m, text, 2, opt, val);

    printf("%s %d %d\n", file, line, e);
    if (e == CUDA_SUCCESS) {
        cuModuleUnload(m);
    } else {
        fprintf(stderr, "%s %d %d %s\n", file, line, e, log);
    }
}

static void plain(const char *from)
{
    char *to = text;

    for (; *from && *from != '\n'; from++) {
        if (from[0] == '\\' && from[1] == 'n') {
            *to++ = '\n';
            from++;
        } else if (from[0] == '\\' && from[1] == '"') {
            *to++ = '"';
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
}

int main(int argc, char **argv)
{
    static char line[262144];
    CUdevice dev;
    CUcontext ctx;
    int version;

    if (cuInit(0) || cuDeviceGet(&dev, 0) || cuDevicePrimaryCtxRetain(&ctx, dev) ||
        cuCtxSetCurrent(ctx)) {
        return 1;
    }
    cuDriverGetVersion(&version);
    printf("driver %d\n", version);
    for (int a = 1; a < argc; a++) {
        FILE *f = fopen(argv[a], "r");
        const char *name = strstr(argv[a], "modules") ? "modules" : "verdicts";

        for (int n = 1; f && fgets(line, sizeof(line), f); n++) {
            if (!strncmp(line, "decls\t", 6)) {
                strcpy(decls, line + 6);
            } else if (!strncmp(line, "ok\t", 3) || !strncmp(line, "no\t", 3)) {
                if (*name == 'm') {
                    plain(line + 3);
                } else {
                    char *target = strtok(line + 3, "\t"), *ver = strtok(NULL, "\t"),
                         *row = strtok(NULL, "\n");

                    snprintf(text, sizeof(text),
                             ".version %s\n.target %s\n.address_size 64\n.visible .entry k(.param "
                             ".u64 o)\n{\n%s\n%s\nret;\n}\n",
                             ver, target, decls, row);
                }
                ask(name, n);
            }
        }
    }
    return 0;
}
