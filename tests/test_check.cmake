# SPDX-License-Identifier: MIT
# Tests of runtime/check, runtime/track and runtime/preload; included by CMakeLists.txt.
if(NOT CHECK_FOUND)
  return()
endif()

# Driver core and board in one small library; the name makes it one of ours for the checker.
add_library(vtegra-testboard SHARED ${CMAKE_CURRENT_LIST_DIR}/test_check_board.c)
target_link_libraries(vtegra-testboard PRIVATE rt_check model)

add_executable(test_fault_app ${CMAKE_CURRENT_LIST_DIR}/test_fault_app.c)
target_compile_options(test_fault_app PRIVATE -g -O1)
target_link_libraries(test_fault_app PRIVATE vtegra-testboard)
