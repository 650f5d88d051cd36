/* SPDX-License-Identifier: MIT */
/* soak.cu KIND WARM ROUNDS: does one thing of a long run WARM times and then ROUNDS times, and
 * prints what each of the latter has left in memory, and what on the heap: there is room that fills
 * up and is emptied again, so of each half of the rounds the least counts. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cuda.h>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <malloc.h>
#include <nvscibuf.h>
#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                            \
    do {                                                                       \
        int e_ = (int)(call);                                                  \
        if (e_) {                                                              \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, e_); \
            exit(2);                                                           \
        }                                                                      \
    } while (0)

__global__ void increment(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x);
}

static int *device, *pinned, *managed;
static cudaStream_t work;

static void launch(void)
{
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamSynchronize(work));
}

static void copies(void)
{
    CHECK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, work));
    CHECK(cudaStreamSynchronize(work));
}

static void streams(void)
{
    cudaStream_t s;

    CHECK(cudaStreamCreate(&s));
    increment<<<1, 32, 0, s>>>(device);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
}

static void events(void)
{
    cudaEvent_t e;

    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, work));
    CHECK(cudaEventSynchronize(e));
    CHECK(cudaEventDestroy(e));
}

static void *thread_main(void *)
{
    CHECK(cudaSetDevice(0));
    launch();
    return NULL;
}

static void threads(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, thread_main, NULL));
    CHECK(pthread_join(t, NULL));
}

static void detached(void)
{
    static pthread_attr_t attr;
    static volatile int done;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    done = 0;
    CHECK(pthread_create(
        &t, &attr,
        [](void *) -> void * {
            launch();
            __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
            return NULL;
        },
        NULL));
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
}

/* Two threads take one after the other. */
static void mutexes(void)
{
    static pthread_mutex_t m;
    pthread_t t;

    CHECK(pthread_mutex_init(&m, NULL));
    CHECK(pthread_mutex_lock(&m));
    CHECK(pthread_create(
        &t, NULL,
        [](void *) -> void * {
            pthread_mutex_lock(&m);
            launch();
            pthread_mutex_unlock(&m);
            return NULL;
        },
        NULL));
    CHECK(pthread_mutex_unlock(&m));
    CHECK(pthread_join(t, NULL));
    CHECK(pthread_mutex_destroy(&m));
}

static void contexts(void)
{
    CUctxCreateParams none = {};
    CUcontext c;
    CUdevice d;

    CHECK(cuDeviceGet(&d, 0));
    CHECK(cuCtxCreate(&c, &none, 0, d));
    CHECK(cuCtxDestroy(c));
}

static void graphs(void)
{
    static cudaGraphExec_t exec;
    cudaGraph_t g;

    if (!exec) {
        CHECK(cudaStreamBeginCapture(work, cudaStreamCaptureModeGlobal));
        increment<<<1, 32, 0, work>>>(device);
        CHECK(cudaStreamEndCapture(work, &g));
        CHECK(cudaGraphInstantiate(&exec, g, 0));
    }
    CHECK(cudaGraphLaunch(exec, work));
    CHECK(cudaStreamSynchronize(work));
}

static void new_graphs(void)
{
    cudaGraphExec_t exec;
    cudaGraph_t g;

    CHECK(cudaStreamBeginCapture(work, cudaStreamCaptureModeGlobal));
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamEndCapture(work, &g));
    CHECK(cudaGraphInstantiate(&exec, g, 0));
    CHECK(cudaGraphLaunch(exec, work));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(g));
}

static void buffers(void)
{
    int *p;

    CHECK(cudaMalloc(&p, 4096));
    increment<<<1, 32, 0, work>>>(p);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaFree(p));
}

static void pool(void)
{
    int *p;

    CHECK(cudaMallocAsync(&p, 4096, work));
    increment<<<1, 32, 0, work>>>(p);
    CHECK(cudaFreeAsync(p, work));
    CHECK(cudaStreamSynchronize(work));
}

static void frames(void)
{
    managed[0]++;
    increment<<<1, 32, 0, work>>>(managed);
    CHECK(cudaStreamSynchronize(work));
}

static void registrations(void)
{
    static char *p = (char *)aligned_alloc(4096, 8192);

    CHECK(cudaHostRegister(p, 8192, cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(p));
}

static void textures(void)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;

    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = device;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch<<<1, 32, 0, work>>>(t, (float *)pinned);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaDestroyTextureObject(t));
}

static void arrays(void)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;

    CHECK(cudaMallocArray(&a, &d, 32, 32));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, pinned, 128, 128, 32, cudaMemcpyHostToDevice));
    CHECK(cudaFreeArray(a));
}

