/* SPDX-License-Identifier: MIT */
/* OpenGL ES at the ends of an EGLStream of two processes: gl_two CASE. The first process makes the
 * stream and starts the second one, which inherits the descriptor. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define W 64
#define H 16
#define FRAMES 12
#define BUFFERS 3

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

#define EGL_FUNCTIONS(F)                                                                   \
    F(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)                                       \
    F(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)                                         \
    F(PFNEGLSTREAMATTRIBKHRPROC, eglStreamAttribKHR)                                       \
    F(PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC, eglStreamConsumerGLTextureExternalKHR) \
    F(PFNEGLSTREAMCONSUMERACQUIREKHRPROC, eglStreamConsumerAcquireKHR)                     \
    F(PFNEGLSTREAMCONSUMERRELEASEKHRPROC, eglStreamConsumerReleaseKHR)                     \
    F(PFNEGLCREATESTREAMPRODUCERSURFACEKHRPROC, eglCreateStreamProducerSurfaceKHR)         \
    F(PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC, eglGetStreamFileDescriptorKHR)                 \
    F(PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC, eglCreateStreamFromFileDescriptorKHR)
#define DECLARE(type, name) static type p_##name;
EGL_FUNCTIONS(DECLARE)

static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 2, EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                               EGL_NONE };
static EGLDisplay display;
static EGLConfig config;
static EGLContext context;
static EGLStreamKHR stream;
static cudaEglStreamConnection end;
static cudaStream_t work;

/* Red is x, green is y, blue is @blue, alpha 255; in the byte order of cudaEGL.h's ABGR. */
__global__ void paint(uchar4 *p, int blue)
{
    int x = threadIdx.x, y = blockIdx.x;

    p[y * W + x] = make_uchar4((unsigned char)x, (unsigned char)y, (unsigned char)blue, 255);
}

/* Counts pixels whose red is not @low below the middle, and twice that above it. */
__global__ void compare(cudaSurfaceObject_t s, int low, int *wrong)
{
    int y = blockIdx.x;
    uchar4 v;

    surf2Dread(&v, s, (int)threadIdx.x * 4, y);
    if (v.x != (y < H / 2 ? low : 2 * low) || v.y || v.w != 255) {
        atomicAdd(wrong, 1);
    }
}

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);
    GLint ok;

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    CHECK(!ok);
    return s;
}

static void up(void)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static const EGLint wanted[] = { EGL_SURFACE_TYPE,
                                     EGL_STREAM_BIT_KHR,
                                     EGL_RENDERABLE_TYPE,
                                     EGL_OPENGL_ES3_BIT,
                                     EGL_RED_SIZE,
                                     8,
                                     EGL_GREEN_SIZE,
                                     8,
                                     EGL_BLUE_SIZE,
                                     8,
                                     EGL_ALPHA_SIZE,
                                     8,
                                     EGL_NONE };
    EGLint n;

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
#define LOAD(type, name) p_##name = (type)eglGetProcAddress(#name);
    EGL_FUNCTIONS(LOAD)
    CHECK(!eglChooseConfig(display, wanted, &config, 1, &n) || n != 1);
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, es3);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
}

static EGLint state(void)
{
    EGLint value = 0;

    CHECK(!p_eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &value));
    return value;
}

static void until(EGLint wanted)
{
    while (state() < wanted) {
        usleep(1000);
    }
}

static pid_t second(const char *name, int fd)
{
    extern char **environ;
    char role[64], number[16], self[] = "gl_two";
    char *argv[] = { self, role, number, NULL };
    pid_t pid;

    snprintf(role, sizeof(role), "%s", name);
    snprintf(number, sizeof(number), "%d", fd);
    fflush(stdout);
    if (getenv("VTEGRA_TRACE")) { /* this process has read its own */
        setenv("VTEGRA_TRACE", "second.trace", 1);
    }
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ));
    CHECK(close(fd));
    return pid;
}

