# SPDX-License-Identifier: MIT
# NVIDIA's libraries of mathematics. Included by CMakeLists.txt.
vtegra_check_test(library test_library.c grid_rig.c LIBS model)
vtegra_fuzz_test(library_call fuzz/fuzz_library_call.c LIBS model)
if(NOT TARGET cublas_13)
  return()
endif()

# Exactly the names of the list, versioned; where NVIDIA's library is installed, exactly its names.
foreach(library cublas.cublas.13 cublas.cublas.12 cublaslt.cublasLt.13 cublaslt.cublasLt.12 cusparse.cusparse.12
                cusolver.cusolver.12 cusolver.cusolver.11)
  string(REPLACE "." ";" parts ${library})
  list(GET parts 0 folder)
  list(GET parts 1 name)
  list(GET parts 2 version)
  add_test(NAME library_exports_${name}_${version}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_library_exports.sh $<TARGET_FILE:${name}_${version}>
                   ${PROJECT_SOURCE_DIR}/runtime/api/${folder}/${folder}.def lib${name}.so.${version}
                   ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${name}_static.a)
endforeach()

# Programs as an application would be written: nothing of ours but the public headers.
foreach(program cublas_work cublas_matrix cublas_stream cublas_least)
  add_executable(${program} api/${program}.c)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE cublas_13 cuda m Threads::Threads)
  foreach(policy eager lazy seeded)
    add_test(NAME ${program}_${policy} COMMAND ${program})
    set_tests_properties(${program}_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off" TIMEOUT 600)
  endforeach()
endforeach()
vtegra_no_rerun(cublas_work_seeded cublas_matrix_seeded cublas_stream_seeded cublas_least_seeded)
# What NVIDIA's library answered on a GPU, row by row.
separate_arguments(cxx_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
add_test(NAME cublas_codes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas_codes.sh ${PROJECT_SOURCE_DIR}
                                   ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${golden}/cublas_codes_13.1.txt ${CMAKE_CXX_COMPILER} ${cxx_flags})
include(library_numbers.cmake)
include(library_solvers.cmake)
