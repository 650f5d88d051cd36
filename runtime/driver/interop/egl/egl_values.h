/* SPDX-License-Identifier: MIT */
/* Numbers and answers of EGLStreams (egl_stream.h), for those who do not see the state machine. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_VALUES_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_VALUES_H

/* The extension's numbers. */
enum egl_stream_state {
    EGL_STREAM_CREATED = 0x3215,
    EGL_STREAM_CONNECTING,
    EGL_STREAM_EMPTY,
    EGL_STREAM_NEW,
    EGL_STREAM_OLD,
    EGL_STREAM_DISCONNECTED,
};

enum egl_stream_attribute {
    EGL_STREAM_LATENCY = 0x3210,
    EGL_STREAM_PRODUCER_FRAME = 0x3212,
    EGL_STREAM_CONSUMER_FRAME = 0x3213,
    EGL_STREAM_STATE = 0x3214,
    EGL_STREAM_ACQUIRE_TIMEOUT = 0x321E,
    EGL_STREAM_FIFO_LENGTH = 0x31FC,
    EGL_STREAM_TIME_NOW = 0x31FD,
    EGL_STREAM_TIME_CONSUMER = 0x31FE,
    EGL_STREAM_TIME_PRODUCER = 0x31FF,
    EGL_STREAM_RESET = 0x3334,
    EGL_STREAM_REUSE = 0x3335,
};

/**
 * enum egl_stream_result - what a call answers; the caller turns it into EGL's or CUDA's code
 * @EGL_STREAM_WAIT: nothing has changed; call again after a change, or with @expired
 * @EGL_STREAM_TIMEOUT: @expired, and there is nothing to give
 * @EGL_STREAM_BAD_FRAME: the frame is in the stream already, or is not held
 * @EGL_STREAM_FULL: EGL_STREAM_FRAMES_MAX frames are with the stream
 * @EGL_STREAM_BAD_ALLOC: the caller's: what it needs cannot be had
 */
enum egl_stream_result {
    EGL_STREAM_DONE,
    EGL_STREAM_WAIT,
    EGL_STREAM_TIMEOUT,
    EGL_STREAM_BAD_STATE,
    EGL_STREAM_BAD_ACCESS,
    EGL_STREAM_BAD_ATTRIBUTE,
    EGL_STREAM_BAD_PARAMETER,
    EGL_STREAM_BAD_MATCH,
    EGL_STREAM_BAD_FRAME,
    EGL_STREAM_FULL,
    EGL_STREAM_BAD_ALLOC,
};

#endif
