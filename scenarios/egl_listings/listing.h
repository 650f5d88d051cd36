/* SPDX-License-Identifier: MIT */
/* Shared by the listings of chapter 5 (4 in older editions) of CUDA for Tegra as whole programs:
 * EGL without a window, and a PNG file of what was rendered. */
#ifndef LISTING_H
#define LISTING_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

/* A display without a window system, and a context that is current. */
static inline EGLDisplay egl_up(EGLenum api)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLContext context;

    CHECK(!eglInitialize(display, NULL, NULL));
    CHECK(!eglBindAPI(api));
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                               api == EGL_OPENGL_ES_API ? es3 : NULL);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    return display;
}

/* How many bytes differ. */
static inline int checkbuf(const unsigned char *ref, const unsigned char *hostSurf, size_t bytes)
{
    int wrong = 0;

    for (size_t i = 0; i < bytes; i++) {
        wrong += ref[i] != hostSurf[i];
    }
    return wrong;
}

/* --- PNG (ISO/IEC 15948): one block of stored bytes for each row, which needs no library --- */

static inline void png_word(std::vector<uint8_t> &to, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        to.push_back((uint8_t)(v >> shift));
    }
}

static inline uint32_t png_crc(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) {
            crc = crc & 1 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
        }
    }
    return ~crc;
}

static inline void png_chunk(FILE *f, const char *name, const std::vector<uint8_t> &data)
{
    std::vector<uint8_t> all;

    png_word(all, (uint32_t)data.size());
    all.insert(all.end(), name, name + 4);
    all.insert(all.end(), data.begin(), data.end());
    png_word(all, png_crc(&all[4], data.size() + 4));
    fwrite(all.data(), 1, all.size(), f);
}

/* @rgba: the lowest row first, as OpenGL has it. */
static inline void png_write(const char *path, int width, int height, const uint8_t *rgba)
{
    static const uint8_t magic[] = { 137, 80, 78, 71, 13, 10, 26, 10 };
    std::vector<uint8_t> header, data = { 0x78, 1 };
    uint32_t a = 1, b = 0, row = (uint32_t)width * 4 + 1;
    FILE *f = fopen(path, "wb");

    CHECK(!f);
    png_word(header, (uint32_t)width);
    png_word(header, (uint32_t)height);
    for (uint8_t v : { 8, 6, 0, 0, 0 }) { /* 8 bits, RGBA */
        header.push_back(v);
    }
    for (int y = height - 1; y >= 0; y--) {
        const uint8_t *p = rgba + (size_t)y * (size_t)width * 4;

        for (uint8_t v : { (uint8_t)(y == 0), (uint8_t)row, (uint8_t)(row >> 8), (uint8_t)~row,
                           (uint8_t)(~row >> 8), (uint8_t)0 }) {
            data.push_back(v);
        }
        data.insert(data.end(), p, p + row - 1);
        b = (b + a) % 65521; /* the row's filter, 0 */
        for (uint32_t i = 0; i < row - 1; i++) {
            a = (a + p[i]) % 65521;
            b = (b + a) % 65521;
        }
    }
    png_word(data, b << 16 | a);
    fwrite(magic, 1, sizeof(magic), f);
    png_chunk(f, "IHDR", header);
    png_chunk(f, "IDAT", data);
    png_chunk(f, "IEND", {});
    CHECK(fclose(f));
}

#endif
