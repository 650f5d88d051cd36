/* SPDX-License-Identifier: MIT */
/* OpenGL's ends of EGLStreams and EGL_NV_stream_sync, for runtime/api/egl. As rt_egl.h's functions
 * of EGL: no rt_init() is needed where GL is at both ends, and the answer is a result of
 * runtime/driver/interop/egl/egl_values.h (EGL_STREAM_BAD_FRAME: there is no such stream). */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_GL_H
#define RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_GL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/driver/interop/egl/egl_values.h"

struct rt_egl_gl_end;

/**
 * struct rt_egl_picture - a frame's pixels, to be free()d
 * @rgba: 8 bits a channel, rows without gaps, the frame's first row first
 */
struct rt_egl_picture {
    unsigned width, height;
    uint8_t *rgba;
};

/* EGL_KHR_stream_consumer_gltexture: a texture, or EGL_KHR_stream_producer_eglsurface: a surface of
 * @width x @height becomes an end of @stream. */
enum egl_stream_result rt_egl_gl_consumer_connect(const void *display, void *stream,
                                                  struct rt_egl_gl_end **end);
enum egl_stream_result rt_egl_gl_producer_connect(const void *display, void *stream, unsigned width,
                                                  unsigned height, struct rt_egl_gl_end **end);
/* The texture or surface is gone: the stream is disconnected; frees @end. */
void rt_egl_gl_leave(struct rt_egl_gl_end *end);

/* A frame that is held is released first. EGL_STREAM_BAD_STATE: none came within
 * EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR. EGL_STREAM_BAD_MATCH: a colour format that GL cannot be
 * given, which the report names. The CPU waits for CUDA's work here: GL runs on it. */
enum egl_stream_result rt_egl_gl_acquire(struct rt_egl_gl_end *end, struct rt_egl_picture *picture);
/* Without a held frame: nothing, EGL_STREAM_DONE. */
enum egl_stream_result rt_egl_gl_release(struct rt_egl_gl_end *end);
/* Copies @rgba, the surface's pixels. Blocks for other threads while a FIFO is full. BAD_FRAME: the
 * stream was destroyed. */
enum egl_stream_result rt_egl_gl_present(struct rt_egl_gl_end *end, const uint8_t *rgba);

/* --- EGL_NV_stream_sync: signalled at each new frame, and by eglSignalSyncKHR() */
struct rt_egl_stream_sync;

enum egl_stream_result rt_egl_stream_sync_create(const void *display, void *stream,
                                                 struct rt_egl_stream_sync **sync);
void rt_egl_stream_sync_set(struct rt_egl_stream_sync *sync, bool signaled);
/* Waits for @limit_us at most, UINT32_MAX: any time. Return: it is signalled. */
bool rt_egl_stream_sync_wait(struct rt_egl_stream_sync *sync, uint32_t limit_us);
void rt_egl_stream_sync_free(struct rt_egl_stream_sync *sync);

#endif
