# SPDX-License-Identifier: MIT
# cuDLA: its header, its library, and how it joins a CUDA stream with a DLA. Included by CMakeLists.txt.
vtegra_check_test(cudla_header test_cudla_header.c LABELS headers)
if(TARGET test_cudla_header)
  target_include_directories(test_cudla_header PRIVATE ${PROJECT_SOURCE_DIR}/include)
endif()

if(NOT TARGET cudla)
  return()
endif()
foreach(part cudla cudla_misuse cudla_migration cudla_damage cudla_tell cudla_published cudla_standalone
        cudla_table cudla_editions)
  set(more)
  set(runtime)
  if(part STREQUAL "cudla_published")
    set(more dla/golden.c)
  endif()
  if(part STREQUAL "cudla_tell")
    set(runtime cudart)
  endif()
  if(part STREQUAL "cudla_standalone")
    set(runtime vtegra)
  endif()
  vtegra_check_test(${part} test_${part}.c cudla_rig.c ${more} LIBS cudla ${runtime} cuda loadable Threads::Threads
                    ${CMAKE_DL_LIBS})
  if(TARGET test_${part})
    target_include_directories(test_${part} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(test_${part} PRIVATE PROFILES_DIR="${PROJECT_SOURCE_DIR}/profiles"
                               NVDLA_DATA="${PROJECT_SOURCE_DIR}/../shared/nvdla"
                               MIGRATION_PAGE="${PROJECT_SOURCE_DIR}/docs/nvmediadla-migration.md")
  endif()
endforeach()

vtegra_check_test(cudla_rules test_cudla_rules.c LIBS PkgConfig::GLIB)
if(TARGET test_cudla_rules)
  target_compile_definitions(test_cudla_rules PRIVATE RULES_PAGE="${PROJECT_SOURCE_DIR}/docs/dla-cudla.md")
endif()

# Nothing else is exported, and nothing is missing.
set(program_compiler ${CMAKE_C_COMPILER})
if(CMAKE_C_FLAGS MATCHES "fsanitize") # its program is built without
  set(program_compiler)
endif()
add_test(NAME cudla_exports
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cudla_exports.sh $<TARGET_FILE:cudla>
                 ${PROJECT_SOURCE_DIR}/include/cudla.h ${program_compiler})
set_tests_properties(cudla_exports PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
