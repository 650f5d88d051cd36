# SPDX-License-Identifier: MIT
# Schedules: the decision source alone, and whole programs under it.
vtegra_check_test(sched test_sched.c ${PROJECT_SOURCE_DIR}/runtime/sched/decide.c)
if(TARGET cudart AND E2E_CLANG)
  set(explore ${CMAKE_CURRENT_SOURCE_DIR}/explore/explore.sh ${PROJECT_BINARY_DIR})
  add_test(NAME explore COMMAND ${explore} ${CMAKE_CURRENT_BINARY_DIR}/explore)
  add_test(NAME explore_long COMMAND ${explore} ${CMAKE_CURRENT_BINARY_DIR}/explore_long long)
  set_tests_properties(explore PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  set_tests_properties(explore_long PROPERTIES TIMEOUT 3600 LABELS long SKIP_RETURN_CODE 77)
endif()
