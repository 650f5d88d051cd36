#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may know what a struct of the driver consists of? Each folder of runtime/driver is a room. A struct that only its own room
# reads and writes stands in a .c or in a header X_internal.h, which no other room includes. A header that other rooms include
# declares it (`struct x;`) and offers functions. It defines a struct only where a line of the list says why:
#   value STRUCT     plain data that is handed over whole: a request, an answer, a table of functions
#   base STRUCT      what structs of other rooms begin with: its fields are read there (runtime/driver/core/object.h)
# An object, which has a handle, is counted or belongs to a context, has these in a `struct object base;`, its first field, and not
# in fields of its own (handle, refs, holders, struct context *context). Where that does not fit, a line says why:
#   own STRUCT
# Usage: room_structs.sh ROOT LIST
set -eu
list=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1/runtime/driver"
find . -name '*.[ch]' | sed 's/^\.\///' | LC_ALL=C sort | xargs awk -v list="$list" '
function room(path) {
    return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : ""
}
BEGIN {
    while ((getline line < list) > 0) {
        if (line !~ /^#/ && split(line, word, " ") == 2) {
            kind[word[2]] = word[1]
        }
    }
}
/^#include "runtime\/driver\// {
    split($0, word, "\"")
    path = substr(word[2], length("runtime/driver/") + 1)
    if (room(path) != room(FILENAME)) {
        if (path ~ /_internal\.h$/) {
            print "FAIL: " FILENAME " includes " path ", which is for the files of its own room"
            bad = 1
        }
        seen[path] = 1
    }
}
/^struct [a-z_0-9]+ \{/ {
    of = $2
    fields = 0
    has_base = 0
}
/^\}/ {
    of = ""
}
of != "" && /^    [a-zA-Z]/ {
    fields++
    if (/^    struct object base;/) {
        has_base = 1
        if (fields > 1) {
            print "FAIL: " FILENAME ": struct object is not the first field of struct " of
            bad = 1
        }
    } else if (/[ *](handle|refs|holders)[,;]/ || /^    struct context \*context[,;]/) {
        bare[of] = FILENAME ": struct " of " has: " $0
    }
}
FILENAME ~ /\.h$/ && FILENAME !~ /_internal\.h$/ && match($0, /^struct [a-z_0-9]+ \{/) {
    home[$2] = FILENAME
}
END {
    for (name in home) {
        if (!(home[name] in seen)) {
            continue
        }
        n++
        if (!(name in kind)) {
            print "FAIL: other rooms see what struct " name " of " home[name] " consists of: move it to a header X_internal.h"
            bad = 1
        }
    }
    for (name in bare) {
        if (kind[name] != "own" && kind[name] != "base") {
            print "FAIL: " bare[name] "; an object has these in its base (core/object.h)"
            bad = 1
        }
    }
    for (name in kind) {
        if (kind[name] == "own") {
            if (!(name in bare)) {
                print "FAIL: struct " name " has nothing of an object of its own: take it off the list"
                bad = 1
            }
            continue
        }
        if (kind[name] != "value" && kind[name] != "base") {
            print "FAIL: " name " is " kind[name] ", which is no kind"
            bad = 1
        }
        if (!(name in home) || !(home[name] in seen)) {
            print "FAIL: no other room sees struct " name ": take it off the list"
            bad = 1
        }
    }
    print n + 0 " structs of rooms are seen by others"
    exit bad
}'
