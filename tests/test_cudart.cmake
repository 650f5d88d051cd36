# SPDX-License-Identifier: MIT
# The runtime, on a fake driver and on none. Included by CMakeLists.txt.
if(NOT TARGET cudart)
  return()
endif()
set(cudart_dir ${CMAKE_CURRENT_BINARY_DIR}/cudart)

# A libcuda.so.1 that only writes down what it is asked, found by LD_LIBRARY_PATH as any other.
add_library(cudart_fake SHARED cudart_fake.c)
set_target_properties(cudart_fake PROPERTIES
                      OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${cudart_dir}/fake)
vtegra_check_test(cudart test_cudart.c LIBS cudart ${CMAKE_DL_LIBS})
if(TARGET test_cudart)
  add_dependencies(test_cudart cudart_fake)
  set_tests_properties(cudart PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${cudart_dir}/fake")
endif()

# The exported names are those of cudart.def, versioned; where NVIDIA's library is installed, exactly its names.
add_test(NAME cudart_exports
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cudart_exports.sh
                 $<TARGET_FILE:cudart> ${PROJECT_SOURCE_DIR}/runtime/api/cudart/cudart.def
                 $<TARGET_FILE_DIR:cudart>/libcudart_static.a)

# With no driver at all every answer is known (golden): needs nvcc, and a folder with the runtime alone.
find_program(NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
if(NVCC AND NOT CMAKE_C_FLAGS MATCHES "sanitize") # a sanitizer must come first in a program
  add_test(NAME cudart_without_driver
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cudart_nodriver.sh ${NVCC}
                   $<TARGET_FILE_DIR:cudart> ${cudart_dir}/none ${CMAKE_CURRENT_SOURCE_DIR} ${golden})
  set_tests_properties(cudart_without_driver PROPERTIES TIMEOUT 1200)
endif()
