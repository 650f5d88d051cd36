# SPDX-License-Identifier: MIT
# vtegra litmus: the machine against the model, the files, the format, the command.
vtegra_check_test(litmus test_litmus.c LIBS litmus profile)
vtegra_check_test(litmus_scenarios test_litmus_scenarios.c LIBS litmus profile)
if(TARGET model)
  vtegra_check_test(litmus_cache test_litmus_cache.c LIBS litmus model)
endif()
if(TARGET test_litmus)
  set_tests_properties(litmus litmus_scenarios PROPERTIES ENVIRONMENT
                       "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
endif()
vtegra_fuzz_test(litmus fuzz/fuzz_litmus.c LIBS litmus)
if(FUZZ)
  file(COPY ${PROJECT_SOURCE_DIR}/scenarios/litmus/ DESTINATION ${CMAKE_CURRENT_BINARY_DIR}/corpus_litmus)
endif()
add_test(NAME litmus_cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_litmus_cli.sh
                                 ${PROJECT_BINARY_DIR}/bin/vtegra ${PROJECT_SOURCE_DIR})
