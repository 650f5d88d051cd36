/* SPDX-License-Identifier: MIT */
/* The camera of `vtegra run --camera` as producer of an EGLStream, as libargus connects its output
 * stream: an interface of vtegra's own. Link -lvtegra-camera. docs/frames.md says when which frame
 * comes.
 *
 *   stream = eglCreateStreamKHR(display, mailbox);
 *   cuEGLStreamConsumerConnect(&consumer, stream);
 *   vtegraCameraConnect(&camera, stream, 1920, 1080);
 *   cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, 100000);    // NV12, pitch linear
 */
#ifndef VTEGRA_CAMERA_H
#define VTEGRA_CAMERA_H

#include <cudaEGL.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vtegraCamera_st *vtegraCamera;

/**
 * struct vtegraCameraFrame - what libargus calls metadata
 * @number: of the sensor's frame, the first is 0; numbers that are missing were dropped
 * @start_ns, @end_ns: in the board's time; @age_ns: since the end
 */
typedef struct {
    unsigned long long number, start_ns, end_ns, age_ns;
} vtegraCameraFrame;

/* The consumer, of CUDA, has connected. The calling thread's context is the
 * producer's. Sizes are even; the ISP scales. CUDA_ERROR_NO_DEVICE: there is no camera;
 * CUDA_ERROR_INVALID_VALUE; what cuEGLStreamProducerConnect() gives. */
CUresult vtegraCameraConnect(vtegraCamera *camera, EGLStreamKHR stream, unsigned int width,
                             unsigned int height);
/* For a consumer in another process, which cannot ask here: the sensor's next frame goes into the
 * stream. @timeout_us: in the board's time. CUDA_ERROR_LAUNCH_TIMEOUT: none has come, or the
 * consumer has all buffers; else what cuEGLStreamProducerPresentFrame() gives. */
CUresult vtegraCameraPost(vtegraCamera camera, unsigned int timeout_us);
/* Of a frame that the consumer has, by its first plane. CUDA_ERROR_INVALID_VALUE: it is none of the
 * camera's. */
CUresult vtegraCameraFrameGet(vtegraCamera camera, const void *plane, vtegraCameraFrame *frame);
/* The sensor stops; the stream is disconnected. Frames that the consumer holds are gone. */
CUresult vtegraCameraDisconnect(vtegraCamera camera);

#ifdef __cplusplus
}
#endif

#endif
