/* SPDX-License-Identifier: MIT */
/* cuFFT 12.0, what programs for one GPU use of cufftXt.h (docs/libraries.md), our own declarations.
 */
#ifndef VTEGRA_CUFFTXT_H
#define VTEGRA_CUFFTXT_H

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef enum cufftXtCallbackType_t {
    CUFFT_CB_LD_COMPLEX = 0,
    CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
    CUFFT_CB_LD_REAL = 2,
    CUFFT_CB_LD_REAL_DOUBLE = 3,
    CUFFT_CB_ST_COMPLEX = 4,
    CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
    CUFFT_CB_ST_REAL = 6,
    CUFFT_CB_ST_REAL_DOUBLE = 7,
    CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void *dataIn, size_t offset, void *callerInfo,
                                           void *sharedPointer);
typedef void (*cufftCallbackStoreC)(void *dataOut, size_t offset, cufftComplex element,
                                    void *callerInfo, void *sharedPointer);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *dataIn, size_t offset, void *callerInfo,
                                                 void *sharedPointer);
typedef void (*cufftCallbackStoreZ)(void *dataOut, size_t offset, cufftDoubleComplex element,
                                    void *callerInfo, void *sharedPointer);
typedef cufftReal (*cufftCallbackLoadR)(void *dataIn, size_t offset, void *callerInfo,
                                        void *sharedPointer);
typedef void (*cufftCallbackStoreR)(void *dataOut, size_t offset, cufftReal element,
                                    void *callerInfo, void *sharedPointer);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *dataIn, size_t offset, void *callerInfo,
                                              void *sharedPointer);
typedef void (*cufftCallbackStoreD)(void *dataOut, size_t offset, cufftDoubleReal element,
                                    void *callerInfo, void *sharedPointer);

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride, long long int idist,
                                cudaDataType inputtype, long long int *onembed,
                                long long int ostride, long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize, cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy,
                                     size_t *workSize);
cufftResult cufftXtSetCallback(cufftHandle plan, void **callback_routine,
                               cufftXtCallbackType cbType, void **caller_info);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType cbType,
                                         size_t sharedSize);
cufftResult cufftXtSetGPUs(cufftHandle handle, int nGPUs, int *whichGPUs);

#ifdef __cplusplus
}
#endif

#endif
