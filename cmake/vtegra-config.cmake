# SPDX-License-Identifier: MIT
# find_package(vtegra): the libraries of an installed vtegra, or of its build folder, as targets.
#
#   vtegra::cuda vtegra::cudart vtegra::cudla vtegra::nvscibuf vtegra::nvscisync vtegra::nvsciipc   what is there of them
#   VTEGRA_EXECUTABLE    the command; add_test(... COMMAND ${VTEGRA_EXECUTABLE} run -q -- $<TARGET_FILE:app>)
#   VTEGRA_INCLUDE_DIR, VTEGRA_LIBRARY_DIR
#
# The package can be moved: everything is found from this file on.
get_filename_component(_vtegra_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VTEGRA_INCLUDE_DIR "${_vtegra_prefix}/include")
set(VTEGRA_LIBRARY_DIR "${_vtegra_prefix}/lib")
set(VTEGRA_EXECUTABLE "${_vtegra_prefix}/bin/vtegra")

foreach(_vtegra_file IN ITEMS "${VTEGRA_INCLUDE_DIR}/cuda.h" "${VTEGRA_LIBRARY_DIR}/libcuda.so.1" "${VTEGRA_EXECUTABLE}")
  if(NOT EXISTS "${_vtegra_file}")
    set(vtegra_FOUND FALSE)
    set(vtegra_NOT_FOUND_MESSAGE "vtegra: ${_vtegra_file} is not there; the folder of ${CMAKE_CURRENT_LIST_FILE} is no whole installation")
    return()
  endif()
endforeach()

foreach(_vtegra_library IN ITEMS cuda cudart cudla nvscibuf nvscisync nvsciipc nvscievent nvmedia nvmedia2d nvbufsurface nvbufsurftransform nvbuf_utils)
  if(EXISTS "${VTEGRA_LIBRARY_DIR}/lib${_vtegra_library}.so" AND NOT TARGET vtegra::${_vtegra_library})
    add_library(vtegra::${_vtegra_library} SHARED IMPORTED)
    set_target_properties(vtegra::${_vtegra_library} PROPERTIES
      IMPORTED_LOCATION "${VTEGRA_LIBRARY_DIR}/lib${_vtegra_library}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${VTEGRA_INCLUDE_DIR}")
  endif()
endforeach()
unset(_vtegra_prefix)
unset(_vtegra_file)
unset(_vtegra_library)
