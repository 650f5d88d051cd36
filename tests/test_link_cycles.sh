#!/bin/sh
# SPDX-License-Identifier: MIT
# link_cycles.sh counts the files of a cycle, and fails above the limit. Usage: test_link_cycles.sh LINK_CYCLES
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/tests" "$dir/unit" "$dir/build/unit/CMakeFiles/unit.dir"
cp "$1" "$dir/tests/"
failed=0

# file NAME CALLS...: a source of the unit that calls functions, and its object
file() {
    name=$1
    shift
    {
        for callee in "$@"; do echo "void $callee(void);"; done
        echo "void $name(void);"
        echo "void $name(void) {"
        for callee in "$@"; do echo "$callee();"; done
        echo "}"
    } >"$dir/unit/$name.c"
    cc -w -c "$dir/unit/$name.c" -o "$dir/build/unit/CMakeFiles/unit.dir/$name.c.o" || exit 2
}

# verdict WANT LIMIT [HOOK]
verdict() {
    if "$dir/tests/link_cycles.sh" "$dir/build" unit "$2" ${3:+"$3"} >"$dir/out"; then got=pass; else got=fail; fi
    [ $got = "$1" ] && return
    echo "limit $2: want $1, got $got: $(cat "$dir/out")"
    failed=1
}

file a b
file b c d
file c a free # a, b, c
file d        # needed, needs nothing
file free a   # the C library has one
verdict pass 3
verdict fail 2
file d b # a, b, c, d
verdict fail 3
verdict pass 4
rm "$dir/unit/d.c" # its object is left from before
verdict pass 3
file hook_add # calls the hooks that g, h and i register
file g hook_add
file h hook_add
file i hook_add
verdict pass 3
verdict pass 4 hook_add
verdict fail 3 hook_add
verdict fail 4 hook_none
exit $failed
