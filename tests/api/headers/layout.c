/* SPDX-License-Identifier: MIT */
/*
 * Prints every size, offset and value of the list. Built once against include/ and, where NVIDIA's
 * toolkit is installed, once against its headers: both must print the same, and so must
 * tests/golden/headers_*_13.0.txt, which was printed with the headers of CUDA 13.0.
 */
#if defined(DRIVER)
#include <cuda.h>
#include <cudaProfiler.h>
#elif defined(LIBRARY)
#include <cublas_v2.h>
#else
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#endif
#include <stddef.h>
#include <stdio.h>

/* CUDA 13.0 marks some enumerators deprecated; their values count all the same. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define VALUE(name) printf("%s = %lld\n", #name, (long long)(name));
#define SIZE(type) printf("sizeof %s = %zu align %zu\n", #type, sizeof(type), _Alignof(type));
#define FIELD(type, field)                                                  \
    printf("%s.%s at %zu size %zu\n", #type, #field, offsetof(type, field), \
           sizeof(((type *)0)->field));
#define FUNCTION(name)

int main(void)
{
#if defined(DRIVER)
#include "driver.def"
#elif defined(LIBRARY)
#include "library.def"
#else
#include "runtime.def"
#endif
    return 0;
}
