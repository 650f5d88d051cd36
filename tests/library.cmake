# SPDX-License-Identifier: MIT
# NVIDIA's libraries of mathematics. Included by CMakeLists.txt.
vtegra_check_test(library test_library.c grid_rig.c LIBS model)
if(NOT TARGET cublas_13)
  return()
endif()

# Exactly the names of the list, versioned; where NVIDIA's library is installed, exactly its names.
foreach(library cublas.13 cublas.12)
  string(REPLACE "." ";" parts ${library})
  list(GET parts 0 name)
  list(GET parts 1 version)
  add_test(NAME library_exports_${name}_${version}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_library_exports.sh $<TARGET_FILE:${name}_${version}>
                   ${PROJECT_SOURCE_DIR}/runtime/api/${name}/${name}.def lib${name}.so.${version} ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${name}_static.a)
endforeach()

add_executable(cublas_work api/cublas_work.c)
target_include_directories(cublas_work PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cublas_work PRIVATE cublas_13 cuda m)
foreach(policy eager lazy seeded)
  add_test(NAME cublas_work_${policy} COMMAND cublas_work)
  set_tests_properties(cublas_work_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off" TIMEOUT 600)
endforeach()
