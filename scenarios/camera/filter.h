// SPDX-License-Identifier: MIT
// What camera.cu and camera_gl.cu share: the camera in one EGLStream, and a CUDA filter between
// that stream and a second one, by the program's kernel.
#ifndef SCENARIOS_CAMERA_FILTER_H
#define SCENARIOS_CAMERA_FILTER_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <vtegra/camera.h>

enum { W = 64, H = 64, TOP = 16, FRAMES = 3, RING = 2 };

#define OK(call)                                                      \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

// The filtered luma of the sensor's pattern, below the strip with the frame's number.
static inline unsigned filtered_luma(unsigned x, unsigned y, unsigned number)
{
    return 255 - (16 + (x + y + 4 * number) % 220);
}

template <typename Pixel> struct filter_stage {
    CUeglStreamConnection from_camera, to_consumer;
    vtegraCamera camera;
    cudaStream_t stream;
    Pixel *ring[RING];
};

// Connects the camera. The consumer of @filtered connects next, and then filter_connect() the
// producer.
template <typename Pixel> static void filter_open(filter_stage<Pixel> *f, EGLStreamKHR raw)
{
    OK(cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking));
    for (int i = 0; i < RING; i++) {
        OK(cudaMalloc(&f->ring[i], W * H * sizeof(Pixel)));
        OK(cudaMemset(f->ring[i], 0, W * H * sizeof(Pixel)));
    }
    OK(cudaDeviceSynchronize());
    OK(cuEGLStreamConsumerConnect(&f->from_camera, raw));
    OK(vtegraCameraConnect(&f->camera, raw, W, H));
}

template <typename Pixel> static void filter_connect(filter_stage<Pixel> *f, EGLStreamKHR filtered)
{
    OK(cuEGLStreamProducerConnect(&f->to_consumer, filtered, W, H));
}

template <typename Pixel> static CUeglFrame filtered_frame(Pixel *at)
{
    CUeglFrame f;

    memset(&f, 0, sizeof(f));
    f.frame.pPitch[0] = at;
    f.width = W;
    f.height = H;
    f.pitch = W * sizeof(Pixel);
    f.planeCount = 1;
    f.numChannels = sizeof(Pixel);
    f.frameType = CU_EGL_FRAME_TYPE_PITCH;
    f.eglColorFormat = sizeof(Pixel) == 1 ? CU_EGL_COLOR_FORMAT_L : CU_EGL_COLOR_FORMAT_ABGR;
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    return f;
}

// Frame @i of the camera into the second stream, by @kernel. Return: its number.
template <typename Pixel>
static unsigned filter_frame(filter_stage<Pixel> *f,
                             void (*kernel)(const unsigned char *, unsigned, Pixel *), int i,
                             const char *without)
{
    CUeglFrame in, out = filtered_frame(f->ring[i % RING]), back;
    CUgraphicsResource resource;
    vtegraCameraFrame info;
    CUstream s = f->stream;

    OK(cuEGLStreamConsumerAcquireFrame(&f->from_camera, &resource, &s, 1000000));
    OK(cuGraphicsResourceGetMappedEglFrame(&in, resource, 0, 0));
    OK(vtegraCameraFrameGet(f->camera, in.frame.pPitch[0], &info));
    if (i >= RING) {
        OK(cuEGLStreamProducerReturnFrame(&f->to_consumer, &back, &s));
        out = back;
    }
    if (!strcmp(without, "release")) {
        OK(cuEGLStreamConsumerReleaseFrame(&f->from_camera, resource, &s));
    }
    if (!strcmp(without, "present")) {
        OK(cuEGLStreamProducerPresentFrame(&f->to_consumer, out, &s));
    }
    kernel<<<H, W, 0, f->stream>>>((const unsigned char *)in.frame.pPitch[0], in.pitch,
                                   (Pixel *)out.frame.pPitch[0]);
    if (strcmp(without, "release")) {
        OK(cuEGLStreamConsumerReleaseFrame(&f->from_camera, resource, &s));
    }
    if (strcmp(without, "present")) {
        OK(cuEGLStreamProducerPresentFrame(&f->to_consumer, out, &s));
    }
    return (unsigned)info.number;
}

template <typename Pixel> static int filter_close(filter_stage<Pixel> *f, unsigned bad)
{
    OK(cudaDeviceSynchronize());
    printf("%u of %d frames wrong\n", bad, FRAMES);
    OK(vtegraCameraDisconnect(f->camera));
    OK(cuEGLStreamProducerDisconnect(&f->to_consumer));
    return bad != 0;
}

#endif
