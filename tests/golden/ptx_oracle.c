/* SPDX-License-Identifier: MIT */
/* Asks a real GPU for the result of every form of tests/ptx_forms.h.
 *
 *   gcc -I. -I/usr/local/cuda/include tests/golden/ptx_oracle.c -lcuda -o ptx_oracle
 *   ./ptx_oracle OUT.bin THREADS
 *
 * OUT.bin: for each form its name's length (1 byte) and name, bytes of a result (1), and the
 * results of the first THREADS threads. A form that the driver's compiler refuses is named on
 * stderr and left out.
 */
#include "tests/ptx_forms.h"
#include <cuda.h>

static CUdeviceptr in, out;

static int form_run(const struct form *f, unsigned threads, FILE *file)
{
    static char ptx[8192];
    static uint64_t inputs[65536 * 4], results[65536];
    CUmodule m;
    CUfunction k;
    void *args[] = { &in, &out };
    char log[1024] = "";
    CUjit_option opt[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *val[] = { log, (void *)sizeof(log) };
    unsigned bytes = form_result_bytes(f);

    form_ptx(f, ptx, sizeof(ptx));
    if (cuModuleLoadDataEx(&m, ptx, 2, opt, val) != CUDA_SUCCESS) {
        fprintf(stderr, "REFUSED %s [%s]: %s\n", f->name, f->sig, log);
        return 0;
    }
    for (unsigned i = 0; i < threads; i++) {
        for (unsigned s = 0; s < 4; s++) {
            inputs[i * 4 + s] =
                f->sig[0] && s + 1 < strlen(f->sig) ? form_input(f->sig[s + 1], s, i) : 0;
        }
    }
    cuMemcpyHtoD(in, inputs, threads * 32);
    cuMemsetD8(out, 0, threads * 8);
    cuModuleGetFunction(&k, m, "k");
    if (cuLaunchKernel(k, threads / 128, 1, 1, 128, 1, 1, 0, 0, args, 0) != CUDA_SUCCESS ||
        cuCtxSynchronize() != CUDA_SUCCESS || cuMemcpyDtoH(results, out, threads * 8)) {
        fprintf(stderr, "FAILED %s\n", f->name);
        exit(1);
    }
    fputc((int)strlen(f->name), file);
    fputs(f->name, file);
    fputc((int)bytes, file);
    for (unsigned i = 0; i < threads; i++) {
        fwrite(&results[i], bytes, 1, file);
    }
    cuModuleUnload(m);
    return 1;
}

int main(int argc, char **argv)
{
    struct forms fs = forms_build();
    CUdevice dev;
    CUcontext ctx;
    unsigned threads, done = 0;
    FILE *file;

    if (argc != 3) {
        return 2;
    }
    threads = (unsigned)atoi(argv[2]);
    file = fopen(argv[1], "wb");
    if (!file || threads % 128 || threads > 65536 || cuInit(0) || cuDeviceGet(&dev, 0) ||
        cuDevicePrimaryCtxRetain(&ctx, dev) || cuCtxSetCurrent(ctx) ||
        cuMemAlloc(&in, 65536 * 32) || cuMemAlloc(&out, 65536 * 8)) {
        return 1;
    }
    for (unsigned i = 0; i < fs.n; i++) {
        done += (unsigned)form_run(&fs.form[i], threads, file);
    }
    fprintf(stderr, "%u of %u forms\n", done, fs.n);
    return fclose(file) ? 1 : 0;
}
