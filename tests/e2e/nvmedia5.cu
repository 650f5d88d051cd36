/* SPDX-License-Identifier: MIT */
/* NvMedia of DRIVE OS 5 and CUDA at the two ends of an EGLStream, with a blit of the VIC beside it.
 *
 * nvmedia5 post|acquire [TYPE]      one process
 * nvmedia5 two-post|two-acquire     the other end is a second process, which inherits the stream
 * nvmedia5 bad                      what ends and images that are none get, with live ones beside them
 * GPU=N                             CUDA's device; 0
 *
 * post: the VIC mirrors a picture, NvMedia posts it, CUDA compares. acquire: CUDA fills a frame,
 * NvMedia acquires it, and the VIC and the CPU read it. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <nvmedia_2d.h>
#include <nvmedia_eglstream.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define W 64
#define H 32
#define FRAMES 5
#define IMAGES 3
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

static EGLDisplay display;
static EGLStreamKHR stream;
static NvMediaDevice *device;
static NvMediaSurfaceType type;
static bool blocks;
static unsigned wrong;

#define P(type, name) ((type)eglGetProcAddress(#name))

static void up(const char *name, int fd)
{
    NVM_SURF_FMT_DEFINE_ATTR(attr)

    NVM_SURF_FMT_SET_ATTR_YUV(attr, YUV, 420, SEMI_PLANAR, UINT, 8, PL)
    blocks = strcmp(name, "blocks") == 0;
    if (blocks) {
        attr[NVM_SURF_ATTR_LAYOUT].value = NVM_SURF_ATTR_LAYOUT_BL;
    } else if (strcmp(name, "planar") == 0) {
        attr[NVM_SURF_ATTR_MEMORY].value = NVM_SURF_ATTR_MEMORY_PLANAR;
    }
    type = NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX);
    CHECK(type == NvMediaSurfaceType_Unsupported);
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    stream = fd < 0 ? P(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)(display, NULL)
                    : P(PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC,
                        eglCreateStreamFromFileDescriptorKHR)(display, fd);
    CHECK(stream == EGL_NO_STREAM_KHR);
    device = NvMediaDeviceCreate();
    CHECK(!device);
}

static void until(EGLint wanted)
{
    EGLint now = 0;

    for (int i = 0; i < 20000; i++) {
        CHECK(!P(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)(display, stream, EGL_STREAM_STATE_KHR,
                                                              &now));
        if (now >= wanted) {
            return;
        }
        usleep(1000);
    }
    CHECK(now);
}

/* --- pictures: luma and chroma of frame @n, left and right swapped if @mirrored ----------------
 */

static __host__ __device__ unsigned char luma(unsigned x, unsigned y, unsigned n, bool mirrored)
{
    return (unsigned char)(16 + ((mirrored ? W - 1 - x : x) * 3 + y * 5 + n * 7) % 200);
}

static __host__ __device__ unsigned char chroma(unsigned x, unsigned y, unsigned v, unsigned n,
                                                bool mirrored)
{
    return (unsigned char)(40 + ((mirrored ? W / 2 - 1 - x : x) + y * 2 + v * 60 + n) % 100);
}

static unsigned char bits[3][W * H];

static void bits_fill(unsigned n)
{
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            bits[0][y * W + x] = luma(x, y, n, false);
            if (y < H / 2 && x < W / 2) {
                bits[1][y * W / 2 + x] = chroma(x, y, 0, n, false);
                bits[2][y * W / 2 + x] = chroma(x, y, 1, n, false);
            }
        }
    }
}

static void bits_compare(unsigned n, bool mirrored)
{
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            wrong += bits[0][y * W + x] != luma(x, y, n, mirrored);
            if (y < H / 2 && x < W / 2) {
                wrong += bits[1][y * W / 2 + x] != chroma(x, y, 0, n, mirrored);
                wrong += bits[2][y * W / 2 + x] != chroma(x, y, 1, n, mirrored);
            }
        }
    }
}

static void bits_move(NvMediaImage *image, bool put)
{
    void *planes[] = { bits[0], bits[1], bits[2] };
    uint32_t pitch[] = { W, W / 2, W / 2 };
    NvMediaImageSurfaceMap map;

    CHECK(NvMediaImageLock(image, NVMEDIA_IMAGE_ACCESS_READ_WRITE, &map));
    CHECK(map.width != W || map.height != H || map.type != image->type);
    CHECK(put ? NvMediaImagePutBits(image, NULL, planes, pitch)
              : NvMediaImageGetBits(image, NULL, planes, pitch));
    NvMediaImageUnlock(image);
}

