# SPDX-License-Identifier: MIT
# cuSPARSE, cuSOLVER and cuBLASLt. Included by library.cmake.
foreach(name cusparse cusolver)
  add_executable(${name}_work api/${name}_work.c)
  target_include_directories(${name}_work PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name}_work PRIVATE ${name}_12 cuda m)
  foreach(policy eager lazy seeded)
    add_test(NAME ${name}_work_${policy} COMMAND ${name}_work)
    set_tests_properties(${name}_work_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off;ASAN_OPTIONS=detect_leaks=0" TIMEOUT 600) # handles that the test leaves are its own
  endforeach()
  vtegra_no_rerun(${name}_work_seeded)
endforeach()

add_executable(cusolver_sparse api/cusolver_sparse.c)
target_include_directories(cusolver_sparse PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cusolver_sparse PRIVATE cusolver_12 cusparse_12 cuda m)
foreach(policy eager lazy seeded)
  add_test(NAME cusolver_sparse_${policy} COMMAND cusolver_sparse)
  set_tests_properties(cusolver_sparse_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off;ASAN_OPTIONS=detect_leaks=0" TIMEOUT 600) # handles that the test leaves are its own
endforeach()
vtegra_no_rerun(cusolver_sparse_seeded)

add_executable(cusparse_sorted api/cusparse_sorted.c)
target_include_directories(cusparse_sorted PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cusparse_sorted PRIVATE cusparse_12 cuda)
foreach(policy eager lazy seeded)
  add_test(NAME cusparse_sorted_${policy} COMMAND cusparse_sorted)
  set_tests_properties(cusparse_sorted_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off;ASAN_OPTIONS=detect_leaks=0" TIMEOUT 600)
endforeach()
vtegra_no_rerun(cusparse_sorted_seeded)

add_executable(cublaslt_work api/cublaslt_work.c)
target_include_directories(cublaslt_work PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cublaslt_work PRIVATE cublasLt_13 cublas_13 cuda m)
foreach(policy eager lazy seeded)
  add_test(NAME cublaslt_work_${policy} COMMAND cublaslt_work)
  set_tests_properties(cublaslt_work_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off;ASAN_OPTIONS=detect_leaks=0" TIMEOUT 600) # handles that the test leaves are its own
endforeach()
vtegra_no_rerun(cublaslt_work_seeded)

# What NVIDIA's libraries answered on a GPU, row by row.
foreach(answers cusparse.12.6 cusolver.12.0 cusolverSp.12.0 cublasLt.13.1)
  string(REGEX REPLACE "^([a-zA-Z]+)[.](.*)$" "\\1;\\2" parts ${answers})
  list(GET parts 0 name)
  list(GET parts 1 version)
  add_test(NAME ${name}_answers
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/library_answers.sh ${PROJECT_SOURCE_DIR} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
                   ${name} ${golden}/${name}_${version}.txt ${CMAKE_CXX_COMPILER} ${cxx_flags})
endforeach()

# A program of each library, its captured calls among them, on all boards and in all ways to run it.
add_test(NAME library_walk
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/library_walk.sh ${PROJECT_BINARY_DIR}/bin/vtegra $<TARGET_FILE:cublas_stream>
                 $<TARGET_FILE:cublaslt_work> $<TARGET_FILE:cufft_work> $<TARGET_FILE:curand_work> $<TARGET_FILE:cusparse_work>
                 $<TARGET_FILE:cusolver_work> $<TARGET_FILE:cusolver_sparse>)
set_tests_properties(library_walk PROPERTIES TIMEOUT 1200 LABELS once ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
