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

file memory/pool.h 'struct pool;'
file memory/pool_internal.h "$include/pool.h\"" 'struct pool {' '    struct object base;' '    int used;' '};'
verdict pass "an object with its base"
for field in 'CUmemoryPool handle;' 'unsigned refs, imports;' 'int holders;' 'struct context *context;'; do
    file memory/pool_internal.h "$include/pool.h\"" 'struct pool {' "    $field" '    int used;' '};'
    verdict fail "an object with a field of its own: $field"
    echo 'own pool' >"$dir/list"
    verdict pass "one that is listed: $field"
    : >"$dir/list"
done
file memory/pool_internal.h "$include/pool.h\"" 'struct pool {' '    int used;' '    struct object base;' '};'
verdict fail "a base that is not the first field"
file memory/pool_internal.h "$include/pool.h\"" 'struct pool {' '    int used;' '};'
echo 'own pool' >"$dir/list"
verdict fail "one that is listed and has nothing of an object"
file memory/pool.h 'struct pool {' '    unsigned refs;' '};'
file stream/stream.c "$include/pool.h\""
echo 'base pool' >"$dir/list"
verdict pass "the base itself, which others see"
exit $failed
