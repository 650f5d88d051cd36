# SPDX-License-Identifier: MIT
# CUDA as a language of a CMake project, compiled by `vtegra cc`:
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/vtegra/toolchain.cmake ...
#
# CMake's own identification of Clang as CUDA compiler asks an nvcc where the SDK is. There is none: what it would
# have found is written here.
get_filename_component(_vtegra_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_CUDA_COMPILER "${_vtegra_prefix}/bin/vtegra")
set(CMAKE_CUDA_COMPILER_ARG1 cc)
set(CMAKE_CUDA_COMPILER_ID_RUN 1)
set(CMAKE_CUDA_COMPILER_ID Clang)
set(CMAKE_CUDA_COMPILER_VERSION 19.1)
set(CMAKE_CUDA_COMPILER_FRONTEND_VARIANT GNU)
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CUDA_EXTENSIONS_COMPUTED_DEFAULT ON)
set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT "${_vtegra_prefix}")
set(CMAKE_CUDA_COMPILER_TOOLKIT_LIBRARY_ROOT "${_vtegra_prefix}")
set(CMAKE_CUDA_COMPILER_LIBRARY_ROOT "${_vtegra_prefix}/share/vtegra/sdk")
set(CMAKE_CUDA_COMPILER_TOOLKIT_VERSION 13.0)
# Device code of several files (CUDA_SEPARABLE_COMPILATION): the step with the register file makes the whole object.
set(CMAKE_CUDA_DEVICE_LINKER "${_vtegra_prefix}/share/vtegra/sdk/bin/nvlink")
set(CMAKE_CUDA_FATBINARY "${_vtegra_prefix}/share/vtegra/sdk/bin/nvlink")
set(CMAKE_CUDA_DEVICE_LINK_COMPILE "\"${CMAKE_COMMAND}\" -E copy <REGISTER_FILE> <OBJECT>")
# vtegra cc links the runtime itself.
set(CMAKE_CUDA_RUNTIME_LIBRARY None CACHE STRING "CUDA runtime library")
set(CMAKE_CUDA_ARCHITECTURES 53 62 72 87 CACHE STRING "Jetson Nano, TX2, Xavier, Orin")
list(APPEND CMAKE_PREFIX_PATH "${_vtegra_prefix}") # find_package(vtegra)
unset(_vtegra_prefix)
