# SPDX-License-Identifier: MIT
# Writes the header with the commit that vtegra --version names; the file is touched only where that changes.
# Usage: cmake -D SOURCE=DIR -D OUT=FILE [-D COMMIT=TEXT] -P version.cmake
if(NOT COMMIT)
  find_program(GIT git)
  if(GIT AND EXISTS ${SOURCE}/.git) # not a repository that holds an unpacked archive of ours
    execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0 ${GIT} -C ${SOURCE} describe --always --dirty=+ --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
set(text "/* Made by cmake/version.cmake. */\n#define VTEGRA_COMMIT \"${COMMIT}\"\n")
set(before)
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
