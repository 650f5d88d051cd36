/* SPDX-License-Identifier: MIT */
/* OpenGL's types for cudaGL.h and cuda_gl_interop.h: of the header that the program has included
 * before, else of the system's <GL/gl.h>, else the same ones here. */
#ifndef VTEGRA_GL_PLATFORM_H
#define VTEGRA_GL_PLATFORM_H

#if defined(__has_include) && !defined(VTEGRA_NO_GL_HEADERS) && !defined(GL_VERSION)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#endif
#endif

#ifndef GL_VERSION
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif

#endif