static void modules(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                              ".visible .entry nothing()\n{\nret;\n}\n";
    CUfunction f;
    CUmodule m;

    CHECK(cuModuleLoadData(&m, ptx));
    CHECK(cuModuleGetFunction(&f, m, "nothing"));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, work, NULL, NULL));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cuModuleUnload(m));
}

static void host_functions(void)
{
    CHECK(cudaLaunchHostFunc(work, [](void *) {}, NULL));
    CHECK(cudaStreamSynchronize(work));
}

/* A GLES texture as an EGLImage, and that in CUDA. */
static void images(void)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static PFNEGLCREATEIMAGEKHRPROC create;
    static PFNEGLDESTROYIMAGEKHRPROC destroy;
    static EGLDisplay display;
    static EGLContext context;
    static GLuint texture;
    cudaGraphicsResource_t resource;
    EGLImageKHR image;

    if (!create) {
        create = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
        destroy = (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
        CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
        context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3);
        CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, pinned);
    }
    image =
        create(display, context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(intptr_t)texture, NULL);
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsUnregisterResource(resource));
    CHECK(!destroy(display, image));
}

static NvSciBufModule bufs;

/* A buffer object that CUDA imports and maps. */
static void sci_buffers(void)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    bool cpu = true;
    uint64_t bytes = 4096;
    NvSciRmGpuId id;
    cudaDeviceProp prop;
    cudaExternalMemoryHandleDesc desc = {};
    cudaExternalMemoryBufferDesc range = {};
    cudaExternalMemory_t memory;
    NvSciBufAttrList list, conflict;
    NvSciBufObj object;
    void *gpu;

    if (!bufs) {
        CHECK(NvSciBufModuleOpen(&bufs));
    }
    CHECK(cudaGetDeviceProperties(&prop, 0));
    memcpy(&id, &prop.uuid, sizeof(id));
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &bytes, sizeof(bytes) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciBufGeneralAttrKey_GpuId, &id, sizeof(id) },
    };
    CHECK(NvSciBufAttrListCreate(bufs, &list));
    CHECK(NvSciBufAttrListSetAttrs(list, pairs, sizeof(pairs) / sizeof(*pairs)));
    CHECK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
    NvSciBufAttrListFree(list);
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    desc.handle.nvSciBufObject = object;
    desc.size = bytes;
    CHECK(cudaImportExternalMemory(&memory, &desc));
    range.size = bytes;
    CHECK(cudaExternalMemoryGetMappedBuffer(&gpu, memory, &range));
    CHECK(cudaFree(gpu));
    CHECK(cudaDestroyExternalMemory(memory));
    NvSciBufObjFree(object);
}

static const struct {
    const char *name;
    void (*round)(void);
} kinds[] = {
    { "launch", launch },
    { "copies", copies },
    { "streams", streams },
    { "events", events },
    { "threads", threads },
    { "mutexes", mutexes },
    { "contexts", contexts },
    { "detached", detached },
    { "graphs", graphs },
    { "new_graphs", new_graphs },
    { "buffers", buffers },
    { "pool", pool },
    { "frames", frames },
    { "registrations", registrations },
    { "textures", textures },
    { "arrays", arrays },
    { "host_functions", host_functions },
    { "modules", modules },
    { "images", images },
    { "sci_buffers", sci_buffers },
};

static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all, kept = 0;

    malloc_trim(0);
    if (!f || fscanf(f, "%ld %ld", &all, &kept) != 2) {
        exit(2);
    }
    fclose(f);
    return kept * 4096;
}

static long heap(void)
{
    struct mallinfo2 m = mallinfo2();

    return (long)(m.uordblks + m.hblkhd);
}

/* Return: the least that was on the heap. */
static long run(void (*round)(void), long rounds)
{
    long least = heap();

    for (long i = 1; i <= rounds; i++) {
        round();
        if (i % 16 == 0) {
            long now = heap();

            least = now < least ? now : least;
        }
    }
    return least;
}

int main(int argc, char **argv)
{
    long warm = argc > 3 ? atol(argv[2]) : 0, rounds = argc > 3 ? atol(argv[3]) : 2;
    long before, half = rounds / 2, first, second;

    CHECK(cudaStreamCreate(&work));
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocManaged(&managed, 4096));
    for (const auto &k : kinds) {
        if (argc > 1 && strcmp(k.name, argv[1]) == 0) {
            run(k.round, warm);
            before = resident();
            first = run(k.round, half);
            second = run(k.round, half);
            printf("%s: %ld bytes a round, %ld on the heap\n", k.name,
                   (resident() - before) / (2 * half), (second - first) / half);
            return 0;
        }
    }
    return 1;
}
