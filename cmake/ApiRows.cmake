# SPDX-License-Identifier: MIT
# The list of an API, runtime/api/<api>/<api>.def: a row an entry. KIND(name[, since][, streams] ...

# api_symbols(OUT LIST BEGIN): the symbols of the rows that begin so (a regular expression), per-thread forms included.
function(api_symbols out list begin)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} rows REGEX "^(${begin})")
  set(symbols)
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^[A-Z_]+\\(([A-Za-z0-9_]+)(, [0-9]+)?(, (PTDS|PTSZ))?" matched "${row}")
    list(APPEND symbols ${CMAKE_MATCH_1})
    if(CMAKE_MATCH_4)
      string(TOLOWER ${CMAKE_MATCH_4} form)
      list(APPEND symbols ${CMAKE_MATCH_1}_${form})
    endif()
  endforeach()
  if(NOT symbols)
    message(FATAL_ERROR "${list}: no row begins with ${begin}")
  endif()
  set(${out} ${symbols} PARENT_SCOPE)
endfunction()

# api_map(MAP LIST [VERSION]): the version script that exports every symbol of the list, and nothing else. Without VERSION
# symbols have no version.
function(api_map map list)
  set(names)
  api_symbols(symbols ${list} "(FORWARD|CONTEXT_THEN|HAND|STUB)\\(")
  foreach(symbol IN LISTS symbols)
    string(APPEND names "        ${symbol};\n")
  endforeach()
  string(STRIP "${ARGN} {" head)
  file(CONFIGURE OUTPUT ${map} @ONLY CONTENT "@head@\n    global:\n@names@    local:\n        *;\n};\n")
endfunction()
