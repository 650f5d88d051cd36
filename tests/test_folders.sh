#!/bin/sh
# SPDX-License-Identifier: MIT
# folders.sh on folders made here. Usage: test_folders.sh FOLDERS_SH
set -eu
folders=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
bad=0

# expect STATUS WHAT [FOLDER...]
expect() {
    want=$1 what=$2
    shift 2
    got=0
    out=$("$folders" "$root" "$@" 2>&1) || got=1
    [ "$got" = "$want" ] || {
        echo "FAIL: $what: $out"
        bad=1
    }
}

# files FOLDER FIRST LAST EXTENSION
files() {
    mkdir -p "$root/$1"
    for i in $(seq "$2" "$3"); do
        : >"$root/$1/f$i.$4"
    done
}

expect 1 'an empty tree proves nothing'
files room 1 30 c
files room 1 20 h
files room 1 10 def
expect 0 'sixty files'
files room/door 1 60 c
expect 0 'files of a folder below do not count'
files room 1 100 md
files tests/data 1 61 c
files build/made 1 61 c
expect 0 'documents, tests and what a build makes do not count'
files room 31 31 c
expect 1 'a C file more'
expect 0 'a folder that may have more' room
rm "$root/room/f31.c"
files room 21 21 h
expect 1 'a header more'
rm "$root/room/f21.h"
files room 11 11 def
expect 1 'a table more'
rm "$root/room/f11.def"
files room/door/deep 1 61 h
expect 1 'a folder deep below'
rm -r "$root/room/door/deep"
seq 600 >"$root/room/f1.c"
seq 700 >"$root/room/f1.def"
mkdir "$root/include"
seq 700 >"$root/include/api.h"
expect 0 'a file of 600 lines, a long table, a long published header'
seq 601 >"$root/room/f1.c"
expect 1 'a file of 601 lines'
expect 0 'a file that may have more' room/f1.c
exit $bad
