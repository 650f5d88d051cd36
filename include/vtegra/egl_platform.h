/* SPDX-License-Identifier: MIT */
/* EGL's types for cudaEGL.h and cuda_egl_interop.h: those of the system's headers where they are
 * installed (Debian: libegl-dev), else the same ones here, so that a program without EGL builds. */
#ifndef VTEGRA_EGL_PLATFORM_H
#define VTEGRA_EGL_PLATFORM_H

#if defined(__has_include) && !defined(VTEGRA_NO_EGL_HEADERS)
#if __has_include(<EGL/egl.h>)
#define VTEGRA_EGL_HEADERS
#endif
#endif

#ifdef VTEGRA_EGL_HEADERS
#include <EGL/egl.h>
#include <EGL/eglext.h>
#else
typedef int EGLint;
typedef void *EGLStreamKHR;
typedef void *EGLImageKHR;
typedef void *EGLSyncKHR;
#endif

#endif