static NvMediaImage *image_new(uint32_t access)
{
    NvMediaSurfAllocAttr alloc[] = { { NVM_SURF_ATTR_WIDTH, W },
                                     { NVM_SURF_ATTR_HEIGHT, H },
                                     { NVM_SURF_ATTR_CPU_ACCESS, access } };
    NvMediaImage *image = NvMediaImageCreateNew(device, type, alloc, 3, 0);

    CHECK(!image);
    return image;
}

static void mirror(NvMedia2D *i2d, NvMediaImage *to, NvMediaImage *from)
{
    NvMedia2DBlitParameters params = { NVMEDIA_2D_BLIT_PARAMS_DST_TRANSFORM };

    params.dstTransform = NVMEDIA_TRANSFORM_FLIP_HORIZONTAL;
    CHECK(NvMedia2DBlitEx(i2d, to, NULL, from, NULL, &params, NULL));
}

/* --- NvMedia produces ------------------------------------------------------------------------- */

struct post {
    NvMedia2D *i2d;
    NvMediaImage *source, *image[IMAGES];
    NvMediaEGLStreamProducer *end;
};

static void post_up(struct post *p)
{
    p->i2d = NvMedia2DCreate(device);
    CHECK(!p->i2d);
    p->source = image_new(NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED);
    for (unsigned i = 0; i < IMAGES; i++) {
        p->image[i] = image_new(NVM_SURF_ATTR_CPU_ACCESS_CACHED);
    }
    p->end = NvMediaEglStreamProducerCreate(device, display, stream, type, W, H);
    CHECK(!p->end);
}

static void post(struct post *p, unsigned n)
{
    bits_fill(n);
    bits_move(p->source, true);
    mirror(p->i2d, p->image[n % IMAGES], p->source);
    CHECK(NvMediaEglStreamProducerPostImage(p->end, p->image[n % IMAGES], NULL));
}

static void post_return(struct post *p, unsigned n)
{
    NvMediaImage *back = NULL;

    CHECK(NvMediaEglStreamProducerGetImage(p->end, &back, 5000));
    CHECK(back != p->image[n % IMAGES]);
}

static void post_down(struct post *p)
{
    NvMediaEglStreamProducerDestroy(p->end);
    for (unsigned i = 0; i < IMAGES; i++) {
        NvMediaImageDestroy(p->image[i]);
    }
    NvMediaImageDestroy(p->source);
    NvMedia2DDestroy(p->i2d);
}

/* --- CUDA consumes ---------------------------------------------------------------------------- */

static CUeglStreamConnection cuda;
static unsigned *bad;

__global__ void compare_rows(const unsigned char *y, const unsigned char *u, const unsigned char *v,
                             unsigned pitch, unsigned chroma_pitch, unsigned step, unsigned n,
                             unsigned *out)
{
    unsigned x = threadIdx.x, row = blockIdx.x;
    unsigned at = row * chroma_pitch + x * step;

    if (y[row * pitch + x] != luma(x, row, n, true)) {
        atomicAdd(out, 1);
    }
    if (x < W / 2 && row < H / 2 &&
        (u[at] != chroma(x, row, 0, n, true) || v[at] != chroma(x, row, 1, n, true))) {
        atomicAdd(out, 1);
    }
}

__global__ void compare_blocks(cudaSurfaceObject_t y, cudaSurfaceObject_t uv, unsigned n,
                               unsigned *out)
{
    unsigned x = threadIdx.x, row = blockIdx.x;

    if (surf2Dread<unsigned char>(y, (int)x, (int)row) != luma(x, row, n, true)) {
        atomicAdd(out, 1);
    }
    if (x < W / 2 && row < H / 2) {
        uchar2 c = surf2Dread<uchar2>(uv, (int)(x * 2), (int)row);

        if (c.x != chroma(x, row, 0, n, true) || c.y != chroma(x, row, 1, n, true)) {
            atomicAdd(out, 1);
        }
    }
}

static cudaSurfaceObject_t surface_of(CUarray array)
{
    cudaResourceDesc desc;
    cudaSurfaceObject_t s;

    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = (cudaArray_t)array;
    CHECK(cudaCreateSurfaceObject(&s, &desc));
    return s;
}

