# SPDX-License-Identifier: MIT
# Mutants by operator: README.md of this folder. Not where a sanitizer makes each of them slow.
find_program(PYTHON3 python3)
mark_as_advanced(PYTHON3)
if(NOT PYTHON3 OR NOT CHECK_FOUND OR CMAKE_C_FLAGS MATCHES "fsanitize" OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(mutate ${CMAKE_CURRENT_SOURCE_DIR}/mutate)

add_test(NAME mutate_tool COMMAND ${PYTHON3} ${mutate}/test_mutate.py)
set_tests_properties(mutate_tool PROPERTIES TIMEOUT 900 LABELS long)

# vtegra_mutants(<name> <arguments of mutate.py>...)
function(vtegra_mutants name)
  add_test(NAME mutants_${name}
           COMMAND ${PYTHON3} ${mutate}/mutate.py --build ${PROJECT_BINARY_DIR} --root ${PROJECT_SOURCE_DIR} ${ARGN})
  set_tests_properties(mutants_${name} PROPERTIES LABELS mutants SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 5400)
endfunction()

vtegra_mutants(changed --changed --seconds 60 --count 200 --min-score 60 model)
vtegra_mutants(memory --count 300 --min-score 85 --listed --survivors ${mutate}/survivors.txt
               model/iocoherency/port.c model/iocoherency/l2.c model/iocoherency/l2_log.c model/iocoherency/l2_map.c
               model/iocoherency/l2_set.c model/smmu/smmu.c model/smmu/smmu_walk.c)
vtegra_mutants(model --count 150 --seconds 1800 --min-score 60 model)
set_property(TEST mutants_memory mutants_model APPEND PROPERTY LABELS long)
