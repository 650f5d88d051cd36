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
# Until the first code with hooks is there, memory in use is closed: what has none is found, too.
races "only the loaded library" "own_store library_store " ./bare ./late.so
races "after the wait" "" ./hooked fixed ./late.so
races "neither has hooks" "own_store library_store " ./bare ./plain.so

# head NAME TEXT PROGRAM ARGUMENT...: what the head of the report says of the CPU's accesses
head_says() {
    head_of=$1 # expect() has a name and a text of its own
    head_text=$2
    shift 2
    expect "$head_of" 0 "" "$vtegra" run --check on -- "$@"
    also "$head_of" "$head_text"
}
all="exact (compiler hooks in all code of the program and its own libraries)"
some="CPU accesses exact for code with compiler hooks only; other code is seen per page without hooks"
head_says "all" "$all" ./hooked ./late.so
head_says "a library without" "$some plain.so" ./hooked fixed ./plain.so
head_says "a program without" "$some bare" ./bare ./late.so
clang++-19 -O1 -g -c -DSTORE=linked_store "$lib_source" -o part_g.o
clang++-19 -O1 -c -DSTORE=linked_store "$lib_source" -o part_nog.o
# shellcheck disable=SC2086 # words
{
    "$vtegra" cc $one_target --track -O1 -DLINKED "$source/objects.cu" part_g.o -o part_g
    "$vtegra" cc $one_target --track -O1 -DLINKED "$source/objects.cu" part_nog.o -o part_nog
    "$vtegra" cc $one_target --track -O1 -DLINKED "$source/objects.cu" "$lib_source" -DSTORE=linked_store -o part_all
}
head_says "a file without" "$some of part_g e2e/objects_lib.cpp" ./part_g
head_says "a file without, without -g" "$some of part_nog what was compiled without -g: library_compare, linked_store" ./part_nog
head_says "no file without" "$all" ./part_all
cp part_all stripped && strip stripped
head_says "stripped" "hooks unknown stripped: there are some" ./stripped

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