static void cuda_consume(unsigned n)
{
    CUgraphicsResource resource;
    CUstream s = NULL;
    CUeglFrame f;

    CHECK(cuEGLStreamConsumerAcquireFrame(&cuda, &resource, &s, 5000000));
    CHECK(cuGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
    CHECK(f.width != W || f.height != H);
    CHECK(f.frameType != (blocks ? CU_EGL_FRAME_TYPE_ARRAY : CU_EGL_FRAME_TYPE_PITCH));
    if (blocks) {
        cudaSurfaceObject_t y = surface_of(f.frame.pArray[0]), uv = surface_of(f.frame.pArray[1]);

        compare_blocks<<<H, W>>>(y, uv, n, bad);
        CHECK(cudaDeviceSynchronize());
        cudaDestroySurfaceObject(y);
        cudaDestroySurfaceObject(uv);
    } else {
        unsigned char *uv = (unsigned char *)f.frame.pPitch[1];
        bool planar = f.planeCount == 3;

        compare_rows<<<H, W>>>((unsigned char *)f.frame.pPitch[0], uv,
                               planar ? (unsigned char *)f.frame.pPitch[2] : uv + 1, f.pitch,
                               planar ? f.pitch / 2 : f.pitch, planar ? 1 : 2, n, bad);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cuEGLStreamConsumerReleaseFrame(&cuda, resource, &s));
}

/* --- CUDA produces, NvMedia consumes ---------------------------------------------------------- */

static unsigned char *frame[IMAGES];

__global__ void frame_fill(unsigned char *at, unsigned n)
{
    unsigned x = threadIdx.x, row = blockIdx.x;
    unsigned char *uv = at + W * H;

    at[row * W + x] = luma(x, row, n, false);
    if (row < H / 2) {
        uv[row * W + x] = chroma(x / 2, row, x % 2, n, false);
    }
}

static CUeglFrame frame_of(unsigned n)
{
    CUeglFrame f;

    memset(&f, 0, sizeof(f));
    f.width = W;
    f.height = H;
    f.pitch = W;
    f.planeCount = 2;
    f.numChannels = 1;
    f.frameType = CU_EGL_FRAME_TYPE_PITCH;
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR;
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    f.frame.pPitch[0] = frame[n % IMAGES];
    f.frame.pPitch[1] = frame[n % IMAGES] + W * H;
    return f;
}

static void cuda_produce(unsigned n)
{
    CUstream s = NULL;

    frame_fill<<<H, W>>>(frame[n % IMAGES], n);
    CHECK(cuEGLStreamProducerPresentFrame(&cuda, frame_of(n), &s));
}

static void cuda_return(unsigned n)
{
    CUstream s = NULL;
    CUeglFrame f;

    while (cuEGLStreamProducerReturnFrame(&cuda, &f, &s) == CUDA_ERROR_LAUNCH_TIMEOUT) {
    }
    CHECK(f.frame.pPitch[0] != frame[n % IMAGES]);
}

static void cuda_producer_up(void)
{
    for (unsigned i = 0; i < IMAGES; i++) {
        CHECK(cudaMalloc((void **)&frame[i], W * H * 3 / 2));
    }
    CHECK(cuEGLStreamProducerConnect(&cuda, stream, W, H));
}

struct acquire {
    NvMedia2D *i2d;
    NvMediaImage *mirrored;
    NvMediaEGLStreamConsumer *end;
};

static void acquire_up(struct acquire *a)
{
    a->i2d = NvMedia2DCreate(device);
    CHECK(!a->i2d);
    a->mirrored = image_new(NVM_SURF_ATTR_CPU_ACCESS_UNCACHED);
    a->end = NvMediaEglStreamConsumerCreate(device, display, stream, type);
    CHECK(!a->end);
}

static void acquire(struct acquire *a, unsigned n)
{
    NvMediaImage *image = NULL;

    CHECK(NvMediaEglStreamConsumerAcquireImage(a->end, &image, 5000, NULL));
    bits_move(image, false);
    bits_compare(n, false);
    mirror(a->i2d, a->mirrored, image);
    bits_move(a->mirrored, false);
    bits_compare(n, true);
    CHECK(NvMediaEglStreamConsumerReleaseImage(a->end, image));
    CHECK(NvMediaEglStreamConsumerReleaseImage(a->end, image) != NVMEDIA_STATUS_BAD_PARAMETER);
}

static void acquire_down(struct acquire *a)
{
    NvMediaEglStreamConsumerDestroy(a->end);
    NvMediaImageDestroy(a->mirrored);
    NvMedia2DDestroy(a->i2d);
}

/* --- the runs --------------------------------------------------------------------------------- */

static void one_post(void)
{
    struct post p;

    CHECK(NvMediaEglStreamProducerCreate(device, display, stream, type, W, H) != NULL);
    CHECK(cuEGLStreamConsumerConnect(&cuda, stream));
    post_up(&p);
    for (unsigned n = 0; n < FRAMES; n++) {
        post(&p, n);
        cuda_consume(n);
        if (n) {
            post_return(&p, n - 1);
        }
    }
    CHECK(cuEGLStreamConsumerDisconnect(&cuda));
    post_down(&p);
}

static void one_acquire(void)
{
    struct acquire a;

    acquire_up(&a);
    cuda_producer_up();
    for (unsigned n = 0; n < FRAMES; n++) {
        cuda_produce(n);
        acquire(&a, n);
        if (n) {
            cuda_return(n - 1);
        }
    }
    acquire_down(&a);
    CHECK(cuEGLStreamProducerDisconnect(&cuda));
}

static pid_t second(const char *self, const char *role, const char *name, int fd)
{
    extern char **environ;
    char number[16];
    char *argv[] = { (char *)self, (char *)role, (char *)name, number, NULL };
    pid_t pid;

    snprintf(number, sizeof(number), "%d", fd);
    CHECK(posix_spawn(&pid, self, NULL, NULL, argv, environ));
    return pid;
}

/* A FIFO has all frames, and in their order. */
static void two(const char *self, const char *role, const char *name, bool posts)
{
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, IMAGES, EGL_NONE };
    struct acquire a;
    int status = -1, fd;
    pid_t pid;

    stream = P(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)(display, fifo);
    fd = P(PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC, eglGetStreamFileDescriptorKHR)(display, stream);
    CHECK(fd < 0);
    if (posts) {
        CHECK(cuEGLStreamConsumerConnect(&cuda, stream));
    } else {
        acquire_up(&a);
    }
    pid = second(self, role, name, fd);
    until(EGL_STREAM_STATE_EMPTY_KHR);
    for (unsigned n = 0; n < FRAMES; n++) {
        if (posts) {
            cuda_consume(n);
        } else {
            acquire(&a, n);
        }
    }
    if (posts) {
        CHECK(cuEGLStreamConsumerDisconnect(&cuda));
    } else {
        acquire_down(&a);
    }
    CHECK(waitpid(pid, &status, 0) != pid);
    CHECK(status);
}