static int ended(pid_t pid)
{
    int status;

    CHECK(waitpid(pid, &status, 0) != pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int stream_make(const EGLint *attributes)
{
    stream = p_eglCreateStreamKHR(display, attributes);
    CHECK(stream == EGL_NO_STREAM_KHR);
    return p_eglGetStreamFileDescriptorKHR(display, stream);
}

/* --- a texture --- */

static void texture_connect(void)
{
    static const char vertex[] =
        "attribute vec2 at; varying vec2 where;\n"
        "void main() { where = at; gl_Position = vec4(at * 2.0 - 1.0, 0, 1); }\n";
    static const char fragment[] = "#extension GL_NV_EGL_stream_consumer_external : require\n"
                                   "precision mediump float; varying vec2 where;\n"
                                   "uniform samplerExternalOES image;\n"
                                   "void main() { gl_FragColor = texture2D(image, where); }\n";
    GLuint program = glCreateProgram(), names[2], target;

    glAttachShader(program, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    glGenTextures(2, names);
    glBindTexture(GL_TEXTURE_2D, names[0]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, W, H);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, names[0], 0);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, names[1]);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    CHECK(!p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    CHECK(!p_eglStreamAttribKHR(display, stream, EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, 10000000));
}

/* Draws the texture over the whole target. */
static void pixel(int x, int y, unsigned char p[4])
{
    static const GLfloat corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };

    glViewport(0, 0, W, H);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    CHECK(glGetError());
}

static void shown(const char *what, int x, int y)
{
    unsigned char p[4];

    pixel(x, y, p);
    printf("%s: %d %d %d %d\n", what, p[0], p[1], p[2], p[3]);
}

/* The descriptor's process has ended. */
static void texture_report(pid_t pid)
{
    printf("status %d", ended(pid));
    printf(", state 0x%x, acquire %d", state(), p_eglStreamConsumerAcquireKHR(display, stream));
    printf(" 0x%x\n", eglGetError());
}

/* --- a surface --- */

static EGLSurface surface_connect(void)
{
    static const EGLint attributes[] = { EGL_WIDTH, W, EGL_HEIGHT, H, EGL_NONE };
    EGLSurface surface;

    until(EGL_STREAM_STATE_CONNECTING_KHR);
    surface = p_eglCreateStreamProducerSurfaceKHR(display, config, stream, attributes);
    CHECK(surface == EGL_NO_SURFACE);
    CHECK(!eglMakeCurrent(display, surface, surface, context));
    return surface;
}

/* The lower half has the colour @red, the upper one twice that. */
static EGLBoolean surface_show(EGLSurface surface, int red)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_SCISSOR_TEST);
    glClearColor((float)red / 255, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, H / 2, W, H / 2);
    glClearColor((float)red * 2 / 255, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    return eglSwapBuffers(display, surface);
}

/* Until the consumer has taken all of them. */
static void surface_leave(EGLSurface surface)
{
    while (state() == EGL_STREAM_STATE_NEW_FRAME_AVAILABLE_KHR) {
        usleep(1000);
    }
    CHECK(!eglDestroySurface(display, surface));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
}

/* --- CUDA to a texture --- */

static cudaEglFrame frame_new(unsigned width)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = 1;
    f.eglColorFormat = cudaEglColorFormatABGR;
    f.frameType = cudaEglFrameTypePitch;
    f.planeDesc[0].width = width;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = W * 4;
    f.planeDesc[0].numChannels = 4;
    f.planeDesc[0].channelDesc = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMalloc(&f.frame.pPitch[0].ptr, W * H * 4));
    return f;
}

