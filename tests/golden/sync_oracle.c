/* SPDX-License-Identifier: MIT */
/* Asks a real GPU for the results of every kernel of tests/sync_forms.h, and for the codes of
 * launches in clusters.
 *
 *   gcc -I. -I/usr/local/cuda/include tests/golden/sync_oracle.c -lcuda -o sync_oracle
 *   ./sync_oracle OUT.bin >CODES.txt
 *
 * OUT.bin: for each kernel its name's length (1 byte) and name, threads and words of a thread (1
 * each), and the words of its threads. A kernel that the driver's compiler refuses is named on
 * stderr and left out. CODES.txt: "case code". */
#include "tests/sync_forms.h"
#include <cuda.h>

static CUdeviceptr out;

static void form_run(const struct sync_form *f, FILE *file)
{
    static char ptx[9000];
    static uint32_t buffer[SYNC_BYTES / 4];
    CUmodule m;
    CUfunction k;
    void *args[] = { &out };
    char log[1024] = "";
    CUjit_option opt[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *val[] = { log, (void *)sizeof(log) };

    sync_ptx(f, ptx, sizeof(ptx));
    if (cuModuleLoadDataEx(&m, ptx, 2, opt, val) != CUDA_SUCCESS) {
        fprintf(stderr, "REFUSED %s: %s\n", f->name, log);
        return;
    }
    for (unsigned i = 0; i < SYNC_BYTES / 4; i++) {
        buffer[i] = i < SYNC_INPUT / 4 ? 0 : sync_input(i - SYNC_INPUT / 4);
    }
    cuMemcpyHtoD(out, buffer, SYNC_BYTES);
    cuModuleGetFunction(&k, m, "k");
    if (cuLaunchKernel(k, 1, 1, 1, f->threads, 1, 1, 0, 0, args, 0) != CUDA_SUCCESS ||
        cuCtxSynchronize() != CUDA_SUCCESS || cuMemcpyDtoH(buffer, out, SYNC_BYTES)) {
        fprintf(stderr, "FAILED %s\n", f->name);
        exit(1);
    }
    fputc((int)strlen(f->name), file);
    fputs(f->name, file);
    fputc((int)f->threads, file);
    fputc((int)f->words, file);
    for (unsigned t = 0; t < f->threads; t++) {
        fwrite(&buffer[t * SYNC_WORDS], 4, f->words, file);
    }
    cuModuleUnload(m);
}

/* Which blocks of a cluster a thread sees, and the word of the next block by distributed shared
 * memory */
static const char cluster_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry %s(.param .u64 out)\n%s{\n"
    ".reg .b32 %%r<30>; .reg .b64 %%d<8>; .reg .pred %%p;\n.shared .align 8 .b32 s;\nld.param.u64 "
    "%%d0, [out];\n"
    "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ctaid.y; mov.u32 %%r2, %%nctaid.x; mad.lo.u32 %%r3, "
    "%%r1, %%r2, %%r0;\n"
    "mul.wide.u32 %%d1, %%r3, 64; add.u64 %%d0, %%d0, %%d1; mov.u32 %%r4, %%cluster_ctarank; "
    "mov.u32 %%r5, %%cluster_nctarank;\n"
    "mov.u32 %%r6, %%cluster_ctaid.x; mov.u32 %%r7, %%cluster_ctaid.y; mov.u32 %%r8, "
    "%%cluster_nctaid.x;\n"
    "mov.u32 %%r9, %%cluster_nctaid.y; mov.u32 %%r10, %%clusterid.x; mov.u32 %%r11, "
    "%%clusterid.y;\n"
    "mov.u32 %%r12, %%nclusterid.x; mov.u32 %%r13, %%nclusterid.y; mov.pred %%p, "
    "%%is_explicit_cluster;\n"
    "selp.u32 %%r14, 1, 0, %%p;\nmad.lo.u32 %%r15, %%r3, 100, 7; st.shared.u32 [s], %%r15;\n"
    "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\nadd.u32 %%r16, %%r4, 1; "
    "rem.u32 %%r16, %%r16, %%r5;\n"
    "mov.u32 %%r17, s; mapa.shared::cluster.u32 %%r18, %%r17, %%r16; ld.shared::cluster.u32 %%r19, "
    "[%%r18];\n"
    "getctarank.shared::cluster.u32 %%r20, %%r18; barrier.cluster.arrive; barrier.cluster.wait;\n"
    "st.global.v4.u32 [%%d0], {%%r4,%%r5,%%r6,%%r7}; st.global.v4.u32 [%%d0+16], "
    "{%%r8,%%r9,%%r10,%%r11};\n"
    "st.global.v4.u32 [%%d0+32], {%%r12,%%r13,%%r14,%%r19}; st.global.u32 [%%d0+48], "
    "%%r20;\nret;\n}\n";

static CUfunction cluster_function(const char *name, const char *directives)
{
    char text[4096];
    CUmodule m;
    CUfunction k = 0;
    CUresult e;

    snprintf(text, sizeof(text), cluster_ptx, name, directives);
    e = cuModuleLoadData(&m, text);
    if (e || cuModuleGetFunction(&k, m, name)) {
        printf("load %s %d\n", name, e);
    }
    return k;
}

/* @cluster: 0 0 0 for no attribute */
static void cluster_launch(const char *what, CUfunction k, const unsigned grid[3],
                           const unsigned cluster[3])
{
    CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
    CUlaunchConfig c = { grid[0], grid[1], grid[2], 1, 1, 1, 0, 0, &a, cluster[0] ? 1 : 0 };
    void *args[] = { &out };
    uint32_t word[16 * 16];
    CUresult e;

    a.value.clusterDim.x = cluster[0];
    a.value.clusterDim.y = cluster[1];
    a.value.clusterDim.z = cluster[2];
    cuMemsetD8(out, 0, 4096);
    e = cuLaunchKernelEx(&c, k, args, 0);
    printf("%s: launch %d", what, e);
    printf(" end %d\n", cuCtxSynchronize());
    if (e) {
        return;
    }
    cuMemcpyDtoH(word, out, sizeof(word));
    for (unsigned i = 0; i < 16 && i < grid[0] * grid[1]; i++) {
        printf("%s block %u:", what, i);
        for (unsigned w = 0; w < 13; w++) {
            printf(" %u", word[i * 16 + w]);
        }
        printf("\n");
    }
}

static void attributes(const char *what, CUfunction k)
{
    static const int names[] = { CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
                                 CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                 CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                 CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
                                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                 CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE };

    for (unsigned i = 0; i < 6; i++) {
        int v = -1;
        CUresult e = cuFuncGetAttribute(&v, (CUfunction_attribute)names[i], k);

        printf("%s attribute %d: %d %d\n", what, names[i], e, v);
    }
    for (int v = 0; v < 3; v++) {
        printf("%s set non-portable %d: %d\n", what, v,
               cuFuncSetAttribute(k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, v));
    }
    printf("%s set required width 2: %d\n", what,
           cuFuncSetAttribute(k, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
    printf("%s set non-portable 0: %d\n", what,
           cuFuncSetAttribute(k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
}

static void occupancy(const char *what, CUfunction k, unsigned x, unsigned shared)
{
    CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
    CUlaunchConfig c = { 32, 1, 1, 128, 1, 1, shared, 0, &a, x ? 1 : 0 };
    int n = -1, m = -1;
    CUresult e, d;

    a.value.clusterDim.x = x;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    e = cuOccupancyMaxActiveClusters(&n, k, &c);
    d = cuOccupancyMaxPotentialClusterSize(&m, k, &c);
    printf("%s occupancy of %u, %u bytes: %d %d potential %d %d\n", what, x, shared, e,
           n > 0 ? 1 : n, d, m);
}

static void clusters(void)
{
    CUfunction plain = cluster_function("plain", ""),
               fixed = cluster_function("fixed", ".reqnctapercluster 2, 2, 1\n");
    CUfunction open = cluster_function("open", ".explicitcluster\n"),
               bound = cluster_function("bound", ".maxclusterrank 4\n");
    static const struct {
        const char *what;
        unsigned which, grid[3], cluster[3];
    } rows[] = {
        { "plain 4, none", 0, { 4, 1, 1 }, { 0, 0, 0 } },
        { "plain 4, 2", 0, { 4, 1, 1 }, { 2, 1, 1 } },
        { "plain 4x4, 2x2", 0, { 4, 4, 1 }, { 2, 2, 1 } },
        { "plain 4, 1", 0, { 4, 1, 1 }, { 1, 1, 1 } },
        { "plain 4, 3", 0, { 4, 1, 1 }, { 3, 1, 1 } },
        { "plain 8, 8", 0, { 8, 1, 1 }, { 8, 1, 1 } },
        { "plain 16, 16", 0, { 16, 1, 1 }, { 16, 1, 1 } },
        { "plain 4x2, 2x0", 0, { 4, 2, 1 }, { 2, 0, 1 } },
        { "plain 6x2, 3x2", 0, { 6, 2, 1 }, { 3, 2, 1 } },
        { "plain 2, 4", 0, { 2, 1, 1 }, { 4, 1, 1 } },
        { "fixed 4x4, none", 1, { 4, 4, 1 }, { 0, 0, 0 } },
        { "fixed 4x4, 2x2", 1, { 4, 4, 1 }, { 2, 2, 1 } },
        { "fixed 4x4, 4", 1, { 4, 4, 1 }, { 4, 1, 1 } },
        { "fixed 3x2, none", 1, { 3, 2, 1 }, { 0, 0, 0 } },
        { "open 4, none", 2, { 4, 1, 1 }, { 0, 0, 0 } },
        { "open 4, 2", 2, { 4, 1, 1 }, { 2, 1, 1 } },
        { "bound 4, 2", 3, { 4, 1, 1 }, { 2, 1, 1 } },
        { "bound 8, 8", 3, { 8, 1, 1 }, { 8, 1, 1 } },
        { "bound 4, none", 3, { 4, 1, 1 }, { 0, 0, 0 } },
    };
    CUfunction f[] = { plain, fixed, open, bound };
    int v = -1;

    cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
    printf("cluster launch %d\n", v);
    attributes("plain", cluster_function("plain", ""));
    attributes("fixed", cluster_function("fixed", ".reqnctapercluster 2, 2, 1\n"));
    attributes("open", cluster_function("open", ".explicitcluster\n"));
    attributes("bound", cluster_function("bound", ".maxclusterrank 4\n"));
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cluster_launch(rows[i].what, f[rows[i].which], rows[i].grid, rows[i].cluster);
    }
    for (unsigned x = 0; x <= 16; x += x ? x : 1) {
        occupancy("plain", plain, x, 0);
    }
    occupancy("fixed", fixed, 0, 0);
    occupancy("fixed", fixed, 2, 0);
    occupancy("plain", plain, 3, 0);
    occupancy("plain", plain, 2, 49152);
    occupancy("plain", plain, 2, 300000);
    cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2);
    cluster_launch("required 2, 4, none", open, (const unsigned[]){ 4, 1, 1 },
                   (const unsigned[]){ 0, 0, 0 });
    cluster_launch("required 2, 4, 4", open, (const unsigned[]){ 4, 1, 1 },
                   (const unsigned[]){ 4, 1, 1 });
    printf("non-portable: %d\n",
           cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    cluster_launch("non-portable 16, 16", plain, (const unsigned[]){ 16, 1, 1 },
                   (const unsigned[]){ 16, 1, 1 });
    cluster_launch("non-portable 32, 32", plain, (const unsigned[]){ 32, 1, 1 },
                   (const unsigned[]){ 32, 1, 1 });
    occupancy("non-portable", plain, 16, 0);
}

int main(int argc, char **argv)
{
    struct sync_forms fs = sync_build();
    CUdevice dev;
    CUcontext ctx;
    FILE *file;

    if (argc != 2) {
        return 2;
    }
    file = fopen(argv[1], "wb");
    if (!file || cuInit(0) || cuDeviceGet(&dev, 0) || cuDevicePrimaryCtxRetain(&ctx, dev) ||
        cuCtxSetCurrent(ctx) || cuMemAlloc(&out, SYNC_BYTES)) {
        return 1;
    }
    for (unsigned i = 0; i < fs.n; i++) {
        form_run(&fs.form[i], file);
    }
    if (fclose(file)) {
        return 1;
    }
    free(fs.form);
    clusters();
    return 0;
}
