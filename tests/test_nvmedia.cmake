# SPDX-License-Identifier: MIT
# NvMedia 2D: its headers, its library on a board, and what it answers to what is none. Included by CMakeLists.txt.
vtegra_check_test(nvmedia_header test_nvmedia_header.c LABELS headers)
if(TARGET test_nvmedia_header)
  target_include_directories(test_nvmedia_header PRIVATE ${PROJECT_SOURCE_DIR}/include)
endif()
if(NOT TARGET nvmedia2d)
  return()
endif()
foreach(part nvmedia nvmedia_codes)
  vtegra_check_test(${part} test_${part}.c LIBS nvmedia2d nvscibuf nvscisync cuda)
  if(TARGET test_${part})
    target_include_directories(test_${part} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    set_tests_properties(${part} PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
  endif()
endforeach()
# Nothing else is exported, and nothing is missing.
add_test(NAME nvmedia_exports
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_nvmedia_exports.sh $<TARGET_FILE:nvmedia2d> ${PROJECT_SOURCE_DIR}/include)

# DRIVE OS 5's.
vtegra_check_test(nvmedia5 test_nvmedia5.c LIBS nvmedia nvscibuf nvscisync)
if(TARGET test_nvmedia5)
  target_include_directories(test_nvmedia5 BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/include/drive-os-5 ${PROJECT_SOURCE_DIR}/include)
  set_tests_properties(nvmedia5 PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
