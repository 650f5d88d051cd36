// SPDX-License-Identifier: MIT
// Prints the type of every function of the list, as the C++ ABI spells it. Built as layout.c is.
#if defined(DRIVER)
#include <cuda.h>
#include <cudaProfiler.h>
#elif defined(LIBRARY)
#include <cublas_v2.h>
#else
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#endif
#include <cstdio>
#include <typeinfo>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// The plain name may be a macro for a versioned one: print what it stands for.
#define TEXT(f) #f
#define FUNCTION(f) std::printf("%s %s\n", TEXT(f), typeid(f).name());
#define VALUE(name)
#define SIZE(type)
#define FIELD(type, field)

int main()
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
