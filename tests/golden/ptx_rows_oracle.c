/* SPDX-License-Identifier: MIT */
/* Asks a real GPU for the results of rows of PTX (tests/ptx_rows.h).
 *
 *   gcc -I. -I/usr/local/cuda/include tests/golden/ptx_rows_oracle.c -lcuda -o ptx_rows_oracle
 *   ./ptx_rows_oracle ROWS.txt >VALUES.txt
 *
 * ROWS.txt: a line "decls", a tab, declarations; then .target, .version and instructions with tabs
 * between them (what comes before them in a line of four is dropped). VALUES.txt: the same with the
 * hash of the results in front, or "refused" or "failed". A third argument gets the raw results. */
#include "tests/ptx_rows.h"
#include <cuda.h>

static char decls[4096];
static FILE *raw;

static void row_run(const char *target, const char *version, const char *row)
{
    static char ptx[65536];
    static uint8_t buffer[ROWS_ALL];
    CUmodule m;
    CUfunction k;
    CUdeviceptr out;
    void *args[] = { &out };
    char log[1024] = "";
    CUjit_option opt[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *val[] = { log, (void *)sizeof(log) };
    CUresult e;

    rows_ptx(target, version, decls, row, ptx, sizeof(ptx));
    e = cuModuleLoadDataEx(&m, ptx, 2, opt, val);
    if (e != CUDA_SUCCESS) {
        printf("refused %d\t%s\t%s\t%s\n", e, target, version, row);
        fprintf(stderr, "%s: %s\n", row, log);
        return;
    }
    rows_fill(buffer);
    if (cuMemAlloc(&out, ROWS_ALL) || cuMemcpyHtoD(out, buffer, ROWS_ALL) ||
        cuModuleGetFunction(&k, m, "k") ||
        cuLaunchKernel(k, 1, 1, 1, ROWS_THREADS, 1, 1, 0, 0, args, 0) ||
        (e = cuCtxSynchronize()) != CUDA_SUCCESS || cuMemcpyDtoH(buffer, out, ROWS_ALL)) {
        printf("failed %d\t%s\t%s\t%s\n", e, target, version, row);
        fflush(stdout);
        exit(1); /* the context is gone */
    }
    printf("%016llx\t%s\t%s\t%s\n", (unsigned long long)rows_hash(buffer), target, version, row);
    if (raw) {
        fwrite(buffer, 1, ROWS_INPUT, raw);
    }
    cuMemFree(out);
    cuModuleUnload(m);
}

int main(int argc, char **argv)
{
    static char line[65536];
    CUdevice dev;
    CUcontext ctx;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

    raw = argc > 2 ? fopen(argv[2], "wb") : NULL;
    if (!f || cuInit(0) || cuDeviceGet(&dev, 0) || cuDevicePrimaryCtxRetain(&ctx, dev) ||
        cuCtxSetCurrent(ctx)) {
        return 1;
    }
    while (fgets(line, sizeof(line), f)) {
        char *field[5] = { 0 }, *save = NULL;
        int n = 0;

        for (char *p = strtok_r(line, "\t\n", &save); p && n < 5;
             p = strtok_r(NULL, "\t\n", &save)) {
            field[n++] = p;
        }
        if (n == 2 && strcmp(field[0], "decls") == 0) {
            snprintf(decls, sizeof(decls), "%s", field[1]);
        } else if (n >= 3) {
            row_run(field[n - 3], field[n - 2], field[n - 1]);
        }
    }
    return raw ? fclose(raw) : 0;
}
