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
file g hook_x                             # raises x, for which h and i have registered
file h hook_x_add g
file i hook_x_add g
file j hook_y_add g # of another event: nothing that g calls
verdict pass 3
verdict pass 3 hook_ # g, h, i
verdict fail 2 hook_
verdict fail 3 hook_none
file k hook_y g # raises y: calls j, which needs g, which needs no k
verdict pass 3 hook_
file g hook_x k # g, h, i, j, k
verdict fail 4 hook_
verdict pass 5 hook_
echo 'void l(void) { hook_y_add(k); }' >"$dir/unit/l.c" # k is in another file
verdict fail 5 hook_
printf '%s\n' 'static void k(void)' '{' '}' 'void l(void) { hook_y_add(k); }' >"$dir/unit/l.c"
verdict pass 5 hook_
exit $failed
