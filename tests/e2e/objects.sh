#!/bin/sh
# SPDX-License-Identifier: MIT
# objects.sh BUILD_DIR WORK_DIR: hooks are heard in the program and in each shared library that has them, whether it is
# linked or loaded while the program runs.
. "$(dirname "$0")/lib.sh"
lib_source=$source/objects_lib.cpp
by_clang liblinked.so --track -g -O1 -shared -fPIC -DSTORE=linked_store "$lib_source"
by_clang late.so --track -g -O1 -shared -fPIC -DSTORE=library_store "$lib_source"
by_clang plain.so -g -O1 -shared -fPIC -DSTORE=library_store "$lib_source"
# shellcheck disable=SC2016 # $ORIGIN is the loader's
linked='-L. -llinked -Wl,-rpath,$ORIGIN'
# shellcheck disable=SC2086
by_clang hooked --track -g -O1 -DLINKED "$source/objects.cu" $linked
# shellcheck disable=SC2086
by_clang bare_linked -g -O1 -DLINKED "$source/objects.cu" $linked
by_clang bare -g -O1 "$source/objects.cu"

# races NAME PLACES PROGRAM ARGUMENT...: of exactly these functions
races() {
    name=$1
    places=$2
    shift 2
    rm -f report
    expect "$name" 0 "" "$vtegra" run -q --check on --report report -- "$@"
    tests=$((tests + 1))
    seen=$(sed -n '/^Findings/,/^Advice/s/^ *where .* in //p' report | tr '\n' ' ')
    [ "$seen" = "$places" ] || fail "$name: races in \"$seen\", not \"$places\""
}

races "program, linked, loaded" "own_store linked_store library_store " ./hooked ./late.so
races "a library without hooks is not heard" "own_store linked_store " ./hooked ./plain.so
races "only the linked library" "linked_store " ./bare_linked
races "only the loaded library" "library_store " ./bare ./late.so
races "after the wait" "" ./hooked fixed ./late.so
races "nobody" "" ./bare ./plain.so

# Each thread has one book for all of them: 4 threads x 1000 stores at each of two lines
for hooks in each count; do
    VTEGRA_HOOKS=$hooks expect "threads, $hooks" 0 "" "$vtegra" run -q --json json -- ./hooked threads ./late.so
    tests=$((tests + 1))
    [ "$(grep -c '"stores" : 2000' json) $(grep -c '"stores" : 1000' json)" = "4 8" ] ||
        fail "threads, $hooks: $(grep '"stores"' json)"
done

# Each has a few bytes for every thread, of which there are not endlessly many.
many=
i=0
while [ $i -lt 40 ]; do
    cp late.so many$i.so
    many="$many ./many$i.so"
    i=$((i + 1))
done
# shellcheck disable=SC2086
races "forty libraries" "library_store " ./bare many $many
rm -f many*.so
finish
