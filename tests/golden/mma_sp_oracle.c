/* SPDX-License-Identifier: MIT */
/* Asks a real GPU for the products of tests/mma_sp.h.
 *
 *   gcc -I. -I/usr/local/cuda/include tests/golden/mma_sp_oracle.c -lcuda -o mma_sp_oracle
 *   ./mma_sp_oracle OUT.bin
 *
 * OUT.bin: for each form, selector and data set, in this order, D: for each lane its words. */
#include "tests/mma_sp.h"
#include <cuda.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static uint8_t bytes[MMA_SP_LANES * MMA_SP_LANE];
    static char ptx[4096];
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    CUdevice dev;
    CUcontext ctx;
    CUdeviceptr at;
    void *args[] = { &at };
    unsigned n = 0;

    if (!file || cuInit(0) || cuDeviceGet(&dev, 0) || cuDevicePrimaryCtxRetain(&ctx, dev) ||
        cuCtxSetCurrent(ctx) || cuMemAlloc(&at, sizeof(bytes))) {
        return 1;
    }
    for (unsigned f = 0; f < MMA_SP_FORMS; f++) {
        for (unsigned selector = 0; selector < mma_sp_forms[f].selectors; selector++) {
            CUmodule m;
            CUfunction k;
            int e;

            mma_sp_ptx("sm_80", f, selector, ptx);
            e = cuModuleLoadData(&m, ptx);
            if (e || cuModuleGetFunction(&k, m, "k")) {
                fprintf(stderr, "%s, selector %u: refused, %d\n", mma_sp_forms[f].name, selector,
                        e);
                return 1;
            }
            for (unsigned set = 0; set < MMA_SP_SETS; set++, n++) {
                mma_sp_data(f, selector, set, bytes);
                if (cuMemcpyHtoD(at, bytes, sizeof(bytes)) ||
                    cuLaunchKernel(k, 1, 1, 1, MMA_SP_LANES, 1, 1, 0, NULL, args, NULL) ||
                    cuMemcpyDtoH(bytes, at, sizeof(bytes))) {
                    fprintf(stderr, "%s: failed\n", mma_sp_forms[f].name);
                    return 1;
                }
                for (unsigned l = 0; l < MMA_SP_LANES; l++) {
                    fwrite(bytes + l * MMA_SP_LANE + mma_sp_result(f), 4, mma_sp_forms[f].nc, file);
                }
            }
            cuModuleUnload(m);
        }
    }
    fprintf(stderr, "%u products\n", n);
    return fclose(file) ? 1 : 0;
}
