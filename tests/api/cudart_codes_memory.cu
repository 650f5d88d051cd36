/* SPDX-License-Identifier: MIT */
/* Part of cudart_codes: memory. */
#include "cudart_codes.h"

#include <cstdlib>

static char page_aligned[16384] __attribute__((aligned(4096)));

static void allocation()
{
    int *d = NULL, *h = NULL, *m = NULL, on_stack;
    size_t pitch = 7;
    cudaPitchedPtr pp = { (void *)77, 77, 77, 77 };

    C(cudaMalloc((int **)NULL, 4));
    C(cudaMalloc(&d, 0));
    V(d == NULL);
    C(cudaMalloc(&d, (size_t)1 << 60));
    C(cudaMalloc(&d, ~(size_t)0));
    C(cudaMalloc(&d, 64));
    C(cudaFree(NULL));
    C(cudaFree((void *)0x1234));
    C(cudaFree(&on_stack));
    C(cudaFree(d + 4));
    C(cudaFreeHost(d));
    C(cudaFree(d));
    C(cudaFree(d));
    C(cudaMallocHost((int **)NULL, 4));
    C(cudaMallocHost(&h, 0));
    V(h == NULL);
    C(cudaMallocHost(&h, 64));
    C(cudaFree(h));
    C(cudaFreeHost(h));
    C(cudaFreeHost(h));
    C(cudaFreeHost(NULL));
    C(cudaFreeHost(&on_stack));
    C(cudaHostAlloc(&h, 64, 0xff));
    C(cudaHostAlloc(&h, 64, 8));
    C(cudaHostAlloc((int **)NULL, 64, 0));
    C(cudaHostAlloc(&h, (size_t)1 << 60, 0));
    C(cudaHostAlloc(&h, 64, cudaHostAllocMapped | cudaHostAllocPortable));
    C(cudaFreeHost(h));
    C(cudaMallocManaged((int **)NULL, 4));
    C(cudaMallocManaged(&m, 0));
    V(m == NULL);
    C(cudaMallocManaged(&m, 64, 0));
    C(cudaMallocManaged(&m, 64, 3));
    C(cudaMallocManaged(&m, 64, cudaMemAttachSingle));
    C(cudaMallocManaged(&m, 64, 8));
    C(cudaMallocManaged(&m, 64, cudaMemAttachHost));
    C(cudaFreeHost(m));
    C(cudaFree(m));
    C(cudaFree(m));
    C(cudaMallocPitch((int **)NULL, &pitch, 10, 10));
    C(cudaMallocPitch(&d, NULL, 10, 10));
    C(cudaMallocPitch(&d, &pitch, 0, 10));
    V(pitch);
    V(d == NULL);
    C(cudaMallocPitch(&d, &pitch, 10, 0));
    V(pitch);
    C(cudaMallocPitch(&d, &pitch, 10, 10));
    V(pitch);
    C(cudaFree(d));
    C(cudaMallocPitch(&d, &pitch, 513, 10));
    V(pitch);
    C(cudaMallocPitch(&d, &pitch, (size_t)1 << 62, 2));
    C(cudaMalloc3D(NULL, make_cudaExtent(10, 10, 10)));
    C(cudaMalloc3D(&pp, make_cudaExtent(0, 10, 10)));
    V(pp.pitch);
    V(pp.xsize);
    C(cudaMalloc3D(&pp, make_cudaExtent(10, 11, 12)));
    V(pp.pitch);
    V(pp.xsize);
    V(pp.ysize);
    C(cudaMalloc3D(&pp, make_cudaExtent((size_t)1 << 40, (size_t)1 << 40, 12)));
    size_t free_bytes, total;
    C(cudaMemGetInfo(NULL, NULL));
    C(cudaMemGetInfo(&free_bytes, NULL));
    C(cudaMemGetInfo(&free_bytes, &total));
}