static void second_post(void)
{
    struct post p;

    until(EGL_STREAM_STATE_CONNECTING_KHR);
    post_up(&p);
    for (unsigned n = 0; n < FRAMES; n++) {
        if (n >= IMAGES) {
            post_return(&p, n - IMAGES);
        }
        post(&p, n);
    }
    until(EGL_STREAM_STATE_DISCONNECTED_KHR);
    post_down(&p);
}

static void second_acquire(void)
{
    until(EGL_STREAM_STATE_CONNECTING_KHR);
    cuda_producer_up();
    for (unsigned n = 0; n < FRAMES; n++) {
        if (n >= IMAGES) {
            cuda_return(n - IMAGES);
        }
        cuda_produce(n);
    }
    until(EGL_STREAM_STATE_DISCONNECTED_KHR);
    CHECK(cuEGLStreamProducerDisconnect(&cuda));
}

/* --- what is none ------------------------------------------------------------------------------ */

#define GIVES(code, call) CHECK((call) != NVMEDIA_STATUS_##code)

/* Pointers that are no producer, no consumer and no image, with the live objects of other kinds. */
static void bad_pointers(NvMediaEGLStreamProducer *p, NvMediaEGLStreamConsumer *c, NvMediaImage *live)
{
    NvMediaImage *stale = image_new(NVM_SURF_ATTR_CPU_ACCESS_CACHED), *got = live;
    char own[256] = { 0 };
    void *none[] = { NULL, stale, own, (void *)3, (void *)8, device };

    NvMediaImageDestroy(stale);
    for (void *x : none) {
        GIVES(BAD_PARAMETER, NvMediaEglStreamProducerPostImage(p, (NvMediaImage *)x, NULL));
        GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerReleaseImage(c, (NvMediaImage *)x));
        for (void *y : { x, (void *)live, (void *)(x ? (void *)p : (void *)c) }) {
            bool is_p = y == p, is_c = y == c;

            if (!is_p) {
                GIVES(BAD_PARAMETER,
                      NvMediaEglStreamProducerPostImage((NvMediaEGLStreamProducer *)y, live, NULL));
                GIVES(BAD_PARAMETER,
                      NvMediaEglStreamProducerGetImage((NvMediaEGLStreamProducer *)y, &got, 0));
                NvMediaEglStreamProducerDestroy((NvMediaEGLStreamProducer *)y);
            }
            if (!is_c) {
                GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerAcquireImage(
                                         (NvMediaEGLStreamConsumer *)y, &got, 0, NULL));
                GIVES(BAD_PARAMETER,
                      NvMediaEglStreamConsumerReleaseImage((NvMediaEGLStreamConsumer *)y, live));
                NvMediaEglStreamConsumerDestroy((NvMediaEGLStreamConsumer *)y);
            }
        }
        CHECK(NvMediaEglStreamConsumerCreate((NvMediaDevice *)(x == device ? NULL : x), display,
                                             stream, type) != NULL);
    }
    CHECK(got != live);
    GIVES(BAD_PARAMETER, NvMediaEglStreamProducerGetImage(p, NULL, 0));
    GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerAcquireImage(c, NULL, 0, NULL));
    GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerReleaseImage(c, live)); /* not acquired */
}

