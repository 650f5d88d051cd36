# SPDX-License-Identifier: MIT
# The scenario library.
vtegra_check_test(scenario_words test_scenario.c ${PROJECT_SOURCE_DIR}/tools/scenario/scenario_file.c LIBS PkgConfig::GLIB)
if(TARGET test_scenario_words)
  target_compile_definitions(test_scenario_words PRIVATE SCENARIOS_DIR="${PROJECT_SOURCE_DIR}/scenarios")
  foreach(mutant all_words_are_optional anything_may_be_found marks_do_not_matter)
    vtegra_mutant(mutant_scenario_${mutant}
                  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/mutant.sh ${PROJECT_SOURCE_DIR}
                          ${CMAKE_CURRENT_SOURCE_DIR}/scenario/${mutant}.patch)
  endforeach()
endif()
find_program(SCENARIO_CLANG clang++-19)
mark_as_advanced(SCENARIO_CLANG)
set(hooks hooks)
if(NOT SCENARIO_CLANG OR CMAKE_C_FLAGS MATCHES "fsanitize")
  set(hooks)
endif()
add_test(NAME scenario COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/scenario.sh ${PROJECT_BINARY_DIR}
                               ${CMAKE_CURRENT_BINARY_DIR}/scenario ${hooks})
set_tests_properties(scenario PROPERTIES TIMEOUT 900)
# Two builds behave the same: compare_builds.sh, which see
if(hooks)
  add_test(NAME scenario_races COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/races.sh ${PROJECT_BINARY_DIR}
                                       ${CMAKE_CURRENT_BINARY_DIR}/scenario_races)
  set_tests_properties(scenario_races PROPERTIES TIMEOUT 900)
  foreach(name managed copy_forgotten wrong_device event_other frame_unsynced array_frame pipeline)
    add_test(NAME scenario_dgpu_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/drive.sh ${PROJECT_BINARY_DIR} dgpu_${name})
    set_tests_properties(scenario_dgpu_${name} PROPERTIES TIMEOUT 300)
  endforeach()
  add_test(NAME scenario_twins COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scenario/scenario.sh ${PROJECT_BINARY_DIR}
                                       ${CMAKE_CURRENT_BINARY_DIR}/scenario_twins twins)
  set_tests_properties(scenario_twins PROPERTIES TIMEOUT 1800 LABELS long)
  add_test(NAME perfetto COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/perfetto/perfetto.sh ${PROJECT_BINARY_DIR}
                                 ${CMAKE_CURRENT_BINARY_DIR}/perfetto)
  set_tests_properties(perfetto PROPERTIES TIMEOUT 900)
  add_test(NAME report_forms COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/forms.sh ${PROJECT_BINARY_DIR}
                                     ${CMAKE_CURRENT_BINARY_DIR}/report_forms)
  set_tests_properties(report_forms PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
  add_test(NAME trace_packed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/packed.sh ${PROJECT_BINARY_DIR}
                                     ${CMAKE_CURRENT_BINARY_DIR}/trace_packed)
  set_tests_properties(trace_packed PROPERTIES TIMEOUT 900)
  add_test(NAME compare_builds COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_compare_builds.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(compare_builds PROPERTIES TIMEOUT 900 LABELS long)
endif()