static void pinned()
{
    int *h = NULL, *p = NULL, *pageable = (int *)malloc(4096);
    unsigned f = 77;
    void *page = page_aligned;

    C(cudaMallocHost(&h, 4096));
    C(cudaHostGetDevicePointer((int **)NULL, h, 0));
    C(cudaHostGetDevicePointer(&p, h, 0));
    V(p == h);
    C(cudaHostGetDevicePointer(&p, h + 5, 0));
    V(p == h + 5);
    C(cudaHostGetDevicePointer(&p, h, 1));
    C(cudaHostGetDevicePointer(&p, pageable, 0));
    C(cudaHostGetDevicePointer(&p, NULL, 0));
    C(cudaHostGetFlags(NULL, h));
    C(cudaHostGetFlags(&f, h));
    V(f);
    C(cudaHostGetFlags(&f, pageable));
    C(cudaHostUnregister(h));
    C(cudaHostUnregister(pageable));
    C(cudaHostUnregister(NULL));
    C(cudaHostRegister(NULL, 4096, 0));
    C(cudaHostRegister(page, 0, 0));
    C(cudaHostRegister(page, 4096, 0xff));
    C(cudaHostRegister(h, 4096, 0));
    C(cudaHostRegister(page, 4096, cudaHostRegisterMapped));
    C(cudaHostRegister(page, 4096, 0));
    C(cudaHostGetDevicePointer(&p, page, 0));
    V(p == page);
    C(cudaHostGetFlags(&f, page));
    V(f);
    C(cudaFreeHost(page));
    C(cudaHostUnregister((char *)page + 64));
    C(cudaHostUnregister(page));
    C(cudaHostUnregister(page));
}

static void attributes_print(const char *what, const void *p)
{
    cudaPointerAttributes a;

    memset(&a, 0x55, sizeof(a));
    if (code_before(what) && code_after(cudaPointerGetAttributes(&a, p)) == cudaSuccess &&
        codes_loud()) {
        printf("    type %d device %d device pointer %s host pointer %s\n", a.type, a.device,
               !a.devicePointer       ? "none"
               : a.devicePointer == p ? "same"
                                      : "other",
               !a.hostPointer       ? "none"
               : a.hostPointer == p ? "same"
                                    : "other");
    }
}

static void pointer_attributes()
{
    int *d, *h, *m, *a, on_stack;
    void *page = page_aligned;

    cudaMalloc(&d, 4096);
    cudaMallocHost(&h, 4096);
    cudaMallocManaged(&m, 4096);
    cudaMallocAsync(&a, 4096, 0);
    attributes_print("device", d);
    attributes_print("device, inside", d + 9);
    attributes_print("pinned", h);
    attributes_print("pinned, inside", h + 9);
    attributes_print("managed", m);
    attributes_print("from a pool", a);
    attributes_print("stack", &on_stack);
    attributes_print("null", NULL);
    attributes_print("nonsense", (void *)0x1234);
    cudaHostRegister(page, 4096, 0);
    attributes_print("registered", page);
    cudaHostUnregister(page);
    attributes_print("no longer registered", page);
    cudaFree(d);
    attributes_print("freed device", d);
    cudaFree(m);
    attributes_print("freed managed", m);
    cudaFreeHost(h);
    attributes_print("freed pinned", h);
    C(cudaPointerGetAttributes(NULL, d));
}

/* Every direction between every kind of memory. */
static void copy_kinds()
{
    static const char *const names[] = { "pageable", "pinned", "managed", "device" };
    char *p[4], text[80];

    p[0] = (char *)calloc(1, 4096);
    cudaMallocHost(&p[1], 4096);
    cudaMallocManaged(&p[2], 4096);
    cudaMalloc(&p[3], 4096);
    for (int dst = 0; dst < 4; dst++) {
        for (int src = 0; src < 4; src++) {
            for (int kind = 0; kind < 5; kind++) {
                snprintf(text, sizeof(text), "copy %s <- %s kind %d", names[dst], names[src], kind);
                if (code_before(text)) {
                    code_after(cudaMemcpy(p[dst], p[src] + 2048, 64, (cudaMemcpyKind)kind));
                }
                snprintf(text, sizeof(text), "  async");
                if (code_before(text)) {
                    code_after(cudaMemcpyAsync(p[dst], p[src] + 2048, 64, (cudaMemcpyKind)kind, 0));
                }
                cudaDeviceSynchronize();
            }
        }
    }
}

