# SPDX-License-Identifier: MIT
# cublasLt.h, curand.h, cufft.h, cufftXt.h, cusolver*.h and cusparse.h against NVIDIA's, where they are installed; golden/headers_numbers_13.0.txt is their answer elsewhere.
set(judge)
add_executable(headers_numbers numbers.cpp)
target_include_directories(headers_numbers PRIVATE ${include})
if(NVCC AND EXISTS ${toolkit}/include/cufft.h AND EXISTS ${toolkit}/include/curand.h)
  add_executable(headers_numbers_nvidia numbers.cpp)
  target_include_directories(headers_numbers_nvidia SYSTEM PRIVATE ${toolkit}/include)
  set(judge $<TARGET_FILE:headers_numbers_nvidia> true)
endif()
add_test(NAME headers_numbers COMMAND ${here}/compare.sh ${golden}/headers_numbers_13.0.txt $<TARGET_FILE:headers_numbers> true ${judge})
set_tests_properties(headers_numbers PROPERTIES LABELS headers)
