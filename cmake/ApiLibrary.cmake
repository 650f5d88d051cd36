# SPDX-License-Identifier: MIT
# library_add(<name> VERSIONS <major>... LIST <list> SOURCES <sources>...)
# lib<name>.so.<major> for each, whose symbols have that version as NVIDIA's have: a program that was linked with one
# accepts no other. lib<name>.so is the first. lib<name>_static.a has the same code in a section of its own, by whose ends a
# report distinguishes it from the program's. All from the same objects, with those of runtime/api/library.
function(library_add name)
  cmake_parse_arguments(PARSE_ARGV 1 L "" "LIST" "VERSIONS;SOURCES")
  set(shared ${PROJECT_SOURCE_DIR}/runtime/api/library)
  set(list ${CMAKE_CURRENT_SOURCE_DIR}/${L_LIST})
  add_library(${name}_objects OBJECT ${L_SOURCES} ${shared}/call.c ${shared}/driver.c ${shared}/handle.c ${shared}/kernel.c)
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  # A tail call would hide from a report which function the program called.
  target_compile_options(${name}_objects PRIVATE -fno-lto -fno-optimize-sibling-calls)
  list(GET L_VERSIONS 0 first)
  foreach(version IN LISTS L_VERSIONS)
    set(map ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.${version}.map)
    set(target ${name}_${version})
    api_map(${map} ${list} lib${name}.so.${version})
    add_library(${target} SHARED $<TARGET_OBJECTS:${name}_objects>)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-soname,lib${name}.so.${version})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .so.${version} NO_SONAME ON SKIP_BUILD_RPATH ON
                          INSTALL_RPATH "" LINK_DEPENDS ${map})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
  file(CREATE_LINK lib${name}.so.${first} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so SYMBOLIC)
  install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  library_archive(${name})
endfunction()

function(library_archive name)
  set(archive ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${name}_static.a)
  add_custom_command(
    OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}
    COMMAND ${CMAKE_LINKER} -r -o ${name}_static.o $<TARGET_OBJECTS:${name}_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden --rename-section .text=vtegra_library
            --rename-section .text.unlikely=vtegra_library ${name}_static.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${name}_static.o
    DEPENDS ${name}_objects $<TARGET_OBJECTS:${name}_objects>
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_static ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endfunction()
