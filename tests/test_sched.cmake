# SPDX-License-Identifier: MIT
# Schedules: the decision source alone, and whole programs under it.
vtegra_check_test(sched test_sched.c ${PROJECT_SOURCE_DIR}/sched/decide.c)
vtegra_check_test(schedule test_schedule.c ${PROJECT_SOURCE_DIR}/tools/explore/schedule.c
                  ${PROJECT_SOURCE_DIR}/sched/decide.c LIBS profile PkgConfig::GLIB)
target_compile_definitions(test_schedule PRIVATE VTEGRA_VERSION="0")
foreach(unit turn/roster turn/asleep object/object object/graph)
  cmake_path(GET unit FILENAME part)
  vtegra_check_test(${part} test_${part}.c ${PROJECT_SOURCE_DIR}/sched/${unit}.c)
endforeach()
if(TARGET cudart AND E2E_CLANG)
  set(explore ${CMAKE_CURRENT_SOURCE_DIR}/explore/explore.sh ${PROJECT_BINARY_DIR})
  add_test(NAME explore COMMAND ${explore} ${CMAKE_CURRENT_BINARY_DIR}/explore)
  add_test(NAME explore_long COMMAND ${explore} ${CMAKE_CURRENT_BINARY_DIR}/explore_long long)
  # What explore, replay and merge take for a result.
  add_test(NAME explore_results COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/results.sh ${PROJECT_BINARY_DIR}
                                        ${CMAKE_CURRENT_BINARY_DIR}/explore_results)
  add_test(NAME explore_results_long COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/results.sh ${PROJECT_BINARY_DIR}
                                             ${CMAKE_CURRENT_BINARY_DIR}/explore_results_long long)
  set_tests_properties(explore_results PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  set_tests_properties(explore_results_long PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 LABELS long)
  add_test(NAME explore_cluster COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/cluster.sh ${PROJECT_BINARY_DIR}
                                        ${CMAKE_CURRENT_BINARY_DIR}/explore_cluster)
  set_tests_properties(explore_cluster PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
  add_test(NAME explore_offset COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/offset.sh ${PROJECT_BINARY_DIR}
                                       ${CMAKE_CURRENT_BINARY_DIR}/explore_offset)
  set_tests_properties(explore_offset PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME explore_block_order COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/block_order.sh ${PROJECT_BINARY_DIR}
                                            ${CMAKE_CURRENT_BINARY_DIR}/explore_block_order)
  # What the scheduler's rules (sched/rules.txt) say of small programs.
  set(sched_work ${CMAKE_CURRENT_BINARY_DIR}/sched)
  set(sched_rules ${CMAKE_CURRENT_SOURCE_DIR}/sched/rules.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${sched_work})
  if(NOT CMAKE_C_FLAGS MATCHES sanitize) # the runtime of a sanitizer has to be before the preloaded library
    set(sched_programs ${CMAKE_CURRENT_SOURCE_DIR}/sched/programs.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${sched_work})
    add_test(NAME sched_programs COMMAND ${sched_programs} 19)
    add_test(NAME sched_programs_all COMMAND ${sched_programs})
    set_tests_properties(sched_programs PROPERTIES FIXTURES_SETUP sched_programs TIMEOUT 1000)
    set_tests_properties(sched_programs_all PROPERTIES FIXTURES_SETUP sched_programs_all TIMEOUT 1000 LABELS long)
    add_test(NAME sched_rules COMMAND ${sched_rules} 19)
    add_test(NAME sched_rules_all COMMAND ${sched_rules})
    set_tests_properties(sched_rules PROPERTIES TIMEOUT 1500) # for hangs alone
    set_tests_properties(sched_rules_all PROPERTIES TIMEOUT 3600 LABELS long)
    set_tests_properties(sched_rules PROPERTIES FIXTURES_REQUIRED sched_programs)
    set_tests_properties(sched_rules_all PROPERTIES FIXTURES_REQUIRED sched_programs_all)
    # Threads without CUDA.
    set(plain ${CMAKE_CURRENT_SOURCE_DIR}/sched/plain.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    add_test(NAME sched_plain COMMAND ${plain} ${CMAKE_CURRENT_BINARY_DIR}/sched_plain 8)
    add_test(NAME sched_plain_long COMMAND ${plain} ${CMAKE_CURRENT_BINARY_DIR}/sched_plain_long 50)
    set_tests_properties(sched_plain PROPERTIES TIMEOUT 600)
    set_tests_properties(sched_plain_long PROPERTIES TIMEOUT 3600 LABELS long)
    # Processes without CUDA.
    add_executable(sched_processes sched/processes.c)
    target_link_libraries(sched_processes PRIVATE Threads::Threads)
    add_test(NAME sched_processes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sched/processes.sh $<TARGET_FILE:vtegra_cli>
                                          $<TARGET_FILE:sched_processes>)
    set_tests_properties(sched_processes PROPERTIES TIMEOUT 1000)
    # The host's time may not reach a decision.
    set(jitter ${CMAKE_CURRENT_SOURCE_DIR}/jitter/jitter.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
               ${sched_work})
    set(jitter_objects $<TARGET_OBJECTS:sched_objects> $<TARGET_OBJECTS:vtegra-preload>)
    add_test(NAME sched_jitter_long COMMAND ${jitter} "pct random" "1 2 3 4 5 6 7 8 9 10" ${jitter_objects})
    set_tests_properties(sched_jitter_long PROPERTIES TIMEOUT 3600 LABELS long)
    set_tests_properties(sched_jitter_long PROPERTIES FIXTURES_REQUIRED sched_programs_all)
  endif()
  set(hostile ${CMAKE_CURRENT_SOURCE_DIR}/explore/hostile.sh ${PROJECT_BINARY_DIR})
  add_test(NAME explore_hostile_long COMMAND ${hostile} ${CMAKE_CURRENT_BINARY_DIR}/explore_hostile_long long)
  set_tests_properties(explore_hostile_long PROPERTIES TIMEOUT 3600 LABELS long SKIP_RETURN_CODE 77)
  set_tests_properties(explore PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  add_test(NAME host_function_long COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/host_function.sh ${PROJECT_BINARY_DIR}
                                           ${CMAKE_CURRENT_BINARY_DIR}/host_function_long long)
  set_tests_properties(host_function_long PROPERTIES TIMEOUT 3600 LABELS long SKIP_RETURN_CODE 77)
  add_test(NAME handover COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/handover.sh ${PROJECT_BINARY_DIR}
                                 ${CMAKE_CURRENT_BINARY_DIR}/handover)
  add_test(NAME handover_long COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/explore/handover.sh ${PROJECT_BINARY_DIR}
                                      ${CMAKE_CURRENT_BINARY_DIR}/handover_long long)
  set_tests_properties(handover PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
  set_tests_properties(handover_long PROPERTIES TIMEOUT 3600 LABELS long SKIP_RETURN_CODE 77)
  set_tests_properties(explore_long PROPERTIES TIMEOUT 3600 LABELS long SKIP_RETURN_CODE 77)
  vtegra_no_rerun(explore explore_long explore_results explore_results_long explore_cluster explore_offset explore_block_order explore_hostile_long
                  sched_rules sched_rules_all sched_plain sched_plain_long sched_processes sched_jitter_long
                  host_function_long handover handover_long)
endif()
