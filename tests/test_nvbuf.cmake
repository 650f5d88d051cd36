# SPDX-License-Identifier: MIT
# NvBufSurface: its headers, its libraries on a board, and what they answer to what is none. Included by CMakeLists.txt.
vtegra_check_test(nvbuf_header test_nvbuf_header.c LABELS headers)
if(TARGET test_nvbuf_header)
  target_include_directories(test_nvbuf_header PRIVATE ${PROJECT_SOURCE_DIR}/include)
endif()
if(NOT TARGET nvbufsurface)
  return()
endif()
foreach(part nvbuf nvbuf_codes nvbuf_gpu)
  vtegra_check_test(${part} test_${part}.c LIBS nvbufsurftransform nvbufsurface cuda)
  if(TARGET test_${part})
    target_include_directories(test_${part} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    set_tests_properties(${part} PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
  endif()
endforeach()
vtegra_check_test(nvbuf_utils test_nvbuf_utils.c LIBS nvbuf_utils nvbufsurface)
if(TARGET test_nvbuf_utils)
  target_include_directories(test_nvbuf_utils PRIVATE ${PROJECT_SOURCE_DIR}/include)
  set_tests_properties(nvbuf_utils PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
# Nothing else is exported, and nothing is missing.
add_test(NAME nvbuf_exports
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_nvbuf_exports.sh $<TARGET_FILE:nvbufsurface> $<TARGET_FILE:nvbufsurftransform>
                 ${PROJECT_SOURCE_DIR}/include $<TARGET_FILE:nvbuf_utils>)