static void cuda_produce(int frames, unsigned width)
{
    cudaStream_t streams[2]; /* a frame goes from one to the other: what comes back orders them */
    cudaEglFrame f;

    CHECK(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    until(EGL_STREAM_STATE_CONNECTING_KHR);
    CHECK(cudaEGLStreamProducerConnect(&end, stream, W, H));
    for (int i = 0; i < frames; i++) {
        cudaError_t e = cudaSuccess;

        work = streams[i % 2];
        if (i < BUFFERS) {
            f = frame_new(width);
        } else {
            do {
                e = cudaEGLStreamProducerReturnFrame(&end, &f, &work);
            } while (e == cudaErrorLaunchTimeout);
            CHECK(e);
        }
        paint<<<H, W, 0, work>>>((uchar4 *)f.frame.pPitch[0].ptr, 100 + i);
        CHECK(cudaEGLStreamProducerPresentFrame(&end, f, &work));
    }
    cudaGetLastError();
}

static void to_gl(const char *name)
{
    int fd = stream_make(fifo), wrong = 0;
    unsigned char p[4];
    pid_t pid;

    texture_connect();
    pid = second(name, fd);
    until(EGL_STREAM_STATE_EMPTY_KHR);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
        pixel(9, 3, p);
        wrong += p[0] != 9 || p[1] != 3 || p[2] != 100 + i || p[3] != 255;
        CHECK(i % 2 && !p_eglStreamConsumerReleaseKHR(display, stream)); /* or the next acquire */
    }
    shown("the last", 63, 15);
    printf("%d wrong\n", wrong);
    texture_report(pid);
}

static void to_gl_second(void)
{
    cudaEglFrame back;

    cuda_produce(FRAMES, strcmp(getenv("WIDTH") ? getenv("WIDTH") : "", "bytes") ? W : W * 4);
    for (int i = 0; i < BUFFERS;) { /* all come back, without reuse */
        i += cudaEGLStreamProducerReturnFrame(&end, &back, &work) == cudaSuccess;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEGLStreamProducerDisconnect(&end));
}

/* --- a surface to CUDA --- */

static void from_gl(const char *name)
{
    int fd = stream_make(fifo);
    pid_t pid = second(name, fd);
    EGLSurface surface = surface_connect();

    for (int i = 1; i <= FRAMES; i++) {
        CHECK(!surface_show(surface, 10 * i));
    }
    surface_leave(surface);
    printf("status %d\n", ended(pid));
    CHECK(glGetError());
}

/* Frames of @step, twice that ... Return: pixels that are others. */
static int cuda_compare(int frames, int step)
{
    cudaGraphicsResource_t resource;
    cudaSurfaceObject_t object;
    cudaResourceDesc desc;
    cudaEglFrame f;
    int *wrong;

    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    for (int i = 1; i <= frames; i++) {
        CHECK(cudaEGLStreamConsumerAcquireFrame(&end, &resource, &work, 10000000));
        CHECK(cudaGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
        memset(&desc, 0, sizeof(desc));
        desc.resType = cudaResourceTypeArray;
        desc.res.array.array = f.frame.pArray[0];
        CHECK(cudaCreateSurfaceObject(&object, &desc));
        compare<<<H, W, 0, work>>>(object, step * i, wrong);
        CHECK(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work));
    }
    CHECK(cudaStreamSynchronize(work));
    printf("%u x %u, format 0x%x\n", f.planeDesc[0].width, f.planeDesc[0].height, f.eglColorFormat);
    return *wrong;
}

static void from_gl_second(void)
{
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    until(EGL_STREAM_STATE_EMPTY_KHR);
    printf("%d wrong\n", cuda_compare(FRAMES, 10));
    CHECK(cudaEGLStreamConsumerDisconnect(&end));
}

/* --- a surface to a texture --- */

static void gl_gl(const char *name)
{
    int fd = stream_make(fifo), wrong = 0;
    unsigned char low[4], high[4];
    pid_t pid;

    texture_connect();
    pid = second(name, fd);
    until(EGL_STREAM_STATE_EMPTY_KHR);
    for (int i = 1; i <= FRAMES; i++) {
        CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
        pixel(5, 1, low);
        pixel(5, H - 2, high);
        wrong += low[0] != 10 * i || high[0] != 20 * i;
    }
    printf("%d wrong\n", wrong);
    texture_report(pid);
}