static void copies()
{
    char *d, *freed, h[256] = { 0 };

    C(cudaMalloc(&d, 256));
    C(cudaMemcpy(d, h, 4, (cudaMemcpyKind)5));
    C(cudaMemcpy(d, h, 4, (cudaMemcpyKind)-1));
    C(cudaMemcpy(d, h, 0, (cudaMemcpyKind)5));
    C(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    C(cudaMemcpy(NULL, h, 4, cudaMemcpyHostToDevice));
    C(cudaMemcpy(d, NULL, 4, cudaMemcpyHostToDevice));
    C(cudaMemcpy(h, NULL, 4, cudaMemcpyDeviceToHost));
    C(cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost));
    C(cudaMemcpy(NULL, d, 4, cudaMemcpyDefault));
    C(cudaMemcpyAsync(d, h, 4, (cudaMemcpyKind)5, 0));
    C(cudaMemcpyAsync(NULL, h, 4, cudaMemcpyHostToDevice, 0));
    C(cudaMemcpyAsync(NULL, NULL, 0, cudaMemcpyHostToDevice, 0));
    C(cudaMemset(NULL, 0, 0));
    C(cudaMemset(NULL, 0, 4));
    C(cudaMemset(h, 0, 4));
    C(cudaMemset(d, 0, 0));
    C(cudaMemset(d, 0x1234, 256));
    C(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    V(h[0]);
    C(cudaMemsetAsync(NULL, 0, 4, 0));
    C(cudaMemsetAsync(d, 0, 256, 0));
    C(cudaMalloc(&freed, (size_t)64 << 20));
    C(cudaMemcpy(freed + ((size_t)64 << 20) - 4, h, 128, cudaMemcpyHostToDevice));
    C(cudaMemset(freed, 0, ((size_t)64 << 20) + 1));
    C(cudaFree(freed));
    C(cudaMemcpy(h, freed, 4, cudaMemcpyDeviceToHost));
    C(cudaMemcpy(h, freed, 4, cudaMemcpyDefault));
    C(cudaMemset(freed, 0, 4));
}

static void copies_2d_3d()
{
    char *d, h[1024] = { 0 };
    cudaMemcpy3DParms p;
    cudaPitchedPtr pp = { (void *)77, 77, 77, 77 };

    C(cudaMalloc(&d, 1024));
    C(cudaMemcpy2D(d, 16, h, 16, 17, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 32, h, 16, 17, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, h, 16, 17, 1, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 0, h, 0, 4, 1, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, h, 16, 0, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, h, 16, 4, 0, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, h, 16, 4, 2, (cudaMemcpyKind)5));
    C(cudaMemcpy2D(d, 16, h, 16, 17, 2, (cudaMemcpyKind)5));
    C(cudaMemcpy2D(NULL, 16, h, 16, 4, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, NULL, 16, 4, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(NULL, 16, NULL, 16, 0, 0, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, (size_t)1 << 40, h, 16, 4, 2, cudaMemcpyHostToDevice));
    C(cudaMemcpy2D(d, 16, h, 16, 4, 2, cudaMemcpyDefault));
    C(cudaMemcpy2D(d, 16, h, 16, 4, 2, cudaMemcpyDeviceToHost));
    C(cudaMemcpy2D(h, 16, h + 512, 16, 4, 2, cudaMemcpyHostToHost));
    C(cudaMemcpy2DAsync(d, 16, h, 16, 17, 2, cudaMemcpyHostToDevice, 0));
    C(cudaMemcpy2DAsync(d, 16, h, 16, 16, 2, cudaMemcpyHostToDevice, 0));
    C(cudaMemset2D(d, 16, 0, 17, 2));
    C(cudaMemset2D(d, 16, 0, 17, 1));
    C(cudaMemset2D(d, 16, 0, 0, 2));
    C(cudaMemset2D(NULL, 16, 0, 4, 2));
    C(cudaMemset2D(NULL, 0, 0, 0, 0));
    C(cudaMemset2D(d, 16, 0, 16, 2));
    C(cudaMemset2DAsync(d, 16, 0, 17, 2, 0));
    C(cudaMemcpy3D(NULL));
    memset(&p, 0, sizeof(p));
    C(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 2, 2);
    C(cudaMemcpy3D(&p));
    p.dstPtr = make_cudaPitchedPtr(d, 16, 16, 4);
    C(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(h, 16, 16, 4);
    C(cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToDevice;
    C(cudaMemcpy3D(&p));
    p.kind = (cudaMemcpyKind)5;
    C(cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToDevice;
    p.extent.width = 17;
    C(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 5, 2);
    C(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 5, 1);
    C(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 2, 2);
    p.srcPos.x = 14;
    C(cudaMemcpy3D(&p));
    p.srcPos.x = 0;
    p.extent = make_cudaExtent(0, 2, 2);
    p.kind = (cudaMemcpyKind)5;
    C(cudaMemcpy3D(&p));
    C(cudaMemcpy3DAsync(NULL, 0));
    pp = make_cudaPitchedPtr(d, 16, 16, 4);
    C(cudaMemset3D(pp, 0, make_cudaExtent(16, 4, 2)));
    C(cudaMemset3D(pp, 0, make_cudaExtent(4, 2, 2)));
    C(cudaMemset3D(pp, 0, make_cudaExtent(17, 2, 2)));
    C(cudaMemset3D(pp, 0, make_cudaExtent(4, 5, 2)));
    C(cudaMemset3D(pp, 0, make_cudaExtent(4, 5, 1)));
    C(cudaMemset3D(pp, 0, make_cudaExtent(0, 5, 2)));
    pp.ptr = NULL;
    C(cudaMemset3D(pp, 0, make_cudaExtent(4, 2, 2)));
}

static void symbols()
{
    int h[64] = { 0 }, *p = NULL, unknown;
    size_t n = 0;

    C(cudaMemcpyToSymbol(variable, h, 16));
    C(cudaMemcpyToSymbol(variable, h, 17));
    C(cudaMemcpyToSymbol(variable, h, 8, 8));
    C(cudaMemcpyToSymbol(variable, h, 8, 12));
    C(cudaMemcpyToSymbol(variable, h, 1, 17));
    C(cudaMemcpyToSymbol(variable, h, 0, 17));
    C(cudaMemcpyToSymbol(variable, h, 0));
    C(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyDeviceToHost));
    C(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyHostToHost));
    C(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyDefault));
    C(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyDeviceToDevice));
    C(cudaMemcpyToSymbol(variable, h, 4, 0, (cudaMemcpyKind)7));
    C(cudaMemcpyToSymbol(variable, NULL, 4));
    C(cudaMemcpyToSymbol((const void *)NULL, h, 4));
    C(cudaMemcpyToSymbol((const void *)&unknown, h, 4));
    C(cudaMemcpyToSymbol((const void *)"variable", h, 4));
    C(cudaMemcpyToSymbol((const void *)&unknown, h, 0));
    C(cudaMemcpyToSymbol(table, h, 64));
    C(cudaMemcpyFromSymbol(h, table, 64));
    C(cudaMemcpyFromSymbol(h, table, 65));
    C(cudaMemcpyFromSymbol(h, table, 4, 0, cudaMemcpyHostToDevice));
    C(cudaMemcpyFromSymbol(h, table, 4, 0, cudaMemcpyDefault));
    C(cudaMemcpyFromSymbol(NULL, table, 4));
    C(cudaMemcpyFromSymbol(h, (const void *)&unknown, 4));
    C(cudaMemcpyToSymbolAsync(variable, h, 16, 0, cudaMemcpyHostToDevice, 0));
    C(cudaMemcpyFromSymbolAsync(h, variable, 17, 0, cudaMemcpyDeviceToHost, 0));
    C(cudaGetSymbolAddress((void **)&p, variable));
    V(p != NULL);
    C(cudaGetSymbolAddress((void **)&p, (const void *)&unknown));
    C(cudaGetSymbolAddress((void **)&p, (const void *)NULL));
    C(cudaGetSymbolSize(&n, variable));
    V(n);
    C(cudaGetSymbolSize(&n, table));
    V(n);
    C(cudaGetSymbolSize(&n, (const void *)&unknown));
}

static void pools()
{
    cudaMemPool_t pool = NULL;
    cudaMemPoolProps props;
    unsigned long long n = 77;
    int *p = NULL, v = 7;

    C(cudaDeviceGetDefaultMemPool(NULL, 0));
    C(cudaDeviceGetDefaultMemPool(&pool, 4711));
    C(cudaDeviceGetDefaultMemPool(&pool, 0));
    C(cudaDeviceGetMemPool(&pool, 0));
    C(cudaDeviceSetMemPool(0, NULL));
    C(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &n));
    V(n);
    C(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &n));
    C(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, NULL));
    C(cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrReleaseThreshold, &n));
    C(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &v));
    C(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &n));
    C(cudaMemPoolTrimTo(NULL, 0));
    C(cudaMemPoolTrimTo(pool, 0));
    C(cudaMemPoolDestroy(pool));
    C(cudaMemPoolDestroy(NULL));
    C(cudaMemPoolCreate(NULL, &props));
    C(cudaMemPoolCreate(&pool, NULL));
    memset(&props, 0, sizeof(props));
    C(cudaMemPoolCreate(&pool, &props));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 4711;
    C(cudaMemPoolCreate(&pool, &props));
    props.location.id = 0;
    C(cudaMemPoolCreate(&pool, &props));
    C(cudaMallocFromPoolAsync((int **)NULL, 64, pool, 0));
    C(cudaMallocFromPoolAsync(&p, 64, NULL, 0));
    C(cudaMallocFromPoolAsync(&p, 64, pool, 0));
    C(cudaFreeAsync(p, 0));
    C(cudaMemPoolDestroy(pool));
    C(cudaMallocAsync((int **)NULL, 64, 0));
    C(cudaMallocAsync(&p, 0, 0));
    V(p == NULL);
    C(cudaMallocAsync(&p, (size_t)1 << 60, 0));
    C(cudaMallocAsync(&p, 64, 0));
    C(cudaFreeAsync(NULL, 0));
    C(cudaFreeAsync((void *)0x1234, 0));
    C(cudaFree(p));
    C(cudaMalloc(&p, 64));
    C(cudaFreeAsync(p, 0));
}

