/* SPDX-License-Identifier: MIT */
/* CUDA Driver API, cuGraphicsGLRegisterImage: one, two and four channels of 8, 16 and 32 bits;
 * cudaEGL.h has names of the order of channels. */
#include "runtime/api/egl/format.h"

#ifndef GL_BGRA_EXT
#define GL_BGRA_EXT 0x80E1
#endif
#ifndef GL_BGRA8_EXT
#define GL_BGRA8_EXT 0x93A1
#endif
#define GL_R16_NORM 0x822A /* desktop OpenGL's, and GL_EXT_texture_norm16's */
#define GL_RG16_NORM 0x822C
#define GL_RGBA16_NORM 0x805B

#define ORDER_1 CU_EGL_COLOR_FORMAT_R
#define ORDER_2 CU_EGL_COLOR_FORMAT_RG
#define ORDER_4 CU_EGL_COLOR_FORMAT_ABGR /* in memory: R, G, B, A */

#define ROW(internal, format, type, bytes, channels, order, cuda)      \
    {                                                                  \
        internal, format, type,                                        \
        {                                                              \
            (bytes) * (channels), channels, order, CU_AD_FORMAT_##cuda \
        }                                                              \
    }
#define ROWS(suffix, type, bytes, cuda, red, rg, rgba)         \
    ROW(GL_R##suffix, red, type, bytes, 1, ORDER_1, cuda),     \
        ROW(GL_RG##suffix, rg, type, bytes, 2, ORDER_2, cuda), \
        ROW(GL_RGBA##suffix, rgba, type, bytes, 4, ORDER_4, cuda)
#define FLOATS(suffix, type, bytes, cuda) ROWS(suffix, type, bytes, cuda, GL_RED, GL_RG, GL_RGBA)
#define INTEGERS(suffix, type, bytes, cuda) \
    ROWS(suffix, type, bytes, cuda, GL_RED_INTEGER, GL_RG_INTEGER, GL_RGBA_INTEGER)

static const struct vendor_format formats[] = {
    FLOATS(8, GL_UNSIGNED_BYTE, 1, UNSIGNED_INT8),
    FLOATS(16_NORM, GL_UNSIGNED_SHORT, 2, UNSIGNED_INT16),
    FLOATS(16F, GL_HALF_FLOAT, 2, HALF),
    FLOATS(32F, GL_FLOAT, 4, FLOAT),
    INTEGERS(8UI, GL_UNSIGNED_BYTE, 1, UNSIGNED_INT8),
    INTEGERS(8I, GL_BYTE, 1, SIGNED_INT8),
    INTEGERS(16UI, GL_UNSIGNED_SHORT, 2, UNSIGNED_INT16),
    INTEGERS(16I, GL_SHORT, 2, SIGNED_INT16),
    INTEGERS(32UI, GL_UNSIGNED_INT, 4, UNSIGNED_INT32),
    INTEGERS(32I, GL_INT, 4, SIGNED_INT32),
    /* as GLES 2 has them, by format alone */
    ROW(GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, 1, 4, ORDER_4, UNSIGNED_INT8),
    ROW(GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, 1, 4, CU_EGL_COLOR_FORMAT_ARGB, UNSIGNED_INT8),
    ROW(GL_BGRA8_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, 1, 4, CU_EGL_COLOR_FORMAT_ARGB, UNSIGNED_INT8),
};

const struct vendor_format *vendor_format_of(GLint internal)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].internal == internal) {
            return &formats[i];
        }
    }
    return NULL;
}
