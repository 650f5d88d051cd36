/* SPDX-License-Identifier: MIT */
/* CUDA interop with EGLImage (5.2.1): image FILE.png. CUDA writes an OpenGL texture; glFinish() and
 * cuCtxSynchronize() keep the two sides apart. Then OpenGL and CUDA draw a picture together. */
#include <GL/gl.h>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>

#include "listing.h"

#define WIDTH 256
#define HEIGHT 256

__global__ void changeTexture(CUsurfObject arr, unsigned int width, unsigned int height)
{
    unsigned int x = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int y = threadIdx.y + blockIdx.y * blockDim.y;
    uchar4 data = make_uchar4(1, 2, 3, 4);

    surf2Dwrite(data, arr, x * 4, y);
}

/* Rings on the left half. */
__global__ void paint(CUsurfObject arr)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    int r = (x - 64) * (x - 64) + (y - 128) * (y - 128);

    if (x < WIDTH / 2) {
        surf2Dwrite(make_uchar4((unsigned char)(r >> 6), (unsigned char)y, 96, 255), arr, x * 4, y);
    }
}

int main(int argc, char **argv)
{
    static unsigned char pSurf[WIDTH * HEIGHT * 4], hostSurf[WIDTH * HEIGHT * 4],
        temp[WIDTH * HEIGHT * 4];
    EGLDisplay eglDisplayHandle = egl_up(EGL_OPENGL_API);
    EGLContext eglCtx = eglGetCurrentContext();
    PFNEGLCREATEIMAGEKHRPROC eglCreateImageKHR_ =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    EGLint eglImgAttrs[] = { EGL_IMAGE_PRESERVED_KHR, EGL_FALSE, EGL_NONE, EGL_NONE };
    dim3 blockSize(32, 32), gridSize(WIDTH / 32, HEIGHT / 32);
    CUgraphicsResource pResource;
    CUDA_RESOURCE_DESC wdesc;
    CUDA_MEMCPY3D cpdesc;
    CUsurfObject writeSurface;
    EGLImageKHR eglImage;
    CUarray pArray;
    GLuint tex;

    CHECK(cudaFree(0));
    glGenTextures(1, &tex);
    glBindTexture(GL_TEXTURE_2D, tex);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, pSurf);
    eglImage = eglCreateImageKHR_(eglDisplayHandle, eglCtx, EGL_GL_TEXTURE_2D_KHR,
                                  (EGLClientBuffer)(intptr_t)tex, eglImgAttrs);
    glFinish();
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pSurf);
    glFinish();

    CHECK(cuGraphicsEGLRegisterImage(&pResource, eglImage, 0));
    CHECK(cuGraphicsSubResourceGetMappedArray(&pArray, pResource, 0, 0));
    CHECK(cuCtxSynchronize());
    memset(&wdesc, 0, sizeof(wdesc));
    wdesc.resType = CU_RESOURCE_TYPE_ARRAY;
    wdesc.res.array.hArray = pArray;
    CHECK(cuSurfObjectCreate(&writeSurface, &wdesc));
    changeTexture<<<gridSize, blockSize>>>(writeSurface, WIDTH, HEIGHT);
    CHECK(cuCtxSynchronize());

    memset(&cpdesc, 0, sizeof(cpdesc));
    cpdesc.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    cpdesc.dstMemoryType = CU_MEMORYTYPE_HOST;
    cpdesc.srcArray = pArray;
    cpdesc.dstHost = hostSurf;
    cpdesc.WidthInBytes = WIDTH * 4;
    cpdesc.Height = HEIGHT;
    cpdesc.Depth = 1;
    CHECK(cuMemcpy3D(&cpdesc));
    CHECK(cuCtxSynchronize());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, temp);
    glFinish();
    printf("mismatches: %d, first pixel %d %d %d %d\n", checkbuf(temp, hostSurf, sizeof(temp)),
           temp[0], temp[1], temp[2], temp[3]);

    /* the picture: OpenGL's right half, CUDA's left one */
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        pSurf[i * 4] = (unsigned char)(i % WIDTH);
        pSurf[i * 4 + 1] = pSurf[i * 4 + 2] = (unsigned char)(i / WIDTH);
        pSurf[i * 4 + 3] = 255;
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pSurf);
    glFinish();
    paint<<<gridSize, blockSize>>>(writeSurface);
    CHECK(cuCtxSynchronize());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, temp);
    CHECK(glGetError());
    if (argc > 1) {
        png_write(argv[1], WIDTH, HEIGHT, temp);
    }
    CHECK(cuGraphicsUnregisterResource(pResource));
    CHECK(cuSurfObjectDestroy(writeSurface));
    return 0;
}