static void managed()
{
    int *m, *d, v = 7, on_stack;
    cudaMemLocation l = {};

    C(cudaMallocManaged(&m, 65536));
    C(cudaMalloc(&d, 65536));
    l.type = cudaMemLocationTypeDevice;
    C(cudaMemPrefetchAsync(m, 65536, l, 0, 0));
    C(cudaMemPrefetchAsync(m, 0, l, 0, 0));
    C(cudaMemPrefetchAsync(m, 65536, l, 1, 0));
    C(cudaMemPrefetchAsync(NULL, 65536, l, 0, 0));
    C(cudaMemPrefetchAsync(d, 65536, l, 0, 0));
    C(cudaMemPrefetchAsync(m, (size_t)1 << 40, l, 0, 0));
    l.id = 4711;
    C(cudaMemPrefetchAsync(m, 65536, l, 0, 0));
    l.type = cudaMemLocationTypeInvalid;
    C(cudaMemPrefetchAsync(m, 65536, l, 0, 0));
    l.type = cudaMemLocationTypeHost;
    l.id = 0;
    C(cudaMemPrefetchAsync(m, 65536, l, 0, 0));
    C(cudaMemAdvise(m, 65536, cudaMemAdviseSetReadMostly, l));
    C(cudaMemAdvise(m, 65536, (cudaMemoryAdvise)99, l));
    C(cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, l));
    C(cudaMemAdvise(d, 65536, cudaMemAdviseSetReadMostly, l));
    C(cudaMemAdvise(m, 65536, cudaMemAdviseSetPreferredLocation, l));
    C(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, m, 65536));
    V(v);
    C(cudaMemRangeGetAttribute(&v, 3, cudaMemRangeAttributeReadMostly, m, 65536));
    C(cudaMemRangeGetAttribute(&v, 4, (cudaMemRangeAttribute)99, m, 65536));
    C(cudaMemRangeGetAttribute(NULL, 4, cudaMemRangeAttributeReadMostly, m, 65536));
    C(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, d, 65536));
    C(cudaStreamAttachMemAsync(0, m));
    C(cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachHost));
    C(cudaStreamAttachMemAsync(0, m, 0, 0));
    C(cudaStreamAttachMemAsync(0, m, 0, 8));
    C(cudaStreamAttachMemAsync(0, m, 0, 3));
    C(cudaStreamAttachMemAsync(0, m, 65536, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, m, 4096, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, m + 4, 0, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, d, 0, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, &on_stack, 0, cudaMemAttachGlobal));
    C(cudaStreamAttachMemAsync(0, (int *)NULL, 0, cudaMemAttachGlobal));
    cudaStream_t s;
    C(cudaStreamCreate(&s));
    C(cudaStreamAttachMemAsync(s, m));
    C(cudaStreamAttachMemAsync(cudaStreamPerThread, m));
    C(cudaDeviceSynchronize());
    C(cudaFree(m));
}

const codes_section codes_memory[] = {
    { "allocation", allocation },
    { "pinned", pinned },
    { "pointer_attributes", pointer_attributes },
    { "copy_kinds", copy_kinds },
    { "copies", copies },
    { "copies_2d_3d", copies_2d_3d },
    { "symbols", symbols },
    { "pools", pools },
    { "managed", managed },
    { NULL, NULL },
};
