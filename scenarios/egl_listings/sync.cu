/* SPDX-License-Identifier: MIT */
/* The same with EGLSync (5.3.3): sync FILE.png. Where image.cu waits on the CPU, the stream waits
 * for OpenGL's fence, and OpenGL for a CUDA event. */
#include <GL/gl.h>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#include "listing.h"

#define WIDTH 256
#define HEIGHT 256

/* Adds to what OpenGL has drawn. */
__global__ void changeTexture(cudaSurfaceObject_t arr, unsigned int width, unsigned int height)
{
    unsigned int x = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int y = threadIdx.y + blockIdx.y * blockDim.y;
    uchar4 data;

    surf2Dread(&data, arr, x * 4, y);
    data = make_uchar4(data.x + 1, data.y + 2, data.z + 3, 255);
    surf2Dwrite(data, arr, x * 4, y);
}

int main(int argc, char **argv)
{
    static unsigned char pSurf[WIDTH * HEIGHT * 4], hostSurf[WIDTH * HEIGHT * 4],
        temp[WIDTH * HEIGHT * 4];
    EGLDisplay eglDisplayHandle = egl_up(EGL_OPENGL_API);
    EGLContext eglCtx = eglGetCurrentContext();
    PFNEGLCREATEIMAGEKHRPROC eglCreateImageKHR_ =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    PFNEGLCREATESYNCKHRPROC eglCreateSyncKHR_ =
        (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    PFNEGLCREATESYNC64KHRPROC eglCreateSync64KHR_ =
        (PFNEGLCREATESYNC64KHRPROC)eglGetProcAddress("eglCreateSync64KHR");
    PFNEGLWAITSYNCKHRPROC eglWaitSyncKHR_ =
        (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
    PFNEGLDESTROYSYNCKHRPROC eglDestroySyncKHR_ =
        (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
    EGLint eglImgAttrs[] = { EGL_IMAGE_PRESERVED_KHR, EGL_FALSE, EGL_NONE, EGL_NONE };
    dim3 blockSize(32, 32), gridSize(WIDTH / 32, HEIGHT / 32);
    cudaGraphicsResource_t pResource;
    cudaSurfaceObject_t inputSurfObj = 0;
    cudaResourceDesc resDesc;
    cudaEvent_t cuda_event, egl_event;
    EGLSyncKHR eglsync1, eglsync2;
    EGLImageKHR eglImage;
    cudaStream_t stream;
    cudaArray_t pArray;
    GLuint tex;

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        pSurf[i * 4] = (unsigned char)(i % WIDTH / 2);
        pSurf[i * 4 + 1] = (unsigned char)(i / WIDTH / 2);
        pSurf[i * 4 + 2] = 100;
    }
    glGenTextures(1, &tex);
    glBindTexture(GL_TEXTURE_2D, tex);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK(cudaEventCreateWithFlags(&cuda_event, cudaEventDisableTiming));
    EGLAttribKHR eglattrib[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttribKHR)cuda_event, EGL_NONE };
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    eglImage = eglCreateImageKHR_(eglDisplayHandle, eglCtx, EGL_GL_TEXTURE_2D_KHR,
                                  (EGLClientBuffer)(intptr_t)tex, eglImgAttrs);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pSurf);

    /* the end of OpenGL's copy, as an event; the stream waits for it */
    eglsync1 = eglCreateSyncKHR_(eglDisplayHandle, EGL_SYNC_FENCE_KHR, NULL);
    CHECK(cudaEventCreateFromEGLSync(&egl_event, eglsync1, cudaEventDefault));
    CHECK(cudaStreamWaitEvent(stream, egl_event, 0));
    CHECK(cudaGraphicsEGLRegisterImage(&pResource, eglImage, cudaGraphicsRegisterFlagsNone));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&pArray, pResource, 0, 0));
    memset(&resDesc, 0, sizeof(resDesc));
    resDesc.resType = cudaResourceTypeArray;
    resDesc.res.array.array = pArray;
    CHECK(cudaCreateSurfaceObject(&inputSurfObj, &resDesc));
    changeTexture<<<gridSize, blockSize, 0, stream>>>(inputSurfObj, WIDTH, HEIGHT);
    CHECK(cudaEventRecord(cuda_event, stream));
    eglsync2 = eglCreateSync64KHR_(eglDisplayHandle, EGL_SYNC_CUDA_EVENT_NV, eglattrib);
    CHECK(!eglWaitSyncKHR_(eglDisplayHandle, eglsync2, 0)); /* OpenGL waits for the kernel */
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, temp);

    CHECK(cudaMemcpy2DFromArrayAsync(hostSurf, WIDTH * 4, pArray, 0, 0, WIDTH * 4, HEIGHT,
                                     cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("mismatches: %d, last pixel %d %d %d %d\n", checkbuf(temp, hostSurf, sizeof(temp)),
           temp[sizeof(temp) - 4], temp[sizeof(temp) - 3], temp[sizeof(temp) - 2],
           temp[sizeof(temp) - 1]);
    CHECK(glGetError());
    if (argc > 1) {
        png_write(argv[1], WIDTH, HEIGHT, temp);
    }
    CHECK(cudaGraphicsUnregisterResource(pResource));
    CHECK(cudaDestroySurfaceObject(inputSurfObj));
    CHECK(!eglDestroySyncKHR_(eglDisplayHandle, eglsync1));
    CHECK(!eglDestroySyncKHR_(eglDisplayHandle, eglsync2));
    CHECK(cudaEventDestroy(egl_event));
    CHECK(cudaEventDestroy(cuda_event));
    return 0;
}