/* None of these has an effect: a frame goes through before and after. */
static void all_bad(void)
{
    NvMediaEGLStreamConsumer *c;
    NvMediaImage *other, *got = NULL;
    NVM_SURF_FMT_DEFINE_ATTR(attr)
    NvMediaSurfAllocAttr alloc[] = { { NVM_SURF_ATTR_WIDTH, W }, { NVM_SURF_ATTR_HEIGHT, H } };
    struct post p;

    NVM_SURF_FMT_SET_ATTR_RGBA(attr, RGBA, UINT, 8, PL)
    other = NvMediaImageCreateNew(
        device, NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX), alloc, 2, 0);
    CHECK(!other);
    CHECK(NvMediaEglStreamConsumerCreate(device, display, EGL_NO_STREAM_KHR, type) != NULL);
    CHECK(NvMediaEglStreamConsumerCreate(device, display, (EGLStreamKHR)0x1234, type) != NULL);
    CHECK(NvMediaEglStreamConsumerCreate(device, display, stream, 3) != NULL);
    CHECK(NvMediaEglStreamProducerCreate(device, display, stream, type, 0, H) != NULL);
    CHECK(NvMediaEglStreamProducerCreate(device, display, stream, type, W, -1) != NULL);
    c = NvMediaEglStreamConsumerCreate(device, display, stream, type);
    CHECK(!c);
    CHECK(NvMediaEglStreamConsumerCreate(device, display, stream, type) != NULL);
    post_up(&p);
    CHECK(NvMediaEglStreamProducerCreate(device, display, stream, type, W, H) != NULL);
    for (unsigned n = 0; n < 2; n++) {
        post(&p, n);
        CHECK(NvMediaEglStreamConsumerAcquireImage(c, &got, 5000, NULL));
        CHECK(got != p.image[n]);
        bits_move(got, false);
        bits_compare(n, true);
        CHECK(NvMediaEglStreamConsumerReleaseImage(c, got));
        GIVES(BAD_PARAMETER, NvMediaEglStreamProducerPostImage(p.end, other, NULL));
        bad_pointers(p.end, c, p.image[2]);
    }
    NvMediaEglStreamConsumerDestroy(c);
    NvMediaEglStreamConsumerDestroy(c); /* it was destroyed */
    GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerAcquireImage(c, &got, 0, NULL));
    GIVES(ERROR, NvMediaEglStreamProducerPostImage(p.end, p.image[2], NULL)); /* disconnected */
    NvMediaImageDestroy(other);
    post_down(&p);
    GIVES(BAD_PARAMETER, NvMediaEglStreamProducerPostImage(p.end, p.image[2], NULL));
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "post", *name = argc > 2 ? argv[2] : "pairs";

    up(name, argc > 3 ? atoi(argv[3]) : -1);
    CHECK(cudaSetDevice(getenv("GPU") ? atoi(getenv("GPU")) : 0));
    CHECK(cudaMallocHost((void **)&bad, sizeof(*bad)));
    *bad = 0;
    if (strcmp(role, "post") == 0) {
        one_post();
    } else if (strcmp(role, "acquire") == 0) {
        one_acquire();
    } else if (strcmp(role, "bad") == 0) {
        all_bad();
    } else if (strcmp(role, "two-post") == 0) {
        two(argv[0], "second-post", name, true);
    } else if (strcmp(role, "two-acquire") == 0) {
        two(argv[0], "second-acquire", name, false);
    } else if (strcmp(role, "second-post") == 0) {
        second_post();
        return 0;
    } else {
        second_acquire();
        return 0;
    }
    CHECK(cudaDeviceSynchronize());
    wrong += *bad;
    NvMediaDeviceDestroy(device);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
