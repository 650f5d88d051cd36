// SPDX-License-Identifier: MIT
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define W 64
#define H 32

__global__ void draw(unsigned char *out)
{
    out[blockIdx.x * W + threadIdx.x] = 7;
}

__global__ void add_up(const unsigned char *in, int *sum)
{
    atomicAdd(sum, in[blockIdx.x * W + threadIdx.x]);
}

static cudaEglFrame frame_of(cudaEglFrameType type)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = 1;
    f.frameType = type;
    f.eglColorFormat = cudaEglColorFormatL;
    f.planeDesc[0].width = W;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = type == cudaEglFrameTypePitch ? W : 0;
    f.planeDesc[0].numChannels = 1;
    f.planeDesc[0].channelDesc = cudaCreateChannelDesc<unsigned char>();
    return f;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    PFNEGLCREATESTREAMKHRPROC create;
    cudaEglStreamConnection producer, consumer;
    cudaChannelFormatDesc grey = cudaCreateChannelDesc<unsigned char>();
    cudaGraphicsResource_t resource;
    cudaEglFrame frame, got;
    cudaStream_t work[2];
    cudaArray_t array;
    unsigned char *picture;
    EGLStreamKHR stream;
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    int *sum;

    eglInitialize(display, NULL, NULL);
    create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    stream = create(display, NULL);
    cudaSetDevice(1); // the integrated GPU
    cudaStreamCreate(&work[1]);
    cudaMallocHost(&sum, sizeof(*sum));
    *sum = 0;
    cudaEGLStreamConsumerConnect(&consumer, stream);
    cudaSetDevice(0); // the discrete one
    cudaStreamCreate(&work[0]);
    cudaEGLStreamProducerConnect(&producer, stream, W, H);
    cudaMalloc(&picture, W * H);
    draw<<<H, W, 0, work[0]>>>(picture);
    if (fixed) {
        frame = frame_of(cudaEglFrameTypePitch);
        frame.frame.pPitch[0] = make_cudaPitchedPtr(picture, W, W, H);
    } else {
        cudaMallocArray(&array, &grey, W, H);
        cudaMemcpy2DToArrayAsync(array, 0, 0, picture, W, W, H, cudaMemcpyDeviceToDevice, work[0]);
        frame = frame_of(cudaEglFrameTypeArray);
        frame.frame.pArray[0] = array;
    }
    cudaEGLStreamProducerPresentFrame(&producer, frame, &work[0]); // its result is not checked
    cudaSetDevice(1);
    if (!cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &work[1], 16000)) {
        cudaGraphicsResourceGetMappedEglFrame(&got, resource, 0, 0);
        add_up<<<H, W, 0, work[1]>>>((unsigned char *)got.frame.pPitch[0].ptr, sum);
        cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &work[1]);
    }
    cudaStreamSynchronize(work[1]);
    printf("%d of %d\n", *sum, 7 * W * H);
    cudaEGLStreamConsumerDisconnect(&consumer);
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaEGLStreamProducerDisconnect(&producer);
    return *sum != 7 * W * H;
}
