// SPDX-License-Identifier: MIT
// Prints the values and the types of functions of cublasLt.h, cublasXt.h, curand.h, cufft.h, cufftXt.h, cusolver*.h and cusparse.h, as
// the C++ ABI spells them. Built with our headers and with NVIDIA's.
#include <cublasLt.h>
#include <cublasXt.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <cufftXt.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <cstdio>
#include <typeinfo>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define VALUE(name) std::printf("%s %lld\n", #name, static_cast<long long>(name));
#define FUNCTION(name)
#define SHOW(what) std::printf("%s %s\n", #what, typeid(what).name());
#define FORWARD(what, ...) SHOW(what)
#define HAND(what) SHOW(what)

int main()
{
#include "runtime/api/curand/curand.def"
#define FORWARD(what, ...) SHOW(what)
#define HAND(what) SHOW(what)
#include "runtime/api/cufft/cufft.def"
#define FORWARD(what, ...) SHOW(what)
#define HAND(what) SHOW(what)
#include "runtime/api/cusparse/cusparse.def"
#define FORWARD(what, ...) SHOW(what)
#define HAND(what) SHOW(what)
#include "runtime/api/cusolver/cusolver.def"
#define HAND(what) SHOW(what)
#include "runtime/api/cublaslt/cublaslt.def"
    SHOW(cublasXtCreate)
    SHOW(cublasXtDestroy)
    SHOW(cublasXtDeviceSelect)
    SHOW(cublasXtSetBlockDim)
    SHOW(cublasXtGetBlockDim)
    SHOW(cublasXtSetPinningMemMode)
    SHOW(cublasXtGetPinningMemMode)
    SHOW(cublasXtSgemm)
    SHOW(cublasXtDgemm)
    SHOW(cublasXtCgemm)
    SHOW(cublasXtZgemm)
    SHOW(CUBLASXT_PINNING_ENABLED)
    SHOW(curandGeneratePoissonMethod)
    SHOW(curandCreatePoissonDistribution)
    SHOW(curandDestroyDistribution)
    SHOW(curandGetScrambleConstants32)
    SHOW(curandGetScrambleConstants64)
    SHOW(cufftXtSetCallback)
    SHOW(cufftXtClearCallback)
    SHOW(cufftXtSetCallbackSharedSize)
    SHOW(cufftXtSetGPUs)
    SHOW(curandDirectionVectors32_t)
    SHOW(curandDirectionVectors64_t)
    SHOW(cufftCallbackLoadC)
    SHOW(cufftCallbackLoadD)
    SHOW(cufftCallbackStoreZ)
    SHOW(cufftCallbackStoreR)
    SHOW(cufftHandle)
    SHOW(cufftReal)
    SHOW(cufftDoubleReal)
    SHOW(cufftComplex)
    SHOW(cufftDoubleComplex)
#include "numbers.def"
    return 0;
}
