#!/bin/sh
# SPDX-License-Identifier: MIT
# room_structs.sh fails on each way out of a room. Usage: test_room_structs.sh ROOM_STRUCTS
check=$1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

# file NAME LINE...: below runtime/driver
file() {
    name=$dir/runtime/driver/$1
    shift
    mkdir -p "$(dirname "$name")"
    printf '%s\n' "$@" >"$name"
}

# verdict WANT WHAT: the list is in $dir/list
verdict() {
    if "$check" "$dir" "$dir/list" >"$dir/out"; then got=pass; else got=fail; fi
    [ $got = "$1" ] && return
    echo "$2: want $1, got $got: $(cat "$dir/out")"
    failed=1
}

include='#include "runtime/driver/memory'
: >"$dir/list"
file memory/pool.h 'struct pool;'
file memory/pool_internal.h "$include/pool.h\"" 'struct pool {' '    int used;' '};'
file memory/pool.c "$include/pool_internal.h\""
file stream/stream.c "$include/pool.h\""
verdict pass "a private struct"
file stream/stream.c "$include/pool_internal.h\""
verdict fail "a private header in another room"
file engines/dla/dla.c "$include/pool_internal.h\""
file stream/stream.c "$include/pool.h\""
verdict fail "a private header in a room below a folder"
file engines/dla/dla.c "$include/pool.h\""
file memory/pool.h 'struct pool {' '    int used;' '};'
verdict fail "a struct in a header that others include"
echo 'value pool' >"$dir/list"
verdict pass "one that is listed"
echo 'open pool' >"$dir/list"
verdict fail "a word that is none"
file stream/stream.c ''
file engines/dla/dla.c ''
echo 'value pool' >"$dir/list"
verdict fail "one that no other room sees any more"
: >"$dir/list"
verdict pass "a struct in a header of its own room"
exit $failed
