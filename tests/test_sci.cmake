# SPDX-License-Identifier: MIT
# NvSci: lists of attributes, the libraries, and what they export. Included by CMakeLists.txt.
foreach(part attr buf sizes sync wire)
  vtegra_check_test(sci_${part} test_sci_${part}.c LIBS sci_attr)
  if(TARGET test_sci_${part})
    target_include_directories(test_sci_${part} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  endif()
endforeach()
vtegra_fuzz_test(sci_list fuzz/fuzz_sci_list.c LIBS sci_attr)
vtegra_check_test(sci_ipc_config test_sci_ipc_config.c LIBS sci_ipc)
vtegra_fuzz_test(sci_ipc fuzz/fuzz_sci_ipc.c LIBS sci_ipc)

if(NOT TARGET nvsciipc)
  return()
endif()
vtegra_check_test(sci_ipc test_sci_ipc.c LIBS nvsciipc nvscievent PkgConfig::GLIB Threads::Threads)
vtegra_check_test(sci_api test_sci_api.c LIBS nvscibuf nvscisync nvsciipc PkgConfig::GLIB Threads::Threads)
vtegra_check_test(sci_cuda test_sci_cuda.c LIBS nvscibuf nvscisync cuda PkgConfig::GLIB)
if(TARGET test_sci_cuda)
  set_tests_properties(sci_cuda PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
if(TARGET test_sci_api)
  set_tests_properties(sci_api PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
if(NOT CMAKE_C_FLAGS MATCHES "fsanitize") # its program is built without
  add_test(NAME sci_exports COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_sci_exports.sh ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
                                    ${CMAKE_CURRENT_SOURCE_DIR}/nvsci_functions.txt ${CMAKE_C_COMPILER})
  set_tests_properties(sci_exports PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()

# 10,000 generations of fences; bench/run.sh has a million.
if(NOT CMAKE_C_FLAGS MATCHES "fsanitize") # a sanitizer keeps freed memory
  add_test(NAME sci_fence_generations COMMAND vtegra_cli run -q --soc orin -- $<TARGET_FILE:bench_fence_generations> 10000)
  set_tests_properties(sci_fence_generations PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()

add_executable(sci_two sci_two.c kill_point.c)
set_target_properties(sci_two PROPERTIES ENABLE_EXPORTS ON) # kill_point.c stands before the libraries
target_link_libraries(sci_two PRIVATE nvscisync nvscibuf nvsciipc cuda)
if(TARGET vtegra_board_client AND NOT CMAKE_C_FLAGS MATCHES "fsanitize") # there the board's own tests suffice
  foreach(long "" _long)
    add_test(NAME sci_two${long} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_sci_two.sh $<TARGET_FILE:vtegra_cli> $<TARGET_FILE:sci_two>
                                         ${long})
    set_tests_properties(sci_two${long} PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
  endforeach()
  set_tests_properties(sci_two_long PROPERTIES LABELS long TIMEOUT 3600)
  add_executable(sci_turns sci_two.c) # the board's packets are not the program's own
  target_link_libraries(sci_turns PRIVATE nvscisync nvscibuf nvsciipc cuda)
  foreach(long "" _long)
    add_test(NAME sci_seeded${long} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_sci_seeded.sh $<TARGET_FILE:vtegra_cli>
                                            $<TARGET_FILE:sci_turns> ${long})
    set_tests_properties(sci_seeded${long} PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
  endforeach()
  set_tests_properties(sci_seeded PROPERTIES TIMEOUT 1000)
  set_tests_properties(sci_seeded_long PROPERTIES LABELS long TIMEOUT 7200)
  add_test(NAME sci_races COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_sci_races.sh $<TARGET_FILE:vtegra_cli> $<TARGET_FILE:sci_turns>)
  set_tests_properties(sci_races PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles" TIMEOUT 1000)
  add_test(NAME explore_shared COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_explore_shared.sh $<TARGET_FILE:vtegra_cli>
                                       $<TARGET_FILE:sci_turns> $<TARGET_FILE:sched_processes>)
  set_tests_properties(explore_shared PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles" TIMEOUT 1000)
  vtegra_no_rerun(explore_shared)
  add_executable(sci_kills sci_kills.c)
  add_test(NAME sci_kills COMMAND sci_kills $<TARGET_FILE:vtegra_cli> $<TARGET_FILE:sci_two> 10 1)
  add_test(NAME sci_kills_long COMMAND sci_kills $<TARGET_FILE:vtegra_cli> $<TARGET_FILE:sci_two> 1000 2)
  set_tests_properties(sci_kills sci_kills_long PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
  set_tests_properties(sci_kills_long PROPERTIES LABELS long TIMEOUT 7200)
  vtegra_no_rerun(sci_seeded sci_seeded_long sci_races sci_kills sci_kills_long)
endif()

add_executable(sci_threads sci_threads.c)
target_link_libraries(sci_threads PRIVATE nvscisync nvscibuf nvsciipc Threads::Threads)
if(NOT CMAKE_C_FLAGS MATCHES "fsanitize") # the scheduler is loaded first, as a sanitizer's runtime has to be
  add_test(NAME sci_threads COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_sci_threads.sh $<TARGET_FILE:vtegra_cli>
                                    $<TARGET_FILE:sci_threads>)
  set_tests_properties(sci_threads PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
