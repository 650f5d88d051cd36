# SPDX-License-Identifier: MIT
# The scenario library.
vtegra_check_test(scenario_words test_scenario.c ${PROJECT_SOURCE_DIR}/tools/scenario_file.c LIBS PkgConfig::GLIB)
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
