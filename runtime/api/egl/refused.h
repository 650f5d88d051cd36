/* SPDX-License-Identifier: MIT */
/* Functions of EGL and OpenGL where there is no OpenGL (no_gl.c): one says its name, once, and
 * answers 0. */
#ifndef RUNTIME_EGL_REFUSED_H
#define RUNTIME_EGL_REFUSED_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread's eglGetError() is @error; @reported: was @name said before? Return: 0. */
__attribute__((visibility("default"))) intptr_t vtegra_egl_refuse(const char *name, int error,
                                                                  bool *reported);

/* The function @name of EGL or OpenGL, whatever its arguments: callers leave them where they lie,
 * on x86-64 and on AArch64. */
#define REFUSED(name, error)                                                             \
    __attribute__((visibility("default"))) intptr_t refused_##name(void) __asm__(#name); \
    intptr_t refused_##name(void)                                                        \
    {                                                                                    \
        static bool reported;                                                            \
        return vtegra_egl_refuse(#name, error, &reported);                               \
    }

#endif
