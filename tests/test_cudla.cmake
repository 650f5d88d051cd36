# SPDX-License-Identifier: MIT
# cuDLA: its header, its library, and how it joins a CUDA stream with a DLA. Included by CMakeLists.txt.
vtegra_check_test(cudla_header test_cudla_header.c LABELS headers)
if(TARGET test_cudla_header)
  target_include_directories(test_cudla_header PRIVATE ${PROJECT_SOURCE_DIR}/include)
endif()
