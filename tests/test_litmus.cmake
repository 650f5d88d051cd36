# SPDX-License-Identifier: MIT
# vtegra litmus: the machine against the model, the files, the format, the command.
vtegra_check_test(litmus test_litmus.c LIBS litmus profile)
vtegra_check_test(litmus_arm test_litmus_arm.c LIBS litmus)
vtegra_check_test(litmus_ptx test_litmus_ptx.c LIBS litmus)
foreach(model arm ptx)
  if(TARGET test_litmus_${model})
    add_test(NAME litmus_${model}_long COMMAND test_litmus_${model})
    set_tests_properties(litmus_${model}_long PROPERTIES LABELS long ENVIRONMENT LITMUS_PROGRAMS=20000 TIMEOUT 1800)
  endif()
endforeach()
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

# Mutants of the machine: each breaks one rule, and some file of scenarios/litmus ends otherwise. ctest -L mutants
if(TARGET test_litmus AND TARGET test_litmus_cache)
  file(GLOB litmus_mutants CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mutants/litmus_*.patch)
  foreach(mutant ${litmus_mutants})
    get_filename_component(name ${mutant} NAME_WE)
    vtegra_mutant(mutant_${name}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mutants/litmus_run.sh ${PROJECT_SOURCE_DIR} ${mutant}
                     ${CMAKE_CURRENT_BINARY_DIR}/litmus_objects $<TARGET_FILE:litmus> $<TARGET_FILE:model>
                     $<TARGET_FILE:profile>)
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/litmus_objects)
  foreach(test litmus litmus_scenarios litmus_cache)
    add_custom_command(TARGET test_${test} POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy
                       $<TARGET_OBJECTS:test_${test}> ${CMAKE_CURRENT_BINARY_DIR}/litmus_objects COMMAND_EXPAND_LISTS)
  endforeach()
endif()