static void gl_gl_second(void)
{
    EGLSurface surface = surface_connect();

    for (int i = 1; i <= FRAMES; i++) {
        CHECK(!surface_show(surface, 10 * i));
    }
    surface_leave(surface);
}

/* --- one is killed --- */

static void surface_killed(const char *name)
{
    int fd = stream_make(NULL);
    pid_t pid;

    texture_connect();
    pid = second(name, fd);
    until(EGL_STREAM_STATE_EMPTY_KHR);
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(kill(pid, SIGKILL));
    texture_report(pid);
    shown("the frame", 5, 1);
}

static void surface_killed_second(void)
{
    CHECK(!surface_show(surface_connect(), 30));
    for (;;) {
        pause();
    }
}

static void texture_killed(const char *name)
{
    int fd = stream_make(fifo), i = 0;
    pid_t pid = second(name, fd);
    EGLSurface surface = surface_connect();

    while (i < FRAMES && surface_show(surface, 10)) { /* the consumer takes two of them */
        i++;
    }
    printf("swap 0x%x, killed %d, state 0x%x\n", eglGetError(), ended(pid), state());
    CHECK(!eglDestroySurface(display, surface));
}

static void texture_killed_second(void)
{
    texture_connect();
    until(EGL_STREAM_STATE_EMPTY_KHR);
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    raise(SIGKILL);
}

/* --- both handles in one process --- */

static void handles(const char *)
{
    EGLStreamKHR first, duplicate;
    EGLSurface surface;
    int fd = stream_make(NULL);

    first = stream;
    stream = duplicate = p_eglCreateStreamFromFileDescriptorKHR(display, fd);
    CHECK(stream == EGL_NO_STREAM_KHR);
    texture_connect();
    stream = first;
    cuda_produce(2, W);
    printf("the other handle: %d", p_eglStreamConsumerAcquireKHR(display, first));
    printf(" 0x%x\n", eglGetError());
    CHECK(!p_eglStreamConsumerAcquireKHR(display, duplicate));
    shown("CUDA to a texture", 9, 3);
    CHECK(!p_eglStreamConsumerReleaseKHR(display, duplicate));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEGLStreamProducerDisconnect(&end));
    printf("state 0x%x\n", state());

    fd = stream_make(NULL);
    duplicate = stream;
    stream = p_eglCreateStreamFromFileDescriptorKHR(display, fd);
    CHECK(cudaEGLStreamConsumerConnect(&end, duplicate));
    surface = surface_connect();
    CHECK(!surface_show(surface, 40));
    CHECK(!surface_show(surface, 50));
    printf("a surface to CUDA: %d wrong\n", cuda_compare(1, 50));
    CHECK(!eglDestroySurface(display, surface));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    printf("state 0x%x\n", state());
    CHECK(cudaEGLStreamConsumerDisconnect(&end));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*first)(const char *name);
        void (*second)(void);
    } cases[] = {
        { "to_gl", to_gl, to_gl_second },
        { "from_gl", from_gl, from_gl_second },
        { "gl_gl", gl_gl, gl_gl_second },
        { "surface_killed", surface_killed, surface_killed_second },
        { "texture_killed", texture_killed, texture_killed_second },
        { "handles", handles, NULL },
    };

    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) != 0) {
            continue;
        }
        up();
        if (argc > 2) {
            stream = p_eglCreateStreamFromFileDescriptorKHR(display, atoi(argv[2]));
            CHECK(stream == EGL_NO_STREAM_KHR);
            CHECK(close(atoi(argv[2])));
            cases[i].second();
        } else {
            cases[i].first(cases[i].name);
        }
        return 0;
    }
    return 4;
}
